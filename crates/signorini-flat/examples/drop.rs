//! Ellipsoids that fall into a box, stepped from arrays alone: near pairs, the flat step, flight, halves.
//!
//! `cargo run --release -p signorini-flat --example drop [bodies] [tolerance] [steps]` prints time and work.
#![allow(clippy::print_stdout)]

use signorini_flat::{Body, Contact, FlatSolver, GivenBody, Outcome, Problem, Resistance, Side, Touch};
use std::collections::HashMap;
use std::time::Instant;

const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.005;
const SEMI_AXES: [f64; 3] = [0.10, 0.07, 0.05];
const SPACING: f64 = 0.21;
/// Largest number of halvings of a step.
const HALVINGS: u32 = 3;
const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// Inward normals of the floor and the walls.
const WALLS: [[f64; 3]; 5] =
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]];

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn add(a: Vector, b: Vector, factor: f64) -> Vector {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

/// A row of a rotation matrix, or a column where the stride is 1.
fn part(r: &[f64; 9], from: usize, stride: usize) -> Vector {
    [r[from], r[from + stride], r[from + 2 * stride]]
}

fn normalized(a: Vector) -> Vector {
    a.map(|x| x / dot(a, a).sqrt())
}

/// A fixed sequence of numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn rotation(&mut self) -> [f64; 9] {
        let x = normalized([0.0; 3].map(|_: f64| self.next() - 0.5));
        let y = normalized(cross(x, [0.0; 3].map(|_: f64| self.next() - 0.5)));
        let z = cross(x, y);
        [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]
    }
}

/// Impulses and the first tangent of a contact.
type Kept = ([f64; 4], Vector, Vector);

struct Drop {
    bodies: Vec<Body>,
    half_width: f64,
    kept: HashMap<(u32, u32), Kept>,
    solver: FlatSolver,
    work: [usize; 4],
}

impl Drop {
    fn new(n: usize) -> Self {
        let mut random = Random(7);
        let side = (n as f64).cbrt().ceil() as usize;
        let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * SEMI_AXES.iter().product::<f64>();
        let [a, b, c] = SEMI_AXES.map(|x| x * x * mass / 5.0);
        let half_width = 0.5 * SPACING * side as f64;
        let body = |i: usize, rotation: [f64; 9]| {
            let place = [i % side, i / side % side, i / (side * side)].map(|k| SPACING * (k as f64 + 0.5));
            Body {
                centre: [place[0] - half_width, place[1] - half_width, place[2]],
                rotation,
                mass,
                moments: [b + c, a + c, a + b],
                semi_axes: SEMI_AXES,
                solid: None,
                velocity: [[0.0; 3]; 2],
                free: [[0.0; 3]; 2],
                acting: 0.0,
                guide: None,
            }
        };
        let bodies = (0..n).map(|i| body(i, random.rotation())).collect();
        Self { bodies, half_width, kept: HashMap::new(), solver: FlatSolver::default(), work: [0; 4] }
    }

    /// Pairs whose balls may meet in the step, each with what it keeps from the last one.
    fn contacts(&self, h: f64) -> Vec<Contact> {
        let reach = SEMI_AXES[0] + 0.002;
        let way = |body: &Body| h * (dot(body.velocity[0], body.velocity[0]).sqrt() + GRAVITY * h);
        let cell = |c: Vector| c.map(|x| (x / (2.0 * reach + 0.1)).floor() as i64);
        let mut grid: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        for (i, body) in self.bodies.iter().enumerate() {
            grid.entry(cell(body.centre)).or_default().push(i as u32);
        }
        let mut found = Vec::new();
        for (i, a) in self.bodies.iter().enumerate() {
            let home = cell(a.centre);
            let around = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
            let near = around.filter_map(|d| grid.get(&[home[0] + d[0], home[1] + d[1], home[2] + d[2]]));
            let mut near: Vec<u32> = near.flatten().copied().filter(|j| *j > i as u32).collect();
            near.sort_unstable();
            for j in near {
                let b = &self.bodies[j as usize];
                let between = add(b.centre, a.centre, -1.0);
                if dot(between, between).sqrt() < 2.0 * reach + way(a) + way(b) {
                    let sides = [Side::Moving(i as u32), Side::Moving(j)];
                    found.push(self.contact((i as u32, j), sides, normalized(between), None));
                }
            }
            for (k, n) in WALLS.iter().enumerate() {
                let offset = if k == 0 { 0.0 } else { -self.half_width };
                if dot(*n, a.centre) - offset < reach + way(a) {
                    let sides = [Side::Given(k as u32), Side::Moving(i as u32)];
                    found.push(self.contact((i as u32, u32::MAX - k as u32), sides, *n, Some(offset)));
                }
            }
        }
        found
    }

    fn contact(&self, key: (u32, u32), sides: [Side; 2], normal: Vector, plane: Option<f64>) -> Contact {
        let kept = self.kept.get(&key);
        let (impulse, normal, tangent) = kept.copied().unwrap_or(([0.0; 4], normal, [0.0; 3]));
        Contact {
            sides,
            normal,
            tangent,
            shift: [0.0; 3],
            impulse,
            friction: 0.5,
            torsion: 0.0,
            rolling: Resistance::default(),
            pull: 0.0,
            plane,
            size: 0.073,
            feature: None,
        }
    }

