//! Contact points of convex bodies with the concave wall of a bore (theory §3.14).
//!
//! The wall is touched by points of the body that no other around them exceeds in distance from the axis:
//! corners of polytopes, and on ellipsoids and the rims of cylinders points that are found along the axis,
//! where these are ellipses. Each has a pair of its own, with the part of the bore that has its index.

use crate::contact::feature::{Feature, piece};
use crate::contact::placed::Placed;
use nalgebra::Vector3;
use signorini_geometry::Shape;
use signorini_kernels::flat_point::PointGeometry;
use signorini_kernels::pair_tangent::PairTangent;
use signorini_kernels::piece_pair::{Piece, Solved, tangent};
use signorini_kernels::smooth_pair::{Ellipsoid, tangents};

/// Most steps of the search for a point, and its longest step (rad).
const MOST_STEPS: usize = 40;
const LONGEST_STEP: f64 = 0.3;
/// Steps below this angle (rad) are rounding.
const SMALLEST_STEP: f64 = 1e-16;
/// Halvings that place a point on an ellipse, from where the search goes on.
const HALVINGS: usize = 30;
/// Distances from the axis below this part of the radius have no direction.
const AT_AXIS: f64 = 1e-9;
/// Differences of the squares of axes below this part of them are none.
const ROUND: f64 = 1e-12;

/// A bore at a pose, world axes, about its body's centre of mass.
#[derive(Debug, Clone, Copy)]
pub struct Bore {
    origin: Vector3<f64>,
    axis: Vector3<f64>,
    radius: f64,
    corner: usize,
}

impl Bore {
    /// The bore of a placed part, if it is one.
    pub fn of(part: &Placed<'_>) -> Option<Self> {
        let Shape::Bore { radius, corner } = part.model.shape else { return None };
        let axis = part.moved.shape_rotation.column(2).into();
        Some(Self { origin: part.moved.shape_origin, axis, radius, corner })
    }

    fn across(&self, x: &Vector3<f64>) -> Vector3<f64> {
        x - self.axis * self.axis.dot(x)
    }

    /// Normal out of the wall where it is nearest to the middle of a body.
    pub fn normal_to(&self, own: &Placed<'_>, body: &Placed<'_>) -> Vector3<f64> {
        let way = self.across(&(own.way_to(body) + body.moved.shape_origin - self.origin));
        way.try_normalize(AT_AXIS * self.radius).map_or_else(|| self.any_normal(), |out| -out)
    }

    fn any_normal(&self) -> Vector3<f64> {
        tangents(&self.axis).0
    }

    /// Lower bound of the gap to a body (m), by the ball around it.
    pub fn least_gap(&self, own: &Placed<'_>, body: &Placed<'_>) -> f64 {
        let way = own.way_to(body) + body.moved.shape_origin - self.origin;
        self.radius - self.across(&way).norm() - body.model.shape.bounding_radius()
    }

    /// Feature of a body that this part of the bore is for; None where the body has no such point.
    fn feature(&self, body: &Placed<'_>) -> Option<Feature> {
        match &body.model.shape {
            Shape::Ellipsoid { .. } => Some(Feature::Ellipsoid),
            Shape::Cylinder { .. } => Some(Feature::Rim(self.corner < 2)),
            Shape::Capsule { .. } => Some(Feature::Ball(self.corner == 0)),
            Shape::Polytope(_) => Some(Feature::Vertex(self.corner)),
            Shape::HalfSpace { .. } | Shape::Bore { .. } => None,
        }
    }

