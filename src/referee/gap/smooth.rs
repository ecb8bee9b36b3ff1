//! Signed gap of a polytope and an ellipsoid, climbed to from one start, with a proof that nothing is higher.
//!
//! With n from the polytope to the ellipsoid, d between their centres, corners v and the support width h of
//! the ellipsoid, g(n) = min_v n·(d − v) − h(n) is what is climbed. Let a and c be the longest and the
//! shortest semi-axis, r = c²/a the least radius of curvature.
//!
//! **One top.** Where g(n) = −ε ≤ 0, each direction with as large a g separates the polytope from the
//! ellipsoid made smaller about its centre by ε/c: g + (ε/c) h ≥ 0. These directions form a convex cone, on
//! which g ≥ −ε a/c. Along a great circle n·x has the second derivative −n·x, and h + h″ is a radius of
//! curvature, so that φ = n·x − h has φ″ = −φ − (h + h″) ≤ ε a/c − r = −μ wherever φ ≥ g. If ε < c³/a²,
//! then μ > 0, and g is concave in the cone. If g(n) > 0 the cone is that of g > 0, with μ = r.
//!
//! **How high it is.** For λ_v ≥ 0 with sum 1, x = Σ λ_v (d − v) has n·x − h(n) ≥ g(n) everywhere. From n,
//! with the gradient p of it on the sphere, it rises by at most |p|²/2μ. The gap is therefore at most n·x −
//! h(n) + |p|²/2μ.
//!
//! **The climb** takes Newton steps: the largest of min_v over the corners met so far, with h to second
//! order. The λ of the last step are those of the proof. Without a proof the pair is left to
//! [`super::round`].

use super::ball::to_polytope;
use crate::referee::placed::{PlacedEllipsoid, PlacedPolytope, PlacedShape};
use nalgebra::{Matrix2, Matrix3, Matrix3x2, Vector2, Vector3};

/// Most steps of a climb: Newton's take some five.
const MAX_STEPS: usize = 40;
/// Most corners that a climb keeps.
const MAX_CORNERS: usize = 8;
/// Longest step (radians, about).
const LONGEST: f64 = 0.5;
/// Least part of the expected gain with which a step is taken.
const LEAST_GAIN: f64 = 1e-4;
/// Part of the least radius of curvature that the curvature of g is never taken below.
const LEAST_CURVATURE: f64 = 0.5;
/// Error of g by rounding, over ε and the size of both.
const ROUNDING: f64 = 8.0;

/// The signed gap (m) and the normal from A to B that attains it, if one of them is a polytope and the
/// other an ellipsoid and it is proved that no other direction separates them by more. `start` is a guess
/// of the normal.
pub fn signed_gap(
    a: &PlacedShape,
    b: &PlacedShape,
    start: Option<&Vector3<f64>>,
) -> Option<(f64, Vector3<f64>)> {
    match (a, b) {
        (PlacedShape::Polytope(p), PlacedShape::Ellipsoid(e)) => Climb::new(p, e, start.copied()).run(),
        (PlacedShape::Ellipsoid(e), PlacedShape::Polytope(p)) => {
            Climb::new(p, e, start.map(|n| -n)).run().map(|(gap, n)| (gap, -n))
        }
        _ => None,
    }
}

/// A climb.
struct Climb<'a> {
    polytope: &'a PlacedPolytope,
    ellipsoid: &'a PlacedEllipsoid,
    /// Vector d between the centres (m).
    between: Vector3<f64>,
    /// Matrix R diag(a²) Rᵀ of the ellipsoid (m²).
    matrix: Matrix3<f64>,
    /// Least radius of curvature r (m).
    sharpest: f64,
    /// Rounding of g (m).
    rounding: f64,
    /// Indices of the corners met.
    corners: Vec<usize>,
    at: Place,
}

/// A direction with the separation along it (m).
#[derive(Debug, Clone, Copy)]
struct Place {
    normal: Vector3<f64>,
    gap: f64,
}

