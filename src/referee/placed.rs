//! Shapes placed at the end of the step, with their support functions and surfaces.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Polytope, Pose, Shape};
use std::sync::Arc;

/// An ellipsoid { center + R diag(a) y : |y| ≤ 1 } in the world.
#[derive(Debug, Clone, Copy)]
pub struct PlacedEllipsoid {
    /// Centre (m).
    pub center: Vector3<f64>,
    /// Rotation R from shape axes to world axes.
    pub rotation: Matrix3<f64>,
    /// Semi-axes a (m).
    pub semi_axes: Vector3<f64>,
}

/// Distance and normal of a point against a surface.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceAt {
    /// Signed distance of the point, exact on the surface and to second order near it (m).
    pub distance: f64,
    /// Outer unit normal of the level surface through the point.
    pub normal: Vector3<f64>,
}

/// A polytope in the world: corners and normals in world axes, the corners about the centre.
#[derive(Debug, Clone)]
pub struct PlacedPolytope {
    /// The polytope in its own frame.
    pub shape: Arc<Polytope>,
    /// Origin of the polytope (m).
    pub center: Vector3<f64>,
    /// Vertices relative to the centre (m).
    pub arms: Vec<Vector3<f64>>,
    /// Outer unit normals of the faces.
    pub normals: Vec<Vector3<f64>>,
}

/// A cylinder in the world.
#[derive(Debug, Clone, Copy)]
pub struct PlacedCylinder {
    /// Centre (m).
    pub center: Vector3<f64>,
    /// Unit vector along the axis.
    pub axis: Vector3<f64>,
    /// Radius (m).
    pub radius: f64,
    /// Half the length (m).
    pub half_length: f64,
}

/// A shape in the world.
#[derive(Debug, Clone)]
pub enum PlacedShape {
    /// A smooth body.
    Ellipsoid(PlacedEllipsoid),
    /// A body with flat faces.
    Polytope(PlacedPolytope),
    /// A body with two flat faces and a round side.
    Cylinder(PlacedCylinder),
    /// A capsule: the points within the radius of the line that the cylinder has as its axis.
    Capsule(PlacedCylinder),
    /// Half-space { x : normal·x ≤ offset }.
    HalfSpace {
        /// Outer unit normal.
        normal: Vector3<f64>,
        /// Value of normal·x on the plane (m).
        offset: f64,
    },
    /// The solid around a bore.
    Bore(PlacedBore),
}

/// The solid { x : distance of x from the axis ≥ radius } in the world.
#[derive(Debug, Clone, Copy)]
pub struct PlacedBore {
    /// A point of the axis (m).
    pub center: Vector3<f64>,
    /// Unit vector along the axis.
    pub axis: Vector3<f64>,
    /// Radius (m).
    pub radius: f64,
    /// Index of the point of other shapes that the part is for.
    pub corner: usize,
}

impl PlacedShape {
    /// Places `shape`, which has the pose `shape_pose` in a body at `pose`.
    pub fn new(shape: &Shape, shape_pose: &Pose, pose: &Pose) -> Self {
        let frame = pose.compose(shape_pose);
        match shape {
            Shape::Ellipsoid { semi_axes } => PlacedShape::Ellipsoid(PlacedEllipsoid {
                center: frame.position,
                rotation: frame.rotation(),
                semi_axes: *semi_axes,
            }),
            Shape::Polytope(polytope) => {
                let (arms, normals) = (Vec::new(), Vec::new());
                let mut corners =
                    PlacedPolytope { shape: polytope.clone(), center: frame.position, arms, normals };
                corners.turn(&frame.rotation());
                PlacedShape::Polytope(corners)
            }
            Shape::Cylinder { radius, half_length } => PlacedShape::Cylinder(PlacedCylinder {
                center: frame.position,
                axis: frame.orientation * Vector3::z(),
                radius: *radius,
                half_length: *half_length,
            }),
            Shape::Capsule { radius, half_length } => PlacedShape::Capsule(PlacedCylinder {
                center: frame.position,
                axis: frame.orientation * Vector3::z(),
                radius: *radius,
                half_length: *half_length,
            }),
            Shape::Bore { radius, corner } => PlacedShape::Bore(PlacedBore {
                center: frame.position,
                axis: frame.orientation * Vector3::z(),
                radius: *radius,
                corner: *corner,
            }),
            Shape::HalfSpace { normal, offset } => {
                let normal = frame.orientation * normal;
                PlacedShape::HalfSpace { normal, offset: offset + normal.dot(&frame.position) }
            }
        }
    }

