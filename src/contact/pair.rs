//! One near pair: its identity, its friction, its geometry at a pose and what it remembers for the next step.

use super::MovedBody;
use super::atom::{Atom, Placed};
use super::nearest_part::nearest_part;
use super::parts::{Part, piece};
use super::patch::{FeatureSearch, Patch};
use super::swept::Sweep;
use crate::geometry::{Shape, Velocity};
use crate::kernels::flat_atom::{AtomGeometry, swapped_tangent};
use crate::kernels::pair_geometry::carried;
use crate::kernels::pair_tangent::{PairTangent, curved_pair, plane_pair};
use crate::kernels::piece_pair::{Piece, Solved, tangent};
use crate::kernels::smooth_pair::{Closest, Ellipsoid, closest_points, tangents};
use crate::kernels::types;
use crate::kernels::wrench::ContactPoint;
use crate::scene::Friction;
use nalgebra::{Matrix3, Vector3};

pub use crate::kernels::smooth_pair::CLOSEST_POINT_TOLERANCE;

/// Geometry of a pair at one pose. Arms run from the centres of mass to the closest points.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairGeometry {
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// First tangent.
    pub tangent_t: Vector3<f64>,
    /// Second tangent, n × t.
    pub tangent_o: Vector3<f64>,
    /// Arm of A (m).
    pub arm_a: Vector3<f64>,
    /// Arm of B (m).
    pub arm_b: Vector3<f64>,
    /// Signed distance (m).
    pub gap: f64,
    /// Σ p_k n_k·n / Σ p_k: 1 unless the atoms push along several normals, as at a corner on an edge. The pair's p_n is what
    /// they push with along n, and that is what bounds friction.
    pub alignment: f64,
    /// |Tᵀ(a2 − a1)| (m): how far the closest points miss each other along the plane, 0 once within
    /// [`CLOSEST_POINT_TOLERANCE`].
    pub mismatch: f64,
    slope_a: Matrix3<f64>,
    slope_b: Matrix3<f64>,
}

/// Where two bodies touch.
pub type PointGeometry = ContactPoint<f64>;

impl PairGeometry {
    /// As a backend found it.
    pub fn found(at: &types::PairGeometry<f64>) -> Self {
        let (normal, tangent_t) = (Vector3::from(at.normal), Vector3::from(at.tangent));
        Self {
            alignment: 1.0,
            normal,
            tangent_t,
            tangent_o: normal.cross(&tangent_t),
            arm_a: at.arm_a.into(),
            arm_b: at.arm_b.into(),
            gap: at.gap[0],
            mismatch: if at.residual[0] <= CLOSEST_POINT_TOLERANCE { 0.0 } else { at.mismatch[0] },
            slope_a: types::symmetric(&at.slope_a),
            slope_b: types::symmetric(&at.slope_b),
        }
    }

    /// The point where the friction wrench acts.
    pub fn point(&self) -> PointGeometry {
        PointGeometry { normal: self.normal, arms: [self.arm_a, self.arm_b] }
    }
}

/// A pair under the staggered integrator: impulses act at the blend (1 − θ) start + θ end of its geometry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stagger {
    /// θ: 0 second order, 1 implicit Euler.
    pub theta: f64,
    /// Whether nothing was transmitted in the last step.
    pub was_open: bool,
    /// At the start of the step; of a flat pair the atoms' mean by their impulses now.
    pub start: PointGeometry,
    /// See [`Pair::grain`], at the start of the step.
    pub grain: Option<Vector3<f64>>,
    /// Velocities of A and B in the last step, if the contact slid.
    pub sliding: Option<[Velocity; 2]>,
    /// In how many steps on end it slid.
    pub n_slid: u32,
    /// By how much slip (e_t v_t, e_o v_o, e_r ω_n) turned in the last step, as a rotation vector in the contact's frame (rad);
    /// 0 when the contact did not slide before.
    pub slip_turn: Vector3<f64>,
    /// Where sliding is to end within the next step: the mean of the slip left in it, in the contact's frame (m/s); else 0.
    pub last_slip: Vector3<f64>,
    /// `slip_turn` as this step used it.
    pub slip_turn_used: Vector3<f64>,
    /// `last_slip` as this step used it.
    pub last_slip_used: Vector3<f64>,
}

