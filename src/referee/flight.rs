//! Start of the bodies of a step, and the velocities with which they left it, rebuilt from the end.
//!
//! Under `gyroscopic = "exact"` impulses act at the start of a step, and then each body flies: its angular
//! momentum L⁺ = R⁺ I R⁺ᵀ ω⁺ stays, and its orientation obeys
//! ```text
//! q' = ½ ω(q) q,     ω(q) = R I⁻¹ Rᵀ L⁺
//! ```
//! Followed backwards from the end the equation leads to the orientation of the start, and to the spin w with
//! which the body left it. Contact law and joints are about w. Here the equation is integrated by the
//! modified midpoint rule, extrapolated to steps of length zero (Gragg, Bulirsch, Stoer).

use super::staggered::is_staggered;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Gyroscopic;

/// Largest turn (rad) of a part of the time that is extrapolated at once.
const MAX_TURN_AT_ONCE: f64 = 0.25;
/// Number of doublings of the steps of the midpoint rule in a part: 2, 4, 8 and so on, to 2 to this power.
/// Extrapolation from numbers of steps that double keeps rounding small.
const MAX_DOUBLINGS: usize = 5;
/// Largest turn (rad) of a body, h √(2E tr I⁻¹), that is integrated; a body that may turn by more turns about
/// its momentum instead, at 2E/|L|.
const MAX_TURN: f64 = 20.0;

/// A step rebuilt from its end.
#[derive(Debug, Clone, Default)]
pub struct Moved {
    /// State at the start, as it must have been.
    pub start: State,
    /// State at the end, with the velocities (v, w) that led to it.
    pub end: State,
}

/// Whether bodies fly between impulses.
pub fn flies(scene: &Scene) -> bool {
    !is_staggered(scene) && scene.solver.spin_rule() == Gyroscopic::Exact
}

impl Moved {
    /// Follows all bodies back from the recorded end of a step.
    pub fn follow(&mut self, scene: &Scene, after: &State) {
        let h = scene.time_step;
        self.start.clone_from(after);
        self.end.clone_from(after);
        let flies = flies(scene);
        for (i, body) in scene.bodies.iter().enumerate() {
            let (pose, velocity) = (&mut self.start.poses[i], &mut self.end.velocities[i]);
            pose.position -= velocity.linear * h;
            let inertia = &body.inertia;
            let is_round = *inertia == Matrix3::identity() * inertia[(0, 0)];
            if !flies || body.fixed || is_round || velocity.angular == Vector3::zeros() {
                pose.orientation = UnitQuaternion::from_scaled_axis(-velocity.angular * h) * pose.orientation;
                continue;
            }
            let inverse = inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
            let flight =
                Flight { momentum: momentum(inertia, &pose.orientation, &velocity.angular), inverse };
            pose.orientation = flight.back(&pose.orientation, h);
            velocity.angular = flight.spin(&pose.orientation);
        }
    }
}

/// Angular momentum R I Rᵀ ω (kg m²/s).
pub fn momentum(inertia: &Matrix3<f64>, at: &UnitQuaternion<f64>, spin: &Vector3<f64>) -> Vector3<f64> {
    at * (inertia * (at.inverse() * spin))
}

/// A flight with constant angular momentum, world axes.
struct Flight {
    momentum: Vector3<f64>,
    /// Inverse inertia I⁻¹, body axes.
    inverse: Matrix3<f64>,
}

impl Flight {
    fn spin(&self, at: &UnitQuaternion<f64>) -> Vector3<f64> {
        at * (self.inverse * (at.inverse() * self.momentum))
    }

    /// Orientation h seconds before the end.
    fn back(&self, end: &UnitQuaternion<f64>, h: f64) -> UnitQuaternion<f64> {
        let energy = self.momentum.dot(&self.spin(end));
        let most = h * (energy * self.inverse.trace()).sqrt();
        if most.is_nan() || most > MAX_TURN {
            let about = self.momentum * (-h * energy / self.momentum.norm_squared());
            return UnitQuaternion::from_scaled_axis(about) * end;
        }
        let parts = (most / MAX_TURN_AT_ONCE).ceil().max(1.0);
        let mut at = *end;
        for _ in 0..parts as usize {
            at = self.extrapolated(&at, -h / parts);
        }
        at
    }

    /// Orientation q after t seconds.
    fn extrapolated(&self, start: &UnitQuaternion<f64>, t: f64) -> UnitQuaternion<f64> {
        // A row of the tableau of Aitken and Neville, in the squares of the lengths of the steps.
        let mut row = [*start.quaternion(); MAX_DOUBLINGS];
        let mut best = row[0];
        for k in 0..MAX_DOUBLINGS {
            let mut entry = self.midpoint(start, t, 2 << k);
            let mut ratio = 1.0;
            for coarser in &mut row[..k] {
                ratio *= 4.0;
                let finer = entry;
                entry += (finer - *coarser) * (1.0 / (ratio - 1.0));
                *coarser = finer;
            }
            row[k] = entry;
            let change = (entry - best).norm();
            best = entry;
            if k > 0 && change < 1e-16 {
                break;
            }
        }
        UnitQuaternion::from_quaternion(best)
    }

    /// Orientation by the modified midpoint rule with n steps.
    fn midpoint(&self, start: &UnitQuaternion<f64>, t: f64, n: u32) -> Quaternion<f64> {
        let rate = |q: &Quaternion<f64>| {
            let spin = self.spin(&UnitQuaternion::from_quaternion(*q));
            Quaternion::from_imag(spin) * q * 0.5
        };
        let dt = t / f64::from(n);
        let (mut before, mut now) = (*start.quaternion(), start.quaternion() + rate(start.quaternion()) * dt);
        for _ in 1..n {
            (before, now) = (now, before + rate(&now) * (2.0 * dt));
        }
        (before + now + rate(&now) * dt) * 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symmetric top turns about its momentum at |L|/I₁, and at (I₁ − I₃)/I₁ Ω₃ about its own axis.
    #[test]
    fn a_symmetric_top_came_from_where_it_was() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 1.8));
        let (start, spin) = (UnitQuaternion::identity(), Vector3::new(2.0, 0.0, 5.0));
        let flight = Flight { momentum: inertia * spin, inverse: inertia.try_inverse().unwrap() };
        for h in [1e-6, 0.01, 0.3, 1.7] {
            let own = Vector3::z() * ((1.0 - 1.8) * spin.z * h);
            let end =
                UnitQuaternion::from_scaled_axis(flight.momentum * h) * UnitQuaternion::from_scaled_axis(own);
            let off = flight.back(&end, h).angle_to(&start);
            assert!(off < 1e-15 + 2e-15 * h * spin.norm(), "{h}: {off:e}");
        }
    }
}
