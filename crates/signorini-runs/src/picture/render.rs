//! Pixels of a picture and its file.

use super::camera::Camera;
use super::ray::{Hit, Ray};
use nalgebra::Vector3;
use rayon::prelude::*;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::{Scene, State};
use std::fs;
use std::path::Path;

/// Colours of bodies, distinct for colour-blind readers (Okabe and Ito), lightened.
const COLOURS: [[f64; 3]; 6] = [
    [0.34, 0.71, 0.91],
    [0.90, 0.62, 0.20],
    [0.25, 0.68, 0.55],
    [0.86, 0.45, 0.25],
    [0.80, 0.55, 0.70],
    [0.85, 0.80, 0.40],
];
const GROUND: [f64; 3] = [0.97, 0.97, 0.95];
const SKY: [f64; 3] = [1.0, 1.0, 1.0];
/// Direction of the light's source.
const LIGHT: [f64; 3] = [0.35, -0.5, 0.9];
/// Brightness of a surface in shadow.
const AMBIENT: f64 = 0.45;
/// Number of rays per pixel along each side.
const SAMPLES: u32 = 2;
/// Distance from the surface at which a shadow's ray starts, over the distance of the hit.
const OFF_SURFACE: f64 = 1e-6;

/// Picture of a state, drawn by [`Picture::save`].
///
/// Half-spaces are the ground and walls: they are drawn where they face the eye, and bodies cast shadows on
/// them.
#[derive(Debug, Clone)]
#[must_use = "nothing is drawn before `save`"]
pub struct Picture<'a> {
    scene: &'a Scene,
    state: &'a State,
    from: Vector3<f64>,
    size: (u32, u32),
}

struct DrawnPart<'a> {
    shape: &'a Shape,
    pose: Pose,
    colour: [f64; 3],
}

impl<'a> Picture<'a> {
    /// Makes a picture of the current state of a simulation.
    pub fn of(simulation: &'a Simulation) -> Self {
        Self::of_state(simulation.scene(), simulation.state())
    }

    /// Makes a picture of a state of a scene.
    pub fn of_state(scene: &'a Scene, state: &'a State) -> Self {
        Self { scene, state, from: Vector3::new(0.6, -1.0, 0.5), size: (900, 600) }
    }

    /// Sets width and height in pixels. Default 900 × 600.
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = (width.max(1), height.max(1));
        self
    }

    /// Sets the direction in which the eye is, world; z is upwards in the picture. Default (0.6, −1, 0.5).
    pub fn from(mut self, direction: impl Into<[f64; 3]>) -> Self {
        self.from = Vector3::from(direction.into());
        self
    }

    /// Draws the picture into a PNG file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let (width, height) = self.size;
        let file = signorini_figures::encode_png(width, height, &self.pixels());
        file.and_then(|file| fs::write(path, file))
            .map_err(|source| Error::Io { path: path.to_path_buf(), source })
    }

    /// Draws the picture: pixels in rows from the top, red, green and blue.
    pub fn pixels(&self) -> Vec<[u8; 3]> {
        let bodies = self.bodies();
        let balls: Vec<_> = bodies
            .iter()
            .map(|b| (b.pose.position, b.shape.bounding_radius()))
            .filter(|(_, radius)| radius.is_finite())
            .collect();
        let camera = Camera::around(&balls, self.from, self.size);
        let rows = (0..self.size.1).into_par_iter();
        rows.flat_map_iter(|y| (0..self.size.0).map(move |x| (x, y)))
            .map(|(x, y)| {
                let mut sum = [0.0; 3];
                for k in 0..SAMPLES * SAMPLES {
                    let shift = |k: u32| (f64::from(k) + 0.5) / f64::from(SAMPLES);
                    let ray =
                        camera.ray(f64::from(x) + shift(k % SAMPLES), f64::from(y) + shift(k / SAMPLES));
                    let colour = colour_of(&bodies, ray);
                    sum = [0, 1, 2].map(|i| sum[i] + colour[i]);
                }
                sum.map(|s| (255.0 * s / f64::from(SAMPLES * SAMPLES)).round().clamp(0.0, 255.0) as u8)
            })
            .collect()
    }

    fn bodies(&self) -> Vec<DrawnPart<'a>> {
        let listed = self.scene.bodies.iter().zip(&self.state.poses).enumerate();
        listed
            .flat_map(|(i, (body, pose))| {
                body.parts.iter().map(move |part| {
                    let is_plane = matches!(part.shape, Shape::HalfSpace { .. });
                    let colour = if is_plane { GROUND } else { COLOURS[i % COLOURS.len()] };
                    DrawnPart { shape: &part.shape, pose: pose.compose(&part.pose), colour }
                })
            })
            .collect()
    }
}

fn first_hit<'b>(bodies: &'b [DrawnPart<'_>], ray: Ray) -> Option<(Hit, &'b DrawnPart<'b>)> {
    let hits = bodies.iter().filter_map(|b| Some((ray.enters(b.shape, &b.pose)?, b)));
    hits.min_by(|(a, _), (b, _)| a.distance.total_cmp(&b.distance))
}

fn colour_of(bodies: &[DrawnPart<'_>], ray: Ray) -> [f64; 3] {
    let Some((hit, body)) = first_hit(bodies, ray) else { return SKY };
    let light = Vector3::from(LIGHT).normalize();
    let start = ray.at(hit.distance) + hit.normal * (OFF_SURFACE * hit.distance);
    let is_blocked = || {
        let towards = Ray { origin: start, direction: light };
        bodies
            .iter()
            .any(|b| b.shape.bounding_radius().is_finite() && towards.enters(b.shape, &b.pose).is_some())
    };
    let facing = hit.normal.dot(&light).max(0.0);
    let lit = if facing > 0.0 && !is_blocked() { facing } else { 0.0 };
    let brightness = AMBIENT + (1.0 - AMBIENT) * lit;
    body.colour.map(|c| (c * brightness).min(1.0))
}
