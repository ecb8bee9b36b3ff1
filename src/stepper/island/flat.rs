//! Attempts of an island in flat arrays.

use crate::contact::Pair;
use crate::contact::part_model::{MovedPart, PartModel};
use crate::contact::placed::Placed;
use crate::contact::tolerances::SEAM_LEAN;
use crate::contact::union_normal::{Reach, has_normal_near};
use crate::step::ContactRecord;
use crate::stepper::flat::which::{Kinds, if_flat};
use crate::stepper::flat::{are_guides, solid_axes};
use crate::stepper::impact::{closing_speed, slowest};
use crate::stepper::island::Island;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::records::record;
use crate::stepper::island::refresh::IslandStepProblem;
use crate::stepper::island::solve::Outcome;
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::parameters::{
    FLAT_DOWN_TO, FLAT_PATCH_WORK, FLAT_ROUND_WORK, FLAT_SEAM_WIDTH, FLAT_SWEEP_WORK,
    FLAT_WARM_BELOW_RESIDUAL, JUDGED_PAIRS_PER_CHUNK,
};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use rayon::prelude::*;
use signorini_flat::parameters::LEAN;
use signorini_geometry::{Pose, Velocity};
use signorini_ncp::solver::{Info, Phase, Residual, SolveOptions, SolveStatus, StepProblem};

/// Work of a solve in flat arrays, as [`Info::work`] counts it.
fn work_of(outcome: &signorini_flat::Outcome, kinds: &Kinds) -> u64 {
    let (sweeps, turns) = (outcome.sweeps as u64, (outcome.turns + outcome.checks) as u64);
    let of = |n: usize, [sweep, turn]: [u64; 2]| n as u64 * (sweep * sweeps + turn * turns);
    of(kinds.n_points, FLAT_SWEEP_WORK)
        + of(kinds.n_patches - kinds.n_round, FLAT_PATCH_WORK)
        + of(kinds.n_round, FLAT_ROUND_WORK)
}

impl Island {
    /// The pairs of the island if it may be solved in flat arrays.
    pub(super) fn if_flat(&self, context: &StepContext<'_>) -> Option<Kinds> {
        let IslandProblem { bodies, pairs, joint_memory, .. } = &self.problem;
        if_flat((bodies, pairs), context).filter(|_| are_guides(joint_memory, context))
    }

    /// Attempts the step or substep of a context in flat arrays, if the island is one for them. Ends the
    /// attempt unless it fails in a substep so short that another path is worth its time.
    pub(super) fn attempt_flat(
        &mut self,
        context: &StepContext<'_>,
        policy: &SubstepPolicy<'_>,
        options: &SolveOptions,
    ) -> Outcome {
        let Some(kinds) = self.if_flat(context) else {
            self.recall_points(context);
            return Outcome::Next;
        };
        self.problem.geometry_seconds = 0.0;
        self.problem.find_pulls(context);
        let IslandProblem { bodies, pairs, pulls, joint_memory, .. } = &self.problem;
        self.flat.read((bodies, pairs, pulls), joint_memory, context, policy.local_of);
        let is_short = context.length <= FLAT_DOWN_TO.max(policy.shortest());
        let may_halve = !is_short && !kinds.one_spins;
        let outcome = self.flat.solve(context, (&self.problem.bodies, &self.problem.pairs), may_halve);
        self.info.sweeps += outcome.sweeps + outcome.turns;
        self.info.work += work_of(&outcome, &kinds);
        if outcome.is_solved {
            let may_have_passed = self.take_flat_solution(context, &outcome);
            if may_have_passed || self.presses_on_seams(context) {
                return self.start_anew(context);
            }
            return if self.strikes(context) { self.go_on_in_rows(context, policy) } else { Outcome::Done };
        }
        if outcome.residual.max() < FLAT_WARM_BELOW_RESIDUAL {
            self.take_flat_impulses();
        }
        let limit = options.limit(&self.info);
        if limit.is_none() && !may_halve {
            self.recall_points(context);
            return Outcome::Next;
        }
        self.linearize_flat(context, policy.local_of);
        self.info.phase = Phase::Flat;
        self.status = limit.unwrap_or(SolveStatus::MaxIterations);
        Outcome::Done
    }

