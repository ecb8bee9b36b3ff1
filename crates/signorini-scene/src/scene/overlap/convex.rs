//! Signed gap of two bounded convex shapes of any kind, known by their support points.
//!
//! The distance queries of `parry3d` (GJK when apart, EPA when inside) find the normal; the gap is then the
//! separation of the shapes along this normal, a lower bound whatever the queries did.
//! Lengths are scaled to the pair, for their tolerances are absolute.

use super::axes;
use super::placed::{Gap, Placed, tangents_of};
use nalgebra::Vector3;
use parry3d_f64::math::{Pose as ParryPose, Vector3 as ParryVector};
use parry3d_f64::query::details::contact_support_map_support_map;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

/// Disagreement of separation and closest points, relative to the size, above which the normal is searched
/// for.
const AGREEMENT: f64 = 1e-8;

/// A shape about its centre, world axes, lengths divided by `unit`.
struct ScaledShape<'a> {
    placed: &'a Placed,
    unit: f64,
}

impl SupportMap for ScaledShape<'_> {
    fn local_support_point(&self, direction: ParryVector) -> ParryVector {
        let direction = Vector3::new(direction.x, direction.y, direction.z);
        let arm = self.placed.arm(&direction).unwrap_or_default() / self.unit;
        ParryVector::new(arm.x, arm.y, arm.z)
    }
}

/// Whether two bounded shapes are proved to be at least `clearance` ≥ 0 (m) apart. How deep they overlap is
/// not asked: that takes most of the time of [`gap`].
pub(super) fn apart(a: &Placed, b: &Placed, clearance: f64) -> bool {
    let (Some((p, r)), Some((q, s))) = (a.ball(), b.ball()) else { return false };
    let (between, unit) = (q - p, r + s);
    let (maps, d) = ([a, b].map(|placed| ScaledShape { placed, unit }), between / unit);
    let offset = ParryPose::translation(d.x, d.y, d.z);
    let first = offset.translation.try_normalize().unwrap_or(ParryVector::X);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&offset, &maps[0], &maps[1], first));
    match gjk::closest_points(&offset, &maps[0], &maps[1], f64::MAX, true, &mut simplex) {
        GJKResult::Intersection => false,
        GJKResult::ClosestPoints(on_a, on_b, _) if (on_b - on_a).length() * unit < clearance => false,
        _ => gap(a, b).is_some_and(|found| found.distance >= clearance),
    }
}

/// The gap of two bounded shapes; None when one is not bounded.
pub(super) fn gap(a: &Placed, b: &Placed) -> Option<Gap> {
    let ((p, r), (q, s)) = (a.ball()?, b.ball()?);
    let (between, unit) = (q - p, r + s);
    let slab = |n: &Vector3<f64>| {
        let arms = a.arm(n).unwrap_or_default() - b.arm(&-n).unwrap_or_default();
        n.dot(&(between - arms))
    };
    let (maps, d) = ([a, b].map(|placed| ScaledShape { placed, unit }), between / unit);
    let offset = ParryPose::translation(d.x, d.y, d.z);
    if let Some(contact) = contact_support_map_support_map(&offset, &maps[0], &maps[1], f64::MAX) {
        let n = Vector3::new(contact.normal1.x, contact.normal1.y, contact.normal1.z);
        if let Some(normal) = n.try_normalize(0.5) {
            let mut found = Gap { distance: slab(&normal), normal };
            if (found.distance - contact.dist * unit).abs() > AGREEMENT * unit {
                found = climb(found, &slab, unit);
            }
            return Some(on_the_near_side(found, a, b, &slab, unit));
        }
    }
    Some(on_the_near_side(search(&between, &slab, unit), a, b, &slab, unit))
}

/// Of bodies that seem to overlap: the gap along their own axes, if it is less deep.
fn on_the_near_side(
    found: Gap,
    a: &Placed,
    b: &Placed,
    slab: &impl Fn(&Vector3<f64>) -> f64,
    unit: f64,
) -> Gap {
    if found.distance >= 0.0 {
        return found;
    }
    axes::widest(a, b, slab).filter(|best| best.distance > found.distance + AGREEMENT * unit).unwrap_or(found)
}

