//! One time step: WHEN geometry is evaluated, WHICH contact law is imposed, WHICH solver is called.

pub mod auto;
mod box_batch;
pub mod compliant;
pub mod cone_complementarity;
mod culling;
pub mod explicit;
pub mod halving;
pub mod implicit_ncp;
pub mod island;
pub mod island_problem;
pub mod joint_record;
pub mod joints;
pub mod literal;
pub mod loads;
mod pair_batch;
mod pair_rows;
pub mod record;
pub mod scales;
pub mod staggered;
pub mod stewart_trinkle;
pub mod triggers;

pub use auto::Auto;
pub use compliant::Compliant;
pub use cone_complementarity::ConeComplementarity;
pub use joint_record::JointRecord;
pub use literal::LiteralNcp;
pub use loads::Loads;
pub use record::{Acting, BodyState, ContactRecord, ContactState, Span, StepInfo, Substep, Switch, Touch};
pub use stewart_trinkle::StewartTrinkle;
pub use triggers::Triggers;

use crate::backend::Guarded;
use crate::error::{Error, Result};
use crate::scene::motion::velocity_between;
use crate::scene::{Scene, State};
use crate::settings::{Formulation, LcpMethod};
use implicit_ncp::ImplicitNcp;
use std::sync::Arc;

/// A time-stepping model with its workspace.
#[derive(Debug)]
pub enum Stepper {
    /// Geometrically implicit NCP.
    Implicit(Box<ImplicitNcp>),
    /// The papers' own system, for small scenes.
    Literal(Box<LiteralNcp>),
    /// Cone complementarity.
    Cone(Box<ConeComplementarity>),
    /// Friction polygons.
    StewartTrinkle(Box<StewartTrinkle>),
    /// Compliant contact.
    Compliant(Box<Compliant>),
    /// The cheapest that does.
    Auto(Box<Auto>),
}

impl Stepper {
    /// The model that `scene.solver.formulation` names, with a workspace for the scene.
    ///
    /// # Errors
    /// When the model cannot run the scene (it says which feature it lacks).
    pub fn new(scene: &Scene) -> Result<Self> {
        let formulation = scene.solver.formulation;
        if !scene.springs.is_empty() && formulation != Formulation::Compliant {
            return Err(Error::Usage {
                what: format!("formulation = {:?} with [[spring]]", formulation.as_str()),
                allowed: "it has no springs; use \"compliant\", or remove them".to_owned(),
            });
        }
        let takes_polygons = matches!(formulation, Formulation::StewartTrinkle | Formulation::Auto);
        if takes_polygons
            && scene.solver.stewart_trinkle.method == LcpMethod::Lemke
            && !scene.joints.is_empty()
        {
            return Err(Error::Usage {
                what: format!(
                    "formulation = {:?} with stewart_trinkle.method = \"lemke\" and [[joint]]",
                    formulation.as_str()
                ),
                allowed: "Lemke's method has no joints; use method = \"auto\" or \"newton\"".to_owned(),
            });
        }
        match formulation {
            Formulation::Implicit => Ok(Stepper::Implicit(Box::new(ImplicitNcp::new(scene)))),
            Formulation::Literal => Ok(Stepper::Literal(Box::new(LiteralNcp::new(scene)?))),
            Formulation::Cone => Ok(Stepper::Cone(Box::new(ConeComplementarity::new(scene)))),
            Formulation::StewartTrinkle => Ok(Stepper::StewartTrinkle(Box::new(StewartTrinkle::new(scene)))),
            Formulation::Auto => Ok(Stepper::Auto(Box::new(Auto::new(scene)))),
            Formulation::Compliant => Ok(Stepper::Compliant(Box::new(Compliant::new(scene)))),
        }
    }

    /// Has smooth pairs evaluated by a backend from now on. False when the model does so itself, always.
    pub fn use_backend(&mut self, backend: Arc<Guarded>) -> bool {
        match self {
            Stepper::Implicit(model) => model.use_backend(backend),
            Stepper::Auto(model) => model.use_backend(backend),
            _ => return false,
        }
        true
    }

    /// Takes `state` over one step of `scene.time_step` under `loads`. Never fails: how it went is in the
    /// returned [`StepInfo`], and `state` is then the best one found.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        for (id, end) in &loads.driven {
            state.velocities[*id] = velocity_between(&state.poses[*id], end, scene.time_step);
        }
        let mut info = match self {
            Stepper::Implicit(model) => model.step(scene, state, loads),
            Stepper::Literal(model) => model.step(scene, state, loads),
            Stepper::Cone(model) => model.step(scene, state, loads),
            Stepper::StewartTrinkle(model) => model.step(scene, state, loads),
            Stepper::Compliant(model) => model.step(scene, state, loads),
            Stepper::Auto(model) => return model.step(scene, state, loads),
        };
        info.formulation = scene.solver.formulation;
        info
    }

    /// The near pairs at the end of the last step, in a fixed order.
    pub fn contacts(&self) -> &[ContactRecord] {
        match self {
            Stepper::Implicit(model) => model.contacts(),
            Stepper::Literal(model) => model.contacts(),
            Stepper::Cone(model) => model.contacts(),
            Stepper::StewartTrinkle(model) => model.contacts(),
            Stepper::Compliant(model) => model.contacts(),
            Stepper::Auto(model) => model.contacts(),
        }
    }

    /// The joints at the end of the last step, in the order of the scene.
    pub fn joints(&self) -> &[JointRecord] {
        match self {
            Stepper::Implicit(model) => model.joints(),
            Stepper::Literal(model) => model.joints(),
            Stepper::Cone(model) => model.joints(),
            Stepper::StewartTrinkle(model) => model.joints(),
            Stepper::Compliant(model) => model.joints(),
            Stepper::Auto(model) => model.joints(),
        }
    }

    /// The substeps of islands that were halved in the last step: by island, then in time. Usually none.
    pub fn substeps(&self) -> &[Substep] {
        match self {
            Stepper::Implicit(model) => model.substeps(),
            Stepper::Auto(model) => model.substeps(),
            _ => &[],
        }
    }
}
