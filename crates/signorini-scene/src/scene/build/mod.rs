//! Scenes built in Rust: [`Scene::builder`](super::Scene::builder), and the bodies, joints and materials it
//! takes.
//!
//! A builder collects what a scene file would hold, and [`SceneBuilder::build`] resolves it by the code that
//! resolves files. So both have one set of rules, defaults and messages, and a built scene can be written to
//! a file.

mod body_builder;
mod coupling_builder;
mod inlet_builder;
mod joint_builder;
mod material;
mod measure_builder;
mod outlet_builder;
mod scene_builder;
mod sensor_builder;
#[cfg(test)]
mod tests;
mod wall_shapes;

pub use body_builder::{BodyBuilder, resolve_body};
pub use coupling_builder::CouplingBuilder;
pub use inlet_builder::InletBuilder;
pub use joint_builder::JointBuilder;
pub use material::Material;
pub use measure_builder::MeasureBuilder;
pub use outlet_builder::OutletBuilder;
pub use scene_builder::SceneBuilder;
pub use sensor_builder::SensorBuilder;
pub use wall_shapes::{Arch, Drum, Helix, Hopper};
