//! Derivatives of the rows of a pair with geometry that no step changes: single normal rows with the poses,
//! and all rows with the sizes of the bodies (theory §17.6, §17.7).

use super::{PairMotion, PairRows, motion_of};
use crate::contact::Placed;
use crate::contact::growth::growths;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Velocity;
use signorini_kernels::pair_tangent::PairTangent;
use signorini_kernels::wrench::{PointLoad, WrenchPoint, sign};
use signorini_ncp::linalg::BLOCK;

/// Velocities of both bodies of a pair, in the order of a row.
pub type Both = [[f64; BLOCK]; 2];
/// Entries of both bodies, and of a block over both, also over one that forces do not move.
const BOTH: usize = 2 * BLOCK;
const BOTH_LEN: usize = BOTH * BOTH;
/// Sizes of both bodies.
const SIZES: usize = BLOCK;

/// Derivatives of a pair with the sizes of both bodies: three of A, three of B.
#[derive(Debug, Clone)]
pub struct SizeSlopes {
    /// Of Jᵀ x at fixed impulses: a row for each of both bodies' six entries.
    pub force: [[f64; SIZES]; BOTH],
    /// Of y per row of the cone.
    pub rows: Vec<[f64; SIZES]>,
}

/// Derivatives of a pair with the end poses of both bodies, displaced by h times a velocity, whether forces
/// move them or not.
#[derive(Debug, Clone)]
pub struct PoseSlopes {
    /// Of Jᵀ x at fixed impulses: a block over both bodies.
    pub force: Vec<f64>,
    /// Of y at each side, where a velocity comes with the displacement; and J.
    pub response: [Vec<f64>; 2],
    pub jacobian: [Vec<f64>; 2],
}

/// The columns of sizes in a row of a block over both bodies.
fn sizes_of(row: &[f64]) -> [f64; SIZES] {
    [row[0], row[1], row[2], row[BLOCK], row[BLOCK + 1], row[BLOCK + 2]]
}

impl SizeSlopes {
    /// Of forces, from a block over both bodies with sizes in the places of positions; rows are 0.
    pub fn of_force(block: &[f64], n_rows: usize) -> Self {
        let mut force = [[0.0; SIZES]; BOTH];
        force.iter_mut().zip(block.chunks_exact(BOTH)).for_each(|(to, row)| *to = sizes_of(row));
        Self { force, rows: vec![[0.0; SIZES]; n_rows] }
    }

    /// Sets rows from `first` on by the sizes of a side, from rows with these in the places of the position.
    pub fn set_rows(&mut self, side: usize, first: usize, rows: &[f64]) {
        for (to, row) in self.rows[first..].iter_mut().zip(rows.chunks_exact(BLOCK)) {
            to[3 * side..][..3].copy_from_slice(&row[..3]);
        }
    }

    /// Adds the forces of a load, whose geometry grows so.
    fn add_load(&mut self, load: &PointLoad<f64>, growth: &PairTangent<f64>) {
        let linear = load.force_slopes(growth);
        for side in 0..2 {
            let angular = load.torque_slopes(side, growth, &linear);
            let scale = sign::<f64>(side);
            for (half, blocks) in [&linear, &angular].into_iter().enumerate() {
                for (r, row) in self.force[BLOCK * side + 3 * half..][..3].iter_mut().enumerate() {
                    for c in 0..3 {
                        row[c] += scale * blocks[0][(r, c)];
                        row[3 + c] += scale * blocks[2][(r, c)];
                    }
                }
            }
        }
    }

    /// Leaves the sizes of a side out.
    pub fn clear(&mut self, side: usize) {
        let rows = self.force.iter_mut().chain(&mut self.rows);
        rows.for_each(|row| row[3 * side..][..3].fill(0.0));
    }
}

