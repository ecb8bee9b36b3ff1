//! The effect of bodies with prescribed motion on rows and forces (theory §17.9).

use super::driven::DrivenMove;
use super::places::{Rates, rows_of_bodies};
use crate::contact::Placed;
use crate::stepper::island::assemble::pair_rows::{Both, PairRows, PoseSlopes};
use crate::stepper::island::assemble::rolling_rows::RollingRows;
use crate::stepper::island::assemble::{motion_of, passing};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use signorini_geometry::Velocity;
use signorini_kernels::wrench::PointLoad;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::solver::{Cause, CauseGradient};
use std::ops::Range;

/// The rows of an island at bodies with prescribed motion, and the forces that these rows carry.
#[derive(Debug, Clone, Default)]
pub struct DrivenRows {
    rows: Vec<DrivenRow>,
    forces: Vec<DrivenForce>,
}

#[derive(Debug, Clone)]
struct DrivenRow {
    /// Place among the bodies with prescribed motion.
    body: usize,
    row: usize,
    /// Of y.
    by: DrivenMove,
}

#[derive(Debug, Clone)]
struct DrivenForce {
    body: usize,
    /// The body that moves, by its place in the island.
    local: usize,
    /// By the displacement at the end over h.
    by: Matrix6<f64>,
}

/// How normal rows of an impact, J w + e u⁻, answer to a body with prescribed motion: w per row that
/// carries load, and 1 with what the rebound adds, by which its velocity counts.
#[derive(Clone, Copy)]
pub struct ImpactNormals<'a> {
    pub along: &'a [Option<Both>],
    pub velocity: &'a dyn Fn(usize) -> f64,
}

/// A side of a pair that is driven, and the other, which moves.
#[derive(Clone, Copy)]
struct At {
    side: usize,
    body: usize,
    local: usize,
}

/// Place of a body among those with prescribed motion.
fn place_of(context: &StepContext<'_>, id: usize) -> Option<usize> {
    context.loads.driven.binary_search_by_key(&id, |(id, _)| *id).ok()
}

/// Row k of a list of rows.
fn row_of(rows: &[f64], k: usize) -> Vector6<f64> {
    Vector6::from_column_slice(&rows[BLOCK * k..][..BLOCK])
}

impl DrivenRows {
    /// Of an island's problem at its solution with velocities v and impulses x.
    pub fn of(island: &IslandProblem, context: &StepContext<'_>, [v, x]: [&[f64]; 2]) -> Self {
        let mut rows = Self::default();
        for c in 0..island.pairs.len() {
            rows.add_pair(island, context, c, ([v, x], None));
            rows.add_pull(island, context, c);
        }
        rows.add_joints(island, context, x, None);
        rows
    }

