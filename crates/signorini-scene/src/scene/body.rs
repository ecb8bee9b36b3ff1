//! One rigid body of the scene.

use nalgebra::{Matrix3, Vector3, Vector6};
use signorini_geometry::bounds::bounds;
use signorini_geometry::flight::tensor;
use signorini_geometry::{Polytope, Pose, Shape, Surface, Velocity};
use std::sync::Arc;

/// Id of a body of a scene or a simulation.
///
/// In a scene the id is the place in [`Scene::bodies`](super::Scene::bodies). A simulation that starts from
/// the scene keeps these ids. A body that is added gets the next number that was never used, and the id of a
/// removed body is not used again: an id means one body as long as the simulation lives, whatever is added
/// and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct BodyId(usize);

impl BodyId {
    /// The id of a number.
    pub fn new(number: usize) -> Self {
        Self(number)
    }

    /// The number: in a scene, the place in [`Scene::bodies`](super::Scene::bodies).
    pub fn index(self) -> usize {
        self.0
    }
}

/// A convex part of a body.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Part {
    /// Shape in the shape frame.
    pub shape: Shape,
    /// Pose of the shape frame in the body frame (an off-centre mass is a shape off the origin).
    pub pose: Pose,
    /// Index of the material in the friction table.
    pub material: usize,
    /// How its surface runs over the body, as that of a belt: with v_s + ω_s × ξ at ξ, axes of the body,
    /// about its origin. None: not at all.
    pub surface: Option<Velocity>,
}

impl Part {
    /// A shape at the origin of the body, of the first material.
    pub fn new(shape: Shape) -> Self {
        Self { shape, pose: Pose::identity(), material: 0, surface: None }
    }

    /// Radius about the body's origin of a ball that holds the part (m), infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        self.pose.position.norm() + self.shape.bounding_radius()
    }
}

/// A rigid body: the union of its parts. Its origin is the centre of mass.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Its parts, at least one. Only a fixed body may have half-spaces.
    pub parts: Vec<Part>,
    /// The surface whose cells the parts are, one for each triangle, in their order. None of other bodies.
    #[serde(default, with = "shared")]
    pub triangles: Option<Arc<Surface>>,
    /// Mass (kg, > 0). Irrelevant when `fixed`.
    pub mass: f64,
    /// Inertia tensor about the centre of mass, body frame (kg m²), symmetric positive definite.
    pub inertia: Matrix3<f64>,
    /// Pose at time 0, world.
    pub pose: Pose,
    /// Velocity at time 0, world.
    pub velocity: Velocity,
    /// A fixed body never moves (its velocity is zero).
    pub fixed: bool,
    /// Constant applied force (N), world, at the centre of mass.
    pub force: Vector3<f64>,
    /// Constant applied torque (N m), world.
    pub torque: Vector3<f64>,
}

impl Body {
    /// A length that says how big the body is (m): that of its shape ([`Shape::size`]); of several parts the
    /// mean half extent of the box along the body's axes that holds them. None for half-spaces alone.
    pub fn size(&self) -> Option<f64> {
        if let [part] = self.parts.as_slice() {
            return part.shape.size();
        }
        let bounded = self.parts.iter().filter(|part| part.shape.size().is_some());
        let (low, high) = bounded.map(|part| bounds(&part.shape, &part.pose)).reduce(union)?;
        Some(0.5 * (high - low).mean())
    }

    /// Semi-axes of an ellipsoid, or half extents of a box (m). None for other shapes and several parts.
    pub fn sizes(&self) -> Option<Vector3<f64>> {
        match self.parts.as_slice() {
            [Part { shape: Shape::Ellipsoid { semi_axes }, .. }] => Some(*semi_axes),
            [Part { shape: Shape::Polytope(polytope), .. }] => polytope.half_extents(),
            _ => None,
        }
    }

    /// Gives a body that has [`Self::sizes`] others (m); the mass and the inertia stay.
    pub fn resize(&mut self, sizes: Vector3<f64>) {
        for part in &mut self.parts {
            part.shape = match part.shape {
                Shape::Ellipsoid { .. } => Shape::Ellipsoid { semi_axes: sizes },
                _ => Shape::Polytope(Arc::new(Polytope::box_(sizes))),
            };
        }
    }

    /// Adds components xx, yy, zz, xy, xz, yz to the inertia (kg m²).
    pub fn add_inertia(&mut self, components: &Vector6<f64>) {
        self.inertia += tensor(components);
    }

    /// Radius about the origin of a ball that holds the body (m), infinite where it has a half-space.
    pub fn bounding_radius(&self) -> f64 {
        self.parts.iter().map(Part::bounding_radius).fold(0.0, f64::max)
    }

    /// Whether one of its parts is a half-space.
    pub fn has_half_space(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.shape, Shape::HalfSpace { .. }))
    }

    /// Whether it is the solid around a bore.
    pub fn is_bore(&self) -> bool {
        self.parts.first().is_some_and(|part| matches!(part.shape, Shape::Bore { .. }))
    }

    /// Materials of its parts, ascending, each once.
    pub fn materials(&self) -> Vec<usize> {
        let mut materials: Vec<usize> = self.parts.iter().map(|part| part.material).collect();
        materials.sort_unstable();
        materials.dedup();
        materials
    }

    /// The word for the kind of its shape, "compound" for several parts, "surface" for one of triangles.
    pub fn kind(&self) -> &'static str {
        match self.parts.as_slice() {
            _ if self.triangles.is_some() => "surface",
            [part, ..] if self.is_bore() => part.shape.kind(),
            [part] => part.shape.kind(),
            _ => "compound",
        }
    }
}

pub(super) fn union(
    (low, high): (Vector3<f64>, Vector3<f64>),
    (l, h): (Vector3<f64>, Vector3<f64>),
) -> (Vector3<f64>, Vector3<f64>) {
    (low.inf(&l), high.sup(&h))
}

/// A shared surface is written as if it were not shared.
mod shared {
    use super::{Arc, Surface};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(surface: &Option<Arc<Surface>>, to: S) -> Result<S::Ok, S::Error> {
        surface.as_deref().serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Arc<Surface>>, D::Error> {
        Ok(Option::deserialize(from)?.map(Arc::new))
    }
}
