//! The default model: geometry at the END of the step, exact Coulomb friction, the NCP of theory §2.

use crate::backend::Guarded;
use crate::contact::near_pairs::catch_passed;
use crate::contact::{BodyModel, Islands, MovedBody, NearPairs};
use crate::scene::{FrictionTable, Scene, State};
use crate::settings::Integrator;
use crate::solver::{CoreSettings, SolveStatus};
use crate::step::{ContactRecord, JointRecord, Loads, StepInfo, Substep};
use crate::stepper::blocks::{path_speed, velocity};
use crate::stepper::frame::{MOST_ROUNDS, add_round, find_near, move_driven, place, place_held, solve_all};
use crate::stepper::island::distribute::distribute;
use crate::stepper::island::records::{write_joints, write_records};
use crate::stepper::island::settings::Halving;
use crate::stepper::island::solve::Island;
use crate::stepper::island_step::solve_island;
use crate::stepper::joints::{JointModel, Link};
use crate::stepper::staggered;
use crate::stepper::step_context::StepContext;
use crate::stepper::stepper_trait::Stepper;
use nalgebra::Matrix3;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Workspace of the implicit model.
#[derive(Debug)]
pub struct ImplicitNcp {
    models: Vec<BodyModel>,
    friction: FrictionTable,
    settings: CoreSettings,
    /// Bodies at the start and at the end of the step.
    placed: [Vec<MovedBody>; 2],
    near: NearPairs,
    islands: Islands,
    local_of: Vec<usize>,
    groups: Vec<Island>,
    records: Vec<ContactRecord>,
    joints: Vec<JointModel>,
    links: Vec<Link>,
    joint_records: Vec<JointRecord>,
    /// All bodies at the start, but those with prescribed motion at the end of the step.
    held: Vec<MovedBody>,
    substeps: Vec<Substep>,
    /// How far the fastest point of each body went within the step, at most (m).
    travel: Vec<f64>,
    /// The state at the end of the step while it is being found.
    end: State,
    /// Who evaluates smooth pairs; None: this model itself.
    backend: Option<Arc<Guarded>>,
    /// Under the staggered integrator: the length of the last step (s), 0 before the first.
    last_step: Option<f64>,
    /// Workspace.
    point_loads: Vec<f64>,
    joint_stiffness: Vec<Matrix3<f64>>,
}

impl ImplicitNcp {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let n = scene.bodies.len();
        let joints = JointModel::all(scene);
        Self {
            links: joints.iter().enumerate().map(|(i, joint)| joint.link(i)).collect(),
            joint_records: Vec::with_capacity(joints.len()),
            joints,
            held: Vec::with_capacity(n),
            models: BodyModel::all(scene),
            friction: scene.friction.clone(),
            settings: CoreSettings { most_iterations: scene.solver.max_iterations, ..scene.solver.core },
            placed: [Vec::with_capacity(n), Vec::with_capacity(n)],
            near: NearPairs::default(),
            islands: Islands::default(),
            local_of: vec![0; n],
            groups: Vec::new(),
            records: Vec::new(),
            substeps: Vec::new(),
            travel: Vec::with_capacity(n),
            end: State { poses: Vec::with_capacity(n), velocities: Vec::with_capacity(n) },
            backend: None,
            last_step: (scene.solver.integrator == Integrator::Staggered).then_some(0.0),
            point_loads: Vec::new(),
            joint_stiffness: Vec::new(),
        }
    }
}

