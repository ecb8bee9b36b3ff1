//! The default model: geometry at the END of the step, exact Coulomb friction, the NCP of MODEL section 2.

use super::island::{Island, distribute};
use super::island_problem::{StepContext, velocity};
use super::scales::scaling;
use super::{ContactRecord, ContactState, Loads, StepInfo};
use crate::contact::{BodyModel, Islands, MovedBody, NearPairs, Pair};
use crate::geometry::Velocity;
use crate::scene::{FrictionTable, Scene, State};
use crate::solver::CoreSettings;
use rayon::prelude::*;

/// How often a step is solved again because bodies turned out to touch that were not listed.
const MOST_ROUNDS: usize = 8;

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
    /// The state at the end of the step while it is being found.
    end: State,
}

impl ImplicitNcp {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let n = scene.bodies.len();
        Self {
            models: BodyModel::all(scene),
            friction: scene.friction.clone(),
            settings: CoreSettings { most_iterations: scene.solver.max_iterations, ..scene.solver.core },
            placed: [Vec::with_capacity(n), Vec::with_capacity(n)],
            near: NearPairs::default(),
            islands: Islands::default(),
            local_of: vec![0; n],
            groups: Vec::new(),
            records: Vec::new(),
            end: State { poses: Vec::with_capacity(n), velocities: Vec::with_capacity(n) },
        }
    }

    /// The near pairs at the end of the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        &self.records
    }

    /// Takes the state over one step.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
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
            let n_islands = distribute(
                &mut self.islands,
                &mut self.near.pairs,
                &[],
                &mut self.local_of,
                &context,
                &mut self.groups,
            );
            let groups = &mut self.groups[..n_islands];
            let (settings, tolerance) = (&self.settings, scene.solver.tolerance);
            solve_all(groups, |island| island.solve(&context, &self.local_of, settings, tolerance));
            add_round(&mut info, groups, context.scaling.momentum);
            after.clone_from(state);
            for island in &mut *groups {
                for (local, &id) in island.problem.bodies.iter().enumerate() {
                    after.velocities[id] = velocity(&island.iterate.velocity, local);
                    after.poses[id] = state.poses[id].advanced(&after.velocities[id], h);
                }
                island.remember();
            }
            write_records(groups, &after, &mut self.records);
            for island in groups {
                self.near.pairs.append(&mut island.problem.pairs);
            }
            self.near.pairs.sort_unstable_by_key(|p| (p.body_a, p.body_b));
            place(&self.models, &after, &mut end);
            let moved = |i: usize| h * path_speed(&self.models[i], &after.velocities[i]);
            if self.near.add_missed(&self.models, &self.friction, &placed, &end, moved) == 0 {
                break;
            }
        }
        std::mem::swap(state, &mut after);
        self.end = after;
        for pair in &mut self.near.pairs {
            pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
        }
        self.placed = [placed, end];
        info
    }
}

pub(super) fn place(models: &[BodyModel], state: &State, placed: &mut Vec<MovedBody>) {
    placed.clear();
    placed.extend(models.iter().zip(&state.poses).map(|(m, p)| MovedBody::new(m, p)));
}

/// Speed of the fastest point of a body, at most (m/s).
pub(super) fn path_speed(model: &BodyModel, v: &Velocity) -> f64 {
    v.linear.norm() + v.angular.norm() * model.radius
}

/// Islands are independent: any number of threads gives the same bits.
pub(super) fn solve_all(groups: &mut [Island], solve: impl Fn(&mut Island) + Sync) {
    if groups.len() > 1 {
        groups.par_iter_mut().for_each(&solve);
    } else {
        groups.iter_mut().for_each(&solve);
    }
}

/// Status, residual and contacts are those of the last round; work is summed over rounds.
pub(super) fn add_round(info: &mut StepInfo, groups: &[Island], unit: f64) {
    let mut round = StepInfo { n_islands: groups.len(), ..StepInfo::default() };
    let mut largest = unit;
    for island in groups {
        round.status = round.status.worse(island.status);
        round.residual = round.residual.worse(&island.info.residual);
        round.iterations = round.iterations.max(island.info.iterations);
        round.factorizations += island.info.factorizations;
        round.restarts += island.info.restarts;
        round.n_contacts += island.problem.pairs.len();
        for cone in &island.problem.problem.cones {
            largest = largest.max(island.iterate.impulse[cone.row]);
        }
    }
    round.relative_residual = round.residual.max() * unit / largest;
    round.iterations += info.iterations;
    round.factorizations += info.factorizations;
    round.restarts += info.restarts;
    *info = round;
}

fn write_records(groups: &[Island], state: &State, records: &mut Vec<ContactRecord>) {
    records.clear();
    for island in groups {
        let problem = &island.problem.problem;
        for (pair, cone) in island.problem.pairs.iter().zip(&problem.cones) {
            records.push(record(pair, &problem.slip[cone.row..cone.row + cone.n_rows()], state));
        }
    }
    records.sort_unstable_by_key(|r| (r.body_a, r.body_b));
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
