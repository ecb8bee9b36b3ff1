//! Bodies in one step, with the data that the referee needs.

use super::part_in_step::{PartInStep, surface_at};
use super::seams::Neighbours;
use crate::step::ContactRecord;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Pose;
use signorini_scene::scene::effective_mass::effective_mass_ratios;
use signorini_scene::scene::{Body, Scene, State};
use std::sync::OnceLock;

/// One body over one step.
#[derive(Debug, Clone)]
pub struct BodyInStep {
    /// False for a fixed body.
    pub moving: bool,
    /// Mass (kg).
    pub mass: f64,
    /// Effective-mass ratio: the factor by which the body counts more than its mass where joints hold heavier
    /// bodies on both sides of it.
    pub effective_mass_ratio: f64,
    /// Size of the body (m); infinite for a half-space.
    pub size: f64,
    /// Parts of the body in the step.
    pub parts: Vec<PartInStep>,
    /// Which parts touch each other, found where it is asked for.
    neighbours: OnceLock<Neighbours>,
    /// Pose at which the parts are placed; None before the first step.
    placed_at: Option<Pose>,
    /// I0 = R0 I_b R0ᵀ, world, R0 at the START of the step (kg m²).
    pub inertia: Matrix3<f64>,
    /// Inverse of `inertia`; zero for a fixed body.
    pub inverse_inertia: Matrix3<f64>,
    /// Inverse of the body-frame inertia tensor, found once.
    inverse_inertia_b: Matrix3<f64>,
}

/// Makes the bodies of a scene as the referee sees them before any step.
pub fn prepare(scene: &Scene) -> Vec<BodyInStep> {
    let bodies = scene.bodies.iter().zip(effective_mass_ratios(scene));
    let prepared = bodies.map(|(body, effective_mass_ratio)| BodyInStep {
        moving: !body.fixed,
        mass: body.mass,
        effective_mass_ratio,
        size: body.size().unwrap_or(f64::INFINITY),
        parts: body.parts.iter().map(|part| PartInStep::new(part, &body.pose)).collect(),
        neighbours: OnceLock::new(),
        placed_at: None,
        inertia: Matrix3::zeros(),
        inverse_inertia: Matrix3::zeros(),
        // A singular tensor shows as NaN in the verdict instead of a panic at this point.
        inverse_inertia_b: body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN)),
    });
    prepared.collect()
}

/// Places the shapes at the poses of `after` and the inertia tensors at those of `before`.
pub fn place(bodies: &mut [BodyInStep], scene: &Scene, before: &State, after: &State) {
    for (i, (judged, body)) in bodies.iter_mut().zip(&scene.bodies).enumerate() {
        judged.put(body, &after.poses[i]);
        if judged.moving {
            let r = before.poses[i].rotation();
            judged.inertia = r * body.inertia * r.transpose();
            judged.inverse_inertia = r * judged.inverse_inertia_b * r.transpose();
        }
    }
}

/// Returns the parts of a contact.
pub fn parts_of<'a>(bodies: &'a [BodyInStep], contact: &ContactRecord) -> [&'a PartInStep; 2] {
    [(contact.body_a, contact.part_a), (contact.body_b, contact.part_b)]
        .map(|(body, part)| &bodies[body].parts[part])
}

impl BodyInStep {
    /// Places the parts at a pose of the body, unless they are placed at it already.
    fn put(&mut self, body: &Body, pose: &Pose) {
        // Poses are compared bit for bit: the parts must not depend on their placement before.
        let bits = |pose: &Pose| {
            let (p, q) = (&pose.position, &pose.orientation);
            [p.x, p.y, p.z, q.i, q.j, q.k, q.w].map(f64::to_bits)
        };
        if self.placed_at.as_ref().map(bits) == Some(bits(pose)) {
            return;
        }
        self.placed_at = Some(*pose);
        for (placed, part) in self.parts.iter_mut().zip(&body.parts) {
            placed.placed.put(&part.shape, &part.pose, pose);
            placed.surface = surface_at(part, pose);
        }
    }

    /// Which parts touch each other.
    pub fn neighbours(&self) -> &Neighbours {
        self.neighbours.get_or_init(|| Neighbours::new(&self.parts))
    }

    /// Pose at which the parts are placed.
    pub fn pose(&self) -> Option<&Pose> {
        self.placed_at.as_ref()
    }

    /// Linear momentum √(m q·I0⁻¹q) with the same energy as an angular momentum q (N s).
    pub fn turning(&self, q: &Vector3<f64>) -> f64 {
        (self.mass * q.dot(&(self.inverse_inertia * q))).max(0.0).sqrt()
    }

    /// Velocity per unit impulse along the unit `direction`, at `arm` from the centre of mass (1/kg).
    pub fn compliance(&self, arm: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        if !self.moving {
            return 0.0;
        }
        let turn = arm.cross(direction);
        1.0 / self.mass + turn.dot(&(self.inverse_inertia * turn))
    }
}
