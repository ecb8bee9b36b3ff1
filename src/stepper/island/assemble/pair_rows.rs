//! The rows of one pair in the step problem and their derivatives with the end pose: normal rows of the
//! contact points, one friction wrench at the equivalent contact point, and the shift rows that move it
//! (theory (2.6) and §3.8).

mod slopes;

pub use slopes::{Both, PoseSlopes, SizeSlopes};

use crate::contact::pair::stagger::Stagger;
use crate::contact::{ContactPoint, Pair, Placed};
use crate::stepper::parameters::MIN_TANGENT;
use nalgebra::{Matrix3, Rotation3, Vector3};
use signorini_geometry::Velocity;
use signorini_kernels::pair_tangent::PairTangent;
use signorini_kernels::wrench::WrenchPoint;
use signorini_kernels::wrench::{Motion, PointLoad, Wrench, turn_normal, turn_slip, write_normal};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Cone;

/// Motion of the bodies of a pair in a step.
pub struct PairMotion<'a> {
    /// Velocities of the surfaces of both bodies.
    pub velocity: [Velocity; 2],
    /// Time step h (s).
    pub time_step: f64,
    /// J_l(h ω) of each body; None when forces do not move it.
    pub turn: [Option<&'a Matrix3<f64>>; 2],
}

/// All rows of a pair as last evaluated, in the order of its cone.
pub struct PairRows<'a> {
    pair: &'a Pair,
    cone: Cone,
    /// Wrench through which impulses act.
    wrench: Wrench<f64>,
    /// Wrench along which slip is measured.
    slip: Wrench<f64>,
    /// Fraction of the end geometry in `wrench`, and in `slip`.
    fractions: [f64; 2],
    /// Rotation by which slip is turned back.
    turn: Option<Matrix3<f64>>,
}

impl<'a> PairRows<'a> {
    /// Makes the rows of a pair from its geometry.
    pub fn new(pair: &'a Pair, cone: Cone) -> Self {
        let at_end = wrench(pair);
        let Some(stagger) = pair.stagger.as_ref().filter(|s| s.theta < 1.0) else {
            return Self { pair, cone, slip: at_end, wrench: at_end, fractions: [1.0; 2], turn: None };
        };
        let fractions = [stagger.theta, 0.5 * (1.0 + stagger.theta)];
        let [wrench, slip] = fractions.map(|fraction| blended(pair, stagger, fraction));
        // Forces act half a step before the middle of the step: a slip that turns had another direction at
        // that time.
        let turns = stagger.slip_turn_used != Vector3::zeros();
        let back = || Rotation3::from_scaled_axis(stagger.slip_turn_used * -0.5).into_inner();
        Self { pair, cone, wrench, slip, fractions, turn: turns.then(back) }
    }

    /// Tangents that friction acts along, scaled by e_t and e_o.
    pub fn force_tangents(&self) -> [Vector3<f64>; 2] {
        self.wrench.tangents
    }

    /// Turns a vector of the contact's frame, in which slip is (e_t v_t, e_o v_o, e_r ω_n), into world axes
    /// (see [`super::Acting`]).
    pub fn to_world(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let Wrench { point, tangents: [t, _], .. } = self.slip;
        let (n, t) = (point.normal, t.normalize());
        t * v.x + n.cross(&t) * v.y + n * v.z
    }

    /// Slip in the last step, in which the bodies moved with `before`, and in this one, in the contact's
    /// frame (m/s). The geometry of the middle of the last step is that of this one, extrapolated.
    pub fn slips(&self, before: &[Velocity; 2], now: &[Velocity; 2]) -> [Vector3<f64>; 2] {
        let earlier =
            self.pair.stagger.as_ref().map_or(self.slip, |s| blended(self.pair, s, self.fractions[1] - 1.0));
        [(&earlier, before), (&self.slip, now)].map(|(at, motion)| {
            let mut slip = Vector3::zeros();
            at.write_slip(&motion_of(motion), slip.as_mut_slice());
            slip
        })
    }

    /// Whether impulses act at the contact of the start, whatever the end pose; they have no stiffness then.
    pub fn acts_at_start(&self) -> bool {
        self.fractions[0] == 0.0
    }

