//! Masses and inertia tensors of bodies, as given or of a homogeneous shape.

use super::raw::BodyEntry;
use super::report::Check;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::mass_properties::{inertia, rotated_inertia, symmetric, volume};
use signorini_geometry::{Pose, Shape};

/// Principal moments of a solid satisfy I₁ + I₂ ≥ I₃; this much of I₃ is rounding.
const TRIANGLE_ROUNDING: f64 = 1e-9;
/// Largest entry of an inertia tensor (kg m²): above that of the largest mass at the largest size.
const LARGEST_INERTIA: f64 = 1e35;
/// Whether a computed mass (kg) is within the range of masses.
pub fn is_mass(mass: f64) -> bool {
    (1e-15..=1e15).contains(&mass)
}

/// Mass, inertia and centre of mass of a body.
pub struct MassProperties {
    /// Mass (kg).
    pub mass: f64,
    /// Inertia tensor about the centre of mass, axes of the body (kg m²).
    pub inertia: Matrix3<f64>,
    /// Centre of mass in the frame in which the parts are given (m).
    pub center: Vector3<f64>,
}

/// Mass (kg) and inertia tensor (kg m²). Zero for a fixed body that gives no mass.
pub fn mass_and_inertia(
    e: &BodyEntry,
    shape: &Shape,
    shape_pose: &Pose,
    fixed: bool,
    check: &mut Check,
) -> (f64, Matrix3<f64>) {
    if matches!(shape, Shape::HalfSpace { .. } | Shape::Bore { .. }) {
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

/// Mass (kg) from `mass` or `density`; None when neither gives it.
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
pub fn given_inertia(entries: [f64; 6], check: &mut Check) -> Matrix3<f64> {
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

/// Mass properties of several solids together, by Steiner's theorem; of each its volume (m³), centre of mass
/// (m) and inertia tensor at a density of 1 kg/m³ (m⁵), and its mass (kg).
pub fn together(solids: &[(f64, Vector3<f64>, Matrix3<f64>)], masses: &[f64]) -> MassProperties {
    let mass: f64 = masses.iter().sum();
    let moment: Vector3<f64> = solids.iter().zip(masses).map(|((_, center, _), m)| center * *m).sum();
    let center = moment / mass;
    let mut tensor = Matrix3::zeros();
    for ((volume, own, inertia), m) in solids.iter().zip(masses) {
        let arm = own - center;
        tensor += inertia * (*m / volume);
        tensor += (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * *m;
    }
    let t = &tensor;
    // Symmetric to the last digit, as a file gives it.
    let inertia = symmetric(t.m11, t.m22, t.m33, t.m12, t.m13, t.m23);
    MassProperties { mass, inertia, center }
}
