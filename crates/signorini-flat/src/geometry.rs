//! Geometry of four contacts at the poses that velocities give at the end of the step: closest points,
//! frame, arms, step sizes of the rows.

use crate::batch::{Batch, Frame, half_of, half_vectors, moving_or_given};
use crate::bodies::{FourBodies, PlacedBody};
use crate::closest::{Ellipsoids, tangents};
use crate::flight::FourEllipsoids;
use crate::numbers::{Four, Number, Symmetric, Vector, add, cross, dot, product, scale, sub, sub_scaled};
use crate::parameters::{FRICTION_STEP, LEAST_RESPONSE, SHORT_TANGENT};
use crate::simd::{Simd, WIDTH};

/// The two bodies of each of four contacts.
#[derive(Clone, Copy)]
pub struct Sides<S: Simd> {
    /// Bodies A.
    pub a: FourBodies<S>,
    /// Bodies B.
    pub b: FourBodies<S>,
    /// Mobility of bodies A and B (1/kg), where some are on guides.
    pub mobility: Option<[Symmetric<Four<S>>; 2]>,
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
    /// Step sizes r of the normal row and of the friction rows (kg).
    pub step_sizes: [Four<S>; 2],
    /// Slip that a unit of normal impulse adds (1/kg).
    pub coupling: Vector<Four<S>>,
    /// Radius e_r of torsional friction (m).
    pub torsion: Four<S>,
    /// Velocity at the contact (m/s) and spin (rad/s) of the surface of B over its body, less those of A.
    pub surface: [Vector<Four<S>>; 2],
}

impl<S: Simd> Contacts<S> {
    /// Half of a batch as its rows hold it, without its gaps.
    #[inline(always)]
    pub fn of_rows(s: S, batch: &Batch, half: usize) -> Self {
        let (n, t) = (half_vectors(s, &batch.normal, half), half_vectors(s, &batch.tangent, half));
        let [r_n, r_t] = &batch.step_sizes;
        Self {
            frame: [n, t, cross(n, t)],
            gap: Four::all(s, 0.0),
            arms: [half_vectors(s, &batch.arms[0], half), half_vectors(s, &batch.arms[1], half)],
            step_sizes: [Four::half(s, r_n, half), Four::half(s, r_t, half)],
            coupling: half_vectors(s, &batch.coupling, half),
            torsion: Four::half(s, &batch.torsion, half),
            surface: [[Four::all(s, 0.0); 3]; 2],
        }
    }

    /// Impulse and moments on both bodies of the rows x.
    #[inline(always)]
    pub fn push(&self, x: [Four<S>; 4]) -> (Vector<Four<S>>, [Vector<Four<S>>; 2]) {
        let push = in_frame(self.frame, [x[0], x[1], x[2]]);
        (push, moments(self.arms, push, self.twist(x[3])))
    }

    /// Torsional impulse of the fourth row.
    #[inline(always)]
    pub fn twist(&self, x: Four<S>) -> Vector<Four<S>> {
        scale(self.frame[0], self.torsion * x)
    }
}

impl<S: Simd> Sides<S> {
    /// Gathers the bodies of half a batch from those that move and those whose motion is given.
    #[inline(always)]
    pub fn gather(s: S, bodies: [&[PlacedBody]; 2], contacts: (&Batch, &Frame), half: usize) -> Self {
        let [of_a, of_b] = [0, 1].map(|side: usize| moving_or_given(bodies, contacts, side, half));
        let (mut a, mut b) = (FourBodies::gather(s, of_a), FourBodies::gather(s, of_b));
        let mobility = contacts.0.has_guides.then(|| [a.guided(s, of_a), b.guided(s, of_b)]);
        Self { a, b, mobility }
    }

    /// Relative velocity of the surfaces along the rows of a contact: along n, t and o, and e_r times the
    /// spin about n (m/s).
    #[inline(always)]
    pub fn slip(&self, at: &Contacts<S>) -> [Four<S>; 4] {
        slip([self.a.velocity, self.a.spin], [self.b.velocity, self.b.spin], at)
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
        let start = half_numbers(s, &frame.normal, half);
        let shift = half_numbers(s, &frame.shift, half);
        let offset = Four::of(s, half_of(&frame.offset, half));
        let ellipsoids = Ellipsoids { a: a.q, b: b.q, way: add(sub(b.centre, a.centre), shift) };
        let at = ellipsoids.closest(start, plane, mismatch);
        let n = at.normal;
        let to_plane = dot(n, b.centre) - offset - dot(n, at.point_b);
        let gap = plane.select(to_plane, at.gap);
        // The reaction on a half-space moves nothing; the velocity of its surface is taken at the contact.
        let arm_b = [zero - at.point_b[0], zero - at.point_b[1], zero - at.point_b[2]];
        let arm_a = plane.select_vector(add(ellipsoids.way, arm_b), at.point_a);
        let t = carried_tangent(n, half_vectors(s, &batch.tangent, half));
        let frame = [n, t, cross(n, t)];
        self.rows(frame, gap, [arm_a, arm_b], Four::half(s, &batch.torsion, half))
    }

