//! The rows of one pair in the step problem and their derivatives with the end pose: normal rows of the atoms, one
//! friction wrench at the equivalent contact point, and the shift rows that move it (MODEL sections 2 and 3).

use crate::contact::pair::PointGeometry;
use crate::contact::{Pair, Placed};
use crate::geometry::Velocity;
use crate::kernels::pair_tangent::PairTangent;
use crate::kernels::wrench::{Motion, PointLoad, Wrench, turn_normal, write_normal};
use crate::linalg::BLOCK;
use crate::problem::Cone;
use nalgebra::{Matrix3, Vector3};

/// All rows of a pair as last evaluated, in the order of its cone.
pub struct PairRows<'a> {
    pair: &'a Pair,
    cone: Cone,
    /// Where impulses act.
    wrench: Wrench<f64>,
    /// Where slip is measured.
    slip: Wrench<f64>,
    /// How much of the end geometry is in `wrench`, and in `slip`.
    shares: [f64; 2],
}

impl<'a> PairRows<'a> {
    /// The rows of a pair with their places.
    pub fn new(pair: &'a Pair, cone: Cone) -> Self {
        let at_end = wrench(pair);
        let Some(stagger) = pair.stagger.filter(|s| s.theta < 1.0) else {
            return Self { pair, cone, slip: at_end, wrench: at_end, shares: [1.0; 2] };
        };
        let shares = [stagger.theta, 0.5 * (1.0 + stagger.theta)];
        let [wrench, slip] = shares.map(|share| at_end.blended(&stagger.start, share));
        // Forces act half a step before the middle of the step: sliding that turns had another direction then.
        let slip = slip.turned_back(0.5 * stagger.slip_turn_used);
        Self { pair, cone, wrench, slip, shares }
    }

    /// Tangents that friction acts along, scaled by e_t and e_o.
    pub fn force_tangents(&self) -> [Vector3<f64>; 2] {
        self.wrench.tangents
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
        let motion = &motion_of(motion);
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
            self.slip.add_response(
                side,
                &motion_of(motion),
                self.shares[1] * h,
                turn,
                tangent,
                &mut out[friction],
            );
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

fn wrench(pair: &Pair) -> Wrench<f64> {
    let g = &pair.geometry;
    let [e_t, e_o] = pair.friction.tangential;
    Wrench {
        point: g.point(),
        tangents: [g.tangent_t * e_t, g.tangent_o * e_o],
        torsional: pair.friction.torsional,
        n_friction: pair.n_friction(),
    }
}

fn motion_of(velocity: &[Velocity; 2]) -> [Motion<f64>; 2] {
    velocity.map(|v| Motion { linear: v.linear, angular: v.angular })
}
