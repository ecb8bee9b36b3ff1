//! The features of two bodies that a contact point holds apart.

use crate::contact::feature::{Cylinder, Feature, piece, plane_of};
use crate::contact::part_model::PartModel;
use crate::contact::placed::Placed;
use crate::contact::tolerances::CLOSEST_POINT_TOLERANCE;
use nalgebra::Vector3;
use signorini_kernels::flat_point::PointGeometry;
use signorini_kernels::piece_pair::{Solved, common_normal, gap_along, solve};

/// Most changes between the lines of capsules and their ends: each may come back once.
const MOST_ENDS: usize = 6;
/// Cosine between an end of a capsule and a normal from which on the normal leans inwards.
const INWARD: f64 = 1e-12;
/// Cosine between the axis of a capsule and a normal up to which an end of the side is like the side.
const ENDS_LEAN: f64 = 1e-8;
/// Part of the half length of a capsule from which on a place is at its end.
const AT_END: f64 = 1.0 - 1e-9;

/// A feature of A and the feature of B that it faces.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FeaturePair(pub Feature, pub Feature);

impl FeaturePair {
    /// Pairs a feature of one body with the one of the other that it faces; `swapped` if the first is B's.
    pub fn of(own: Feature, other: Feature, swapped: bool) -> Self {
        if swapped { FeaturePair(other, own) } else { FeaturePair(own, other) }
    }

    /// Whether two pairs of features are equal up to the place of a material point. Where two edges cross
    /// above a face, the face may be that of either body.
    pub fn is_same(&self, other: &FeaturePair) -> bool {
        match (self.crossing_edges(), other.crossing_edges()) {
            (Some(edges), Some(others)) => edges == others,
            _ => self.0.is_same(&other.0) && self.1.is_same(&other.1),
        }
    }

    /// Edges (of A, of B) that cross above a face at the feature's point.
    pub fn crossing_edges(&self) -> Option<(usize, usize)> {
        match self {
            FeaturePair(_, Feature::EdgePoint(_, edges)) | FeaturePair(Feature::EdgePoint(_, edges), _) => {
                Some(*edges)
            }
            _ => None,
        }
    }

    /// Whether one of the features belongs to an earlier part of its body, too.
    pub fn is_of_earlier(&self, [a, b]: [&PartModel; 2]) -> bool {
        let has = |part: &PartModel, feature: Feature| match feature {
            Feature::Vertex(corner) => part.shared.has_corner(corner),
            Feature::Edge(edge) => part.shared.has_edge(edge),
            _ => false,
        };
        match self.crossing_edges() {
            Some((of_a, of_b)) => a.shared.has_edge(of_a) || b.shared.has_edge(of_b),
            None => has(a, self.0) || has(b, self.1),
        }
    }

    /// Whether both features belong to half-spaces or polytopes.
    pub fn is_polyhedral(&self) -> bool {
        self.0.is_polyhedral() && self.1.is_polyhedral()
    }

    /// Solves for gap, normal and points of both features; None if the bodies have no such features. `hint`
    /// tells the side of the normal where no feature has a plane.
    pub fn solve(&self, a: &Placed<'_>, b: &Placed<'_>, hint: &Vector3<f64>) -> Option<Solved<f64>> {
        let hint = match (plane_of(self.0, a), plane_of(self.1, b)) {
            (Some((n, _)), _) => n,
            (None, Some((n, _))) => -n,
            (None, None) => *hint,
        };
        if self.has_line(a, b) {
            return self.solve_bounded(a, b, &hint);
        }
        self.solve_unbounded(a, b, &hint)
    }

    fn solve_unbounded(&self, a: &Placed<'_>, b: &Placed<'_>, hint: &Vector3<f64>) -> Option<Solved<f64>> {
        let (of_a, of_b) = (piece(self.0, a)?, piece(self.1, b)?);
        Some(solve(&of_a, &of_b, &a.way_to(b), hint, CLOSEST_POINT_TOLERANCE))
    }

    /// Whether a side of a capsule is among the features. Its line ends in the capsule's balls, of which the
    /// nearer takes its place where the closest point is beyond it.
    pub fn has_line(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        is_line(self.0, a) || is_line(self.1, b)
    }

    /// Solves with lines that end: from the features on which the points are, as long as these change.
    /// Parallel lines have no closest points of their own; those of an end of one serve as well as any.
    fn solve_bounded(&self, a: &Placed<'_>, b: &Placed<'_>, hint: &Vector3<f64>) -> Option<Solved<f64>> {
        let mut features = *self;
        let mut solved = features.solve_unbounded(a, b, hint)?;
        if !solved.point.gap.is_finite() {
            let middle = b.moved.shape_origin + a.way_to(b) - a.moved.shape_origin;
            let up =
                |body: &Placed<'_>, way: Vector3<f64>| body.moved.shape_rotation.column(2).dot(&way) > 0.0;
            features = match is_line(self.0, a) {
                true => FeaturePair(Feature::Ball(up(a, middle)), self.1),
                false => FeaturePair(self.0, Feature::Ball(up(b, -middle))),
            };
            solved = features.solve_unbounded(a, b, hint)?;
        }
        for _ in 0..MOST_ENDS {
            let PointGeometry { normal, arm_a, arm_b, .. } = &solved.point;
            let mut next = features;
            if self.0 == Feature::Side {
                next.0 = bounded(features.0, a, arm_a, normal);
            }
            // One at a time: two lines may be parallel where a line and an end are not.
            if self.1 == Feature::Side && next == features {
                next.1 = bounded(features.1, b, arm_b, &-normal);
            }
            if next == features {
                break;
            }
            features = next;
            solved = features.solve_unbounded(a, b, hint)?;
        }
        Some(solved)
    }

