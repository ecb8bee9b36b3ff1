//! One near pair: its identity, its friction, its geometry at a pose and the data kept for the next step.

use crate::contact::activation::CheckLevel;
use crate::contact::bore::Bore;
use crate::contact::ccd::SweptPair;
use crate::contact::feature::Feature;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::feature_search::FeatureSearch;
use crate::contact::growth::{grown, growths};
use crate::contact::manifold::ContactManifold;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::pair::stagger::Stagger;
use crate::contact::part_model::{MovedPart, PartModel};
use crate::contact::placed::Placed;
use crate::contact::point::ContactPoint;
use crate::contact::tolerances::PATCH_GAP;
use nalgebra::Vector3;
use signorini_flat::PatchMemory;
use signorini_geometry::Image;
use signorini_geometry::periodic::ITSELF;
use signorini_kernels::pair_tangent::{PairTangent, curved_pair, plane_pair};
use signorini_kernels::smooth_pair::tangents;
use signorini_kernels::wrench::WrenchPoint;
use signorini_scene::scene::{Friction, Torsion};

pub mod friction_frame;
pub mod geometry;
mod recall;
mod sides;
pub mod smooth;
pub mod stagger;
mod unloaded;

/// The loads of the contact points of a pair.
#[derive(Debug, Default)]
pub struct PointLoads<'a> {
    /// Normal impulses x (N s).
    pub x: &'a mut [f64],
    /// Load fraction λ of each point, written by the refresh: its part of the sum of x.
    pub fractions: &'a mut [f64],
}

/// Body and part of A, then of B, and the image of B.
pub type PairKey = ([usize; 4], Image);

/// A near pair: a part of a body and a part of another. A half-space is always of body A; otherwise body_a <
/// body_b.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Pair {
    /// Body ids.
    pub body_a: usize,
    /// See `body_a`.
    pub body_b: usize,
    /// Part of body A.
    #[serde(default)]
    pub part_a: usize,
    /// Part of body B.
    #[serde(default)]
    pub part_b: usize,
    /// Image of B, in a periodic box: all geometry of the pair is between A and that image.
    #[serde(default, skip_serializing_if = "is_itself")]
    pub image: Image,
    /// Friction of the two materials.
    pub friction: Friction,
    /// e_r at the pose last evaluated (m).
    pub torsion_radius: f64,
    /// Whether body A carries the friction direction when e_t ≠ e_o; otherwise B does.
    pub direction_on_a: bool,
    /// e_t t and e_o o at the pose last evaluated, or E t and E o where the friction direction is near the
    /// normal (theory §2.5).
    pub scaled_tangents: [Vector3<f64>; 2],
    /// Whether the friction direction is near the normal, where friction blends to isotropic friction.
    #[serde(rename = "is_fading")]
    pub blends_to_isotropic: bool,
    /// Normal and first tangent at the start of the step: the frame that impulses are carried in.
    pub frame: (Vector3<f64>, Vector3<f64>),
    /// Geometry at the last evaluated pose.
    pub geometry: PairGeometry,
    /// Key of the placements at which `geometry` is that of the pair, see
    /// [`placement_key`](crate::contact::part_model::placement_key); 0 for none.
    #[serde(default)]
    pub found_at: u64,
    /// Data of the staggered integrator, boxed: most pairs have none. None under implicit Euler.
    pub stagger: Option<Box<Stagger>>,
    /// Placement at the start of the step, if the pair may move further than it is thick.
    #[serde(skip)]
    pub swept: Option<Box<SweptPair>>,
    /// The contact points of a flat pair; None for a smooth one, which has a single contact point.
    pub manifold: Option<Box<ContactManifold>>,
    /// Points and impulses of two polytopes that a step in flat arrays left to the next one: the manifold has
    /// none then.
    #[serde(default)]
    pub patch: Option<Box<PatchMemory>>,
    /// Feature with which the polytope or cylinder of a smooth pair touches the ellipsoid,
    /// [`Feature::Ellipsoid`] for two ellipsoids or a half-space.
    pub feature: Feature,
    /// Value of `feature` at the start of the step.
    #[serde(skip)]
    pub start_feature: Option<Feature>,
    /// Whether a smooth pair transmits nothing, because its normal is none of the body that a part belongs
    /// to.
    #[serde(default)]
    pub is_hidden: bool,
    /// Impulses of the last solved step: p_n, then friction in units of the ball (p_t/e_t, p_o/e_o, p_r/e_r).
    pub impulse: [f64; 4],
    /// Couple of the last solved step about t and o over the smaller size (N s), of pairs that resist
    /// rolling.
    #[serde(default)]
    pub rolling_impulse: [f64; 2],
}

