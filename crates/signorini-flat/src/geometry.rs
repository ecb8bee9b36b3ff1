//! Geometry of four contacts at the poses that velocities give at the end of the step: closest points,
//! frame, arms, step sizes of the rows.

use crate::batch::{Batch, Frame, half_of, half_vectors, moving_or_given};
use crate::bodies::{FourBodies, PlacedBody};
use crate::closest::{Ellipsoids, tangents};
use crate::flight::FourEllipsoids;
use crate::numbers::{Four, Number, Vector, add, cross, dot, product, scale, sub, sub_scaled};
use crate::parameters::{LEAST_RESPONSE, SHORT_TANGENT};
use crate::simd::Simd;

/// The two bodies of each of four contacts.
#[derive(Clone, Copy)]
pub struct Sides<S: Simd> {
    /// Bodies A.
    pub a: FourBodies<S>,
    /// Bodies B.
    pub b: FourBodies<S>,
}

/// Geometry of four contacts.
#[derive(Clone, Copy)]
pub struct Contacts<S: Simd> {
    /// Frame n, t, o.
    pub frame: [Vector<Four<S>>; 3],
    /// Signed distance (m).
    pub gap: Four<S>,
    /// From the centres of mass of A and B to the contact (m).
    pub arms: [Vector<Four<S>>; 2],
    /// Step sizes r of the normal row and of both tangents (kg).
    pub step_sizes: [Four<S>; 2],
    /// Velocities along t and o that a unit of normal impulse adds (1/kg).
    pub coupling: [Four<S>; 2],
}

impl<S: Simd> Sides<S> {
    /// Gathers the bodies of half a batch from those that move and those whose motion is given.
    #[inline(always)]
    pub fn gather(s: S, bodies: [&[PlacedBody]; 2], contacts: (&Batch, &Frame), half: usize) -> Self {
        let a = FourBodies::gather(s, moving_or_given(bodies, contacts, 0, half));
        let b = FourBodies::gather(s, moving_or_given(bodies, contacts, 1, half));
        Self { a, b }
    }

    /// Relative velocity of the surfaces at the contact (m/s).
    #[inline(always)]
    pub fn velocity(&self, arms: [Vector<Four<S>>; 2]) -> Vector<Four<S>> {
        relative([self.a.velocity, self.a.spin], [self.b.velocity, self.b.spin], arms)
    }

    /// Geometry of half a batch with its bodies' ellipsoids at the end of the step.
    #[inline(always)]
    pub fn contacts(
        &self,
        [a, b]: [&FourEllipsoids<S>; 2],
        (batch, frame): (&Batch, &Frame),
        half: usize,
        mismatch: f64,
    ) -> Contacts<S> {
        let s = self.a.inverse_mass.0;
        let zero = Four::all(s, 0.0);
        let plane = Four::of(s, half_of(&frame.is_plane, half)).above(zero);
        let start = [
            Four::of(s, half_of(&frame.normal[0], half)),
            Four::of(s, half_of(&frame.normal[1], half)),
            Four::of(s, half_of(&frame.normal[2], half)),
        ];
        let offset = Four::of(s, half_of(&frame.offset, half));
        let ellipsoids = Ellipsoids { a: a.q, b: b.q, way: sub(b.centre, a.centre) };
        let at = ellipsoids.closest(start, plane, mismatch);
        let n = at.normal;
        let to_plane = dot(n, b.centre) - offset - dot(n, at.point_b);
        let gap = plane.select(to_plane, at.gap);
        // The reaction on a half-space moves nothing; the velocity of its surface is taken at the contact.
        let arm_b = [zero - at.point_b[0], zero - at.point_b[1], zero - at.point_b[2]];
        let arm_a = plane.select_vector(add(ellipsoids.way, arm_b), at.point_a);
        let t = carried_tangent(n, half_vectors(s, &batch.tangent, half));
        let frame = [n, t, cross(n, t)];
        self.rows(frame, gap, [arm_a, arm_b])
    }

    /// Step sizes and couplings of rows with this frame.
    #[inline(always)]
    fn rows(&self, frame: [Vector<Four<S>>; 3], gap: Four<S>, arms: [Vector<Four<S>>; 2]) -> Contacts<S> {
        let s = gap.0;
        let least = Four::all(s, LEAST_RESPONSE);
        let [along_n, along_t, along_o] =
            [moments(arms, frame[0]), moments(arms, frame[1]), moments(arms, frame[2])];
        let (by_n, by_t, by_o) = (self.turned(along_n), self.turned(along_t), self.turned(along_o));
        let inverse_mass = self.a.inverse_mass + self.b.inverse_mass;
        let both = inverse_mass + inverse_mass + couple(by_t, along_t) + couple(by_o, along_o);
        let step_sizes = [
            Four::all(s, 1.0) / (inverse_mass + couple(by_n, along_n)).max(least),
            Four::all(s, 2.0) / both.max(least),
        ];
        let coupling = [couple(by_n, along_t), couple(by_n, along_o)];
        Contacts { frame, gap, arms, step_sizes, coupling }
    }

    /// I⁻¹ times a moment on each body.
    #[inline(always)]
    fn turned(&self, [on_a, on_b]: [Vector<Four<S>>; 2]) -> [Vector<Four<S>>; 2] {
        [product(&self.a.inverse_inertia, on_a), product(&self.b.inverse_inertia, on_b)]
    }
}

/// Moments of an impulse on both bodies.
#[inline(always)]
pub fn moments<S: Simd>(arms: [Vector<Four<S>>; 2], impulse: Vector<Four<S>>) -> [Vector<Four<S>>; 2] {
    [cross(arms[0], impulse), cross(arms[1], impulse)]
}

/// a·b over both bodies.
#[inline(always)]
fn couple<S: Simd>(a: [Vector<Four<S>>; 2], b: [Vector<Four<S>>; 2]) -> Four<S> {
    dot(a[0], b[0]) + dot(a[1], b[1])
}

/// Velocity of B over A at the contact; each side is (velocity, spin).
#[inline(always)]
pub fn relative<S: Simd>(
    a: [Vector<Four<S>>; 2],
    b: [Vector<Four<S>>; 2],
    arms: [Vector<Four<S>>; 2],
) -> Vector<Four<S>> {
    sub(add(b[0], cross(b[1], arms[1])), add(a[0], cross(a[1], arms[0])))
}

/// The last tangent carried along with the normal, or any tangent where it has come near the normal.
#[inline(always)]
fn carried_tangent<S: Simd>(n: Vector<Four<S>>, last: Vector<Four<S>>) -> Vector<Four<S>> {
    let s = n[0].0;
    let across = sub_scaled(n, dot(n, last), last);
    let square = dot(across, across);
    let long = square.above(Four::all(s, SHORT_TANGENT));
    let inverse = Four::all(s, 1.0) / square.max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
    let [any, _] = tangents(n);
    long.select_vector(scale(across, inverse), any)
}

/// The impulse of three numbers in a frame.
#[inline(always)]
pub fn in_frame<T: Number>(frame: [Vector<T>; 3], x: Vector<T>) -> Vector<T> {
    let [n, t, o] = frame;
    add(scale(n, x[0]), add(scale(t, x[1]), scale(o, x[2])))
}
