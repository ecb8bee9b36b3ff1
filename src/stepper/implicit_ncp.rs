//! The default model: geometry at the END of the step, exact Coulomb friction, the NCP of MODEL section 2.

use super::island_problem::{IslandProblem, Refreshed, StepContext, velocity};
use super::scales::scaling;
use super::{ContactRecord, ContactState, Loads, StepInfo};
use crate::contact::{BodyModel, BroadPhase, Islands, MovedBody, Pair};
use crate::problem::contact_problem::{body_vector_mut, vector6};
use crate::scene::{FrictionTable, Scene, State};
use crate::solver::{Budget, CoreSettings, Info, Iterate, ProximalNewton, SolveStatus, StepProblem};
use nalgebra::Vector3;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

/// Bodies may turn out faster than at the start of the step by this factor before pairs are looked for again.
const SWEEP_FACTOR: f64 = 1.1;
/// Pairs nearer than this fraction of the size are always listed.
const NEARNESS: f64 = 0.002;

/// One island with its solver.
#[derive(Debug, Default)]
struct Island {
    problem: IslandProblem,
    newton: ProximalNewton,
    iterate: Iterate,
    /// b + Jᵀ x of the warm start.
    momentum: Vec<f64>,
    rho: f64,
    status: Option<SolveStatus>,
    info: Info,
}

/// Workspace of the implicit model.
#[derive(Debug)]
pub struct ImplicitNcp {
    models: Vec<BodyModel>,
    friction: FrictionTable,
    settings: CoreSettings,
    placed: Vec<MovedBody>,
    margin: Vec<f64>,
    broad_phase: BroadPhase,
    pairs: Vec<Pair>,
    spare: Vec<Pair>,
    islands: Islands,
    local_of: Vec<usize>,
    groups: Vec<Island>,
    records: Vec<ContactRecord>,
}

