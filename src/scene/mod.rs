//! WHAT exists, as plain data: a validated scene in SI units, and the state that moves.
//!
//! [`Scene`] is the resolved scene (fills generated, defaults filled in, everything validated).
//! Fields are public and plain; whoever builds one by hand calls [`Scene::validate`].

pub mod assemble;
pub mod body;
pub mod file;
pub mod friction;
pub mod joint;
pub mod load;
pub mod motion;
pub mod nearby;
pub mod overlap;
pub mod packing;
pub mod spring;
pub mod start;
pub mod state;

pub use body::Body;
pub use file::{LoadOptions, Loaded, Overrides, json_schema, load, parse, to_toml};
pub use friction::{Friction, FrictionTable};
pub use joint::{Axis, Coordinate, Joint, JointKind, Motor};
pub use load::{Condition, ContactKind, Impulse, TimedForce};
pub use motion::{BodyMotion, Course, Motion, Path};
pub use spring::{Compliance, Spring};
pub use state::State;

use crate::settings::SolverSettings;
use nalgebra::Vector3;

/// Everything a run needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Time step h (s, > 0).
    pub time_step: f64,
    /// Simulated time (s, ≥ h); the run makes round(duration / h) steps.
    pub duration: f64,
    /// Gravity (m/s²), world.
    pub gravity: Vector3<f64>,
    /// Seed of every generator in the scene and of the solver's restarts.
    pub seed: u64,
    /// How steps are solved.
    pub solver: SolverSettings,
    /// The bodies; index = body id everywhere.
    pub bodies: Vec<Body>,
    /// Friction between materials; `Body::material` indexes it.
    pub friction: FrictionTable,
    /// Impulses applied once.
    pub impulses: Vec<Impulse>,
    /// Forces applied during a time window.
    pub forces: Vec<TimedForce>,
    /// Springs between bodies.
    pub springs: Vec<Spring>,
    /// Joints between bodies.
    pub joints: Vec<Joint>,
    /// Prescribed motions of bodies, which are `fixed`.
    pub motions: Vec<BodyMotion>,
    /// How soft each material is, by index; a material beyond the end is rigid.
    pub compliance: Vec<Compliance>,
}

impl Scene {
    /// Number of time steps of the run.
    pub fn n_steps(&self) -> usize {
        (self.duration / self.time_step).round() as usize
    }

    /// The state at time 0.
    pub fn initial_state(&self) -> State {
        State {
            poses: self.bodies.iter().map(|b| b.pose).collect(),
            velocities: self.bodies.iter().map(|b| b.velocity).collect(),
        }
    }
}
