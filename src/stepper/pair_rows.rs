//! The rows of one pair in the step problem and their derivatives with the end pose: normal rows of the atoms, one
//! friction wrench at the equivalent contact point, and the shift rows that move it (MODEL sections 2 and 3).

use crate::contact::pair::{PointGeometry, carried};
use crate::contact::{Pair, Placed};
use crate::geometry::Velocity;
use crate::geometry::pose::cross_matrix;
use crate::kernels::pair_tangent::PairTangent;
use crate::linalg::BLOCK;
use crate::problem::Cone;
use nalgebra::{Matrix3, Vector3};

/// −1 for body A, 1 for body B.
fn sign(side: usize) -> f64 {
    if side == 0 { -1.0 } else { 1.0 }
}

/// All rows of a pair as last evaluated, in the order of its cone.
pub struct PairRows<'a> {
    pair: &'a Pair,
    cone: Cone,
    /// Where impulses act.
    wrench: Wrench,
    /// Where slip is measured.
    slip: Wrench,
    /// How much of the end geometry is in `wrench`, and in `slip`.
    shares: [f64; 2],
}

impl<'a> PairRows<'a> {
    /// The rows of a pair with their places.
    pub fn new(pair: &'a Pair, cone: Cone) -> Self {
        let at_end = Wrench::new(pair);
        let Some(stagger) = pair.stagger.filter(|s| s.theta < 1.0) else {
            return Self { pair, cone, slip: at_end, wrench: at_end, shares: [1.0; 2] };
        };
        let shares = [stagger.theta, 0.5 * (1.0 + stagger.theta)];
        let [wrench, slip] = shares.map(|share| at_end.blended(&stagger.start, share));
        // Forces act half a step before the middle of the step: sliding that turns had another direction then.
        let slip = slip.turned_back(0.5 * stagger.slip_turn);
        Self { pair, cone, wrench, slip, shares }
    }

    /// Gap and contact point of each atom.
    fn atoms(&self) -> impl Iterator<Item = (f64, PointGeometry)> + '_ {
        let g = &self.pair.geometry;
        let smooth = self.pair.patch.is_none().then(|| (g.gap, g.point()));
        // Rows of atoms that may not exert anything are zero.
        let patch = self.pair.patch.iter().flat_map(|p| &p.atoms).map(|atom| {
            let g = &atom.geometry;
            match atom.exerts() {
                false => (0.0, PointGeometry { arms: self.wrench.point.arms, ..PointGeometry::default() }),
                true => (g.gap, PointGeometry { normal: g.normal, arms: [g.arm_a, g.arm_b] }),
            }
        });
        smooth.into_iter().chain(patch)
    }

    /// y = (gap/h per atom, e_t v_t, e_o v_o, e_r ω_n, S v); 0 for slots without an atom.
    pub fn write_slip(&self, motion: &[Velocity; 2], h: f64, out: &mut [f64]) {
        out.fill(0.0);
        for ((gap, _), y) in self.atoms().zip(out.iter_mut()) {
            *y = gap / h;
        }
        self.slip.write_slip(motion, &mut out[self.cone.n_normal..self.cone.n_law_rows()]);
        if self.cone.n_shift() > 0 {
            let shift = out[self.cone.n_law_rows()..].chunks_exact_mut(self.cone.n_tangential());
            for ((_, atom), y) in self.atoms().zip(shift) {
                self.wrench.write_shift_slip(motion, &atom, y);
            }
        }
    }

    /// Force directions on one side.
    pub fn write_jacobian(&self, side: usize, out: &mut [f64]) {
        let (normal, rest) = out.split_at_mut(BLOCK * self.cone.n_normal);
        normal.fill(0.0);
        for ((_, atom), row) in self.atoms().zip(normal.chunks_exact_mut(BLOCK)) {
            let point = if self.pair.patch.is_none() { self.wrench.point } else { atom };
            write_normal(side, &point, row);
        }
        let (friction, shift) = rest.split_at_mut(BLOCK * self.cone.n_friction);
        self.wrench.write_jacobian(side, friction);
        if self.cone.n_shift() > 0 {
            shift.fill(0.0);
            let rows = shift.chunks_exact_mut(BLOCK * self.cone.n_tangential());
            for ((_, atom), rows) in self.atoms().zip(rows) {
                self.wrench.write_shift(side, &atom, rows);
            }
        }
    }

    /// ∂y/∂v on one side, from the force directions there.
    pub fn write_response(
        &self,
        side: usize,
        jacobian: &[f64],
        motion: &[Velocity; 2],
        h: f64,
        turn: &Matrix3<f64>,
        tangent: Option<&PairTangent<f64>>,
        out: &mut [f64],
    ) {
        out.copy_from_slice(jacobian);
        if self.shares[1] < 1.0 {
            // The gap is that of the end whatever the force.
            write_normal(side, &self.pair.geometry.point(), &mut out[..BLOCK]);
            self.slip.write_jacobian(side, &mut out[BLOCK..]);
        }
        for row in out.chunks_exact_mut(BLOCK).take(self.cone.n_normal) {
            turn_normal(turn, row);
        }
        if let Some(tangent) = tangent {
            let friction = BLOCK * self.cone.n_normal..BLOCK * self.cone.n_law_rows();
            self.slip.add_response(side, motion, self.shares[1] * h, turn, tangent, &mut out[friction]);
        }
    }

    /// Adds K at fixed impulses x of the law's rows to the pair's block; returns how normal and arms at the equivalent
    /// contact point turn with the poses.
    pub fn add_stiffness(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        turn: &[Option<&Matrix3<f64>>; 2],
        h: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> PairTangent<f64> {
        let n = self.cone.n_normal;
        let mut load = self.wrench.load(&x[n..]);
        let tangent = self.pair.tangent(a, b, &x[..n], &mut |k, tangent| {
            if let Some((_, point)) = self.atoms().nth(k) {
                let load = PointLoad { point, normal: x[k], friction: Vector3::zeros(), torsion: 0.0 };
                load.add_stiffness(turn, h, tangent, out);
            }
        });
        if self.pair.patch.is_none() {
            load.normal = x[0];
        }
        load.add_stiffness(turn, self.shares[0] * h, &tangent, out);
        tangent
    }
}

