//! The loop that takes a step, common to all models: near pairs, islands, their solution, end state and
//! records. The loop repeats while bodies that were not listed turn out to touch.

use crate::contact::{Models, NearPairs};
use crate::step::{Loads, StepInfo, n_halved};
use crate::stepper::blocks::path_speed;
use crate::stepper::formulation::{Records, StepEnd, StepFormulation};
use crate::stepper::island::Island;
use crate::stepper::island::records::record_broken;
use crate::stepper::islands::IslandSet;
use crate::stepper::joints::{JointMemory, JointModel};
use crate::stepper::memory::Memory;
use crate::stepper::parameters::MAX_ROUNDS;
use crate::stepper::placed_bodies::{PlacedBodies, move_driven};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_ncp::solver::parameters::work::SECOND;
use signorini_ncp::solver::{ConicValue, SolveStatus};
use signorini_ncp::threads;
use signorini_scene::scene::{Scene, State};
use std::time::{Duration, Instant};

/// Data that the step of every model keeps from one step to the next.
#[derive(Debug)]
pub struct StepLoop {
    models: Models,
    joints: Vec<JointModel>,
    placed: PlacedBodies,
    end: StepEnd,
    /// Near pairs with the impulses of the last step.
    pub near: NearPairs,
    joint_memory: Vec<JointMemory>,
    /// Whole turns of the angle of each joint, counted of joints that are coupled.
    turns: Vec<i64>,
    /// Damage of the mortar of each joint.
    damage: Vec<f64>,
    /// Number of the last steps that were not solved.
    n_unsolved: u32,
    /// Joints of mortar that is broken, which hold nothing any more.
    broken: Vec<JointMemory>,
    islands: IslandSet,
    /// Contacts and joints that the last step reported.
    pub records: Records,
}

impl StepLoop {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let joints = JointModel::all(scene);
        Self {
            joint_memory: joints.iter().enumerate().map(|(i, joint)| joint.memory(i)).collect(),
            turns: vec![0; joints.len()],
            damage: vec![0.0; joints.len()],
            n_unsolved: 0,
            broken: Vec::new(),
            joints,
            models: Models::of(scene),
            placed: PlacedBodies::default(),
            end: StepEnd::default(),
            near: NearPairs::default(),
            islands: IslandSet::default(),
            records: Records::default(),
        }
    }

    /// Returns the data that the next step depends on besides scene and state.
    pub fn memory(&self) -> Memory {
        Memory {
            pairs: self.near.pairs.clone(),
            joints: self.joint_memory.clone(),
            turns: self.turns.clone(),
            damage: self.damage.clone(),
            n_unsolved: self.n_unsolved,
            islands: self.islands.memory(),
            ..Memory::default()
        }
    }

    /// Restores pairs, joints and solvers from a memory.
    pub fn restore(&mut self, memory: Memory) {
        self.near.pairs = memory.pairs;
        for joint in memory.joints {
            if let Some(mine) = self.joint_memory.iter_mut().find(|mine| mine.joint == joint.joint) {
                // A joint whose coupling has gone has fewer rows than before.
                let impulse = mine.impulse.iter_mut().zip(&joint.impulse);
                impulse.for_each(|(mine, before)| *mine = *before);
                mine.at_end = joint.at_end;
            }
        }
        self.turns.iter_mut().zip(memory.turns).for_each(|(mine, before)| *mine = before);
        self.damage.iter_mut().zip(memory.damage).for_each(|(mine, before)| *mine = before);
        self.n_unsolved = memory.n_unsolved;
        self.islands.restore(&memory.islands);
    }

    /// Takes the state over one step.
    pub fn step(
        &mut self,
        scene: &Scene,
        state: &mut State,
        loads: &Loads,
        formulation: &mut impl StepFormulation,
    ) -> StepInfo {
        let (start, mut solving) = (Instant::now(), Duration::ZERO);
        if state.poses.len() >= threads::SHARED_FROM {
            threads::rouse();
        }
        let Self { models, joints, placed, end, near, joint_memory, turns, damage, islands, records, .. } =
            self;
        joints.iter_mut().zip(&scene.joints).for_each(|(model, joint)| model.follow(joint));
        placed.place(models, state, loads, scene.time_step);
        let (backend, own, ranks) = (formulation.backend(), formulation.own(), formulation.ranks());
        let context = StepContext {
            last_step: formulation.last_step(),
            has_impacts: formulation.has_impacts(),
            keeps_derivatives: formulation.keeps_derivatives(),
            keeps_problems: formulation.keeps_problems(),
            backend: backend.as_deref(),
            turns,
            damage,
            n_unsolved: self.n_unsolved,
            own: own.as_ref(),
            ranks: ranks.as_ref(),
            ..StepContext::new(scene, state, loads, (models, joints), placed)
        };
        let alone = StepContext { ranks: None, ..context };
        let broken = &mut self.broken;
        broken.extend(joint_memory.extract_if(.., |link| !context.holds(link.joint)));
        find_near(near, &context);
        let mut info = StepInfo::default();
        for round in 0..MAX_ROUNDS {
            formulation.begin(round, &mut near.pairs, joint_memory, &context);
            islands.distribute(&mut near.pairs, joint_memory, formulation.spring_pairs(), &context);
            let before = Instant::now();
            islands.solve_shared(&context, |island, of| formulation.solve(island, &context, of));
            islands.solve_alone(&context, |island, of| formulation.solve(island, &alone, of));
            solving += before.elapsed();
            add_round(&mut info, islands.all());
            end.state.clone_from(state);
            move_driven(loads, state, context.time_step, &mut end.state);
            end.travel.clear();
            end.travel.extend((0..models.bodies.len()).map(|id| travel_of_fixed(&context, id)));
            formulation.advance(islands.all(), &context, end);
            end.parts.place(models, &end.state.poses);
            formulation.record(islands.all(), &context, end, records);
            record_broken(broken, &context, &end.state, records);
            islands.gather(&mut near.pairs, joint_memory);
            let ends = [placed.start.parts.as_slice(), &end.parts.parts];
            let caught = formulation.catch_passed(&mut near.pairs, models, ends);
            let moved = |i: usize| end.travel[i];
            if caught + near.add_missed(models, context.friction, ends, moved) == 0 {
                break;
            }
            if round + 1 == MAX_ROUNDS {
                // Bodies still overlap, and no contact of theirs is solved.
                info.status = info.status.worse(SolveStatus::Stalled);
            }
        }
        joint_memory.append(broken);
        joint_memory.sort_unstable_by_key(|link| link.joint);
        for record in &records.joints {
            turns[record.joint] = record.turns;
            damage[record.joint] = record.damage[1];
        }
        self.n_unsolved = if info.status.is_solved() { 0 } else { self.n_unsolved.saturating_add(1) };
        std::mem::swap(state, &mut end.state);
        std::mem::swap(&mut placed.start, &mut end.parts);
        info.broad_seconds = (start.elapsed() - solving).as_secs_f64();
        info
    }
}