/// A step in the plane across a normal.
#[derive(Debug, Clone, Copy)]
struct Step {
    way: Vector2<f64>,
    /// Expected value of g (m).
    expected: f64,
    /// Upper bound of the gap (m), if g is concave with the curvature μ.
    bound: f64,
}

impl<'a> Climb<'a> {
    fn new(
        polytope: &'a PlacedPolytope,
        ellipsoid: &'a PlacedEllipsoid,
        start: Option<Vector3<f64>>,
    ) -> Self {
        let between = ellipsoid.center - polytope.center;
        let axes = &ellipsoid.semi_axes;
        let size = polytope.shape.radius + axes.max() + between.norm();
        let at = Place { normal: Vector3::z(), gap: f64::NEG_INFINITY };
        let mut climb = Self {
            polytope,
            ellipsoid,
            between,
            matrix: ellipsoid.matrix(),
            sharpest: axes.min().powi(2) / axes.max(),
            rounding: ROUNDING * f64::EPSILON * size,
            corners: Vec::with_capacity(MAX_CORNERS),
            at,
        };
        let from_center = to_polytope(polytope, &between).1;
        for n in start.and_then(|n| n.try_normalize(0.0)).into_iter().chain([from_center]) {
            let place = climb.place(n);
            if place.gap > climb.at.gap || place.gap.is_nan() {
                climb.at = place;
            }
        }
        climb
    }

    /// Separation along a unit normal. The corner that it is measured from is met.
    fn place(&mut self, normal: Vector3<f64>) -> Place {
        let mut farthest = (0, f64::NEG_INFINITY);
        for (i, arm) in self.polytope.arms.iter().enumerate() {
            let along = normal.dot(arm);
            if along > farthest.1 {
                farthest = (i, along);
            }
        }
        if !self.corners.contains(&farthest.0) {
            if self.corners.len() == MAX_CORNERS {
                self.corners.remove(0);
            }
            self.corners.push(farthest.0);
        }
        let gap = normal.dot(&self.between) - farthest.1 - self.ellipsoid.support_width(&normal);
        Place { normal, gap }
    }

    fn run(mut self) -> Option<(f64, Vector3<f64>)> {
        for _ in 0..MAX_STEPS {
            let Place { normal, gap } = self.at;
            if gap.is_nan() {
                return Some((gap, normal));
            }
            let basis = across(&normal);
            let step = self.step(&basis)?;
            let is_proved = self.curvature().is_some() && step.bound - gap <= self.rounding;
            if is_proved {
                return Some((gap, normal));
            }
            if !self.take(&basis, &step) {
                return None;
            }
        }
        None
    }

    /// Goes along a step, or learns a corner from it; whether it did.
    fn take(&mut self, basis: &Matrix3x2<f64>, step: &Step) -> bool {
        let Place { normal, gap } = self.at;
        let mut part = (LONGEST / step.way.norm()).min(1.0);
        let known = self.corners.len();
        loop {
            let there = self.place((normal + basis * step.way * part).normalize());
            // The expected gain of a part of a step is at least that part of it.
            // A gain that rounding hides still brings the proof nearer.
            let gain = step.expected - gap;
            let is_hidden = gain <= self.rounding && there.gap >= gap - self.rounding;
            if is_hidden || there.gap > gap + LEAST_GAIN * part * gain {
                self.at = there;
                return true;
            }
            if self.corners.len() > known {
                return true;
            }
            part *= 0.5;
            if part < f64::EPSILON {
                return false;
            }
        }
    }

    /// Bound μ (m) of the curvature of g between here and each direction that is as good, if it is positive.
    fn curvature(&self) -> Option<f64> {
        let (longest, shortest) = (self.ellipsoid.semi_axes.max(), self.ellipsoid.semi_axes.min());
        let overlap = (-self.at.gap).max(0.0);
        let curvature = self.sharpest - overlap * longest / shortest;
        (curvature > LEAST_CURVATURE * self.sharpest).then_some(curvature)
    }

