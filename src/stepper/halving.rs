//! The last rung of the ladder: the step of an island that was not solved is redone in two substeps of h/2, and
//! each substep that is not solved either in two of its own half, down to `most_halvings` levels.
//!
//! A substep is a step of its own: geometry at its end, forces over its length, its own p_ref (that of the step
//! times the fraction); impulses that act once act in the first. Other islands never notice: no pair connects
//! them with this one, and pairs missed at the end of the step are looked for as after every step.

use super::implicit_ncp::{MOST_ROUNDS, move_driven, place, place_held, record_island, record_joints};
use super::island::Island;
use super::island_problem::{IslandProblem, StepContext, velocity};
use crate::contact::near_pairs::{add_overlapping, catch_passed};
use crate::contact::{BroadPhase, MovedBody};
use crate::problem::Scaling;
use crate::scene::State;
use crate::settings::SolverSettings;
use crate::solver::{CoreSettings, Info, Phase, Residual, SolveStatus};
use crate::step::{BodyState, ContactRecord, JointRecord, Loads, Span, Substep};
use nalgebra::Vector3;

/// Restarts of the solver's own ladder before a step is halved; only a shortest substep is given all of them. The first
/// restart (cold) often helps, the others seldom, and cost as much as both halves.
const RESTARTS_BEFORE_HALVING: usize = 1;

/// Attempts of a step, the whole one included, that may fail before nothing is halved any more: each may take all the
/// iterations that a step is allowed.
const MOST_FAILURES: usize = 8;

/// What an island that was halved leaves behind; empty otherwise.
#[derive(Debug, Default)]
pub struct Halved {
    /// The substeps, in time.
    pub substeps: Vec<Substep>,
    /// The contacts of all substeps.
    pub contacts: Vec<ContactRecord>,
    /// The joints of all substeps.
    pub joints: Vec<JointRecord>,
    /// The largest residual relative to max(p_ref, max p), each in its substep.
    pub relative_residual: f64,
}

impl Halved {
    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.substeps.clear();
        self.contacts.clear();
        self.joints.clear();
        self.relative_residual = 0.0;
    }
}

/// What halving is done with.
#[derive(Debug, Clone, Copy)]
pub struct Halving<'a> {
    /// Local index of each body within its island.
    pub local_of: &'a [usize],
    /// Parameters of the solver.
    pub settings: &'a CoreSettings,
    /// What a substep has to reach.
    pub goals: &'a SolverSettings,
    /// Levels of halving: the shortest substep is h / 2^most_halvings.
    pub most_halvings: u32,
}

/// Normal and first tangent of a pair.
type Frame = (Vector3<f64>, Vector3<f64>);

impl Halving<'_> {
    /// Length of the shortest substep as a fraction of h.
    fn shortest(&self) -> f64 {
        0.5_f64.powi(self.most_halvings as i32)
    }

    /// Parameters for a part of the step of that length.
    pub fn settings_for(&self, length: f64) -> CoreSettings {
        let most = if length > self.shortest() { RESTARTS_BEFORE_HALVING } else { usize::MAX };
        CoreSettings { ladder_restarts: self.settings.ladder_restarts.min(most), ..*self.settings }
    }
}

/// An island on its way through the substeps. Bodies of other islands stay at the start of the step and are not
/// looked at.
#[derive(Debug)]
struct Path {
    /// At the start of the next substep.
    state: State,
    placed: Vec<MovedBody>,
    /// As `placed`, but bodies with prescribed motion at the end of the next substep.
    held: Vec<MovedBody>,
    /// The loads without the impulses that act once.
    lasting: Loads,
    /// The bodies at the end of a substep that was just solved.
    end: Vec<MovedBody>,
    broad_phase: BroadPhase,
    no_margin: Vec<f64>,
    /// Bodies and frame of each pair at the start of the step, sorted.
    frames: Vec<((usize, usize), Frame)>,
    /// The part of the step that the pairs' impulses belong to, as a fraction of h.
    remembered: f64,
}

impl Path {
    fn new(island: &Island, whole: &StepContext<'_>) -> Self {
        let mut lasting = whole.loads.clone();
        lasting.linear_impulse.iter_mut().chain(&mut lasting.angular_impulse).for_each(|p| p.fill(0.0));
        Self {
            state: State { poses: whole.poses.to_vec(), velocities: whole.velocities.to_vec() },
            placed: whole.placed.to_vec(),
            held: whole.held.to_vec(),
            lasting,
            end: Vec::new(),
            broad_phase: BroadPhase::default(),
            no_margin: vec![0.0; whole.models.len()],
            frames: island.problem.pairs.iter().map(|p| ((p.body_a, p.body_b), p.frame)).collect(),
            remembered: 1.0,
        }
    }

    fn context<'a>(&'a self, whole: &StepContext<'a>, span: Span) -> StepContext<'a> {
        StepContext {
            poses: &self.state.poses,
            velocities: &self.state.velocities,
            placed: &self.placed,
            held: &self.held,
            end_time: whole.end_time - whole.time_step * (1.0 - span.end),
            loads: if span.start == 0.0 { whole.loads } else { &self.lasting },
            time_step: whole.time_step * span.length(),
            scaling: Scaling { momentum: whole.scaling.momentum * span.length(), ..whole.scaling },
            ..*whole
        }
    }

    /// The pairs as they are at the start of the substep, with impulses for its length.
    fn prepare(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) {
        let models = whole.models;
        let length = whole.time_step * span.length();
        place_held(models, &self.state, whole.loads, length, &self.placed, &mut self.held);
        let ratio = span.length() / self.remembered;
        self.remembered = span.length();
        for pair in &mut island.problem.pairs {
            pair.scale_impulses(ratio);
            // A failed attempt may have left the normal anywhere.
            pair.geometry.normal = pair.frame.0;
        }
        island.problem.links.iter_mut().flat_map(|l| &mut l.impulse).for_each(|x| *x *= ratio);
        island.problem.begin_patches(models, &self.placed);
    }

