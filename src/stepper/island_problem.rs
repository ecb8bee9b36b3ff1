//! One island's step problem with the geometry at the END of the step: what the solver refreshes.

use super::Loads;
use crate::contact::{BodyModel, MovedBody, Pair};
use crate::geometry::pose::{cross_matrix, left_jacobian};
use crate::geometry::{Pose, Velocity};
use crate::kernels::pair_tangent::PairTangent;
use crate::linalg::BLOCK;
use crate::problem::{ContactProblem, Scaling, Stiffness};
use crate::settings::Gyroscopic;
use crate::solver::{Residual, StepProblem, law};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// An overlap of a hundredth of the tolerance, relative to the smaller body, is as bad as a residual of the tolerance.
const OVERLAP: f64 = 100.0;

/// What all islands share during a step.
#[derive(Debug, Clone, Copy)]
pub struct StepContext<'a> {
    /// Bodies by id.
    pub models: &'a [BodyModel],
    /// Poses at the start of the step.
    pub poses: &'a [Pose],
    /// Velocities at the start of the step.
    pub velocities: &'a [Velocity],
    /// All bodies placed at the start of the step.
    pub placed: &'a [MovedBody],
    /// Loads of the step.
    pub loads: &'a Loads,
    /// h (s).
    pub time_step: f64,
    /// Units.
    pub scaling: Scaling,
    /// Where the gyroscopic torque is evaluated.
    pub gyroscopic: Gyroscopic,
}

/// Bodies and pairs of one island, and the problem frozen at the last refresh.
#[derive(Debug)]
pub struct IslandProblem {
    /// Body ids, ascending.
    pub bodies: Vec<usize>,
    /// Near pairs with at least one body of the island, by key.
    pub pairs: Vec<Pair>,
    /// The frozen problem.
    pub problem: ContactProblem,
    /// Local index of each pair's bodies; None when fixed.
    local: Vec<[Option<usize>; 2]>,
    /// Bodies at the end pose of the iterate.
    placed: Vec<MovedBody>,
    /// J_l(h ω) per body.
    turn: Vec<Matrix3<f64>>,
    /// Inertia at the start pose, world.
    inertia: Vec<Matrix3<f64>>,
    /// A v₀ + loads, before gyroscopic terms.
    applied: Vec<f64>,
    momentum: Vec<f64>,
    time_step: f64,
}

impl Default for IslandProblem {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            pairs: Vec::new(),
            problem: ContactProblem::empty(),
            local: Vec::new(),
            placed: Vec::new(),
            turn: Vec::new(),
            inertia: Vec::new(),
            applied: Vec::new(),
            momentum: Vec::new(),
            time_step: 0.0,
        }
    }
}

impl IslandProblem {
    /// Sets up masses, loads and rows for the current bodies and pairs. `local_of` maps body id to its place here.
    pub fn set_up(&mut self, context: &StepContext<'_>, local_of: &[usize]) {
        let h = context.time_step;
        self.problem.clear();
        self.problem.scaling = context.scaling;
        self.time_step = h;
        self.inertia.clear();
        self.applied.clear();
        for &id in &self.bodies {
            let model = &context.models[id];
            let rotation = &context.placed[id].rotation;
            let inertia = rotation * model.inertia * rotation.transpose();
            let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.problem.mass.push(block_mass(model.mass, &inertia));
            self.problem.mass_inverse.push(block_mass(1.0 / model.mass, &inverse));
            let v = &context.velocities[id];
            let linear =
                v.linear * model.mass + context.loads.force[id] * h + context.loads.linear_impulse[id];
            let mut angular =
                inertia * v.angular + context.loads.torque[id] * h + context.loads.angular_impulse[id];
            if context.gyroscopic == Gyroscopic::Explicit {
                angular -= v.angular.cross(&(inertia * v.angular)) * h;
            }
            self.inertia.push(inertia);
            self.applied.extend(linear.iter().chain(angular.iter()));
        }
        self.local.clear();
        for pair in &self.pairs {
            let local = [pair.body_a, pair.body_b]
                .map(|id| if context.models[id].fixed { None } else { Some(local_of[id]) });
            self.problem.add_contact(
                local.into_iter().flatten(),
                (1, pair.n_friction()),
                pair.friction.coefficient,
            );
            self.local.push(local);
        }
        let n = BLOCK * self.bodies.len();
        self.problem.free_momentum.resize(n, 0.0);
        self.problem.velocity.resize(n, 0.0);
        self.problem.response.resize(self.problem.jacobian.len(), 0.0);
        self.problem.stiffness.start.resize(self.pairs.len(), Stiffness::NONE);
        self.problem.stiffness.body.resize(self.bodies.len(), Matrix6::zeros());
        self.momentum.resize(n, 0.0);
    }

