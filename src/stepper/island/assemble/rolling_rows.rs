//! Rolling resistance of pairs: a couple about the two tangents beside the rows of the contact, and its
//! derivative with the end pose (theory §14).

use crate::contact::Pair;
use crate::stepper::island::assemble::pair_rows::{PoseSlopes, SizeSlopes};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_kernels::pair_tangent::PairTangent;
use signorini_kernels::wrench::sign;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Stiffness;

/// Rows of a rolling couple.
const ROLLING_ROWS: usize = 2;

/// The two rolling rows of a pair: rolling velocities and couples about the tangents, made a velocity and an
/// impulse by an arm a, the smaller size of the two parts:
/// ```text
/// y = (a t·ω, a o·ω),   ω = ω_b − ω_a,      couple on B = a (x_t t + x_o o)
/// ```
#[derive(Debug)]
pub(in crate::stepper) struct RollingRows {
    normal: Vector3<f64>,
    /// Axes a t and a o (m).
    axes: [Vector3<f64>; ROLLING_ROWS],
}

impl RollingRows {
    /// Makes the rows at the geometry of a pair as last evaluated.
    pub fn new(pair: &Pair, arm: f64) -> Self {
        let g = &pair.geometry;
        Self { normal: g.normal, axes: [g.tangent_t * arm, g.tangent_o * arm] }
    }

    /// The couple on B (N m s).
    pub fn couple(&self, x: &[f64]) -> Vector3<f64> {
        self.axes[0] * x[0] + self.axes[1] * x[1]
    }

    /// Derivatives with the sizes of both bodies, at impulses x and with the rolling velocity; `growth` has
    /// the sizes in the places of positions.
    pub fn size_slopes(&self, x: &[f64], spin: &Vector3<f64>, growth: &PairTangent<f64>) -> SizeSlopes {
        let one = Matrix3::identity();
        let mut force = vec![0.0; (2 * BLOCK).pow(2)];
        self.add_stiffness(&self.couple(x), &[Some(&one); 2], (growth, 1.0), &mut force);
        let mut slopes = SizeSlopes::of_force(&force, ROLLING_ROWS);
        for side in 0..2 {
            let mut rows = [0.0; BLOCK * ROLLING_ROWS];
            self.add_response(side, (spin, 1.0), &one, growth, &mut rows);
            slopes.set_rows(side, 0, &rows);
        }
        slopes
    }

    /// Derivatives with both poses, at impulses x and with the rolling velocity.
    pub fn pose_slopes(
        &self,
        x: &[f64],
        spin: &Vector3<f64>,
        (tangent, h): (&PairTangent<f64>, f64),
    ) -> PoseSlopes {
        let (one, mut force) = (Matrix3::identity(), vec![0.0; (2 * BLOCK).pow(2)]);
        self.add_stiffness(&self.couple(x), &[Some(&one); 2], (tangent, h), &mut force);
        let mut jacobian = [(); 2].map(|()| vec![0.0; BLOCK * ROLLING_ROWS]);
        (0..2).for_each(|side| self.write_jacobian(side, &mut jacobian[side]));
        let mut response = jacobian.clone();
        for (side, rows) in response.iter_mut().enumerate() {
            self.add_response(side, (spin, h), &one, tangent, rows);
        }
        PoseSlopes { force, response, jacobian }
    }

    fn write_slip(&self, spin: &Vector3<f64>, out: &mut [f64]) {
        out.iter_mut().zip(&self.axes).for_each(|(y, axis)| *y = axis.dot(spin));
    }

    fn write_jacobian(&self, side: usize, out: &mut [f64]) {
        for (row, axis) in out.chunks_exact_mut(BLOCK).zip(&self.axes) {
            row[..3].fill(0.0);
            row[3..].copy_from_slice((axis * sign::<f64>(side)).as_slice());
        }
    }

    /// Adds the effect of the turning frame on the rolling velocity: δ(t·ω) = −(n·ω)(t·δn).
    fn add_response(
        &self,
        side: usize,
        (spin, h): (&Vector3<f64>, f64),
        turn: &Matrix3<f64>,
        tangent: &PairTangent<f64>,
        out: &mut [f64],
    ) {
        for (row, axis) in out.chunks_exact_mut(BLOCK).zip(&self.axes) {
            let on_normal = -axis * self.normal.dot(spin);
            let linear = tangent.normal[2 * side].tr_mul(&on_normal) * h;
            let angular = turn.tr_mul(&tangent.normal[2 * side + 1].tr_mul(&on_normal)) * h;
            for j in 0..3 {
                row[j] += linear[j];
                row[3 + j] += angular[j];
            }
        }
    }

