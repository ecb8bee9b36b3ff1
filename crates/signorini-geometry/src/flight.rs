//! A rigid body that turns freely, with constant angular momentum (theory §1.4).
//!
//! In body axes Π' = Π × Ω, Ω = I⁻¹ Π and q' = ½ q Ω (Euler's equations and the quaternion of the turn) are
//! quadratic, so that the coefficients of their Taylor series follow from products of earlier ones. The
//! series is summed to rounding, over as many parts of the time as it takes to converge.

mod slope;

use self::slope::Directions;
use crate::pose::{cross_matrix, left_jacobian};
use nalgebra::{Matrix3, Matrix3x6, Quaternion, UnitQuaternion, Vector3, Vector6};

/// Most terms of the series; a span whose series has not converged by then is taken in two parts.
const MAX_TERMS: usize = 24;
/// Turn (rad) of a part of the time that is tried first.
const FIRST_TURN: f64 = 0.75;
/// The shortest part of the time that is tried, over all of it.
const SMALLEST_PART: f64 = 1e-6;
/// A flight that may turn the body by more than this (rad) is not followed: rounding would grow on the way,
/// about an intermediate axis by half a decade for each radian.
const MAX_TURN: f64 = 20.0;

/// Inertia of a body in its own axes.
#[derive(Debug, Clone, Copy)]
pub struct TurningBody<'a> {
    /// I (kg m²).
    pub inertia: &'a Matrix3<f64>,
    /// I⁻¹.
    pub inverse: &'a Matrix3<f64>,
}

/// The orientation of a body in flight, with the derivative of its turn.
#[derive(Debug, Clone, Copy)]
pub struct FlownOrientation {
    /// Orientation at the end.
    pub orientation: UnitQuaternion<f64>,
    /// δθ⁺ = h `turn` δω for a change of the spin at the start, world axes: the left Jacobian J_l(h ω) of a
    /// body with one inertia about all axes, of other bodies to fifth order in the turn of a part.
    pub turn: Matrix3<f64>,
}