    /// The point of a body that this part is for against the wall, the feature that it belongs to, and
    /// whether there is such a point: where a body has one instead of two that may touch, it is for the first
    /// part, or for both.
    pub fn closest(&self, [own, body]: [&Placed<'_>; 2]) -> (Feature, Solved<f64>, bool) {
        let feature = self.feature(body).unwrap_or(Feature::Ellipsoid);
        let round = piece(feature, body).unwrap_or_else(|| Piece::point(body.moved.shape_origin)).round;
        let center = own.way_to(body) + round.center - self.origin;
        let (place, is_there) = self.place(feature, &center, body, &round);
        let out =
            self.across(&place).try_normalize(AT_AXIS * self.radius).unwrap_or_else(|| self.any_normal());
        let out = self.climb(&center, out, &round);
        let (h, s) = round.support(&out);
        let x = center + s;
        let (along, reach) = (self.axis * self.axis.dot(&x), out.dot(&x));
        let mismatch = (x - along - out * reach).norm();
        let t = self.axis.cross(&out);
        let point = PointGeometry {
            normal: -out,
            arm_a: self.origin + along + out * self.radius,
            arm_b: round.center + s,
            gap: self.radius - reach,
        };
        let slope = [t * t.transpose() * -self.radius, round.support_slope(h, &s)];
        let residual = mismatch / (x.norm() + self.radius);
        (feature, Solved { point, slope, mismatch, residual }, is_there)
    }

    /// Place of the point from the axis, nearly, and whether it is one.
    fn place(
        &self,
        feature: Feature,
        center: &Vector3<f64>,
        body: &Placed<'_>,
        round: &Ellipsoid<f64>,
    ) -> (Vector3<f64>, bool) {
        // The other end of a capsule has a part of its own.
        if matches!(feature, Feature::Vertex(_) | Feature::Ball(_)) {
            return (*center, true);
        }
        let [first, second] = self.tops(center, round, &self.side(body));
        // The second part keeps its point where the first has none: its load would have to move.
        let own = if self.corner & 1 == 0 { first.or(second) } else { second };
        (own.or(first).unwrap_or(*center), own.is_some())
    }

    /// Vectors that move with a body, one of which tells which end of the long axis of its ellipses is which.
    fn side(&self, body: &Placed<'_>) -> [Vector3<f64>; 3] {
        let columns = body.moved.shape_rotation;
        match &body.model.shape {
            Shape::Ellipsoid { semi_axes } => [0, 1, 2].map(|k| columns.column(k) * semi_axes[k]),
            _ => [self.axis.cross(&columns.column(2)), Vector3::zeros(), Vector3::zeros()],
        }
    }

    /// Points of an ellipse that no other around them exceeds in distance from the axis: on the half towards
    /// the end u of its long axis, and on the other. With the long and the short semi-axis a and b,
    /// k = a² − b², and the place x = c + a cos θ u + b sin θ v they solve
    /// ```text
    /// 2 k sin θ + 2 a c_u tan θ = 2 b c_v
    /// ```
    /// which has one root on the half on which c lies, and on the other at most one at which the distance is
    /// largest: where the left side falls.
    fn tops(
        &self,
        center: &Vector3<f64>,
        round: &Ellipsoid<f64>,
        ends: &[Vector3<f64>; 3],
    ) -> [Option<Vector3<f64>>; 2] {
        let first = self.any_normal();
        let second = self.axis.cross(&first);
        let (q1, q2) = (round.q * first, round.q * second);
        let (xx, xy, yy) = (first.dot(&q1), first.dot(&q2), second.dot(&q2));
        let (mean, half) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
        let (sine, cosine) = (0.5 * xy.atan2(0.5 * (xx - yy))).sin_cos();
        let (u, v) = (first * cosine + second * sine, second * cosine - first * sine);
        let along = ends.iter().map(|end| u.dot(end)).max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let u = if along.is_some_and(|along| along < 0.0) { -u } else { u };
        let [a, b] = [mean + half, (mean - half).max(0.0)].map(f64::sqrt);
        let side = if center.dot(&u) < 0.0 { -1.0 } else { 1.0 };
        let (k, p, q) = (2.0 * half, 2.0 * a * (side * center.dot(&u)), 2.0 * b * center.dot(&v));
        let at = |side: f64, s: f64| center + u * (side * a * (1.0 - s * s).max(0.0).sqrt()) + v * (b * s);
        let tangent = |s: f64| s / (1.0 - s * s).sqrt();
        let far = at(side, root(|s| 2.0 * k * s + p * tangent(s) - q, 1.0));
        // On the other half sin θ = −s: the left side falls where cos³ θ > p/2k.
        let near = |s: f64| q + 2.0 * k * s - p * tangent(s);
        let most = (1.0 - (p / (2.0 * k)).powf(2.0 / 3.0)).sqrt();
        let is_round = k <= ROUND * mean || p >= 2.0 * k;
        let has_near = !is_round && near(most) >= 0.0 && near(-most) <= 0.0;
        let near = has_near.then(|| at(-side, -root(near, most)));
        if side > 0.0 { [Some(far), near] } else { [near, Some(far)] }
    }

    /// Makes m·(c + s(m)) largest over the unit vectors m across the axis, from one of them, by Newton with
    /// backtracking: the slope is t·(c + s), its fall m·(c + s) − t·S t.
    fn climb(&self, center: &Vector3<f64>, start: Vector3<f64>, round: &Ellipsoid<f64>) -> Vector3<f64> {
        let look = |m: &Vector3<f64>| {
            let ((h, s), t) = (round.support(m), self.axis.cross(m));
            let bend = m.dot(center) + h - t.dot(&(round.support_slope(h, &s) * t));
            (m.dot(center) + h, t.dot(&(center + s)), bend)
        };
        let mut m = start;
        let (mut reach, mut slope, mut bend) = look(&m);
        let extent = center.norm() + round.support(&m).0;
        let rounding = f64::EPSILON * extent;
        for _ in 0..MOST_STEPS {
            if slope.abs() <= rounding {
                break;
            }
            let whole = if bend > ROUND * extent { slope / bend } else { LONGEST_STEP.copysign(slope) };
            let mut step = whole.clamp(-LONGEST_STEP, LONGEST_STEP);
            let better = std::iter::from_fn(|| {
                let next = (m + self.axis.cross(&m) * step).normalize();
                step *= 0.5;
                (step.abs() > SMALLEST_STEP).then(|| (next, look(&next)))
            })
            .find(|(_, seen)| {
                seen.0 > reach + rounding || seen.0 >= reach - rounding && seen.1.abs() < slope.abs()
            });
            let Some((next, seen)) = better else { break };
            m = next;
            (reach, slope, bend) = seen;
        }
        m
    }

    /// Derivatives of normal and arms of the pair with the poses.
    pub fn tangent(&self, body: &Placed<'_>, feature: Feature, solved: &Solved<f64>) -> PairTangent<f64> {
        let Some(of_body) = piece(feature, body) else { return PairTangent::zero() };
        let t = self.axis.cross(&solved.point.normal);
        let [of_wall, slope] = &solved.slope;
        let bend = t.dot(&((of_wall + slope) * t)) + solved.point.gap;
        if bend.abs() <= AT_AXIS * self.radius {
            return PairTangent::zero();
        }
        tangent(&Piece::point(self.origin).along(&self.axis), &of_body, solved)
    }
}

/// Place in (−most, most) at which a rising function is zero, roughly.
fn root(f: impl Fn(f64) -> f64, most: f64) -> f64 {
    let (mut low, mut high) = (-most, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use signorini_geometry::bore::corners_in_bore;
    use signorini_geometry::{Polytope, Pose};
    use signorini_scene::scene::Part;

    const RADIUS: f64 = 0.5;

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Ellipsoid { semi_axes: Vector3::repeat(0.1) },
            Shape::Ellipsoid { semi_axes: Vector3::new(0.3, 0.05, 0.15) },
            Shape::Cylinder { radius: 0.1, half_length: 0.2 },
            Shape::Cylinder { radius: 0.3, half_length: 0.02 },
            Shape::Polytope(Polytope::box_(Vector3::new(0.2, 0.1, 0.15)).into()),
        ]
    }