impl ImplicitNcp {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let n = scene.bodies.len();
        Self {
            models: BodyModel::all(scene),
            friction: scene.friction.clone(),
            settings: scene.solver.core,
            placed: Vec::with_capacity(n),
            margin: Vec::with_capacity(n),
            broad_phase: BroadPhase::default(),
            pairs: Vec::new(),
            spare: Vec::new(),
            islands: Islands::default(),
            local_of: vec![0; n],
            groups: Vec::new(),
            records: Vec::new(),
        }
    }

    /// The near pairs at the end of the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        &self.records
    }

    /// Takes the state over one step.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let h = scene.time_step;
        self.placed.clear();
        self.placed.extend(self.models.iter().zip(&state.poses).map(|(m, p)| MovedBody::new(m, p)));
        self.find_pairs(state, loads, h);
        let scaling = scaling(&self.models, &state.velocities, loads, h);
        let mut groups = std::mem::take(&mut self.groups);
        let placed = std::mem::take(&mut self.placed);
        let context = StepContext {
            models: &self.models,
            poses: &state.poses,
            velocities: &state.velocities,
            placed: &placed,
            loads,
            time_step: h,
            scaling,
            gyroscopic: scene.solver.gyroscopic,
        };
        let n_islands = group(&mut self.islands, &mut self.pairs, &mut self.local_of, &context, &mut groups);
        let local_of = &self.local_of;
        let settings = &self.settings;
        let solve = |island: &mut Island| {
            island.solve(&context, local_of, settings, scene.solver.tolerance, scene.solver.max_iterations)
        };
        if n_islands > 1 {
            groups[..n_islands].par_iter_mut().for_each(solve);
        } else {
            groups[..n_islands].iter_mut().for_each(solve);
        }
        let info = self.collect(&groups[..n_islands], scaling.momentum);
        for island in &groups[..n_islands] {
            for (local, &id) in island.problem.bodies.iter().enumerate() {
                state.velocities[id] = velocity(&island.iterate.velocity, local);
                state.poses[id] = state.poses[id].advanced(&state.velocities[id], h);
            }
        }
        self.keep(&mut groups[..n_islands], state);
        self.groups = groups;
        self.placed = placed;
        info
    }

    fn find_pairs(&mut self, state: &State, loads: &Loads, h: f64) {
        self.margin.clear();
        for (i, model) in self.models.iter().enumerate() {
            let speed = if model.fixed {
                0.0
            } else {
                let v = &state.velocities[i];
                let pushed = (loads.force[i] * h + loads.linear_impulse[i]).norm() / model.mass;
                v.linear.norm() + pushed + v.angular.norm() * model.radius
            };
            self.margin.push(SWEEP_FACTOR * h * speed + NEARNESS * model.size);
        }
        self.broad_phase.find(&self.models, &self.placed, &self.margin);
        std::mem::swap(&mut self.pairs, &mut self.spare);
        self.pairs.clear();
        let mut old = self.spare.drain(..).peekable();
        for &(a, b) in &self.broad_phase.candidates {
            while old.next_if(|p| (p.body_a, p.body_b) < (a, b)).is_some() {}
            let known = old.next_if(|p| (p.body_a, p.body_b) == (a, b));
            let (ma, mb) = (&self.models[a], &self.models[b]);
            let (pa, pb) = (&self.placed[a], &self.placed[b]);
            let mut pair = known.unwrap_or_else(|| {
                let friction = *self.friction.between(ma.material, mb.material);
                let normal = pa.plane.map_or_else(|| first_normal(pa, pb), |p| p.0);
                Pair::new(a, b, friction, friction.direction_owner == ma.material, normal)
            });
            let reach = self.margin[a] + self.margin[b];
            if pair.gap_bound(pa, pb) > reach {
                continue;
            }
            pair.evaluate(pa, pb);
            if pair.geometry.gap <= reach {
                pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
                self.pairs.push(pair);
            }
        }
    }

    fn collect(&mut self, groups: &[Island], unit: f64) -> StepInfo {
        let mut info = StepInfo::default();
        let mut largest = unit;
        for island in groups {
            let status = island.status.unwrap_or(SolveStatus::Solved);
            info.status = info.status.worse(status);
            info.residual = info.residual.worse(&island.info.residual);
            info.iterations = info.iterations.max(island.info.iterations);
            info.factorizations += island.info.factorizations;
            info.restarts += island.info.restarts;
            info.n_contacts += island.problem.pairs.len();
            for cone in &island.problem.problem.cones {
                largest = largest.max(island.iterate.impulse[cone.row]);
            }
        }
        info.n_islands = groups.len();
        info.relative_residual = info.residual.max() * unit / largest;
        info
    }

    /// Writes the records and keeps the pairs, sorted, for the next step.
    fn keep(&mut self, groups: &mut [Island], state: &State) {
        self.records.clear();
        self.pairs.clear();
        for island in groups {
            let problem = &island.problem.problem;
            for (pair, cone) in island.problem.pairs.iter_mut().zip(&problem.cones) {
                let rows = cone.row..cone.row + cone.n_rows();
                let (x, y) = (&island.iterate.impulse[rows.clone()], &problem.slip[rows]);
                pair.impulse = [0.0; 4];
                pair.impulse[..x.len()].copy_from_slice(x);
                pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
                self.records.push(record(pair, y, state));
            }
            self.pairs.append(&mut island.problem.pairs);
        }
        self.pairs.sort_unstable_by_key(|p| (p.body_a, p.body_b));
        self.records.sort_unstable_by_key(|r| (r.body_a, r.body_b));
    }
}

/// Direction of centres: any start will do for the search of the normal.
fn first_normal(a: &MovedBody, b: &MovedBody) -> Vector3<f64> {
    let d = b.position + b.ellipsoid.center - a.position - a.ellipsoid.center;
    d.try_normalize(1e-300).unwrap_or_else(Vector3::z)
}

