//! The default model: geometry at the END of the step, exact Coulomb friction, the NCP of theory §2.

use super::Stepper;
use super::halving::Halving;
use super::island::{Island, distribute};
use super::island_problem::{StepContext, velocity};
use super::joints::{JointModel, Link, placement};
use super::pair_rows::PairRows;
use super::staggered;
use crate::backend::Guarded;
use crate::contact::manifold::Patch;
use crate::contact::near_pairs::catch_passed;
use crate::contact::touching::touch;
use crate::contact::{BodyModel, Islands, MovedBody, NearPairs, Pair};
use crate::geometry::Touch;
use crate::geometry::Velocity;
use crate::scene::{FrictionTable, Scene, State};
use crate::settings::Integrator;
use crate::solver::{CoreSettings, Residual, SolveStatus};
use crate::step::{Acting, ContactRecord, ContactState, JointRecord, Loads, Span, StepInfo, Substep};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a step is solved again because bodies turned out to touch that were not listed.
pub(super) const MOST_ROUNDS: usize = 8;

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
    atom_loads: Vec<f64>,
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
            atom_loads: Vec::new(),
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
                let loads = &mut self.atom_loads;
                if round == 0 {
                    let (links, work) = (&mut self.links, &mut self.joint_stiffness);
                    staggered::links::begin(links, &self.joints, &self.models, &placed, [h, last], work);
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
            solve_all(groups, |island| island.solve(&context, &halving));
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

pub(super) fn place(models: &[BodyModel], state: &State, placed: &mut Vec<MovedBody>) {
    placed.clear();
    placed.extend(models.iter().zip(&state.poses).map(|(m, p)| MovedBody::new(m, p)));
}

/// As `placed`, but bodies with prescribed motion where they are after `time_step`.
pub(super) fn place_held(
    models: &[BodyModel],
    state: &State,
    loads: &Loads,
    time_step: f64,
    placed: &[MovedBody],
    held: &mut Vec<MovedBody>,
) {
    held.clear();
    held.extend_from_slice(placed);
    for (id, _) in &loads.driven {
        held[*id] =
            MovedBody::new(&models[*id], &state.poses[*id].advanced(&state.velocities[*id], time_step));
    }
}

/// Takes the bodies with prescribed motion to the end of the step.
pub(super) fn move_driven(loads: &Loads, before: &State, time_step: f64, after: &mut State) {
    for (id, _) in &loads.driven {
        after.poses[*id] = before.poses[*id].advanced(&before.velocities[*id], time_step);
    }
}

/// Speed of the fastest point of a body, at most (m/s).
pub(super) fn path_speed(model: &BodyModel, v: &Velocity) -> f64 {
    v.linear.norm() + v.angular.norm() * model.radius
}

/// Lists the pairs that may touch within the step.
pub(super) fn find_near(near: &mut NearPairs, context: &StepContext<'_>) {
    let (h, loads) = (context.time_step, context.loads);
    let bounds = |pairs: &[Pair]| super::culling::bounds(context, pairs);
    let reach = |i: usize| {
        let model = &context.models[i];
        if model.fixed {
            // The radius of a half-space is not finite, and it does not turn.
            let speed = context.velocities[i].linear.norm();
            let spin = context.velocities[i].angular.norm();
            return h * if spin > 0.0 { speed + spin * model.radius } else { speed };
        }
        let pushed = (loads.force[i] * h + loads.linear_impulse[i]).norm() / model.mass;
        h * (path_speed(model, &context.velocities[i]) + pushed)
    };
    near.find(context.models, context.friction, context.placed, reach, bounds);
}

/// Islands are independent: any number of threads gives the same bits.
pub(super) fn solve_all(groups: &mut [Island], solve: impl Fn(&mut Island) + Sync) {
    if groups.len() > 1 {
        groups.par_iter_mut().for_each(&solve);
    } else {
        groups.iter_mut().for_each(&solve);
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

/// Status, residual and contacts are those of the last round; work is summed over rounds.
pub(super) fn add_round(info: &mut StepInfo, groups: &[Island], unit: f64) {
    let mut round = StepInfo { n_islands: groups.len(), ..StepInfo::default() };
    let (mut largest, mut in_one_piece) = (unit, Residual::default());
    for island in groups {
        round.status = round.status.worse(island.status);
        round.residual = round.residual.worse(&island.info.residual);
        round.iterations = round.iterations.max(island.info.iterations);
        round.factorizations += island.info.factorizations;
        round.restarts += island.info.restarts;
        round.phase = round.phase.max(island.info.phase);
        round.times.add(&island.info.times);
        if island.halved.substeps.is_empty() {
            round.n_contacts += island.problem.pairs.len();
            in_one_piece = in_one_piece.worse(&island.info.residual);
            largest = largest.max(island.largest_impulse());
        } else {
            round.n_contacts += island.halved.contacts.len();
            round.n_substeps += island.halved.substeps.len();
            round.relative_residual = round.relative_residual.max(island.halved.relative_residual);
        }
    }
    let relative = in_one_piece.max() * unit / largest;
    if relative.is_nan() || relative > round.relative_residual {
        round.relative_residual = relative;
    }
    round.iterations += info.iterations;
    round.factorizations += info.factorizations;
    round.restarts += info.restarts;
    round.times.add(&info.times);
    *info = round;
}

/// The contacts of all islands by bodies, then in time; the substeps by island, then in time.
fn write_records(
    groups: &mut [Island],
    context: &StepContext<'_>,
    after: &State,
    records: &mut Vec<ContactRecord>,
    substeps: &mut Vec<Substep>,
) {
    records.clear();
    substeps.clear();
    for island in groups {
        if island.halved.substeps.is_empty() {
            record_island(island, context, after, Span::WHOLE, records);
        } else {
            records.append(&mut island.halved.contacts);
            substeps.append(&mut island.halved.substeps);
        }
    }
    records.sort_unstable_by(|r, s| {
        (r.body_a, r.body_b).cmp(&(s.body_a, s.body_b)).then(r.span.start.total_cmp(&s.span.start))
    });
}

/// The joints of all islands by index, then in time.
fn write_joints(groups: &mut [Island], context: &StepContext<'_>, records: &mut Vec<JointRecord>) {
    records.clear();
    for island in groups {
        if island.halved.joints.is_empty() {
            record_joints(island, context, Span::WHOLE, records);
        } else {
            records.append(&mut island.halved.joints);
        }
    }
    records.sort_unstable_by(|r, s| r.joint.cmp(&s.joint).then(r.span.start.total_cmp(&s.span.start)));
}

/// Appends the joints of an island as its problem is frozen.
pub(super) fn record_joints(
    island: &Island,
    context: &StepContext<'_>,
    span: Span,
    records: &mut Vec<JointRecord>,
) {
    for link in &island.problem.links {
        let joint = &context.joints[link.joint];
        let end = joint.bodies.map(|id| placement(island.problem.end_placement(context, id)));
        let start = joint.bodies.map(|id| placement(&context.placed[id]));
        let theta = context.last_step.map(|_| if link.at_end { 1.0 } else { 0.0 });
        let acting = if theta == Some(0.0) { &start } else { &end };
        let record = joint.record(link.joint, &link.impulse, acting, &end, span);
        records.push(JointRecord { theta, ..record });
    }
}

/// Appends the contacts of an island as its problem is frozen, at the end of `span`, where the bodies are in `end`.
pub(super) fn record_island(
    island: &Island,
    context: &StepContext<'_>,
    end: &State,
    span: Span,
    records: &mut Vec<ContactRecord>,
) {
    let problem = &island.problem.problem;
    for (pair, cone) in island.problem.pairs.iter().zip(&problem.cones) {
        let slip = &problem.slip[cone.friction()];
        let rows = PairRows::new(pair, *cone);
        let tangents = rows.force_tangents();
        let acting = pair.stagger.filter(|s| s.theta < 1.0).map(|s| Acting {
            theta: s.theta,
            point: context.poses[pair.body_b].position + s.start.arms[1],
            normal: s.start.normal,
            turn: rows.to_world(&s.slip_turn_used),
            last_slip: rows.to_world(&s.last_slip_used),
        });
        let [a, b] = island.problem.placed_at_end(context, pair);
        let touch = touch(pair, &a, &b);
        records.push(ContactRecord { span, acting, touch, ..record(pair, &tangents, slip, end) });
    }
}

fn record(pair: &Pair, tangents: &[Vector3<f64>; 2], y: &[f64], state: &State) -> ContactRecord {
    let g = &pair.geometry;
    let [sum, x_t, x_o, x_r] = pair.impulse;
    // Where the normal is not unique (a corner on a corner) atoms may push along several: what counts is their sum.
    let along = |patch: &Patch| {
        patch.atoms.iter().map(|atom| atom.impulse * atom.geometry.normal.dot(&g.normal)).sum()
    };
    let p_n = pair.patch.as_deref().map_or(sum, along);
    let friction = x_t * x_t + x_o * x_o + x_r * x_r;
    let radius = pair.friction.coefficient * p_n;
    let kept = pair.stagger.filter(|s| s.theta < 1.0).map_or_else(Vector3::zeros, |s| s.last_slip_used);
    ContactRecord {
        body_a: pair.body_a,
        body_b: pair.body_b,
        ecp: state.poses[pair.body_b].position + g.arm_b,
        normal: g.normal,
        tangent: g.tangent_t,
        gap: g.gap,
        normal_impulse: p_n,
        friction_impulse: tangents[0] * x_t + tangents[1] * x_o,
        torsional_impulse: pair.friction.torsional * x_r,
        slip_speed: y.iter().zip(&kept).map(|(w, kept)| (w + kept).powi(2)).sum::<f64>().sqrt(),
        state: if p_n <= 0.0 {
            ContactState::Open
        } else if friction.sqrt() < radius * (1.0 - 1e-9) || radius == 0.0 && y.is_empty() {
            ContactState::Stick
        } else {
            ContactState::Slip
        },
        span: Span::WHOLE,
        acting: None,
        touch: Touch::default(),
    }
}
