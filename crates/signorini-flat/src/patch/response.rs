//! The response of a pair to a wrench: twists, step sizes, the centre of its load.

use crate::bodies::{PlacedBody, at};
use crate::numbers::{Vector, add, add_scaled, cross, dot, product, scale, sub};
use crate::parameters::{FRICTION_STEP, LEAST_LOAD, LEAST_RESPONSE, MOST_POINTS};

/// Six numbers, a wrench or a twist in the order of [`crate::patch::batch`].
pub type Wrench = [f64; 6];

/// Frame n, t, o.
pub type Frame = [Vector<f64>; 3];

/// Velocity and spin of a body, its inverse mass and inertia.
#[derive(Clone, Copy)]
pub struct Moving {
    /// Velocity (m/s).
    pub velocity: Vector<f64>,
    /// Spin (rad/s).
    pub spin: Vector<f64>,
    /// 1/m (1/kg), 0 for bodies whose motion is given.
    pub inverse_mass: f64,
    /// I⁻¹ (1/(kg m²)).
    pub inverse_inertia: [f64; 6],
    /// Mobility (1/kg) of a body on a guide.
    pub mobility: Option<[f64; 6]>,
}

impl Moving {
    /// Reads a body.
    pub fn of(body: &PlacedBody) -> Self {
        let b = &body.0;
        let three = |from: usize| [b[from], b[from + 1], b[from + 2]];
        Self {
            velocity: three(at::VELOCITY),
            spin: three(at::SPIN),
            inverse_mass: b[at::INVERSE_MASS],
            inverse_inertia: body.inverse_inertia(),
            mobility: body.mobility(),
        }
    }

    /// The body after an impulse and a moment about its centre of mass, times a sign.
    pub fn pushed(&self, impulse: Vector<f64>, moment: Vector<f64>, sign: f64) -> Self {
        Self {
            velocity: match &self.mobility {
                None => add_scaled(impulse, sign * self.inverse_mass, self.velocity),
                Some(mobility) => add_scaled(product(mobility, impulse), sign, self.velocity),
            },
            spin: add_scaled(product(&self.inverse_inertia, moment), sign, self.spin),
            ..*self
        }
    }
}

/// Twist of B against A about a place, seen in a frame.
pub fn twist([a, b]: [&Moving; 2], arms: [Vector<f64>; 2], frame: &Frame) -> Wrench {
    twist_of([a.velocity, a.spin], [b.velocity, b.spin], arms, frame)
}

/// Twist of velocity and spin of B against those of A.
pub fn twist_of(
    a: [Vector<f64>; 2],
    b: [Vector<f64>; 2],
    arms: [Vector<f64>; 2],
    [n, t, o]: &Frame,
) -> Wrench {
    let v = sub(add(b[0], cross(b[1], arms[1])), add(a[0], cross(a[1], arms[0])));
    let w = sub(b[1], a[1]);
    [dot(*n, v), dot(*t, w), dot(*o, w), dot(*t, v), dot(*o, v), dot(*n, w)]
}

/// Twist that each component of a wrench makes, column by column of a symmetric matrix.
pub fn response(bodies: [&Moving; 2], arms: [Vector<f64>; 2], frame: &Frame) -> [Wrench; 6] {
    let mut g = [[0.0; 6]; 6];
    let [n, t, o] = *frame;
    for (body, arm) in bodies.into_iter().zip(arms) {
        if body.inverse_mass == 0.0 {
            continue;
        }
        let spun = |moment: Vector<f64>| product(&body.inverse_inertia, moment);
        let by_force = |f: Vector<f64>| {
            let spin = spun(cross(arm, f));
            let moved = body.mobility.map_or_else(|| scale(f, body.inverse_mass), |m| product(&m, f));
            (add(moved, cross(spin, arm)), spin)
        };
        let by_moment = |m: Vector<f64>| {
            let spin = spun(m);
            (cross(spin, arm), spin)
        };
        let columns = [by_force(n), by_moment(t), by_moment(o), by_force(t), by_force(o), by_moment(n)];
        for (k, (v, w)) in columns.into_iter().enumerate() {
            let found = [dot(n, v), dot(t, w), dot(o, w), dot(t, v), dot(o, v), dot(n, w)];
            for (row, x) in g.iter_mut().zip(found) {
                row[k] += x;
            }
        }
    }
    g
}

