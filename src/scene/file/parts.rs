//! The parts of a body of several, and what they weigh together.

use super::friction::Materials;
use super::raw::{BodyEntry, PartEntry, no_rotation};
use super::report::Check;
use super::shapes::{self, Meshes};
use super::weight::{MassProperties, given_inertia, is_mass};
use crate::geometry::mass_properties::{inertia, rotated_inertia, symmetric, volume};
use crate::geometry::{Pose, Shape};
use crate::scene::body::Part;
use crate::scene::nearby::Nearby;
use crate::scene::overlap::{Placed, gap};
use nalgebra::{Matrix3, Vector3};

/// Parts whose masses are added may overlap by this much of the size of the smaller one.
const ACCEPTED_DEPTH: f64 = 1e-4;
/// Overlaps of parts that are told.
const MOST_OVERLAPS: usize = 10;

/// All parts, in the frame in which they are written.
pub fn parts(
    e: &BodyEntry,
    material: usize,
    materials: &mut Materials,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Vec<Part> {
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
        let (shape, center) = shapes::shape_about_origin(&part.shape, &field("shape"), meshes, check);
        let frame = Pose {
            position: check.vector(&field("position"), part.position),
            orientation: check.quaternion(&field("orientation"), part.orientation),
        };
        let material = match &part.material {
            Some(name) => materials.index(check, &field("material"), name),
            None => material,
        };
        found.push(Part { shape, pose: Pose { position: frame.point(&center), ..frame }, material });
    }
    found
}

/// Mass, inertia and centre of mass. A body that gives mass and inertia gives its parts about the centre of
/// mass. Otherwise what the parts weigh is added. Zero for a fixed body that gives no mass.
pub fn mass_properties(e: &BodyEntry, parts: &[Part], fixed: bool, check: &mut Check) -> MassProperties {
    let nothing = MassProperties { mass: 0.0, inertia: Matrix3::zeros(), center: Vector3::zeros() };
    let has_half_space = parts.iter().any(|part| matches!(part.shape, Shape::HalfSpace { .. }));
    if has_half_space && !fixed {
        check.fault("fixed", "false", "a half-space has no mass: a body with one must be fixed");
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
    let Some(masses) = masses(e, parts, check) else { return nothing };
    refuse_overlaps(parts, check);
    let summed = sum(parts, &masses);
    // Where a body that never moves has its centre of mass does not matter: its frame stays as written.
    if fixed { MassProperties { center: Vector3::zeros(), ..summed } } else { summed }
}

/// What each part weighs (kg); None after a fault.
fn masses(e: &BodyEntry, parts: &[Part], check: &mut Check) -> Option<Vec<f64>> {
    if let (Some(mass), Some(density)) = (e.mass, e.density) {
        let allowed = format!("give mass or density ({density:?}), not both");
        check.fault("mass", format!("{mass:?}"), allowed);
        return None;
    }
    let volumes: Vec<f64> = parts.iter().map(|part| volume(&part.shape).unwrap_or(0.0)).collect();
    let density = match (e.mass, e.density) {
        (Some(mass), _) => Some(check.positive("mass", mass) / volumes.iter().sum::<f64>()),
        (None, density) => density.map(|density| check.positive("density", density)),
    };
    let each = e.parts.iter().zip(&volumes).enumerate();
    let masses: Option<Vec<f64>> = each
        .map(|(i, (part, volume))| {
            let mass = mass(part, i, *volume, density, check)?;
            let weighs = part.mass.is_some() || part.density.is_some();
            if weighs && e.mass.is_some() {
                let allowed = "the body's mass is that of parts without any of their own: leave one out";
                check.fault(&format!("parts[{i}]"), "mass or density", allowed);
                return None;
            }
            Some(mass)
        })
        .collect();
    let whole = masses.as_ref().map_or(1.0, |masses| masses.iter().sum());
    if !is_mass(whole) {
        check.fault("parts", format!("{whole:e} kg together"), "a body weighs 1e-15 to 1e15 kg");
        return None;
    }
    masses
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

/// Steiner's theorem over the parts.
fn sum(parts: &[Part], masses: &[f64]) -> MassProperties {
    let mass: f64 = masses.iter().sum();
    let moment: Vector3<f64> = parts.iter().zip(masses).map(|(part, m)| part.pose.position * *m).sum();
    let center = moment / mass;
    let mut tensor = Matrix3::zeros();
    for (part, m) in parts.iter().zip(masses) {
        let arm = part.pose.position - center;
        let own = inertia(&part.shape, *m).unwrap_or_default();
        tensor += rotated_inertia(&own, &part.pose.orientation);
        tensor += (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * *m;
    }
    let t = &tensor;
    // Symmetric to the last digit, as a file gives it.
    let inertia = symmetric(t.m11, t.m22, t.m33, t.m12, t.m13, t.m23);
    MassProperties { mass, inertia, center }
}

/// A volume that two parts share would be weighed twice.
fn refuse_overlaps(parts: &[Part], check: &mut Check) {
    let placed: Vec<Placed> = parts.iter().map(|part| Placed::new(&part.shape, &part.pose)).collect();
    let mut nearby = Nearby::fit_for(placed.iter());
    placed.iter().enumerate().for_each(|(i, shape)| nearby.insert(i, shape));
    let (mut near, mut told) = (Vec::new(), 0);
    for (i, shape) in placed.iter().enumerate() {
        nearby.query(shape, 0.0, &mut near);
        for &j in near.iter().filter(|j| **j < i) {
            let size = |k: usize| parts[k].shape.size().unwrap_or(f64::INFINITY);
            let allowed = ACCEPTED_DEPTH * size(i).min(size(j));
            let Some(gap) = gap(&placed[j], shape).filter(|gap| gap.distance < -allowed) else { continue };
            if told < MOST_OVERLAPS {
                let depth = -gap.distance;
                let allowed = format!(
                    "may overlap parts[{j}] by {allowed:e} m: what both fill would be weighed twice. Move them \
                     apart, or give the body its mass and inertia (about the centre of mass, the origin then)"
                );
                check.fault(&format!("parts[{i}]"), format!("overlaps parts[{j}] by {depth:e} m"), allowed);
            }
            told += 1;
        }
    }
}
