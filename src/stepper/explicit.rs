//! What the geometrically explicit models share: contacts and linearised gaps of the START of the step, one linear
//! contact problem per island, end state and contact records.
//!
//! ```text
//! M (v − v₀) = h f + P + h f_gyro(v) + Jᵀ x,      y = Y v + w,   Y = J,   w_n = max(gap, 0)/h,   w_t = 0
//! ```
//! A gap that is already negative counts as closed: driving it out within the step (w_n = gap/h < 0) can make a
//! jammed pile infeasible. How x and y are tied together is the model's law.

use super::implicit_ncp::{add_round, path_speed, place, solve_all};
use super::island::{Island, distribute};
use super::island_problem::{IslandProblem, Refreshed, StepContext, velocity};
use super::scales::scaling;
use super::{ContactRecord, ContactState, Loads, StepInfo};
use crate::contact::{BodyModel, Islands, MovedBody, NearPairs, Pair};
use crate::geometry::Velocity;
use crate::linalg::BLOCK;
use crate::problem::{Cone, ContactLaw, ContactProblem, Stiffness};
use crate::scene::{FrictionTable, Scene, State};
use crate::settings::Gyroscopic;
use crate::solver::{ConicValue, CoreSettings, Residual, StepProblem, law};

/// A slip whose friction would be this part of p_ref is what a solver's tolerance leaves of sticking.
const CREEP: f64 = 1e-6;
/// How often a step is solved again because bodies turned out to touch that were not listed.
const MOST_ROUNDS: usize = 8;

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
        Self {
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

    /// The near pairs of the last step, see [`record`].
    pub fn contacts(&self) -> &[ContactRecord] {
        &self.records
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
        let [mut placed, mut end] = std::mem::take(&mut self.placed);
        place(&self.models, state, &mut placed);
        self.near.find(&self.models, &self.friction, &placed, |i| {
            let (model, v) = (&self.models[i], &state.velocities[i]);
            let pushed = (loads.force[i] * h + loads.linear_impulse[i]).norm() / model.mass;
            h * (path_speed(model, v) + pushed)
        });
        let context = StepContext {
            models: &self.models,
            poses: &state.poses,
            velocities: &state.velocities,
            placed: &placed,
            loads,
            time_step: h,
            scaling: scaling(&self.models, &state.velocities, loads, h),
            gyroscopic: scene.solver.gyroscopic,
        };
        let mut info = StepInfo::default();
        let mut after = std::mem::take(&mut self.end);
        for _ in 0..MOST_ROUNDS {
            let (pairs, local_of) = (&mut self.near.pairs, &mut self.local_of);
            let n_islands =
                distribute(&mut self.islands, pairs, &self.links, local_of, &context, &mut self.groups);
            let groups = &mut self.groups[..n_islands];
            solve_all(groups, |island| solve(island, &context, &self.local_of));
            add_round(&mut info, groups, context.scaling.momentum);
            add_values(&mut info, groups);
            after.clone_from(state);
            for island in &mut *groups {
                for (local, &id) in island.problem.bodies.iter().enumerate() {
                    after.velocities[id] = velocity(&island.iterate.velocity, local);
                    let (old, new) = (&state.velocities[id], &after.velocities[id]);
                    after.poses[id] = state.poses[id].advanced(&blend(old, new, self.theta), h);
                }
                island.remember();
            }
            place(&self.models, &after, &mut end);
            write_records(groups, &self.models, state, &after, &end, &mut self.records);
            for island in groups {
                self.near.pairs.append(&mut island.problem.pairs);
            }
            self.near.pairs.sort_unstable_by_key(|p| (p.body_a, p.body_b));
            let moved = |i: usize| h * path_speed(&self.models[i], &after.velocities[i]);
            if self.near.add_missed(&self.models, &self.friction, &placed, &end, moved) == 0 {
                break;
            }
        }
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
        island.set_up(context, local_of);
        let zeros = vec![0.0; BLOCK * island.bodies.len()];
        let no_impulse = vec![0.0; island.problem.n_rows()];
        // At zero velocity the end pose is the start pose, y is gap/h and Y is J.
        Refreshed { island, context }.refresh(&zeros, &no_impulse);
        let problem = &mut island.problem;
        problem.law = law;
        problem.response.clear();
        problem.stiffness.start.fill(Stiffness::NONE);
        if context.gyroscopic == Gyroscopic::Explicit {
            problem.stiffness.body.clear();
        }
        for cone in &problem.cones {
            for w in &mut problem.slip[cone.normal()] {
                *w = w.max(0.0);
            }
        }
        let offset = problem.slip.clone();
        Self { island, context, offset, force: zeros }
    }
}