    /// Solves the substep, again whenever pairs of the island that were not listed overlap at its end. The work is added
    /// to `account`.
    fn solve(
        &mut self,
        island: &mut Island,
        whole: &StepContext<'_>,
        span: Span,
        with: &Halving<'_>,
        account: &mut Info,
    ) {
        let settings = with.settings_for(span.length());
        for _ in 0..MOST_ROUNDS {
            self.prepare(island, whole, span);
            island.solve_span(&self.context(whole, span), with, &settings);
            account.iterations += island.info.iterations;
            account.factorizations += island.info.factorizations;
            account.restarts += island.info.restarts;
            account.times.add(&island.info.times);
            if !island.status.is_solved() || self.add_missed(island, whole, span) == 0 {
                return;
            }
        }
    }

    /// Adds pairs of the island, or of its bodies with fixed ones, that overlap at the end of the substep, and has those
    /// followed that passed through each other; returns how many.
    fn add_missed(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) -> usize {
        let mut end = std::mem::take(&mut self.end);
        end.clone_from(&self.held);
        let context = self.context(whole, span);
        for (local, &id) in island.problem.bodies.iter().enumerate() {
            let pose = island.problem.end_pose(&context, &island.iterate.velocity, local);
            end[id] = MovedBody::new(&whole.models[id], &pose);
        }
        self.broad_phase.find(whole.models, &end, &self.no_margin);
        let IslandProblem { bodies, pairs, .. } = &mut island.problem;
        let own = |id: usize| whole.models[id].fixed || bodies.binary_search(&id).is_ok();
        let candidates = self.broad_phase.candidates.iter().copied().filter(|(a, b)| own(*a) && own(*b));
        let placed = [self.placed.as_slice(), &end];
        let caught = catch_passed(pairs, whole.models, placed);
        let added = add_overlapping(pairs, candidates, whole.models, whole.friction, placed);
        self.end = end;
        caught + added
    }

    /// Leaves the pairs as a step that was solved in one piece does: impulses of the whole step, frames of its start.
    fn leave(&mut self, island: &mut Island) {
        let ratio = 1.0 / self.remembered;
        island.problem.links.iter_mut().flat_map(|l| &mut l.impulse).for_each(|x| *x *= ratio);
        for pair in &mut island.problem.pairs {
            pair.scale_impulses(ratio);
            if let Ok(i) = self.frames.binary_search_by_key(&(pair.body_a, pair.body_b), |f| f.0) {
                pair.frame = self.frames[i].1;
            }
        }
    }

    /// Takes the bodies to the end of a substep and writes it down.
    fn advance(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) {
        island.remember();
        let mut joints = std::mem::take(&mut island.halved.joints);
        record_joints(island, &self.context(whole, span), span, &mut joints);
        island.halved.joints = joints;
        let h = whole.time_step * span.length();
        let before = self.state.clone();
        move_driven(whole.loads, &before, h, &mut self.state);
        place(whole.models, &self.state, &mut self.placed);
        let mut bodies = Vec::with_capacity(island.problem.bodies.len());
        for (local, &body) in island.problem.bodies.iter().enumerate() {
            let velocity = velocity(&island.iterate.velocity, local);
            let pose = self.state.poses[body].advanced(&velocity, h);
            self.state.poses[body] = pose;
            self.state.velocities[body] = velocity;
            self.placed[body] = MovedBody::new(&whole.models[body], &pose);
            bodies.push(BodyState { body, pose, velocity });
        }
        let mut halved = std::mem::take(&mut island.halved);
        record_island(island, whole, &self.state, span, &mut halved.contacts);
        halved.substeps.push(Substep { span, bodies });
        island.halved = halved;
        for pair in &mut island.problem.pairs {
            pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
        }
    }
}

/// Redoes the step of an island whose solve ended above the tolerance. Where a substep fails that is not halved, its
/// best iterate is taken if it is better than that of the whole step, which otherwise stays.
pub fn halve(island: &mut Island, whole: &StepContext<'_>, with: &Halving<'_>) {
    let first = (island.problem.pairs.clone(), island.iterate.clone());
    let (first_status, first_info) = (island.status, island.info);
    let mut path = Path::new(island, whole);
    let mut account = Info { residual: Residual::default(), phase: Phase::Halving, ..first_info };
    let (mut status, mut failures) = (SolveStatus::SolvedByHalving, 1);
    let [early, late] = Span::WHOLE.halves();
    let mut waiting = vec![late, early];
    while let Some(span) = waiting.pop() {
        path.solve(island, whole, span, with, &mut account);
        let residual = island.info.residual;
        if !island.status.is_solved() {
            failures += 1;
            if span.length() > with.shortest() && failures < MOST_FAILURES {
                let [early, late] = span.halves();
                waiting.extend([late, early]);
                continue;
            }
            status = status.worse(island.status);
            if residual.exceeds(first_info.residual.max()) {
                island.halved.clear();
                path.leave(island);
                island.restore(whole, with.local_of, first);
                (island.status, island.info) =
                    (first_status, Info { residual: first_info.residual, ..account });
                return;
            }
        }
        account.residual = account.residual.worse(&residual);
        let unit = whole.scaling.momentum * span.length();
        let relative = residual.max() * unit / island.largest_impulse().max(unit);
        island.halved.relative_residual = island.halved.relative_residual.max(relative);
        path.advance(island, whole, span);
    }
    path.leave(island);
    (island.status, island.info) = (status, account);
}

#[cfg(test)]
mod tests;