/// A near pair. A half-space is always body A; otherwise body_a < body_b.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Body ids.
    pub body_a: usize,
    /// See `body_a`.
    pub body_b: usize,
    /// Friction of the two materials.
    pub friction: Friction,
    /// The body that carries the friction direction when e_t ≠ e_o.
    pub direction_on_a: bool,
    /// Normal and first tangent at the start of the step: the frame that impulses are carried in.
    pub frame: (Vector3<f64>, Vector3<f64>),
    /// Geometry at the last evaluated pose.
    pub geometry: PairGeometry,
    /// What the staggered integrator needs; None under implicit Euler.
    pub stagger: Option<Stagger>,
    /// Where it was at the start of the step, if it may move further than it is thick.
    pub sweep: Option<Box<Sweep>>,
    /// The atoms of a flat pair; None for a smooth one, which has a single atom.
    pub patch: Option<Box<Patch>>,
    /// Of a smooth pair: the part that a polytope or cylinder touches an ellipsoid with, [`Part::Ball`] when there is
    /// neither.
    pub part: Part,
    /// Impulses of the last solved step: p_n, then friction in units of the ball (p_t/e_t, p_o/e_o, p_r/e_r).
    pub impulse: [f64; 4],
}

impl Pair {
    /// A pair met for the first time.
    pub fn new(
        body_a: usize,
        body_b: usize,
        friction: Friction,
        direction_on_a: bool,
        normal: Vector3<f64>,
    ) -> Self {
        let (t, _) = tangents(&normal);
        Self {
            body_a,
            body_b,
            friction,
            direction_on_a,
            frame: (normal, t),
            geometry: PairGeometry { normal, ..PairGeometry::default() },
            stagger: None,
            sweep: None,
            patch: None,
            part: Part::Ball,
            impulse: [0.0; 4],
        }
    }

    /// Friction rows of the pair: none without friction, two tangents, and torsion when e_r > 0.
    pub fn n_friction(&self) -> usize {
        match (self.friction.coefficient > 0.0, self.friction.torsional > 0.0) {
            (false, _) => 0,
            (true, false) => 2,
            (true, true) => 3,
        }
    }

    /// Rows set aside for atoms.
    pub fn n_normal(&self) -> usize {
        self.patch.as_ref().map_or(1, |p| p.n_slots)
    }

    /// The first of them that have one.
    pub fn n_used(&self) -> usize {
        self.patch.as_ref().map_or(1, |p| p.atoms.len().min(p.n_slots))
    }

    /// Multiplies what it remembers of the last step.
    pub fn scale_impulses(&mut self, ratio: f64) {
        self.impulse.iter_mut().for_each(|x| *x *= ratio);
        if let Some(patch) = &mut self.patch {
            patch.atoms.iter_mut().for_each(|atom| atom.impulse *= ratio);
        }
    }

    /// Lower bound of the gap from one support evaluation along the remembered normal.
    pub fn gap_bound(&self, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
        match a.moved.plane {
            Some((n, offset)) => b.model.lowest(b.moved, &n) - offset,
            None => a.slab(b, &self.geometry.normal),
        }
    }

    /// Evaluates closest points, or features and atoms, at the start of a step. `size` is a length of the pair (m).
    pub fn begin(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64, search: &mut FeatureSearch) {
        let Some(patch) = &mut self.patch else { return self.evaluate(a, b) };
        let facing = patch.begin(a, b, size, &self.geometry.normal, search);
        self.geometry.normal = facing.normal;
        self.geometry.gap = facing.gap;
        self.gather(a.moved, b.moved, &[], &mut []);
    }

    /// The same at an end pose, for normal impulses `x`; `share` gets λ of the atoms. With `ban_stale`, atoms that are
    /// loaded but do not support both bodies lose their load; with `ban_turned`, also those that push along another normal than
    /// the rest.
    pub fn refresh(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
        x: &mut [f64],
        share: &mut [f64],
        ban_stale: bool,
        ban_turned: bool,
    ) {
        let start = self.geometry.normal;
        let Some(patch) = &mut self.patch else {
            self.evaluate(a, b);
            return self.keep_side(a, b, size, search);
        };
        let nearest = self.sweep.is_some().then(|| patch.facing(a, b, size, &start, search).normal);
        let side = nearest.and_then(|n| self.met_side(&n, a, b, size, search));
        // What passed through on its way may be far apart by now.
        let bound = if self.sweep.is_some() { f64::NEG_INFINITY } else { self.gap_bound(a, b) };
        let Some(patch) = &mut self.patch else { return };
        let from = side.unwrap_or(start);
        let facing = patch.refresh(a, b, size, (&from, bound), side.as_ref(), search, x);
        self.geometry.normal = facing.normal;
        self.geometry.gap = facing.gap;
        patch.straighten(a, b, x);
        if ban_stale {
            patch.ban_stale(a, b, size, x);
        }
        match ban_turned {
            true => {
                patch.ban_turned(&facing.normal, size, x);
                patch.ban_cutting(a, b, size, x);
            }
            false if !ban_stale => patch.release_turned(),
            false => {}
        }
        self.gather(a.moved, b.moved, x, share);
    }