    /// Features whose pieces meet at a place: of a capsule the ball at an end of its side, where the normal
    /// leans along it.
    pub fn at(&self, a: &Placed<'_>, b: &Placed<'_>, place: &PointGeometry<f64>) -> Self {
        if !self.has_line(a, b) {
            return *self;
        }
        let end = |of: Feature, body: &Placed<'_>, arm: &Vector3<f64>, out: &Vector3<f64>| {
            let capsule = Cylinder::of(body).filter(|of| of.is_capsule)?;
            let height = capsule.coordinates(&(arm - out * capsule.radius)).0;
            let leans = capsule.axis.dot(out) * height.signum() > ENDS_LEAN;
            (of == Feature::Side && leans && height.abs() >= capsule.half * AT_END)
                .then_some(Feature::Ball(height > 0.0))
        };
        let PointGeometry { normal, arm_a, arm_b, .. } = place;
        FeaturePair(
            end(self.0, a, arm_a, normal).unwrap_or(self.0),
            end(self.1, b, arm_b, &-normal).unwrap_or(self.1),
        )
    }

    /// Normal of two features of which neither has a plane, and the gap along it (m), from a guess of the
    /// normal.
    pub fn normal(&self, a: &Placed<'_>, b: &Placed<'_>, hint: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        if self.has_line(a, b) {
            let found = self.solve(a, b, hint)?;
            return Some((found.point.normal, found.point.gap));
        }
        let (of_a, of_b) = (piece(self.0, a)?, piece(self.1, b)?);
        let offset = a.way_to(b);
        let n = common_normal(&of_a, &of_b, &offset, hint, CLOSEST_POINT_TOLERANCE);
        Some((n, gap_along(&of_a, &of_b, &offset, &n)))
    }
}

fn is_line(of: Feature, body: &Placed<'_>) -> bool {
    of == Feature::Side && Cylinder::of(body).is_some_and(|of| of.is_capsule)
}

/// Side or ball of a capsule for a point of one of them with an outer normal; of others the feature itself.
fn bounded(of: Feature, body: &Placed<'_>, arm: &Vector3<f64>, out: &Vector3<f64>) -> Feature {
    let Some(capsule) = Cylinder::of(body).filter(|of| of.is_capsule) else { return of };
    match of {
        Feature::Side => {
            let height = capsule.coordinates(arm).0;
            if height.abs() > capsule.half { Feature::Ball(height > 0.0) } else { of }
        }
        Feature::Ball(up) if capsule.axis.dot(out) * capsule.end(up) < -INWARD * capsule.half => {
            Feature::Side
        }
        _ => of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use signorini_geometry::{Pose, Shape};
    use signorini_scene::scene::Part;

    /// Least distance of two lines, by turns: each point goes to where its line is nearest to the other.
    fn distance(lines: [(Vector3<f64>, Vector3<f64>); 2]) -> f64 {
        let nearest = |(center, half): (Vector3<f64>, Vector3<f64>), to: Vector3<f64>| {
            center + half * (half.dot(&(to - center)) / half.norm_squared()).clamp(-1.0, 1.0)
        };
        let mut points = lines.map(|line| line.0);
        for _ in 0..20_000 {
            points[0] = nearest(lines[0], points[1]);
            points[1] = nearest(lines[1], points[0]);
        }
        (points[1] - points[0]).norm()
    }

    /// Sides of capsules have the gap of the nearest points of their lines, be they inside, at an end, or
    /// parallel; and the pieces that meet there have the same geometry.
    #[test]
    fn sides_of_capsules_end_in_balls() {
        let shapes = [0.3, 0.5].map(|half_length| Shape::Capsule { radius: 0.1, half_length });
        let models = shapes.map(|shape| PartModel::new(0, 0, &Part::new(shape)));
        let mut random = Pcg64::seed_from_u64(2);
        let mut at_ends = [0; 3];
        for k in 0..400 {
            let mut three = |half: f64| Vector3::from_fn(|_, _| random.random_range(-half..half));
            let first = UnitQuaternion::from_scaled_axis(three(2.0));
            let second = if k % 4 == 0 { first } else { UnitQuaternion::from_scaled_axis(three(2.0)) };
            let poses = [(first, three(0.2)), (second, three(0.9))]
                .map(|(orientation, position)| Pose { position, orientation });
            let moved = [0, 1].map(|i| MovedPart::new(&models[i], &poses[i]));
            let [a, b] = [0, 1].map(|i| Placed::new(&models[i], &moved[i]));
            let line = |i: usize, half: f64| (poses[i].position, poses[i].orientation * Vector3::z() * half);
            let exact = distance([line(0, 0.3), line(1, 0.5)]) - 0.2;
            let sides = FeaturePair(Feature::Side, Feature::Side);
            let hint = (poses[1].position - poses[0].position).normalize();
            let solved = sides.solve(&a, &b, &hint).expect("two sides");
            assert!((solved.point.gap - exact).abs() < 1e-6, "{k}: {} and {exact}", solved.point.gap);
            assert!(exact < -0.15 || (a.separation_along(&b, &solved.point.normal) - exact).abs() < 1e-6);
            let pieces = sides.at(&a, &b, &solved.point);
            let again = pieces.solve_unbounded(&a, &b, &solved.point.normal).expect("two pieces");
            if again.point.gap.is_finite() {
                assert!((again.point.arm_b - solved.point.arm_b).norm() < 1e-9, "{k}: {pieces:?}");
            }
            let n_ends = [pieces.0, pieces.1].iter().filter(|of| **of != Feature::Side).count();
            at_ends[n_ends] += 1;
        }
        assert!(at_ends.iter().all(|n| *n > 50), "{at_ends:?}");
    }
}
