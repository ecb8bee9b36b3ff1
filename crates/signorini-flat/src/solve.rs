//! The solve of a step: sweeps, turns and the check, in this order until the residual is within the
//! tolerance or the budget is spent.

use crate::bodies::{Direction, End, PlacedBody, Six, SweptBody, at};
use crate::change::{Change, larger};
use crate::check::{CheckBy, ends_of, momentum_residual};
use crate::conjugate::Conjugate;
use crate::layout::{Layout, Side, morton_order};
use crate::parameters::{
    CHECKED_BELOW, FEWEST_SWEEPS, FIRST_TURN, FLOWN_TOGETHER, HARDLY_MOVING, MOST_SWEEPS, OVERLAP,
    PROXIMAL_BELOW, RECENTRE, STILL, STILL_MOVING, SWEEPS,
};
use crate::passes::{Checks, ContactUnits, Sums, Sweeps, Turns, Units, after_turn, gathered, set_velocity};
use crate::sections::{Bodies, Contacts, Section, Visit, visit};
use crate::simd::{HALF, WIDTH};
use crate::sweep::SweepBy;
use crate::turn::TurnBy;
use rayon::prelude::*;
use std::time::Instant;

/// A body that contact impulses move.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    /// Centre of mass (m).
    pub centre: [f64; 3],
    /// Rotation of the principal axes, row by row.
    pub rotation: [f64; 9],
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments of inertia (kg m²).
    pub moments: [f64; 3],
    /// Semi-axes along the principal axes (m).
    pub semi_axes: [f64; 3],
    /// Velocity (m/s) and spin (rad/s) from which the solve starts.
    pub velocity: [[f64; 3]; 2],
    /// Velocity and spin without contact impulses.
    pub free: [[f64; 3]; 2],
    /// Impulse of the loads, the least unit of its residual (N s).
    pub acting: f64,
}

/// A body whose motion is given. A half-space has no semi-axes.
#[derive(Debug, Clone, Copy)]
pub struct GivenBody {
    /// Centre of mass (m).
    pub centre: [f64; 3],
    /// Rotation of its axes, row by row.
    pub rotation: [f64; 9],
    /// Semi-axes (m).
    pub semi_axes: [f64; 3],
    /// Velocity (m/s) and spin (rad/s).
    pub velocity: [[f64; 3]; 2],
}

/// A pair that may touch. A half-space is always body A.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    /// Bodies A and B.
    pub sides: [Side; 2],
    /// Unit normal from A to B, near that of the closest points; that of the half-space at the end of the
    /// step.
    pub normal: [f64; 3],
    /// First tangent.
    pub tangent: [f64; 3],
    /// From body B to the image of it that A meets (m), in a periodic box.
    pub shift: [f64; 3],
    /// Impulses along n, t and o, and the torsional impulse over e_r, from which the solve starts (N s).
    pub impulse: [f64; 4],
    /// Coefficient of friction.
    pub friction: f64,
    /// Radius e_r of torsional friction (m), 0 for none.
    pub torsion: f64,
    /// Offset of the half-space along its normal at the end of the step (m), if A is one.
    pub plane: Option<f64>,
    /// Size of the smaller body (m).
    pub size: f64,
}

/// Where bodies are at the end of a step.
pub trait Flight: Sync {
    /// Centre of mass (m) and rotation of the principal axes, row by row, of a body that leaves the start of
    /// the step with a velocity (m/s) and a spin (rad/s).
    fn end(&self, body: usize, velocity: [[f64; 3]; 2]) -> ([f64; 3], [f64; 9]);
}

/// A step to be solved.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// Bodies that impulses move.
    pub bodies: &'a [Body],
    /// Bodies whose motion is given.
    pub given: &'a [GivenBody],
    /// Pairs that may touch.
    pub contacts: &'a [Contact],
    /// Length h of the step (s).
    pub time_step: f64,
    /// Tolerance of the residual.
    pub tolerance: f64,
    /// Most sweeps and turns.
    pub budget: usize,
    /// Residual at the velocities of the start at which they are the solution, 0 for none: bodies at rest
    /// stay at rest.
    pub accepted_start: f64,
    /// Poses at the end that the check takes; None: those of the turns, Euler's equations to third order.
    pub flight: Option<&'a dyn Flight>,
    /// Instant at which the solve has to end, solved or not.
    pub deadline: Option<Instant>,
}

