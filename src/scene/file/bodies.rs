//! Bodies and containers, from the file's tables to [`Body`].

use super::friction::Materials;
use super::place::entry;
use super::raw::{BodyEntry, ContainerEntry};
use super::report::{Check, Report};
use super::shapes::{self, Meshes};
use crate::geometry::mass_properties::{inertia, rotated_inertia, symmetric, volume};
use crate::geometry::{Pose, Shape, Velocity};
use crate::scene::body::Body;
use nalgebra::{Matrix3, Vector3};

/// Principal moments of a solid satisfy I₁ + I₂ ≥ I₃; this much of I₃ is rounding.
const TRIANGLE_ROUNDING: f64 = 1e-9;
/// Entries of an inertia tensor (kg m²): above what the largest mass has at the largest size.
const LARGEST_INERTIA: f64 = 1e35;
/// Whether a computed mass (kg) is within the range of masses.
pub fn is_mass(mass: f64) -> bool {
    (1e-15..=1e15).contains(&mass)
}

/// One `[[body]]`.
pub fn body(
    index: usize,
    e: &BodyEntry,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Body {
    let mut check = report.at(entry("body", index, &e.name));
    check.name("name", &e.name);
    let shape = shapes::shape(&e.shape, "shape", meshes, &mut check);
    let shape_pose = Pose {
        position: check.vector("shape_position", e.shape_position),
        orientation: check.quaternion("shape_orientation", e.shape_orientation),
    };
    let is_half_space = matches!(shape, Shape::HalfSpace { .. });
    let fixed = e.fixed.unwrap_or(is_half_space);
    let velocity = Velocity {
        linear: check.vector("velocity", e.velocity),
        angular: check.vector("angular_velocity", e.angular_velocity),
    };
    let (force, torque) = (check.load("force", e.force), check.load("torque", e.torque));
    if is_half_space {
        half_space_rules(e, fixed, &mut check);
    }
    if fixed {
        let moving = [
            ("velocity", velocity.linear),
            ("angular_velocity", velocity.angular),
            ("force", force),
            ("torque", torque),
        ];
        for (field, v) in moving.iter().filter(|(_, v)| *v != Vector3::zeros()) {
            check.fault(field, format!("{:?}", <[f64; 3]>::from(*v)), "must be zero for a fixed body");
        }
    }
    let (mass, inertia) = mass_and_inertia(e, &shape, &shape_pose, fixed, &mut check);
    Body {
        name: e.name.clone(),
        shape,
        shape_pose,
        mass,
        inertia,
        material: materials.index(&mut check, "material", &e.material),
        pose: Pose {
            position: check.vector("position", e.position),
            orientation: check.quaternion("orientation", e.orientation),
        },
        velocity,
        fixed,
        force,
        torque,
    }
}

fn half_space_rules(e: &BodyEntry, fixed: bool, check: &mut Check) {
    if !fixed {
        check.fault("fixed", "false", "a half-space has no mass: it must be fixed");
    }
    let given =
        [("mass", e.mass.is_some()), ("density", e.density.is_some()), ("inertia", e.inertia.is_some())];
    for (field, _) in given.iter().filter(|(_, given)| *given) {
        check.fault(field, "given", "a half-space has none");
    }
}

/// Mass (kg) and inertia tensor (kg m²). Zero for a fixed body that gives no mass.
fn mass_and_inertia(
    e: &BodyEntry,
    shape: &Shape,
    shape_pose: &Pose,
    fixed: bool,
    check: &mut Check,
) -> (f64, Matrix3<f64>) {
    if matches!(shape, Shape::HalfSpace { .. }) {
        return (0.0, Matrix3::zeros());
    }
    let off_centre = shape_pose.position != Vector3::zeros();
    if off_centre && e.density.is_some() {
        let allowed =
            "a homogeneous body has its centre of mass at the shape's centre: give mass and inertia";
        check.fault("shape_position", format!("{:?}", e.shape_position), allowed);
    }
    let Some(mass) = mass(e, shape, fixed, check) else { return (0.0, Matrix3::zeros()) };
    let tensor = match e.inertia {
        Some(entries) => given_inertia(entries, check),
        None => {
            if off_centre && e.density.is_none() {
                let allowed = "required when shape_position is not zero: the body is then not homogeneous";
                check.fault("inertia", "absent", allowed);
            }
            let own = inertia(shape, mass).unwrap_or_default();
            rotated_inertia(&own, &shape_pose.orientation)
        }
    };
    (mass, tensor)
}

/// Mass (kg) from `mass` or `density`; None when there is none to be had.
fn mass(e: &BodyEntry, shape: &Shape, fixed: bool, check: &mut Check) -> Option<f64> {
    match (e.mass, e.density) {
        (Some(mass), None) => Some(check.positive("mass", mass)),
        (None, Some(density)) => {
            let mass = check.positive("density", density) * volume(shape)?;
            if is_mass(mass) {
                return Some(mass);
            }
            let allowed = format!("gives a mass of {mass:e} kg, out of 1e-15 to 1e15");
            check.fault("density", format!("{density:?}"), allowed);
            None
        }
        (Some(mass), Some(density)) => {
            let allowed = format!("give mass or density ({density:?}), not both");
            check.fault("mass", format!("{mass:?}"), allowed);
            None
        }
        (None, None) => {
            if !fixed {
                check.fault("mass", "absent", "a moving body needs mass or density");
            } else if e.inertia.is_some() {
                check.fault("inertia", "given", "only together with mass");
            }
            None
        }
    }
}

/// A tensor as written: positive definite, and no principal moment above the sum of the other two.
fn given_inertia(entries: [f64; 6], check: &mut Check) -> Matrix3<f64> {
    let [xx, yy, zz, xy, xz, yz] = entries;
    let tensor = symmetric(xx, yy, zz, xy, xz, yz);
    let value = format!("{entries:?}");
    if !entries.iter().all(|x| x.abs() <= LARGEST_INERTIA) {
        check.fault("inertia", value, "must be six finite numbers xx, yy, zz, xy, xz, yz");
        return Matrix3::identity();
    }
    let mut moments: [f64; 3] = tensor.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let [low, middle, high] = moments;
    if low.is_nan() || low <= 1e-12 * high || low < 1e-40 {
        check.fault(
            "inertia",
            value,
            format!("must be positive definite; principal moments are {moments:?}"),
        );
        return Matrix3::identity();
    }
    if low + middle < high * (1.0 - TRIANGLE_ROUNDING) {
        let allowed = format!(
            "no principal moment may exceed the sum of the other two (no mass distribution has that); they are {moments:?}"
        );
        check.fault("inertia", value, allowed);
    }
    tensor
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
                shape: Shape::HalfSpace { normal, offset },
                shape_pose: Pose::identity(),
                mass: 0.0,
                inertia: Matrix3::zeros(),
                material,
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