impl PairRows<'_> {
    /// Derivatives with both poses at impulses x of the law's rows.
    pub fn pose_slopes(
        &self,
        sides: [&Placed<'_>; 2],
        (velocity, time_step): ([Velocity; 2], f64),
        x: &[f64],
    ) -> PoseSlopes {
        let (one, mut force) = (Matrix3::identity(), vec![0.0; BOTH_LEN]);
        let motion = PairMotion { velocity, time_step, turn: [Some(&one); 2] };
        let tangent = self.add_stiffness(sides, &motion, x, Some(&mut force));
        let [mut response, mut jacobian] = [(); 2].map(|()| [(); 2].map(|()| self.no_rows()));
        for side in 0..2 {
            self.write_jacobian(side, &mut jacobian[side]);
            self.write_response(side, &jacobian[side], &motion, Some(&tangent), &mut response[side]);
        }
        PoseSlopes { force, response, jacobian }
    }

    fn no_rows(&self) -> Vec<f64> {
        vec![0.0; BLOCK * self.cone.n_rows()]
    }

    /// Rate of normal row k at fixed geometry.
    pub fn normal_speed(&self, k: usize, velocities: &Both) -> f64 {
        let of_side = |side: usize| {
            let mut rows = vec![0.0; BLOCK * self.cone.n_normal];
            self.write_normals(side, self.fractions[0], &mut rows);
            let row = &rows[BLOCK * k..][..BLOCK];
            row.iter().zip(&velocities[side]).map(|(j, v)| j * v).sum::<f64>()
        };
        of_side(0) + of_side(1)
    }

    /// Tells `of_point` for each loaded contact point ∂(Jᵀ e)/∂v at a unit impulse, a block over both bodies.
    pub fn normal_slopes(
        &self,
        [a, b]: [&Placed<'_>; 2],
        (time_step, turns): (f64, [&Matrix3<f64>; 2]),
        x: &[f64],
        of_point: &mut dyn FnMut(usize, &[f64]),
    ) {
        let unit = |k: usize, tangent: &PairTangent<f64>, of_point: &mut dyn FnMut(usize, &[f64])| {
            let mut block = [0.0; BOTH_LEN];
            self.unit_load(k).add_stiffness(&turns.map(Some), time_step, tangent, &mut block);
            of_point(k, &block);
        };
        let own = self.pair.tangent(a, b, &x[..self.cone.n_normal], &mut |k, tangent| {
            unit(k, tangent, of_point);
        });
        if self.pair.manifold.is_none() {
            unit(0, &own, of_point);
        }
    }

    /// A unit impulse at a contact point.
    fn unit_load(&self, k: usize) -> PointLoad<f64> {
        let point = self.normal_point(k);
        PointLoad { point, normal: 1.0, friction: Vector3::zeros(), torsion: 0.0 }
    }

    fn normal_point(&self, k: usize) -> WrenchPoint<f64> {
        self.points().get(k).map_or(self.wrench.point, |point| self.place(point, self.fractions[0]))
    }

    /// Derivatives with the sizes of both bodies, at impulses x of the law's rows. A normal row is gap/h, or
    /// J w with the velocities w that `along` gives it.
    pub fn size_slopes(
        &self,
        [a, b]: [&Placed<'_>; 2],
        motion: &PairMotion<'_>,
        x: &[f64],
        along: &dyn Fn(usize) -> Option<Both>,
    ) -> SizeSlopes {
        let (n, one) = (self.cone.n_normal, Matrix3::identity());
        let none = || SizeSlopes { force: [[0.0; SIZES]; BOTH], rows: Vec::new() };
        let mut rows = vec![[0.0; SIZES]; self.cone.n_rows()];
        let mut row_of = |k: usize, growth: &PairTangent<f64>| {
            let Some(along) = along(k) else {
                rows[k] = self.gap_slopes(k, [a, b], motion.time_step);
                return;
            };
            let mut unit = none();
            unit.add_load(&self.unit_load(k), growth);
            for (row, v) in unit.force.iter().zip(along.iter().flatten()) {
                rows[k].iter_mut().zip(row).for_each(|(sum, slope)| *sum += v * slope);
            }
        };
        let mut slopes = none();
        let growth = self.pair.growth(a, b, &x[..n], &mut |k, growth| {
            slopes.add_load(&PointLoad { normal: x[k], ..self.unit_load(k) }, growth);
            row_of(k, growth);
        });
        let mut load = self.wrench.load(&x[n..]);
        if self.pair.manifold.is_none() {
            load.normal = x[0];
            row_of(0, &growth);
        }
        slopes.add_load(&load, &growth);
        slopes.rows = rows;
        for side in 0..2 {
            let mut slip = vec![0.0; BLOCK * self.cone.n_friction];
            self.slip.add_response(side, &motion_of(&motion.velocity), 1.0, &one, &growth, &mut slip);
            slopes.set_rows(side, n, &slip);
        }
        slopes
    }

    /// Of the gap over h: n·∂x_B − n·∂x_A.
    fn gap_slopes(&self, k: usize, sides: [&Placed<'_>; 2], time_step: f64) -> [f64; SIZES] {
        let g = &self.pair.geometry;
        let own = (g.normal, g.arm_a, g.arm_b);
        let (n, arm_a, arm_b) = self
            .points()
            .get(k)
            .map_or(own, |point| (point.geometry.normal, point.geometry.arm_a, point.geometry.arm_b));
        let [of_a, of_b] = growths(sides, &n, [&arm_a, &arm_b]).map(|growth| growth.tr_mul(&n) / time_step);
        [-of_a.x, -of_a.y, -of_a.z, of_b.x, of_b.y, of_b.z]
    }
}
