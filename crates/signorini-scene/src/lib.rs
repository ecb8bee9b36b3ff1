//! Scenes as plain data: bodies, joints, materials, settings and loads, with their files, generators and
//! overlap checks; checkpoints; models in MJCF and URDF.

pub mod checkpoint;
pub mod robots;
pub mod scene;
pub mod settings;
