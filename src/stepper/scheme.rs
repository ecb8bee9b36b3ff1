//! What a model does in its own way within the step that all models share.

use signorini_backend::Guarded;
use crate::contact::{Models, MovedPart, Pair};
use signorini_scene::scene::State;
use crate::step::{ContactRecord, JointRecord, Substep};
use crate::stepper::island::solve::Island;
use crate::stepper::joints::JointMemory;
use crate::stepper::placed_bodies::PlacedParts;
use crate::stepper::step_context::StepContext;
use std::sync::Arc;

/// The end of a step while it is being found.
#[derive(Debug, Default)]
pub struct StepEnd {
    /// Poses and velocities.
    pub state: State,
    /// The parts of the bodies there.
    pub parts: PlacedParts,
    /// How far the fastest point of each body went within the step, at most (m).
    pub travel: Vec<f64>,
}

/// What a step reports.
#[derive(Debug, Default)]
pub struct Records {
    /// Near pairs by bodies, then in time.
    pub contacts: Vec<ContactRecord>,
    /// Joints by index, then in time.
    pub joints: Vec<JointRecord>,
    /// Substeps by island, then in time.
    pub substeps: Vec<Substep>,
}

/// A time-stepping scheme: which law holds, where geometry is evaluated, who solves an island.
pub trait Scheme: Sync {
    /// Under the staggered integrator: the length of the last step (s), 0 before the first.
    fn last_step(&self) -> Option<f64> {
        None
    }

    /// Whether a step has an impact phase where something strikes.
    fn has_impacts(&self) -> bool {
        false
    }

    /// Who evaluates smooth pairs; None: the step problem itself.
    fn backend(&self) -> Option<Arc<Guarded>> {
        None
    }

    /// Bodies that belong to one island without touching.
    fn spring_pairs(&self) -> &[(usize, usize)] {
        &[]
    }

    /// Prepares pairs and joints before they are distributed over islands, in each round.
    fn begin(
        &mut self,
        _round: usize,
        _pairs: &mut [Box<Pair>],
        _joint_memory: &mut [JointMemory],
        _context: &StepContext<'_>,
    ) {
    }

    /// Finds velocities and impulses of an island. `local_of` maps body id to its place in its island.
    fn solve(&self, island: &mut Island, context: &StepContext<'_>, local_of: &[usize]);

    /// Takes the bodies of the islands to the end of the step. Those with prescribed motion are there;
    /// `travel` is 0.
    fn advance(&self, islands: &mut [Box<Island>], context: &StepContext<'_>, end: &mut StepEnd);

    /// Writes down what the islands' contacts and joints did.
    fn record(
        &self,
        islands: &mut [Box<Island>],
        context: &StepContext<'_>,
        end: &StepEnd,
        records: &mut Records,
    );

    /// Has pairs followed that passed through each other between two placements; returns how many.
    fn catch_passed(&self, _pairs: &mut [Box<Pair>], _models: &Models, _placed: [&[MovedPart]; 2]) -> usize {
        0
    }
}
