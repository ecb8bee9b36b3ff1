//! Angle of a surface: of repose of a heap, or of a bed in a drum.
//!
//! The surface is cut into strips: rings about the vertical through the middle of a heap, or level strips
//! across a drum. The height of a strip is that of the highest point of the bodies whose centre of mass is in
//! it. A line is fitted through the heights at the middles of the strips (least squares); its slope is the
//! tangent of the angle.

use super::observed::Observed;
use super::value::{Value, numbers};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini_geometry::bounds::bounds;
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::measure::Profile;
use std::ops::RangeInclusive;

/// Part of the height of a heap over its base in which rings count: neither its foot nor its top is straight.
const FLANK: RangeInclusive<f64> = 0.2..=0.8;

/// Angles over an interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Angles {
    profile: Profile,
    /// Sum, least and most (rad), and of how many steps.
    sum: f64,
    least: f64,
    most: f64,
    steps: usize,
    /// Strips and height (m) of the last step.
    strips: usize,
    height: f64,
}

impl Angles {
    pub const COLUMNS: [&'static str; 5] = ["strips", "height", "angle", "least", "most"];

    /// The angles before any step.
    pub fn new(profile: Profile) -> Self {
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { profile, sum: 0.0, least, most, steps: 0, strips: 0, height: 0.0 }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        let points = surface(step, &self.profile);
        self.strips = points.len();
        self.height = points.iter().map(|p| p[1]).fold(0.0, f64::max);
        let Some(slope) = slope(&points) else { return };
        // A heap falls outwards.
        let angle = if self.profile.axis.is_some() { slope.atan() } else { (-slope).atan() };
        self.sum += angle;
        self.least = self.least.min(angle);
        self.most = self.most.max(angle);
        self.steps += 1;
    }

    /// The row of an interval.
    pub fn row(&mut self) -> Vec<Value> {
        let mut row = vec![Value::Count(self.strips), Value::Number(self.height)];
        let found = std::mem::replace(self, Self::new(self.profile.clone()));
        match found.steps {
            0 => row.extend([const { Value::Nothing }; 3]),
            n => row.extend(numbers([found.sum / n as f64, found.least, found.most])),
        }
        row
    }
}

/// Middle of each strip (m) and its height over the centre (m), of the strips that count.
fn surface(step: &Observed<'_>, profile: &Profile) -> Vec<[f64; 2]> {
    let up = -step.scene.gravity.normalize();
    let across = profile.axis.map(|axis| axis.cross(&up).normalize());
    let mut heights: Vec<Option<f64>> = vec![None; profile.strips];
    for (body, pose) in step.scene.bodies.iter().zip(&step.state.poses).filter(|(body, _)| !body.fixed) {
        let way = pose.position - profile.center;
        let s = match &across {
            Some(across) => 0.5 * (across.dot(&way) / profile.radius + 1.0),
            None => (way - up * up.dot(&way)).norm() / profile.radius,
        };
        if !(0.0..1.0).contains(&s) {
            continue;
        }
        let tops = body.parts.iter().map(|part| top(&part.shape, &pose.compose(&part.pose), &up));
        let height = tops.fold(f64::NEG_INFINITY, f64::max) - up.dot(&profile.center);
        let strip = &mut heights[((s * profile.strips as f64) as usize).min(profile.strips - 1)];
        *strip = Some(strip.map_or(height, |old| old.max(height)));
    }
    let highest = heights.iter().flatten().copied().fold(0.0, f64::max);
    let counts = |height: f64| across.is_some() || FLANK.contains(&(height / highest));
    let middle = |strip: usize| {
        let s = (strip as f64 + 0.5) / profile.strips as f64;
        profile.radius * if across.is_some() { 2.0 * s - 1.0 } else { s }
    };
    let strips = heights.iter().enumerate().filter_map(|(strip, height)| Some([middle(strip), (*height)?]));
    strips.filter(|[_, height]| counts(*height)).collect()
}

/// Height of the highest point of a part along a unit vector (m).
fn top(shape: &Shape, pose: &Pose, up: &Vector3<f64>) -> f64 {
    if let Shape::Ellipsoid { semi_axes } = shape {
        let own = pose.orientation.inverse() * up;
        return up.dot(&pose.position) + own.component_mul(semi_axes).norm();
    }
    // The box along the axes of a frame whose z is up.
    let turn = nalgebra::UnitQuaternion::rotation_between(up, &Vector3::z()).unwrap_or_default();
    let turned = Pose { position: turn * pose.position, orientation: turn * pose.orientation };
    bounds(shape, &turned).1.z
}

/// Slope of the line that fits points best, if there are two or more.
fn slope(points: &[[f64; 2]]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let square: f64 = points.iter().map(|p| (p[0] - x).powi(2)).sum();
    let product: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    (points.len() > 1 && square > 0.0).then(|| product / square)
}
