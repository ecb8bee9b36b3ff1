//! The interface of every time-stepping model.

use crate::step::{ContactRecord, JointRecord, Loads, SolvedProblem, StepInfo, Substep};
use crate::stepper::island::derivative::IslandDerivative;
use crate::stepper::memory::Memory;
use signorini_backend::Guarded;
use signorini_ncp::solver::OwnMethod;
use signorini_ranks::Ranks;
use signorini_scene::scene::{Scene, State};
use std::fmt::Debug;
use std::sync::Arc;

/// A time-stepping model with its workspace.
pub trait Stepper: Debug + Send {
    /// Takes `state` over one step of `scene.time_step` under `loads`. Velocities of driven bodies are those
    /// of [`Loads::drive`]. Never fails: the outcome is in the returned [`StepInfo`], and after a failure
    /// `state` is the best one found.
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo;

    /// The near pairs at the end of the last step, in a fixed order.
    fn contacts(&self) -> &[ContactRecord];

    /// The joints at the end of the last step, in the order of the scene.
    fn joints(&self) -> &[JointRecord];

    /// The substeps of islands that were halved in the last step: by island, then in time. Usually none.
    fn substeps(&self) -> &[Substep] {
        &[]
    }

    /// Returns the data that the next step depends on besides scene and state.
    fn memory(&self) -> Memory;

    /// Restores a memory. Parts of it that do not fit the scene or the model are ignored.
    fn restore(&mut self, memory: Memory);

    /// Has the next steps keep what their derivatives need, or not. False when the model has no derivatives.
    fn keep_derivatives(&mut self, _on: bool) -> bool {
        false
    }

    /// Takes the derivatives of the last step, by island.
    fn take_derivatives(&mut self) -> Vec<IslandDerivative> {
        Vec::new()
    }

    /// Has the next steps keep the problems that they solve, or not. False when the model has no such
    /// problems.
    fn keep_problems(&mut self, _on: bool) -> bool {
        false
    }

    /// Takes the problems of the last step, by island, then in time.
    fn take_problems(&mut self) -> Vec<SolvedProblem> {
        Vec::new()
    }

    /// Has large islands solved by a backend from now on. False when the model solves them itself, always.
    fn use_backend(&mut self, _backend: Arc<Guarded>) -> bool {
        false
    }

    /// Has linearized problems solved by a method of one's own from now on, or by the solver again. False
    /// when the model has no such problems.
    fn use_own(&mut self, _method: Option<Arc<dyn OwnMethod>>) -> bool {
        false
    }

    /// Has large islands solved by several processes together from now on, each of which takes the same
    /// steps. A model without such islands solves all of them itself.
    fn use_ranks(&mut self, _ranks: Option<Arc<dyn Ranks>>) {}
}