/// Whether an image is the body itself; scenes without a periodic box are saved as before.
fn is_itself(image: &Image) -> bool {
    *image == ITSELF
}

impl Pair {
    /// Makes a pair that was met for the first time.
    pub fn new(
        part_a: &PartModel,
        part_b: &PartModel,
        friction: Friction,
        direction_on_a: bool,
        (image, normal): (Image, Vector3<f64>),
    ) -> Self {
        let (t, _) = tangents(&normal);
        Self {
            body_a: part_a.body,
            body_b: part_b.body,
            part_a: part_a.index,
            part_b: part_b.index,
            image,
            friction,
            torsion_radius: friction.torsional.of_point(),
            direction_on_a,
            scaled_tangents: [Vector3::zeros(); 2],
            blends_to_isotropic: false,
            frame: (normal, t),
            geometry: PairGeometry { normal, ..PairGeometry::default() },
            found_at: 0,
            stagger: None,
            swept: None,
            manifold: None,
            patch: None,
            feature: Feature::Ellipsoid,
            start_feature: None,
            is_hidden: false,
            impulse: [0.0; 4],
            rolling_impulse: [0.0; 2],
        }
    }

    /// Key by which pairs are sorted: body and part of A, then of B, then the image.
    pub fn key(&self) -> PairKey {
        ([self.body_a, self.part_a, self.body_b, self.part_b], self.image)
    }

    /// Number of friction rows of the pair: none without friction, two tangents, and torsion where e_r may be
    /// above 0.
    pub fn n_friction(&self) -> usize {
        let has_torsion = match self.friction.torsional {
            Torsion::Radius(radius) => radius > 0.0,
            Torsion::Patch => self.manifold.is_some(),
        };
        match (self.friction.coefficient > 0.0, has_torsion) {
            (false, _) => 0,
            (true, false) => 2,
            (true, true) => 3,
        }
    }

    /// Number of rows reserved for contact points.
    pub fn n_normal(&self) -> usize {
        self.manifold.as_ref().map_or(1, |p| p.n_slots)
    }

    /// Number of those rows that have a contact point, the first ones.
    pub fn n_used(&self) -> usize {
        self.manifold.as_ref().map_or(1, |p| p.points.len().min(p.n_slots))
    }

    /// Whether the next step begins with the geometry found at the end of this one: a pair that overlaps a
    /// polytope or cylinder is looked at anew from all faces.
    pub fn begins_as_it_ends(&self) -> bool {
        self.manifold.is_some() || self.feature == Feature::Ellipsoid || self.geometry.gap >= 0.0
    }

    /// Whether the pair transmits nothing at the pose last evaluated: its parts meet where the bodies that
    /// they belong to have no such normal.
    pub fn transmits_nothing(&self) -> bool {
        match &self.manifold {
            Some(manifold) => !manifold.points.iter().any(|point| point.exerts()),
            None => self.is_hidden,
        }
    }

    /// Multiplies the impulses kept from the last step.
    pub fn scale_impulses(&mut self, ratio: f64) {
        self.impulse.iter_mut().chain(&mut self.rolling_impulse).for_each(|x| *x *= ratio);
        if let Some(manifold) = &mut self.manifold {
            manifold.points.iter_mut().for_each(|point| point.impulse *= ratio);
        }
        if let Some(patch) = &mut self.patch {
            patch.impulses.iter_mut().chain(&mut patch.push).for_each(|x| *x *= ratio as f32);
        }
    }

    /// Lower bound of the gap from one support evaluation along the kept normal.
    pub fn gap_bound(&self, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
        match (a.moved.plane, Bore::of(a)) {
            (Some((n, offset)), _) => b.model.lowest(b.moved, &n) - offset,
            (None, Some(bore)) => bore.least_gap(a, b),
            (None, None) => a.separation_along(b, &self.geometry.normal),
        }
    }

    /// Evaluates closest points, or features and contact points up to `margin` above the lowest (m), at the
    /// start of a step.
    pub fn begin(&mut self, a: &Placed<'_>, b: &Placed<'_>, margin: f64, search: &mut FeatureSearch) {
        self.found_at = 0;
        let Some(manifold) = &mut self.manifold else { return self.begin_smooth(a, b) };
        let query = FeatureQuery { margin, ..FeatureQuery::new(a, b, self.geometry.normal) };
        let facing = manifold.begin(&query, search);
        self.geometry.normal = facing.normal;
        self.geometry.gap = facing.gap;
        self.gather(a.moved, b.moved, &[], &mut []);
        self.update_torsion_radius(a, b);
    }

