//! `signorini`: many rigid bodies in intermittent frictional contact, solved as a nonlinear
//! complementarity problem to the accuracy asked for, each step judged by an independent referee.
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
//!     let grain = Body::ellipsoid([0.08, 0.06, 0.05]).density(1500.0);
//!     scene.fill(12, grain, [-0.25, -0.25, 0.0], [0.25, 0.25, 0.6]);
//!     let brick = scene.body(Body::box_([0.1, 0.05, 0.03]).density(2000.0).at([0.0, 0.0, 0.8]));
//!     let mut simulation = Simulation::new(scene.build()?)?;
//!     for outcome in simulation.run() {
//!         assert!(outcome.is_good(), "step {}: {:?}", outcome.step, outcome.info);
//!     }
//!     println!("the brick is at {}", simulation.pose(brick)?.position);
//!     println!("{} contacts, {:.3} J", simulation.contacts().len(), simulation.kinetic_energy());
//!     Ok(())
//! }
//! ```
//!
//! A scene comes from [`Scene::builder`] or from a file ([`Scene::load`]); a [`Simulation`] steps it. Each
//! step is solved to the tolerance of [`SolverSettings`], or its [`StepOutcome`] says that it is not, and
//! judged by a referee that shares no code with the solver ([`Verdict`]). Units are SI throughout;
//! quaternions are (w, x, y, z); positions are those of centres of mass in the world unless stated otherwise.

// Rooms are open to the other crates of the workspace and to tests; they promise nothing to users.
#[doc(hidden)]
pub mod contact;
#[doc(hidden)]
pub mod examples;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod mechanism;
#[doc(hidden)]
pub mod referee;
#[doc(hidden)]
pub mod reference;
#[doc(hidden)]
pub mod simulation;
#[doc(hidden)]
pub mod step;
#[doc(hidden)]
pub mod stepper;

pub use mechanism::Mechanism;
pub use referee::Verdict;
pub use signorini_error::{Error, Result};
pub use signorini_geometry::hull::{Hull, HullFault};
pub use signorini_geometry::polytope::{Edge, Face};
pub use signorini_geometry::{ContactKind, PeriodicBox, Polytope, Pose, Shape, Touch, Velocity};
pub use signorini_ncp::solver::{ConicValue, LinearSolver, Phase, Residual, SolveStatus, Times};
pub use signorini_scene::scene::{
    Acceleration, Arch, Axis, Body, BodyBuilder, BodyId, BodyMotion, Compliance, Condition, Coordinate,
    Coupling, CouplingBuilder, Drive, Drum, Friction, FrictionTable, Helix, Hopper, ImpactLaw, Impulse,
    Inlet, InletBuilder, Joint, JointBuilder, JointCoordinate, JointKind, Material, Measure, MeasureBuilder,
    Mortar, Motion, Motor, Outlet, OutletBuilder, Part, PoseCourse, Restitution, Scene, SceneBuilder, Sensed,
    Sensor, SensorBuilder, SensorFrame, Spring, State, TimeFunction, TimedForce, Torsion, Trajectory,
};
pub use signorini_scene::settings::{
    AutoSettings, CompliantFriction, CompliantSettings, ConeMethod, ConeSettings, Formulation, Gyroscopic,
    Integrator, LcpMethod, LiteralBlock, LiteralRotation, LiteralSettings, SolverSettings,
    StewartTrinkleSettings, ThetaScheme,
};
pub use simulation::advice::Advice;
pub use simulation::{SavedState, Simulation, StepDerivatives, StepObserver, StepOutcome, Steps, Tape};
pub use step::{
    Acting, BodyState, BodyTangent, Change, ContactRecord, ContactState, FlowEvent, FlowRecord, JointRecord,
    PlaceTangent, SensorReading, Span, StepInfo, StepPhase, Substep, Switch,
};

pub use stepper::Obstacle;

/// The names that most programs need: `use signorini::prelude::*;`
pub mod prelude {
    pub use crate::{
        Axis, Body, BodyId, Coupling, Error, Formulation, Friction, Joint, Material, Motion, Pose, Result,
        Scene, Simulation, TimeFunction, Trajectory, Velocity,
    };
}

/// Scene files: TOML text to a [`Scene`] and back, models in MJCF and URDF, scenes that come with the crate.
/// The guide describes the formats, pages "scene files" and "MJCF and URDF".
pub mod files {
    pub use crate::examples::{Example, all as examples, find as example};
    pub use signorini_scene::robots::{ModelOptions, convert, convert_text, load, scene_text};
    pub use signorini_scene::scene::{LoadOptions, Loaded, Overrides, json_schema, parse, to_toml};
}

/// The contact problem of one step on its own, without scene, geometry and time: crate `signorini-ncp`.
pub mod ncp {
    pub use signorini_ncp::problem::{Cone, ContactLaw, ContactProblem, Linearization, Stiffness, Units};
    pub use signorini_ncp::solver::{Info, Iterate, Judge, LinearProblem, OwnMethod, SolveOptions, solve};
}

/// The README, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The guide's page on the Rust API, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/rust-api.md")]
pub struct RustApi;

/// The guide's page on derivatives, whose example is a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/derivatives.md")]
pub struct Derivatives;