    fn random_pose(random: &mut rand_pcg::Pcg64Mcg, most: f64) -> Pose {
        let mut three = |most: f64| Vector3::from_fn(|_, _| random.random_range(-most..most));
        let (position, turn) = (three(most), three(3.0));
        Pose { position, orientation: UnitQuaternion::from_scaled_axis(turn) }
    }

    /// Gaps of all points that may touch, with their normals.
    fn gaps(shape: &Shape, [own, body]: [&Pose; 2]) -> Vec<(f64, Vector3<f64>)> {
        let of_body = PartModel::new(1, 0, &Part::new(shape.clone()));
        let moved = MovedPart::new(&of_body, body);
        (0..corners_in_bore(shape))
            .filter_map(|corner| {
                let bore = PartModel::new(0, corner, &Part::new(Shape::Bore { radius: RADIUS, corner }));
                let placed = MovedPart::new(&bore, own);
                let sides = [Placed::new(&bore, &placed), Placed::new(&of_body, &moved)];
                let (_, found, is_there) = Bore::of(&sides[0])?.closest([&sides[0], &sides[1]]);
                assert!(found.residual < 1e-12, "{shape:?} {corner}: {}", found.residual);
                is_there.then_some((found.point.gap, found.point.normal))
            })
            .collect()
    }

