//! Lines that run nearly parallel: sides of cylinders side by side, or the side of one along an edge (theory
//! §3.10).
//!
//! Turned to each other by a small angle ε about their common normal n₀, two lines at the distance D touch at
//! one point s*, which runs along them by D/ε² for every radian that they tilt: Newton's method cannot follow
//! it. At both ends s_k of their overlap they are ε² (s_k − s*)² / 2D further apart, and the normals of the
//! ends' own contact points are turned by ε (s_k − s*) / D: loads on both ends leave a moment.
//!
//! So the ends are active along ONE normal, that of the equivalent contact point s = Σ λ_k s_k, and up to the
//! gap that the lines would have at the ends if they went on as they do at s:
//!
//! > n ∝ Σ x_k D_k n_k, ĝ_k = g_k − D |n_k − n|² / 2 = g₀ + ε² (s − s*)(2 s_k − s − s*) / 2D
//!
//! with the distances D_k n_k of the lines, or of an edge and an axis, at the ends: they are linear along the
//! lines, so that n is their normal at s to the last bit.
//!
//! Both are 0 only where g₀ = 0 and s = s*: that is the same contact, n₀ at s*, but now only the loads say
//! where s is, and the gaps hardly change with ε.

use crate::contact::feature::{Cylinder, Feature, arm, edge_line, polytope};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::manifold::ContactManifold;
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, place_point};
use crate::contact::tolerances::{LINE_SINE, LINE_TWIST};
use nalgebra::Vector3;
use signorini_kernels::flat_point::PointGeometry;

