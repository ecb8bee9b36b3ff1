//! What the referee needs to know of every body in one step.

use super::placed::PlacedShape;
use crate::math::raise;
use crate::scene::{Scene, State};
use crate::step::Loads;
use nalgebra::{Matrix3, Vector3};

/// One body over one step.
#[derive(Debug, Clone)]
pub struct BodyInStep {
    /// False for a fixed body.
    pub moving: bool,
    /// Mass (kg).
    pub mass: f64,
    /// A length that says how big the body is (m); infinite for a half-space.
    pub size: f64,
    /// The shape at the end of the step.
    pub placed: PlacedShape,
    /// I0 = R0 I_b R0ᵀ, world, R0 at the START of the step (kg m²).
    pub inertia: Matrix3<f64>,
    /// Inverse of `inertia`; zero for a fixed body.
    pub inverse_inertia: Matrix3<f64>,
    /// Inverse of the body-frame inertia tensor, found once.
    inverse_inertia_b: Matrix3<f64>,
}

/// Scales of one step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scales {
    /// Reference impulse p_ref (N s).
    pub impulse: f64,
    /// Reference length L (m): mean size of the moving bodies.
    pub length: f64,
}

/// The bodies of a scene as the referee sees them before any step.
pub fn prepare(scene: &Scene) -> Vec<BodyInStep> {
    let prepared = scene.bodies.iter().map(|body| BodyInStep {
        moving: !body.fixed,
        mass: body.mass,
        size: body.shape.size().unwrap_or(f64::INFINITY),
        placed: PlacedShape::new(&body.shape, &body.shape_pose, &body.pose),
        inertia: Matrix3::zeros(),
        inverse_inertia: Matrix3::zeros(),
        // A singular tensor shows as NaN in the verdict instead of a panic here.
        inverse_inertia_b: body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN)),
    });
    prepared.collect()
}

/// Puts the shapes where `after` has them and the inertia tensors where `before` has them.
pub fn place(bodies: &mut [BodyInStep], scene: &Scene, before: &State, after: &State) {
    for (i, (judged, body)) in bodies.iter_mut().zip(&scene.bodies).enumerate() {
        judged.placed.put(&body.shape, &body.shape_pose, &after.poses[i]);
        if judged.moving {
            let r = before.poses[i].rotation();
            judged.inertia = r * body.inertia * r.transpose();
            judged.inverse_inertia = r * judged.inverse_inertia_b * r.transpose();
        }
    }
}

/// p_ref and L of a step (i over the moving bodies, L_i their sizes, velocities of the START):
/// ```text
/// p_ref = mean( h |F_i| + |P_i| + (h |τ_i| + |L_app,i|) / L_i )            F_i with gravity
///         at least 1e-3 mean( m_i (|v_i| + L_i |ω_i|) )                    a free flight without loads
///         and if that is zero too, 1e-3 mean(m_i) L / (1 s)                everything at rest, nothing acts
/// L     = mean(L_i)
/// ```
pub fn scales(bodies: &[BodyInStep], before: &State, loads: &Loads, h: f64) -> Scales {
    let (mut n, mut loaded, mut carried, mut mass, mut length) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (i, body) in bodies.iter().enumerate().filter(|(_, b)| b.moving) {
        n += 1.0;
        mass += body.mass;
        length += body.size;
        loaded += h * loads.force[i].norm() + loads.linear_impulse[i].norm();
        loaded += (h * loads.torque[i].norm() + loads.angular_impulse[i].norm()) / body.size;
        let velocity = &before.velocities[i];
        carried += body.mass * (velocity.linear.norm() + body.size * velocity.angular.norm());
    }
    if n == 0.0 {
        return Scales { impulse: 1.0, length: 1.0 };
    }
    let (mass, length) = (mass / n, length / n);
    let mut impulse = 0.0;
    raise(&mut impulse, loaded / n);
    raise(&mut impulse, 1e-3 * carried / n);
    if impulse == 0.0 {
        impulse = 1e-3 * mass * length;
    }
    Scales { impulse, length }
}

impl BodyInStep {
    /// Velocity per unit impulse along the unit `direction`, at `arm` from the centre of mass (1/kg).
    pub fn compliance(&self, arm: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        if !self.moving {
            return 0.0;
        }
        let turn = arm.cross(direction);
        1.0 / self.mass + turn.dot(&(self.inverse_inertia * turn))
    }
}
