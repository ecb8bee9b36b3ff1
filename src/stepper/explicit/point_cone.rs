//! Contact points of a pair at the start of the step.

use crate::contact::Pair;
use crate::stepper::parameters::MIN_TANGENT;
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::smooth_pair::tangents;
use signorini_ncp::linalg::BLOCK;
use signorini_scene::scene::Torsion;

/// A contact point of a pair at the start of the step: the only one of a smooth pair, or a contact point of a
/// flat one. Each has a cone of its own, as in the models' sources.
#[derive(Debug, Clone, Copy)]
pub struct PointCone {
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Arms from the centres of mass of A and B to the contact point (m).
    pub arms: [Vector3<f64>; 2],
    /// Signed distance of the surfaces (m).
    pub gap: f64,
}

impl PointCone {
    /// The points of a pair.
    pub fn of(pair: &Pair) -> impl Iterator<Item = PointCone> + '_ {
        let g = &pair.geometry;
        let smooth = Self { normal: g.normal, arms: [g.arm_a, g.arm_b], gap: g.gap };
        let points = pair.manifold.iter().flat_map(|p| p.points.iter().filter(|p| p.exerts())).map(|point| {
            let g = &point.geometry;
            Self { normal: g.normal, arms: [g.arm_a, g.arm_b], gap: g.gap }
        });
        (pair.manifold.is_none() && !pair.is_hidden).then_some(smooth).into_iter().chain(points)
    }

    /// Number of friction rows of each point. Points of a manifold with torsion `"patch"` have friction of
    /// their own, whose moment is the torsion of the manifold.
    pub fn n_friction(pair: &Pair) -> usize {
        match pair.friction.torsional {
            Torsion::Patch => pair.n_friction().min(2),
            Torsion::Radius(_) => pair.n_friction(),
        }
    }

    /// Tangents of this point scaled by e_t, e_o: those of the pair, projected on the plane of the point.
    pub fn tangents(&self, pair: &Pair) -> [Vector3<f64>; 2] {
        if pair.blends_to_isotropic {
            return pair.scaled_tangents.map(|t| t - self.normal * self.normal.dot(&t));
        }
        let [e_t, e_o] = pair.friction.tangential;
        let along = pair.geometry.tangent_t;
        let t = (along - self.normal * self.normal.dot(&along)).try_normalize(MIN_TANGENT);
        let t = t.unwrap_or_else(|| tangents(&self.normal).0);
        [t * e_t, self.normal.cross(&t) * e_o]
    }

    /// Adds J v of one side to the slip `out`.
    pub fn add_rate(&self, pair: &Pair, side: usize, v: &Velocity, out: &mut [f64]) {
        let mut rows = [0.0; 4 * BLOCK];
        self.write_jacobian(pair, side, &mut rows);
        for (y, row) in out.iter_mut().zip(rows.chunks_exact(BLOCK)) {
            *y += v.linear.iter().chain(v.angular.iter()).zip(row).map(|(v, a)| v * a).sum::<f64>();
        }
    }

    /// Adds the velocity of a surface that runs over the body of one side to the slip; the gap row stays.
    pub fn add_passing(&self, pair: &Pair, side: usize, surface: &Velocity, out: &mut [f64]) {
        let gap = out[0];
        self.add_rate(pair, side, surface, out);
        // A running surface opens and closes no gap.
        out[0] = gap;
    }

    /// Writes the rows of one side: n, e_t t, e_o o, e_r n.
    pub fn write_jacobian(&self, pair: &Pair, side: usize, out: &mut [f64]) {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let [t, o] = self.tangents(pair);
        let torsion = self.normal * pair.friction.torsional.of_point();
        let (zero, arm) = (Vector3::zeros(), self.arms[side]);
        let rows = [self.normal, t, o].map(|d| (d, arm.cross(&d))).into_iter().chain([(zero, torsion)]);
        for (row, (linear, angular)) in out.chunks_exact_mut(BLOCK).zip(rows) {
            row[..3].copy_from_slice((linear * sign).as_slice());
            row[3..].copy_from_slice((angular * sign).as_slice());
        }
    }
}
