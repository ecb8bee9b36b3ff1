//! Bodies and containers, from the file's tables to [`Body`].

use super::decompose::is_several;
use super::friction::Materials;
use super::part_properties::{PartProperties, surface};
use super::parts::{self, Solid};
use super::place::entry;
use super::raw::{BodyEntry, ContainerEntry};
use super::raw_shapes::ShapeEntry;
use super::report::{Check, Report};
use super::shapes::{self, Meshes};
use super::surface::{self as surfaces, Triangulated};
use super::weight::{MassProperties, mass_and_inertia};
use crate::scene::body::{Body, Part};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Pose, Shape, Velocity};

/// The body of one `[[body]]`.
pub fn body(
    index: usize,
    e: &BodyEntry,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Body {
    body_at(entry("body", index, &e.name), e, materials, meshes, report)
}

/// A body that messages call `place`.
pub fn body_at(
    place: String,
    e: &BodyEntry,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Body {
    let mut check = report.at(place);
    check.name("name", &e.name);
    let made = made_of(e, materials, meshes, &mut check);
    let parts: Vec<Part> = match &made {
        BodyParts::One(part) => vec![part.clone()],
        BodyParts::Several(solids) => solids.iter().flat_map(|solid| solid.parts.iter().cloned()).collect(),
        BodyParts::Triangles(made) => made.parts.clone(),
    };
    let is_half_space = |part: &Part| matches!(part.shape, Shape::HalfSpace { .. });
    let is_bore = matches!(e.shape, Some(ShapeEntry::Bore { .. }));
    // A refused surface, for which another shape stands, counts too.
    let is_surface = e.parts.is_empty() && matches!(e.shape, Some(ShapeEntry::Surface { .. }));
    let fixed = e.fixed.unwrap_or(is_surface || is_bore || parts.iter().any(is_half_space));
    let velocity = Velocity {
        linear: check.vector("velocity", e.velocity),
        angular: check.vector("angular_velocity", e.angular_velocity),
    };
    let (force, torque) = (check.load("force", e.force), check.load("torque", e.torque));
    if parts.iter().all(is_half_space) {
        weightless_rules(e, fixed, "a half-space", &mut check);
    }
    if is_bore {
        weightless_rules(e, fixed, "a bore", &mut check);
    }
    if is_surface {
        weightless_rules(e, fixed, "a surface", &mut check);
    }
    if fixed {
        refuse_motion(&[velocity.linear, velocity.angular, force, torque], &mut check);
    }
    let pose = Pose {
        position: check.vector("position", e.position),
        orientation: check.quaternion("orientation", e.orientation),
    };
    let own = match &made {
        BodyParts::One(part) => {
            let (mass, inertia) = mass_and_inertia(e, &part.shape, &part.pose, fixed, &mut check);
            MassProperties { mass, inertia, center: Vector3::zeros() }
        }
        BodyParts::Several(solids) => parts::mass_properties(e, solids, fixed, &mut check),
        BodyParts::Triangles(_) => {
            MassProperties { mass: 0.0, inertia: Matrix3::zeros(), center: Vector3::zeros() }
        }
    };
    let to_center = |part: Part| Part {
        pose: Pose { position: part.pose.position - own.center, ..part.pose },
        surface: part.surface.map(|surface| surface.about(&own.center)),
        ..part
    };
    Body {
        name: e.name.clone(),
        triangles: match made {
            BodyParts::Triangles(made) => Some(made.surface),
            _ => None,
        },
        parts: if own.center == Vector3::zeros() {
            parts
        } else {
            parts.into_iter().map(to_center).collect()
        },
        mass: own.mass,
        inertia: own.inertia,
        pose: Pose { position: pose.point(&own.center), ..pose },
        velocity,
        fixed,
        force,
        torque,
    }
}

/// The shape or parts of a body.
enum BodyParts {
    /// One convex shape.
    One(Part),
    /// Several parts.
    Several(Vec<Solid>),
    /// The cells of a surface.
    Triangles(Triangulated),
}

fn made_of(e: &BodyEntry, materials: &mut Materials, meshes: &mut Meshes, check: &mut Check) -> BodyParts {
    let properties = PartProperties {
        material: materials.index(check, "material", &e.material),
        surface: surface("", (e.surface_velocity, e.surface_angular_velocity), check),
    };
    match (&e.shape, e.parts.is_empty()) {
        (Some(shape @ ShapeEntry::Surface { .. }), true) => {
            match surfaces::triangulated(e, shape, &properties, meshes, check) {
                Some(made) => BodyParts::Triangles(made),
                None => BodyParts::One(Part::new(shapes::stand_in())),
            }
        }
        (Some(shape), true) if is_several(shape) => {
            BodyParts::Several(vec![parts::mesh(e, shape, &properties, meshes, check)])
        }
        (Some(shape), true) => BodyParts::One(alone(e, shape, &properties, meshes, check)),
        (None, false) => BodyParts::Several(parts::solids(e, &properties, materials, meshes, check)),
        (shape, _) => {
            let value = if shape.is_some() { "given" } else { "absent" };
            check.fault("shape", value, "a body has either a shape or parts");
            BodyParts::One(Part::new(shapes::stand_in()))
        }
    }
}

/// Faults of a body that never moves and is given velocities or loads.
fn refuse_motion(values: &[Vector3<f64>; 4], check: &mut Check) {
    let fields = ["velocity", "angular_velocity", "force", "torque"];
    for (field, v) in fields.iter().zip(values).filter(|(_, v)| **v != Vector3::zeros()) {
        check.fault(field, format!("{:?}", <[f64; 3]>::from(*v)), "must be zero for a fixed body");
    }
}

/// Origin of the frame in which a body is written, in the body's own frame (m): off the centre of mass where
/// parts were weighed.
pub fn written_origin(e: &BodyEntry, body: &Body) -> Vector3<f64> {
    body.pose.orientation.inverse() * (Vector3::from(e.position) - body.pose.position)
}

/// The part of a body of one shape.
fn alone(
    e: &BodyEntry,
    shape: &ShapeEntry,
    properties: &PartProperties,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Part {
    let shape = shapes::shape(shape, "shape", meshes, check);
    let pose = Pose {
        position: check.vector("shape_position", e.shape_position),
        orientation: check.quaternion("shape_orientation", e.shape_orientation),
    };
    Part { shape, pose, material: properties.material, surface: properties.surface }
}

/// Faults of a weightless entry that is not fixed, or that gives mass, density or inertia.
fn weightless_rules(e: &BodyEntry, fixed: bool, what: &str, check: &mut Check) {
    if !fixed {
        check.fault("fixed", "false", format!("{what} has no mass: it must be fixed"));
    }
    let given =
        [("mass", e.mass.is_some()), ("density", e.density.is_some()), ("inertia", e.inertia.is_some())];
    for (field, _) in given.iter().filter(|(_, given)| *given) {
        check.fault(field, "given", format!("{what} has none"));
    }
}

/// The five or six walls of a `[[container]]`.
pub fn container(
    index: usize,
    e: &ContainerEntry,
    materials: &mut Materials,
    report: &mut Report,
) -> Vec<Body> {
    let mut check = report.at(entry("container", index, &e.name));
    check.name("name", &e.name);
    let Some((min, max)) = corners(e, &mut check) else { return Vec::new() };
    let material = materials.index(&mut check, "material", &e.material);
    let mut walls = Vec::new();
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        for (side, inward, offset) in [("min", 1.0, min[axis]), ("max", -1.0, -max[axis])] {
            if (axis, side) == (2, "max") && !e.lid {
                continue;
            }
            let mut normal = Vector3::zeros();
            normal[axis] = inward;
            walls.push(Body {
                name: format!("{}.{letter}_{side}", e.name),
                parts: vec![Part { material, ..Part::new(Shape::HalfSpace { normal, offset }) }],
                triangles: None,
                mass: 0.0,
                inertia: Matrix3::zeros(),
                pose: Pose::identity(),
                velocity: Velocity::default(),
                fixed: true,
                force: Vector3::zeros(),
                torque: Vector3::zeros(),
            });
        }
    }
    walls
}

/// Inner corners of a container, from size and position or from min and max.
fn corners(e: &ContainerEntry, check: &mut Check) -> Option<(Vector3<f64>, Vector3<f64>)> {
    match (e.size, e.position, e.min, e.max) {
        (Some(size), position, None, None) => {
            let size = check.positive_vector("size", size);
            let floor = check.vector("position", position.unwrap_or_default());
            let half = Vector3::new(size.x / 2.0, size.y / 2.0, 0.0);
            let (low, high) = (floor - half, floor + half + Vector3::z() * size.z);
            Some((check.vector("size", low.into()), check.vector("size", high.into())))
        }
        (None, None, Some(min), Some(max)) => region(min, max, "min", "max", check),
        _ => {
            check.fault("size", "unclear", "give either size (and position) or both min and max");
            None
        }
    }
}

/// A box from its lowest and highest corner.
pub fn region(
    min: [f64; 3],
    max: [f64; 3],
    min_field: &str,
    max_field: &str,
    check: &mut Check,
) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let (low, high) = (check.vector(min_field, min), check.vector(max_field, max));
    if (high - low).min() > 0.0 {
        return Some((low, high));
    }
    let allowed = format!("every coordinate must be above that of {min_field} = {min:?}");
    check.fault(max_field, format!("{max:?}"), allowed);
    None
}
