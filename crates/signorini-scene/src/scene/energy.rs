//! Energy of a state.

use super::definition::Scene;
use super::state::State;

/// Kinetic energy Σ ½ m |v|² + ½ ω·(R I Rᵀ) ω of the bodies that can move (J).
pub fn kinetic(scene: &Scene, state: &State) -> f64 {
    let mut sum = 0.0;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed) {
        let velocity = &state.velocities[i];
        let omega_b = state.poses[i].orientation.inverse() * velocity.angular;
        sum +=
            0.5 * body.mass * velocity.linear.norm_squared() + 0.5 * omega_b.dot(&(body.inertia * omega_b));
    }
    sum
}

/// Potential energy −Σ m g·c of the bodies that can move, zero at the world's origin, and of the springs (J).
pub fn potential(scene: &Scene, state: &State) -> f64 {
    let mut sum = 0.0;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed) {
        sum -= body.mass * scene.gravity.dot(&state.poses[i].position);
    }
    for spring in &scene.springs {
        sum += spring.energy(spring.bodies.map(|id| &state.poses[id]));
    }
    sum
}