/// (n, r × n) for B, its negative for A.
fn write_normal(side: usize, point: &PointGeometry, row: &mut [f64]) {
    write_row(row, &(point.normal * sign(side)), &(point.arms[side].cross(&point.normal) * sign(side)));
}

/// Turns the force direction of a normal row into ∂(gap/h)/∂v: the gap moves with the pose (left Jacobian).
fn turn_normal(turn: &Matrix3<f64>, row: &mut [f64]) {
    let angular = Vector3::from_column_slice(&row[3..6]);
    row[3..6].copy_from_slice(turn.tr_mul(&angular).as_slice());
}

/// The friction wrench of a pair: directions e_t t, e_o o and e_r n at the equivalent contact point.
#[derive(Clone, Copy)]
struct Wrench {
    point: PointGeometry,
    /// Tangents scaled by e_t, e_o.
    tangents: [Vector3<f64>; 2],
    torsional: f64,
    n_friction: usize,
}

impl Wrench {
    /// The wrench of a pair as last evaluated.
    pub fn new(pair: &Pair) -> Self {
        let g = &pair.geometry;
        let [e_t, e_o] = pair.friction.tangential;
        Self {
            point: g.point(),
            tangents: [g.tangent_t * e_t, g.tangent_o * e_o],
            torsional: pair.friction.torsional,
            n_friction: pair.n_friction(),
        }
    }

    /// The wrench with its geometry blended from `start` (share 0) to its own (share 1), tangents carried along.
    fn blended(&self, start: &PointGeometry, share: f64) -> Self {
        let end = &self.point;
        let blend = |from: &Vector3<f64>, to: &Vector3<f64>| from * (1.0 - share) + to * share;
        let normal = blend(&start.normal, &end.normal).try_normalize(1e-6).unwrap_or(end.normal);
        let arms = [0, 1].map(|k| blend(&start.arms[k], &end.arms[k]));
        let tangents = self.tangents.map(|t| carried(&t, &end.normal, &normal));
        Self { point: PointGeometry { normal, arms }, tangents, ..*self }
    }

    /// Tangents turned so that slip is read as it was an angle earlier.
    fn turned_back(&self, angle: f64) -> Self {
        let (sine, cosine) = angle.sin_cos();
        let [t, o] = self.tangents;
        Self { tangents: [t * cosine + o * sine, o * cosine - t * sine], ..*self }
    }

    /// (e_t v_t, e_o v_o, e_r ω_n).
    pub fn write_slip(&self, motion: &[Velocity; 2], out: &mut [f64]) {
        let u = relative_velocity(motion, &self.point.arms);
        for (t, out) in self.tangents.iter().zip(out.iter_mut()).take(self.n_friction) {
            *out = t.dot(&u);
        }
        if self.n_friction == 3 {
            out[2] = self.torsional * self.point.normal.dot(&(motion[1].angular - motion[0].angular));
        }
    }

    /// Force directions on one side.
    pub fn write_jacobian(&self, side: usize, out: &mut [f64]) {
        let sign = sign(side);
        for (row, d) in out.chunks_exact_mut(BLOCK).zip(&self.tangents).take(self.n_friction) {
            write_row(row, &(d * sign), &(self.point.arms[side].cross(d) * sign));
        }
        if self.n_friction == 3 {
            let normal = self.point.normal * (sign * self.torsional);
            write_row(&mut out[2 * BLOCK..], &Vector3::zeros(), &normal);
        }
    }