impl TurningBody<'_> {
    /// Whether the inertia is one about all axes, so that the spin stays as it is.
    pub fn is_isotropic(&self) -> bool {
        *self.inertia == Matrix3::identity() * self.inertia[(0, 0)]
    }

    /// R I Rᵀ or R I⁻¹ Rᵀ.
    fn placed(tensor: &Matrix3<f64>, orientation: &UnitQuaternion<f64>) -> Matrix3<f64> {
        let rotation = orientation.to_rotation_matrix().into_inner();
        rotation * tensor * rotation.transpose()
    }

    /// Angular momentum with a spin, world axes (kg m²/s).
    pub fn momentum(&self, orientation: &UnitQuaternion<f64>, spin: &Vector3<f64>) -> Vector3<f64> {
        Self::placed(self.inertia, orientation) * spin
    }

    /// Spin with an angular momentum, world axes (rad/s).
    pub fn spin(&self, orientation: &UnitQuaternion<f64>, momentum: &Vector3<f64>) -> Vector3<f64> {
        let inverse = Self::placed(self.inverse, orientation);
        let rough = inverse * momentum;
        // Without the correction the rounding of the inverse, of one sign, would add up from step to step.
        rough + inverse * (momentum - self.momentum(orientation, &rough))
    }

    /// Flies for h seconds from an orientation and a spin in world axes.
    ///
    /// A turn that may be longer than `MAX_TURN` is not followed: the body then turns about its angular
    /// momentum, which leaves momentum and energy as they are, too.
    pub fn fly(&self, start: &UnitQuaternion<f64>, spin: &Vector3<f64>, h: f64) -> UnitQuaternion<f64> {
        self.follow(start, spin, h, |_, _, _| ())
    }

    /// Flies as [`Self::fly`] does, and finds the derivative of the turn too.
    pub fn fly_with_turn(
        &self,
        start: &UnitQuaternion<f64>,
        spin: &Vector3<f64>,
        h: f64,
    ) -> FlownOrientation {
        let inertia = Self::placed(self.inertia, start);
        let held = cross_matrix(&(inertia * spin));
        // δθ' = J⁻¹ (δL + [L]× δθ) with J⁻¹ = R I⁻¹ Rᵀ, by the classical rule of Runge and Kutta in each
        // part.
        let (mut turned, mut begin) = (Matrix3::zeros(), Self::placed(self.inverse, start));
        let orientation = self.follow(start, spin, h, |middle, end, part| {
            let [middle, end] = [middle, end].map(|at| Self::placed(self.inverse, at));
            let rate = |inverse: &Matrix3<f64>, turned: Matrix3<f64>| inverse * (inertia + held * turned);
            let first = rate(&begin, turned);
            let second = rate(&middle, turned + first * (0.5 * part));
            let third = rate(&middle, turned + second * (0.5 * part));
            let last = rate(&end, turned + third * part);
            turned += (first + (second + third) * 2.0 + last) * (part / 6.0);
            begin = end;
        });
        let turn = if turned == Matrix3::zeros() { left_jacobian(&(spin * h)) } else { turned / h };
        FlownOrientation { orientation, turn }
    }

    /// The turn of a flight as [`Self::fly_with_turn`] finds it, to rounding: the series of the flight is
    /// differentiated term by term.
    pub fn exact_turn(&self, start: &UnitQuaternion<f64>, spin: &Vector3<f64>, h: f64) -> Matrix3<f64> {
        let (inertia, momentum) = (Self::placed(self.inertia, start), self.momentum(start, spin));
        // A change of a part's body momentum by δL − δθ × L, in axes of the body.
        let (mut turned, mut begin, mut fails) = (Matrix3::zeros(), *start, false);
        self.follow(start, spin, h, |_, end, part| {
            let to_body = begin.to_rotation_matrix().into_inner().transpose();
            let gained = to_body * (inertia + cross_matrix(&momentum) * turned);
            let all = Directions { momentum: Matrix3::identity(), inverse: None };
            match slope::of(self.inverse, &(to_body * momentum), part, &all) {
                Some(slope) => turned += end.to_rotation_matrix().into_inner() * slope * gained,
                None => fails = true,
            }
            begin = *end;
        });
        if fails || turned == Matrix3::zeros() { self.fly_with_turn(start, spin, h).turn } else { turned / h }
    }

    /// Changes of the end's orientation, world axes, with the components of the inertia in the order of
    /// [`tensor`], at a spin that stays; to rounding. 0 for a flight that is not followed.
    pub fn turn_by_inertia(
        &self,
        start: &UnitQuaternion<f64>,
        spin: &Vector3<f64>,
        h: f64,
    ) -> Matrix3x6<f64> {
        let units: [Matrix3<f64>; 6] = std::array::from_fn(|k| tensor(&Vector6::ith(k, 1.0)));
        let inverses = units.map(|unit| -(self.inverse * unit * self.inverse));
        let to_start = start.to_rotation_matrix().into_inner();
        let own = to_start.tr_mul(spin);
        // The angular momentum at the start changes with the inertia, world axes.
        let gained = Matrix3x6::from_columns(&units.map(|unit| to_start * (unit * own)));
        let momentum = self.momentum(start, spin);
        let (mut turned, mut begin, mut fails) = (Matrix3x6::zeros(), *start, false);
        self.follow(start, spin, h, |_, end, part| {
            let to_body = begin.to_rotation_matrix().into_inner().transpose();
            let along = to_body * (gained + cross_matrix(&momentum) * turned);
            let along = Directions { momentum: along, inverse: Some(&inverses) };
            match slope::of(self.inverse, &(to_body * momentum), part, &along) {
                Some(slope) => turned += end.to_rotation_matrix().into_inner() * slope,
                None => fails = true,
            }
            begin = *end;
        });
        if fails { Matrix3x6::zeros() } else { turned }
    }

    /// Whether a flight is followed: one that may turn the body further turns it about its angular momentum.
    pub fn is_followed(&self, start: &UnitQuaternion<f64>, spin: &Vector3<f64>, h: f64) -> bool {
        let energy = self.momentum(start, spin).dot(spin);
        self.most(energy, h) <= MAX_TURN
    }

    /// Bound of the turn in h seconds at twice the energy of the spin (rad).
    fn most(&self, energy: f64, h: f64) -> f64 {
        h * (energy * self.inverse.trace()).sqrt()
    }

    /// Calls `see` with the orientations at the middle and the end of each part of the time, and its length
    /// (s).
    fn follow(
        &self,
        start: &UnitQuaternion<f64>,
        spin: &Vector3<f64>,
        h: f64,
        mut see: impl FnMut(&UnitQuaternion<f64>, &UnitQuaternion<f64>, f64),
    ) -> UnitQuaternion<f64> {
        if *spin == Vector3::zeros() {
            return *start;
        }
        let momentum = self.momentum(start, spin);
        let energy = momentum.dot(spin);
        let about_momentum =
            || UnitQuaternion::from_scaled_axis(momentum * (h * energy / momentum.norm_squared())) * start;
        let most = self.most(energy, h);
        if most.is_nan() || most > MAX_TURN {
            return about_momentum();
        }
        let (mut orientation, mut left) = (*start, h);
        let mut part = h / (h * spin.norm() / FIRST_TURN).ceil().max(1.0);
        while left > 0.0 {
            let span = if part < 0.999 * left { part } else { left };
            match self.sum(&(orientation.inverse() * momentum), span) {
                Some([middle, end]) => {
                    let middle = orientation * middle;
                    orientation *= end;
                    orientation.renormalize();
                    see(&middle, &orientation, span);
                    left -= span;
                }
                None if span < SMALLEST_PART * h => return about_momentum(),
                None => part = 0.5 * span,
            }
        }
        orientation
    }

    /// The turn of half and of the whole of a span, by its series; None where it does not converge.
    fn sum(&self, momentum: &Vector3<f64>, span: f64) -> Option<[UnitQuaternion<f64>; 2]> {
        let mut p = [Vector3::zeros(); MAX_TERMS + 1];
        let mut w = [Vector3::zeros(); MAX_TERMS + 1];
        let mut q = [Quaternion::from_parts(0.0, Vector3::zeros()); MAX_TERMS + 1];
        // Coefficients of time over the span.
        (p[0], w[0], q[0]) = (*momentum, self.inverse * momentum * span, Quaternion::identity());
        let (mut middle, mut end) = (q[0], q[0]);
        let mut weight = 1.0;
        for k in 1..=MAX_TERMS {
            let (mut torque, mut rate) = (Vector3::zeros(), Quaternion::from_parts(0.0, Vector3::zeros()));
            for i in 0..k {
                let spin = &w[k - 1 - i];
                torque += p[i].cross(spin);
                let (scalar, vector) = (q[i].scalar(), q[i].imag());
                rate += Quaternion::from_parts(-vector.dot(spin), spin * scalar + vector.cross(spin));
            }
            p[k] = torque / k as f64;
            w[k] = self.inverse * p[k] * span;
            q[k] = rate * (0.5 / k as f64);
            weight *= 0.5;
            middle += q[k] * weight;
            end += q[k];
            let small = |q: &Quaternion<f64>| q.norm_squared() < 1e-34;
            if small(&q[k]) && small(&q[k - 1]) {
                return Some([middle, end].map(UnitQuaternion::from_quaternion));
            }
        }
        None
    }
}