    /// Gap of the whole shape: its support width along normals of the wall, ever closer around the widest.
    fn by_search(shape: &Shape, [own, body]: [&Pose; 2]) -> f64 {
        let model = PartModel::new(1, 0, &Part::new(shape.clone()));
        let moved = MovedPart::new(&model, body);
        let axis = own.orientation * Vector3::z();
        let (first, second) = tangents(&axis);
        let reach = |angle: f64| {
            let m = first * angle.cos() + second * angle.sin();
            m.dot(&(body.position - own.position)) + model.support_width(&moved, &m)
        };
        let (mut middle, mut width) = (0.0, 3.2);
        for _ in 0..8 {
            let angles = (-500..=500).map(|k| middle + width * f64::from(k) / 500.0);
            middle = angles.max_by(|a, b| reach(*a).total_cmp(&reach(*b))).expect("angles");
            width /= 100.0;
        }
        RADIUS - reach(middle)
    }

    /// The least of the gaps is that of the point that is farthest of all.
    #[test]
    fn the_farthest_point_is_among_those_that_may_touch() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
        let (mut n_second, mut n) = (0, 0);
        for case in 0..4000 {
            let shape = &shapes()[case % 5];
            let (own, body) = (random_pose(&mut random, 0.1), random_pose(&mut random, 0.3));
            let found = gaps(shape, [&own, &body]);
            let least = by_search(shape, [&own, &body]);
            let mine = found.iter().map(|(gap, _)| *gap).fold(f64::INFINITY, f64::min);
            assert!((mine - least).abs() < 1e-11, "case {case}: {mine}, {least}");
            n_second += usize::from(case % 5 == 1 && found.len() == 2);
            n += found.len();
        }
        assert!(n_second > 100 && n > 9000, "{n_second} {n}");
    }

    /// Derivatives against differences.
    #[test]
    fn normals_and_arms_turn_as_the_tangent_says() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(9);
        for case in 0..200 {
            let shape = &shapes()[case % 5];
            let poses = [random_pose(&mut random, 0.1), random_pose(&mut random, 0.3)];
            let of_body = PartModel::new(1, 0, &Part::new(shape.clone()));
            let corner = (case / 5) % corners_in_bore(shape);
            let of_bore = PartModel::new(0, corner, &Part::new(Shape::Bore { radius: RADIUS, corner }));
            let at = |poses: &[Pose; 2]| {
                let moved = [MovedPart::new(&of_bore, &poses[0]), MovedPart::new(&of_body, &poses[1])];
                let sides = [Placed::new(&of_bore, &moved[0]), Placed::new(&of_body, &moved[1])];
                let bore = Bore::of(&sides[0])?;
                let (feature, solved, is_there) = bore.closest([&sides[0], &sides[1]]);
                is_there.then(|| (solved.point, bore.tangent(&sides[1], feature, &solved)))
            };
            let Some((_, tangent)) = at(&poses) else { continue };
            // Where the wall is as curved as the body the normal turns without bound.
            if tangent.normal[2].amax() > 50.0 {
                continue;
            }
            for coordinate in 0..12 {
                let step = 1e-6;
                let moved = |sign: f64| {
                    let mut poses = poses;
                    let pose = &mut poses[coordinate / 6];
                    let way = Vector3::ith(coordinate % 3, sign * step);
                    match coordinate / 3 % 2 {
                        0 => pose.position += way,
                        _ => pose.orientation = UnitQuaternion::from_scaled_axis(way) * pose.orientation,
                    }
                    at(&poses).expect("the same point").0
                };
                let (up, down) = (moved(1.0), moved(-1.0));
                let columns = [
                    (up.normal - down.normal, &tangent.normal),
                    (up.arm_a - down.arm_a, &tangent.arm_a),
                    (up.arm_b - down.arm_b, &tangent.arm_b),
                ];
                for (difference, mine) in columns {
                    let mine: Vector3<f64> = mine[coordinate / 3].column(coordinate % 3).into();
                    let off = (difference / (2.0 * step) - mine).norm();
                    assert!(off < 1e-5 * (1.0 + mine.norm()), "case {case}, {coordinate}: {off}, {mine}");
                }
            }
        }
    }
}
