//! The form of a body that a generator makes: one convex shape, or several parts.

use super::body::{Body, Part, union};
use super::overlap::Placed;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use signorini_geometry::bounds::bounds;
use signorini_geometry::mass_properties::{inertia, volume};
use signorini_geometry::{Pose, Shape, Velocity};

/// Difference of volumes that is rounding, relative.
const SAME_VOLUME: f64 = 1e-9;

/// Form of a body: its parts about their common centre of mass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// The parts, with the poses of their frames.
    parts: Vec<(Shape, Pose)>,
    /// Volume (m³), and inertia tensor at a density of 1 kg/m³ (m⁵), of a form of several parts.
    weight: Option<(f64, Matrix3<f64>)>,
}

impl Form {
    /// A form of one convex shape.
    pub fn convex(shape: Shape) -> Self {
        Self { parts: vec![(shape, Pose::identity())], weight: None }
    }

    /// A form of parts about their centre of mass, with their volume (m³) and their inertia tensor at a
    /// density of 1 kg/m³ (m⁵).
    pub fn several(parts: Vec<(Shape, Pose)>, volume: f64, inertia: Matrix3<f64>) -> Self {
        Self { parts, weight: Some((volume, inertia)) }
    }

    /// The parts.
    pub fn parts(&self) -> &[(Shape, Pose)] {
        &self.parts
    }

    /// The only shape, of a form of one part at the origin.
    pub fn only(&self) -> Option<&Shape> {
        match (self.parts.as_slice(), self.weight) {
            ([(shape, _)], None) => Some(shape),
            _ => None,
        }
    }

    /// The form with all lengths times a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        // A form of unchanged size shares its shapes.
        if factor == 1.0 {
            return self.clone();
        }
        let one = |(shape, pose): &(Shape, Pose)| {
            (shape.scaled(factor), Pose { position: pose.position * factor, ..*pose })
        };
        let weight = self.weight.map(|(volume, inertia)| (volume * factor.powi(3), inertia * factor.powi(5)));
        Self { parts: self.parts.iter().map(one).collect(), weight }
    }

    /// Volume and inertia tensor at a density of 1 kg/m³ (m⁵), of parts whose volumes together are another:
    /// they overlap.
    pub fn overlapping_weight(&self) -> Option<(f64, Matrix3<f64>)> {
        let summed: f64 = self.parts.iter().filter_map(|(shape, _)| volume(shape)).sum();
        self.weight.filter(|(volume, _)| (summed - volume).abs() > SAME_VOLUME * summed)
    }

    /// Volume (m³).
    pub fn volume(&self) -> Option<f64> {
        self.only().map_or(self.weight.map(|(volume, _)| volume), volume)
    }

    /// Corners of the box along the axes of the form that holds it (m).
    pub fn bounds(&self) -> (Vector3<f64>, Vector3<f64>) {
        let of_parts = self.parts.iter().map(|(shape, pose)| bounds(shape, pose));
        of_parts.reduce(union).unwrap_or_default()
    }

    /// A length that says how big the form is (m), as [`Body::size`].
    pub fn size(&self) -> Option<f64> {
        let (low, high) = self.bounds();
        self.only().map_or_else(|| Some(0.5 * (high - low).mean()), Shape::size)
    }

    /// Radius about the centre of mass of a ball that holds the form (m).
    pub fn bounding_radius(&self) -> f64 {
        let radius = |(shape, pose): &(Shape, Pose)| pose.position.norm() + shape.bounding_radius();
        self.parts.iter().map(radius).fold(0.0, f64::max)
    }

    /// The parts where the form is at a pose.
    pub fn placed(&self, pose: &Pose) -> Vec<Placed> {
        self.placed_at(1.0, pose)
    }

    /// The parts where the form is at a pose, with all lengths times a factor.
    pub fn placed_at(&self, scale: f64, pose: &Pose) -> Vec<Placed> {
        let part = |(shape, own): &(Shape, Pose)| {
            let own = Pose { position: own.position * scale, ..*own };
            Placed::at_scale(shape, scale, &pose.compose(&own))
        };
        self.parts.iter().map(part).collect()
    }

    /// Extent of the form from its centre of mass against and along the world axes at a pose about the
    /// origin. None for a half-space.
    pub fn reach(&self, pose: &Pose) -> Option<[Vector3<f64>; 2]> {
        Self::reach_of(&self.placed(pose))
    }

    /// Extent of parts about the origin against and along the world axes. None for a half-space.
    pub fn reach_of(parts: &[Placed]) -> Option<[Vector3<f64>; 2]> {
        let of_part = |part: &Placed| {
            let ([below, above], center) = (part.reach()?, part.center()?);
            Some([below - center, above + center])
        };
        let both = |a: [Vector3<f64>; 2], b: [Vector3<f64>; 2]| [a[0].sup(&b[0]), a[1].sup(&b[1])];
        let all: Option<Vec<_>> = parts.iter().map(of_part).collect();
        all?.into_iter().reduce(both)
    }

    /// The body at a pose, of a density (kg/m³), a material and with a velocity.
    pub fn body(
        &self,
        (name, density): (String, f64),
        material: usize,
        (pose, velocity): (Pose, Velocity),
    ) -> Body {
        let mass = density * self.volume().unwrap_or(0.0);
        let inertia = match self.only() {
            Some(shape) => inertia(shape, mass).unwrap_or_default(),
            None => self.weight.map_or_else(Matrix3::zeros, |(_, inertia)| inertia * density),
        };
        let part = |(shape, pose): &(Shape, Pose)| Part { pose: *pose, material, ..Part::new(shape.clone()) };
        Body {
            name,
            inertia,
            parts: self.parts.iter().map(part).collect(),
            triangles: None,
            mass,
            pose,
            velocity,
            fixed: false,
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
        }
    }
}
