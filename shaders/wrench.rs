//! Rows of one contact point and their derivatives with the end pose: a normal row, and one friction wrench
//! at the contact point (theory (2.6) and §3.8). Six numbers per row and body: linear, then angular.

use super::constants::BLOCK;
use super::pair_tangent::{PairTangent, cross};
use super::smooth_pair::carried;
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// Place where two bodies touch: unit normal from A into B, arms from the centres of mass of A and B.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
#[serde(bound(
    serialize = "T: Real + serde::Serialize",
    deserialize = "T: Real + serde::de::DeserializeOwned"
))]
pub struct WrenchPoint<T: Real> {
    /// n.
    pub normal: Vector3<T>,
    /// r_a, r_b (m).
    pub arms: [Vector3<T>; 2],
}

impl<T: Real> Default for WrenchPoint<T> {
    fn default() -> Self {
        Self { normal: Vector3::zeros(), arms: [Vector3::zeros(); 2] }
    }
}

impl<T: Real> WrenchPoint<T> {
    /// The point between `start` (at `fraction` = 0) and this one (at `fraction` = 1).
    pub fn blended(&self, start: &Self, fraction: T) -> Self {
        let blend = |from: &Vector3<T>, to: &Vector3<T>| from * (T::one() - fraction) + to * fraction;
        let normal = blend(&start.normal, &self.normal).try_normalize(T::of(1e-6)).unwrap_or(self.normal);
        Self { normal, arms: [0, 1].map(|k| blend(&start.arms[k], &self.arms[k])) }
    }
}

/// Velocities of a body.
#[derive(Debug, Clone, Copy)]
pub struct Motion<T: Real> {
    /// Of the centre of mass (m/s).
    pub linear: Vector3<T>,
    /// Angular velocity (rad/s).
    pub angular: Vector3<T>,
}

/// −1 for body A, 1 for body B.
pub fn sign<T: Real>(side: usize) -> T {
    if side == 0 { -T::one() } else { T::one() }
}

/// (n, r × n) for B, its negative for A.
pub fn write_normal<T: Real>(side: usize, point: &WrenchPoint<T>, row: &mut [T]) {
    write_row(
        row,
        &(point.normal * sign::<T>(side)),
        &(point.arms[side].cross(&point.normal) * sign::<T>(side)),
    );
}

/// Turns the force direction of a normal row into ∂(gap/h)/∂v: the gap moves with the pose (left Jacobian).
pub fn turn_normal<T: Real>(turn: &Matrix3<T>, row: &mut [T]) {
    let angular = Vector3::from_column_slice(&row[3..6]);
    row[3..6].copy_from_slice(turn.tr_mul(&angular).as_slice());
}

/// Turns slip, or rows of it, each `width` numbers: `turn` is a rotation of (e_t v_t, e_o v_o, e_r ω_n).
pub fn turn_slip<T: Real>(turn: &Matrix3<T>, n_friction: usize, width: usize, rows: &mut [T]) {
    for j in 0..width {
        let mut before = [T::zero(); 3];
        for (k, b) in before.iter_mut().enumerate().take(n_friction) {
            *b = rows[k * width + j];
        }
        for k in 0..n_friction {
            rows[k * width + j] =
                (0..n_friction).map(|i| turn[(k, i)] * before[i]).fold(T::zero(), |a, b| a + b);
        }
    }
}

/// The friction wrench of a pair: directions e_t t, e_o o and e_r n at the equivalent contact point.
#[derive(Debug, Clone, Copy)]
pub struct Wrench<T: Real> {
    /// The point at which it acts.
    pub point: WrenchPoint<T>,
    /// Tangents scaled by e_t, e_o.
    pub tangents: [Vector3<T>; 2],
    /// e_r (m).
    pub torsional: T,
    /// 0, 2 or 3.
    pub n_friction: usize,
}

impl<T: Real> Wrench<T> {
    /// The wrench with its geometry blended from `start` (at `fraction` = 0) to its own (at `fraction` = 1),
    /// tangents carried along.
    pub fn blended(&self, start: &WrenchPoint<T>, fraction: T) -> Self {
        let point = self.point.blended(start, fraction);
        let tangents = self.tangents.map(|t| carried(&t, &self.point.normal, &point.normal));
        Self { point, tangents, ..*self }
    }