impl StepProblem for Frozen<'_> {
    fn frozen(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn refresh(&mut self, v: &[f64], x: &[f64]) -> Residual {
        self.island.freeze_bodies(self.context, v);
        let problem = &mut self.island.problem;
        problem.velocity.copy_from_slice(v);
        let mut slip = std::mem::take(&mut problem.slip);
        problem.response(v, &mut slip);
        slip.iter_mut().zip(&self.offset).for_each(|(y, w)| *y += w);
        problem.slip = slip;
        problem.mass_product(v, &mut self.force);
        for (f, b) in self.force.iter_mut().zip(&problem.free_momentum) {
            *f -= b;
        }
        problem.add_forces(x, -1.0, &mut self.force);
        let (normal, friction) = law::natural_map(problem, &problem.weight, x, &problem.slip);
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
    for (pair, cone) in island.pairs.iter().zip(&problem.cones) {
        let rows = cone.row..cone.row + cone.n_rows();
        iterate.impulse[rows].copy_from_slice(&pair.impulse[..cone.n_rows()]);
    }
    iterate.velocity.clear();
    for &id in &island.bodies {
        let v = &context.velocities[id];
        iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
    }
    frozen.refresh(&iterate.velocity, &iterate.impulse);
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

fn write_records(
    groups: &mut [Island],
    models: &[BodyModel],
    before: &State,
    after: &State,
    end: &[MovedBody],
    records: &mut Vec<ContactRecord>,
) {
    records.clear();
    for island in groups {
        let problem = &island.problem.problem;
        let mut rates = vec![0.0; problem.n_rows()];
        problem.response(&island.iterate.velocity, &mut rates);
        for (pair, cone) in island.problem.pairs.iter_mut().zip(&problem.cones) {
            let fixed = [pair.body_a, pair.body_b].map(|id| models[id].fixed);
            let weight = problem.weight.get(cone.friction().start).copied().unwrap_or(0.0);
            let creep = CREEP * problem.scaling.momentum / weight;
            let mut record = record(pair, cone, &rates[cone.row..], creep, fixed, before, after);
            pair.evaluate(&end[pair.body_a], &end[pair.body_b]);
            record.gap = pair.geometry.gap;
            records.push(record);
        }
    }
    records.sort_unstable_by_key(|r| (r.body_a, r.body_b));
}

/// The impulses as the model applied them: along the normal of the start, at the contact point of the start carried
/// along with the bodies (the mean of both where both move). The gap is that of the end of the step.
fn record(
    pair: &Pair,
    cone: &Cone,
    rates: &[f64],
    creep: f64,
    fixed: [bool; 2],
    before: &State,
    after: &State,
) -> ContactRecord {
    let g = &pair.geometry;
    let [p_n, x_t, x_o, x_r] = pair.impulse;
    let [e_t, e_o] = pair.friction.tangential;
    let friction = (x_t * x_t + x_o * x_o + x_r * x_r).sqrt();
    let radius = pair.friction.coefficient * p_n;
    let carried = |id: usize| after.poses[id].position - before.poses[id].position;
    let moved = match fixed {
        [true, _] => carried(pair.body_b),
        [_, true] => carried(pair.body_a),
        _ => (carried(pair.body_a) + carried(pair.body_b)) * 0.5,
    };
    let slip_speed = rates[cone.n_normal..cone.n_rows()].iter().map(|w| w * w).sum::<f64>().sqrt();
    // Friction on a polygon is inside the ball while it slips.
    let sticks =
        cone.n_friction == 0 && radius == 0.0 || friction < radius * (1.0 - 1e-9) && slip_speed < creep;
    ContactRecord {
        body_a: pair.body_a,
        body_b: pair.body_b,
        ecp: before.poses[pair.body_b].position + g.arm_b + moved,
        normal: g.normal,
        gap: g.gap,
        normal_impulse: p_n,
        friction_impulse: g.tangent_t * (e_t * x_t) + g.tangent_o * (e_o * x_o),
        torsional_impulse: pair.friction.torsional * x_r,
        slip_speed,
        state: match (p_n > 0.0, sticks) {
            (false, _) => ContactState::Open,
            (true, true) => ContactState::Stick,
            (true, false) => ContactState::Slip,
        },
    }
}
