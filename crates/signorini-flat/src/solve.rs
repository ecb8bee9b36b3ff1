//! The solve of a step: sweeps, turns and the check, in this order until the residual is within the
//! tolerance or the budget is spent.

use crate::bodies::Direction;
use crate::bodies::{End, PlacedBody, Six, at};
use crate::change::{Change, larger};
use crate::check::CheckBy;
use crate::conjugate::Conjugate;
use crate::ends::find_ends;
use crate::heights::{ByHeight, Energy, HeightFactors, Heights, ScaleByHeight};
use crate::layout::Layout;
use crate::load::{Arrays, turned};
use crate::on_device::OnDevice;
use crate::parameters::{
    CARRYING_ROUNDS, CHECKED_BELOW, CIRCLING_FROM, FEWEST_SWEEPS, FEWEST_SWEEPS_OF_PATCHES, FIRST_TURN,
    FIRST_TURN_OF_PATCHES, FLOWN_TOGETHER, HARDLY_MOVING, LEAST_HEIGHT_FACTOR, MOST_POINTS, MOST_POLISH,
    MOST_SWEEPS, PATCHES_CHECKED_BELOW, POLISHED, PROXIMAL_BELOW, RECENTRE, SOLVED_HEIGHT_FACTOR, STAY_PART,
    STILL, STILL_MOVING, STILLER, SWEEPS,
};
use crate::passes::{Checks, Momentum, Open, Sums, Sweeps, Turns, after_turn, gathered, set_velocity};
use crate::patch::batch::{PatchSeen, Torsion};
use crate::patch::check::PatchCheckBy;
use crate::patch::found::region;
use crate::patch::turn::PatchTurnBy;
use crate::problem::{Body, Flight, Outcome, PatchMemory, Problem, Residual, Touch};
use crate::progress::Progress;
use crate::sections::{Bodies, Contacts, Section};
use crate::simd::WIDTH;
use crate::sweep_by::SweepBy;
use crate::turn::TurnBy;
use crate::units::{Carry, ContactUnits, Units};
use crate::visit::{Visit, visit};
use rayon::prelude::*;
use signorini_kernels::device_flat::Lost;
use std::time::Instant;

/// Solver with its arrays, which one step after another fills.
#[derive(Debug, Default)]
pub struct FlatSolver {
    arrays: Arrays,
    time_step: f64,
    tolerance: f64,
    conjugate: Conjugate,
    age: usize,
    /// Whether the next turn looks at all pairs of polytopes, and gives known axes no part of an overlap.
    is_full: bool,
    is_strict: bool,
    heights: Option<Heights>,
    /// Largest factor on the impulses of a layer in the last turn.
    height_factor: f64,
    /// Times that a solution may still be refined.
    polish: usize,
    /// The solve on a device, while one makes the sweeps and turns.
    device: Option<OnDevice>,
}

impl FlatSolver {
    /// Solves a step. Ranks that share it all know the whole result then.
    pub fn solve(&mut self, problem: &Problem<'_>) -> Outcome {
        let outcome = self.solve_mine(problem);
        self.device = None;
        if outcome.is_solved {
            self.see_open(problem);
        }
        self.arrays.share_results(problem);
        outcome
    }

    /// Solves a step, or the parts of it that are this rank's.
    fn solve_mine(&mut self, problem: &Problem<'_>) -> Outcome {
        (self.time_step, self.tolerance) = (problem.time_step, problem.tolerance);
        self.arrays.load(problem);
        let mut outcome = Outcome { residual: self.begin(problem), ..Outcome::UNSOLVED };
        if outcome.residual.max() <= problem.accepted_start {
            return Outcome { is_solved: true, ..outcome };
        }
        self.height_factor = 0.0;
        self.heights = Heights::of(problem);
        self.scale_by_height();
        self.balance();
        self.device = OnDevice::load(problem, &self.arrays);
        let has_patches = !problem.patches.is_empty();
        let (first, checked_below) = match has_patches {
            true => (FIRST_TURN_OF_PATCHES, PATCHES_CHECKED_BELOW),
            false => (FIRST_TURN, CHECKED_BELOW),
        };
        let (mut sweeps, mut moved, mut still) = (first, f64::INFINITY, STILL);
        let mut progress = Progress::default();
        let may_give_up = problem.may_halve && problem.tolerance >= CIRCLING_FROM[usize::from(has_patches)];
        loop {
            let (swept, change) = self.round(problem, sweeps, still * problem.tolerance);
            outcome.sweeps += swept;
            let deadline = problem.deadline.filter(|_| self.arrays.layout.shares.is_none());
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let circles = may_give_up && progress.circles(larger(change.largest, change.moved));
            let is_over = is_late || circles || outcome.sweeps + outcome.turns >= problem.budget;
            outcome.turns += 1;
            sweeps = self.next_sweeps(sweeps.max(SWEEPS), (change.moved, moved));
            moved = change.moved;
            if !(change.largest + change.moved).is_finite() {
                return Outcome { residual: Residual::UNKNOWN, ..outcome };
            }
            if larger(change.largest, change.moved) > checked_below * problem.tolerance && !is_over {
                continue;
            }
            outcome.residual = self.check(problem);
            outcome.checks += 1;
            outcome.is_solved =
                outcome.residual.max() <= problem.tolerance && self.height_factor <= SOLVED_HEIGHT_FACTOR;
            outcome.on_device = self.device.is_some();
            if is_over || outcome.is_solved && !self.polishes(&outcome.residual, problem) {
                return outcome;
            }
            if outcome.is_solved {
                (sweeps, still) = (SWEEPS, POLISHED * STILL);
                continue;
            }
            self.scale_on_device(problem);
            (self.is_full, self.is_strict) = (true, true);
            still *= STILLER;
        }
    }