    /// Newton's step over the corners met: the largest of min_v (c_v + p_v·y) − y·H y / 2, by its dual, the
    /// least of Σ λ_v c_v + |Σ λ_v p_v|² / 2 in the norm of H⁻¹. At most three λ are needed.
    fn step(&self, basis: &Matrix3x2<f64>) -> Option<Step> {
        let Place { normal, gap } = self.at;
        let (width, arm) = self.ellipsoid.support(&normal);
        let bend = (self.matrix - arm * arm.transpose()) / width;
        let lifted = gap.max(-LEAST_CURVATURE * self.sharpest);
        let hessian = basis.tr_mul(&(bend * basis)) + Matrix2::identity() * lifted;
        let inverse = hessian.try_inverse()?;
        let curvature = self.curvature().unwrap_or(LEAST_CURVATURE * self.sharpest);
        let lines: Vec<Line> = self
            .corners
            .iter()
            .map(|v| {
                let apart = self.between - self.polytope.arms[*v];
                Line { height: normal.dot(&apart) - width, slope: basis.tr_mul(&(apart - arm)) }
            })
            .collect();
        let mut best: Option<Step> = None;
        let mut offer = |weights: &[(f64, &Line)]| {
            if weights.iter().any(|(weight, _)| weight.is_nan() || *weight < 0.0) {
                return;
            }
            let height: f64 = weights.iter().map(|(weight, line)| weight * line.height).sum();
            let slope: Vector2<f64> = weights.iter().map(|(weight, line)| line.slope * *weight).sum();
            let way = inverse * slope;
            let expected = height + 0.5 * slope.dot(&way);
            if best.is_none_or(|known| expected < known.expected) {
                let bound = height + 0.5 * slope.norm_squared() / curvature;
                best = Some(Step { way, expected, bound });
            }
        };
        for (i, first) in lines.iter().enumerate() {
            offer(&[(1.0, first)]);
            for (j, second) in lines[..i].iter().enumerate() {
                let weight = weight_of_two(first, second, &inverse);
                offer(&[(weight, first), (1.0 - weight, second)]);
                for third in &lines[..j] {
                    if let Some([u, v, w]) = weights_of_three([first, second, third], &hessian) {
                        offer(&[(u, first), (v, second), (w, third)]);
                    }
                }
            }
        }
        best
    }
}

/// Separation from one corner, to first order.
#[derive(Debug, Clone, Copy)]
struct Line {
    height: f64,
    slope: Vector2<f64>,
}

/// Weight of the first of two lines that are as high at Newton's step. NaN of lines with one slope.
fn weight_of_two(first: &Line, second: &Line, inverse: &Matrix2<f64>) -> f64 {
    let turned = inverse * (first.slope - second.slope);
    (second.height - first.height - turned.dot(&second.slope)) / turned.dot(&(first.slope - second.slope))
}

/// Weights of three lines that are as high at Newton's step.
fn weights_of_three(lines: [&Line; 3], hessian: &Matrix2<f64>) -> Option<[f64; 3]> {
    let [first, second, third] = lines;
    let (u, v) = (first.slope - third.slope, second.slope - third.slope);
    let falls = Vector2::new(third.height - first.height, third.height - second.height);
    let slopes = Matrix2::from_columns(&[u, v]);
    let inverse = slopes.try_inverse()?;
    let way = inverse.tr_mul(&falls);
    let weights = inverse * (hessian * way - third.slope);
    Some([weights.x, weights.y, 1.0 - weights.x - weights.y])
}

/// Two unit vectors across a normal and each other.
fn across(normal: &Vector3<f64>) -> Matrix3x2<f64> {
    let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
    Matrix3x2::from_columns(&[first, normal.cross(&first)])
}

#[cfg(test)]
mod tests {
    use super::super::round;
    use super::*;
    use crate::referee::placed::separation_along;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use signorini_geometry::{Polytope, Pose, Shape};

