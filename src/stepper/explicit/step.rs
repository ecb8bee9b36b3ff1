//! What the geometrically explicit models share: contacts and linearised gaps of the START of the step, one
//! linear contact problem per island, end state and contact records.
//!
//! ```text
//! M (v − v₀) = h f + P + h f_gyro(v) + Jᵀ x,      y = Y v + w,   Y = J,   w_n = max(gap, 0)/h,   w_t = 0
//! ```
//! A gap that is already negative counts as closed: driving it out within the step (w_n = gap/h < 0) can make
//! a jammed pile infeasible. How x and y are tied together is the model's law.

use super::records::write_records;
use crate::contact::manifold::FEATURE_MARGIN;
use crate::contact::{BodyModel, FeatureSearch, Islands, MovedBody, NearPairs, Pair, Placed};
use crate::geometry::Velocity;
use crate::kernels::smooth_pair::tangents;
use crate::linalg::BLOCK;
use crate::problem::{ContactLaw, ContactProblem, Stiffness};
use crate::scene::{FrictionTable, Scene, State};
use crate::settings::Gyroscopic;
use crate::solver::{ConicValue, CoreSettings, Residual, SolveStatus, StepProblem, law};
use crate::step::{ContactRecord, JointRecord, Loads, Span, StepInfo};
use crate::stepper::blocks::{path_speed, velocity};
use crate::stepper::frame::{MOST_ROUNDS, add_round, find_near, move_driven, place, place_held, solve_all};
use crate::stepper::island::distribute::distribute;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::solve::Island;
use crate::stepper::joints::{JointModel, Link, placement};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use std::time::{Duration, Instant};

/// Workspace of an explicit model.
#[derive(Debug)]
pub struct ExplicitStep {
    models: Vec<BodyModel>,
    friction: FrictionTable,
    placed: [Vec<MovedBody>; 2],
    near: NearPairs,
    islands: Islands,
    local_of: Vec<usize>,
    groups: Vec<Island>,
    records: Vec<ContactRecord>,
    joints: Vec<JointModel>,
    joint_links: Vec<Link>,
    joint_records: Vec<JointRecord>,
    held: Vec<MovedBody>,
    end: State,
    /// Bodies that belong to one island without touching.
    pub links: Vec<(usize, usize)>,
    /// Poses move with θ v + (1 − θ) v₀.
    pub theta: f64,
}