    /// End pose of a local body under velocity v.
    pub fn end_pose(&self, context: &StepContext<'_>, v: &[f64], local: usize) -> Pose {
        context.poses[self.bodies[local]].advanced(&velocity(v, local), context.time_step)
    }

    fn place_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        self.placed.clear();
        self.turn.clear();
        for local in 0..self.bodies.len() {
            let pose = self.end_pose(context, v, local);
            self.placed.push(MovedBody::new(&context.models[self.bodies[local]], &pose));
            self.turn.push(left_jacobian(&(velocity(v, local).angular * context.time_step)));
        }
    }

    /// b and the derivative of the gyroscopic torque −ω × I ω at the iterate.
    pub(super) fn freeze_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        self.problem.free_momentum.copy_from_slice(&self.applied);
        if context.gyroscopic == Gyroscopic::Explicit {
            return;
        }
        let h = context.time_step;
        for (local, inertia) in self.inertia.iter().enumerate() {
            let omega = velocity(v, local).angular;
            let spin = inertia * omega;
            let torque = -omega.cross(&spin) * h;
            for i in 0..3 {
                self.problem.free_momentum[BLOCK * local + 3 + i] += torque[i];
            }
            let slope = (cross_matrix(&spin) - cross_matrix(&omega) * inertia) * h;
            self.problem.stiffness.body[local].fixed_view_mut::<3, 3>(3, 3).copy_from(&slope);
        }
    }

    fn freeze_pair(&mut self, context: &StepContext<'_>, v: &[f64], x: &[f64], c: usize) {
        let [la, lb] = self.local[c];
        let placed = |local: Option<usize>, id: usize| local.map_or(&context.placed[id], |l| &self.placed[l]);
        let pair = &mut self.pairs[c];
        let (a, b) = (placed(la, pair.body_a), placed(lb, pair.body_b));
        pair.evaluate(a, b);
        let rows = PairRows::new(pair);
        let row = self.problem.cones[c].row;
        let speed = |local: Option<usize>| local.map_or_else(Velocity::default, |l| velocity(v, l));
        let motion = [speed(la), speed(lb)];
        rows.write_slip(&motion, context.time_step, &mut self.problem.slip[row..]);
        let loaded = x[row] > 0.0;
        let tangent = loaded.then(|| pair.tangent(a.plane.is_some()));
        self.problem.stiffness.start[c] = Stiffness::NONE;
        let first = self.problem.start[c];
        let mut width = 0;
        for (side, local) in [la, lb].into_iter().enumerate() {
            let Some(local) = local else { continue };
            let k = first + width;
            width += 1;
            let length = BLOCK * self.problem.cones[c].n_rows();
            let range = self.problem.value_start[k]..self.problem.value_start[k] + length;
            rows.write_jacobian(side, &mut self.problem.jacobian[range.clone()]);
            let response = &mut self.problem.response[range.clone()];
            response.copy_from_slice(&self.problem.jacobian[range]);
            rows.write_response(
                side,
                &motion,
                context.time_step,
                &self.turn[local],
                tangent.as_ref(),
                response,
            );
        }
        if let Some(tangent) = &tangent {
            self.problem.stiffness.start[c] = self.problem.stiffness.blocks.len();
            let sides = [la, lb];
            rows.append_stiffness(
                &sides,
                &self.turn,
                context.time_step,
                tangent,
                &x[row..],
                &mut self.problem.stiffness.blocks,
            );
        }
    }

    /// True residual at (v, x), after all rows are frozen there.
    fn residual(&mut self, context: &StepContext<'_>, v: &[f64], x: &[f64]) -> Residual {
        self.problem.mass_product(v, &mut self.momentum);
        for (m, b) in self.momentum.iter_mut().zip(&self.problem.free_momentum) {
            *m -= b;
        }
        self.problem.add_forces(x, -1.0, &mut self.momentum);
        let (normal, friction) = law::natural_map(&self.problem, &self.problem.weight, x, &self.problem.slip);
        let unit = self.problem.scaling.momentum;
        // Closest points that were not found must not pass: their mismatch counts like a gap.
        let mismatch = self
            .pairs
            .iter()
            .zip(&self.problem.cones)
            .filter(|(_, cone)| x[cone.row] > 0.0)
            .map(|(pair, cone)| pair.geometry.mismatch * self.problem.weight[cone.row] / self.time_step)
            .fold(0.0, f64::max);
        let overlap = self
            .pairs
            .iter()
            .map(|pair| {
                let size =
                    |id: usize| Some(context.models[id].size).filter(|s| *s > 0.0).unwrap_or(f64::INFINITY);
                -pair.geometry.gap * OVERLAP / size(pair.body_a).min(size(pair.body_b))
            })
            .fold(0.0, f64::max);
        Residual {
            momentum: self.problem.scaled_momentum(&self.momentum),
            complementarity: law::worse(law::worse(normal, mismatch) / unit, overlap),
            friction: friction / unit,
        }
    }
}