    /// Takes velocities, impulses and geometry over. Returns whether bodies of a pair may have passed through
    /// each other: other paths follow them on their way.
    fn take_flat_solution(&mut self, context: &StepContext<'_>, outcome: &signorini_flat::Outcome) -> bool {
        self.flat.is_solution = true;
        self.status = SolveStatus::Solved;
        let signorini_flat::Residual { momentum, contacts } = outcome.residual;
        let residual = Residual { momentum, complementarity: contacts, friction: 0.0 };
        self.info = Info { residual, phase: Phase::Flat, ..self.info };
        self.take_flat_velocities();
        self.iterate.impulse.clear();
        let Self { flat, problem: IslandProblem { bodies, pairs, joint_memory, .. }, .. } = self;
        flat.fly(context, bodies);
        flat.write_borne(context, (bodies, pairs), joint_memory);
        let flat = &*flat;
        let take = |(c, pair): (usize, &mut Box<Pair>)| {
            let found = flat.touch(c);
            flat.hand_impulses_to((c, &found), pair);
            found.hand_geometry_to(pair);
            let is_known = pair.begins_as_it_ends();
            pair.found_at = if is_known { flat.key_at_end(context, (c, pair)) } else { 0 };
            let Some(swept) = &pair.swept else { return false };
            let thinner = [pair.body_a, pair.body_b][swept.thinner()];
            let rotation = match bodies.binary_search(&thinner) {
                Ok(local) => flat.ends[local].1,
                Err(_) => context.models.body_at(thinner, context.prescribed).rotation,
            };
            swept.may_have_passed(&pair.geometry.normal, &rotation)
        };
        let all = pairs.par_iter_mut().enumerate().with_min_len(JUDGED_PAIRS_PER_CHUNK);
        all.map(take).reduce(|| false, |a, b| a || b)
    }

    /// Whether faces or edges of parts press that other parts of their moving bodies cover (theory §3.12).
    fn presses_on_seams(&self, context: &StepContext<'_>) -> bool {
        // Where an edge leans by no more over a face, the flat step lets it push along the normal of that.
        let tilt = SEAM_LEAN.max(LEAN * context.solver.tolerance);
        self.problem.pairs.par_iter().with_min_len(JUDGED_PAIRS_PER_CHUNK).any(|pair| {
            let has_parts = |id: usize| context.models.bodies[id].has_parts();
            let is_of_parts =
                pair.manifold.is_some() && [pair.body_a, pair.body_b].into_iter().any(has_parts);
            if !is_of_parts || pair.impulse[0] <= 0.0 {
                return false;
            }
            let [a, b] = self.parts_at_end(context, pair);
            let (g, [a, b]) = (&pair.geometry, [&a, &b].map(|part| Placed::new(part.0, &part.1)));
            let reach = Reach::of(FLAT_SEAM_WIDTH * a.model.smaller_size(b.model));
            !has_normal_near(&a, (&g.normal, &g.arm_a), tilt, reach)
                || !has_normal_near(&b, (&-g.normal, &g.arm_b), tilt, reach)
        })
    }

    /// Leaves the solution for other paths, from the normals of the start.
    fn start_anew(&mut self, context: &StepContext<'_>) -> Outcome {
        self.flat.is_solution = false;
        for pair in &mut self.problem.pairs {
            (pair.geometry.normal, pair.found_at) = (pair.frame.0, 0);
        }
        self.recall_points(context);
        Outcome::Next
    }

    fn take_flat_velocities(&mut self) {
        let velocity = &mut self.iterate.velocity;
        velocity.clear();
        for local in 0..self.problem.bodies.len() {
            velocity.extend(self.flat.velocity(local).into_iter().flatten());
        }
    }

    fn take_flat_impulses(&mut self) {
        for (c, pair) in self.problem.pairs.iter_mut().enumerate() {
            self.flat.hand_impulses_to((c, &self.flat.touch(c)), pair);
        }
    }

    /// Gives contact points the impulses that steps in flat arrays left, before other paths begin.
    pub(super) fn recall_points(&mut self, context: &StepContext<'_>) {
        let IslandProblem { pairs, search, .. } = &mut self.problem;
        for pair in pairs.iter_mut().filter(|pair| pair.patch.is_some()) {
            let [a, b] = context.sides_at_start(pair);
            let axes = solid_axes(context, context.models.parts_of(pair)[1]);
            pair.recall([&a, &b], &axes, search);
        }
    }

