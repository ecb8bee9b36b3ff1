//! Drop tests: a body falls many times from random orientations, and what it comes to rest on is counted.

mod drop;
mod figure;
mod mesh;
mod poses;
mod rest;
mod test;

pub use drop::DropRow;
pub use figure::draw_poses;
pub use mesh::scene_of_mesh;
pub use poses::{PoseRow, Poses};
pub use test::{DropTest, Throw};