    /// Adds a pair of an island whose problem is linearised, of an impact with its normal rows.
    pub fn add_pair(
        &mut self,
        island: &IslandProblem,
        context: &StepContext<'_>,
        c: usize,
        ([v, x], normals): ([&[f64]; 2], Option<ImpactNormals<'_>>),
    ) {
        let (pair, cone) = (&island.pairs[c], island.problem.cones[c]);
        let loads = &x[cone.row..cone.row + cone.n_law_rows()];
        let Some(at) = At::of(island, context, c).filter(|_| loads[..cone.n_normal].iter().any(|x| *x > 0.0))
        else {
            return;
        };
        let [a, b] = island.placed.sides(context, island.local[c], pair);
        let ids = [pair.body_a, pair.body_b];
        let velocity = passing([&a, &b], motion_of(context, v, ids, island.local[c]));
        let (h, rows) = (context.time_step, PairRows::new(pair, cone));
        let own = rows.pose_slopes([&a, &b], (velocity, h), loads);
        self.add_force(at, &own.force);
        let surface = [&a, &b][at.side].moved.surface.map(|surface| (surface, h));
        self.add_slips(at, (cone.row, cone.n_normal..cone.n_law_rows()), &own, surface);
        match normals {
            Some(normals) => self.add_normals(at, cone.row, (&rows, [&a, &b], h), (&own, loads, normals)),
            None => (0..cone.n_used).for_each(|k| {
                self.add_row(at, cone.row + k, [row_of(&own.response[at.side], k), Vector6::zeros()]);
            }),
        }
        if let Some(r) = island.problem.rolling_of(c) {
            let (rolling, spin) = (island.problem.cones[r], velocity[1].angular - velocity[0].angular);
            let tangent = pair.tangent(&a, &b, &loads[..cone.n_normal], &mut |_, _| ());
            let rows = RollingRows::new(pair, island.rolling_arm(context, c));
            let own = rows.pose_slopes(&x[rolling.friction()], &spin, (&tangent, h));
            self.add_force(at, &own.force);
            self.add_slips(at, (rolling.row, 0..rolling.n_law_rows()), &own, surface);
        }
    }

    /// Rows that are slips: functions of the end and of the velocity, that of a surface too.
    fn add_slips(
        &mut self,
        at: At,
        (first, rows): (usize, Range<usize>),
        own: &PoseSlopes,
        surface: Option<(Velocity, f64)>,
    ) {
        for k in rows {
            let [response, jacobian] = [&own.response, &own.jacobian].map(|of| row_of(&of[at.side], k));
            let mut by_end = response - jacobian;
            if let Some((Velocity { linear, angular }, h)) = surface {
                let half = |k: usize| jacobian.fixed_rows::<3>(k).into_owned();
                let turned = linear.cross(&half(0)) + angular.cross(&half(3));
                by_end.fixed_rows_mut::<3>(3).axpy(h, &turned, 1.0);
            }
            self.add_row(at, first + k, [by_end, jacobian]);
        }
    }

    /// Normal rows of an impact.
    fn add_normals(
        &mut self,
        at: At,
        first: usize,
        (rows, sides, h): (&PairRows<'_>, [&Placed<'_>; 2], f64),
        (own, loads, normals): (&PoseSlopes, &[f64], ImpactNormals<'_>),
    ) {
        let one = Matrix3::identity();
        rows.normal_slopes(sides, (h, [&one; 2]), loads, &mut |k, block| {
            let Some(along) = &normals.along[k] else { return };
            let mut by_end = Vector6::zeros();
            for (row, v) in along.iter().flatten().enumerate() {
                by_end.axpy(*v, &row_of(block, 2 * row + at.side), 1.0);
            }
            let by_velocity = row_of(&own.jacobian[at.side], k) * (normals.velocity)(k);
            self.add_row(at, first + k, [by_end, by_velocity]);
        });
    }

    /// Adds the pull of a pair, if there is one.
    fn add_pull(&mut self, island: &IslandProblem, context: &StepContext<'_>, c: usize) {
        let (pair, pull, one) = (&island.pairs[c], island.pull(c), Matrix3::identity());
        let Some(at) = At::of(island, context, c).filter(|_| pull != 0.0) else { return };
        let [a, b] = island.placed.sides(context, island.local[c], pair);
        let tangent = pair.tangent(&a, &b, &[], &mut |_, _| ());
        let point = pair.geometry.wrench_point();
        let load = PointLoad { point, normal: -pull, friction: Vector3::zeros(), torsion: 0.0 };
        let mut block = vec![0.0; (2 * BLOCK).pow(2)];
        load.add_stiffness(&[Some(&one); 2], context.time_step, &tangent, &mut block);
        self.add_force(at, &block);
    }

    /// Adds the rows of joints, of an impact with its rates.
    pub fn add_joints(
        &mut self,
        island: &IslandProblem,
        context: &StepContext<'_>,
        x: &[f64],
        rates: Option<Rates<'_>>,
    ) {
        if context.loads.driven.is_empty() {
            return;
        }
        let h = context.time_step;
        for at in rows_of_bodies(island, context) {
            let by_end = rates.map_or(at.slopes.value, |rates| at.rate(island, context, rates) * h);
            for side in 0..2 {
                let Some(body) = place_of(context, at.bodies[side]) else { continue };
                let mut by = DrivenMove::zeros();
                by.fixed_rows_mut::<BLOCK>(0).copy_from(&by_end.fixed_rows::<BLOCK>(BLOCK * side));
                if rates.is_some() && at.is_limit() {
                    let own = at.slopes.value.fixed_rows::<BLOCK>(BLOCK * side);
                    by.fixed_rows_mut::<BLOCK>(BLOCK).copy_from(&own);
                }
                if rates.is_none() {
                    let start = at.start.fixed_rows::<BLOCK>(BLOCK * side);
                    by.fixed_rows_mut::<BLOCK>(2 * BLOCK).copy_from(&-start);
                }
                self.rows.push(DrivenRow { body, row: at.row, by });
                if let Some(local) = island.local_of(context, at.bodies[1 - side]) {
                    let own = at.slopes.force.fixed_view::<BLOCK, BLOCK>(BLOCK * (1 - side), BLOCK * side);
                    self.forces.push(DrivenForce { body, local, by: own * (x[at.row] * h) });
                }
            }
        }
    }

    fn add_row(&mut self, at: At, row: usize, [by_end, by_velocity]: [Vector6<f64>; 2]) {
        let mut by = DrivenMove::zeros();
        by.fixed_rows_mut::<BLOCK>(0).copy_from(&by_end);
        by.fixed_rows_mut::<BLOCK>(BLOCK).copy_from(&by_velocity);
        self.rows.push(DrivenRow { body: at.body, row, by });
    }

    /// Adds the force on the body that moves, from a block over both.
    fn add_force(&mut self, at: At, block: &[f64]) {
        let by = Matrix6::from_fn(|i, j| row_of(block, 2 * (BLOCK * (1 - at.side) + i) + at.side)[j]);
        self.forces.push(DrivenForce { body: at.body, local: at.local, by });
    }

    /// Adds the effect of changes of these bodies, in a lane.
    pub fn apply(&self, (lane, moves): (usize, &[DrivenMove]), cause: &mut Cause) {
        for row in &self.rows {
            cause.slip[row.row][lane] += row.by.dot(&moves[row.body]);
        }
        for force in &self.forces {
            let gained = force.by * moves[force.body].fixed_rows::<BLOCK>(0);
            let body = &mut cause.momentum[BLOCK * force.local..][..BLOCK];
            body.iter_mut().zip(gained.iter()).for_each(|(f, gained)| f[lane] += gained);
        }
    }

    /// Adds the gradients with changes of these bodies of a function whose gradient with the cause is given.
    pub fn add_gradient(&self, cause: &CauseGradient, moves: &mut [DrivenMove]) {
        for row in &self.rows {
            moves[row.body].axpy(cause.slip[row.row], &row.by, 1.0);
        }
        for force in &self.forces {
            let own = row_of(&cause.momentum, force.local);
            let mut end = moves[force.body].fixed_rows_mut::<BLOCK>(0);
            end += force.by.tr_mul(&own);
        }
    }
}

impl At {
    /// Of pair c, where one side is driven and the other moves.
    fn of(island: &IslandProblem, context: &StepContext<'_>, c: usize) -> Option<Self> {
        let ids = [island.pairs[c].body_a, island.pairs[c].body_b];
        (0..2).find_map(|side| {
            let (body, local) = (place_of(context, ids[side])?, island.local[c][1 - side]?);
            Some(Self { side, body, local })
        })
    }
}
