//! Scene files: TOML in, a validated [`Scene`](super::Scene) out, and back. The format is in docs/guide/scene-files.md.

mod bodies;
mod coordinates;
mod courses;
mod fill;
mod friction;
mod guard;
mod joints;
pub mod limits;
mod loads;
mod motions;
mod named;
mod options;
mod raw;
mod raw_joints;
mod read;
mod report;
mod resolve;
mod shapes;
mod simulation;
mod springs;
mod triangles;
mod write;

pub use options::{LoadOptions, Loaded, Overrides};
pub use read::{json_schema, load, parse};
pub(super) use report::Report;
pub(super) use resolve::resolve;
pub(super) use write::file_of;
pub use write::to_toml;
