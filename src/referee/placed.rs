//! Shapes where they stand at the end of the step, and what a direction or a point says about them.

use crate::geometry::{Pose, Shape};
use nalgebra::{Matrix3, Vector3};

/// An ellipsoid { center + R diag(a) y : |y| ≤ 1 } in the world.
#[derive(Debug, Clone, Copy)]
pub struct Ellipsoid {
    /// Centre (m).
    pub center: Vector3<f64>,
    /// R: shape axes to world axes.
    pub rotation: Matrix3<f64>,
    /// Semi-axes a (m).
    pub semi_axes: Vector3<f64>,
}

/// A point against a surface.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// Signed distance of the point, exact on the surface and to second order near it (m).
    pub distance: f64,
    /// Outer unit normal of the level surface through the point.
    pub normal: Vector3<f64>,
}

/// A shape in the world.
#[derive(Debug, Clone, Copy)]
pub enum Placed {
    /// A bounded body.
    Ellipsoid(Ellipsoid),
    /// { x : normal·x ≤ offset }.
    HalfSpace {
        /// Outer unit normal.
        normal: Vector3<f64>,
        /// normal·x on the plane (m).
        offset: f64,
    },
}

impl Placed {
    /// `shape`, which sits at `shape_pose` in a body at `pose`.
    pub fn new(shape: &Shape, shape_pose: &Pose, pose: &Pose) -> Self {
        let frame = pose.compose(shape_pose);
        match shape {
            Shape::Ellipsoid { semi_axes } => Placed::Ellipsoid(Ellipsoid {
                center: frame.position,
                rotation: frame.rotation(),
                semi_axes: *semi_axes,
            }),
            Shape::Polytope(_) | Shape::Cylinder { .. } => Placed::Ellipsoid(Ellipsoid {
                center: frame.position,
                rotation: frame.rotation(),
                semi_axes: Vector3::repeat(shape.bounding_radius()),
            }),
            Shape::HalfSpace { normal, offset } => {
                let normal = frame.orientation * normal;
                Placed::HalfSpace { normal, offset: offset + normal.dot(&frame.position) }
            }
        }
    }

    /// Where `point` lies relative to the surface.
    pub fn surface_at(&self, point: &Vector3<f64>) -> Surface {
        match self {
            Placed::Ellipsoid(e) => e.surface_at(point),
            Placed::HalfSpace { normal, offset } => {
                Surface { distance: normal.dot(point) - offset, normal: *normal }
            }
        }
    }

    /// Largest normal curvature of the surface, max a / (min a)² (1/m).
    pub fn largest_curvature(&self) -> f64 {
        match self {
            Placed::Ellipsoid(e) => e.semi_axes.max() / e.semi_axes.min().powi(2),
            Placed::HalfSpace { .. } => 0.0,
        }
    }
}

impl Ellipsoid {
    /// How far the ellipsoid reaches from its centre along n: h(n) = |diag(a) Rᵀ n| (m, for unit n).
    pub fn reach(&self, n: &Vector3<f64>) -> f64 {
        self.rotation.tr_mul(n).component_mul(&self.semi_axes).norm()
    }

    /// h(n) and the point that attains it, relative to the centre: s = R diag(a²) Rᵀ n / h.
    pub fn support(&self, n: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let scaled = self.rotation.tr_mul(n).component_mul(&self.semi_axes);
        let reach = scaled.norm();
        (reach, self.rotation * scaled.component_mul(&self.semi_axes) / reach)
    }

    /// R diag(a²) Rᵀ.
    pub fn matrix(&self) -> Matrix3<f64> {
        let stretched = self.rotation * Matrix3::from_diagonal(&self.semi_axes);
        stretched * stretched.transpose()
    }

    /// Half extents of the axis-aligned box.
    pub fn half_extents(&self) -> Vector3<f64> {
        let r = &self.rotation;
        let a2 = self.semi_axes.component_mul(&self.semi_axes);
        (r.component_mul(r) * a2).map(f64::sqrt)
    }

    /// From the implicit function f(x) = |diag(1/a) Rᵀ (x − c)| − 1: distance f/|∇f|, normal ∇f/|∇f|.
    pub fn surface_at(&self, point: &Vector3<f64>) -> Surface {
        let y = self.rotation.tr_mul(&(point - self.center)).component_div(&self.semi_axes);
        let level = y.norm();
        let gradient = self.rotation * y.component_div(&self.semi_axes);
        let steepness = gradient.norm();
        if level == 0.0 || steepness == 0.0 {
            return Surface { distance: -self.semi_axes.min(), normal: Vector3::zeros() };
        }
        Surface { distance: (level - 1.0) * level / steepness, normal: gradient / steepness }
    }
}
