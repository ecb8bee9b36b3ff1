//! Sequence of the substeps of an island, in order of time.

use crate::contact::near_pairs::{add_overlapping, catch_passed};
use crate::contact::pair::PairKey;
use crate::contact::{BroadPhase, Margins};
use crate::step::{BodyState, JointRecord, Loads, Span, Substep};
use crate::stepper::blocks::velocity;
use crate::stepper::island::Island;
use crate::stepper::island::derivative::{Ended, Piece};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::records::{record_island, record_joints};
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::parameters::MAX_ROUNDS;
use crate::stepper::placed_bodies::{PlacedBodies, PlacedParts, move_driven};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_ncp::solver::{Info, SolveStatus};
use signorini_scene::scene::State;

/// Normal and first tangent of a pair.
type ContactFrame = (Vector3<f64>, Vector3<f64>);

/// State of an island from substep to substep. Bodies of other islands stay at the start of the step and are
/// not used.
#[derive(Debug)]
pub(in crate::stepper) struct SubstepSequence {
    /// State of all bodies at the start of the next substep.
    state: State,
    placed: PlacedBodies,
    /// The loads without the impulses that act once.
    lasting: Loads,
    /// The parts of the bodies at the end of a substep that was just solved.
    end: PlacedParts,
    broad_phase: BroadPhase,
    no_margin: Margins,
    /// Frame of each pair at the start of the step, sorted.
    frames: Vec<(PairKey, ContactFrame)>,
    /// Whole turns of the angle of each joint at the start of the next substep.
    turns: Vec<i64>,
    /// Damage of the mortar of each joint at the start of the next substep.
    damage: Vec<f64>,
    /// Length of the span that the impulses of the pairs belong to, as a fraction of h.
    impulse_length: f64,
}

impl SubstepSequence {
    pub fn new(island: &Island, whole: &StepContext<'_>) -> Self {
        let mut lasting = whole.loads.clone();
        lasting.linear_impulse.iter_mut().chain(&mut lasting.angular_impulse).for_each(|p| p.fill(0.0));
        for ((id, _), before) in whole.loads.driven.iter().zip(&mut lasting.driven_before) {
            *before = whole.velocities[*id];
        }
        Self {
            state: State { poses: whole.poses.to_vec(), velocities: whole.velocities.to_vec() },
            placed: PlacedBodies {
                start: PlacedParts::known(whole.poses, whole.placed),
                prescribed: PlacedParts::default(),
            },
            lasting,
            end: PlacedParts::default(),
            broad_phase: BroadPhase::default(),
            no_margin: Margins { reach: vec![0.0; whole.models.bodies.len()], fraction: 0.0 },
            frames: island.problem.pairs.iter().map(|p| (p.key(), p.frame)).collect(),
            turns: whole.turns.to_vec(),
            damage: whole.damage.to_vec(),
            impulse_length: 1.0,
        }
    }

    fn context<'a>(&'a self, whole: &StepContext<'a>, span: Span) -> StepContext<'a> {
        StepContext {
            poses: &self.state.poses,
            velocities: &self.state.velocities,
            placed: &self.placed.start.parts,
            prescribed: &self.placed.prescribed.parts,
            turns: &self.turns,
            damage: &self.damage,
            end_time: whole.end_time - whole.time_step * (1.0 - span.end),
            loads: if span.start == 0.0 { whole.loads } else { &self.lasting },
            time_step: whole.time_step * span.length(),
            length: span.length(),
            ..*whole
        }
    }

    /// Prepares the pairs as they are at the start of the substep, with impulses for its length.
    fn prepare(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) {
        let models = whole.models;
        let length = whole.time_step * span.length();
        self.placed.prescribe(models, &self.state, whole.loads, length);
        let ratio = span.length() / self.impulse_length;
        self.impulse_length = span.length();
        for pair in &mut island.problem.pairs {
            pair.scale_impulses(ratio);
            // A failed attempt may have left the normal anywhere.
            pair.geometry.normal = pair.frame.0;
        }
        island.problem.joint_memory.iter_mut().flat_map(|l| &mut l.impulse).for_each(|x| *x *= ratio);
        island.problem.begin_manifolds(models, &self.placed.start.parts);
    }

    /// Solves the substep, again whenever pairs of the island that were not listed overlap at its end. The
    /// work is added to `account`.
    pub fn solve(
        &mut self,
        island: &mut Island,
        whole: &StepContext<'_>,
        span: Span,
        policy: &SubstepPolicy<'_>,
        account: &mut Info,
    ) {
        let options = policy.first_attempt(&island.problem, span.length());
        for _ in 0..MAX_ROUNDS {
            self.prepare(island, whole, span);
            let limited = policy.limited(&options, span.length(), account.work);
            island.attempt(&self.context(whole, span), policy, &limited);
            account.add_work(&island.info);
            if !island.status.is_solved() || self.add_missed(island, whole, span) == 0 {
                return;
            }
        }
        // Bodies still overlap, and no contact of theirs is solved.
        island.status = SolveStatus::Stalled;
    }

    /// Whether the substep fails the energy check: bodies are faster than contacts can make them.
    pub fn gains_energy(&self, island: &Island, whole: &StepContext<'_>, span: Span) -> bool {
        island.gains_energy(&self.context(whole, span))
    }