    type V = Vector3<f64>;

    fn three(random: &mut Pcg64, low: f64, high: f64) -> V {
        V::from_fn(|_, _| random.random_range(low..high))
    }

    /// A polytope and an ellipsoid with a gap of `depth` c³/a², where a deep one may be another.
    fn pair(random: &mut Pcg64, case: usize, depth: f64) -> [PlacedShape; 2] {
        let polytope = match case % 3 {
            0 => Polytope::box_(three(random, 0.1, 0.6)),
            // A body may be deep inside a plate beside its edge, and near its faces.
            1 => Polytope::box_(V::new(0.8, 0.6, 0.05)),
            _ => {
                let corners: Vec<V> = (0..8 + case % 40).map(|_| three(random, -0.5, 0.5)).collect();
                Polytope::hull(&corners).unwrap().polytope
            }
        };
        let semi_axes = three(random, 0.05, 0.3);
        let shapes = [Shape::Polytope(polytope.into()), Shape::Ellipsoid { semi_axes }];
        let mut placed = shapes.map(|shape| {
            let orientation = UnitQuaternion::from_scaled_axis(three(random, -2.0, 2.0));
            PlacedShape::new(&shape, &Pose::identity(), &Pose { position: V::zeros(), orientation })
        });
        placed[1].displace(&three(random, -1.5, 1.5));
        let (gap, n) = round::signed_gap(&placed[0], &placed[1], None);
        let unit = semi_axes.min().powi(3) / semi_axes.max().powi(2);
        placed[1].displace(&(n * (depth * unit - gap)));
        placed
    }

    #[test]
    fn a_proved_gap_is_what_the_search_finds() {
        let mut random = Pcg64::seed_from_u64(12);
        let depths = [-20.0, -8.0, -3.0, -2.0, -1.1, -0.45, -0.1, -1e-3, 0.0, 0.1, 1.0, 20.0];
        let (mut n_proved, mut n_deep) = (0, 0);
        for case in 0..600 {
            let [p, e] = pair(&mut random, case, depths[case / 3 % 12]);
            let (searched, normal) = round::signed_gap(&p, &e, None);
            let leaning = (normal + three(&mut random, -0.3, 0.3)).normalize();
            for (a, b, start) in [(&p, &e, None), (&e, &p, None), (&p, &e, Some(leaning))] {
                let Some((gap, n)) = signed_gap(a, b, start.as_ref()) else { continue };
                assert!((separation_along(a, b, &n) - gap).abs() < 1e-14, "case {case}");
                assert!((gap - searched).abs() < 1e-9 && gap > searched - 1e-13, "{case}: {gap}, {searched}");
                n_proved += 1;
                n_deep += usize::from(gap < 0.0);
            }
        }
        assert!(n_proved > 900 && n_deep > 300, "{n_proved}, {n_deep} overlap");
    }

    #[test]
    fn pairs_that_touch_are_proved() {
        let mut random = Pcg64::seed_from_u64(13);
        let mut n_left = 0;
        for case in 0..400 {
            let [p, e] = pair(&mut random, case, [0.5, 0.0, -1e-9, -1e-5, -1e-2, -0.3][case / 3 % 6]);
            let n = round::signed_gap(&p, &e, None).1;
            let lean = (n + three(&mut random, -1e-4, 1e-4)).normalize();
            for start in [None, Some(n), Some(lean)] {
                n_left += usize::from(signed_gap(&p, &e, start.as_ref()).is_none());
            }
        }
        assert_eq!(n_left, 0, "left to the search");
    }

    #[test]
    fn a_nan_comes_out() {
        let mut random = Pcg64::seed_from_u64(14);
        let [p, mut e] = pair(&mut random, 0, 0.1);
        e.displace(&V::new(0.0, f64::NAN, 0.0));
        assert!(signed_gap(&p, &e, None).unwrap().0.is_nan());
    }
}
