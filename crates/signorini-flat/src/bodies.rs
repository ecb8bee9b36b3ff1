//! Bodies as the passes see them, gathered eight or four at a time.

use crate::numbers::{Eight, Four, Number, Symmetric, Vector, dot_add, product, scale};
use crate::parameters::NEAR_HATS;
use crate::simd::{HALF, Simd, WIDTH};

/// A body as sweeps see it: the change of its velocity since the last turn (m/s), 1/m, the change of its spin
/// (rad/s) and a number without meaning; then I⁻¹ in world axes and 0, or the mobility d dᵀ/m and 1 of a body
/// on a guide; and a number without meaning.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub struct SweptBody(pub [[f32; WIDTH]; 2]);

/// Motion of a body from sweep to sweep: its velocity at the start of the last sweep, then the search
/// direction, six numbers and two without meaning each.
#[derive(Debug, Clone, Copy, Default)]
pub struct Direction(pub [[f32; 8]; 2]);

/// Numbers of a [`PlacedBody`].
pub const PLACED: usize = 36;

/// A body as turns see it, f64: centre (m), velocity (m/s) and spin (rad/s) with a number without meaning
/// each; rotation R of the principal axes at the start; I⁻¹ in world axes, or the mobility d dᵀ/m of a body
/// on a guide, and 1/m; principal moments I, and 1 for a body on a guide; semi-axes (m) along the principal
/// axes; the index of its polytope, or −1.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct PlacedBody(pub [f64; PLACED]);

/// Places of the parts of a [`PlacedBody`].
pub mod at {
    /// Centre.
    pub const CENTRE: usize = 0;
    /// Velocity.
    pub const VELOCITY: usize = 4;
    /// Spin.
    pub const SPIN: usize = 8;
    /// Rotation, row by row.
    pub const ROTATION: usize = 12;
    /// I⁻¹, or the mobility.
    pub const INVERSE_INERTIA: usize = 21;
    /// 1/m.
    pub const INVERSE_MASS: usize = 27;
    /// Principal moments.
    pub const MOMENTS: usize = 28;
    /// 1 for a body on a guide, 0 for others.
    pub const GUIDED: usize = 31;
    /// Semi-axes.
    pub const SEMI_AXES: usize = 32;
    /// Index of the polytope, −1 for others.
    pub const SOLID: usize = 35;
}

impl Default for PlacedBody {
    /// A body without extent that nothing moves.
    fn default() -> Self {
        let mut body = [0.0; PLACED];
        for k in 0..3 {
            body[at::ROTATION + 4 * k] = 1.0;
            body[at::MOMENTS + k] = 1.0;
        }
        body[at::SOLID] = -1.0;
        Self(body)
    }
}

/// Six numbers of a body: linear part and a zero, angular part and a zero.
pub type Six = [f64; 8];

/// Linear and angular part of six numbers.
pub fn parts_of(six: &Six) -> [[f64; 3]; 2] {
    [[six[0], six[1], six[2]], [six[4], six[5], six[6]]]
}

impl PlacedBody {
    /// Changes of velocity and spin by an impulse and a moment.
    pub fn moved_by(&self, impulse: &Six) -> [Vector<f64>; 2] {
        let [push, turn] = parts_of(impulse);
        if let Some(mobility) = self.mobility() {
            return [product(&mobility, push), [0.0; 3]];
        }
        [scale(push, self.0[at::INVERSE_MASS]), product(&self.inverse_inertia(), turn)]
    }

    /// I⁻¹ in world axes (1/(kg m²)), 0 of a body on a guide.
    pub fn inverse_inertia(&self) -> Symmetric<f64> {
        if self.0[at::GUIDED] == 0.0 { self.six_of_inertia() } else { [0.0; 6] }
    }

    /// The numbers of I⁻¹, or of the mobility.
    pub fn six_of_inertia(&self) -> Symmetric<f64> {
        let (b, i) = (&self.0, at::INVERSE_INERTIA);
        [b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5]]
    }

    /// Velocity (m/s).
    pub fn velocity(&self) -> Vector<f64> {
        [self.0[at::VELOCITY], self.0[at::VELOCITY + 1], self.0[at::VELOCITY + 2]]
    }

    /// Changes the velocity (m/s).
    pub fn add_velocity(&mut self, change: Vector<f64>) {
        (0..3).for_each(|k| self.0[at::VELOCITY + k] += change[k]);
    }

    /// Takes the velocity over that a body as sweeps see it has, as a change from the base velocity.
    pub fn follow(&mut self, swept: &SweptBody, base: &Six) {
        for (from, d) in [(at::VELOCITY, 0), (at::SPIN, 4)] {
            for k in 0..3 {
                self.0[from + k] = base[d + k] + f64::from(swept.0[0][d + k]);
            }
        }
    }
}