    /// Normal, frame and arms at the equivalent contact point of atoms pushing with `x`: n ∝ Σ x_k n_k,
    /// r = Σ λ_k r_k. Without load all atoms that may exert something have the same share and the normal is that of the separating axis.
    fn gather(&mut self, a: &MovedBody, b: &MovedBody, x: &[f64], share: &mut [f64]) {
        let Some(patch) = &self.patch else { return };
        let sum: f64 = x.iter().sum();
        // Idle ones may be anywhere: lines of parallel cylinders cross at infinity.
        let n_exerting = patch.atoms.iter().filter(|atom| atom.exerts()).count();
        let even = |atom: &Atom| match n_exerting {
            0 => 1.0 / patch.atoms.len() as f64,
            n => f64::from(u8::from(atom.exerts())) / n as f64,
        };
        let (mut normal, mut arm_a, mut arm_b) = (Vector3::zeros(), Vector3::zeros(), Vector3::zeros());
        for (k, atom) in patch.atoms.iter().enumerate() {
            let part = if sum > 0.0 { x[k] / sum } else { even(atom) };
            if let Some(share) = share.get_mut(k) {
                *share = part;
            }
            if part == 0.0 {
                continue;
            }
            normal += atom.geometry.normal * part;
            arm_a += atom.geometry.arm_a * part;
            arm_b += atom.geometry.arm_b * part;
        }
        if sum > 0.0
            && let Some(n) = normal.try_normalize(0.0)
        {
            self.geometry.normal = n;
        }
        self.geometry.alignment = if sum > 0.0 { normal.dot(&self.geometry.normal) } else { 1.0 };
        self.geometry.arm_a = arm_a;
        self.geometry.arm_b = arm_b;
        let normal = self.geometry.normal;
        (self.geometry.tangent_t, self.geometry.tangent_o) = self.frame_at(&normal, a, b);
        if self.stagger.is_some_and(|s| s.theta < 1.0) {
            self.gather_start(x);
        }
    }

    /// The point of the start of the step that atoms pushing with `x` stand for.
    fn gather_start(&mut self, x: &[f64]) {
        let (Some(patch), Some(stagger)) = (&self.patch, &mut self.stagger) else { return };
        let sum: f64 = x.iter().sum();
        if sum <= 0.0 {
            return;
        }
        let mut start = PointGeometry::default();
        for (atom, x) in patch.atoms.iter().zip(x) {
            let at = atom.start.unwrap_or_else(|| atom.point());
            start.normal += at.normal * *x;
            start.arms[0] += at.arms[0] * (x / sum);
            start.arms[1] += at.arms[1] * (x / sum);
        }
        if let Some(normal) = start.normal.try_normalize(0.0) {
            stagger.start = PointGeometry { normal, ..start };
        }
    }

    /// Geometry that no closest points belong to: nothing is accepted with it.
    pub(super) fn set_frozen(
        &mut self,
        normal: Vector3<f64>,
        [arm_a, arm_b]: [Vector3<f64>; 2],
        gap: f64,
        mismatch: f64,
        a: &MovedBody,
        b: &MovedBody,
    ) {
        let (tangent_t, tangent_o) = self.frame_at(&normal, a, b);
        let alignment = 1.0;
        self.geometry = PairGeometry {
            normal,
            tangent_t,
            tangent_o,
            arm_a,
            arm_b,
            gap,
            alignment,
            mismatch,
            ..PairGeometry::default()
        };
    }

