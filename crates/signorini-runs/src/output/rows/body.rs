//! `bodies.csv`.

use super::cell_text;
use serde::{Deserialize, Serialize};
use signorini_scene::scene::{Scene, State};
use std::borrow::Cow;

/// A row of `bodies.csv`: pose of the body frame (origin: centre of mass) and velocity at the end of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct BodyRow<'a> {
    pub step: usize,
    pub time: f64,
    #[serde(with = "cell_text")]
    pub body: Cow<'a, str>,
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub qw: f64,
    pub qx: f64,
    pub qy: f64,
    pub qz: f64,
    pub vx: f64,
    pub vy: f64,
    pub vz: f64,
    pub wx: f64,
    pub wy: f64,
    pub wz: f64,
    // Columns of a periodic box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrapped_x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrapped_y: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrapped_z: Option<f64>,
}

impl<'a> BodyRow<'a> {
    /// Columns behind the others in the table of a periodic scene.
    pub const OF_IMAGES: [&'static str; 3] = ["wrapped_x", "wrapped_y", "wrapped_z"];

    /// Header of `bodies.csv`.
    pub const COLUMNS: [&'static str; 16] =
        ["step", "time", "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];

    /// Header of the table of a scene.
    pub fn columns_of(scene: &Scene) -> Vec<&'static str> {
        let of_images = if scene.periodic.is_some() { &Self::OF_IMAGES[..] } else { &[] };
        Self::COLUMNS.iter().chain(of_images).copied().collect()
    }

    /// Makes the row of body `i` in `state`.
    pub fn new(scene: &'a Scene, state: &State, i: usize, step: usize, time: f64) -> Self {
        let (pose, velocity) = (&state.poses[i], &state.velocities[i]);
        let q = pose.orientation.quaternion();
        let wrapped = scene.periodic.map(|periodic| periodic.wrapped(&pose.position));
        Self {
            step,
            time,
            body: Cow::Borrowed(&scene.bodies[i].name),
            x: pose.position.x,
            y: pose.position.y,
            z: pose.position.z,
            qw: q.w,
            qx: q.i,
            qy: q.j,
            qz: q.k,
            vx: velocity.linear.x,
            vy: velocity.linear.y,
            vz: velocity.linear.z,
            wx: velocity.angular.x,
            wy: velocity.angular.y,
            wz: velocity.angular.z,
            wrapped_x: wrapped.map(|place| place.x),
            wrapped_y: wrapped.map(|place| place.y),
            wrapped_z: wrapped.map(|place| place.z),
        }
    }
}
