//! A smooth convex inequality of a body.

use super::scalar::constant;
use nalgebra::Vector3;
use signorini_geometry::Shape;
use signorini_kernels::real::Real;

/// Inequality f(ξ) ≤ 0 in the shape frame, in metres, with |∇f| = 1 on the surface (about 1 on an ellipsoid).
#[derive(Debug, Clone)]
pub(super) enum Facet {
    /// Half-space, f = n·ξ − offset.
    Plane {
        /// Outer unit normal.
        normal: Vector3<f64>,
        /// Offset n·ξ of the plane (m).
        offset: f64,
    },
    /// Ellipsoid, f = ½ ℓ (Σ ξ_i²/a_i² − 1), ℓ the mean semi-axis.
    Ellipsoid {
        /// Weights ℓ / a_i² (1/m).
        weights: Vector3<f64>,
        /// Mean semi-axis ℓ (m).
        size: f64,
    },
    /// Capsule, f = (|ξ − c|² − r²)/(2 r), c the point of its line that is nearest to ξ.
    Capsule {
        /// Radius r (m).
        radius: f64,
        /// Half the length of the line (m).
        half_length: f64,
    },
    /// Side of a cylinder, f = (ξ_x² + ξ_y² − r²)/(2 r).
    Side {
        /// Radius r (m).
        radius: f64,
    },
}

impl Facet {
    /// Returns the facets of a shape: one of an ellipsoid, a capsule or a half-space, the faces of a
    /// polytope, side and caps of a cylinder.
    pub fn all(shape: &Shape) -> Vec<Facet> {
        match shape {
            Shape::Ellipsoid { semi_axes } => {
                let size = semi_axes.mean();
                vec![Facet::Ellipsoid { weights: semi_axes.map(|a| size / (a * a)), size }]
            }
            Shape::Bore { .. } => Vec::new(),
            Shape::Capsule { radius, half_length } => {
                vec![Facet::Capsule { radius: *radius, half_length: *half_length }]
            }
            Shape::HalfSpace { normal, offset } => vec![Facet::Plane { normal: *normal, offset: *offset }],
            Shape::Polytope(p) => {
                p.faces.iter().map(|f| Facet::Plane { normal: f.normal, offset: f.offset }).collect()
            }
            Shape::Cylinder { radius, half_length } => {
                let cap = |normal| Facet::Plane { normal, offset: *half_length };
                vec![Facet::Side { radius: *radius }, cap(Vector3::z()), cap(-Vector3::z())]
            }
        }
    }

    /// Value f(ξ) (m).
    pub fn value<T: Real>(&self, xi: &Vector3<T>) -> T {
        match self {
            Facet::Plane { normal, offset } => constant::<T>(normal).dot(xi) - T::of(*offset),
            Facet::Ellipsoid { weights, size } => {
                let q = xi.component_mul(&constant(weights)).dot(xi);
                (q - T::of(*size)) * T::of(0.5)
            }
            Facet::Capsule { radius, half_length } => {
                let out = off_line(xi, *half_length);
                (out.dot(&out) - T::of(radius * radius)) * T::of(0.5 / radius)
            }
            Facet::Side { radius } => {
                (xi.x * xi.x + xi.y * xi.y - T::of(radius * radius)) * T::of(0.5 / radius)
            }
        }
    }

    /// Gradient ∇f(ξ).
    pub fn gradient<T: Real>(&self, xi: &Vector3<T>) -> Vector3<T> {
        match self {
            Facet::Plane { normal, .. } => constant(normal),
            Facet::Ellipsoid { weights, .. } => xi.component_mul(&constant(weights)),
            Facet::Capsule { radius, half_length } => off_line(xi, *half_length) * T::of(1.0 / radius),
            Facet::Side { radius } => Vector3::new(xi.x, xi.y, T::zero()) * T::of(1.0 / radius),
        }
    }

    /// Directions, in the shape frame, along which a touching region on this facet cannot extend at ξ: the
    /// normal of a plane, all directions across the axis for the side of a cylinder or a capsule, every
    /// direction for an ellipsoid.
    pub fn across(&self, xi: &Vector3<f64>) -> Vec<Vector3<f64>> {
        match self {
            Facet::Plane { .. } => vec![self.gradient(xi)],
            Facet::Side { .. } => vec![Vector3::x(), Vector3::y()],
            Facet::Capsule { half_length, .. } if xi.z.abs() < *half_length => {
                vec![Vector3::x(), Vector3::y()]
            }
            Facet::Ellipsoid { .. } | Facet::Capsule { .. } => vec![Vector3::x(), Vector3::y(), Vector3::z()],
        }
    }
}

/// Way to ξ from the nearest point of the line of this half length along z.
fn off_line<T: Real>(xi: &Vector3<T>, half_length: f64) -> Vector3<T> {
    let half = T::of(half_length);
    let beyond = if xi.z > half {
        xi.z - half
    } else if xi.z < -half {
        xi.z + half
    } else {
        T::zero()
    };
    Vector3::new(xi.x, xi.y, beyond)
}