impl ExplicitStep {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let n = scene.bodies.len();
        let joints = JointModel::all(scene);
        Self {
            joint_links: joints.iter().enumerate().map(|(i, joint)| joint.link(i)).collect(),
            joint_records: Vec::new(),
            joints,
            held: Vec::new(),
            models: BodyModel::all(scene),
            friction: scene.friction.clone(),
            placed: [Vec::with_capacity(n), Vec::with_capacity(n)],
            near: NearPairs::default(),
            islands: Islands::default(),
            local_of: vec![0; n],
            groups: Vec::new(),
            records: Vec::new(),
            end: State { poses: Vec::with_capacity(n), velocities: Vec::with_capacity(n) },
            links: Vec::new(),
            theta: 1.0,
        }
    }

    /// The near pairs of the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        &self.records
    }

    /// The joints at the end of the last step: the impulses at the gradients of its start.
    pub fn joints(&self) -> &[JointRecord] {
        &self.joint_records
    }

    /// Takes the state over one step: `solve` finds the velocities and impulses of each island.
    pub fn step(
        &mut self,
        scene: &Scene,
        state: &mut State,
        loads: &Loads,
        solve: impl Fn(&mut Island, &StepContext<'_>, &[usize]) + Sync,
    ) -> StepInfo {
        let h = scene.time_step;
        let (begun, mut solving) = (Instant::now(), Duration::ZERO);
        let [mut placed, mut end] = std::mem::take(&mut self.placed);
        place(&self.models, state, &mut placed);
        place_held(&self.models, state, loads, h, &placed, &mut self.held);
        let (held, joints) = (&self.held, &self.joints);
        let context =
            StepContext::new(&self.models, &self.friction, scene, state, &placed, held, joints, loads);
        find_near(&mut self.near, &context);
        let mut info = StepInfo::default();
        let mut after = std::mem::take(&mut self.end);
        for _ in 0..MOST_ROUNDS {
            let (pairs, local_of) = (&mut self.near.pairs, &mut self.local_of);
            let (links, springs) = (&mut self.joint_links, &self.links);
            let n_islands =
                distribute(&mut self.islands, pairs, links, springs, local_of, &context, &mut self.groups);
            let groups = &mut self.groups[..n_islands];
            let before = Instant::now();
            solve_all(groups, |island| {
                let start = Instant::now();
                solve(island, &context, &self.local_of);
                let times = &mut island.info.times;
                times.solve = (start.elapsed().as_secs_f64() - times.assembly - times.factor).max(0.0);
            });
            solving += before.elapsed();
            add_round(&mut info, groups, context.scaling.momentum);
            add_values(&mut info, groups);
            after.clone_from(state);
            move_driven(loads, state, h, &mut after);
            for island in &mut *groups {
                for (local, &id) in island.problem.bodies.iter().enumerate() {
                    after.velocities[id] = velocity(&island.iterate.velocity, local);
                    let (old, new) = (&state.velocities[id], &after.velocities[id]);
                    after.poses[id] = state.poses[id].advanced(&blend(old, new, self.theta), h);
                }
                remember(island);
            }
            place(&self.models, &after, &mut end);
            write_records(groups, &context, &after, &end, &mut self.records);
            self.joint_records.clear();
            for island in groups {
                for link in &island.problem.links {
                    let joint = &self.joints[link.joint];
                    let [start, end] = [&placed, &end].map(|p| joint.bodies.map(|id| placement(&p[id])));
                    let record = joint.record(link.joint, &link.impulse, &start, &end, Span::WHOLE);
                    self.joint_records.push(record);
                }
                self.near.pairs.append(&mut island.problem.pairs);
                self.joint_links.append(&mut island.problem.links);
            }
            self.joint_links.sort_unstable_by_key(|link| link.joint);
            self.joint_records.sort_unstable_by_key(|record| record.joint);
            self.near.pairs.sort_unstable_by_key(|p| (p.body_a, p.body_b));
            let moved = |i: usize| h * path_speed(&self.models[i], &after.velocities[i]);
            if self.near.add_missed(&self.models, &self.friction, &placed, &end, moved) == 0 {
                break;
            }
        }
        if !info.status.is_solved() && info.relative_residual <= scene.solver.tolerance {
            info.status = SolveStatus::AlmostSolved;
        }
        info.broad_seconds = (begun.elapsed() - solving).as_secs_f64();
        std::mem::swap(state, &mut after);
        self.end = after;
        self.placed = [placed, end];
        info
    }
}

/// θ v + (1 − θ) v₀, exactly v where θ = 1.
pub fn blend(old: &Velocity, new: &Velocity, theta: f64) -> Velocity {
    if theta == 1.0 {
        return *new;
    }
    Velocity {
        linear: new.linear * theta + old.linear * (1.0 - theta),
        angular: new.angular * theta + old.angular * (1.0 - theta),
    }
}

/// A contact point of a pair at the start of the step: the only one of a smooth pair, or a contact point of a
/// flat one. Each has a cone of its own, as in the models' sources.
#[derive(Debug, Clone, Copy)]
pub struct PointCone {
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// From the centres of mass (m).
    pub arms: [Vector3<f64>; 2],
    /// Signed distance (m).
    pub gap: f64,
}

impl PointCone {
    /// The points of a pair.
    pub fn of(pair: &Pair) -> impl Iterator<Item = PointCone> + '_ {
        let g = &pair.geometry;
        let smooth = Self { normal: g.normal, arms: [g.arm_a, g.arm_b], gap: g.gap };
        let points = pair.manifold.iter().flat_map(|p| &p.points).map(|point| {
            let g = &point.geometry;
            Self { normal: g.normal, arms: [g.arm_a, g.arm_b], gap: g.gap }
        });
        pair.manifold.is_none().then_some(smooth).into_iter().chain(points)
    }

    /// Tangents scaled by e_t, e_o: those of the pair, laid into the plane of this point.
    pub fn tangents(&self, pair: &Pair) -> [Vector3<f64>; 2] {
        let [e_t, e_o] = pair.friction.tangential;
        let along = pair.geometry.tangent_t;
        let t = (along - self.normal * self.normal.dot(&along)).try_normalize(1e-9);
        let t = t.unwrap_or_else(|| tangents(&self.normal).0);
        [t * e_t, self.normal.cross(&t) * e_o]
    }

    /// J v of one side, added.
    fn add_rate(&self, pair: &Pair, side: usize, v: &Velocity, out: &mut [f64]) {
        let mut rows = [0.0; 4 * BLOCK];
        self.write_jacobian(pair, side, &mut rows);
        for (y, row) in out.iter_mut().zip(rows.chunks_exact(BLOCK)) {
            *y += v.linear.iter().chain(v.angular.iter()).zip(row).map(|(v, a)| v * a).sum::<f64>();
        }
    }

    /// Rows of one side: n, e_t t, e_o o, e_r n.
    fn write_jacobian(&self, pair: &Pair, side: usize, out: &mut [f64]) {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let [t, o] = self.tangents(pair);
        let torsion = self.normal * pair.friction.torsional;
        let (zero, arm) = (Vector3::zeros(), self.arms[side]);
        let rows = [self.normal, t, o].map(|d| (d, arm.cross(&d))).into_iter().chain([(zero, torsion)]);
        for (row, (linear, angular)) in out.chunks_exact_mut(BLOCK).zip(rows) {
            row[..3].copy_from_slice((linear * sign).as_slice());
            row[3..].copy_from_slice((angular * sign).as_slice());
        }
    }
}