/// An island's problem together with what it shares: what the solver refreshes.
pub struct Refreshed<'a> {
    /// The island.
    pub island: &'a mut IslandProblem,
    /// The step.
    pub context: &'a StepContext<'a>,
}

impl StepProblem for Refreshed<'_> {
    fn frozen(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn refresh(&mut self, v: &[f64], x: &[f64]) -> Residual {
        let island = &mut *self.island;
        island.problem.velocity.copy_from_slice(v);
        island.place_bodies(self.context, v);
        island.freeze_bodies(self.context, v);
        island.problem.stiffness.blocks.clear();
        for c in 0..island.pairs.len() {
            island.freeze_pair(self.context, v, x, c);
        }
        island.problem.update_weights();
        island.residual(self.context, v, x)
    }
}

/// The velocity of a local body.
pub fn velocity(v: &[f64], local: usize) -> Velocity {
    let six = &v[BLOCK * local..BLOCK * (local + 1)];
    Velocity { linear: Vector3::from_column_slice(&six[..3]), angular: Vector3::from_column_slice(&six[3..]) }
}

pub(super) fn block_mass(mass: f64, inertia: &Matrix3<f64>) -> Matrix6<f64> {
    let mut block = Matrix6::from_diagonal(&Vector6::repeat(mass));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(inertia);
    block
}

/// The rows of one pair: directions n, e_t t, e_o o and e_r n at the arms.
struct PairRows {
    normal: Vector3<f64>,
    /// Tangents scaled by e_t, e_o.
    tangents: [Vector3<f64>; 2],
    torsional: f64,
    arms: [Vector3<f64>; 2],
    gap: f64,
    n_friction: usize,
}

impl PairRows {
    fn new(pair: &Pair) -> Self {
        let g = &pair.geometry;
        let [e_t, e_o] = pair.friction.tangential;
        Self {
            normal: g.normal,
            tangents: [g.tangent_t * e_t, g.tangent_o * e_o],
            torsional: pair.friction.torsional,
            arms: [g.arm_a, g.arm_b],
            gap: g.gap,
            n_friction: pair.n_friction(),
        }
    }

    /// y = (gap/h, e_t v_t, e_o v_o, e_r ω_n).
    fn write_slip(&self, motion: &[Velocity; 2], h: f64, out: &mut [f64]) {
        out[0] = self.gap / h;
        let u = self.relative_velocity(motion);
        for (i, t) in self.tangents.iter().enumerate().take(self.n_friction) {
            out[1 + i] = t.dot(&u);
        }
        if self.n_friction == 3 {
            out[3] = self.torsional * self.normal.dot(&(motion[1].angular - motion[0].angular));
        }
    }

    fn relative_velocity(&self, motion: &[Velocity; 2]) -> Vector3<f64> {
        let at = |side: usize| motion[side].linear + motion[side].angular.cross(&self.arms[side]);
        at(1) - at(0)
    }