    /// Places a shape in the memory of an earlier one.
    pub fn put(&mut self, shape: &Shape, shape_pose: &Pose, pose: &Pose) {
        match (&mut *self, shape) {
            (PlacedShape::Polytope(corners), Shape::Polytope(polytope))
                if Arc::ptr_eq(&corners.shape, polytope) =>
            {
                let frame = pose.compose(shape_pose);
                corners.center = frame.position;
                corners.turn(&frame.rotation());
            }
            _ => *self = Self::new(shape, shape_pose, pose),
        }
    }

    /// Moves the shape by a vector (m).
    pub fn displace(&mut self, way: &Vector3<f64>) {
        match self {
            PlacedShape::Ellipsoid(e) => e.center += way,
            PlacedShape::Polytope(p) => p.center += way,
            PlacedShape::Cylinder(c) | PlacedShape::Capsule(c) => c.center += way,
            PlacedShape::HalfSpace { normal, offset } => *offset += normal.dot(way),
            PlacedShape::Bore(bore) => bore.center += way,
        }
    }

    /// Origin of a bounded shape or a bore (m); None for a half-space.
    pub fn center(&self) -> Option<Vector3<f64>> {
        match self {
            PlacedShape::Ellipsoid(e) => Some(e.center),
            PlacedShape::Polytope(p) => Some(p.center),
            PlacedShape::Cylinder(c) | PlacedShape::Capsule(c) => Some(c.center),
            PlacedShape::HalfSpace { .. } => None,
            PlacedShape::Bore(bore) => Some(bore.center),
        }
    }

    /// Radius about the origin of a ball that holds the shape (m); infinite for a half-space.
    pub fn radius(&self) -> f64 {
        match self {
            PlacedShape::Ellipsoid(e) => e.semi_axes.max(),
            PlacedShape::Polytope(p) => p.shape.radius,
            PlacedShape::Cylinder(c) => c.radius.hypot(c.half_length),
            PlacedShape::Capsule(c) => c.radius + c.half_length,
            PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => f64::INFINITY,
        }
    }

    /// Support width h(n) of the shape from its origin along n (m, for unit n); infinite for a half-space.
    /// Of a bore the wall with the normal n is at minus the radius.
    pub fn support_width(&self, n: &Vector3<f64>) -> f64 {
        match self {
            PlacedShape::Ellipsoid(e) => e.support_width(n),
            PlacedShape::Polytope(p) => p.support_width(n),
            PlacedShape::Cylinder(c) => {
                let along = n.dot(&c.axis);
                c.radius * (n - c.axis * along).norm() + c.half_length * along.abs()
            }
            PlacedShape::Capsule(c) => c.radius * n.norm() + c.half_length * n.dot(&c.axis).abs(),
            PlacedShape::HalfSpace { .. } => f64::INFINITY,
            PlacedShape::Bore(bore) => -bore.radius,
        }
    }

    /// Point that is farthest along n, relative to the origin; zero for a half-space.
    pub fn arm(&self, n: &Vector3<f64>) -> Vector3<f64> {
        match self {
            PlacedShape::Ellipsoid(e) => e.support(n).1,
            PlacedShape::Polytope(p) => {
                let farther = |x: &Vector3<f64>, y: &Vector3<f64>| n.dot(x).total_cmp(&n.dot(y));
                p.arms.iter().copied().max_by(farther).unwrap_or_default()
            }
            PlacedShape::Cylinder(c) => {
                let along = n.dot(&c.axis);
                let out = (n - c.axis * along).try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
                out * c.radius + c.axis * c.half_length.copysign(along)
            }
            PlacedShape::Capsule(c) => {
                let out = n.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
                out * c.radius + c.axis * c.half_length.copysign(n.dot(&c.axis))
            }
            PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => Vector3::zeros(),
        }
    }

