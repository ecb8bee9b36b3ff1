//! One island, which is solved on its own, in parallel with the others. [`step`] shows its step on one page;
//! README.md in the folder above states the problem.

pub mod assemble;
pub mod derivative;
mod energy;
mod flat;
pub mod problem;
pub mod records;
pub mod refresh;
pub mod residual;
mod solve;
mod solved_problem;
pub mod step;
mod structure;
pub mod substeps;
mod turns;
mod warm_start;

use crate::step::SolvedProblem;
use crate::stepper::flat::FlatIsland;
use crate::stepper::impact::Impact;
use crate::stepper::island::derivative::Piece;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::records::substeps::SubstepRecords;
use signorini_ncp::solver::{ConicValue, Info, Iterate, SolveStatus, Solver, SolverMemory};

/// An island with its iterate and the outcome of its last solve.
#[derive(Debug, Default)]
pub struct Island {
    /// Bodies, pairs and the linearised problem.
    pub problem: IslandProblem,
    /// Velocities and impulses.
    pub iterate: Iterate,
    /// Outcome of the last solve.
    pub status: SolveStatus,
    /// Joint that turned a body too far in the last solve that was refused for it.
    pub turned_joint: Option<usize>,
    /// Work of the last solve.
    pub info: Info,
    /// Records of the substeps, if the step was made in substeps.
    pub substep_records: SubstepRecords,
    /// Value of the island's problem, where the model is a convex one.
    pub conic: Option<ConicValue>,
    /// Impact at the end of the step, where the step was made in one piece.
    pub impact: Option<Impact>,
    /// Derivatives of the substeps of the last solve, where derivatives are kept.
    pub(in crate::stepper) pieces: Vec<Piece>,
    /// Problems of the substeps of the last solve, where problems are kept.
    pub(in crate::stepper) solved: Vec<SolvedProblem>,
    pub(in crate::stepper) solver: Solver,
    pub(in crate::stepper) momentum: Vec<f64>,
    pub(in crate::stepper) flat: FlatIsland,
}

impl Island {
    /// Makes an island with a solver's memory, which goes on where `first_body` is its first body.
    pub fn with_memory(first_body: Option<usize>, solver: &SolverMemory) -> Self {
        let mut island = Self { solver: Solver::with_memory(solver), ..Self::default() };
        island.problem.bodies.extend(first_body);
        island
    }
}
