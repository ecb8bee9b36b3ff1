//! Scenes as plain data: a validated scene in SI units, and the state that moves.
//!
//! [`Scene`] is the resolved scene (fills generated, defaults filled in, everything validated).
//! Fields are public and plain; whoever builds one by hand calls [`Scene::validate`].

pub mod acceleration;
pub mod assemble;
pub mod body;
mod bores;
mod build;
pub mod cells;
pub mod coupling;
pub mod definition;
pub mod effective_mass;
pub mod energy;
pub mod file;
mod follow;
pub mod form;
pub mod friction;
pub mod grains;
pub mod inlet;
pub mod joint;
pub mod load;
pub mod measure;
pub mod mortar;
mod mortar_faces;
pub mod motion;
pub mod nearby;
pub mod outlet;
pub mod overlap;
pub mod packing;
pub mod pose_course;
pub mod region;
mod remove;
pub mod resting;
pub mod sensor;
pub mod servo;
pub mod spring;
pub mod start;
pub mod state;
pub mod time_function;
pub mod tube;
mod validate;

pub use acceleration::Acceleration;
pub use body::{Body, BodyId, Part};
pub use build::{
    Arch, BodyBuilder, CouplingBuilder, Drum, Helix, Hopper, InletBuilder, JointBuilder, Material,
    MeasureBuilder, OutletBuilder, SceneBuilder, SensorBuilder, resolve_body,
};
pub use coupling::{Coupling, JointCoordinate};
pub use definition::Scene;
pub use file::is_mesh;
pub use file::limits::LONGEST_FILE;
pub use file::{
    LoadOptions, Loaded, Overrides, Renamed, current_path, json_schema, load, nearest, parse, to_toml,
};
pub use friction::{Friction, FrictionTable, ImpactLaw, Restitution, Torsion};
pub use inlet::Inlet;
pub use joint::{Axis, Control, Coordinate, Drive, Joint, JointKind, Motor};
pub use load::{Condition, Impulse, TimedForce};
pub use measure::Measure;
pub use mortar::{Mortar, MortarFace};
pub use motion::{BodyMotion, Motion, Trajectory};
pub use outlet::Outlet;
pub use pose_course::PoseCourse;
pub use sensor::{Sensed, Sensor, SensorFrame};
pub use servo::{Servo, Width};
pub use signorini_geometry::ContactKind;
pub use spring::{Compliance, Spring};
pub use state::State;
pub use time_function::TimeFunction;
