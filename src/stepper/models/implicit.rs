//! The default model: geometry at the END of the step, exact Coulomb friction, the NCP of theory §2.

use crate::contact::near_pairs::catch_passed;
use crate::contact::{Models, MovedPart, Pair};
use crate::step::{ContactRecord, JointRecord, Loads, StepInfo, Substep};
use crate::stepper::blocks::{path_speed, velocity};
use crate::stepper::frame::Frame;
use crate::stepper::island::records::{write_joints, write_records};
use crate::stepper::island::settings::Halving;
use crate::stepper::island::solve::Island;
use crate::stepper::island_step::solve_island;
use crate::stepper::joints::JointMemory;
use crate::stepper::memory::Memory;
use crate::stepper::scheme::{Records, Scheme, StepEnd};
use crate::stepper::staggered::{self, Workspace};
use crate::stepper::step_context::StepContext;
use crate::stepper::stepper_trait::Stepper;
use signorini_backend::Guarded;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Integrator;
use std::sync::Arc;

/// The implicit model with its workspace.
#[derive(Debug)]
pub struct ImplicitNcp {
    frame: Frame,
    scheme: Implicit,
}

/// Data and operations of the implicit model alone.
#[derive(Debug)]
struct Implicit {
    /// Backend that evaluates smooth pairs; None: this model itself.
    backend: Option<Arc<Guarded>>,
    /// Length of the last step (s) under the staggered integrator, 0 before the first.
    last_step: Option<f64>,
    has_impacts: bool,
    staggered: Workspace,
}

impl ImplicitNcp {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let scheme = Implicit {
            backend: None,
            last_step: (scene.solver.integrator == Integrator::Staggered).then_some(0.0),
            has_impacts: scene.solver.impact_phase || scene.friction.rebounds(),
            staggered: Workspace::default(),
        };
        Self { frame: Frame::new(scene), scheme }
    }
}

impl Stepper for ImplicitNcp {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let info = self.frame.step(scene, state, loads, &mut self.scheme);
        for pair in &mut self.frame.near.pairs {
            pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
        }
        self.scheme.last_step = self.scheme.last_step.map(|_| scene.time_step);
        info
    }

    fn contacts(&self) -> &[ContactRecord] {
        &self.frame.records.contacts
    }

    fn joints(&self) -> &[JointRecord] {
        &self.frame.records.joints
    }

    fn substeps(&self) -> &[Substep] {
        &self.frame.records.substeps
    }

    fn memory(&self) -> Memory {
        Memory { last_step: self.scheme.last_step, ..self.frame.memory() }
    }

    fn recall(&mut self, memory: Memory) {
        // The integrator decides whether there is a last step at all.
        self.scheme.last_step = self.scheme.last_step.map(|cold| memory.last_step.unwrap_or(cold));
        self.frame.recall(memory);
    }

    fn use_backend(&mut self, backend: Arc<Guarded>) -> bool {
        self.scheme.backend = Some(backend);
        true
    }
}

impl Scheme for Implicit {
    fn last_step(&self) -> Option<f64> {
        self.last_step
    }

    fn has_impacts(&self) -> bool {
        self.has_impacts
    }

    fn backend(&self) -> Option<Arc<Guarded>> {
        self.backend.clone()
    }

    fn begin(
        &mut self,
        round: usize,
        pairs: &mut [Box<Pair>],
        joint_memory: &mut [JointMemory],
        context: &StepContext<'_>,
    ) {
        let Some(last) = self.last_step else { return };
        if round == 0 {
            staggered::begin_joints(joint_memory, context, last, &mut self.staggered);
        }
        staggered::begin_pairs(pairs, context, last, round > 0, &mut self.staggered);
    }

    fn solve(&self, island: &mut Island, context: &StepContext<'_>, local_of: &[usize]) {
        let solver = context.solver;
        let run = context.run();
        let halving = Halving { local_of, run: &run, goals: solver, most_halvings: solver.halvings };
        solve_island(island, context, &halving);
    }

    fn advance(&self, islands: &mut [Box<Island>], context: &StepContext<'_>, end: &mut StepEnd) {
        let h = context.time_step;
        let StepEnd { state, travel, .. } = end;
        for island in islands {
            for substep in &island.halved.substeps {
                for end in &substep.bodies {
                    (state.poses[end.body], state.velocities[end.body]) = (end.pose, end.velocity);
                    let speed = path_speed(&context.models.bodies[end.body], &end.velocity);
                    travel[end.body] += h * substep.span.length() * speed;
                }
            }
            if island.halved.substeps.is_empty() {
                let Island { problem, iterate, impact, .. } = &mut **island;
                problem.keep_free_spins(context, iterate);
                for (local, &id) in problem.bodies.iter().enumerate() {
                    let v = velocity(&iterate.velocity, local);
                    let end = context.end_pose(id, &v);
                    travel[id] = h * path_speed(&context.models.bodies[id], &v);
                    let leaves = impact.as_ref().map(|impact| velocity(impact.velocity(), local));
                    let leaves = leaves.unwrap_or_else(|| context.end_velocity(id, &v, &end));
                    (state.poses[id], state.velocities[id]) = (end, leaves);
                }
            }
        }
    }

    fn record(
        &self,
        islands: &mut [Box<Island>],
        context: &StepContext<'_>,
        end: &StepEnd,
        records: &mut Records,
    ) {
        write_records(islands, context, &end.state, &mut records.contacts, &mut records.substeps);
        write_joints(islands, context, &mut records.joints);
    }

    fn catch_passed(&self, pairs: &mut [Box<Pair>], models: &Models, placed: [&[MovedPart]; 2]) -> usize {
        catch_passed(pairs, models, placed)
    }
}
