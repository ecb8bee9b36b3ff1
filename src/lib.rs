//! `signorini`: many rigid bodies in intermittent frictional contact, solved as a nonlinear
//! complementarity problem to 1e-8, with a proof for every step.
//!
//! Named after the Signorini condition 0 ≤ gap ⊥ force ≥ 0.
//!
//! ```
//! use signorini::prelude::*;
//!
//! fn main() -> signorini::Result<()> {
//!     let mut scene = Scene::builder();
//!     scene.time_step(0.01).duration(0.5).friction(Friction::coulomb(0.5));
//!     scene.container([-0.25, -0.25, 0.0], [0.25, 0.25, 2.0], false);
//!     scene.fill(12, Body::ellipsoid([0.08, 0.06, 0.05]).density(1500.0), [-0.25, -0.25, 0.0], [0.25, 0.25, 0.6]);
//!     let brick = scene.body(Body::cuboid([0.1, 0.05, 0.03]).density(2000.0).at([0.0, 0.0, 0.8]).named("brick"));
//!     let mut simulation = Simulation::new(scene.build()?)?;
//!     for outcome in simulation.run() {
//!         assert!(outcome.is_good(), "step {}: {:?}", outcome.step, outcome.info);
//!     }
//!     println!("the brick is at {}", simulation.pose(brick)?.position);
//!     println!("{} contacts, kinetic energy {:.3} J", simulation.contacts().len(), simulation.kinetic_energy());
//!     Ok(())
//! }
//! ```
//!
//! A scene comes from [`Scene::builder`] or from a file ([`Scene::load`]); a [`Simulation`] steps it. Each
//! step is solved to the tolerance of [`SolverSettings`], or its [`StepOutcome`] says that it is not, and
//! judged by a referee that shares no code with the solver ([`Verdict`]). Units are SI throughout;
//! quaternions are (w, x, y, z); positions are those of centres of mass in the world unless something else is
//! said.

pub mod audit;
pub mod backend;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compare;
pub mod contact;
pub mod error;
pub mod geometry;
pub mod kernels;
pub mod linalg;
pub mod math;
pub mod output;
#[cfg(feature = "cli")]
pub mod picture;
pub mod problem;
pub mod real;
pub mod referee;
pub mod reference;
pub mod scene;
pub mod settings;
pub mod simulation;
pub mod solver;
pub mod step;
pub mod stepper;

pub use error::{Error, Result};
pub use geometry::{Pose, Shape, Velocity};
pub use referee::Verdict;
pub use scene::{
    Axis, Body, BodyBuilder, BodyId, Course, Friction, Joint, JointBuilder, JointKind, LoadOptions, Loaded,
    Material, Motion, Overrides, Path, Scene, SceneBuilder, State,
};
pub use settings::{Formulation, Gyroscopic, Integrator, SolverSettings};
pub use simulation::{Simulation, StepOutcome, Steps};
pub use solver::SolveStatus;
pub use step::{ContactRecord, ContactState, JointRecord, StepInfo};

/// What most programs need: `use signorini::prelude::*;`
pub mod prelude {
    pub use crate::{
        Axis, Body, BodyId, Course, Error, Formulation, Friction, Joint, Material, Motion, Path, Pose,
        Result, Scene, Simulation, Velocity,
    };
}

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
