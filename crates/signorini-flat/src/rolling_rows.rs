//! Passes over the rows of rolling resistance, which are solved after those of their contact and read its
//! normal impulse.
//!
//! ```text
//! y = (a t·ω, a o·ω),   ω = ω_B − ω_A,     couple on B = a (x_t t + x_o o),
//! x ← P((ρ/a) x_n, (x − r y + e z)/(1 + e)),     r = 2/(W_tt + W_oo)
//! ```
//! with a the arm, P the projection on the disc, e and z the proximal term, and
//! W = a² (t, o)ᵀ (I_A⁻¹ + I_B⁻¹) (t, o).

use crate::batch::{Batch, Frame, half_vectors, moving_or_given, vectors_of};
use crate::bodies::{Six, SweptBody, gather, pushed, scatter, vectors};
use crate::change::{Change, larger};
use crate::geometry::{Contacts, Sides};
use crate::moving::Moving;
use crate::numbers::{Eight, Four, Number, Vector, add, add_scaled, cross, dot, product, scale, sub};
use crate::parameters::{LEAST_FRICTION_SQUARE, LEAST_RESPONSE};
use crate::rolling::{Rolling, Two};
use crate::simd::Simd;
use crate::sweep_by::SweepBy;

/// Rows of a contact's rolling at a geometry, four at once.
#[derive(Clone, Copy)]
pub struct RollingAt<S: Simd> {
    /// Axes a t and a o (m).
    axes: [Vector<Four<S>>; 2],
    step_size: Four<S>,
    friction: Four<S>,
}

impl Rolling {
    /// Sweeps the rows of a batch: each after its contact, with the others held.
    #[inline(always)]
    pub fn sweep<S: Simd>(&mut self, s: S, bodies: &mut [SweptBody], batch: &Batch, by: SweepBy) -> Change {
        if by.recentre {
            self.recentre();
        }
        self.extrapolate(by.extrapolation);
        let [a, b] = batch.bodies;
        let (before_a, before_b) = (gather::<S, 0>(s, bodies, &a), gather::<S, 0>(s, bodies, &b));
        let (n, t) = (vectors_of(s, &batch.normal), vectors_of(s, &batch.tangent));
        let arm = Eight::of(s, &self.arm);
        let axes = [scale(t, arm), scale(cross(n, t), arm)];
        let spin = sub([before_b[4], before_b[5], before_b[6]], [before_a[4], before_a[5], before_a[6]]);
        let (r, mut z) = (Eight::of(s, &self.step_size), [Eight::all(s, 0.0); 2]);
        for (row, z) in z.iter_mut().enumerate() {
            let y = dot(axes[row], spin) + Eight::of(s, &self.offset[row]);
            let x = r.neg_mul_add(y, Eight::of(s, &self.impulse[row]));
            *z = by.prox8(x, Eight::of(s, &self.proximal[row]));
        }
        let length = z[0].mul_add(z[0], z[1] * z[1]).max(Eight::all(s, LEAST_FRICTION_SQUARE)).sqrt();
        let bound = Eight::of(s, &self.friction) * Eight::of(s, &batch.impulse[0]);
        let shrink = (bound / length).min(Eight::all(s, 1.0));
        let next = [z[0] * shrink, z[1] * shrink];
        let d = [0, 1].map(|row: usize| next[row] - Eight::of(s, &self.impulse[row]));
        (self.impulse, self.change) = (next.map(Eight::out), d.map(Eight::out));
        let couple = add_scaled(axes[0], d[0], scale(axes[1], d[1]));
        let (none, minus) = ([Eight::all(s, 0.0); 3], Eight::all(s, -1.0));
        let inertia = gather::<S, 1>(s, bodies, &a);
        scatter(bodies, &a, pushed(before_a, &inertia, (none, scale(couple, minus)), batch.has_guides));
        let inertia = gather::<S, 1>(s, bodies, &b);
        scatter(bodies, &b, pushed(before_b, &inertia, (none, couple), batch.has_guides));
        let most = d[0].abs().max(d[1].abs()) * Eight::of(s, &batch.per_unit);
        Change {
            square: d[0].mul_add(d[0], d[1] * d[1]).out().iter().map(|x| f64::from(*x)).sum(),
            largest: most.out().iter().fold(0.0, |most, x| larger(most, f64::from(*x))),
            moved: 0.0,
        }
    }

    /// Half of the impulses.
    #[inline(always)]
    fn half<S: Simd>(s: S, of: &Two, half: usize) -> [Four<S>; 2] {
        [Four::half(s, &of[0], half), Four::half(s, &of[1], half)]
    }

    /// The couple on B that the rows of a batch hold, at its frame.
    #[inline(always)]
    pub fn couple_of_rows<S: Simd>(&self, s: S, batch: &Batch, half: usize) -> Vector<Four<S>> {
        let (n, t) = (half_vectors(s, &batch.normal, half), half_vectors(s, &batch.tangent, half));
        let arm = Four::half(s, &self.arm, half);
        couple([scale(t, arm), scale(cross(n, t), arm)], Self::half(s, &self.impulse, half))
    }