/// The true residual, relative to the units of bodies and contacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Momentum of the bodies that the impulses do not explain.
    pub momentum: f64,
    /// Natural map of the contacts, and overlaps.
    pub contacts: f64,
}

impl Residual {
    /// Residual of a solve that found nothing.
    const UNKNOWN: Self = Self { momentum: f64::INFINITY, contacts: f64::INFINITY };

    /// The largest part.
    pub fn max(&self) -> f64 {
        larger(self.momentum, self.contacts)
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The true residual.
    pub residual: Residual,
    /// Whether it is within the tolerance.
    pub is_solved: bool,
    /// Sweeps.
    pub sweeps: usize,
    /// Turns.
    pub turns: usize,
    /// Checks.
    pub checks: usize,
}

/// A solved contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Unit normal from A to B at the end of the step.
    pub normal: [f64; 3],
    /// First tangent.
    pub tangent: [f64; 3],
    /// From the centres of mass of A and B to the contact (m).
    pub arms: [[f64; 3]; 2],
    /// Signed distance (m).
    pub gap: f64,
    /// Relative velocity along t and o, and e_r times the spin about n (m/s).
    pub slip: [f64; 3],
    /// Impulses along n, t and o, and the torsional impulse over e_r (N s).
    pub impulse: [f64; 4],
}

/// Solver with its arrays, which one step after another fills.
#[derive(Debug, Default)]
pub struct FlatSolver {
    layout: Layout,
    bodies: Bodies,
    contacts: Contacts,
    /// Mass and inertia in world axes, by place.
    masses: Vec<(f64, [f64; 6])>,
    given: Vec<PlacedBody>,
    given_base: Vec<Six>,
    given_ends: Vec<End>,
    time_step: f64,
    tolerance: f64,
    conjugate: Conjugate,
    age: usize,
}

/// R diag(d) Rᵀ.
fn turned(r: &[f64; 9], d: [f64; 3]) -> [f64; 6] {
    let entry = |i: usize, j: usize| (0..3).map(|k| r[3 * i + k] * d[k] * r[3 * j + k]).sum();
    [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)]
}

fn six([linear, angular]: [[f64; 3]; 2]) -> Six {
    [linear[0], linear[1], linear[2], 0.0, angular[0], angular[1], angular[2], 0.0]
}

fn placed(centre: [f64; 3], rotation: &[f64; 9], semi_axes: [f64; 3], velocity: [[f64; 3]; 2]) -> PlacedBody {
    let mut body = PlacedBody::default();
    body.0[at::CENTRE..at::CENTRE + 3].copy_from_slice(&centre);
    body.0[at::ROTATION..at::ROTATION + 9].copy_from_slice(rotation);
    body.0[at::SEMI_AXES..at::SEMI_AXES + 3].copy_from_slice(&semi_axes);
    set_velocity(&mut body, &six(velocity));
    body
}

