//! Operations of one model within the step loop that all models share.

use crate::contact::{Models, MovedPart, Pair};
use crate::step::{ContactKey, ContactRecord, JointRecord, SolvedProblem, Substep};
use crate::stepper::island::Island;
use crate::stepper::island::derivative::IslandDerivative;
use crate::stepper::joints::JointMemory;
use crate::stepper::placed_bodies::PlacedParts;
use crate::stepper::step_context::StepContext;
use signorini_backend::Guarded;
use signorini_geometry::{Pose, Velocity};
use signorini_ncp::solver::OwnMethod;
use signorini_ranks::Ranks;
use signorini_scene::scene::State;
use std::sync::Arc;

/// The end of a step while it is being found.
#[derive(Debug, Default)]
pub struct StepEnd {
    /// Poses and velocities.
    pub state: State,
    /// Parts of the bodies at the end of the step.
    pub parts: PlacedParts,
    /// Largest path of any point of each body within the step (m).
    pub travel: Vec<f64>,
    /// End of the bodies of an island: pose, velocity, and path as above.
    pub moved: Vec<(Pose, Velocity, f64)>,
}

/// Records of a step.
#[derive(Debug, Default)]
pub struct Records {
    /// Contacts of near pairs by bodies, then in time.
    pub contacts: Vec<ContactRecord>,
    /// Joints by index, then in time.
    pub joints: Vec<JointRecord>,
    /// Substeps by island, then in time.
    pub substeps: Vec<Substep>,
    /// Contacts of islands solved in one piece, in their order: their keys, islands and pairs.
    pub order: Vec<(ContactKey, usize, usize)>,
    /// Derivatives of islands, where they are asked for.
    pub derivatives: Vec<IslandDerivative>,
    /// Problems of islands, where they are asked for.
    pub problems: Vec<SolvedProblem>,
}

/// Formulation of a model: which law holds, where geometry is evaluated, who solves an island.
pub trait StepFormulation: Sync {
    /// Length of the last step (s) under the staggered integrator, 0 before the first.
    fn last_step(&self) -> Option<f64> {
        None
    }

    /// Whether a step has an impact phase where something strikes.
    fn has_impacts(&self) -> bool {
        false
    }

    /// Whether derivatives of steps are kept.
    fn keeps_derivatives(&self) -> bool {
        false
    }

    /// Whether the problems that steps solve are kept.
    fn keeps_problems(&self) -> bool {
        false
    }

    /// Backend that takes solves in flat arrays; None: the CPU alone.
    fn backend(&self) -> Option<Arc<Guarded>> {
        None
    }

    /// Method that solves linearized problems; None: the solver's own.
    fn own(&self) -> Option<Arc<dyn OwnMethod>> {
        None
    }

    /// Processes that take the step together; None: this one alone.
    fn ranks(&self) -> Option<Arc<dyn Ranks>> {
        None
    }

    /// Pairs of bodies that belong to one island without touching.
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

    /// Finds velocities and impulses of an island. `local_of` maps a body id to its place in its island.
    fn solve(&self, island: &mut Island, context: &StepContext<'_>, local_of: &[usize]);

    /// Takes the bodies of the islands to the end of the step. Bodies with prescribed motion are at the end
    /// already, with their `travel`, which is 0 for others.
    fn advance(&self, islands: &mut [Box<Island>], context: &StepContext<'_>, end: &mut StepEnd);

    /// Records the contacts and joints of the islands.
    fn record(
        &self,
        islands: &mut [Box<Island>],
        context: &StepContext<'_>,
        end: &StepEnd,
        records: &mut Records,
    );

    /// Marks pairs whose bodies passed through each other between two placements to be followed; returns how
    /// many.
    fn catch_passed(&self, _pairs: &mut [Box<Pair>], _models: &Models, _placed: [&[MovedPart]; 2]) -> usize {
        0
    }
}