    /// Half of the rows at a geometry.
    #[inline(always)]
    pub fn at<S: Simd>(&self, s: S, sides: &Sides<S>, now: &Contacts<S>, half: usize) -> RollingAt<S> {
        let (arm, [_, t, o]) = (Four::half(s, &self.arm, half), now.frame);
        let axes = [scale(t, arm), scale(o, arm)];
        let response = |axis: Vector<Four<S>>| {
            let turned =
                add(product(&sides.a.inverse_inertia, axis), product(&sides.b.inverse_inertia, axis));
            dot(axis, turned)
        };
        let trace = response(axes[0]) + response(axes[1]);
        let step_size = Four::all(s, 2.0) / trace.max(Four::all(s, LEAST_RESPONSE));
        RollingAt { axes, step_size, friction: Four::half(s, &self.friction, half) }
    }

    /// The couple on B at a geometry.
    #[inline(always)]
    pub fn couple<S: Simd>(&self, s: S, at: &RollingAt<S>, half: usize) -> Vector<Four<S>> {
        couple(at.axes, Self::half(s, &self.impulse, half))
    }

    /// Solves half of the rows at normal impulses, and gives the bodies the change of the couples.
    #[inline(always)]
    pub fn turn<S: Simd>(
        &mut self,
        (s, half): (S, usize),
        at: &RollingAt<S>,
        (now, moving): (&Contacts<S>, &mut Moving<S>),
        normal: Four<S>,
        by: SweepBy,
    ) -> [Four<S>; 2] {
        let (x, z) = (Self::half(s, &self.impulse, half), Self::half(s, &self.proximal, half));
        let y = at.velocity(moving.spin_over(now));
        let z = [0, 1].map(|row: usize| by.prox4(at.step_size.neg_mul_add(y[row], x[row]), z[row]));
        let next = at.projected(z, normal);
        let d = [next[0] - x[0], next[1] - x[1]];
        let (none, c) = ([Four::all(s, 0.0); 3], couple(at.axes, d));
        moving.push(none, [c, c]);
        for row in 0..2 {
            next[row].put_half(&mut self.impulse[row], half);
            d[row].put_half(&mut self.change[row], half);
        }
        d
    }

    /// Natural map of half of the rows at normal impulses, in N s.
    #[inline(always)]
    pub fn residual<S: Simd>(
        &self,
        (s, half): (S, usize),
        at: &RollingAt<S>,
        spin: Vector<Four<S>>,
        (normal, stiffening): (Four<S>, Four<S>),
    ) -> Four<S> {
        let (x, y) = (Self::half(s, &self.impulse, half), at.velocity(spin));
        let step = stiffening * at.step_size;
        let next = at.projected([x[0] - step * y[0], x[1] - step * y[1]], normal);
        let (e_t, e_o) = (x[0] - next[0], x[1] - next[1]);
        e_t.mul_add(e_t, e_o * e_o).sqrt()
    }

    /// Writes half of the rows at the velocities `bases` of moving and of given bodies.
    #[inline(always)]
    pub fn write<S: Simd>(
        &mut self,
        (s, half): (S, usize),
        at: &RollingAt<S>,
        (batch, frame): (&Batch, &Frame),
        (now, bases): (&Contacts<S>, [&[Six]; 2]),
    ) {
        let [a, b] =
            [0, 1].map(|side: usize| vectors(s, moving_or_given(bases, (batch, frame), side, half), 4));
        let y = at.velocity(add(sub(b, a), now.surface[1]));
        y[0].put_half(&mut self.offset[0], half);
        y[1].put_half(&mut self.offset[1], half);
        at.step_size.put_half(&mut self.step_size, half);
    }
}

impl<S: Simd> RollingAt<S> {
    #[inline(always)]
    fn velocity(&self, spin: Vector<Four<S>>) -> [Four<S>; 2] {
        self.axes.map(|axis| dot(axis, spin))
    }

    /// Projection on the disc of a normal impulse.
    #[inline(always)]
    fn projected(&self, [z_t, z_o]: [Four<S>; 2], normal: Four<S>) -> [Four<S>; 2] {
        let s = normal.0;
        let length = z_t.mul_add(z_t, z_o * z_o).max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
        let shrink = (self.friction * normal / length).min(Four::all(s, 1.0));
        [z_t * shrink, z_o * shrink]
    }
}

/// The couple of two impulses about axes.
#[inline(always)]
fn couple<S: Simd>(axes: [Vector<Four<S>>; 2], x: [Four<S>; 2]) -> Vector<Four<S>> {
    add_scaled(axes[0], x[0], scale(axes[1], x[1]))
}