    /// (e_t v_t, e_o v_o, e_r ω_n).
    pub fn write_slip(&self, motion: &[Motion<T>; 2], out: &mut [T]) {
        let u = relative_velocity(motion, &self.point.arms);
        for (t, out) in self.tangents.iter().zip(out.iter_mut()).take(self.n_friction) {
            *out = t.dot(&u);
        }
        if self.n_friction == 3 {
            out[2] = self.torsional * self.point.normal.dot(&(motion[1].angular - motion[0].angular));
        }
    }

    /// Force directions on one side.
    pub fn write_jacobian(&self, side: usize, out: &mut [T]) {
        let sign = sign::<T>(side);
        for (row, d) in out.chunks_exact_mut(BLOCK).zip(&self.tangents).take(self.n_friction) {
            write_row(row, &(d * sign), &(self.point.arms[side].cross(d) * sign));
        }
        if self.n_friction == 3 {
            let normal = self.point.normal * (sign * self.torsional);
            write_row(&mut out[2 * BLOCK..], &Vector3::zeros(), &normal);
        }
    }

    /// The tangential rows at a contact point less those at the equivalent contact point: S of the core
    /// problem.
    pub fn write_shift(&self, side: usize, point: &WrenchPoint<T>, out: &mut [T]) {
        let arm = (point.arms[side] - self.point.arms[side]) * sign::<T>(side);
        for (row, d) in out.chunks_exact_mut(BLOCK).zip(&self.tangents).take(self.n_friction) {
            write_row(row, &Vector3::zeros(), &arm.cross(d));
        }
    }

    /// Slip at a contact point in excess of that at the equivalent contact point.
    pub fn write_shift_slip(&self, motion: &[Motion<T>; 2], point: &WrenchPoint<T>, out: &mut [T]) {
        let of = |side: usize| motion[side].angular.cross(&(point.arms[side] - self.point.arms[side]));
        let lever = [of(0), of(1)];
        for (t, out) in self.tangents.iter().zip(out.iter_mut()).take(self.n_friction) {
            *out = t.dot(&(lever[1] - lever[0]));
        }
    }

    /// Adds the change of the slip by frame and arms as the pose moves:
    /// δ(t·u) = −(n·u)(t·δn) + (t × ω_b)·δr_b − (t × ω_a)·δr_a, δ(e_r ω_n) = e_r (ω_b − ω_a)·δn.
    pub fn add_response(
        &self,
        side: usize,
        motion: &[Motion<T>; 2],
        h: T,
        turn: &Matrix3<T>,
        tangent: &PairTangent<T>,
        out: &mut [T],
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

    /// Load of friction impulses x: a force in the contact plane and a torque about the normal.
    pub fn load(&self, x: &[T]) -> PointLoad<T> {
        let mut friction = Vector3::zeros();
        for (t, x) in self.tangents.iter().zip(x).take(self.n_friction) {
            friction += t * *x;
        }
        let torsion = if self.n_friction == 3 { self.torsional * x[2] } else { T::zero() };
        PointLoad { point: self.point, normal: T::zero(), friction, torsion }
    }
}

/// Impulses at one contact point, at fixed magnitudes.
#[derive(Debug, Clone, Copy)]
pub struct PointLoad<T: Real> {
    /// The point, and the normal.
    pub point: WrenchPoint<T>,
    /// Along the normal (N s).
    pub normal: T,
    /// In the contact plane (N s); it turns with the plane.
    pub friction: Vector3<T>,
    /// About the normal (N m s).
    pub torsion: T,
}

impl<T: Real> PointLoad<T> {
    /// Derivative of the force on B with the poses (c_a, θ_a, c_b, θ_b); that on A changes by the opposite.
    pub fn force_slopes(&self, tangent: &PairTangent<T>) -> [Matrix3<T>; 4] {
        let n = &self.point.normal;
        let turned = Matrix3::identity() * self.normal - n * self.friction.transpose();
        let [to_a, turn_a, to_b, turn_b] = &tangent.normal;
        [product(&turned, to_a), product(&turned, turn_a), product(&turned, to_b), product(&turned, turn_b)]
    }

    /// Derivative of the torque of the force of B, about the centre of mass of a side.
    pub fn torque_slopes(
        &self,
        side: usize,
        tangent: &PairTangent<T>,
        force: &[Matrix3<T>; 4],
    ) -> [Matrix3<T>; 4] {
        let push = cross(&(self.point.normal * self.normal + self.friction));
        let arm = cross(&self.point.arms[side]);
        let arm_slope = if side == 0 { &tangent.arm_a } else { &tangent.arm_b };
        let of = |i: usize| {
            product(&arm, &force[i]) - product(&push, &arm_slope[i]) + tangent.normal[i] * self.torsion
        };
        [of(0), of(1), of(2), of(3)]
    }