/// The symmetric tensor of components xx, yy, zz, xy, xz, yz.
pub fn tensor(components: &Vector6<f64>) -> Matrix3<f64> {
    let [xx, yy, zz, xy, xz, yz] = <[f64; 6]>::from(*components);
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inverse_of(inertia: &Matrix3<f64>) -> Matrix3<f64> {
        inertia.try_inverse().unwrap()
    }

    /// One flight and ten thousand short ones, over the longest time that is followed, have one end and one
    /// energy.
    #[test]
    fn a_flight_is_the_sum_of_its_parts() {
        let tilt = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.1, -0.7)).to_rotation_matrix();
        for diagonal in [[0.2, 1.0, 1.1], [0.003, 1.0, 1.002], [0.9, 0.8, 1.69]] {
            let inertia = tilt * Matrix3::from_diagonal(&diagonal.into()) * tilt.transpose();
            let inverse = inverse_of(&inertia);
            let body = TurningBody { inertia: &inertia, inverse: &inverse };
            let start = UnitQuaternion::from_scaled_axis(Vector3::new(-1.0, 2.0, 0.3));
            let spin = Vector3::new(3.0, -7.0, 2.0);
            let momentum = body.momentum(&start, &spin);
            let h = 0.99 * MAX_TURN / (spin.dot(&momentum) * inverse.trace()).sqrt();
            let (whole, n) = (body.fly(&start, &spin, h), 10_000);
            let mut parts = start;
            for _ in 0..n {
                parts = body.fly(&parts, &body.spin(&parts, &momentum), h / f64::from(n));
            }
            assert!(whole.angle_to(&parts) < 1e-10, "{diagonal:?}: {:e}", whole.angle_to(&parts));
            let energy = body.spin(&whole, &momentum).dot(&momentum) / spin.dot(&momentum) - 1.0;
            assert!(energy.abs() < 1e-12, "{diagonal:?}: {energy:e}");
            let back = body.fly(&whole, &body.spin(&whole, &-momentum), h);
            assert!(back.angle_to(&start) < 1e-11, "{diagonal:?}: {:e}", back.angle_to(&start));
        }
    }

    /// A plate spins about its axis at the rate (I₃ − I₁)/I₁ Ω₃ relative to its momentum's frame; as a
    /// symmetric top it precesses at |L|/I₁.
    #[test]
    fn a_symmetric_top_precesses_as_it_should() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 1.8));
        let inverse = inverse_of(&inertia);
        let body = TurningBody { inertia: &inertia, inverse: &inverse };
        let (start, spin, h) = (UnitQuaternion::identity(), Vector3::new(2.0, 0.0, 5.0), 0.9);
        let momentum = inertia * spin;
        let own = Vector3::z() * ((1.0 - 1.8) * spin.z);
        let exact =
            UnitQuaternion::from_scaled_axis(momentum * h) * UnitQuaternion::from_scaled_axis(own * h);
        assert!(body.fly(&start, &spin, h).angle_to(&exact) < 1e-14);
    }

    #[test]
    fn the_turn_is_the_derivative_of_the_flight() {
        let inertia = Matrix3::new(0.4, 0.05, 0.0, 0.05, 1.0, -0.1, 0.0, -0.1, 1.2);
        let inverse = inverse_of(&inertia);
        let body = TurningBody { inertia: &inertia, inverse: &inverse };
        let start = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 1.0));
        for spin in [0.3, 3.0, 30.0] {
            let (spin, h) = (Vector3::new(0.6, -1.0, 0.8) * spin, 0.1);
            let turn = body.exact_turn(&start, &spin, h);
            for i in 0..3 {
                let difference = |e: f64| {
                    let step = Vector3::ith(i, e);
                    let [plus, minus] = [spin + step, spin - step].map(|w| body.fly(&start, &w, h));
                    (plus * minus.inverse()).scaled_axis() / (2.0 * e * h)
                };
                let difference = (difference(1e-3) * 4.0 - difference(2e-3)) / 3.0;
                let column: Vector3<f64> = turn.column(i).into();
                assert!((difference - column).norm() < 1e-9, "{spin}: {difference} against {column}");
            }
        }
        for (spin, bound) in [(0.3, 1e-5), (3.0, 1e-2), (30.0, 0.5)] {
            let (spin, h) = (Vector3::new(0.6, -1.0, 0.8) * spin, 0.1);
            let FlownOrientation { orientation, turn } = body.fly_with_turn(&start, &spin, h);
            assert_eq!(orientation, body.fly(&start, &spin, h));
            for i in 0..3 {
                let step = Vector3::ith(i, 1e-5);
                let [plus, minus] = [spin + step, spin - step].map(|w| body.fly(&start, &w, h));
                let difference = (plus * minus.inverse()).scaled_axis() / (2e-5 * h);
                let column: Vector3<f64> = turn.column(i).into();
                assert!((difference - column).norm() < bound, "{spin}: {difference} against {column}");
            }
        }
    }

    #[test]
    fn the_turn_by_inertia_is_the_derivative_of_the_flight() {
        let upright = Vector6::new(0.4, 1.0, 1.2, 0.05, 0.0, -0.1);
        let start = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 1.0));
        for components in [upright, Vector6::new(0.7, 0.7, 0.7, 0.0, 0.0, 0.0)] {
            for speed in [0.3, 3.0, 30.0] {
                let (spin, h) = (Vector3::new(0.6, -1.0, 0.8) * speed, 0.1);
                let fly = |components: Vector6<f64>| {
                    let inertia = tensor(&components);
                    let inverse = inverse_of(&inertia);
                    TurningBody { inertia: &inertia, inverse: &inverse }.fly(&start, &spin, h)
                };
                let (inertia, inverse) = (tensor(&components), inverse_of(&tensor(&components)));
                let body = TurningBody { inertia: &inertia, inverse: &inverse };
                let turn = body.turn_by_inertia(&start, &spin, h);
                assert!(body.is_followed(&start, &spin, h) && turn != Matrix3x6::zeros());
                for i in 0..6 {
                    let difference = |e: f64| {
                        let [up, down] = [e, -e].map(|e| fly(components + Vector6::ith(i, e)));
                        (up * down.inverse()).scaled_axis() / (2.0 * e)
                    };
                    let difference = (difference(1e-3) * 4.0 - difference(2e-3)) / 3.0;
                    let column: Vector3<f64> = turn.column(i).into();
                    assert!((difference - column).norm() < 1e-8, "{speed} {i}: {difference} {column}");
                }
            }
        }
    }

    /// Too fast to be followed, the body keeps momentum and energy all the same.
    #[test]
    fn the_longest_flights_keep_what_they_should() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(0.02, 1.0, 1.01));
        let inverse = inverse_of(&inertia);
        let body = TurningBody { inertia: &inertia, inverse: &inverse };
        let (start, spin) = (UnitQuaternion::identity(), Vector3::new(1e5, 2e5, -3e5));
        let momentum = body.momentum(&start, &spin);
        let end = body.fly(&start, &spin, 0.1);
        let after = body.spin(&end, &momentum);
        assert!((after.dot(&momentum) / spin.dot(&momentum) - 1.0).abs() < 1e-12);
        assert!(body.fly(&start, &Vector3::repeat(f64::NAN), 0.1).angle_to(&start).is_nan());
    }
}