/// Whether a contact point is an end of a line along which both bodies touch. An edge across a rim is not
/// parallel to it.
fn is_end(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> bool {
    // A line that ends before it faces an end of the other touches at its own end.
    let FeaturePair(of_a, of_b) = point.feature.at(a, b, &point.geometry);
    let is = |line: Feature, end: Feature| {
        matches!(
            (line, end),
            (Feature::Side, Feature::Rim(_) | Feature::Ball(_) | Feature::Vertex(_))
                | (Feature::Edge(_), Feature::Rim(_) | Feature::Ball(_))
        )
    };
    if !point.exerts() || !is(of_a, of_b) && !is(of_b, of_a) {
        return false;
    }
    let axes = [a, b].map(|body| Cylinder::of(body).map(|cylinder| cylinder.axis));
    let edges = [(of_a, a), (of_b, b)].map(|(feature, body)| match feature {
        Feature::Edge(edge) => edge_line(body, edge).map(|line| line.1),
        _ => None,
    });
    let lies = axes.iter().flatten().all(|axis| axis.dot(&point.geometry.normal).abs() < LINE_SINE);
    let mut lines = axes.into_iter().chain(edges).flatten();
    let first = lines.next();
    lies && first.is_some_and(|first| lines.all(|line| line.cross(&first).norm() < LINE_SINE))
}

/// Whether a contact point is where two lines cross.
fn is_crossing(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let lines = |of: Feature, other: Feature| {
        of == Feature::Side && matches!(other, Feature::Side | Feature::Edge(_))
    };
    let FeaturePair(of_a, of_b) = point.feature.at(a, b, &point.geometry);
    point.exerts() && (lines(of_a, of_b) || lines(of_b, of_a))
}

/// Line of a body that the end of another lies on, where its surface points along `out`: a point of it and
/// its direction.
fn line_of(feature: Feature, body: &Placed<'_>, out: &Vector3<f64>) -> Option<(Vector3<f64>, Vector3<f64>)> {
    match feature {
        Feature::Side => {
            Cylinder::of(body).map(|cylinder| (cylinder.center + across(out, &cylinder), cylinder.axis))
        }
        Feature::Edge(edge) => edge_line(body, edge),
        _ => None,
    }
}

/// Distance from the line of a feature, an axis or an edge, to its surface (m).
fn radius(feature: Feature, body: &Placed<'_>) -> f64 {
    let is_round = matches!(feature, Feature::Side | Feature::Rim(_) | Feature::Ball(_));
    Cylinder::of(body).filter(|_| is_round).map_or(0.0, |cylinder| cylinder.radius)
}

/// Vector from the axis of a cylinder to its side, in a direction; of a capsule to the surface of a ball.
fn across(out: &Vector3<f64>, cylinder: &Cylinder) -> Vector3<f64> {
    if cylinder.is_capsule {
        return out * cylinder.radius;
    }
    (out - cylinder.axis * cylinder.axis.dot(out)).normalize() * cylinder.radius
}

/// End that lies on the line of the other body: a corner, or the point of a rim that faces along `out`.
fn end_of(feature: Feature, body: &Placed<'_>, out: &Vector3<f64>) -> Option<Vector3<f64>> {
    match feature {
        Feature::Rim(up) | Feature::Ball(up) => {
            Cylinder::of(body).map(|cylinder| cylinder.at(cylinder.end(up)) + across(out, &cylinder))
        }
        Feature::Vertex(v) => polytope(body).map(|p| arm(body, &p.vertices[v])),
        _ => None,
    }
}

/// Places an end of a line: its arm, the arm of the opposite point of the other body, and the gap, all along
/// the normal n of a line that runs `along`. Both arms lead to one place but for the gap along n, or else
/// equal and opposite forces would turn the two bodies together: lines whose gap is that small still pass
/// each other by √(2 D gap). The places of all ends are on one line, or the equivalent contact point would be
/// beside both bodies: an edge if the pair has one, between sides the line midway.
fn placed_along(
    FeaturePair(of_a, of_b): FeaturePair,
    a: &Placed<'_>,
    b: &Placed<'_>,
    n: &Vector3<f64>,
    along: &Vector3<f64>,
) -> Option<PointGeometry<f64>> {
    let offset = a.way_to(b);
    let opposite = |end: Vector3<f64>, (base, direction): (Vector3<f64>, Vector3<f64>)| {
        base + direction * (along.dot(&(end - base)) / along.dot(&direction))
    };
    // The points are seen from the centre of mass of A.
    let (on_a, on_b) = match line_of(of_a, a, n) {
        Some(line) => {
            let end = offset + end_of(of_b, b, &-n)?;
            (opposite(end, line), end)
        }
        None => {
            let end = end_of(of_a, a, n)?;
            let line = line_of(of_b, b, &-n)?;
            (end, offset + opposite(end - offset, line))
        }
    };
    let gap = n.dot(&(on_b - on_a));
    let is_round = [of_a, of_b].map(|of| matches!(of, Feature::Side | Feature::Rim(_) | Feature::Ball(_)));
    let [on_a, on_b] = match is_round {
        [false, true] => [on_a, on_a + n * gap],
        [true, false] => [on_b - n * gap, on_b],
        _ => {
            let middle = (on_a + on_b) * 0.5;
            [middle - n * (gap * 0.5), middle + n * (gap * 0.5)]
        }
    };
    Some(PointGeometry { normal: *n, arm_a: on_a, arm_b: on_b - offset, gap })
}

impl ContactManifold {
    /// Gives the ends of a line that carries the loads `x` one normal, and their gaps along it. The crossing
    /// of the lines between the ends becomes inactive.
    pub fn straighten(&mut self, a: &Placed<'_>, b: &Placed<'_>, x: &mut [f64]) {
        self.is_line = false;
        if [a, b].iter().all(|body| Cylinder::of(body).is_none()) {
            return;
        }
        let n = self.points.len().min(x.len());
        let loads = |point: &ContactPoint| is_end(point, a, b) || is_crossing(point, a, b);
        let sum = (0..n).filter(|k| x[*k] > 0.0 && loads(&self.points[*k]));
        let sum: Vector3<f64> = sum.map(|k| self.points[k].geometry.normal * x[k]).sum();
        let Some(near) = sum.try_normalize(0.0) else { return };
        let of_line =
            |point: &ContactPoint| is_end(point, a, b) && (point.geometry.normal - near).norm() < LINE_TWIST;
        if self.points[..n].iter().filter(|point| of_line(point)).count() < 2 {
            return;
        }
        for k in 0..n {
            if is_crossing(&self.points[k], a, b)
                && (self.points[k].geometry.normal - near).norm() < LINE_TWIST
            {
                self.transfer_to_ends(k, n, &of_line, x);
            }
        }
        let (mut sum, mut along) = (Vector3::zeros(), Vector3::zeros());
        for (point, x) in self.points.iter().zip(&*x).filter(|(point, x)| **x > 0.0 && of_line(point)) {
            let FeaturePair(of_a, of_b) = point.feature;
            let line = line_of(of_a, a, &near).or_else(|| line_of(of_b, b, &-near));
            let direction = line.map_or_else(Vector3::zeros, |line| line.1);
            along += if direction.dot(&along) < 0.0 { -direction } else { direction };
            let distance = point.geometry.gap + radius(of_a, a) + radius(of_b, b);
            sum += point.geometry.normal * (*x * distance.max(0.0));
        }
        // Each end's normal is across its own line; those of both lines together lean along them by ε² (s_k −
        // s*) / 2D.
        let Some(along) = along.try_normalize(0.0) else { return };
        let Some(normal) = (sum - along * along.dot(&sum)).try_normalize(0.0) else { return };
        for point in self.points[..n].iter_mut().filter(|point| of_line(point)) {
            if let Some(geometry) = placed_along(point.feature, a, b, &normal, &along) {
                point.geometry = geometry;
            }
        }
        self.is_line = true;
    }

    /// Moves ends of crossing lines that carry loads `x` to the centre of their loads, as one contact point,
    /// if the lines touch only at that place: the own gap of one of the ends, which [`Self::straighten`] has
    /// made 0, is more than `closed` (m). Returns whether the ends moved. This suits loads that do not turn
    /// the bodies to where the loads have their centre, as those of an impact.
    pub fn narrow(&mut self, a: &Placed<'_>, b: &Placed<'_>, closed: f64, x: &mut [f64]) -> bool {
        let n = self.points.len().min(x.len());
        let loaded = |k: &usize| self.is_line && x[*k] > 0.0 && is_end(&self.points[*k], a, b);
        let Some(first) = (0..n).find(loaded) else { return false };
        let normal = self.points[first].geometry.normal;
        let is_of_line =
            |k: &usize| is_end(&self.points[*k], a, b) && self.points[*k].geometry.normal == normal;
        let ends: Vec<usize> = (0..n).filter(is_of_line).collect();
        let own_gap = |point: &ContactPoint| place_point(point.feature, a, b, &normal).0.gap;
        let is_open = |k: &usize| own_gap(&self.points[*k]) - self.points[*k].geometry.gap > closed;
        if !ends.iter().any(is_open) {
            return false;
        }
        let sum: f64 = ends.iter().map(|k| x[*k].max(0.0)).sum();
        let mut at = PointGeometry { normal, arm_a: Vector3::zeros(), arm_b: Vector3::zeros(), gap: 0.0 };
        for k in ends {
            let (point, load) = (&mut self.points[k], std::mem::take(&mut x[k]).max(0.0));
            at.arm_a += point.geometry.arm_a * (load / sum);
            at.arm_b += point.geometry.arm_b * (load / sum);
            at.gap += point.geometry.gap * (load / sum);
            point.activation = point.activation.with_idle(k != first);
        }
        (self.points[first].geometry, x[first], self.is_line) = (at, sum, false);
        true
    }

    /// Lets contact point k, where two lines cross, exert nothing if ends of the lines are on both sides of
    /// it; they take its load as on a lever.
    fn transfer_to_ends(
        &mut self,
        k: usize,
        n: usize,
        of_line: &impl Fn(&ContactPoint) -> bool,
        x: &mut [f64],
    ) {
        let at = self.points[k].geometry.arm_b;
        let from = |j: usize| self.points[j].geometry.arm_b - at;
        let ends = || (0..n).filter(|j| of_line(&self.points[*j]));
        let nearest = |ends: &mut dyn Iterator<Item = usize>| {
            ends.min_by(|i, j| from(*i).norm().total_cmp(&from(*j).norm()))
        };
        let Some(first) = nearest(&mut ends()) else { return };
        let other = nearest(&mut ends().filter(|j| from(*j).dot(&from(first)) < 0.0));
        let Some(second) = other else { return };
        let [near, far] = [first, second].map(|j| from(j).norm());
        let load = std::mem::take(&mut x[k]).max(0.0);
        x[first] += load * far / (near + far);
        x[second] += load * near / (near + far);
        self.points[k].activation = self.points[k].activation.with_idle(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::FeatureSearch;
    use crate::contact::feature_query::FeatureQuery;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Pose, Shape};
    use signorini_scene::scene::Part;

    fn cylinder(radius: f64, half_length: f64) -> PartModel {
        let shape = Shape::Cylinder { radius, half_length };
        PartModel { size: radius, ..PartModel::new(0, 0, &Part::new(shape)) }
    }

    /// Two skew cylinders whose sides touch at one point s*. Loads on both ends of their overlap with that
    /// point as their centre touch too, along the common normal of the sides; loads with another centre do
    /// not.
    #[test]
    fn ends_touch_where_their_loads_are_centred_on_the_crossing() {
        let [lower, upper] = [cylinder(0.1, 0.2), cylinder(0.05, 0.3)];
        let at_rest = MovedPart::new(&lower, &Pose::identity());
        let a = Placed::new(&lower, &at_rest);
        for skew in [1e-7, 1e-5, 1e-3, 3e-3] {
            // The skew is about x, the normal; the crossing is at z = 0.07, 0.02 from the middle of the upper
            // one.
            let orientation = UnitQuaternion::from_scaled_axis(Vector3::x() * skew);
            let crossing = Vector3::new(0.15, 0.0, 0.07);
            let position = crossing - orientation * Vector3::z() * 0.02;
            let moved = MovedPart::new(&upper, &Pose { position, orientation });
            let b = Placed::new(&upper, &moved);
            let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
            manifold.begin(&FeatureQuery::new(&a, &b, Vector3::x()), &mut search);
            for centre in [0.07, 0.0] {
                manifold.reserve();
                let mut x = vec![0.0; 12];
                manifold.refresh(&FeatureQuery::new(&a, &b, Vector3::x()), 0.0, &mut search, &mut x);
                let ends: Vec<usize> =
                    (0..manifold.points.len()).filter(|k| is_end(&manifold.points[*k], &a, &b)).collect();
                assert_eq!(ends.len(), 2, "{skew}: {:?}", manifold.points);
                let place = |k: usize| manifold.points[k].geometry.arm_a.z;
                let fraction = (centre - place(ends[1])) / (place(ends[0]) - place(ends[1]));
                (x[ends[0]], x[ends[1]]) = (fraction, 1.0 - fraction);
                manifold.straighten(&a, &b, &mut x);
                assert!(manifold.is_line);
                let (first, second) =
                    (&manifold.points[ends[0]].geometry, &manifold.points[ends[1]].geometry);
                assert_eq!(first.normal, second.normal);
                // The vector from axis to axis at the centre of the loads, with "along" that of one of them.
                let lean = first.normal.y / first.normal.x;
                let expected = -skew.tan() * (centre - 0.07) / 0.15;
                let turned = skew * skew * expected.abs();
                assert!((lean - expected).abs() < turned + 1e-11, "{skew}: {lean} and {expected}");
                for end in [first, second] {
                    let way = position + end.arm_b - end.arm_a;
                    assert!(way.cross(&end.normal).norm() < 1e-15, "{skew}: {way}");
                }
                let worst = first.gap.abs().max(second.gap.abs());
                if centre == 0.07 {
                    // The arms are those before, up to skew² along the line.
                    assert!(worst < 1e-14 + skew.powi(4), "{skew}: {} {}", first.gap, second.gap);
                    let turned = (first.normal - Vector3::x()).norm();
                    assert!(turned < 1e-12 + skew.powi(3), "{skew}: {}", first.normal);
                } else if skew > 1e-5 {
                    assert!(worst > 0.01 * skew * skew, "{skew}: {worst}");
                }
            }
        }
    }

    /// Cylinders of which each has an end beyond the other, on different sides: each has a rim on the side of
    /// the other. Their loads act where the lines cross, on both sides; an impact has no other place.
    #[test]
    fn ends_on_both_bodies_carry_load_where_the_sides_touch() {
        let [lower, upper] = [cylinder(0.1, 0.2), cylinder(0.05, 0.2)];
        let at_rest = MovedPart::new(&lower, &Pose::identity());
        let a = Placed::new(&lower, &at_rest);
        for skew in [1e-5, 1e-3, 3e-3] {
            let orientation = UnitQuaternion::from_scaled_axis(Vector3::x() * skew);
            let position = Vector3::new(0.15, 0.0, 0.07) + orientation * Vector3::z() * 0.03;
            let moved = MovedPart::new(&upper, &Pose { position, orientation });
            let b = Placed::new(&upper, &moved);
            let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
            let query = FeatureQuery::new(&a, &b, Vector3::x());
            manifold.begin(&query, &mut search);
            manifold.reserve();
            let mut x = vec![0.0; 12];
            manifold.refresh(&query, 0.0, &mut search, &mut x);
            let ends: Vec<usize> =
                (0..manifold.points.len()).filter(|k| is_end(&manifold.points[*k], &a, &b)).collect();
            let [first, second] = ends[..] else { panic!("{skew}: {:?}", manifold.points) };
            let sides = [first, second].map(|k| matches!(manifold.points[k].feature.0, Feature::Side));
            assert_ne!(sides[0], sides[1]);
            let place = |k: usize| manifold.points[k].geometry.arm_a.z;
            let fraction = (0.07 - place(second)) / (place(first) - place(second));
            (x[first], x[second]) = (2.0 * fraction, 2.0 - 2.0 * fraction);
            manifold.straighten(&a, &b, &mut x);
            let own = (skew * 0.13_f64).powi(2) / 0.3;
            assert!(!manifold.clone().narrow(&a, &b, 2.0 * own, &mut x.clone()));
            assert!(manifold.narrow(&a, &b, 0.5 * own, &mut x));
            assert!(
                x.iter().filter(|x| **x > 0.0).count() == 1 && (x[first] + x[second] - 2.0).abs() < 1e-15
            );
            let exerting = manifold.points.iter().filter(|point| point.exerts());
            let exerting: Vec<_> = exerting.map(|point| point.geometry).collect();
            let [at] = exerting[..] else { panic!("{skew}: {exerting:?}") };
            // The deviation is skew² × 0.13 / 0.15 along the lines, at most.
            let expected = Vector3::new(0.1, 0.0, 0.07);
            assert!((at.arm_a - expected).norm() < 1e-12 + skew.powi(2), "{skew}: {}", at.arm_a);
            let off = at.arm_a.xy().norm() - 0.1;
            assert!(off.abs() < 1e-15 + skew.powi(4), "{skew}: {off}");
            let along = orientation.inverse() * at.arm_b;
            let off = along.xy().norm() - 0.05;
            assert!(off.abs() < 1e-15 + skew.powi(4), "{skew}: {off}");
        }
    }
}