    /// Whether a solution is refined: where all is slow, until it would be kept as rest in the next step.
    fn polishes(&mut self, residual: &Residual, problem: &Problem<'_>) -> bool {
        let wants = residual.max() > POLISHED * problem.accepted_start && self.polish > 0;
        self.polish -= usize::from(wants);
        wants
    }

    /// So many sweeps, until none changes an impulse by more than `still` units, and a turn: the number of
    /// sweeps, and the change in the turn.
    fn round(&mut self, problem: &Problem<'_>, sweeps: usize, still: f64) -> (usize, Change) {
        match self.device.as_mut().map(|device| device.round(sweeps, still)) {
            Some(Ok(round)) => return round,
            Some(Err(Lost)) => self.leave_device(),
            None => (),
        }
        let mut made = 0;
        while made < sweeps {
            made += 1;
            if self.sweep() < still {
                break;
            }
        }
        (made, self.turn(problem))
    }

    /// Goes on without the device, from the impulses of the last check, or of the start.
    fn leave_device(&mut self) {
        self.device = None;
        (self.conjugate, self.age) = (Conjugate::default(), 0);
        let Arrays { layout, bodies, contacts, .. } = &mut self.arrays;
        Self::pass(layout, (bodies, contacts), &Sums { extrapolation: None });
        self.balance();
    }

    /// Scales the impulses of layers after a check that failed, and gives them to the device.
    fn scale_on_device(&mut self, problem: &Problem<'_>) {
        if self.device.is_some() && self.height_factor > LEAST_HEIGHT_FACTOR {
            self.scale_by_height();
            self.balance();
            self.device = OnDevice::load(problem, &self.arrays);
        }
    }

