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
//!     let grain = Body::ellipsoid([0.08, 0.06, 0.05]).density(1500.0);
//!     scene.fill(12, grain, [-0.25, -0.25, 0.0], [0.25, 0.25, 0.6]);
//!     let brick = scene.body(Body::cuboid([0.1, 0.05, 0.03]).density(2000.0).at([0.0, 0.0, 0.8]));
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

// Code that only the command line calls is unused without the feature `cli`.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod error;

// Rooms are private. Tests, benches and fuzz targets see into them by the feature `internals`, which promises
// nothing.
#[cfg(not(feature = "internals"))]
mod audit;
#[cfg(not(feature = "internals"))]
mod backend;
#[cfg(not(feature = "internals"))]
mod checkpoint;
#[cfg(not(feature = "internals"))]
mod compare;
#[cfg(not(feature = "internals"))]
mod contact;
#[cfg(all(not(feature = "internals"), feature = "cli"))]
mod drops;
#[cfg(all(not(feature = "internals"), feature = "cli"))]
mod export;
#[cfg(not(feature = "internals"))]
mod geometry;
#[cfg(not(feature = "internals"))]
mod kernels;
#[cfg(not(feature = "internals"))]
mod linalg;
#[cfg(not(feature = "internals"))]
mod math;
#[cfg(not(feature = "internals"))]
mod measure;
#[cfg(not(feature = "internals"))]
mod output;
#[cfg(all(not(feature = "internals"), feature = "cli"))]
mod picture;
#[cfg(not(feature = "internals"))]
mod problem;
#[cfg(not(feature = "internals"))]
mod real;
#[cfg(not(feature = "internals"))]
mod referee;
#[cfg(not(feature = "internals"))]
mod reference;
#[cfg(not(feature = "internals"))]
mod robots;
#[cfg(not(feature = "internals"))]
mod scene;
#[cfg(not(feature = "internals"))]
mod settings;
#[cfg(not(feature = "internals"))]
mod simulation;
#[cfg(not(feature = "internals"))]
mod solver;
#[cfg(not(feature = "internals"))]
mod step;
#[cfg(not(feature = "internals"))]
mod stepper;
#[cfg(all(not(feature = "internals"), feature = "cli"))]
mod sweep;
#[cfg(not(feature = "internals"))]
mod threads;

#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod audit;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod backend;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod checkpoint;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod compare;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod contact;
#[cfg(all(feature = "internals", feature = "cli"))]
#[doc(hidden)]
pub mod drops;
#[cfg(all(feature = "internals", feature = "cli"))]
#[doc(hidden)]
pub mod export;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod geometry;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod kernels;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod linalg;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod math;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod measure;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod output;
#[cfg(all(feature = "internals", feature = "cli"))]
#[doc(hidden)]
pub mod picture;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod problem;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod real;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod referee;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod reference;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod robots;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod scene;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod settings;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod simulation;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod solver;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod step;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod stepper;
#[cfg(all(feature = "internals", feature = "cli"))]
#[doc(hidden)]
pub mod sweep;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod threads;

pub use error::{Error, Result};
pub use geometry::hull::{Hull, HullFault};
pub use geometry::polytope::{Edge, Face};
pub use geometry::{ContactKind, PeriodicBox, Polytope, Pose, Shape, Touch, Velocity};
#[cfg(feature = "cli")]
pub use picture::Picture;
pub use referee::Verdict;
pub use scene::{
    Axis, Body, BodyBuilder, BodyId, BodyMotion, Compliance, Condition, Coordinate, Course, Drive, Friction,
    FrictionTable, ImpactLaw, Impulse, Inlet, Joint, JointBuilder, JointKind, Material, Measure, Motion,
    Motor, Outlet, Part, Path, Restitution, Scene, SceneBuilder, Spring, State, TimedForce, Torsion,
};
pub use settings::{
    AutoSettings, CompliantFriction, CompliantSettings, ConeMethod, ConeSettings, Formulation, Gyroscopic,
    Integrator, LcpMethod, LinearSolver, LiteralBlock, LiteralRotation, LiteralSettings, Methods, Scheme,
    SolverSettings, StewartTrinkleSettings,
};
pub use simulation::advice::Advice;
pub use simulation::{SavedState, Simulation, StepObserver, StepOutcome, Steps};
pub use solver::{ConicValue, Phase, Residual, SolveStatus, Times};
pub use step::{
    Acting, BodyState, ContactRecord, ContactState, FlowEvent, FlowRecord, JointRecord, Span, StepInfo,
    StepPhase, Substep, Switch,
};

/// The items that most programs need: `use signorini::prelude::*;`
pub mod prelude {
    #[cfg(feature = "cli")]
    pub use crate::Picture;
    pub use crate::{
        Axis, Body, BodyId, Course, Error, Formulation, Friction, Joint, Material, Motion, Path, Pose,
        Result, Scene, Simulation, Velocity,
    };
}

/// Scene files: TOML text to a [`Scene`] and back, and models in MJCF and URDF. The guide describes the
/// formats, pages "scene files" and "MJCF and URDF".
pub mod files {
    pub use crate::robots::{ModelOptions, convert, load};
    pub use crate::scene::{LoadOptions, Loaded, Overrides, json_schema, parse, to_toml};
}

/// Runs on disk: the folder that a run writes, its figures, and the judgement of a finished run from its
/// files.
pub mod runs {
    pub use crate::audit::{AuditOptions, AuditReport, Worst, audit};
    #[cfg(feature = "cli")]
    pub use crate::export::{
        Film, GltfFile, Page, PageOptions, RunFiles, Surface, VtkFiles, VtkOptions, surfaces, write_csv,
        write_fclib, write_gltf, write_vtk,
    };
    #[cfg(feature = "cli")]
    pub use crate::output::plots::draw as draw_figures;
    pub use crate::output::summary::{DeviceSummary, RefereeSummary, TimeSplit};
    pub use crate::output::table::open_table;
    pub use crate::output::{
        ExitReason, FlowSummary, GateSummary, ResumedRun, RunFolder, Summary, TableFormat,
    };
}

/// The contact problem of one step on its own, without scene, geometry and time.
pub mod ncp {
    pub use crate::problem::{Cone, ContactLaw, ContactProblem, Linearization, Stiffness, Units};
    pub use crate::solver::{Info, Iterate, Judge, LinearProblem, Run, solve};
}

/// Frictional-contact problems given by matrices or in files of the FCLIB collection. The guide describes the
/// files, page "problems from files".
pub mod fclib {
    pub use crate::problem::fclib::{FileProblem as Problem, ReducedResidual, Triplets, read};
    pub use crate::solver::{Solved, solve_problem as solve};
}

/// The README, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The guide's page on the Rust API, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/rust-api.md")]
pub struct RustApi;