    /// The tangential rows at an atom less those at the equivalent contact point: S of the core problem.
    pub fn write_shift(&self, side: usize, atom: &PointGeometry, out: &mut [f64]) {
        let arm = (atom.arms[side] - self.point.arms[side]) * sign(side);
        for (row, d) in out.chunks_exact_mut(BLOCK).zip(&self.tangents).take(self.n_friction) {
            write_row(row, &Vector3::zeros(), &arm.cross(d));
        }
    }

    /// Slip at an atom in excess of that at the equivalent contact point.
    pub fn write_shift_slip(&self, motion: &[Velocity; 2], atom: &PointGeometry, out: &mut [f64]) {
        let lever = [0, 1].map(|side| motion[side].angular.cross(&(atom.arms[side] - self.point.arms[side])));
        for (t, out) in self.tangents.iter().zip(out.iter_mut()).take(self.n_friction) {
            *out = t.dot(&(lever[1] - lever[0]));
        }
    }

    /// Adds what frame and arms do to the slip as the pose moves:
    /// δ(t·u) = −(n·u)(t·δn) + (t × ω_b)·δr_b − (t × ω_a)·δr_a, δ(e_r ω_n) = e_r (ω_b − ω_a)·δn.
    pub fn add_response(
        &self,
        side: usize,
        motion: &[Velocity; 2],
        h: f64,
        turn: &Matrix3<f64>,
        tangent: &PairTangent<f64>,
        out: &mut [f64],
    ) {
        let approach = self.point.normal.dot(&relative_velocity(motion, &self.point.arms));
        for (i, row) in out.chunks_exact_mut(BLOCK).enumerate().take(self.n_friction) {
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
            for j in 0..3 {
                row[j] += linear[j];
                row[3 + j] += angular[j];
            }
        }
    }

    /// What friction impulses x push with: a force in the contact plane and a torque about the normal.
    pub fn load(&self, x: &[f64]) -> PointLoad {
        let mut friction = Vector3::zeros();
        for (t, x) in self.tangents.iter().zip(x).take(self.n_friction) {
            friction += t * *x;
        }
        let torsion = if self.n_friction == 3 { self.torsional * x[2] } else { 0.0 };
        PointLoad { point: self.point, normal: 0.0, friction, torsion }
    }
}

/// Impulses at one contact point, at fixed magnitudes.
#[derive(Debug, Clone, Copy)]
struct PointLoad {
    /// Where, and the normal.
    pub point: PointGeometry,
    /// Along the normal (N s).
    pub normal: f64,
    /// In the contact plane (N s); it turns with the plane.
    pub friction: Vector3<f64>,
    /// About the normal (N m s).
    pub torsion: f64,
}

impl PointLoad {
    /// Adds K = ∂(W x)/∂v at fixed x to a (6k × 6k) row-major block over the pair's k moving bodies; `turn` is J_l of
    /// each side, None for fixed ones.
    pub fn add_stiffness(
        &self,
        turn: &[Option<&Matrix3<f64>>; 2],
        h: f64,
        tangent: &PairTangent<f64>,
        out: &mut [f64],
    ) {
        let width = BLOCK * turn.iter().flatten().count();
        let n = &self.point.normal;
        let turned = Matrix3::identity() * self.normal - n * self.friction.transpose();
        let fx = cross_matrix(&(n * self.normal + self.friction));
        let mut first_row = 0;
        for row_side in (0..2).filter(|s| turn[*s].is_some()) {
            let arm = cross_matrix(&self.point.arms[row_side]);
            let arm_slope = if row_side == 0 { &tangent.arm_a } else { &tangent.arm_b };
            let linear = tangent.normal.map(|d| turned * d);
            let angular =
                [0, 1, 2, 3].map(|i| arm * linear[i] - fx * arm_slope[i] + tangent.normal[i] * self.torsion);
            let scale = sign(row_side) * h;
            let mut first_column = 0;
            for (column_side, turn) in turn.iter().enumerate() {
                let Some(turn) = turn else { continue };
                for (half, block) in [&linear, &angular].into_iter().enumerate() {
                    let moved = block[2 * column_side] * scale;
                    let rotated = block[2 * column_side + 1] * *turn * scale;
                    for r in 0..3 {
                        let row = &mut out[(first_row + 3 * half + r) * width + first_column..][..BLOCK];
                        for c in 0..3 {
                            row[c] += moved[(r, c)];
                            row[3 + c] += rotated[(r, c)];
                        }
                    }
                }
                first_column += BLOCK;
            }
            first_row += BLOCK;
        }
    }
}

fn relative_velocity(motion: &[Velocity; 2], arms: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let at = |side: usize| motion[side].linear + motion[side].angular.cross(&arms[side]);
    at(1) - at(0)
}

fn write_row(row: &mut [f64], linear: &Vector3<f64>, angular: &Vector3<f64>) {
    row[..3].copy_from_slice(linear.as_slice());
    row[3..6].copy_from_slice(angular.as_slice());
}