    /// Adds K = ∂(W x)/∂v at fixed x to a (6k × 6k) row-major block over the pair's k moving bodies; `turn`
    /// is J_l of each side, None for fixed ones.
    pub fn add_stiffness(
        &self,
        turn: &[Option<&Matrix3<T>>; 2],
        h: T,
        tangent: &PairTangent<T>,
        out: &mut [T],
    ) {
        let width = BLOCK * turn.iter().flatten().count();
        let linear = self.force_slopes(tangent);
        let mut first_row = 0;
        for row_side in (0..2).filter(|s| turn[*s].is_some()) {
            let angular = self.torque_slopes(row_side, tangent, &linear);
            let scale = sign::<T>(row_side) * h;
            let mut first_column = 0;
            for (column_side, turn) in turn.iter().enumerate() {
                let Some(turn) = turn else { continue };
                for (half, block) in [&linear, &angular].into_iter().enumerate() {
                    let [of_place, of_turn] = [&block[2 * column_side], &block[2 * column_side + 1]];
                    if is_zero(of_place) && is_zero(of_turn) {
                        continue;
                    }
                    let moved = of_place * scale;
                    let rotated = of_turn * *turn * scale;
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

/// A product whose second factor is often zero: half of the blocks of a contact point on a face are.
fn product<T: Real>(factor: &Matrix3<T>, block: &Matrix3<T>) -> Matrix3<T> {
    if is_zero(block) { Matrix3::zeros() } else { factor * block }
}

fn is_zero<T: Real>(block: &Matrix3<T>) -> bool {
    block.iter().all(|x| x.is_zero())
}

fn relative_velocity<T: Real>(motion: &[Motion<T>; 2], arms: &[Vector3<T>; 2]) -> Vector3<T> {
    let at = |side: usize| motion[side].linear + motion[side].angular.cross(&arms[side]);
    at(1) - at(0)
}

fn write_row<T: Real>(row: &mut [T], linear: &Vector3<T>, angular: &Vector3<T>) {
    row[..3].copy_from_slice(linear.as_slice());
    row[3..6].copy_from_slice(angular.as_slice());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flat_point::{face_point, face_point_tangent};
    use nalgebra::SMatrix;

    /// Blocks that are zero are passed over: they would add nothing.
    #[test]
    fn zero_blocks_add_nothing_to_the_stiffness() {
        let (normal, offset) = (Vector3::new(0.6, 0.0, 0.8), Vector3::new(0.11, 0.08, 0.3));
        let arms = [Vector3::new(0.1, 0.02, 0.2), Vector3::new(-0.1, 0.05, -0.2)];
        let at = face_point(&normal, &arms[0], &offset, &arms[1]);
        let tangent = face_point_tangent(&at);
        let point = WrenchPoint { normal: at.normal, arms: [at.arm_a, at.arm_b] };
        let friction = Vector3::new(0.3, 0.2, -0.225);
        let load = PointLoad { point, normal: 1.7, friction, torsion: 0.1 };
        let turns = [Matrix3::new(1.0, 0.1, 0.0, -0.1, 1.0, 0.2, 0.0, -0.2, 1.0), Matrix3::identity() * 1.1];
        let h = 0.01;
        let mut found = vec![0.0; 144];
        load.add_stiffness(&[Some(&turns[0]), Some(&turns[1])], h, &tangent, &mut found);
        let force = Matrix3::identity() * load.normal - normal * friction.transpose();
        let push = cross(&(normal * load.normal + friction));
        let mut expected = SMatrix::<f64, 12, 12>::zeros();
        for (i, turn) in [None, Some(&turns[0]), None, Some(&turns[1])].into_iter().enumerate() {
            let linear = force * tangent.normal[i];
            for side in 0..2 {
                let slopes = [&tangent.arm_a, &tangent.arm_b][side];
                let arm = cross(&point.arms[side]);
                let angular = arm * linear - push * slopes[i] + tangent.normal[i] * load.torsion;
                for (half, block) in [linear, angular].into_iter().enumerate() {
                    let block = turn.map_or(block, |turn| block * turn) * (sign::<f64>(side) * h);
                    expected.fixed_view_mut::<3, 3>(6 * side + 3 * half, 3 * i).copy_from(&block);
                }
            }
        }
        let found = SMatrix::<f64, 12, 12>::from_row_slice(&found);
        assert_eq!(found, expected);
        assert!(expected.iter().filter(|x| **x != 0.0).count() > 40);
    }
}
