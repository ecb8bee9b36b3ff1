//! Friction of one contact on the central path ([`crate::solver::path::point`]).

use crate::solver::central_path::dot;
use crate::solver::law::{ContactStatus, ProjectionDerivative};
use crate::solver::parameters::central_path::SMALL_LOG_CHANGE;

/// One contact on the path.
#[derive(Debug, Clone, Copy, Default)]
pub struct PathContact {
    /// Whether it has products: a contact point can move, and it is no joint's.
    pub open: bool,
    /// μ; 0: no friction.
    pub coefficient: f64,
    /// Σ x_n.
    pub normal: f64,
    /// w.
    pub friction: [f64; 3],
    /// ω.
    pub weight: f64,
}

impl PathContact {
    /// √(1 + |w|²).
    fn stretch(&self) -> f64 {
        (1.0 + dot(&self.friction, &self.friction)).sqrt()
    }

    /// q.
    pub fn ratio(&self) -> [f64; 3] {
        let stretch = self.stretch();
        self.friction.map(|w| w / stretch)
    }

    /// σ.
    pub fn speed(&self, tau: f64) -> f64 {
        self.weight * tau * (1.0 + dot(&self.friction, &self.friction)) / (self.coefficient * self.normal)
    }

    /// s of a contact point that carries x.
    pub fn slack(&self, tau: f64, x: f64) -> f64 {
        self.weight * tau / x
    }

    pub fn derivative(&self, tau: f64) -> ProjectionDerivative {
        if self.coefficient == 0.0 {
            return ProjectionDerivative { status: ContactStatus::Stick, ..ProjectionDerivative::default() };
        }
        let ratio = self.ratio();
        let square = dot(&ratio, &ratio);
        let (length, alpha) = (square.sqrt(), self.coefficient * self.normal / self.speed(tau));
        ProjectionDerivative {
            status: ContactStatus::Stick,
            alpha,
            beta: alpha * 2.0 * square / (1.0 + square),
            direction: if length > 0.0 { ratio.map(|q| q / length) } else { [0.0; 3] },
            push: ratio.map(|q| 2.0 * self.coefficient * q / (1.0 + square)),
            ..ProjectionDerivative::default()
        }
    }

    /// g for a change `slip` of y_t, mismatch included, where l exceeds the change of ln Σ x_n by `part`.
    pub fn change(&self, tau: f64, slip: &[f64; 3], part: f64) -> [f64; 3] {
        if self.coefficient == 0.0 {
            return [0.0; 3];
        }
        let (q, speed) = (self.ratio(), self.speed(tau));
        let z = [0, 1, 2].map(|i| slip[i] / speed + q[i] * part);
        let along = dot(&q, &z) / (1.0 + dot(&q, &q));
        [0, 1, 2].map(|i| along * q[i] - z[i])
    }

    /// g for changes of Σ x_n and of x_t.
    pub fn change_of_impulse(&self, normal: f64, friction: &[f64; 3]) -> [f64; 3] {
        if self.coefficient == 0.0 {
            return [0.0; 3];
        }
        let (q, radius) = (self.ratio(), self.coefficient * self.normal);
        let turned = [0, 1, 2].map(|i| (friction[i] - q[i] * self.coefficient * normal) / radius);
        let along = dot(&q, &turned) * self.stretch().powi(2);
        [0, 1, 2].map(|i| turned[i] + q[i] * along)
    }

    /// x_t.
    pub fn friction_impulse(&self) -> [f64; 3] {
        let radius = self.coefficient * self.normal;
        self.ratio().map(|q| radius * q)
    }

    /// Turns friction by g: w by its own where it is small, else its direction turns and asinh |w| changes.
    pub fn turn(&mut self, change: &[f64; 3]) {
        let (length, stretch) = (dot(&self.friction, &self.friction).sqrt(), self.stretch());
        if length < 1.0 {
            for (w, g) in self.friction.iter_mut().zip(change) {
                *w += stretch * g;
            }
            return;
        }
        let direction = self.friction.map(|w| w / length);
        let radial = dot(&direction, change);
        let turned = [0, 1, 2].map(|i| direction[i] + (change[i] - radial * direction[i]) * stretch / length);
        let scale = (length.asinh() + radial).sinh() / dot(&turned, &turned).sqrt();
        self.friction = turned.map(|w| w * scale);
    }

    /// w where x_n and x_t change as they do in the linear system, Σ x_n by the factor `growth` and q by g −
    /// q (q·g), so that the momentum it balanced stays balanced. None where the ball is so near that 1 − |q|²
    /// would change otherwise than to first order.
    pub fn changed_linearly(&self, growth: f64, change: &[f64; 3]) -> Option<[f64; 3]> {
        let q = self.ratio();
        let along = dot(&q, change);
        let ratio = [0, 1, 2].map(|i| q[i] + (change[i] - q[i] * along) / growth);
        let (before, inside) = (1.0 - dot(&q, &q), 1.0 - dot(&ratio, &ratio));
        let expected = before * (1.0 - 2.0 * along);
        let fits = inside > 0.0 && (inside - expected).abs() < SMALL_LOG_CHANGE * before;
        fits.then(|| ratio.map(|q| q / inside.sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(friction: [f64; 3]) -> PathContact {
        PathContact { open: true, coefficient: 0.5, normal: 8.0, friction, weight: 1.0 }
    }

    /// μ x_n (a q + g − q (q·g)): what the linear system reckons with.
    #[test]
    fn a_small_change_is_linear_in_the_impulses() {
        let (a, g) = (7e-3, [-4e-3, 3e-3, 5e-3]);
        for friction in [[0.0; 3], [0.6, -0.3, 0.2], [2.0, 1.0, -3.0]] {
            let mut contact = contact(friction);
            let (before, q) = (contact.friction_impulse(), contact.ratio());
            contact.friction = contact.changed_linearly(1.0 + a, &g).expect("far inside");
            contact.normal *= 1.0 + a;
            let along = dot(&q, &g);
            let moved = contact.friction_impulse();
            let change = [0, 1, 2].map(|i| moved[i] - before[i]);
            for i in 0..3 {
                assert!(
                    (change[i] - 0.5 * 8.0 * (a * q[i] + g[i] - q[i] * along)).abs() < 1e-14,
                    "{friction:?}, {i}"
                );
            }
            contact.normal = 8.0;
            contact.friction = friction;
            let found = contact.change_of_impulse(8.0 * a, &change);
            assert!((0..3).all(|i| (found[i] - g[i]).abs() < 1e-13), "{found:?}");
        }
    }

    /// Sideways by the same 0.01 that is linear far inside: there it would leave the ball.
    #[test]
    fn close_to_the_ball_friction_turns() {
        let mut contact = contact([1e4, 0.0, 0.0]);
        let change = [0.0, 0.01, 0.0];
        assert!(contact.changed_linearly(1.0, &change).is_none());
        contact.turn(&change);
        let length = dot(&contact.friction, &contact.friction).sqrt();
        assert!((length - 1e4).abs() < 1e-6 * 1e4, "{length}");
        assert!((contact.friction[1] / length - 0.01).abs() < 1e-5);
    }
}
