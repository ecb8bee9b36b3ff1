//! The staggered integrator as the referee sees it: the points at which impulses act, and the momentum of the
//! middle of a step.

use super::image::centers;
use crate::step::{ContactRecord, Loads};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use signorini_geometry::Pose;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Integrator;

/// Whether the scene uses the staggered integrator.
pub fn is_staggered(scene: &Scene) -> bool {
    scene.solver.integrator == Integrator::Staggered
}

/// Length of the step before (s), 0 at the first. A step that was halved counts as one step, too.
pub fn last_step(scene: &Scene, loads: &Loads) -> f64 {
    if loads.end_time < 1.5 * scene.time_step { 0.0 } else { scene.time_step }
}

/// Length of time over which loads act (s).
pub fn loaded_time(scene: &Scene, loads: &Loads) -> f64 {
    if is_staggered(scene) { 0.5 * (last_step(scene, loads) + scene.time_step) } else { scene.time_step }
}

/// Angular momentum R I Rᵀ ω with R = exp(t ω) R₀.
pub fn spin_momentum(inertia: &Matrix3<f64>, start: &Pose, spin: &Vector3<f64>, t: f64) -> Vector3<f64> {
    let turned = UnitQuaternion::from_scaled_axis(spin * t) * start.orientation;
    turned * (inertia * (turned.inverse() * spin))
}

/// A contact at a blend of its geometry at the start and at the end of the step.
#[derive(Debug, Clone, Copy)]
pub struct Blend {
    /// Unit normal.
    pub normal: Vector3<f64>,
    /// Arms from the centres of mass of A and B (m).
    pub arms: [Vector3<f64>; 2],
    /// Fraction of the end geometry in the blend.
    pub fraction: f64,
}

impl Blend {
    /// Makes the blend with a fraction of the end geometry.
    fn new(contact: &ContactRecord, scene: &Scene, [before, after]: [&State; 2], fraction: f64) -> Self {
        let end = centers(scene, contact, after).map(|center| contact.ecp - center);
        let Some(acting) = contact.acting else {
            return Self { normal: contact.normal, arms: end, fraction: 1.0 };
        };
        let start = centers(scene, contact, before).map(|center| acting.point - center);
        let normal = acting.normal * (1.0 - fraction) + contact.normal * fraction;
        let arms = [0, 1].map(|k| start[k] * (1.0 - fraction) + end[k] * fraction);
        Self { normal: normal.normalize(), arms, fraction }
    }

    /// Blend at which the impulses act.
    pub fn of_force(contact: &ContactRecord, scene: &Scene, states: [&State; 2]) -> Self {
        Self::new(contact, scene, states, contact.acting.map_or(1.0, |a| a.theta))
    }

    /// Blend at which slip is measured.
    pub fn of_slip(contact: &ContactRecord, scene: &Scene, states: [&State; 2]) -> Self {
        Self::new(contact, scene, states, contact.acting.map_or(1.0, |a| 0.5 * (1.0 + a.theta)))
    }
}

/// Returns a vector turned by the smallest rotation that takes one unit vector to another.
pub fn tilted(v: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    UnitQuaternion::rotation_between(from, to).map_or(*v, |turn| turn * v)
}

/// Returns a vector turned by a rotation vector.
pub fn turned(v: &Vector3<f64>, turn: &Vector3<f64>) -> Vector3<f64> {
    UnitQuaternion::from_scaled_axis(*turn) * v
}