    /// Sweeps before the next turn, from those before this one, at least [`SWEEPS`], and the changes of Jᵀx
    /// in this turn and the last.
    fn next_sweeps(&self, sweeps: usize, (moved, before): (f64, f64)) -> usize {
        if moved > STILL_MOVING * self.tolerance && moved > 0.5 * before {
            (sweeps / 2).max(if self.arrays.contacts.patches.is_empty() {
                FEWEST_SWEEPS
            } else {
                FEWEST_SWEEPS_OF_PATCHES
            })
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
        let b = &self.arrays.bodies.placed[self.arrays.layout.place[body] as usize].0;
        let of = |at: usize| [b[at], b[at + 1], b[at + 2]];
        [of(at::VELOCITY), of(at::SPIN)]
    }

    /// A contact as the last check saw it.
    pub fn touch(&self, contact: usize) -> Touch {
        let slot = self.arrays.layout.slot[contact] as usize;
        let (batch, lane) = (slot / WIDTH, slot % WIDTH);
        let contacts = &self.arrays.contacts;
        let (rows, seen) = (&contacts.batches[batch], &contacts.seen[batch]);
        let vector = |of: &[[f64; WIDTH]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        Touch {
            normal: vector(&seen.normal),
            tangent: vector(&seen.tangent),
            arms: [vector(&seen.arms[0]), vector(&seen.arms[1])],
            gap: seen.gap[lane],
            slip: vector(&seen.slip),
            impulse: [0, 1, 2, 3].map(|row: usize| f64::from(rows.impulse[row][lane])),
            rolling: contacts.rolling.get(batch).map_or([0.0; 2], |rolling| rolling.of_lane(lane)),
            feature: contacts.frames[batch].feature[lane],
            is_open: seen.is_open[lane],
        }
    }

    /// Two polytopes as the last check saw them.
    pub fn patch(&self, patch: usize) -> &PatchSeen {
        let slot = self.arrays.layout.patch_slot[patch] as usize;
        &self.arrays.contacts.seen_patches[slot / WIDTH][slot % WIDTH]
    }

    /// Points and impulses of two polytopes for the next step.
    pub fn memory(&self, patch: usize) -> PatchMemory {
        let slot = self.arrays.layout.patch_slot[patch] as usize;
        let (batch, lane) = (slot / WIDTH, slot % WIDTH);
        let (rows, pair) = (&self.arrays.contacts.patches[batch], &self.arrays.contacts.lanes[batch][lane]);
        let seen = &self.arrays.contacts.seen_patches[batch][lane];
        let mut impulses = [0.0; MOST_POINTS];
        for (x, point) in impulses.iter_mut().zip(&rows.points[..pair.n]) {
            *x = point.impulse[lane];
        }
        PatchMemory {
            axis: pair.axis,
            n: pair.n,
            names: pair.names,
            places: pair.places,
            impulses,
            tangent: [rows.tangent[0][lane], rows.tangent[1][lane], rows.tangent[2][lane]],
            push: [rows.push[0][lane], rows.push[1][lane], rows.push[2][lane]],
            region: match pair.torsion {
                Torsion::Radius(_) => None,
                Torsion::Region(_) if seen.n == 0 => None,
                Torsion::Region(_) => match pair.callers {
                    Some(_) => Some(seen.region),
                    None => Some(region((&seen.places, &seen.gaps), seen.n, pair.size, |_| None)),
                },
            },
        }
    }

    /// Runs a pass over all sections.
    fn pass<V: Visit>(
        layout: &Layout,
        (bodies, contacts): (&mut Bodies, &mut Contacts),
        visitor: &V,
    ) -> V::Found {
        let (whole, nodes) = (Section::whole(bodies, contacts), &layout.nodes);
        match (nodes.len().checked_sub(1), &layout.shares) {
            (None, _) => V::Found::default(),
            (Some(root), None) => visit(nodes, root, whole, visitor),
            (Some(root), Some(shares)) => shares.visit(nodes, root, whole, visitor),
        }
    }

    /// Finds the units of bodies and contacts at the impulses.
    fn find_units(layout: &Layout, (bodies, contacts): (&mut Bodies, &mut Contacts)) {
        Self::pass(layout, (bodies, contacts), &Units);
        for round in 0..CARRYING_ROUNDS {
            if !Self::pass(layout, (bodies, contacts), &Carry { is_first: round == 0 }) {
                break;
            }
        }
        Self::pass(layout, (bodies, contacts), &ContactUnits);
    }

    /// Writes the rows at the velocities of the start; returns the residual there.
    fn begin(&mut self, problem: &Problem<'_>) -> Residual {
        (self.conjugate, self.age) = (Conjugate::default(), 0);
        (self.is_full, self.is_strict) = (true, false);
        self.polish = if problem.accepted_start > 0.0 { MOST_POLISH } else { 0 };
        find_ends(&self.arrays.bodies.placed, self.time_step, &mut self.arrays.bodies.ends);
        self.residual(problem, true)
    }

    /// Takes the velocities that balance the impulses.
    fn balance(&mut self) {
        let Bodies { swept, placed, base, free, sums, directions, .. } = &mut self.arrays.bodies;
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
        let Arrays { layout, bodies, contacts, .. } = &mut self.arrays;
        let change = Self::pass(layout, (bodies, contacts), &Sweeps { by });
        self.conjugate.after(change.square);
        change.largest
    }

    /// One turn.
    fn turn(&mut self, problem: &Problem<'_>) -> Change {
        let by = self.by();
        let Problem { solids, surfaces, .. } = *problem;
        let is_full = std::mem::take(&mut self.is_full);
        let part = if std::mem::take(&mut self.is_strict) { 0.0 } else { STAY_PART };
        let (time_step, tolerance) = (self.time_step, self.tolerance);
        let Arrays { layout, bodies, contacts, .. } = &mut self.arrays;
        Self::find_units(layout, (bodies, contacts));
        Self::pass(layout, (bodies, contacts), &Sums { extrapolation: Some(by.extrapolation) });
        self.scale_by_height();
        let Arrays { layout, bodies, contacts, given, given_base, .. } = &mut self.arrays;
        let patches =
            PatchTurnBy { solids, surfaces, given, given_base, time_step, tolerance, part, is_full };
        let turn = TurnBy { given, given_base, time_step, surfaces, by, tolerance };
        let change = Self::pass(layout, (bodies, contacts), &Turns { turn, patches });
        after_turn(&mut Section::whole(bodies, contacts));
        match self.height_factor > LEAST_HEIGHT_FACTOR {
            true => self.conjugate = Conjugate::default(),
            false => self.conjugate.after(change.square),
        }
        change
    }

    /// Multiplies the impulses of layers by what makes the energy of the step least, if the sums are those of
    /// the impulses; they are so after it.
    fn scale_by_height(&mut self) {
        let Some((heights, factors)) = self.heights.zip(self.height_factors()) else { return };
        self.height_factor = factors.largest();
        if self.height_factor > LEAST_HEIGHT_FACTOR {
            let Arrays { layout, bodies, contacts, .. } = &mut self.arrays;
            Self::pass(layout, (bodies, contacts), &ScaleByHeight(heights, factors));
            Self::pass(layout, (bodies, contacts), &Sums { extrapolation: None });
        }
    }

    /// Factors on the impulses of layers that make the energy of the step least, at the sums of the impulses.
    fn height_factors(&mut self) -> Option<HeightFactors> {
        let heights = self.heights?;
        let Arrays { layout, bodies, contacts, .. } = &mut self.arrays;
        let work = Self::pass(layout, (&mut *bodies, &mut *contacts), &ByHeight(heights));
        let energy = Self::pass(layout, (bodies, contacts), &Energy);
        Some(HeightFactors::new(energy, &work))
    }

    /// The true residual at the velocities that the impulses explain.
    fn check(&mut self, problem: &Problem<'_>) -> Residual {
        if self.device.as_mut().is_some_and(|device| device.fetch(&mut self.arrays).is_err()) {
            self.leave_device();
        }
        let on_device = self.device.is_some();
        let Arrays { layout, bodies, contacts, .. } = &mut self.arrays;
        if !on_device {
            Self::pass(layout, (&mut *bodies, &mut *contacts), &Sums { extrapolation: None });
            let Bodies { placed, free, sums, .. } = &mut *bodies;
            for ((body, free), sums) in placed.iter_mut().zip(free).zip(sums) {
                let velocity = gathered(body, free, sums);
                set_velocity(body, &velocity);
            }
        }
        let far = find_ends(&bodies.placed, self.time_step, &mut bodies.ends);
        if let Some(flight) = problem.flight.filter(|_| !far.is_empty()) {
            self.fly_far(flight, (problem.bodies, &far));
        }
        // The rows of a solve on a device are those of the start.
        let residual = self.residual(problem, on_device);
        if on_device {
            self.height_factor = self.height_factors().map_or(0.0, |factors| factors.largest());
        }
        residual
    }

    /// Takes the bodies at some places to their end by a flight that is given.
    fn fly_far(&mut self, flight: &dyn Flight, (of, places): (&[Body], &[usize])) {
        let place = &self.arrays.layout.place;
        let end = |(i, body): (usize, &Body)| {
            let place = place[i] as usize;
            places.binary_search(&place).is_ok().then(|| {
                let (centre, rotation) = flight.end(i, self.velocity(i));
                (place, End::new(&(centre, rotation), &turned(&rotation, body.semi_axes.map(|a| a * a))))
            })
        };
        let ends: Vec<(usize, End)> =
            of.par_iter().enumerate().with_min_len(FLOWN_TOGETHER).filter_map(end).collect();
        for (place, end) in ends {
            self.arrays.bodies.ends[place] = end;
        }
    }

    /// The true residual at the velocities and the ends of the bodies.
    fn residual(&mut self, problem: &Problem<'_>, writes_rows: bool) -> Residual {
        let Self { arrays, time_step, tolerance, .. } = self;
        let Arrays { layout, bodies, contacts, given, given_base, given_ends } = arrays;
        Self::find_units(layout, (&mut *bodies, &mut *contacts));
        let (time_step, tolerance) = (*time_step, *tolerance);
        let surfaces = problem.surfaces;
        let by = CheckBy { given, given_ends, time_step, given_base, surfaces, writes_rows, tolerance };
        let patches = patch_check_by(problem, (given, given_ends, given_base), writes_rows);
        let checks = Checks { by, patches };
        let of_contacts = Self::pass(layout, (&mut *bodies, &mut *contacts), &checks);
        let momentum = Self::pass(layout, (bodies, contacts), &Momentum);
        Residual { momentum, contacts: of_contacts }
    }

    /// Sees pairs that nothing presses together as records need them, at the ends of the bodies.
    fn see_open(&mut self, problem: &Problem<'_>) {
        let Arrays { layout, bodies, contacts, given, given_base, given_ends, .. } = &mut self.arrays;
        let patches = patch_check_by(problem, (given, given_ends, given_base), false);
        Self::pass(layout, (bodies, contacts), &Open { patches });
    }
}

/// Data of a check of pairs with several points, with the poses and velocities of the given bodies.
fn patch_check_by<'a>(
    problem: &Problem<'a>,
    (given, given_ends, given_base): (&'a [PlacedBody], &'a [End], &'a [Six]),
    writes_rows: bool,
) -> PatchCheckBy<'a> {
    let Problem { solids, surfaces, time_step, tolerance, .. } = *problem;
    PatchCheckBy { solids, surfaces, given, given_ends, given_base, time_step, tolerance, writes_rows }
}