impl FlatSolver {
    /// Solves a step.
    pub fn solve(&mut self, problem: &Problem<'_>) -> Outcome {
        self.load(problem);
        let mut outcome =
            Outcome { residual: self.begin(), is_solved: false, sweeps: 0, turns: 0, checks: 0 };
        if outcome.residual.max() <= problem.accepted_start {
            return Outcome { is_solved: true, ..outcome };
        }
        self.balance();
        let (mut sweeps, mut moved) = (FIRST_TURN, f64::INFINITY);
        loop {
            for _ in 0..sweeps {
                let largest = self.sweep();
                outcome.sweeps += 1;
                if largest < STILL * problem.tolerance {
                    break;
                }
            }
            let is_late = problem.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let is_over = is_late || outcome.sweeps + outcome.turns >= problem.budget;
            let change = self.turn();
            outcome.turns += 1;
            sweeps = self.next_sweeps(sweeps.max(SWEEPS), (change.moved, moved));
            moved = change.moved;
            if !(change.largest + change.moved).is_finite() {
                return Outcome { residual: Residual::UNKNOWN, ..outcome };
            }
            if larger(change.largest, change.moved) > CHECKED_BELOW * problem.tolerance && !is_over {
                continue;
            }
            outcome.residual = self.check(problem);
            outcome.checks += 1;
            outcome.is_solved = outcome.residual.max() <= problem.tolerance;
            if outcome.is_solved || is_over {
                return outcome;
            }
        }
    }

    /// Sweeps before the next turn, from those before this one, at least [`SWEEPS`], and the changes of Jᵀx
    /// in this turn and the last.
    fn next_sweeps(&self, sweeps: usize, (moved, before): (f64, f64)) -> usize {
        if moved > STILL_MOVING * self.tolerance && moved > 0.5 * before {
            (sweeps / 2).max(FEWEST_SWEEPS)
        } else if moved < HARDLY_MOVING * self.tolerance {
            (2 * sweeps).min(MOST_SWEEPS)
        } else if moved < 0.25 * before {
            SWEEPS
        } else {
            sweeps
        }
    }

    /// Velocity and spin of a body.
    pub fn velocity(&self, body: usize) -> [[f64; 3]; 2] {
        let b = &self.bodies.placed[self.layout.place[body] as usize].0;
        let of = |at: usize| [b[at], b[at + 1], b[at + 2]];
        [of(at::VELOCITY), of(at::SPIN)]
    }