fn record(pair: &Pair, y: &[f64], state: &State) -> ContactRecord {
    let g = &pair.geometry;
    let [p_n, x_t, x_o, x_r] = pair.impulse;
    let [e_t, e_o] = pair.friction.tangential;
    let friction = x_t * x_t + x_o * x_o + x_r * x_r;
    let radius = pair.friction.coefficient * p_n;
    ContactRecord {
        body_a: pair.body_a,
        body_b: pair.body_b,
        ecp: state.poses[pair.body_b].position + g.arm_b,
        normal: g.normal,
        gap: g.gap,
        normal_impulse: p_n,
        friction_impulse: g.tangent_t * (e_t * x_t) + g.tangent_o * (e_o * x_o),
        torsional_impulse: pair.friction.torsional * x_r,
        slip_speed: y[1..].iter().map(|w| w * w).sum::<f64>().sqrt(),
        state: if p_n <= 0.0 {
            ContactState::Open
        } else if friction.sqrt() < radius * (1.0 - 1e-9) || radius == 0.0 && y.len() == 1 {
            ContactState::Stick
        } else {
            ContactState::Slip
        },
    }
}

/// Distributes bodies and pairs over islands; an island keeps its solver while its first body stays first.
fn group(
    islands: &mut Islands,
    pairs: &mut Vec<Pair>,
    local_of: &mut [usize],
    context: &StepContext<'_>,
    groups: &mut Vec<Island>,
) -> usize {
    let n = context.models.len();
    islands.group(n, |b| context.models[b].fixed, pairs.iter().map(|p| (p.body_a, p.body_b)));
    let n_islands = islands.n_islands();
    arrange(groups, &islands.first);
    for island in groups.iter_mut() {
        island.problem.bodies.clear();
        island.problem.pairs.clear();
    }
    for body in (0..n).filter(|b| islands.island_of[*b] != usize::MAX) {
        let bodies = &mut groups[islands.island_of[body]].problem.bodies;
        local_of[body] = bodies.len();
        bodies.push(body);
    }
    for pair in pairs.drain(..) {
        let body = if context.models[pair.body_a].fixed { pair.body_b } else { pair.body_a };
        groups[islands.island_of[body]].problem.pairs.push(pair);
    }
    n_islands
}

/// Puts the solver whose island started with `first[i]` last time at place i, if there is one.
fn arrange(groups: &mut Vec<Island>, first: &[usize]) {
    while groups.len() < first.len() {
        groups.push(Island::default());
    }
    for (place, body) in first.iter().enumerate() {
        let found = (place..groups.len()).find(|k| groups[*k].problem.bodies.first() == Some(body));
        if let Some(found) = found {
            groups.swap(place, found);
        }
    }
}

impl Island {
    fn solve(
        &mut self,
        context: &StepContext<'_>,
        local_of: &[usize],
        settings: &CoreSettings,
        tolerance: f64,
        most_iterations: usize,
    ) {
        self.problem.set_up(context, local_of);
        self.info = Info::default();
        self.warm_start(context);
        if self.problem.bodies.len() <= settings.small_island {
            self.solve_small(context, settings, tolerance, most_iterations);
            return;
        }
        if self.rho == 0.0 {
            self.rho = settings.initial_rho;
        }
        self.rho = self.rho.min(settings.warm_rho);
        self.run(context, settings, tolerance, most_iterations, settings.patience);
        self.climb_ladder(context, settings, tolerance, most_iterations);
    }

    fn solve_small(
        &mut self,
        context: &StepContext<'_>,
        settings: &CoreSettings,
        tolerance: f64,
        most_iterations: usize,
    ) {
        let small = CoreSettings { predict_modes: false, ..*settings };
        self.rho = small.small_rho;
        self.run(context, &small, tolerance, most_iterations, small.patience);
        self.climb_ladder(context, &small, tolerance, most_iterations);
        let left = small.polish_iterations.saturating_sub(self.info.iterations);
        let goal = small.polish * tolerance;
        if self.status == Some(SolveStatus::Solved) && left > 0 && self.info.residual.max() > goal {
            self.run(context, &small, goal, left, 2);
            self.status = Some(SolveStatus::Solved);
        }
    }