impl SweptBody {
    /// Place of the number that tells whether the body is on a guide, in the second half.
    pub const GUIDED: usize = 6;

    /// Takes the change of the velocity over that a body as turns see it has. Nobody's place does not change.
    pub fn follow(&mut self, placed: &PlacedBody, base: &Six) {
        let moves = placed.0[at::INVERSE_MASS] > 0.0;
        for (from, d) in [(at::VELOCITY, 0), (at::SPIN, 4)] {
            for k in 0..3 {
                let change = placed.0[from + k] - base[d + k];
                self.0[0][d + k] = if moves { change as f32 } else { 0.0 };
            }
        }
    }
}

/// A body among the hat functions of the height of a pile.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfHeight {
    /// Height of its centre, in distances of hats.
    pub height: f64,
    /// The first of the hats near it.
    pub first: usize,
    /// Change of its velocity since the last turn that the impulses explain.
    pub change: Six,
    /// Impulses on it in each of these hats.
    pub sums: [Six; NEAR_HATS],
}

/// Centre (m) and rotation, row by row.
pub type Pose = ([f64; 3], [f64; 9]);

/// A body at the end of the step: centre (m) and a zero, Q (m²) of an ellipsoid and two zeros, rotation of
/// the principal axes, row by row, and three zeros.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct End(pub [f64; 24]);

impl End {
    /// Place of Q.
    pub const Q: usize = 4;
    /// Place of the rotation.
    pub const ROTATION: usize = 12;
    /// An end without meaning.
    pub const NONE: Self = Self([0.0; 24]);

    /// Makes an end.
    pub fn new((centre, rotation): &Pose, q: &[f64; 6]) -> Self {
        let mut end = Self::NONE;
        end.0[..3].copy_from_slice(centre);
        end.0[Self::Q..Self::Q + 6].copy_from_slice(q);
        end.0[Self::ROTATION..Self::ROTATION + 9].copy_from_slice(rotation);
        end
    }

    /// Centre and rotation.
    pub fn pose(&self) -> Pose {
        let (e, r) = (&self.0, Self::ROTATION);
        ([e[0], e[1], e[2]], std::array::from_fn(|i| e[r + i]))
    }
}

/// Four bodies.
#[derive(Clone, Copy)]
pub struct FourBodies<S: Simd> {
    /// Centre at the start (m).
    pub centre: Vector<Four<S>>,
    /// Velocity (m/s).
    pub velocity: Vector<Four<S>>,
    /// Spin (rad/s).
    pub spin: Vector<Four<S>>,
    /// Rotation at the start, row by row.
    pub rotation: [Four<S>; 9],
    /// I⁻¹ (1/(kg m²)).
    pub inverse_inertia: Symmetric<Four<S>>,
    /// 1/m (1/kg).
    pub inverse_mass: Four<S>,
    /// Principal moments (kg m²).
    pub moments: Vector<Four<S>>,
    /// Semi-axes (m).
    pub semi_axes: Vector<Four<S>>,
}

#[inline(always)]
fn row<S: Simd, const N: usize>(s: S, record: &[f64; N], from: usize) -> S::Four {
    s.four([record[from], record[from + 1], record[from + 2], record[from + 3]])
}

/// Four numbers of each of four records, number by number.
#[inline(always)]
pub fn columns<S: Simd, const N: usize>(s: S, records: [&[f64; N]; HALF], from: usize) -> [Four<S>; 4] {
    let [a, b, c, d] = records;
    let rows = [row(s, a, from), row(s, b, from), row(s, c, from), row(s, d, from)];
    let [x, y, z, w] = s.transpose4(rows);
    [Four(s, x), Four(s, y), Four(s, z), Four(s, w)]
}

/// Three numbers of each of four records.
#[inline(always)]
pub fn vectors<S: Simd, const N: usize>(s: S, records: [&[f64; N]; HALF], from: usize) -> Vector<Four<S>> {
    let [x, y, z, _] = columns(s, records, from);
    [x, y, z]
}

/// The numbers of four records, record by record.
#[inline(always)]
pub fn records<S: Simd>(vector: Vector<Four<S>>) -> [[f64; 4]; HALF] {
    let s = vector[0].0;
    let zero = s.four([0.0; HALF]);
    let [a, b, c, d] = s.transpose4([vector[0].1, vector[1].1, vector[2].1, zero]);
    [s.four_out(a), s.four_out(b), s.four_out(c), s.four_out(d)]
}