    /// A step, in halves where it is not solved. Returns whether it is.
    fn step(&mut self, h: f64, tolerance: f64, halvings: u32) -> bool {
        for body in &mut self.bodies {
            body.free = body.velocity;
            body.free[0][2] -= GRAVITY * h;
            body.acting = body.mass * GRAVITY * h;
        }
        let given = [GivenBody {
            centre: [0.0; 3],
            rotation: IDENTITY,
            semi_axes: [0.0; 3],
            solid: None,
            velocity: [[0.0; 3]; 2],
        }; 5];
        let contacts = self.contacts(h);
        let outcome = self.solver.solve(&Problem {
            bodies: &self.bodies,
            given: &given,
            contacts: &contacts,
            time_step: h,
            tolerance,
            budget: (2.0 / tolerance) as usize,
            ..Problem::default()
        });
        let Outcome { is_solved, sweeps, turns, .. } = outcome;
        self.work =
            [self.work[0] + sweeps, self.work[1] + turns, self.work[2], self.work[3].max(contacts.len())];
        if !is_solved && halvings > 0 {
            self.work[2] += 1;
            self.kept.values_mut().for_each(|kept| kept.0 = kept.0.map(|x| 0.5 * x));
            return self.step(0.5 * h, tolerance, halvings - 1) & self.step(0.5 * h, tolerance, halvings - 1);
        }
        self.kept.clear();
        for (c, contact) in contacts.iter().enumerate() {
            let key = match contact.sides {
                [Side::Moving(i), Side::Moving(j)] => (i, j),
                [Side::Given(k), Side::Moving(i)] | [Side::Moving(i), Side::Given(k)] => (i, u32::MAX - k),
                [Side::Given(_), Side::Given(_)] => continue,
            };
            let Touch { impulse, normal, tangent, .. } = self.solver.touch(c);
            self.kept.insert(key, (impulse, normal, tangent));
        }
        for i in 0..self.bodies.len() {
            self.bodies[i].velocity = self.solver.velocity(i);
            fly(&mut self.bodies[i], h);
        }
        is_solved
    }

    fn kinetic_energy(&self) -> f64 {
        let of = |body: &Body| {
            let spin: f64 = (0..3)
                .map(|k| body.moments[k] * dot(part(&body.rotation, k, 3), body.velocity[1]).powi(2))
                .sum();
            0.5 * (body.mass * dot(body.velocity[0], body.velocity[0]) + spin)
        };
        self.bodies.iter().map(of).sum()
    }
}

/// Takes a body to the end of the step by Euler's equations, in twenty steps of the midpoint rule.
fn fly(body: &mut Body, h: f64) {
    body.centre = add(body.centre, body.velocity[0], h);
    let momentum = {
        let along: Vec<f64> =
            (0..3).map(|k| body.moments[k] * dot(part(&body.rotation, k, 3), body.velocity[1])).collect();
        (0..3).fold([0.0; 3], |sum, k| add(sum, part(&body.rotation, k, 3), along[k]))
    };
    let spin_of = |r: &[f64; 9]| {
        (0..3)
            .fold([0.0; 3], |sum, k| add(sum, part(r, k, 3), dot(part(r, k, 3), momentum) / body.moments[k]))
    };
    let mut rotation = body.rotation;
    for _ in 0..20 {
        let half = turned(&rotation, spin_of(&rotation), 0.025 * h);
        rotation = turned(&rotation, spin_of(&half), 0.05 * h);
    }
    (body.rotation, body.velocity[1]) = (rotation, spin_of(&rotation));
}

/// A rotation after a turn with a spin for some time (Rodrigues' formula).
fn turned(r: &[f64; 9], spin: Vector, time: f64) -> [f64; 9] {
    let angle = dot(spin, spin).sqrt() * time;
    if angle == 0.0 {
        return *r;
    }
    let (axis, (sine, cosine)) = (normalized(spin), angle.sin_cos());
    let mut out = [0.0; 9];
    for k in 0..3 {
        let column = part(r, k, 3);
        let across = cross(axis, column);
        let turned =
            add(add(column.map(|x| x * cosine), across, sine), axis, dot(axis, column) * (1.0 - cosine));
        (0..3).for_each(|d| out[3 * d + k] = turned[d]);
    }
    out
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: f64| arguments.get(i).map_or(default, |a| a.parse().expect("a number"));
    let (n, tolerance, steps) = (number(0, 216.0) as usize, number(1, 1e-2), number(2, 400.0) as usize);
    let mut drop = Drop::new(n);
    let (mut start, mut unsolved) = (Instant::now(), 0);
    for k in 1..=steps {
        unsolved += usize::from(!drop.step(STEP, tolerance, HALVINGS));
        if k % 40 == 0 {
            let [sweeps, turns, failed, contacts] = drop.work;
            println!(
                "step {k}: {:.2} ms, {:.1} sweeps, {:.1} turns, {failed} failed, {unsolved} unsolved, {contacts} \
                 pairs, {:.2e} J a body",
                start.elapsed().as_secs_f64() * 25.0,
                sweeps as f64 / 40.0,
                turns as f64 / 40.0,
                drop.kinetic_energy() / n as f64
            );
            (drop.work, start) = ([0; 4], Instant::now());
        }
    }
}
