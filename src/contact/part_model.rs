//! Parts of bodies with the data that contact needs: prepared once per run, and placed at a pose of the body.

use crate::contact::shared_features::SharedFeatures;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::exposure::Exposed;
use signorini_geometry::{Pose, Shape, Velocity};
use signorini_kernels::smooth_pair::Ellipsoid;
use signorini_scene::scene::Part;

/// Rounding of the corners of a box, as a fraction of the radius of the ball that they are on.
const BALL_ROUNDING: f64 = 1e-9;

/// Start and factor of keys of placements: odd, with bits spread evenly.
const KEY_START: u64 = 0x9e37_79b9_7f4a_7c15;
const KEY_FACTOR: u64 = 0x517c_c1b7_2722_0a95;

/// Key of the position and rotation of a body: equal for equal ones, for others only by chance.
pub fn place_key(position: &Vector3<f64>, rotation: &Matrix3<f64>) -> u64 {
    let numbers = position.iter().chain(rotation.iter());
    numbers.fold(KEY_START, |key, x| joined_key(key, x.to_bits()))
}

/// Key of the places of two bodies, by their keys; never 0.
pub fn placement_key([a, b]: [u64; 2]) -> u64 {
    joined_key(a, b) | 1
}

fn joined_key(key: u64, next: u64) -> u64 {
    (key.rotate_left(5) ^ next).wrapping_mul(KEY_FACTOR)
}

/// The few numbers of a part that passes over all pairs read: they stay in a cache, where whole parts do not.
#[derive(Debug, Clone, Copy)]
pub struct PartBrief {
    /// Size (m), 0 for shapes without one.
    pub size: f64,
    /// Least width (m), infinite for a half-space.
    pub width: f64,
    /// Whether the part is a half-space.
    pub is_plane: bool,
    /// Whether the part has neither edges nor corners: two such parts meet at one point, on one facet of
    /// each.
    pub is_round: bool,
}

impl PartBrief {
    /// The smaller size of two parts (m); one without a size does not count.
    pub fn smaller_size(&self, other: &Self) -> f64 {
        [self.size, other.size].into_iter().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min)
    }
}

/// A part of a body as contact sees it. A body of one shape is one part.
#[derive(Debug, Clone)]
pub struct PartModel {
    /// Body that the part belongs to.
    pub body: usize,
    /// Index among the body's parts.
    pub index: usize,
    /// Shape in the shape frame.
    pub shape: Shape,
    /// Pose of the shape frame in the body frame.
    pub shape_pose: Pose,
    /// Rotation of `shape_pose`.
    pub shape_rotation: Matrix3<f64>,
    /// Radius about the body's centre of mass of a ball that holds the part (m).
    pub radius: f64,
    /// Size (m), 0 for shapes without one.
    pub size: f64,
    /// Least width (m), infinite for a half-space.
    pub width: f64,
    /// Material index.
    pub material: usize,
    /// Motion of the surface over the body, axes of the body, about its centre of mass.
    pub surface: Option<Velocity>,
    /// Half extents of a box along the axes of the shape frame (m).
    pub half_extents: Option<Vector3<f64>>,
    /// Region of each face, or of each cap, that other parts of the body leave free; empty: all.
    pub exposed: Exposed,
    /// Corners and edges that an earlier part of the body has, too.
    pub shared: SharedFeatures,
}

impl PartModel {
    /// Makes part `index` of body `id`.
    pub fn new(id: usize, index: usize, part: &Part) -> Self {
        Self {
            body: id,
            index,
            shape: part.shape.clone(),
            shape_pose: part.pose,
            shape_rotation: part.pose.rotation(),
            radius: part.bounding_radius(),
            size: part.shape.size().unwrap_or(0.0),
            width: part.shape.least_width(),
            material: part.material,
            surface: part.surface,
            half_extents: match &part.shape {
                Shape::Polytope(polytope) => polytope.half_extents(),
                _ => None,
            },
            exposed: Exposed::default(),
            shared: SharedFeatures::default(),
        }
    }

