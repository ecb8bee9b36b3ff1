//! Noise level of a figure: differences within the solver's tolerance are no curves.

use signorini_scene::scene::Scene;

/// Spans below which a quantity is drawn as constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Velocity (m/s).
    pub velocity: f64,
    /// Angular velocity (rad/s).
    pub angular_velocity: f64,
    /// Energy (J).
    pub energy: f64,
}

impl Noise {
    /// Noise level of a scene. A residual of ε in units of m |g| h is a velocity of ε |g| h; the level is a
    /// hundred times that, since errors of many steps and contacts add up.
    pub fn of(scene: &Scene) -> Self {
        let moving = || scene.bodies.iter().filter(|b| !b.fixed);
        let gravity = scene.gravity.norm();
        let size = moving().filter_map(|b| b.size()).fold(f64::INFINITY, f64::min);
        let size = if size.is_finite() { size } else { 1.0 };
        let mass: f64 = moving().map(|b| b.mass).sum();
        let velocity = 100.0 * scene.solver.tolerance * scene.time_step * gravity;
        Self {
            velocity,
            angular_velocity: velocity / size,
            energy: mass * (velocity * velocity + gravity * scene.solver.tolerance * size),
        }
    }
}
