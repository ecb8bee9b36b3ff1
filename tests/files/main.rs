//! Scene files and meshes: their meaning, and the messages with which they are refused.

mod bad_input;
mod body_tables;
mod courses;
mod damaged;
mod decomposed;
mod excluded;
mod hollow_cylinders;
mod regions;
mod robot_couplings;
mod robot_meshes;
mod robot_motors;
mod robot_notes;
mod robot_pairs;
mod robot_tendons;
mod robots;
mod scene_files;
mod shapes;
mod surfaces;
mod walls;