    /// Whether the part has no motion of its surface, and no other part of its body next to it.
    pub fn is_bare(&self) -> bool {
        self.surface.is_none() && self.exposed.faces.is_empty()
    }

    /// World normal and offset of a half-space: { x : n·x ≤ offset }. None for other shapes.
    pub fn plane(&self, pose: &Pose) -> Option<(Vector3<f64>, f64)> {
        let Shape::HalfSpace { normal, offset } = &self.shape else { return None };
        let frame = pose.compose(&self.shape_pose);
        let n = frame.orientation * normal;
        Some((n, offset + n.dot(&frame.position)))
    }

    /// The smaller size of two parts (m); one without a size does not count.
    pub fn smaller_size(&self, other: &PartModel) -> f64 {
        self.brief().smaller_size(&other.brief())
    }

    /// Brief of the part.
    pub fn brief(&self) -> PartBrief {
        let is_plane = matches!(self.shape, Shape::HalfSpace { .. });
        let is_round = is_plane || self.shape.is_ellipsoid();
        PartBrief { size: self.size, width: self.width, is_plane, is_round }
    }

    /// Support width of the placed part from the body's centre of mass along a unit direction (m).
    pub fn support_width(&self, moved: &MovedPart, direction: &Vector3<f64>) -> f64 {
        let origin = direction.dot(&moved.shape_origin);
        match &self.shape {
            Shape::Ellipsoid { .. } => origin + moved.ellipsoid.support(direction).0,
            Shape::HalfSpace { .. } => f64::INFINITY,
            // Of its wall, along a normal of it.
            Shape::Bore { radius, .. } => origin - radius,
            Shape::Polytope(polytope) => {
                let local = moved.shape_rotation.tr_mul(direction);
                let reach = match &self.half_extents {
                    // The sum equals that of the farthest corner to the last bit: no corner's rounded sum
                    // exceeds it.
                    Some(half) => local.abs().dot(half),
                    None => local.dot(&polytope.vertices[polytope.support(&local)]),
                };
                origin + reach
            }
            Shape::Cylinder { radius, half_length } => {
                // The form √(1 − cos²) would be wrong by 1e-8 along the axis.
                let axis: Vector3<f64> = moved.shape_rotation.column(2).into();
                origin + half_length * direction.dot(&axis).abs() + radius * direction.cross(&axis).norm()
            }
            Shape::Capsule { radius, half_length } => {
                let axis: Vector3<f64> = moved.shape_rotation.column(2).into();
                origin + half_length * direction.dot(&axis).abs() + radius
            }
        }
    }

    /// The lowest n·x over the placed part (m).
    pub fn lowest(&self, moved: &MovedPart, n: &Vector3<f64>) -> f64 {
        n.dot(&moved.position) - self.support_width(moved, &-n)
    }
}

/// A part of a body at a pose, with the data that all its pairs share.
#[derive(Debug, Clone, Copy)]
pub struct MovedPart {
    /// The body's centre of mass (m).
    pub position: Vector3<f64>,
    /// Rotation matrix of the body.
    pub rotation: Matrix3<f64>,
    /// Ellipsoid in world axes, centre relative to the centre of mass; of other bounded shapes the ball that
    /// holds them, zero for a half-space.
    pub ellipsoid: Ellipsoid<f64>,
    /// Plane of a half-space in world axes: (normal, offset).
    pub plane: Option<(Vector3<f64>, f64)>,
    /// Rotation matrix of the shape frame.
    pub shape_rotation: Matrix3<f64>,
    /// Origin of the shape frame relative to the centre of mass, world axes (m).
    pub shape_origin: Vector3<f64>,
    /// Motion of the surface over the body, world axes, about its centre of mass.
    pub surface: Option<Velocity>,
}