    /// Evaluates closest points and frame of a smooth pair; warm-starts from the last normal.
    pub(super) fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        let is_ball = |body: &Placed<'_>| matches!(body.model.shape, Shape::Ellipsoid { .. });
        if !is_ball(b) || !is_ball(a) && a.moved.plane.is_none() {
            return self.evaluate_part(a, b, is_ball(a));
        }
        let (a, b) = (a.moved, b.moved);
        let closest = match a.plane {
            Some((n, offset)) => plane_gap(&n, offset, b),
            None => {
                let (ea, eb) = relative(a, b);
                closest_points(&ea, &eb, &self.geometry.normal, CLOSEST_POINT_TOLERANCE)
            }
        };
        let arm_b = b.ellipsoid.center + closest.support_b;
        let arm_a = if a.plane.is_some() {
            b.position + arm_b - closest.normal * closest.gap - a.position
        } else {
            a.ellipsoid.center + closest.support_a
        };
        let (tangent_t, tangent_o) = self.frame_at(&closest.normal, a, b);
        self.geometry = PairGeometry {
            normal: closest.normal,
            tangent_t,
            tangent_o,
            arm_a,
            arm_b,
            gap: closest.gap,
            alignment: 1.0,
            mismatch: if closest.residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { closest.mismatch },
            slope_a: closest.slope_a,
            slope_b: closest.slope_b,
        };
    }

    /// The same between an ellipsoid (A if `ball_is_a`) and a polytope or cylinder.
    fn evaluate_part(&mut self, a: &Placed<'_>, b: &Placed<'_>, ball_is_a: bool) {
        let start = &self.geometry.normal;
        let (part, Solved { mut atom, slope: [mut slope_a, mut slope_b], mismatch, residual }) = if ball_is_a
        {
            nearest_part(b, a, self.part, &-start)
        } else {
            nearest_part(a, b, self.part, start)
        };
        if ball_is_a {
            atom = atom.swapped();
            (slope_a, slope_b) = (slope_b, slope_a);
        }
        let (tangent_t, tangent_o) = self.frame_at(&atom.normal, a.moved, b.moved);
        self.part = part;
        self.geometry = PairGeometry {
            normal: atom.normal,
            tangent_t,
            tangent_o,
            arm_a: atom.arm_a,
            arm_b: atom.arm_b,
            gap: atom.gap,
            alignment: 1.0,
            mismatch: if residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { mismatch },
            slope_a,
            slope_b,
        };
    }

    /// Derivatives of what [`Self::evaluate_part`] found.
    fn part_tangent(&self, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
        let g = &self.geometry;
        let ball_is_a = matches!(a.model.shape, Shape::Ellipsoid { .. });
        let body = if ball_is_a { b } else { a };
        let ball = Piece::round(if ball_is_a { a } else { b }.moved.ellipsoid);
        let Some(own) = piece(self.part, body) else { return PairTangent::zero() };
        let atom = AtomGeometry { normal: g.normal, arm_a: g.arm_a, arm_b: g.arm_b, gap: g.gap };
        let solved = |atom, slope| Solved { atom, slope, mismatch: 0.0, residual: 0.0 };
        if ball_is_a {
            swapped_tangent(&tangent(&own, &ball, &solved(atom.swapped(), [g.slope_b, g.slope_a])))
        } else {
            tangent(&own, &ball, &solved(atom, [g.slope_a, g.slope_b]))
        }
    }

    /// Isotropic friction: the frame of the start of the step turned by the smallest rotation (never rebuilt from
    /// a fixed axis inside a step). Anisotropic: t is the projection of the direction fixed in its body.
    fn frame_at(&self, n: &Vector3<f64>, a: &MovedBody, b: &MovedBody) -> (Vector3<f64>, Vector3<f64>) {
        let t = match self.grain(a, b) {
            Some(grain) => grain - n * n.dot(&grain),
            None => carried(&self.frame.1, &self.frame.0, n),
        };
        let length = t.norm();
        if length < 1e-9 {
            return tangents(n);
        }
        let t = t / length;
        (t, n.cross(&t))
    }

    /// Where e_t ≠ e_o: the direction in the world, carried by one of the bodies, whose projection is t.
    pub fn grain(&self, a: &MovedBody, b: &MovedBody) -> Option<Vector3<f64>> {
        let direction = self.friction.direction.filter(|_| self.n_friction() > 0)?;
        Some(if self.direction_on_a { a.rotation } else { b.rotation } * direction)
    }

    /// Derivatives of the normal and arms with the poses; for a flat pair those at the equivalent contact point at
    /// fixed impulses `x`, and each loaded atom's go to `of_atom`.
    pub fn tangent(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        x: &[f64],
        of_atom: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let g = &self.geometry;
        if let Some(patch) = &self.patch {
            return patch.wrench_tangent(a, b, x, &g.normal, of_atom);
        }
        if self.part != Part::Ball {
            return self.part_tangent(a, b);
        }
        let a_is_plane = a.moved.plane.is_some();
        if a_is_plane {
            plane_pair(&g.normal, &g.slope_b, &g.arm_b)
        } else {
            curved_pair(&g.normal, g.gap, [&g.slope_a, &g.slope_b], [&g.arm_a, &g.arm_b])
        }
    }
}

/// Both ellipsoids about A's centre of mass: differences of large world positions are taken once, here.
fn relative(a: &MovedBody, b: &MovedBody) -> (Ellipsoid<f64>, Ellipsoid<f64>) {
    let mut eb = b.ellipsoid;
    eb.center += b.position - a.position;
    (a.ellipsoid, eb)
}

/// The kernel's plane_gap with the height taken from world positions.
fn plane_gap(n: &Vector3<f64>, offset: f64, b: &MovedBody) -> Closest<f64> {
    let (h, s) = b.ellipsoid.support(n);
    Closest {
        normal: *n,
        support_a: Vector3::zeros(),
        support_b: -s,
        slope_a: Matrix3::zeros(),
        slope_b: b.ellipsoid.support_slope(h, &s),
        gap: n.dot(&(b.position + b.ellipsoid.center)) - h - offset,
        residual: 0.0,
        mismatch: 0.0,
    }
}