/// Wrench of a unit of impulse along a normal, given in the frame, at a place of the contact plane.
pub fn wrench_at([a, b]: [f64; 2], [n, t, o]: Vector<f64>) -> Wrench {
    [n, b * n, -a * n, t, o, a * o - b * t]
}

/// Twist of a wrench.
pub fn responded(g: &[Wrench; 6], w: &Wrench) -> Wrench {
    g.map(|row| (0..6).map(|k| row[k] * w[k]).sum())
}

/// Adds what a wrench does to a twist.
pub fn respond(g: &[Wrench; 6], w: &Wrench, s: &mut Wrench) {
    for (s, row) in s.iter_mut().zip(g) {
        *s += row[0] * w[0] + row[1] * w[1] + row[2] * w[2] + row[3] * w[3] + row[4] * w[4] + row[5] * w[5];
    }
}

/// a·b.
pub fn power(a: &Wrench, b: &Wrench) -> f64 {
    (0..6).map(|k| a[k] * b[k]).sum()
}

/// Step size of the row of a point (kg).
pub fn step_size(g: &[Wrench; 6], w: &Wrench) -> f64 {
    1.0 / power(w, &responded(g, w)).max(LEAST_RESPONSE)
}

/// Centre of a load in the contact plane (m), and the load (N s).
pub fn centre(x: &[f64; MOST_POINTS], places: &[[f64; 2]; MOST_POINTS], n: usize) -> ([f64; 2], f64) {
    let (mut load, mut sum) = (0.0, [0.0; 2]);
    for (x, place) in x[..n].iter().zip(places) {
        let x = x.max(0.0);
        load += x;
        sum = [sum[0] + x * place[0], sum[1] + x * place[1]];
    }
    let inverse = 1.0 / f64::max(load, LEAST_LOAD);
    ([sum[0] * inverse, sum[1] * inverse], load)
}

/// Wrench of friction impulses along t and o at a place, and a torsional one over e_r.
pub fn friction_wrench([a, b]: [f64; 2], radius: f64, push: Vector<f64>) -> Wrench {
    [0.0, 0.0, 0.0, push[0], push[1], radius * push[2] + a * push[1] - b * push[0]]
}

/// Slip of a twist at a place: along t and o, and e_r times the spin.
pub fn slip(s: &Wrench, [a, b]: [f64; 2], radius: f64) -> Vector<f64> {
    [s[3] - b * s[5], s[4] + a * s[5], radius * s[5]]
}

/// Response of slip to friction at a place.
fn friction_response(g: &[Wrench; 6], place: [f64; 2], radius: f64) -> [Vector<f64>; 3] {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|push| slip(&responded(g, &friction_wrench(place, radius, push)), place, radius))
}

/// Step size of friction in the referee's natural map: one over the mean of the rows' inverse masses (kg).
pub fn mean_step(g: &[Wrench; 6], place: [f64; 2], radius: f64) -> f64 {
    let d = friction_response(g, place, radius);
    let rows = if radius > 0.0 { 3.0 } else { 2.0 };
    rows / (d[0][0] + d[1][1] + d[2][2]).max(LEAST_RESPONSE)
}

/// Step size of friction in a sweep: it must respect the largest eigenvalue (kg).
pub fn safe_step(g: &[Wrench; 6], place: [f64; 2], radius: f64) -> f64 {
    let d = friction_response(g, place, radius);
    let square: f64 = d.iter().flatten().map(|x| x * x).sum();
    FRICTION_STEP / square.sqrt().max(LEAST_RESPONSE)
}

/// Force and moment of a wrench in the world.
pub fn in_world([n, t, o]: &Frame, w: &Wrench) -> [Vector<f64>; 2] {
    let sum = |x: f64, y: f64, z: f64| add(scale(*n, x), add(scale(*t, y), scale(*o, z)));
    [sum(w[0], w[3], w[4]), sum(w[5], w[1], w[2])]
}
