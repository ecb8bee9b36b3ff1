//! Picture of a state: bodies seen from one side, shaded, with the shadows that they cast.
//!
//! The module draws the state of a simulation in memory, also where no browser is: for Python, its Gymnasium
//! environment, and programs in Rust. The commands `picture` and `movie` draw finished runs instead, in every
//! look of the page of `view`, and need Chromium for that. Neither can stand in for the other: an environment
//! that learns draws a state at every step where no browser is; arrows, chains, glass and films are those of
//! the page.
//!
//! Every pixel sends a ray along the direction of sight (parallel for all pixels, so that lengths can be
//! compared all over the picture) into the bodies; the nearest hit gives the colour.

mod camera;
mod ray;
mod render;

pub use render::Picture;
