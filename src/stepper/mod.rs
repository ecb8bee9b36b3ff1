//! One time step: WHEN geometry is evaluated, WHICH contact law is imposed, WHICH solver is called.

pub mod halving;
pub mod implicit_ncp;
pub mod island;
pub mod island_problem;
pub mod literal;
pub mod loads;
mod pair_rows;
pub mod record;
pub mod scales;

pub use literal::LiteralNcp;
pub use loads::Loads;
pub use record::{BodyState, ContactRecord, ContactState, Span, StepInfo, Substep};

use crate::error::{Error, Result};
use crate::geometry::Shape;
use crate::scene::{Body, Scene, State};
use crate::settings::Formulation;
use implicit_ncp::ImplicitNcp;

/// A time-stepping model with its workspace.
#[derive(Debug)]
pub enum Stepper {
    /// Geometrically implicit NCP.
    Implicit(Box<ImplicitNcp>),
    /// The papers' own system, for small scenes.
    Literal(Box<LiteralNcp>),
}

impl Stepper {
    /// The model that `scene.solver.formulation` names, with a workspace for the scene.
    ///
    /// # Errors
    /// When the model cannot run the scene (it says which feature it lacks).
    pub fn new(scene: &Scene) -> Result<Self> {
        refuse_shapes_without_contact(scene)?;
        match scene.solver.formulation {
            Formulation::Implicit => Ok(Stepper::Implicit(Box::new(ImplicitNcp::new(scene)))),
            Formulation::Literal => Ok(Stepper::Literal(Box::new(LiteralNcp::new(scene)?))),
        }
    }

    /// Takes `state` over one step of `scene.time_step` under `loads`. Never fails: how it went is in the
    /// returned [`StepInfo`], and `state` is then the best one found.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        match self {
            Stepper::Implicit(model) => model.step(scene, state, loads),
            Stepper::Literal(model) => model.step(scene, state, loads),
        }
    }

    /// The near pairs at the end of the last step, in a fixed order.
    pub fn contacts(&self) -> &[ContactRecord] {
        match self {
            Stepper::Implicit(model) => model.contacts(),
            Stepper::Literal(model) => model.contacts(),
        }
    }

    /// The substeps of islands that were halved in the last step: by island, then in time. Usually none.
    pub fn substeps(&self) -> &[Substep] {
        match self {
            Stepper::Implicit(model) => model.substeps(),
            Stepper::Literal(_) => &[],
        }
    }
}

/// Scenes may hold shapes that no model has contacts for yet.
fn refuse_shapes_without_contact(scene: &Scene) -> Result<()> {
    let refuse = |body: &Body, allowed: &str| {
        let what = format!("body \"{}\" is a {}", body.name, body.shape.kind());
        Err(Error::Usage { what, allowed: allowed.to_owned() })
    };
    let find = |known: &dyn Fn(&Shape) -> bool| scene.bodies.iter().find(|b| known(&b.shape));
    let is_round = |shape: &Shape| matches!(shape, Shape::Ellipsoid { .. });
    let is_flat = |shape: &Shape| matches!(shape, Shape::Polytope(_));
    if let Some(body) = find(&|shape| matches!(shape, Shape::Cylinder { .. })) {
        return refuse(body, "cylinders are not supported in contact yet");
    }
    match find(&is_flat) {
        Some(body) if find(&is_round).is_some() => {
            refuse(body, "ellipsoids and polytopes in one scene are not supported yet")
        }
        Some(body) if scene.solver.formulation == Formulation::Literal => {
            refuse(body, "the literal formulation knows ellipsoids, spheres and half-spaces")
        }
        _ => Ok(()),
    }
}