impl MovedPart {
    /// Places a part whose body is at a pose.
    pub fn new(model: &PartModel, pose: &Pose) -> Self {
        Self { plane: model.plane(pose), ..Self::of_bounded(model, pose.position, pose.rotation()) }
    }

    /// Places a bounded part whose body has its centre of mass at a position (m), and a rotation.
    pub fn of_bounded(model: &PartModel, position: Vector3<f64>, rotation: Matrix3<f64>) -> Self {
        let ellipsoid = match &model.shape {
            Shape::Ellipsoid { semi_axes } => Ellipsoid::new(
                rotation * model.shape_pose.position,
                &(rotation * model.shape_rotation),
                semi_axes,
            ),
            Shape::HalfSpace { .. } => {
                Ellipsoid { center: Vector3::zeros(), q: Matrix3::zeros(), disc: None, root: None }
            }
            Shape::Bore { .. } => Ellipsoid {
                center: rotation * model.shape_pose.position,
                q: Matrix3::from_diagonal_element(f64::INFINITY),
                disc: None,
                root: None,
            },
            // Polytopes, cylinders and capsules have their ball, for the broad phase.
            Shape::Polytope(_) | Shape::Cylinder { .. } | Shape::Capsule { .. } => Ellipsoid::new(
                rotation * model.shape_pose.position,
                &rotation,
                &Vector3::repeat(model.shape.bounding_radius()),
            ),
        };
        Self {
            position,
            rotation,
            ellipsoid,
            plane: None,
            shape_rotation: rotation * model.shape_rotation,
            shape_origin: rotation * model.shape_pose.position,
            surface: model.surface.map(|surface| surface.rotated(&rotation)),
        }
    }

    /// Radius of the ball that holds a polytope, cylinder or capsule (m); infinite for a half-space.
    pub fn ball_radius(&self) -> f64 {
        if self.plane.is_some() { f64::INFINITY } else { self.ellipsoid.q[(0, 0)].sqrt() }
    }

    /// Vector from a point outside the ball that holds the part back to the ball (m), zero inside; `arm` is
    /// from the body's centre of mass.
    pub fn way_back(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        let (from_center, radius) = (arm - self.shape_origin, self.ball_radius());
        let distance = from_center.norm();
        if distance <= radius * (1.0 + BALL_ROUNDING) {
            return Vector3::zeros();
        }
        from_center * (radius / distance - 1.0)
    }

    /// Velocity of the surface where the body moves with `velocity`: slip is measured with it.
    pub fn passing(&self, velocity: Velocity) -> Velocity {
        self.surface.map_or(velocity, |surface| velocity + surface)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use signorini_geometry::Polytope;
    use std::sync::Arc;

    /// Half extents save the search over the corners and change no bit.
    #[test]
    fn a_box_reaches_as_far_as_its_corners() {
        let half = Vector3::new(0.5, 0.3, 0.1);
        let part = Part::new(Shape::Polytope(Arc::new(Polytope::box_(half))));
        let known = PartModel::new(0, 0, &part);
        assert_eq!(known.half_extents, Some(half));
        let unknown = PartModel { half_extents: None, ..known.clone() };
        for k in 0..2000 {
            let k = f64::from(k);
            let spin = Vector3::new((1.7 * k).sin(), (2.3 * k).cos(), (0.9 * k).sin()) * 2.0;
            let orientation = UnitQuaternion::from_scaled_axis(spin * f64::from(u8::from(k % 5.0 > 0.0)));
            let pose = Pose { position: Vector3::new(0.1, 0.2, k), orientation };
            let moved = MovedPart::new(&known, &pose);
            let way = Vector3::new((3.1 * k).cos(), (1.3 * k).sin(), (0.7 * k).cos());
            let way = if k % 3.0 > 0.0 { way.normalize() } else { Vector3::ith(k as usize % 9 / 3, 1.0) };
            assert_eq!(known.support_width(&moved, &way), unknown.support_width(&moved, &way), "{k}");
        }
    }
}