/// The widest separation of many directions, improved.
fn search(between: &Vector3<f64>, slab: &impl Fn(&Vector3<f64>) -> f64, unit: f64) -> Gap {
    let spiral = (0..200).map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 200.0;
        let (s, c) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
        Vector3::new(c, s, 0.0) * (1.0 - z * z).sqrt() + Vector3::z() * z
    });
    let first = between.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::z);
    let mut starts: Vec<Gap> =
        std::iter::once(first).chain(spiral).map(|normal| Gap { distance: slab(&normal), normal }).collect();
    starts.sort_by(|a, b| b.distance.total_cmp(&a.distance));
    let climbed = starts.into_iter().take(5).map(|start| climb(start, slab, unit));
    climbed.fold(Gap { distance: f64::NEG_INFINITY, normal: first }, |best, found| {
        if found.distance > best.distance { found } else { best }
    })
}

/// Compass search on the sphere: eight directions around, the step halved when none is better.
fn climb(start: Gap, slab: &impl Fn(&Vector3<f64>) -> f64, unit: f64) -> Gap {
    let (mut best, mut step) = (start, 0.2);
    while step > 1e-9 {
        let tangents = tangents_of(&best.normal);
        let around = (0..8).map(|k| {
            let (s, c) = (f64::from(k) * std::f64::consts::FRAC_PI_4).sin_cos();
            let normal = (best.normal + (tangents.column(0) * c + tangents.column(1) * s) * step).normalize();
            Gap { distance: slab(&normal), normal }
        });
        let found = around.fold(best, |b, g| if g.distance > b.distance { g } else { b });
        if found.distance > best.distance + 1e-15 * unit {
            best = found;
        } else {
            step *= 0.5;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;
    use signorini_geometry::{Polytope, Pose, Shape};
    use std::sync::Arc;

    type V = Vector3<f64>;

    fn three(random: &mut Pcg64Mcg, low: f64, high: f64) -> V {
        V::from_fn(|_, _| random.random_range(low..high))
    }

    fn shape(kind: usize, random: &mut Pcg64Mcg) -> Shape {
        match kind {
            0 => Shape::Ellipsoid { semi_axes: three(random, 0.2, 1.0) },
            1 => Shape::Polytope(Arc::new(Polytope::box_(three(random, 0.2, 1.0)))),
            2 => {
                let points: Vec<V> = (0..12).map(|_| three(random, -1.0, 1.0)).collect();
                Shape::Polytope(Arc::new(Polytope::hull(&points).expect("a hull").polytope))
            }
            _ => Shape::Cylinder {
                radius: random.random_range(0.2..1.0),
                half_length: random.random_range(0.1..1.0),
            },
        }
    }

    /// Oracle: the largest separation over a dense grid of directions, refined around the five best.
    fn dense_gap(a: &Placed, b: &Placed) -> f64 {
        let between = b.center().expect("bounded") - a.center().expect("bounded");
        let slab = |n: &V| n.dot(&(between - a.arm(n).expect("bounded") + b.arm(&-n).expect("bounded")));
        let at = |p: f64, q: f64| V::new(p.sin() * q.cos(), p.sin() * q.sin(), p.cos());
        let pi = std::f64::consts::PI;
        let grid = (0..=120).flat_map(|i| (0..240).map(move |j| (f64::from(i), f64::from(j))));
        let mut best: Vec<(f64, (f64, f64))> = grid
            .map(|(i, j)| (i * pi / 120.0, j * pi / 120.0))
            .map(|(p, q)| (slab(&at(p, q)), (p, q)))
            .collect();
        best.sort_by(|x, y| y.0.total_cmp(&x.0));
        best.truncate(5);
        let mut largest = f64::NEG_INFINITY;
        for (mut value, mut middle) in best {
            let mut half = pi / 100.0;
            for _ in 0..60 {
                let around = middle;
                for (i, j) in (-6..=6).flat_map(|i| (-6..=6).map(move |j| (f64::from(i), f64::from(j)))) {
                    let trial = (around.0 + half * i / 6.0, around.1 + half * j / 6.0);
                    let found = slab(&at(trial.0, trial.1));
                    if found > value {
                        (value, middle) = (found, trial);
                    }
                }
                half *= 0.6;
            }
            largest = largest.max(value);
        }
        largest
    }

    #[test]
    fn gaps_of_all_kinds_and_sizes_agree_with_a_dense_search() {
        let mut random = Pcg64Mcg::seed_from_u64(11);
        for case in 0..112 {
            let kinds = (case % 4, case / 4 % 4);
            if kinds == (0, 0) {
                continue;
            }
            let (a, b) = (shape(kinds.0, &mut random), shape(kinds.1, &mut random));
            let turn = |random: &mut Pcg64Mcg| UnitQuaternion::from_scaled_axis(three(random, -2.0, 2.0));
            let pose = Pose { position: three(&mut random, -1.0, 1.0), orientation: turn(&mut random) };
            let pa = Placed::new(&a, &pose);
            // From centres nearly together to apart.
            let way = three(&mut random, -1.0, 1.0).normalize() * (0.05 + 0.05 * (case % 45) as f64);
            let pb = Placed::new(&b, &Pose { position: pose.position + way, orientation: turn(&mut random) });
            let (found, dense) = (gap(&pa, &pb).expect("bounded"), dense_gap(&pa, &pb));
            // Both are separations, so that the larger one is nearer to the truth.
            assert!(found.distance > dense - 2e-6, "case {case} {kinds:?}: {found:?} against {dense}");
            let clearances = [0.0, 0.05, found.distance - 1e-6, found.distance + 1e-6];
            for clearance in clearances.into_iter().filter(|c| *c >= 0.0) {
                let proved = apart(&pa, &pb, clearance);
                assert_eq!(proved, found.distance >= clearance, "case {case} {kinds:?}: {clearance}");
            }
            for scale in [1e-3, 1e3] {
                let scaled = |shape: &Shape, placed: &Placed| match placed {
                    Placed::Ellipsoid { center, axes, .. } | Placed::Other { center, axes, .. } => {
                        let orientation = UnitQuaternion::from_matrix(axes);
                        Placed::at_scale(shape, scale, &Pose { position: center * scale, orientation })
                    }
                    Placed::HalfSpace { .. } | Placed::Bore { .. } => placed.clone(),
                };
                let other = gap(&scaled(&a, &pa), &scaled(&b, &pb)).expect("bounded");
                assert!((other.distance / scale - found.distance).abs() < 2e-6, "case {case} at {scale}");
            }
        }
    }

    #[test]
    fn faces_in_contact_have_no_gap() {
        let cube = Shape::Polytope(Arc::new(Polytope::box_(V::repeat(0.5))));
        let can = Shape::Cylinder { radius: 0.4, half_length: 0.5 };
        let at = |shape: &Shape, z: f64| {
            Placed::new(
                shape,
                &Pose { position: V::new(0.1, 0.2, z), orientation: UnitQuaternion::identity() },
            )
        };
        for (upper, depth) in
            [(&cube, 0.0), (&can, 0.0), (&cube, 1e-3), (&can, 1e-3), (&cube, -1e-3), (&can, -1e-3)]
        {
            let found = gap(&at(&cube, 0.0), &at(upper, 1.0 - depth)).expect("bounded");
            assert!(
                (found.distance + depth).abs() < 1e-12 && (found.normal - V::z()).norm() < 1e-6,
                "{found:?}"
            );
        }
        // Any direction will do for two bodies with one centre, if it is the way out.
        let inside = gap(&at(&cube, 0.0), &at(&can, 0.0)).expect("bounded");
        assert!((inside.distance + 0.9).abs() < 1e-9, "{inside:?}");
    }
}
