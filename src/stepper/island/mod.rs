//! One island: what is solved on its own, in parallel with the others.

mod best;
mod bodies;
mod box_batch;
mod closeness;
mod cohesion;
pub mod halved;
pub mod impact;
pub(super) mod island_set;
mod joint_rows;
mod linearize;
mod linearize_on_device;
mod memory;
mod on_device;
pub(super) mod pair_batch;
pub(super) mod pair_rows;
mod pair_source;
mod placed_island;
pub mod problem;
pub(super) mod records;
mod refresh;
mod residual;
mod rolling_rows;
pub mod settings;
pub mod solve;
mod struck;
mod tame;
mod units;