    /// A contact as the last check saw it.
    pub fn touch(&self, contact: usize) -> Touch {
        let slot = self.layout.slot[contact] as usize;
        let (batch, lane) = (slot / WIDTH, slot % WIDTH);
        let (rows, seen) = (&self.contacts.batches[batch], &self.contacts.seen[batch]);
        let vector = |of: &[[f64; WIDTH]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        Touch {
            normal: vector(&seen.normal),
            tangent: vector(&seen.tangent),
            arms: [vector(&seen.arms[0]), vector(&seen.arms[1])],
            gap: seen.gap[lane],
            slip: vector(&seen.slip),
            impulse: [0, 1, 2, 3].map(|row: usize| f64::from(rows.impulse[row][lane])),
        }
    }

    /// Fills the arrays.
    fn load(&mut self, problem: &Problem<'_>) {
        (self.time_step, self.tolerance) = (problem.time_step, problem.tolerance);
        let centres: Vec<[f64; 3]> = problem.bodies.iter().map(|body| body.centre).collect();
        self.layout.place_bodies(&morton_order(&centres));
        let n = self.layout.n_places();
        let Bodies { swept, placed: all, base, free, sums, directions, acting, units, ends } =
            &mut self.bodies;
        fill(swept, n, SweptBody::default());
        fill(all, n, PlacedBody::default());
        fill(base, n, [0.0; 8]);
        fill(free, n, [0.0; 8]);
        fill(sums, n, [0.0; 8]);
        fill(directions, n, Direction::default());
        fill(acting, n, f64::MAX);
        fill(units, n, f64::MAX);
        fill(ends, n, [0.0; 12]);
        fill(&mut self.masses, n, (0.0, [0.0; 6]));
        for (body, place) in problem.bodies.iter().zip(&self.layout.place) {
            let place = *place as usize;
            let inverse = turned(&body.rotation, body.moments.map(|i| 1.0 / i));
            let mut record = placed(body.centre, &body.rotation, body.semi_axes, body.velocity);
            record.0[at::INVERSE_INERTIA..at::INVERSE_INERTIA + 6].copy_from_slice(&inverse);
            record.0[at::INVERSE_MASS] = 1.0 / body.mass;
            record.0[at::MOMENTS..at::MOMENTS + 3].copy_from_slice(&body.moments);
            all[place] = record;
            swept[place].0[0][3] = (1.0 / body.mass) as f32;
            for (to, from) in swept[place].0[1].iter_mut().zip(inverse) {
                *to = from as f32;
            }
            (base[place], free[place]) = (six(body.velocity), six(body.free));
            acting[place] = body.acting;
            self.masses[place] = (body.mass, turned(&body.rotation, body.moments));
        }
        self.load_given(problem);
        self.load_contacts(problem);
    }

    fn load_given(&mut self, problem: &Problem<'_>) {
        self.given.clear();
        self.given.extend(
            problem
                .given
                .iter()
                .map(|body| placed(body.centre, &body.rotation, body.semi_axes, body.velocity)),
        );
        self.given_base.clear();
        self.given_base.extend(problem.given.iter().map(|body| six(body.velocity)));
        fill(&mut self.given_ends, self.given.len(), [0.0; 12]);
        find_ends(&self.given, self.time_step, &mut self.given_ends);
    }

    fn load_contacts(&mut self, problem: &Problem<'_>) {
        let sides: Vec<[Side; 2]> = problem.contacts.iter().map(|contact| contact.sides).collect();
        self.layout.place_contacts(&sides, &mut self.contacts);
        for (contact, slot) in problem.contacts.iter().zip(&self.layout.slot) {
            let (batch, lane) = (*slot as usize / WIDTH, *slot as usize % WIDTH);
            let (rows, frame) = (&mut self.contacts.batches[batch], &mut self.contacts.frames[batch]);
            for d in 0..3 {
                frame.normal[d][lane] = contact.normal[d];
                frame.shift[d][lane] = contact.shift[d];
                rows.tangent[d][lane] = contact.tangent[d] as f32;
            }
            for (row, x) in rows.impulse.iter_mut().zip(contact.impulse) {
                row[lane] = x as f32;
            }
            rows.friction[lane] = contact.friction as f32;
            rows.torsion[lane] = contact.torsion as f32;
            frame.offset[lane] = contact.plane.unwrap_or(0.0);
            frame.is_plane[lane] = f64::from(u8::from(contact.plane.is_some()));
            frame.overlap[lane] = OVERLAP / contact.size;
        }
    }

    /// Runs a pass over all sections.
    fn pass<V: Visit>(
        layout: &Layout,
        (bodies, contacts): (&mut Bodies, &mut Contacts),
        visitor: &V,
    ) -> V::Found {
        match layout.nodes.len() {
            0 => V::Found::default(),
            n => visit(&layout.nodes, n - 1, Section::whole(bodies, contacts), visitor),
        }
    }

    /// Writes the rows at the velocities of the start; returns the residual there.
    fn begin(&mut self) -> Residual {
        (self.conjugate, self.age) = (Conjugate::default(), 0);
        find_ends(&self.bodies.placed, self.time_step, &mut self.bodies.ends);
        self.residual(true)
    }

    /// Takes the velocities that balance the impulses.
    fn balance(&mut self) {
        let Bodies { swept, placed, base, free, sums, directions, .. } = &mut self.bodies;
        for place in 0..placed.len() {
            let velocity = gathered(&placed[place], &free[place], &sums[place]);
            let first = &mut swept[place].0[0];
            for d in [0, 1, 2, 4, 5, 6] {
                first[d] = (velocity[d] - base[place][d]) as f32;
            }
            directions[place] = Direction([*first, [0.0; 8]]);
        }
    }

    fn by(&mut self) -> SweepBy {
        let recentre = self.age == 0;
        self.age = (self.age + 1) % RECENTRE;
        let proximal = self.tolerance < PROXIMAL_BELOW;
        SweepBy { extrapolation: self.conjugate.factor(), proximal, recentre: recentre && proximal }
    }

    /// One sweep; returns the largest change.
    fn sweep(&mut self) -> f64 {
        let by = self.by();
        let Self { layout, bodies, contacts, given, given_base, time_step, .. } = self;
        let turn = TurnBy { given, given_base, time_step: *time_step, by };
        let change = Self::pass(layout, (bodies, contacts), &Sweeps { turn });
        self.conjugate.after(change.square);
        change.largest
    }

    /// One turn.
    fn turn(&mut self) -> Change {
        let by = self.by();
        let Self { layout, bodies, contacts, given, given_base, time_step, tolerance, .. } = self;
        let turn = TurnBy { given, given_base, time_step: *time_step, by };
        Self::pass(layout, (bodies, contacts), &Units);
        Self::pass(layout, (bodies, contacts), &ContactUnits);
        Self::pass(layout, (bodies, contacts), &Sums { extrapolation: Some(by.extrapolation) });
        let change = Self::pass(layout, (bodies, contacts), &Turns { turn, tolerance: *tolerance });
        after_turn(&mut Section::whole(bodies, contacts));
        self.conjugate.after(change.square);
        change
    }

    /// The true residual at the velocities that the impulses explain.
    fn check(&mut self, problem: &Problem<'_>) -> Residual {
        let Self { layout, bodies, contacts, time_step, .. } = self;
        Self::pass(layout, (bodies, contacts), &Sums { extrapolation: None });
        let Bodies { placed, free, sums, .. } = bodies;
        for ((body, free), sums) in placed.iter_mut().zip(free).zip(sums) {
            let velocity = gathered(body, free, sums);
            set_velocity(body, &velocity);
        }
        match problem.flight {
            Some(flight) => self.fly(flight, problem.bodies),
            None => find_ends(placed, *time_step, &mut bodies.ends),
        }
        self.residual(false)
    }

    /// Takes the ellipsoids of all bodies to their end by a flight that is given.
    fn fly(&mut self, flight: &dyn Flight, of: &[Body]) {
        let end = |(i, body): (usize, &Body)| {
            let (centre, rotation) = flight.end(i, self.velocity(i));
            let q = turned(&rotation, body.semi_axes.map(|a| a * a));
            let [x, y, z] = centre;
            [x, y, z, 0.0, q[0], q[1], q[2], q[3], q[4], q[5], 0.0, 0.0]
        };
        let ends: Vec<End> = of.par_iter().enumerate().with_min_len(FLOWN_TOGETHER).map(end).collect();
        for (end, place) in ends.into_iter().zip(&self.layout.place) {
            self.bodies.ends[*place as usize] = end;
        }
    }

    /// The true residual at the velocities and the ends of the bodies.
    fn residual(&mut self, writes_rows: bool) -> Residual {
        let Self { layout, bodies, contacts, given, given_base, given_ends, time_step, .. } = self;
        Self::pass(layout, (bodies, contacts), &Units);
        Self::pass(layout, (bodies, contacts), &ContactUnits);
        let by = CheckBy { given, given_ends, time_step: *time_step, given_base, writes_rows };
        let contacts = Self::pass(layout, (bodies, contacts), &Checks { by });
        let Bodies { placed, free, sums, units, .. } = &*bodies;
        let momentum = |place: usize| {
            let explained = gathered(&placed[place], &free[place], &sums[place]);
            let (mass, inertia) = &self.masses[place];
            momentum_residual(&placed[place], &explained, *mass, inertia, units[place])
        };
        Residual { momentum: (0..placed.len()).map(momentum).fold(0.0, larger), contacts }
    }
}

/// Ellipsoids of bodies at the end of the step.
fn find_ends(placed: &[PlacedBody], time_step: f64, ends: &mut [End]) {
    for (four, ends) in placed.chunks(HALF).zip(ends.chunks_mut(HALF)) {
        let pick = |l: usize| four.get(l).unwrap_or(&four[0]);
        let found = ends_of([pick(0), pick(1), pick(2), pick(3)], time_step);
        ends.copy_from_slice(&found[..ends.len()]);
    }
}

fn fill<T: Clone>(all: &mut Vec<T>, n: usize, with: T) {
    all.clear();
    all.resize(n, with);
}