/// An island's linear problem: only the gyroscopic torque depends on the velocity.
pub struct Frozen<'a> {
    /// The island.
    pub island: &'a mut IslandProblem,
    /// The step.
    pub context: &'a StepContext<'a>,
    /// w.
    pub offset: Vec<f64>,
    force: Vec<f64>,
}

impl<'a> Frozen<'a> {
    /// Sets up the problem of the current bodies and pairs with the geometry of the start under a law.
    pub fn new(
        island: &'a mut IslandProblem,
        context: &'a StepContext<'a>,
        local_of: &[usize],
        law: ContactLaw,
    ) -> Self {
        begin_pairs(island, context);
        island.set_up(context, local_of);
        let IslandProblem { problem, pairs, held_slip, .. } = &mut *island;
        problem.law = law;
        problem.clear_contacts();
        held_slip.clear();
        for pair in pairs.iter() {
            let sides =
                [pair.body_a, pair.body_b].map(|id| (!context.models[id].fixed).then(|| local_of[id]));
            for point in PointCone::of(pair) {
                let bodies = sides.into_iter().flatten();
                let c = problem.add_contact(bodies, (1, pair.n_friction()), pair.friction.coefficient);
                let cone = problem.cones[c];
                held_slip.resize(cone.row + cone.n_rows(), 0.0);
                for (side, id) in [pair.body_a, pair.body_b].into_iter().enumerate() {
                    let v = &context.velocities[id];
                    if sides[side].is_none() && *v != Velocity::default() {
                        point.add_rate(pair, side, v, &mut held_slip[cone.row..]);
                    }
                }
                let rows = cone.row..cone.row + cone.n_rows();
                problem.at.slip[rows.clone()].copy_from_slice(&held_slip[rows]);
                problem.at.slip[cone.row] += point.gap.max(0.0) / context.time_step;
                let moving = sides.iter().enumerate().filter(|(_, local)| local.is_some());
                for (k, (side, _)) in (problem.block_offsets[c]..).zip(moving) {
                    let range = problem.value_offsets[k]..problem.value_offsets[k] + BLOCK * cone.n_rows();
                    point.write_jacobian(pair, side, &mut problem.at.jacobian[range]);
                }
            }
        }
        island.add_joints_of_the_start(context, local_of);
        let problem = &mut island.problem;
        problem.at.stiffness.start.resize(problem.cones.len(), Stiffness::NONE);
        if context.gyroscopic == Gyroscopic::Explicit {
            problem.at.stiffness.body.clear();
        }
        problem.update_weights();
        let (offset, force) = (problem.at.slip.clone(), vec![0.0; BLOCK * island.bodies.len()]);
        Self { island, context, offset, force }
    }
}

/// Geometry of all pairs at the start, with every contact point that a body may reach within the step.
fn begin_pairs(island: &mut IslandProblem, context: &StepContext<'_>) {
    let mut search = FeatureSearch::default();
    let h = context.time_step;
    for pair in &mut island.pairs {
        let [a, b] = [pair.body_a, pair.body_b]
            .map(|id| Placed { model: &context.models[id], moved: &context.placed[id] });
        let size = a.model.smaller_size(b.model);
        let reach: f64 = [pair.body_a, pair.body_b]
            .iter()
            .filter(|id| !context.models[**id].fixed)
            .map(|id| 2.0 * h * path_speed(&context.models[*id], &context.velocities[*id]))
            .sum();
        pair.begin(&a, &b, f64::max(size, reach / FEATURE_MARGIN), &mut search);
        if let Some(manifold) = &mut pair.manifold {
            manifold.reserve();
        }
    }
}

