//! Scene files: TOML in, a validated [`Scene`](super::Scene) out, and back. The format is in
//! docs/guide/scene-files.md.

mod beside;
mod bodies;
mod coordinates;
mod courses;
mod faults;
mod fill;
mod friction;
mod guard;
mod joint_frames;
mod joints;
pub mod limits;
mod loads;
mod motions;
mod named;
mod options;
mod parts;
mod place;
mod raw;
mod raw_joints;
mod read;
mod report;
mod resolve;
mod shapes;
mod simulation;
mod springs;
mod start_from;
mod suggest;
mod triangles;
mod weight;
mod write;
mod written;

pub(super) use bodies::body as body_from;
pub(super) use coordinates::name_of;
pub(super) use courses::course_of;
pub(super) use friction::Materials;
pub use options::{LoadOptions, Loaded, Overrides};
pub(super) use raw::{
    BodyEntry, ContainerEntry, DEFAULT_MATERIAL, FillEntry, ForceEntry, FrictionEllipsoid, FrictionEntry,
    ImpulseEntry, MaterialEntry, PartEntry, RegionEntry, SceneFile, ShapeEntry, SpringEntry, no_rotation,
};
pub(super) use raw_joints::{JointEntry, JointType, MotionEntry, MotorEntry};
pub use read::{json_schema, load, parse};
pub(super) use report::Report;
pub(super) use resolve::resolve;
pub(super) use shapes::Meshes;
pub(super) use write::file_of;
pub use write::to_toml;
