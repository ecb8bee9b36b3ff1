//! The parts of a body of several, and their mass properties together.

use super::decompose::is_several;
use super::friction::Materials;
use super::part_overlaps::{Overlap, overlaps};
use super::part_properties::{PartProperties, surface};
use super::raw::{BodyEntry, PartEntry};
use super::raw_defaults::no_rotation;
use super::raw_grains::FormPart;
use super::raw_shapes::ShapeEntry;
use super::report::Check;
use super::shapes::{self, Meshes};
use super::weight::{MassProperties, given_inertia, is_mass, together};
use crate::scene::body::Part;
use crate::scene::form::Form;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::mass_properties::{inertia, rotated_inertia, volume};
use signorini_geometry::{Pose, Shape};

/// Most overlaps of parts that are reported.
const MAX_OVERLAPS: usize = 10;
/// A centre of mass this near the origin, as a fraction of the size, counts as at the origin.
const CENTRED: f64 = 1e-12;

/// Parts, volume and moments of one entry of `parts`, in the frame in which the body is written.
pub struct Solid {
    /// One convex part, or those of a mesh.
    pub parts: Vec<Part>,
    /// Volume (m³), 0 of a half-space.
    volume: f64,
    /// Centre of mass (m).
    center: Vector3<f64>,
    /// Inertia tensor about the centre of mass at a density of 1 kg/m³, axes of the body (m⁵).
    inertia: Matrix3<f64>,
    /// Whether the solid is the one that was written, without a fault.
    is_sound: bool,
}