impl Stepper for ImplicitNcp {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let start = Instant::now();
        let mut solving = Duration::ZERO;
        let [mut placed, mut end] = std::mem::take(&mut self.placed);
        place(&self.models, state, &mut placed);
        place_held(&self.models, state, loads, scene.time_step, &placed, &mut self.held);
        let (held, joints) = (&self.held, &self.joints);
        let context =
            StepContext::new(&self.models, &self.friction, scene, state, &placed, held, joints, loads);
        let context = StepContext { last_step: self.last_step, backend: self.backend.as_deref(), ..context };
        find_near(&mut self.near, &context);
        let mut info = StepInfo::default();
        let mut after = std::mem::take(&mut self.end);
        for round in 0..MOST_ROUNDS {
            if let Some(last) = self.last_step {
                let h = scene.time_step;
                let loads = &mut self.point_loads;
                if round == 0 {
                    let (links, work) = (&mut self.links, &mut self.joint_stiffness);
                    staggered::joints::begin(links, &self.joints, &self.models, &placed, [h, last], work);
                }
                let moving = (&placed[..], &state.velocities[..]);
                staggered::begin(&mut self.near.pairs, &self.models, moving, [h, last], round > 0, loads);
            }
            let n_islands = distribute(
                &mut self.islands,
                &mut self.near.pairs,
                &mut self.links,
                &[],
                &mut self.local_of,
                &context,
                &mut self.groups,
            );
            let groups = &mut self.groups[..n_islands];
            let halving = Halving {
                local_of: &self.local_of,
                settings: &self.settings,
                goals: &scene.solver,
                most_halvings: scene.solver.halvings,
            };
            let before = Instant::now();
            solve_all(groups, |island| solve_island(island, &context, &halving));
            solving += before.elapsed();
            add_round(&mut info, groups, context.scaling.momentum);
            move_bodies(groups, &context, state, &mut after, &mut self.travel);
            write_records(groups, &context, &after, &mut self.records, &mut self.substeps);
            write_joints(groups, &context, &mut self.joint_records);
            for island in groups {
                self.near.pairs.append(&mut island.problem.pairs);
                self.links.append(&mut island.problem.links);
            }
            self.links.sort_unstable_by_key(|link| link.joint);
            self.near.pairs.sort_unstable_by_key(|p| (p.body_a, p.body_b));
            place(&self.models, &after, &mut end);
            let moved = |i: usize| self.travel[i];
            let caught = catch_passed(&mut self.near.pairs, &self.models, [&placed, &end]);
            if caught + self.near.add_missed(&self.models, &self.friction, &placed, &end, moved) == 0 {
                break;
            }
        }
        if !info.status.is_solved() && info.relative_residual <= scene.solver.tolerance {
            info.status = SolveStatus::AlmostSolved;
        }
        std::mem::swap(state, &mut after);
        self.end = after;
        for pair in &mut self.near.pairs {
            pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
        }
        self.last_step = self.last_step.map(|_| scene.time_step);
        self.placed = [placed, end];
        info.broad_seconds = (start.elapsed() - solving).as_secs_f64();
        info
    }

    fn contacts(&self) -> &[ContactRecord] {
        &self.records
    }

    fn joints(&self) -> &[JointRecord] {
        &self.joint_records
    }

    fn substeps(&self) -> &[Substep] {
        &self.substeps
    }

    fn use_backend(&mut self, backend: Arc<Guarded>) -> bool {
        self.backend = Some(backend);
        true
    }
}

/// Where all bodies are at the end of the step, and how far they went.
fn move_bodies(
    groups: &[Island],
    context: &StepContext<'_>,
    before: &State,
    after: &mut State,
    travel: &mut Vec<f64>,
) {
    let h = context.time_step;
    after.clone_from(before);
    travel.clear();
    travel.resize(context.models.len(), 0.0);
    move_driven(context.loads, before, h, after);
    for island in groups {
        for substep in &island.halved.substeps {
            for end in &substep.bodies {
                (after.poses[end.body], after.velocities[end.body]) = (end.pose, end.velocity);
                let speed = path_speed(&context.models[end.body], &end.velocity);
                travel[end.body] += h * substep.span.length() * speed;
            }
        }
        if island.halved.substeps.is_empty() {
            for (local, &id) in island.problem.bodies.iter().enumerate() {
                let v = velocity(&island.iterate.velocity, local);
                (after.poses[id], after.velocities[id]) = (before.poses[id].advanced(&v, h), v);
                travel[id] = h * path_speed(&context.models[id], &v);
            }
        }
    }
}