    /// Whether something strikes at the end of the solution, so that an impact follows.
    fn strikes(&self, context: &StepContext<'_>) -> bool {
        context.has_impacts
            && self
                .problem
                .pairs
                .iter()
                .any(|pair| pair.impulse[0] > 0.0 && closing_speed(pair, context) > slowest(pair, context))
    }

    /// Hands a solution on to the impact phase, with the problem linearised at it. Where it is none there,
    /// other paths go on.
    fn go_on_in_rows(&mut self, context: &StepContext<'_>, policy: &SubstepPolicy<'_>) -> Outcome {
        self.flat.is_solution = false;
        self.linearize_flat(context, policy.local_of);
        let is_solved = self.info.residual.max() <= context.solver.tolerance;
        if is_solved { Outcome::Done } else { Outcome::Next }
    }

    /// Sets the problem up with its rows, linearised at the velocities found, as other paths leave it.
    fn linearize_flat(&mut self, context: &StepContext<'_>, local_of: &[usize]) {
        self.take_flat_velocities();
        let velocity = std::mem::take(&mut self.iterate.velocity);
        self.linearize_at(context, local_of, velocity);
    }

    /// Sets the problem up with its rows and the impulses that pairs hold, linearised at velocities.
    pub(super) fn linearize_at(&mut self, context: &StepContext<'_>, local_of: &[usize], velocity: Vec<f64>) {
        self.recall_points(context);
        self.problem.reserve_rows();
        self.problem.set_up(context, local_of);
        self.load_impulses();
        self.iterate.velocity = velocity;
        let mut problem = IslandStepProblem { island: &mut self.problem, context };
        self.info.residual = problem.refresh(&self.iterate.velocity, &mut self.iterate.impulse);
    }

    /// Gives bodies on which no torque acted their old spin back, exact to the last digit, however roughly
    /// the step was solved. In flat arrays they keep it.
    pub(in crate::stepper) fn keep_free_spins(&mut self, context: &StepContext<'_>) {
        if !self.flat.is_solution {
            self.problem.keep_free_spins(context, &mut self.iterate);
        }
    }

    /// Pose of a local body at the end of the step, with velocity v once the impulses have acted.
    pub(in crate::stepper) fn end_pose(&self, context: &StepContext<'_>, local: usize, v: &Velocity) -> Pose {
        match self.flat.is_solution {
            true => self.flat.ends[local].0,
            false => context.end_pose(self.problem.bodies[local], v),
        }
    }

    /// A part of a body at the end of the step in flat arrays.
    fn part_at_end<'a>(
        &self,
        context: &StepContext<'a>,
        id: usize,
        part: usize,
    ) -> (&'a PartModel, MovedPart) {
        let index = context.models.bodies[id].parts.start + part;
        let model = &context.models.parts[index];
        match self.problem.bodies.binary_search(&id) {
            Ok(local) => (model, MovedPart::new(model, &self.flat.ends[local].0)),
            Err(_) => (model, context.prescribed[index]),
        }
    }

    /// The parts of a pair at the end of the step in flat arrays.
    fn parts_at_end<'a>(&self, context: &StepContext<'a>, pair: &Pair) -> [(&'a PartModel, MovedPart); 2] {
        [(pair.body_a, pair.part_a), (pair.body_b, pair.part_b)]
            .map(|(id, part)| self.part_at_end(context, id, part))
    }

    /// Record of pair c as it was solved in flat arrays; `place` is the centre of mass of body B (m).
    pub(super) fn record_flat(
        &self,
        context: &StepContext<'_>,
        c: usize,
        place: Vector3<f64>,
    ) -> ContactRecord {
        let pair = &self.problem.pairs[c];
        let found = self.flat.touch(c);
        let slip = found.slip();
        let slip = if pair.n_friction() > 0 { &slip[..] } else { &[] };
        let record = record(pair, &pair.scaled_tangents, slip, place);
        let cohesion_impulse = self.problem.pull(c);
        let record = ContactRecord {
            rolling_impulse: self.problem.rolling_impulse(context, c),
            cohesion_impulse,
            normal_impulse: record.normal_impulse - cohesion_impulse,
            ..record
        };
        if context.models.parts_of(pair).into_iter().all(|part| context.models.briefs[part].is_round) {
            return record;
        }
        let [a, b] = self.parts_at_end(context, pair);
        let touch = found.kind(pair, &Placed::new(a.0, &a.1), &Placed::new(b.0, &b.1));
        ContactRecord { touch, ..record }
    }
}
