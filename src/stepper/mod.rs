//! One time step: WHEN geometry is evaluated, WHICH contact law is imposed, WHICH solver is called.

pub mod literal;
pub mod loads;
pub mod record;

pub use literal::LiteralNcp;
pub use loads::Loads;
pub use record::{ContactRecord, ContactState, StepInfo};

use crate::error::Result;
use crate::scene::{Scene, State};

/// A time-stepping model with its workspace.
#[derive(Debug)]
pub enum Stepper {}

impl Stepper {
    /// The model that `scene.solver.formulation` names, with a workspace for the scene.
    ///
    /// # Errors
    /// When the model cannot run the scene (it says which feature it lacks).
    pub fn new(_scene: &Scene) -> Result<Self> {
        unimplemented!("skeleton")
    }

    /// Takes `state` over one step of `scene.time_step` under `loads`. Never fails: how it went is in the
    /// returned [`StepInfo`], and `state` is then the best one found.
    pub fn step(&mut self, _scene: &Scene, _state: &mut State, _loads: &Loads) -> StepInfo {
        match *self {}
    }

    /// The near pairs at the end of the last step, in a fixed order.
    pub fn contacts(&self) -> &[ContactRecord] {
        match *self {}
    }
}
