//! Scene files and meshes: what is read, what it means, and what is refused with which message.

mod bad_input;
mod damaged;
mod decomposed;
mod excluded;
mod robots;
mod scene_files;
mod shapes;
mod surfaces;
mod walls;