    /// The contact points of a flat pair.
    fn points(&self) -> &'a [ContactPoint] {
        self.pair.manifold.as_ref().map_or(&[], |manifold| &manifold.points)
    }

    /// Position of a contact point, with this `fraction` of the end of the step. A point that is
    /// excluded has rows of zeros.
    fn place(&self, point: &ContactPoint, fraction: f64) -> WrenchPoint<f64> {
        if !point.exerts() {
            return self.nowhere();
        }
        self.moved(point.acting_point(), point.start, fraction)
    }

    /// Position of the single contact point of a smooth pair, with this `fraction` of the end of the
    /// step.
    fn own_place(&self, fraction: f64) -> WrenchPoint<f64> {
        if self.pair.is_hidden {
            return self.nowhere();
        }
        self.moved(self.pair.geometry.wrench_point(), self.pair.stagger.as_ref().map(|s| s.start), fraction)
    }

    fn nowhere(&self) -> WrenchPoint<f64> {
        WrenchPoint { arms: self.wrench.point.arms, ..WrenchPoint::default() }
    }

    fn moved(
        &self,
        end: WrenchPoint<f64>,
        start: Option<WrenchPoint<f64>>,
        fraction: f64,
    ) -> WrenchPoint<f64> {
        match start {
            Some(start) if self.fractions[1] < 1.0 => end.blended(&start, fraction),
            _ => end,
        }
    }

    /// Writes the gaps of the contact points over h, 0 for excluded points.
    fn write_gaps(&self, time_step: f64, out: &mut [f64]) {
        if self.pair.manifold.is_none() {
            out[0] = if self.pair.is_hidden { 0.0 } else { self.pair.geometry.gap / time_step };
        }
        for (point, y) in self.points().iter().zip(out.iter_mut()) {
            *y = if point.exerts() { point.geometry.gap / time_step } else { 0.0 };
        }
    }

    /// Writes y = (gap/h per contact point, e_t v_t, e_o v_o, e_r ω_n, S v); 0 for slots without a contact
    /// point.
    pub fn write_slip(&self, motion: &PairMotion<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.write_gaps(motion.time_step, out);
        self.write_friction_slip(&motion.velocity, &mut out[self.cone.n_normal..self.cone.n_law_rows()]);
        let motion = &motion_of(&motion.velocity);
        if self.cone.n_shift() > 0 {
            let shift = out[self.cone.n_law_rows()..].chunks_exact_mut(self.cone.n_tangential());
            for (point, y) in self.points().iter().zip(shift) {
                self.slip.write_shift_slip(motion, &self.place(point, self.fractions[1]), y);
            }
        }
    }

    /// Writes (e_t v_t, e_o v_o, e_r ω_n) alone, as many of them as the cone has.
    pub fn write_friction_slip(&self, velocity: &[Velocity; 2], friction: &mut [f64]) {
        self.slip.write_slip(&motion_of(velocity), friction);
        if let Some(stagger) = self.pair.stagger.as_ref().filter(|_| self.fractions[1] < 1.0) {
            friction.iter_mut().zip(&stagger.last_slip_used).for_each(|(y, last)| *y -= last);
        }
        if let Some(turn) = &self.turn {
            turn_slip(turn, self.cone.n_friction, 1, friction);
        }
    }

    /// Writes the force directions on one side.
    pub fn write_jacobian(&self, side: usize, out: &mut [f64]) {
        let (normal, rest) = out.split_at_mut(BLOCK * self.cone.n_normal);
        self.write_normals(side, self.fractions[0], normal);
        let (friction, shift) = rest.split_at_mut(BLOCK * self.cone.n_friction);
        self.wrench.write_jacobian(side, friction);
        self.write_shifts(side, &self.wrench, self.fractions[0], shift);
    }

    fn write_normals(&self, side: usize, fraction: f64, out: &mut [f64]) {
        if self.pair.manifold.is_none() {
            let end = self.pair.geometry.wrench_point();
            let point = if fraction < 1.0 { &self.wrench.point } else { &end };
            if self.pair.is_hidden {
                return out[..BLOCK].fill(0.0);
            }
            return write_normal(side, point, &mut out[..BLOCK]);
        }
        for (point, row) in self.points().iter().zip(out.chunks_exact_mut(BLOCK)) {
            write_normal(side, &self.place(point, fraction), row);
        }
    }

    fn write_shifts(&self, side: usize, at: &Wrench<f64>, fraction: f64, out: &mut [f64]) {
        if self.cone.n_shift() == 0 {
            return;
        }
        let rows = out.chunks_exact_mut(BLOCK * self.cone.n_tangential());
        for (point, rows) in self.points().iter().zip(rows) {
            at.write_shift(side, &self.place(point, fraction), rows);
        }
    }

    /// Writes ∂y/∂v on one side, from the force directions of that side.
    pub fn write_response(
        &self,
        side: usize,
        jacobian: &[f64],
        motion: &PairMotion<'_>,
        tangent: Option<&PairTangent<f64>>,
        out: &mut [f64],
    ) {
        let Some(turn) = motion.turn[side] else { return };
        let (n_normal, n_law) = (BLOCK * self.cone.n_normal, BLOCK * self.cone.n_law_rows());
        if self.fractions[1] < 1.0 {
            // The gap is that of the end, wherever the force acts.
            self.write_normals(side, 1.0, &mut out[..n_normal]);
            self.slip.write_jacobian(side, &mut out[n_normal..n_law]);
            self.write_shifts(side, &self.slip, self.fractions[1], &mut out[n_law..]);
        } else {
            for used in self.cone.used() {
                let values = BLOCK * used.start..BLOCK * used.end;
                out[values.clone()].copy_from_slice(&jacobian[values]);
            }
        }
        for row in out.chunks_exact_mut(BLOCK).take(self.cone.n_used) {
            turn_normal(turn, row);
        }
        let friction = &mut out[n_normal..n_law];
        if let Some(tangent) = tangent {
            let h = self.fractions[1] * motion.time_step;
            self.slip.add_response(side, &motion_of(&motion.velocity), h, turn, tangent, friction);
        }
        if let Some(turn) = &self.turn {
            turn_slip(turn, self.cone.n_friction, BLOCK, friction);
        }
    }

    /// Adds K at fixed impulses x of the law's rows to the pair's block, if given. Returns how normal and
    /// arms at the equivalent contact point turn with the poses.
    pub fn add_stiffness(
        &self,
        [a, b]: [&Placed<'_>; 2],
        motion: &PairMotion<'_>,
        x: &[f64],
        out: Option<&mut [f64]>,
    ) -> PairTangent<f64> {
        let n = self.cone.n_normal;
        let Some(out) = out else { return self.pair.tangent(a, b, &x[..n], &mut |_, _| ()) };
        let (h, turn) = (self.fractions[0] * motion.time_step, &motion.turn);
        let tangent = self.pair.tangent(a, b, &x[..n], &mut |k, tangent| {
            let own = || self.own_place(self.fractions[0]);
            let point = self.points().get(k).map_or_else(own, |point| self.place(point, self.fractions[0]));
            let load = PointLoad { point, normal: x[k], friction: Vector3::zeros(), torsion: 0.0 };
            load.add_stiffness(turn, h, tangent, out);
        });
        let mut load = self.wrench.load(&x[n..]);
        if self.pair.manifold.is_none() {
            load.normal = x[0];
        }
        load.add_stiffness(turn, h, &tangent, out);
        tangent
    }
}

