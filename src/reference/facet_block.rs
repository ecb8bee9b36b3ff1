//! Bodies as intersections of smooth convex inequalities f_i ≤ 0 and the contact block of two of them, with a
//! multiplier for every facet [XC (13) to (17)].
//!
//! DIFFERS from print by default: with n := Σ l_i ∇f_i(a1) the block reads
//! ```text
//! a2 − a1 − d n = 0,   n + Σ l_j ∇g_j(a2) = 0,   (|n|² − 1)/2 = 0,
//! 0 ≤ l_i ⊥ −f_i(a1) ≥ 0,   0 ≤ l_j ⊥ −g_j(a2) ≥ 0,   0 ≤ p_n ⊥ d ≥ 0
//! ```
//! As printed, one facet k of A enters the normal with the coefficient 1, whatever its own multiplier: where
//! a1 = a2 that may be 0, and f_k < 0. Then the normal is none of A's at a1, and the bodies overlap.
//! [`facet_rows`] has both.

use super::facet::Facet;
use super::laws::{Laws, fischer_burmeister};
use super::problem::{BodyAtStart, Pair, ReferenceProblem};
use super::scalar::{constant, constant_matrix};
use super::surfaces::EndPose;
use super::unknowns::{A1, A2, BODY_UNKNOWNS, D, PAIR_UNKNOWNS};
use nalgebra::Vector3;
use signorini_geometry::Touch;
use signorini_kernels::real::Real;
use signorini_scene::scene::ContactKind;

/// Most facets of the two bodies of a pair.
pub(super) const MAX_FACETS: usize = 64;

impl FacetBlock<'_, f64> {
    /// Counts the facets with a multiplier, of A and of B (N of [XC] figure 8), and finds the dimension of
    /// the touching region that they leave.
    pub fn touch(&self) -> Touch {
        let mut blocked = Vec::new();
        let active_facets = [0, 1].map(|side| {
            let (solid, l) = (&self.solids[side], self.multipliers[side]);
            let xi = solid.local(&self.points[side]);
            let active = (0..solid.len()).filter(|i| l[*i] > NEGLIGIBLE).inspect(|i| {
                blocked.extend(solid.facets[*i].across(&xi).iter().map(|d| solid.rotation * d));
            });
            active.count().max(1)
        });
        let kind = match nalgebra::Matrix3xX::from_columns(&blocked).rank(PARALLEL) {
            0 | 1 => ContactKind::Surface,
            2 => ContactKind::Line,
            _ => ContactKind::Point,
        };
        Touch { kind, points: 1, active_facets }
    }
}

/// Largest multiplier that counts as none.
const NEGLIGIBLE: f64 = 1e-9;
/// Largest sine between directions that count as parallel.
const PARALLEL: f64 = 1e-7;

/// Facets of a body at the end of the step.
pub(super) struct FacetedBody<'a, T: Real> {
    facets: &'a [Facet],
    origin: Vector3<T>,
    rotation: nalgebra::Matrix3<T>,
}

impl<'a, T: Real> FacetedBody<'a, T> {
    /// Places the facets of a body at `pose`.
    pub fn new(body: &'a BodyAtStart, pose: &EndPose<T>) -> Self {
        Self {
            facets: &body.facets,
            origin: pose.centre + pose.rotation * constant::<T>(&body.shape_pose.position),
            rotation: pose.rotation * constant_matrix::<T>(&body.shape_pose.rotation()),
        }
    }

    fn local(&self, x: &Vector3<T>) -> Vector3<T> {
        self.rotation.tr_mul(&(x - self.origin))
    }

    /// Value f_i(x) of facet i (m).
    pub fn value(&self, i: usize, x: &Vector3<T>) -> T {
        self.facets[i].value(&self.local(x))
    }

    /// Gradient ∇f_i(x) of facet i, world.
    pub fn gradient(&self, i: usize, x: &Vector3<T>) -> Vector3<T> {
        self.rotation * self.facets[i].gradient(&self.local(x))
    }

    /// Number of facets.
    pub fn len(&self) -> usize {
        self.facets.len()
    }

