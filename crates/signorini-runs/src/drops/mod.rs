//! Drop tests: a body falls many times from random orientations, and the poses in which it rests are counted.

mod drop;
mod figure;
mod files;
mod mesh;
mod portrait;
mod poses;
mod rest;
mod series;
mod test;

pub use drop::DropRow;
pub use files::DropFiles;
pub use mesh::scene_of_file;
pub use poses::{PoseRow, wilson};
pub use series::DropSeries;
pub use test::{DropTest, RandomStart};
