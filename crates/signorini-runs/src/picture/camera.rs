//! Rays of the pixels.

use super::ray::Ray;
use nalgebra::Vector3;

/// Orthographic view.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    /// Point in the middle of the picture (m).
    center: Vector3<f64>,
    /// Unit vector to the right in the picture.
    right: Vector3<f64>,
    /// Unit vector up in the picture.
    up: Vector3<f64>,
    /// Unit vector into the picture.
    sight: Vector3<f64>,
    /// Size of a pixel (m).
    scale: f64,
    /// Distance before `center` at which rays start (m).
    distance: f64,
    size: (u32, u32),
}

impl Camera {
    /// Makes a view from the direction `from` that just holds balls (centre, radius), z upwards.
    pub fn around(balls: &[(Vector3<f64>, f64)], from: Vector3<f64>, size: (u32, u32)) -> Self {
        let sight = -from.try_normalize(1e-9).unwrap_or_else(Vector3::x);
        let right = sight.cross(&Vector3::z()).try_normalize(1e-9).unwrap_or_else(Vector3::x);
        let up = right.cross(&sight);
        // A twelfth of the picture is free on each side.
        let margin = 1.2;
        let along = |axis: &Vector3<f64>| {
            let ends = balls.iter().map(|(c, r)| (c.dot(axis) - r, c.dot(axis) + r));
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (a, b)| (l.min(a), h.max(b)))
        };
        let spans = [right, up, sight].map(|axis| if balls.is_empty() { (-1.0, 1.0) } else { along(&axis) });
        let [x, y, z] = spans.map(|(low, high)| (low + high) / 2.0);
        let length = |(low, high): (f64, f64), pixels: u32| margin * (high - low) / f64::from(pixels.max(1));
        let scale = length(spans[0], size.0).max(length(spans[1], size.1)).max(f64::MIN_POSITIVE);
        let distance = 2.0 * (spans[2].1 - spans[2].0) + scale * f64::from(size.0.max(size.1));
        Self { center: right * x + up * y + sight * z, right, up, sight, scale, distance, size }
    }

    /// Returns the ray of a point of the picture, in pixels from its upper left corner.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        let across = (x - f64::from(self.size.0) / 2.0) * self.scale;
        let down = (y - f64::from(self.size.1) / 2.0) * self.scale;
        let origin = self.center + self.right * across - self.up * down - self.sight * self.distance;
        Ray { origin, direction: self.sight }
    }
}