fn wrench(pair: &Pair) -> Wrench<f64> {
    let g = &pair.geometry;
    Wrench {
        point: g.acting_point(),
        tangents: pair.scaled_tangents,
        torsional: pair.torsion_radius,
        n_friction: pair.n_friction(),
    }
}

/// The wrench with this `fraction` of the end geometry. Tangents are carried along; where e_t ≠ e_o they
/// turn with the body that has the grain: t is blended from those of the start and the end.
fn blended(pair: &Pair, stagger: &Stagger, fraction: f64) -> Wrench<f64> {
    let mut wrench = wrench(pair).blended(&stagger.start, fraction);
    let flat = |v: Vector3<f64>, n: &Vector3<f64>| (v - n * n.dot(&v)).try_normalize(MIN_TANGENT);
    let start = stagger.friction_direction.and_then(|grain| flat(grain, &stagger.start.normal));
    let between = start.map(|start| start * (1.0 - fraction) + pair.geometry.tangent_t * fraction);
    if let Some(t) = between.filter(|_| !pair.blends_to_isotropic).and_then(|t| flat(t, &wrench.point.normal))
    {
        let [e_t, e_o] = pair.friction.tangential;
        wrench.tangents = [t * e_t, wrench.point.normal.cross(&t) * e_o];
    }
    wrench
}

fn motion_of(velocity: &[Velocity; 2]) -> [Motion<f64>; 2] {
    let [a, b] = velocity;
    [Motion { linear: a.linear, angular: a.angular }, Motion { linear: b.linear, angular: b.angular }]
}