impl StepProblem for Frozen<'_> {
    fn frozen(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        self.island.freeze_bodies(self.context, v);
        let problem = &mut self.island.problem;
        problem.at.velocity.copy_from_slice(v);
        let mut slip = std::mem::take(&mut problem.at.slip);
        problem.response(v, &mut slip);
        slip.iter_mut().zip(&self.offset).for_each(|(y, w)| *y += w);
        problem.at.slip = slip;
        problem.mass_product(v, &mut self.force);
        for (f, b) in self.force.iter_mut().zip(&problem.at.free_momentum) {
            *f -= b;
        }
        problem.add_forces(x, -1.0, &mut self.force);
        let (normal, friction) = law::natural_map(problem, &problem.at.weight, x, &problem.at.slip);
        let unit = 1.0 / problem.scaling.momentum;
        Residual {
            momentum: problem.scaled_momentum(&self.force),
            complementarity: normal * unit,
            friction: friction * unit,
        }
    }
}

/// Solves an island with the production method under a law.
pub fn solve_by_core(
    island: &mut Island,
    context: &StepContext<'_>,
    local_of: &[usize],
    law: ContactLaw,
    settings: &CoreSettings,
    tolerance: f64,
) {
    island.info = Default::default();
    let small = settings.of_small_islands();
    let settings = if island.problem.bodies.len() > settings.small_island { settings } else { &small };
    let Island { problem, iterate, status, info, solver, momentum, .. } = island;
    let mut frozen = Frozen::new(problem, context, local_of, law);
    start(&mut frozen, iterate, momentum);
    *status = solver.solve(&mut frozen, iterate, tolerance, None, settings, info);
}

/// Impulses of the last step, and the velocity that balances momentum with them.
pub fn start(frozen: &mut Frozen<'_>, iterate: &mut crate::solver::Iterate, momentum: &mut Vec<f64>) {
    let Frozen { island, context, .. } = frozen;
    let problem = &island.problem;
    iterate.impulse.clear();
    iterate.impulse.resize(problem.n_rows(), 0.0);
    let mut cones = problem.cones.iter();
    for pair in &island.pairs {
        match &pair.manifold {
            None => {
                let Some(cone) = cones.next() else { break };
                let rows = cone.row..cone.row + cone.n_rows();
                iterate.impulse[rows].copy_from_slice(&pair.impulse[..cone.n_rows()]);
            }
            // Friction of single contact points is not remembered.
            Some(manifold) => {
                for (point, cone) in manifold.points.iter().zip(&mut cones) {
                    iterate.impulse[cone.row] = point.impulse;
                }
            }
        }
    }
    let remembered = island.links.iter().flat_map(|link| &link.impulse);
    iterate.impulse[island.first_joint_row()..].iter_mut().zip(remembered).for_each(|(x, r)| *x = *r);
    iterate.velocity.clear();
    for &id in &island.bodies {
        let v = &context.velocities[id];
        iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
    }
    frozen.refresh(&iterate.velocity, &mut iterate.impulse);
    frozen.island.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
}

/// Objective and gap of a convex model, summed over its islands.
fn add_values(info: &mut StepInfo, groups: &[Island]) {
    info.conic = None;
    for value in groups.iter().filter_map(|g| g.conic) {
        let sum = info.conic.get_or_insert_with(ConicValue::default);
        sum.objective += value.objective;
        sum.duality_gap += value.duality_gap;
    }
}

/// Writes the impulses into the pairs, where the next step finds them.
fn remember(island: &mut Island) {
    island.problem.remember_links(&island.iterate.impulse);
    let Island { problem: IslandProblem { pairs, problem, .. }, iterate, .. } = island;
    let mut cones = problem.cones.iter();
    for pair in pairs {
        pair.impulse = [0.0; 4];
        match &mut pair.manifold {
            None => {
                let Some(cone) = cones.next() else { break };
                let x = &iterate.impulse[cone.row..cone.row + cone.n_rows()];
                pair.impulse[..x.len()].copy_from_slice(x);
            }
            Some(manifold) => {
                for (point, cone) in manifold.points.iter_mut().zip(&mut cones) {
                    point.impulse = iterate.impulse[cone.row];
                    pair.impulse[0] += point.impulse;
                }
            }
        }
    }
}
