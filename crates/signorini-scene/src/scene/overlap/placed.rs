//! A shape at a place, and the gap between two.

use nalgebra::{Matrix3, Matrix3x2, Vector3};
use signorini_geometry::{Pose, Shape};

/// A shape in the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Placed {
    /// { c + Q^½ u : |u| ≤ 1 }.
    Ellipsoid {
        /// Centre c (m).
        center: Vector3<f64>,
        /// Q = R diag(a²) Rᵀ (m²).
        square: Matrix3<f64>,
        /// Principal directions (columns of R).
        axes: Matrix3<f64>,
        /// Largest semi-axis (m).
        radius: f64,
    },
    /// { x : normal·x ≤ offset }.
    HalfSpace {
        /// Outer unit normal.
        normal: Vector3<f64>,
        /// Offset of the plane along the normal (m).
        offset: f64,
    },
    /// The solid around a bore.
    Bore {
        /// A point of the axis (m).
        center: Vector3<f64>,
        /// Unit vector along the axis.
        axis: Vector3<f64>,
        /// Radius (m).
        radius: f64,
    },
    /// A polytope or a cylinder, all lengths multiplied by a factor.
    Other {
        /// The shape as it is at factor 1.
        shape: Shape,
        /// The factor.
        scale: f64,
        /// Origin of the shape frame (m).
        center: Vector3<f64>,
        /// Shape axes to world axes.
        axes: Matrix3<f64>,
        /// Radius about `center` of a ball that holds it (m).
        radius: f64,
    },
}

/// Signed distance between two placed shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Signed distance (m), > 0 apart.
    pub distance: f64,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
}

impl Placed {
    /// `shape` at `pose` (the pose of the shape frame in the world).
    pub fn new(shape: &Shape, pose: &Pose) -> Self {
        Self::at_scale(shape, 1.0, pose)
    }

    /// `shape` with all lengths multiplied by `scale`, at `pose`.
    pub fn at_scale(shape: &Shape, scale: f64, pose: &Pose) -> Self {
        let axes = pose.rotation();
        match shape {
            Shape::Ellipsoid { semi_axes } => {
                let semi_axes = semi_axes * scale;
                let square = axes * Matrix3::from_diagonal(&semi_axes.component_mul(&semi_axes));
                let square = square * axes.transpose();
                Placed::Ellipsoid { center: pose.position, square, axes, radius: semi_axes.max() }
            }
            Shape::HalfSpace { normal, offset } => {
                let normal = pose.orientation * normal;
                Placed::HalfSpace { normal, offset: scale * offset + normal.dot(&pose.position) }
            }
            Shape::Bore { radius, .. } => {
                let axis = axes.column(2).into();
                Placed::Bore { center: pose.position, axis, radius: scale * radius }
            }
            Shape::Polytope(_) | Shape::Cylinder { .. } | Shape::Capsule { .. } => Placed::Other {
                radius: scale * shape.bounding_radius(),
                shape: shape.clone(),
                scale,
                center: pose.position,
                axes,
            },
        }
    }

    /// The shape moved by a way (m).
    pub fn moved(&self, way: &Vector3<f64>) -> Self {
        let mut moved = self.clone();
        match &mut moved {
            Placed::Ellipsoid { center, .. } | Placed::Bore { center, .. } | Placed::Other { center, .. } => {
                *center += way;
            }
            Placed::HalfSpace { normal, offset } => *offset += normal.dot(way),
        }
        moved
    }

    /// Extent of a bounded shape from its centre against and along the world axes: the box that just holds it
    /// runs from centre − the first to centre + the second. None for a half-space.
    pub fn reach(&self) -> Option<[Vector3<f64>; 2]> {
        match self {
            Placed::Ellipsoid { square, .. } => Some([square.diagonal().map(f64::sqrt); 2]),
            Placed::HalfSpace { .. } | Placed::Bore { .. } => None,
            Placed::Other { .. } => {
                let along = |sign: f64| {
                    Vector3::from_fn(|i, _| {
                        self.arm(&(Vector3::ith(i, 1.0) * sign)).map_or(0.0, |p| sign * p[i])
                    })
                };
                Some([along(-1.0), along(1.0)])
            }
        }
    }

    /// Centre of a bounded shape (of a polytope, its centre of mass); None for a half-space.
    pub fn center(&self) -> Option<Vector3<f64>> {
        match self {
            Placed::Ellipsoid { center, .. } | Placed::Other { center, .. } => Some(*center),
            Placed::HalfSpace { .. } | Placed::Bore { .. } => None,
        }
    }

    /// Centre and radius of a ball that holds the shape; None for a half-space.
    pub fn ball(&self) -> Option<(Vector3<f64>, f64)> {
        match self {
            Placed::Ellipsoid { center, radius, .. } | Placed::Other { center, radius, .. } => {
                Some((*center, *radius))
            }
            Placed::HalfSpace { .. } | Placed::Bore { .. } => None,
        }
    }

    /// The point of a bounded shape that is farthest along `direction`, relative to its centre.
    pub fn arm(&self, direction: &Vector3<f64>) -> Option<Vector3<f64>> {
        match self {
            Placed::Ellipsoid { square, .. } => Some(support(square, direction).1),
            Placed::HalfSpace { .. } | Placed::Bore { .. } => None,
            Placed::Other { shape, scale, axes, .. } => {
                let local = axes.tr_mul(direction);
                let point = match shape {
                    Shape::Polytope(polytope) => polytope.vertices[polytope.support(&local)],
                    Shape::Cylinder { radius, half_length } => {
                        let across = Vector3::new(local.x, local.y, 0.0);
                        let rim = across.try_normalize(f64::MIN_POSITIVE).unwrap_or_default() * *radius;
                        rim + Vector3::z() * half_length.copysign(local.z)
                    }
                    Shape::Capsule { radius, half_length } => {
                        let out = local.try_normalize(f64::MIN_POSITIVE).unwrap_or_default() * *radius;
                        out + Vector3::z() * half_length.copysign(local.z)
                    }
                    Shape::Ellipsoid { .. } | Shape::HalfSpace { .. } | Shape::Bore { .. } => {
                        Vector3::zeros()
                    }
                };
                Some(axes * (point * *scale))
            }
        }
    }
}

/// h(n) and the support point relative to the centre, s = Q n / h.
pub(super) fn support(square: &Matrix3<f64>, normal: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let image = square * normal;
    let height = normal.dot(&image).max(0.0).sqrt();
    (height, image / height.max(f64::MIN_POSITIVE))
}

/// Two unit vectors that complete `n` to an orthonormal frame.
pub(super) fn tangents_of(n: &Vector3<f64>) -> Matrix3x2<f64> {
    let axis = if n.z.abs() < 0.6 { Vector3::z() } else { Vector3::x() };
    let t = n.cross(&axis).normalize();
    Matrix3x2::from_columns(&[t, n.cross(&t)])
}