    /// Sets e_r to that of the touching region, where it is not given.
    fn update_torsion_radius(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        if let Some(radius) = self.region_radius(a, b) {
            self.torsion_radius = radius;
        }
    }

    /// e_r of the touching region, where it is not given.
    fn region_radius(&self, a: &Placed<'_>, b: &Placed<'_>) -> Option<f64> {
        let manifold = self.manifold.as_ref().filter(|_| self.friction.torsional == Torsion::Patch)?;
        if [a, b].iter().any(|side| side.model.shape.is_ellipsoid()) {
            return None;
        }
        let margin = PATCH_GAP * a.model.smaller_size(b.model);
        Some(manifold.torsion_radius(&self.geometry, a, b, margin))
    }

    /// Value of e_r, reduced where less touches at the end of a step than at its start.
    fn shrunk_radius(&self, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
        if self.torsion_radius == 0.0 {
            return 0.0;
        }
        let radius = self.region_radius(a, b);
        radius.map_or(self.torsion_radius, |radius| radius.min(self.torsion_radius))
    }

    /// Whether the touching region at the pose of the last refresh agrees with e_r.
    pub fn is_patch_settled(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        self.shrunk_radius(a, b) == self.torsion_radius
    }

    /// Evaluates the pair at an end pose, under the loads of the contact points. Points that fail the checks
    /// lose their load to others.
    pub fn refresh(
        &mut self,
        [a, b]: [&Placed<'_>; 2],
        search: &mut FeatureSearch,
        loads: PointLoads<'_>,
        checks: CheckLevel,
    ) {
        let PointLoads { x, fractions } = loads;
        let (size, start) = (a.model.smaller_size(b.model), self.geometry.normal);
        let query = FeatureQuery::new(a, b, start);
        let Some(manifold) = &mut self.manifold else {
            self.evaluate_near(a, b, size);
            self.keep_side(a, b, size, search);
            if self.is_hidden {
                x.fill(0.0);
            }
            return;
        };
        let (query, bound) = if self.swept.is_some() {
            let nearest = manifold.facing(&query, search).normal;
            let side = self.met_side(&nearest, a, b, size, search);
            let from = self.swept.as_ref().map(|swept| swept.normal_at([a, b]));
            let start = side.unwrap_or(start);
            let query = FeatureQuery { start, side, from, ..query };
            // Bodies that passed through each other may be far apart at this pose.
            (query, f64::NEG_INFINITY)
        } else {
            (query, self.gap_bound(a, b))
        };
        let Some(manifold) = &mut self.manifold else { return };
        let facing = manifold.refresh(&query, bound, search, x);
        self.geometry.normal = facing.normal;
        self.geometry.gap = facing.gap;
        manifold.straighten(a, b, x);
        match checks {
            CheckLevel::None => manifold.readmit_misaligned(),
            CheckLevel::Support => manifold.exclude_unsupported(a, b, size, x),
            CheckLevel::Alignment => {
                manifold.exclude_unsupported(a, b, size, x);
                manifold.exclude_misaligned(&facing.normal, size, x);
                manifold.exclude_cutting(a, b, size, x);
            }
        }
        self.gather(a.moved, b.moved, x, fractions);
        // e_r only shrinks: up and down it would keep the solve from an end.
        if checks >= CheckLevel::Support {
            self.torsion_radius = self.shrunk_radius(a, b);
        }
    }

    /// Moves the equivalent contact point to the point that the impulses `x` give, with the load `fractions`
    /// and e_r. Features stay; without load everything does.
    pub fn carry(&mut self, [a, b]: [&Placed<'_>; 2], x: &[f64], fractions: &mut [f64]) {
        if self.manifold.is_some() && x.iter().any(|x| *x > 0.0) {
            self.gather(a.moved, b.moved, x, fractions);
            self.update_torsion_radius(a, b);
        }
    }

    /// Sets normal, frame and arms at the equivalent contact point of contact points pushing with `x`: n ∝ Σ
    /// x_k n_k, r = Σ λ_k r_k. Without load all active contact points have the same load fraction and the
    /// normal is that of the separating axis.
    fn gather(&mut self, a: &MovedPart, b: &MovedPart, x: &[f64], fractions: &mut [f64]) {
        let Some(manifold) = &self.manifold else { return };
        let sum: f64 = x.iter().sum();
        // Idle points may be anywhere: lines of parallel cylinders cross at infinity.
        let n_exerting = manifold.points.iter().filter(|point| point.exerts()).count();
        let even = |point: &ContactPoint| match n_exerting {
            0 => 1.0 / manifold.points.len() as f64,
            n => f64::from(u8::from(point.exerts())) / n as f64,
        };
        let [mut normal, mut arm_a, mut arm_b, mut across] = [Vector3::zeros(); 4];
        for (k, point) in manifold.points.iter().enumerate() {
            let fraction = if sum > 0.0 { x[k] / sum } else { even(point) };
            if let Some(place) = fractions.get_mut(k) {
                *place = fraction;
            }
            if fraction == 0.0 {
                continue;
            }
            normal += point.geometry.normal * fraction;
            arm_a += point.geometry.arm_a * fraction;
            arm_b += point.geometry.arm_b * fraction;
            if sum > 0.0 {
                across += point.geometry.normal * (point.geometry.gap * fraction);
            }
        }
        if sum > 0.0
            && let Some(n) = normal.try_normalize(0.0)
        {
            self.geometry.normal = n;
        }
        self.geometry.alignment = if sum > 0.0 { normal.dot(&self.geometry.normal) } else { 1.0 };
        self.geometry.arm_a = arm_a;
        self.geometry.arm_b = arm_b;
        self.geometry.across = across;
        let normal = self.geometry.normal;
        (self.geometry.tangent_t, self.geometry.tangent_o) = self.frame_at(&normal, a, b);
        self.scale_tangents(a, b);
        if self.stagger.as_ref().is_some_and(|s| s.theta < 1.0) {
            self.gather_start(x);
        }
    }

    /// Sets the equivalent contact point at the start of the step, of contact points pushing with `x`.
    fn gather_start(&mut self, x: &[f64]) {
        let (Some(manifold), Some(stagger)) = (&self.manifold, &mut self.stagger) else { return };
        let sum: f64 = x.iter().sum();
        if sum <= 0.0 {
            return;
        }
        let mut start = WrenchPoint::default();
        for (point, x) in manifold.points.iter().zip(x) {
            let at = point.start.unwrap_or_else(|| point.acting_point());
            start.normal += at.normal * *x;
            start.arms[0] += at.arms[0] * (x / sum);
            start.arms[1] += at.arms[1] * (x / sum);
        }
        if let Some(normal) = start.normal.try_normalize(0.0) {
            stagger.start = WrenchPoint { normal, ..start };
        }
    }

    /// Sets a geometry without closest points, with which no solution is accepted.
    pub(super) fn set_without_solution(
        &mut self,
        normal: Vector3<f64>,
        [arm_a, arm_b]: [Vector3<f64>; 2],
        gap: f64,
        mismatch: f64,
        a: &MovedPart,
        b: &MovedPart,
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
        self.scale_tangents(a, b);
    }

    /// As [`Self::tangent`], with the sizes of the bodies in the places of their positions.
    pub fn growth(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        x: &[f64],
        of_point: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let g = &self.geometry;
        if let Some(manifold) = &self.manifold {
            return manifold.wrench_growth(a, b, x, &g.normal, of_point);
        }
        let tangent = self.tangent(a, b, x, &mut |_, _| ());
        grown(&tangent, growths([a, b], &g.normal, [&g.arm_a, &g.arm_b]))
    }

    /// Derivatives of the normal and arms with the poses; for a flat pair those at the equivalent contact
    /// point at fixed impulses `x`, and those of each loaded contact point go to `of_point`.
    pub fn tangent(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        x: &[f64],
        of_point: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let g = &self.geometry;
        if let Some(manifold) = &self.manifold {
            return manifold.wrench_tangent(a, b, x, &g.normal, of_point);
        }
        if self.feature != Feature::Ellipsoid || Bore::of(a).is_some() {
            return self.feature_tangent(a, b);
        }
        let a_is_plane = a.moved.plane.is_some();
        if a_is_plane {
            plane_pair(&g.normal, &g.slope_b, &g.arm_b)
        } else {
            curved_pair(&g.normal, g.gap, [&g.slope_a, &g.slope_b], [&g.arm_a, &g.arm_b])
        }
    }
}
