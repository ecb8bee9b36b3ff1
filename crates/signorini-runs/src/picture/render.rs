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

/// Colours of bodies, those of the page: distinct for colour-blind readers (Okabe and Ito).
const COLOURS: [[f64; 3]; 8] = [
    [0.34, 0.71, 0.91],
    [0.90, 0.62, 0.00],
    [0.00, 0.62, 0.45],
    [0.84, 0.37, 0.00],
    [0.80, 0.47, 0.65],
    [0.94, 0.82, 0.25],
    [0.00, 0.45, 0.70],
    [0.48, 0.42, 0.69],
];
/// Colour of what is fixed or carried.
const FIXED: [f64; 3] = [0.67, 0.67, 0.67];
const GROUND: [f64; 3] = [0.97, 0.97, 0.95];
const SKY: [f64; 3] = [1.0, 1.0, 1.0];
/// Direction of the light's source.
const LIGHT: [f64; 3] = [0.35, -0.5, 0.9];
/// How far the source reaches to each side over its distance: edges of shadows are soft.
const LIGHT_WIDTH: f64 = 0.05;
/// Brightness of a level surface in shadow, and of one that faces the ground.
const AMBIENT: f64 = 0.6;
const FROM_GROUND: f64 = 0.46;
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
                    // Each ray of a pixel has another point of the source.
                    let side = |k: u32| LIGHT_WIDTH * (2.0 * shift(k) - 1.0);
                    let source =
                        Vector3::from(LIGHT) + Vector3::new(side(k % SAMPLES), side(k / SAMPLES), 0.0);
                    let colour = colour_of(&bodies, ray, &source.normalize());
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
                    let colour = match (is_plane, body.fixed) {
                        (true, _) => GROUND,
                        (false, true) => FIXED,
                        (false, false) => COLOURS[i % COLOURS.len()],
                    };
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

fn colour_of(bodies: &[DrawnPart<'_>], ray: Ray, light: &Vector3<f64>) -> [f64; 3] {
    let Some((hit, body)) = first_hit(bodies, ray) else { return SKY };
    let start = ray.at(hit.distance) + hit.normal * (OFF_SURFACE * hit.distance);
    let is_blocked = || {
        let towards = Ray { origin: start, direction: *light };
        bodies
            .iter()
            .any(|b| b.shape.bounding_radius().is_finite() && towards.enters(b.shape, &b.pose).is_some())
    };
    let facing = hit.normal.dot(light).max(0.0);
    let lit = if facing > 0.0 && !is_blocked() { facing } else { 0.0 };
    let ambient = FROM_GROUND + (AMBIENT - FROM_GROUND) * (1.0 + hit.normal.z) / 2.0;
    let brightness = ambient + (1.0 - AMBIENT) * lit;
    body.colour.map(|c| (c * brightness).min(1.0))
}
