//! Scene files: TOML in, a validated [`Scene`](super::Scene) out, and back. The format is in
//! docs/guide/scene-files.md.

mod bodies;
mod coordinates;
mod decompose;
mod exclude;
mod faults;
mod fill;
mod formats;
mod friction;
mod grains;
mod guard;
mod helix;
mod joint_frames;
mod joints;
pub mod limits;
mod loads;
mod measures;
pub mod mesh_bytes;
mod meshes;
mod motions;
mod motors;
mod named;
mod options;
mod part_overlaps;
mod part_properties;
mod parts;
mod periodic;
mod place;
mod ports;
mod raw;
mod raw_defaults;
mod raw_flow;
mod raw_friction;
mod raw_grains;
mod raw_joints;
mod raw_measures;
mod raw_shapes;
mod raw_walls;
mod read;
mod report;
mod resolve;
mod scene_folder;
mod shapes;
mod simulation;
mod springs;
mod start_from;
mod suggest;
mod surface;
mod time_functions;
mod triangles;
mod walls;
mod weight;
mod write;
mod write_shape;
mod written;

pub(super) use bodies::body as body_from;
pub(super) use coordinates::name_of;
pub(super) use friction::Materials;
pub use mesh_bytes::is_mesh;
pub use options::{LoadOptions, Loaded, Overrides};
pub(super) use periodic::check_bodies as check_periodic;
pub(super) use raw::{
    BodyEntry, ContainerEntry, ExcludeEntry, ForceEntry, ImpulseEntry, MaterialEntry, PartEntry,
    PeriodicEntry, SceneFile, SpringEntry,
};
pub(super) use raw_defaults::{DEFAULT_MATERIAL, no_rotation};
pub(super) use raw_friction::{FrictionEllipsoid, FrictionEntry};
pub(super) use raw_grains::{FillEntry, RegionEntry};
pub(super) use raw_joints::{JointEntry, JointType, MotionEntry, MotorEntry};
pub(super) use raw_shapes::{MeshConvex, ShapeEntry};
pub use read::{json_schema, load, parse};
pub(super) use report::Report;
pub(super) use resolve::resolve;
pub(super) use shapes::Meshes;
pub(super) use write::file_of;
pub use write::to_toml;