    /// One attempt from the current iterate; `self.status` and `self.info` say how it went.
    fn run(
        &mut self,
        context: &StepContext<'_>,
        settings: &CoreSettings,
        tolerance: f64,
        iterations: usize,
        patience: usize,
    ) {
        let budget = Budget { iterations, deadline: None, patience };
        let mut problem = Refreshed { island: &mut self.problem, context };
        let Self { newton, iterate, rho, info, .. } = self;
        self.status = Some(newton.solve(&mut problem, iterate, rho, tolerance, &budget, settings, info));
    }

    /// What is tried when an attempt failed (MODEL section 3, "stuck"): a cold start with small ρ, then impulses
    /// shaken by up to 20 %. The best iterate of all attempts is kept.
    fn climb_ladder(
        &mut self,
        context: &StepContext<'_>,
        settings: &CoreSettings,
        tolerance: f64,
        iterations: usize,
    ) {
        let mut best = (self.iterate.clone(), self.info.residual, self.status);
        for rung in 0..settings.restarts {
            if best.2 == Some(SolveStatus::Solved) {
                return;
            }
            self.info.restarts += 1;
            if rung == 0 {
                self.start_cold(context);
                self.rho = settings.initial_rho;
            } else {
                self.iterate.clone_from(&best.0);
                shake(&mut self.iterate.impulse, rung as u64);
                self.rho = settings.warm_rho;
            }
            self.run(context, settings, tolerance, iterations, settings.patience);
            let better = self.info.residual.max() < best.1.max() || best.1.max().is_nan();
            if better || self.status == Some(SolveStatus::Solved) {
                best = (self.iterate.clone(), self.info.residual, self.status);
            }
        }
        if best.2 != Some(SolveStatus::Solved) {
            self.iterate.clone_from(&best.0);
            Refreshed { island: &mut self.problem, context }
                .refresh(&self.iterate.velocity, &self.iterate.impulse);
            self.info.residual = best.1;
            self.status = best.2;
        }
    }

    /// No impulses, velocities of the free motion.
    fn start_cold(&mut self, context: &StepContext<'_>) {
        for pair in &mut self.problem.pairs {
            pair.impulse = [0.0; 4];
        }
        self.warm_start(context);
    }

    /// Impulses of the last step, and the velocity that balances momentum with them: v = A⁻¹(b + Jᵀ x).
    fn warm_start(&mut self, context: &StepContext<'_>) {
        let problem = &mut self.problem;
        let n_rows = problem.problem.n_rows();
        self.iterate.impulse.clear();
        self.iterate.impulse.resize(n_rows, 0.0);
        for (pair, cone) in problem.pairs.iter().zip(&problem.problem.cones) {
            let rows = cone.row..cone.row + cone.n_rows();
            self.iterate.impulse[rows].copy_from_slice(&pair.impulse[..cone.n_rows()]);
        }
        self.iterate.velocity.clear();
        for &id in &problem.bodies {
            let v = &context.velocities[id];
            self.iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
        }
        Refreshed { island: problem, context }.refresh(&self.iterate.velocity, &self.iterate.impulse);
        let frozen = &problem.problem;
        self.momentum.clone_from(&frozen.free_momentum);
        frozen.add_forces(&self.iterate.impulse, 1.0, &mut self.momentum);
        for (local, inverse) in frozen.mass_inverse.iter().enumerate() {
            let v = inverse * vector6(&self.momentum, local);
            body_vector_mut(&mut self.iterate.velocity, local).copy_from_slice(v.as_slice());
        }
    }
}

/// Multiplies the impulses of each row by a factor between 0.8 and 1.2 from a fixed sequence.
fn shake(impulse: &mut [f64], seed: u64) {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
    for x in impulse {
        *x *= 0.8 + 0.4 * f64::from(random.next_u32()) / f64::from(u32::MAX);
    }
}