    /// Lowest and highest corner (m) of the box along the world axes that holds the shape.
    pub fn bounds(&self) -> (Vector3<f64>, Vector3<f64>) {
        match self {
            PlacedShape::Ellipsoid(e) => {
                let half = e.half_extents();
                (e.center - half, e.center + half)
            }
            PlacedShape::Polytope(p) => {
                let zero = (Vector3::zeros(), Vector3::zeros());
                let (low, high) = p.arms.iter().fold(zero, |(l, h), arm| (l.inf(arm), h.sup(arm)));
                (p.center + low, p.center + high)
            }
            PlacedShape::Cylinder(c) | PlacedShape::Capsule(c) => {
                let half = Vector3::from_fn(|i, _| self.support_width(&Vector3::ith(i, 1.0)));
                (c.center - half, c.center + half)
            }
            PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => {
                (Vector3::repeat(f64::NEG_INFINITY), Vector3::repeat(f64::INFINITY))
            }
        }
    }
}

impl PlacedPolytope {
    /// Turns corners and normals into world axes.
    fn turn(&mut self, rotation: &Matrix3<f64>) {
        self.arms.clear();
        self.arms.extend(self.shape.vertices.iter().map(|v| rotation * v));
        self.normals.clear();
        self.normals.extend(self.shape.faces.iter().map(|f| rotation * f.normal));
    }

    /// Distance of the farthest vertex along n from the centre (m).
    pub fn support_width(&self, n: &Vector3<f64>) -> f64 {
        self.arms.iter().map(|arm| n.dot(arm)).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl PlacedEllipsoid {
    /// Support width h(n) = |diag(a) Rᵀ n| of the ellipsoid from its centre along n (m, for unit n).
    pub fn support_width(&self, n: &Vector3<f64>) -> f64 {
        if let Some(radius) = self.radius() {
            return radius * n.norm();
        }
        self.rotation.tr_mul(n).component_mul(&self.semi_axes).norm()
    }

    /// Support width h(n) and the point that attains it, relative to the centre: s = R diag(a²) Rᵀ n / h.
    pub fn support(&self, n: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let scaled = self.rotation.tr_mul(n).component_mul(&self.semi_axes);
        let reach = scaled.norm();
        (reach, self.rotation * scaled.component_mul(&self.semi_axes) / reach)
    }

    /// Radius of a sphere (m); None for other ellipsoids.
    pub fn radius(&self) -> Option<f64> {
        let a = &self.semi_axes;
        (a.x == a.y && a.y == a.z).then_some(a.x)
    }

    /// Matrix R diag(a²) Rᵀ.
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

    /// Distance f/|∇f| and normal ∇f/|∇f| of a point by the implicit function f(x) = |diag(1/a) Rᵀ (x − c)| −
    /// 1.
    pub fn surface_at(&self, point: &Vector3<f64>) -> SurfaceAt {
        let y = self.rotation.tr_mul(&(point - self.center)).component_div(&self.semi_axes);
        let level = y.norm();
        let gradient = self.rotation * y.component_div(&self.semi_axes);
        let steepness = gradient.norm();
        if level == 0.0 || steepness == 0.0 {
            return SurfaceAt { distance: -self.semi_axes.min(), normal: Vector3::zeros() };
        }
        SurfaceAt { distance: (level - 1.0) * level / steepness, normal: gradient / steepness }
    }
}

/// Separation g(n) = n·(c_B − c_A) − h_A(n) − h_B(−n) (m) of two bounded shapes along the unit vector n from
/// A to B. A lower bound of the signed gap for any n. NaN for a half-space.
pub fn separation_along(a: &PlacedShape, b: &PlacedShape, n: &Vector3<f64>) -> f64 {
    let (Some(p), Some(q)) = (a.center(), b.center()) else { return f64::NAN };
    n.dot(&(q - p)) - a.support_width(n) - b.support_width(&-n)
}