/// Solids of all entries of `parts`.
pub fn solids(
    e: &BodyEntry,
    properties: &PartProperties,
    materials: &mut Materials,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Vec<Solid> {
    for (field, given) in [
        ("shape_position", e.shape_position != [0.0; 3]),
        ("shape_orientation", e.shape_orientation != no_rotation()),
    ] {
        if given {
            check.fault(field, "given", "parts have positions and orientations of their own");
        }
    }
    let mut found = Vec::with_capacity(e.parts.len());
    for (i, part) in e.parts.iter().enumerate() {
        let field = |name: &str| format!("parts[{i}].{name}");
        let faults = check.n_faults();
        let frame = Pose {
            position: check.vector(&field("position"), part.position),
            orientation: check.quaternion(&field("orientation"), part.orientation),
        };
        let material = match &part.material {
            Some(name) => materials.index(check, &field("material"), name),
            None => properties.material,
        };
        let surface = match (part.surface_velocity, part.surface_angular_velocity) {
            (None, None) => properties.surface,
            own => surface(&field(""), own, check),
        };
        let properties = PartProperties { material, surface };
        let solid = solid(&part.shape, &field("shape"), (frame, &properties), meshes, check);
        found.push(Solid { is_sound: check.n_faults() == faults, ..solid });
    }
    found
}

/// A mesh of several parts as the shape of a body: its centre of mass is at the origin of the shape frame.
pub fn mesh(
    e: &BodyEntry,
    shape: &ShapeEntry,
    properties: &PartProperties,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Solid {
    let frame = Pose {
        position: check.vector("shape_position", e.shape_position),
        orientation: check.quaternion("shape_orientation", e.shape_orientation),
    };
    let found = solid(shape, "shape", (frame, properties), meshes, check);
    let way = frame.position - found.center;
    let moved = |part: Part| Part { pose: Pose { position: part.pose.position + way, ..part.pose }, ..part };
    let parts = found.parts.into_iter().map(moved).collect();
    Solid { parts, center: frame.position, ..found }
}

/// A form of parts about their common centre of mass, with its volume (m³) and its inertia tensor at a
/// density of 1 kg/m³ (m⁵).
pub fn weighed(
    entries: &[FormPart],
    field: &str,
    (volume, inertia): (f64, Matrix3<f64>),
    meshes: &mut Meshes,
    check: &mut Check,
) -> Form {
    let parts = form_solids(entries, field, meshes, check).into_iter().flat_map(|solid| solid.parts);
    Form::several(parts.map(|part| (part.shape, part.pose)).collect(), volume, inertia)
}

/// Solids of the parts of a form.
fn form_solids(entries: &[FormPart], field: &str, meshes: &mut Meshes, check: &mut Check) -> Vec<Solid> {
    let properties = PartProperties { material: 0, surface: None };
    let mut solids = Vec::with_capacity(entries.len());
    for (i, part) in entries.iter().enumerate() {
        let field = |name: &str| format!("{field}[{i}].{name}");
        let faults = check.n_faults();
        let frame = Pose {
            position: check.vector(&field("position"), part.position),
            orientation: check.quaternion(&field("orientation"), part.orientation),
        };
        if matches!(part.shape, ShapeEntry::HalfSpace { .. }) {
            check.fault(&field("shape"), "half_space", "parts of bodies that move are bounded");
        } else {
            let solid = solid(&part.shape, &field("shape"), (frame, &properties), meshes, check);
            solids.push(Solid { is_sound: check.n_faults() == faults, ..solid });
        }
    }
    solids
}

/// A form of several parts, which are all of one density.
pub fn form(entries: &[FormPart], field: &str, meshes: &mut Meshes, check: &mut Check) -> Form {
    let solids = form_solids(entries, field, meshes, check);
    if solids.is_empty() {
        return Form::convex(shapes::stand_in());
    }
    refuse_overlaps(&solids, field, check);
    let volumes: Vec<f64> = solids.iter().map(|solid| solid.volume).collect();
    let found = sum(&solids, &volumes);
    let placed: Vec<(Shape, Pose)> =
        solids.into_iter().flat_map(|solid| solid.parts).map(|part| (part.shape, part.pose)).collect();
    let size = placed.iter().map(|(shape, _)| shape.bounding_radius()).fold(0.0, f64::max);
    // Parts that are about their centre of mass stay where they are, to the last bit.
    let is_centred = found.center.norm() <= CENTRED * size;
    let way = if is_centred { Vector3::zeros() } else { found.center };
    let moved =
        placed.into_iter().map(|(shape, pose)| (shape, Pose { position: pose.position - way, ..pose }));
    Form::several(moved.collect(), found.mass, found.inertia)
}

/// A shape at a frame of the body.
fn solid(
    entry: &ShapeEntry,
    field: &str,
    (frame, properties): (Pose, &PartProperties),
    meshes: &mut Meshes,
    check: &mut Check,
) -> Solid {
    let part = |(shape, center): (Shape, Vector3<f64>)| Part {
        shape,
        pose: Pose { position: frame.point(&center), ..frame },
        material: properties.material,
        surface: properties.surface,
    };
    if matches!(entry, ShapeEntry::Bore { .. }) {
        check.fault(field, "bore", "a bore is the shape of a body that is fixed or driven, not of a part");
    }
    if is_several(entry) {
        if let Some(found) = meshes.decomposed(entry, field, check) {
            return Solid {
                parts: found.shapes.into_iter().map(part).collect(),
                volume: found.volume,
                center: frame.point(&found.center),
                inertia: rotated_inertia(&found.inertia, &frame.orientation),
                is_sound: true,
            };
        }
        let part = Part::new(shapes::stand_in());
        return Solid {
            parts: vec![part],
            volume: 1.0,
            center: frame.position,
            inertia: Matrix3::identity(),
            is_sound: false,
        };
    }
    let part = part(shapes::shape_about_origin(entry, field, meshes, check));
    let volume = volume(&part.shape).unwrap_or(0.0);
    let own = inertia(&part.shape, volume).unwrap_or_default();
    let inertia = rotated_inertia(&own, &frame.orientation);
    Solid { volume, center: part.pose.position, inertia, parts: vec![part], is_sound: true }
}

/// Mass, inertia and centre of mass. A body that gives mass and inertia gives its parts about the centre of
/// mass. Otherwise the masses of the parts are added. Zero for a fixed body that gives no mass.
pub fn mass_properties(e: &BodyEntry, solids: &[Solid], fixed: bool, check: &mut Check) -> MassProperties {
    let nothing = MassProperties { mass: 0.0, inertia: Matrix3::zeros(), center: Vector3::zeros() };
    let parts = || solids.iter().flat_map(|solid| &solid.parts);
    let is_half_space = |part: &Part| matches!(part.shape, Shape::HalfSpace { .. });
    let has_half_space = parts().any(is_half_space);
    if has_half_space && !fixed {
        // Of half-spaces alone the fault was reported before.
        if !parts().all(is_half_space) {
            check.fault("fixed", "false", "a half-space has no mass: a body with one must be fixed");
        }
        return nothing;
    }
    let of_parts = e.parts.iter().any(|part| part.mass.is_some() || part.density.is_some());
    if let Some(entries) = e.inertia {
        if of_parts {
            check.fault("inertia", "given", "parts have mass or density: what they weigh is added");
        }
        let Some(mass) = e.mass else {
            check.fault("inertia", "given", "only together with mass");
            return nothing;
        };
        let inertia = given_inertia(entries, check);
        return MassProperties { mass: check.positive("mass", mass), inertia, center: Vector3::zeros() };
    }
    let has_none = e.mass.is_none() && e.density.is_none() && !of_parts;
    if has_half_space || has_none && fixed {
        return nothing;
    }
    let Some(masses) = masses(e, solids, check) else { return nothing };
    refuse_overlaps(solids, "parts", check);
    let summed = sum(solids, &masses);
    // Where a body that never moves has its centre of mass does not matter: its frame stays as written.
    if fixed { MassProperties { center: Vector3::zeros(), ..summed } } else { summed }
}

/// Mass of each entry (kg); None after a fault.
fn masses(e: &BodyEntry, solids: &[Solid], check: &mut Check) -> Option<Vec<f64>> {
    if let (Some(mass), Some(density)) = (e.mass, e.density) {
        let allowed = format!("give mass or density ({density:?}), not both");
        check.fault("mass", format!("{mass:?}"), allowed);
        return None;
    }
    let density = match (e.mass, e.density) {
        (Some(mass), _) => {
            Some(check.positive("mass", mass) / solids.iter().map(|solid| solid.volume).sum::<f64>())
        }
        (None, density) => density.map(|density| check.positive("density", density)),
    };
    let mut masses = Vec::with_capacity(solids.len());
    for (i, solid) in solids.iter().enumerate() {
        let Some(part) = e.parts.get(i) else {
            // The shape of the body.
            if density.is_none() {
                check.fault("mass", "absent", "a moving body needs mass or density");
            }
            masses.push(density? * solid.volume);
            continue;
        };
        masses.push(mass(part, i, solid.volume, density, check)?);
        let weighs = part.mass.is_some() || part.density.is_some();
        if weighs && e.mass.is_some() {
            let allowed = "the body's mass is that of parts without any of their own: leave one out";
            check.fault(&format!("parts[{i}]"), "mass or density", allowed);
            return None;
        }
    }
    let whole: f64 = masses.iter().sum();
    if !is_mass(whole) {
        check.fault("parts", format!("{whole:e} kg together"), "a body weighs 1e-15 to 1e15 kg");
        return None;
    }
    Some(masses)
}

/// Mass of part i (kg), of a volume (m³) in a body of a density (kg/m³).
fn mass(part: &PartEntry, i: usize, volume: f64, density: Option<f64>, check: &mut Check) -> Option<f64> {
    let field = |name: &str| format!("parts[{i}].{name}");
    match (part.mass, part.density) {
        (Some(mass), None) => Some(check.positive(&field("mass"), mass)),
        (None, Some(density)) => Some(check.positive(&field("density"), density) * volume),
        (None, None) if density.is_some() => Some(density? * volume),
        (None, None) => {
            let allowed = "a part needs mass or density, or the body a density (or a mass) for all of them";
            check.fault(&field("mass"), "absent", allowed);
            None
        }
        (Some(mass), Some(density)) => {
            let allowed = format!("give mass or density ({density:?}), not both");
            check.fault(&field("mass"), format!("{mass:?}"), allowed);
            None
        }
    }
}

/// Mass properties of all entries together.
fn sum(solids: &[Solid], masses: &[f64]) -> MassProperties {
    let moments = |solid: &Solid| (solid.volume, solid.center, solid.inertia);
    together(&solids.iter().map(moments).collect::<Vec<_>>(), masses)
}

/// Faults of entries that overlap: their common volume would be weighed twice. Parts of one mesh may overlap:
/// the mesh is weighed. The stand-in of a refused entry is not compared.
fn refuse_overlaps(solids: &[Solid], field: &str, check: &mut Check) {
    let sound = solids.iter().enumerate().filter(|(_, solid)| solid.is_sound);
    let parts: Vec<(usize, &Shape, Pose)> = sound
        .flat_map(|(i, solid)| solid.parts.iter().map(move |part| (i, &part.shape, part.pose)))
        .collect();
    for Overlap { of: [i, j], depth, allowed } in overlaps(&parts).into_iter().take(MAX_OVERLAPS) {
        let allowed = format!(
            "may overlap {field}[{j}] by {allowed:e} m: what both fill would be weighed twice. Move them apart, or \
             give the body its mass and inertia (about the centre of mass, the origin then)"
        );
        check.fault(&format!("{field}[{i}]"), format!("overlaps {field}[{j}] by {depth:e} m"), allowed);
    }
}
