//! Drop tests: a body falls many times from random orientations, and the poses in which it rests are counted.

mod drop;
mod figure;
mod mesh;
mod portrait;
mod poses;
mod rest;
mod test;

pub use drop::DropRow;
pub use figure::draw_poses;
pub use mesh::scene_of_mesh;
pub use poses::{PoseRow, Poses};
pub use test::{DropTest, RandomStart};