    /// Normal Σ l_i ∇f_i(x), in which facet `unit` has the coefficient 1 in place of its multiplier.
    fn normal(&self, multipliers: &[T], x: &Vector3<T>, unit: Option<usize>) -> Vector3<T> {
        let weight = |i: usize| if unit == Some(i) { T::one() } else { multipliers[i] };
        (0..self.len()).fold(Vector3::zeros(), |sum, i| sum + self.gradient(i, x) * weight(i))
    }

    /// Largest value max f_i(x) (m): negative inside.
    pub fn outside(&self, x: &Vector3<T>) -> T {
        (1..self.len()).map(|i| self.value(i, x)).fold(self.value(0, x), |a, b| if b > a { b } else { a })
    }
}

/// Facets, points, multipliers and normals of a pair at an iterate.
pub(super) struct FacetBlock<'a, T: Real> {
    /// Facets of A and of B.
    pub solids: [FacetedBody<'a, T>; 2],
    /// Closest points a1, a2 (m).
    pub points: [Vector3<T>; 2],
    /// Multipliers l of A's facets, of B's facets.
    pub multipliers: [&'a [T]; 2],
    /// Sums Σ l_i ∇f_i(a1) (as printed: ∇f_k + Σ l_i ∇f_i) and Σ l_j ∇g_j(a2).
    pub normals: [Vector3<T>; 2],
}

impl<'a, T: Real> FacetBlock<'a, T> {
    /// Makes the block of a pair; `local` are the unknowns that the pair sees.
    pub fn new(problem: &'a ReferenceProblem, pair: &Pair, poses: &[EndPose<T>; 2], local: &'a [T]) -> Self {
        let at = |place: usize| {
            let k = 2 * BODY_UNKNOWNS + place;
            Vector3::new(local[k], local[k + 1], local[k + 2])
        };
        let points = [at(A1), at(A2)];
        let (own, other) = local[2 * BODY_UNKNOWNS + PAIR_UNKNOWNS..].split_at(pair.n_facets[0]);
        let a = FacetedBody::new(&problem.bodies[pair.body_a], &poses[0]);
        let b = FacetedBody::new(&problem.bodies[pair.body_b], &poses[1]);
        let normals = [a.normal(own, &points[0], pair.printed), b.normal(other, &points[1], None)];
        Self { solids: [a, b], points, multipliers: [own, other], normals }
    }

    /// Iterates over multiplier and f of each facet, A's first.
    pub fn facets(&self) -> impl Iterator<Item = (T, T)> + '_ {
        (0..2).flat_map(move |side| {
            let (solid, x) = (&self.solids[side], self.points[side]);
            (0..solid.len()).map(move |i| (self.multipliers[side][i], solid.value(i, &x)))
        })
    }
}

/// Writes the rows of closest points and facets; leaves rows 7 to 11, of the impulses, unchanged.
pub(super) fn facet_rows<T: Real>(
    problem: &ReferenceProblem,
    pair: &Pair,
    laws: Laws,
    poses: &[EndPose<T>; 2],
    local: &[T],
    rows: &mut [T],
) {
    let block = FacetBlock::new(problem, pair, poses, local);
    let travel = T::of(1.0 / pair.scale.travel);
    let stretch = T::of(pair.scale.size) * travel;
    let d = local[2 * BODY_UNKNOWNS + D];
    let [n, opposite] = block.normals;
    let apart = block.points[1] - block.points[0];
    let closest = match pair.printed {
        None => apart - n * d,
        // [XC (13)], with the sign as in (18).
        Some(k) => n * block.multipliers[0][k] - apart,
    };
    for i in 0..3 {
        rows[i] = closest[i] * travel;
        rows[3 + i] = (n[i] + opposite[i]) * stretch; // [XC (14)]
    }
    rows[6] = match pair.printed {
        None => (n.norm_squared() - T::one()) * T::of(0.5) * stretch,
        Some(_) => (d - block.solids[0].outside(&block.points[1])) * travel, // Row of (17).
    };
    for (i, (l, f)) in block.facets().enumerate() {
        let l = l * T::of(1.0 / pair.multiplier_unit(i));
        // [XC (15), (16)]
        rows[PAIR_UNKNOWNS + i] = match laws.facets {
            None => fischer_burmeister(l, -f * travel),
            Some(active) if active >> i & 1 == 1 => f * travel,
            Some(_) => l,
        };
    }
}