impl<S: Simd> FourBodies<S> {
    /// Gathers four bodies.
    #[inline(always)]
    pub fn gather(s: S, bodies: [&PlacedBody; HALF]) -> Self {
        let r = [&bodies[0].0, &bodies[1].0, &bodies[2].0, &bodies[3].0];
        let (e, f) = (columns(s, r, at::ROTATION), columns(s, r, at::ROTATION + 4));
        let (g, h) = (columns(s, r, at::ROTATION + 8), columns(s, r, at::ROTATION + 12));
        Self {
            centre: vectors(s, r, at::CENTRE),
            velocity: vectors(s, r, at::VELOCITY),
            spin: vectors(s, r, at::SPIN),
            rotation: [e[0], e[1], e[2], e[3], f[0], f[1], f[2], f[3], g[0]],
            inverse_inertia: [g[1], g[2], g[3], h[0], h[1], h[2]],
            inverse_mass: h[3],
            moments: vectors(s, r, at::MOMENTS),
            semi_axes: vectors(s, r, at::SEMI_AXES),
        }
    }
}

/// Eight numbers of each of eight swept bodies: the first or the second half of their records.
#[inline(always)]
pub fn gather<S: Simd, const HALF_OF: usize>(
    s: S,
    bodies: &[SweptBody],
    places: &[u32; WIDTH],
) -> [Eight<S>; 8] {
    let [a, b, c, d, e, f, g, h] = *places;
    let rows = [
        s.eight(bodies[a as usize].0[HALF_OF]),
        s.eight(bodies[b as usize].0[HALF_OF]),
        s.eight(bodies[c as usize].0[HALF_OF]),
        s.eight(bodies[d as usize].0[HALF_OF]),
        s.eight(bodies[e as usize].0[HALF_OF]),
        s.eight(bodies[f as usize].0[HALF_OF]),
        s.eight(bodies[g as usize].0[HALF_OF]),
        s.eight(bodies[h as usize].0[HALF_OF]),
    ];
    let [a, b, c, d, e, f, g, h] = s.transpose8(rows);
    [Eight(s, a), Eight(s, b), Eight(s, c), Eight(s, d), Eight(s, e), Eight(s, f), Eight(s, g), Eight(s, h)]
}

/// Writes the first halves of eight swept bodies back.
#[inline(always)]
pub fn scatter<S: Simd>(bodies: &mut [SweptBody], places: &[u32; WIDTH], columns: [Eight<S>; 8]) {
    let s = columns[0].0;
    let [a, b, c, d, e, f, g, h] = columns;
    let rows = s.transpose8([a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1]);
    for (row, place) in rows.into_iter().zip(places) {
        bodies[*place as usize].0[0] = s.eight_out(row);
    }
}

/// Eight bodies after an impulse p and a moment c, of which some may be on guides; `inertia` is I⁻¹.
#[inline(always)]
pub fn pushed<S: Simd>(
    body: [Eight<S>; 8],
    inertia: &[Eight<S>; 8],
    (p, c): (Vector<Eight<S>>, Vector<Eight<S>>),
    has_guides: bool,
) -> [Eight<S>; 8] {
    if has_guides {
        return pushed_on_guides(body, inertia, p, c);
    }
    let (m, i) = (body[3], inertia);
    [
        m.mul_add(p[0], body[0]),
        m.mul_add(p[1], body[1]),
        m.mul_add(p[2], body[2]),
        m,
        dot_add([i[0], i[1], i[2]], c, body[4]),
        dot_add([i[1], i[3], i[4]], c, body[5]),
        dot_add([i[2], i[4], i[5]], c, body[6]),
        body[7],
    ]
}

/// Eight bodies, some of them on guides, after an impulse p and a moment c; `second` holds I⁻¹ or the
/// mobility of each, and whether it is on a guide.
#[inline(always)]
fn pushed_on_guides<S: Simd>(
    body: [Eight<S>; 8],
    second: &[Eight<S>; 8],
    p: Vector<Eight<S>>,
    c: Vector<Eight<S>>,
) -> [Eight<S>; 8] {
    let s = body[3].0;
    let guided = second[SweptBody::GUIDED];
    let free = Eight::all(s, 1.0) - guided;
    let m = body[3] * free;
    let six = [second[0], second[1], second[2], second[3], second[4], second[5]];
    let (i, g) = (six.map(|x| x * free), six.map(|x| x * guided));
    [
        dot_add([g[0] + m, g[1], g[2]], p, body[0]),
        dot_add([g[1], g[3] + m, g[4]], p, body[1]),
        dot_add([g[2], g[4], g[5] + m], p, body[2]),
        body[3],
        dot_add([i[0], i[1], i[2]], c, body[4]),
        dot_add([i[1], i[3], i[4]], c, body[5]),
        dot_add([i[2], i[4], i[5]], c, body[6]),
        body[7],
    ]
}
