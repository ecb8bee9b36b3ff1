//! Picture of a state: bodies seen from one side, shaded, with the shadows that they cast.
//!
//! Every pixel sends a ray along the direction of sight (parallel for all pixels, so that lengths can be
//! compared all over the picture) into the bodies; the nearest hit gives the colour.

mod camera;
mod ray;
mod render;

pub use render::Picture;