    fn write_jacobian(&self, side: usize, out: &mut [f64]) {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let directions = [self.normal, self.tangents[0], self.tangents[1]];
        for (row, d) in out.chunks_exact_mut(BLOCK).zip(directions).take(1 + self.n_friction.min(2)) {
            write_row(row, &(d * sign), &(self.arms[side].cross(&d) * sign));
        }
        if self.n_friction == 3 {
            write_row(&mut out[3 * BLOCK..], &Vector3::zeros(), &(self.normal * (sign * self.torsional)));
        }
    }

    /// Turns a copy of J's rows into ∂y/∂v: the gap row moves the pose (left Jacobian), the slip rows move the
    /// frame and arms too: δ(t·u) = −(n·u)(t·δn) + (t × ω_b)·δr_b − (t × ω_a)·δr_a.
    fn write_response(
        &self,
        side: usize,
        motion: &[Velocity; 2],
        h: f64,
        turn: &Matrix3<f64>,
        tangent: Option<&PairTangent<f64>>,
        out: &mut [f64],
    ) {
        let angular = Vector3::from_column_slice(&out[3..6]);
        out[3..6].copy_from_slice((turn.tr_mul(&angular)).as_slice());
        let Some(tangent) = tangent else { return };
        let approach = self.normal.dot(&self.relative_velocity(motion));
        for i in 0..self.n_friction {
            let [on_normal, on_a, on_b] = if i < 2 {
                let t = &self.tangents[i];
                [-t * approach, -t.cross(&motion[0].angular), t.cross(&motion[1].angular)]
            } else {
                [(motion[1].angular - motion[0].angular) * self.torsional, Vector3::zeros(), Vector3::zeros()]
            };
            let along = |block: usize| {
                tangent.normal[block].tr_mul(&on_normal)
                    + tangent.arm_a[block].tr_mul(&on_a)
                    + tangent.arm_b[block].tr_mul(&on_b)
            };
            let (linear, angular) = (along(2 * side) * h, turn.tr_mul(&along(2 * side + 1)) * h);
            let row = &mut out[(1 + i) * BLOCK..(2 + i) * BLOCK];
            for j in 0..3 {
                row[j] += linear[j];
                row[3 + j] += angular[j];
            }
        }
    }

    /// K = ∂(W x)/∂v at fixed x, over the moving bodies of the pair.
    fn append_stiffness(
        &self,
        sides: &[Option<usize>; 2],
        turn: &[Matrix3<f64>],
        h: f64,
        tangent: &PairTangent<f64>,
        x: &[f64],
        out: &mut Vec<f64>,
    ) {
        let mut friction = Vector3::zeros();
        for (t, x) in self.tangents.iter().zip(&x[1..]).take(self.n_friction) {
            friction += t * *x;
        }
        let torsion = if self.n_friction == 3 { self.torsional * x[3] } else { 0.0 };
        let force = self.normal * x[0] + friction;
        let turned = Matrix3::identity() * x[0] - self.normal * friction.transpose();
        let fx = cross_matrix(&force);
        let arms = [cross_matrix(&self.arms[0]), cross_matrix(&self.arms[1])];
        for (row_side, _) in sides.iter().enumerate().filter(|(_, s)| s.is_some()) {
            let sign = if row_side == 0 { -1.0 } else { 1.0 };
            let arm_slope = if row_side == 0 { &tangent.arm_a } else { &tangent.arm_b };
            let blocks: [[Matrix3<f64>; 4]; 2] = {
                let linear = tangent.normal.map(|d| turned * d);
                let angular = [0, 1, 2, 3]
                    .map(|i| arms[row_side] * linear[i] - fx * arm_slope[i] + tangent.normal[i] * torsion);
                [linear, angular]
            };
            for half in &blocks {
                for r in 0..3 {
                    for (column_side, local) in sides.iter().enumerate() {
                        let Some(local) = local else { continue };
                        let linear = half[2 * column_side].row(r) * (sign * h);
                        let angular = half[2 * column_side + 1].row(r) * turn[*local] * (sign * h);
                        out.extend(linear.iter().chain(angular.iter()));
                    }
                }
            }
        }
    }
}

fn write_row(row: &mut [f64], linear: &Vector3<f64>, angular: &Vector3<f64>) {
    row[..3].copy_from_slice(linear.as_slice());
    row[3..6].copy_from_slice(angular.as_slice());
}
