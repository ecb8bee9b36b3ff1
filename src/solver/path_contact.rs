//! One contact on the central path ([`super::path_point`]), in logarithms.

use super::central_path::dot;
use super::law::{Gain, Mode};

/// Changes of logarithms below this are made in the impulses instead. Gaps are known to some 1e-17 m, which over h is 1e-2 of the slack of a
/// contact with 6 p_ref where one with 0.003 p_ref is solved to 1e-8. Newton's method follows that rounding for ever, and what it balanced to
/// first order only stayed open by 1e-4 p_ref.
const SMALL: f64 = 0.02;

/// One contact on the path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PathContact {
    /// Whether it has a product: it can move, and is no joint's.
    pub(super) open: bool,
    /// μ; 0: no friction.
    pub(super) coefficient: f64,
    /// x_n.
    pub(super) normal: f64,
    /// w.
    pub(super) friction: [f64; 3],
    /// ω.
    pub(super) weight: f64,
}

impl PathContact {
    /// √(1 + |w|²).
    fn stretch(&self) -> f64 {
        (1.0 + dot(&self.friction, &self.friction)).sqrt()
    }

    /// q.
    pub(super) fn ratio(&self) -> [f64; 3] {
        let stretch = self.stretch();
        self.friction.map(|w| w / stretch)
    }

    /// σ.
    pub(super) fn speed(&self, tau: f64) -> f64 {
        self.weight * tau * (1.0 + dot(&self.friction, &self.friction)) / (self.coefficient * self.normal)
    }

    /// s.
    pub(super) fn slack(&self, tau: f64) -> f64 {
        self.weight * tau / self.normal
    }

    pub(super) fn gain(&self, tau: f64) -> Gain {
        if self.coefficient == 0.0 {
            return Gain { mode: Mode::Stick, ..Gain::default() };
        }
        let ratio = self.ratio();
        let square = dot(&ratio, &ratio);
        let (length, alpha) = (square.sqrt(), self.coefficient * self.normal / self.speed(tau));
        Gain {
            mode: Mode::Stick,
            alpha,
            beta: alpha * 2.0 * square / (1.0 + square),
            direction: if length > 0.0 { ratio.map(|q| q / length) } else { [0.0; 3] },
            push: ratio.map(|q| 2.0 * self.coefficient * q / (1.0 + square)),
            ..Gain::default()
        }
    }

    /// a and g for changes z_n, z_t of y, mismatch included, and l.
    pub(super) fn change(&self, tau: f64, normal: f64, slip: &[f64; 3], l: f64) -> Change {
        let part = normal / self.slack(tau);
        let mut change = Change { normal: l - part, friction: [0.0; 3] };
        if self.coefficient > 0.0 {
            let (q, speed) = (self.ratio(), self.speed(tau));
            let z = [0, 1, 2].map(|i| slip[i] / speed + q[i] * part);
            let along = dot(&q, &z) / (1.0 + dot(&q, &q));
            change.friction = [0, 1, 2].map(|i| along * q[i] - z[i]);
        }
        change
    }

    /// x_t.
    pub(super) fn friction_impulse(&self) -> [f64; 3] {
        let radius = self.coefficient * self.normal;
        self.ratio().map(|q| radius * q)
    }

    /// Goes by a change: a small one by the impulses, else x_n by its logarithm; w by its own where it is small, else its direction turns and
    /// asinh |w| changes.
    pub(super) fn advance(&mut self, change: &Change) {
        if change.size() < SMALL && self.add_impulse(change) {
            return;
        }
        self.normal *= change.normal.exp();
        let (length, stretch) = (dot(&self.friction, &self.friction).sqrt(), self.stretch());
        if length < 1.0 {
            for (w, g) in self.friction.iter_mut().zip(change.friction) {
                *w += stretch * g;
            }
            return;
        }
        let direction = self.friction.map(|w| w / length);
        let radial = dot(&direction, &change.friction);
        let turned =
            [0, 1, 2].map(|i| direction[i] + (change.friction[i] - radial * direction[i]) * stretch / length);
        let scale = (length.asinh() + radial).sinh() / dot(&turned, &turned).sqrt();
        self.friction = turned.map(|w| w * scale);
    }

    /// x_n and x_t change as they do in the linear system, x_n by x_n a and q by g − q (q·g), so that the momentum it balanced stays balanced.
    /// Not done where the ball is so near that it would change 1 − |q|² otherwise than to first order.
    fn add_impulse(&mut self, change: &Change) -> bool {
        let q = self.ratio();
        let along = dot(&q, &change.friction);
        let growth = 1.0 + change.normal;
        let ratio = [0, 1, 2].map(|i| q[i] + (change.friction[i] - q[i] * along) / growth);
        let (before, inside) = (1.0 - dot(&q, &q), 1.0 - dot(&ratio, &ratio));
        let expected = before * (1.0 - 2.0 * along);
        let fits = inside > 0.0 && (inside - expected).abs() < SMALL * before;
        if fits {
            self.normal *= growth;
            self.friction = ratio.map(|q| q / inside.sqrt());
        }
        fits
    }
}

/// (a, g) of one contact.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Change {
    pub(super) normal: f64,
    pub(super) friction: [f64; 3],
}

impl Change {
    pub(super) fn plus(&self, scale: f64, other: &Self) -> Self {
        let friction = [0, 1, 2].map(|i| self.friction[i] + scale * other.friction[i]);
        Self { normal: self.normal + scale * other.normal, friction }
    }

    pub(super) fn dot(&self, other: &Self) -> f64 {
        self.normal * other.normal + dot(&self.friction, &other.friction)
    }

    pub(super) fn size(&self) -> f64 {
        self.normal.abs().max(dot(&self.friction, &self.friction).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(friction: [f64; 3]) -> PathContact {
        PathContact { open: true, coefficient: 0.5, normal: 8.0, friction, weight: 1.0 }
    }

    /// x_n a and μ x_n (a q + g − q (q·g)): what the linear system reckons with.
    #[test]
    fn a_small_change_is_linear_in_the_impulses() {
        let change = Change { normal: 7e-3, friction: [-4e-3, 3e-3, 5e-3] };
        for friction in [[0.0; 3], [0.6, -0.3, 0.2], [2.0, 1.0, -3.0]] {
            let mut contact = contact(friction);
            let (before, q, was) = (contact.friction_impulse(), contact.ratio(), contact.normal);
            contact.advance(&change);
            let along = dot(&q, &change.friction);
            let moved = contact.friction_impulse();
            assert!((contact.normal - was * (1.0 + change.normal)).abs() < 1e-14);
            for i in 0..3 {
                let rate = change.normal * q[i] + change.friction[i] - q[i] * along;
                assert!((moved[i] - before[i] - 0.5 * was * rate).abs() < 1e-14, "{friction:?}, {i}");
            }
        }
    }

    /// Sideways by the same 0.01 that is linear far inside: there it would leave the ball.
    #[test]
    fn close_to_the_ball_friction_turns() {
        let mut contact = contact([1e4, 0.0, 0.0]);
        contact.advance(&Change { normal: 0.0, friction: [0.0, 0.01, 0.0] });
        let length = dot(&contact.friction, &contact.friction).sqrt();
        assert!((length - 1e4).abs() < 1e-6 * 1e4, "{length}");
        assert!((contact.friction[1] / length - 0.01).abs() < 1e-5);
    }
}