    /// Limits the kinetic energy of a substep that was not solved: no body is faster than its loads can make
    /// it.
    pub fn limit_kinetic_energy(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) {
        island.limit_kinetic_energy(&self.context(whole, span));
    }

    /// Adds pairs of the island, or of its bodies with fixed ones, that overlap at the end of the substep,
    /// and marks pairs whose bodies passed through each other to be followed. Returns the number of both.
    fn add_missed(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) -> usize {
        let mut end = std::mem::take(&mut self.end);
        end.follow(whole.models, &self.placed.prescribed);
        let context = self.context(whole, span);
        for (local, &id) in island.problem.bodies.iter().enumerate() {
            let pose = island.problem.end_pose(&context, &island.iterate.velocity, local);
            end.place_body(whole.models, id, &pose);
        }
        self.broad_phase.find(whole.models, &end.parts, &self.no_margin);
        let IslandProblem { bodies, pairs, .. } = &mut island.problem;
        let own = |part: usize| {
            whole.models.is_fixed(part) || bodies.binary_search(&whole.models.parts[part].body).is_ok()
        };
        let candidates = self.broad_phase.candidates.iter().copied().filter(|(a, b, _)| own(*a) && own(*b));
        let candidates: Vec<_> = candidates.collect();
        let placed = [self.placed.start.parts.as_slice(), &end.parts];
        let caught = catch_passed(pairs, whole.models, placed);
        let added = add_overlapping(pairs, &candidates, whole.models, whole.friction, placed);
        self.end = end;
        caught + added
    }

    /// Leaves the pairs as a step that was solved in one piece does: impulses of the whole step, frames of
    /// its start.
    pub fn restore_whole_step(&mut self, island: &mut Island) {
        let ratio = 1.0 / self.impulse_length;
        island.problem.joint_memory.iter_mut().flat_map(|l| &mut l.impulse).for_each(|x| *x *= ratio);
        for pair in &mut island.problem.pairs {
            pair.scale_impulses(ratio);
            if let Ok(i) = self.frames.binary_search_by_key(&pair.key(), |f| f.0) {
                pair.frame = self.frames[i].1;
            }
        }
    }

    /// Takes the bodies to the end of a substep, through the impact at that time, and records the substep.
    /// Returns how an impact ended, and adds its work to `account`.
    pub fn advance(
        &mut self,
        island: &mut Island,
        whole: &StepContext<'_>,
        span: Span,
        policy: &SubstepPolicy<'_>,
        account: &mut Info,
    ) -> SolveStatus {
        let (context, options) =
            (self.context(whole, span), policy.options_for(span.length()).after_work(account.work));
        let impact = island.find_impact(&context, &options);
        if whole.keeps_derivatives {
            let ended = Ended { is_solved: island.status.is_solved(), impact: impact.as_ref() };
            let Island { problem, iterate, pieces, solver, .. } = island;
            pieces.push(Piece::of(problem, (iterate, solver), &context, ended));
        }
        if whole.keeps_problems {
            let solved = island.solved_problems(&self.context(whole, span), span, impact.as_ref());
            island.solved.extend(solved);
        }
        self.advance_bodies(island, whole, span);
        let Some(impact) = impact else { return SolveStatus::Solved };
        let status = impact.status;
        account.add_work(&impact.info);
        account.residual = account.residual.larger(&impact.info.residual);
        for (local, &body) in island.problem.bodies.iter().enumerate() {
            self.state.velocities[body] = velocity(impact.velocity(), local);
        }
        island.record_impact(&self.context(whole, span), &self.state, span, impact);
        status
    }

    /// Takes the bodies to the end of a substep and records the substep.
    fn advance_bodies(&mut self, island: &mut Island, whole: &StepContext<'_>, span: Span) {
        island.store_warm_start();
        let mut joints = std::mem::take(&mut island.substep_records.joints);
        record_joints(island, &self.context(whole, span), span, &mut joints);
        let last = joints.len() - island.problem.joint_memory.len();
        let of = |record: &JointRecord| (record.joint, record.turns, record.damage[1]);
        let followed: Vec<_> = joints[last..].iter().map(of).collect();
        island.substep_records.joints = joints;
        let h = whole.time_step * span.length();
        let context = self.context(whole, span);
        island.keep_free_spins(&context);
        let Island { problem, iterate, .. } = &*island;
        let ended = |local: usize| {
            let (body, v) = (problem.bodies[local], velocity(&iterate.velocity, local));
            let pose = context.end_pose(body, &v);
            BodyState { body, pose, velocity: context.end_velocity(body, &v, &pose) }
        };
        let bodies: Vec<BodyState> = (0..problem.bodies.len()).map(ended).collect();
        let before = self.state.clone();
        move_driven(whole.loads, &before, h, &mut self.state);
        for &BodyState { body, pose, velocity } in &bodies {
            (self.state.poses[body], self.state.velocities[body]) = (pose, velocity);
        }
        for (joint, turned, worn) in followed {
            (self.turns[joint], self.damage[joint]) = (turned, worn);
        }
        self.placed.start.place(whole.models, &self.state.poses);
        let mut records = std::mem::take(&mut island.substep_records);
        record_island(island, whole, &self.state, span, &mut records.contacts);
        records.substeps.push(Substep { span, bodies });
        island.substep_records = records;
        for pair in &mut island.problem.pairs {
            pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
        }
    }
}