    /// Step sizes and couplings of rows with this frame.
    #[inline(always)]
    pub fn rows(
        &self,
        frame: [Vector<Four<S>>; 3],
        gap: Four<S>,
        arms: [Vector<Four<S>>; 2],
        torsion: Four<S>,
    ) -> Contacts<S> {
        let s = gap.0;
        let (zero, least) = (Four::all(s, 0.0), Four::all(s, LEAST_RESPONSE));
        let none = [zero, zero, zero];
        let [along_n, along_t, along_o] =
            [moments(arms, frame[0], none), moments(arms, frame[1], none), moments(arms, frame[2], none)];
        let (by_n, by_t, by_o) = (self.turned(along_n), self.turned(along_t), self.turned(along_o));
        let [m_nn, m_tt, m_oo] = self.yielding(frame);
        let (d_tt, d_oo) = (m_tt + couple(by_t, along_t), m_oo + couple(by_o, along_o));
        let (about_n, about_t, about_o) = (spun(by_n), spun(by_t), spun(by_o));
        let (d_tr, d_or) = (torsion * dot(frame[0], about_t), torsion * dot(frame[0], about_o));
        let d_rr = torsion * torsion * dot(frame[0], spun(self.turned([frame[0], frame[0]])));
        let mut d_to = couple(by_t, along_o);
        let mut coupling = [couple(by_n, along_t), couple(by_n, along_o), torsion * dot(frame[0], about_n)];
        if let Some([m_nt, m_no, m_to]) = self.yielding_across(frame) {
            (coupling[0], coupling[1], d_to) = (coupling[0] + m_nt, coupling[1] + m_no, d_to + m_to);
        }
        let off = d_to.mul_add(d_to, d_tr.mul_add(d_tr, d_or * d_or));
        let square = d_tt.mul_add(d_tt, d_oo.mul_add(d_oo, d_rr.mul_add(d_rr, off + off)));
        let two = Four::all(s, 2.0) / (d_tt + d_oo).max(least);
        let three = Four::all(s, FRICTION_STEP) / square.sqrt().max(least);
        let step_sizes = [
            Four::all(s, 1.0) / (m_nn + couple(by_n, along_n)).max(least),
            torsion.above(zero).select(three, two),
        ];
        Contacts { frame, gap, arms, step_sizes, coupling, torsion, surface: [none; 2] }
    }

    /// Velocity of B over A along each direction of a frame by a unit of impulse along it.
    #[inline(always)]
    fn yielding(&self, [n, t, o]: [Vector<Four<S>>; 3]) -> [Four<S>; 3] {
        match &self.mobility {
            None => [self.a.inverse_mass + self.b.inverse_mass; 3],
            Some(of) => [dot(n, moved(of, n)), dot(t, moved(of, t)), dot(o, moved(of, o))],
        }
    }

    /// Velocity along t and o by a unit of impulse along n, and along o by one along t, where some bodies are
    /// on guides: others do not yield across an impulse.
    #[inline(always)]
    fn yielding_across(&self, [n, t, o]: [Vector<Four<S>>; 3]) -> Option<[Four<S>; 3]> {
        self.mobility.as_ref().map(|of| [dot(t, moved(of, n)), dot(o, moved(of, n)), dot(o, moved(of, t))])
    }

    /// I⁻¹ times a moment on each body.
    #[inline(always)]
    fn turned(&self, [on_a, on_b]: [Vector<Four<S>>; 2]) -> [Vector<Four<S>>; 2] {
        [product(&self.a.inverse_inertia, on_a), product(&self.b.inverse_inertia, on_b)]
    }
}

/// Velocity of B over A by an impulse on B and its reaction on A.
#[inline(always)]
fn moved<S: Simd>([a, b]: &[Symmetric<Four<S>>; 2], impulse: Vector<Four<S>>) -> Vector<Four<S>> {
    add(product(a, impulse), product(b, impulse))
}

/// Half of eight vectors.
#[inline(always)]
fn half_numbers<S: Simd>(s: S, of: &[[f64; WIDTH]; 3], half: usize) -> Vector<Four<S>> {
    [
        Four::of(s, half_of(&of[0], half)),
        Four::of(s, half_of(&of[1], half)),
        Four::of(s, half_of(&of[2], half)),
    ]
}

/// Moments of an impulse and a torsional impulse on both bodies; those on A act the other way.
#[inline(always)]
pub fn moments<S: Simd>(
    arms: [Vector<Four<S>>; 2],
    impulse: Vector<Four<S>>,
    twist: Vector<Four<S>>,
) -> [Vector<Four<S>>; 2] {
    [add(cross(arms[0], impulse), twist), add(cross(arms[1], impulse), twist)]
}

/// Spin of B over A that turns both bodies as given, A the other way.
#[inline(always)]
fn spun<S: Simd>(turned: [Vector<Four<S>>; 2]) -> Vector<Four<S>> {
    add(turned[0], turned[1])
}

/// a·b over both bodies.
#[inline(always)]
fn couple<S: Simd>(a: [Vector<Four<S>>; 2], b: [Vector<Four<S>>; 2]) -> Four<S> {
    dot(a[0], b[0]) + dot(a[1], b[1])
}

/// Velocity of B over A along the rows of a contact, of their surfaces but along n; each side is (velocity,
/// spin).
#[inline(always)]
pub fn slip<S: Simd>(a: [Vector<Four<S>>; 2], b: [Vector<Four<S>>; 2], at: &Contacts<S>) -> [Four<S>; 4] {
    let u = sub(add(b[0], cross(b[1], at.arms[1])), add(a[0], cross(a[1], at.arms[0])));
    let [n, t, o] = at.frame;
    let over = add(u, at.surface[0]);
    let spin = add(sub(b[1], a[1]), at.surface[1]);
    [dot(n, u), dot(t, over), dot(o, over), at.torsion * dot(n, spin)]
}

/// The last tangent carried along with the normal, or any tangent where it has come near the normal.
#[inline(always)]
pub fn carried_tangent<S: Simd>(n: Vector<Four<S>>, last: Vector<Four<S>>) -> Vector<Four<S>> {
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