/// Lists the pairs that may touch within the step.
fn find_near(near: &mut NearPairs, context: &StepContext<'_>) {
    let (h, loads) = (context.time_step, context.loads);
    let reach = |i: usize| {
        let model = &context.models.bodies[i];
        if model.fixed {
            return travel_of_fixed(context, i);
        }
        let pushed = (loads.force[i] * h + loads.linear_impulse[i]).norm() / model.mass;
        h * (path_speed(model, &context.velocities[i]) + pushed)
    };
    near.find(context.models, context.friction, context.placed, reach);
}

/// Way of the fastest point of a body that moves as prescribed (m), 0 for other bodies.
fn travel_of_fixed(context: &StepContext<'_>, id: usize) -> f64 {
    let (model, v) = (&context.models.bodies[id], &context.velocities[id]);
    if !model.fixed {
        return 0.0;
    }
    // A half-space has no finite radius, and no spin.
    context.time_step * if v.angular == Vector3::zeros() { v.linear.norm() } else { path_speed(model, v) }
}

/// Adds the islands of a round to `info`. Status, residual and contacts are those of the last round; work is
/// summed over rounds.
fn add_round(info: &mut StepInfo, islands: &[Box<Island>]) {
    let mut round = StepInfo { n_islands: islands.len(), ..StepInfo::default() };
    for island in islands {
        round.status = round.status.worse(island.status);
        if island.status == SolveStatus::TurnedTooFar {
            round.turned_joint = round.turned_joint.or(island.turned_joint);
        }
        round.residual = round.residual.larger(&island.info.residual);
        round.iterations = round.iterations.max(island.info.iterations);
        round.sweeps = round.sweeps.max(island.info.sweeps);
        round.factorizations += island.info.factorizations;
        round.restarts += island.info.restarts;
        round.work += island.info.work as f64 / SECOND as f64;
        round.phase = round.phase.max(island.info.phase);
        round.times.add(&island.info.times);
        if let Some(value) = island.conic {
            let sum = round.conic.get_or_insert_with(ConicValue::default);
            sum.objective += value.objective;
            sum.duality_gap += value.duality_gap;
        }
        if island.substep_records.is_empty() {
            let phases = if island.impact.is_some() { 2 } else { 1 };
            round.n_contacts += phases * island.problem.pairs.len();
        } else {
            round.n_contacts += island.substep_records.contacts.len();
            round.n_substeps += n_halved(&island.substep_records.substeps);
        }
    }
    round.iterations += info.iterations;
    round.sweeps += info.sweeps;
    round.factorizations += info.factorizations;
    round.restarts += info.restarts;
    round.work += info.work;
    round.times.add(&info.times);
    *info = round;
}