    /// Adds K, by which the couple m turns with the plane: δm = −n (m·δn) on B, the opposite on A.
    fn add_stiffness(
        &self,
        couple: &Vector3<f64>,
        turn: &[Option<&Matrix3<f64>>; 2],
        (tangent, h): (&PairTangent<f64>, f64),
        out: &mut [f64],
    ) {
        let width = BLOCK * turn.iter().flatten().count();
        let turned = -self.normal * couple.transpose();
        let sides = || (0..2).filter_map(|side| turn[side].map(|turn| (side, turn))).enumerate();
        for (place, (row_side, _)) in sides() {
            let scale = sign::<f64>(row_side) * h;
            for (column, (side, turn)) in sides() {
                let moved = turned * tangent.normal[2 * side] * scale;
                let rotated = turned * tangent.normal[2 * side + 1] * turn * scale;
                for r in 0..3 {
                    let row = &mut out[(BLOCK * place + 3 + r) * width + BLOCK * column..][..BLOCK];
                    for c in 0..3 {
                        row[c] += moved[(r, c)];
                        row[3 + c] += rotated[(r, c)];
                    }
                }
            }
        }
    }
}

impl IslandProblem {
    /// Adds one cone for each pair that resists rolling, behind all others.
    pub(in crate::stepper) fn add_rolling_cones(&mut self) {
        let rolling = self.pairs.iter().enumerate().filter(|(_, pair)| pair.friction.rolling > 0.0);
        for (c, _) in rolling {
            self.problem.add_rolling(self.local[c].into_iter().flatten(), c, 0.0);
        }
    }

    /// Arm of the rolling rows of pair c (m).
    pub(in crate::stepper) fn rolling_arm(&self, context: &StepContext<'_>, c: usize) -> f64 {
        let [a, b] = context.models.parts_of(&self.pairs[c]).map(|part| &context.models.parts[part]);
        a.smaller_size(b)
    }

    /// Writes the rows of the rolling resistance of pair c, if it has one, as the pair was evaluated last.
    pub(in crate::stepper) fn write_rolling(&mut self, context: &StepContext<'_>, v: &[f64], c: usize) {
        let Some(r) = self.problem.rolling_of(c) else { return };
        let (arm, motion) = (self.rolling_arm(context, c), self.motion(context, v, c));
        let (pair, rows) = (&self.pairs[c], RollingRows::new(&self.pairs[c], arm));
        let problem = &mut self.problem;
        problem.cones[r].friction_coefficient = pair.friction.rolling / arm * pair.geometry.alignment;
        rows.write_slip(&(motion[1].angular - motion[0].angular), {
            let friction = problem.cones[r].friction();
            &mut problem.at.slip[friction]
        });
        let sides = (0..2).filter(|side| self.local[c][*side].is_some());
        for (side, k) in sides.zip(problem.block_offsets[r]..) {
            let start = problem.value_offsets[k];
            rows.write_jacobian(side, &mut problem.at.jacobian[start..start + BLOCK * ROLLING_ROWS]);
        }
    }

    /// Linearises all rolling resistance at the end pose for velocities v and impulses x.
    pub(in crate::stepper) fn linearize_rolling(&mut self, context: &StepContext<'_>, v: &[f64], x: &[f64]) {
        let h = context.time_step;
        for r in self.problem.first_rolling()..self.problem.cones.len() {
            let Some(c) = self.problem.cones[r].rolls_with else { continue };
            self.write_rolling(context, v, c);
            let (arm, motion) = (self.rolling_arm(context, c), self.motion(context, v, c));
            let spin = motion[1].angular - motion[0].angular;
            let Self { problem, pairs, local, placed, turn, .. } = self;
            let rows = RollingRows::new(&pairs[c], arm);
            let turns = local[c].map(|local| local.map(|l| &turn[l]));
            let carrier = problem.cones[c];
            let loaded = x[carrier.normal()].iter().any(|x| *x > 0.0);
            let [a, b] = placed.sides(context, local[c], &pairs[c]);
            let tangent = loaded.then(|| pairs[c].tangent(&a, &b, &x[carrier.reserved()], &mut |_, _| ()));
            let moving = (0..2).filter_map(|side| turns[side].map(|turn| (side, turn)));
            for ((side, turn), k) in moving.zip(problem.block_offsets[r]..) {
                let range = problem.value_offsets[k]..problem.value_offsets[k] + BLOCK * ROLLING_ROWS;
                let out = &mut problem.at.response[range.clone()];
                out.copy_from_slice(&problem.at.jacobian[range]);
                if let Some(tangent) = &tangent {
                    rows.add_response(side, (&spin, h), turn, tangent, out);
                }
            }
            problem.at.stiffness.start[r] = Stiffness::NONE;
            let couple = rows.couple(&x[problem.cones[r].friction()]);
            if let Some(tangent) = tangent.filter(|_| couple != Vector3::zeros()) {
                let n_bodies = turns.iter().flatten().count();
                let range = problem.at.stiffness.reserve(r, n_bodies);
                let out = &mut problem.at.stiffness.blocks[range];
                rows.add_stiffness(&couple, &turns, (&tangent, h), out);
            }
        }
    }

    /// The couple on B of pair c as it is stored (N m s).
    pub(in crate::stepper) fn rolling_impulse(&self, context: &StepContext<'_>, c: usize) -> Vector3<f64> {
        let pair = &self.pairs[c];
        if pair.friction.rolling == 0.0 {
            return Vector3::zeros();
        }
        RollingRows::new(pair, self.rolling_arm(context, c)).couple(&pair.rolling_impulse)
    }
}
