//! Signed gap of two placed shapes, robust rather than fast: used once, on the scene as written.
//!
//! Half-spaces are judged by supports, exactly; pairs without a half-space other than two ellipsoids are in
//! `convex`. For ellipsoids the gap is max over unit n of g(n) = n·(c_B − c_A) − h_A(n) − h_B(n), with
//! support functions h(n) = √(nᵀ Q n), Q = R diag(a²) Rᵀ: the distance when apart, minus the penetration
//! depth otherwise. Any n with g(n) > 0 proves separation.

mod axes;
mod convex;
mod placed;

use nalgebra::{Matrix2, Matrix3, Matrix3x2, Vector2, Vector3};
pub use placed::{Gap, Placed};
use placed::{support, tangents_of};
use signorini_geometry::bore::farthest;

/// The signed gap between A and B; None between two half-spaces. Exact to rounding for half-spaces and
/// ellipsoids, to about 1e-8 of the size for the others.
pub fn gap(a: &Placed, b: &Placed) -> Option<Gap> {
    match (a, b) {
        (Placed::HalfSpace { .. } | Placed::Bore { .. }, Placed::HalfSpace { .. } | Placed::Bore { .. }) => {
            None
        }
        (Placed::Bore { center, axis, radius }, _) => {
            let way = b.center()? - center;
            let support = |m: &Vector3<f64>| way + b.arm(m).unwrap_or_default();
            let (out, far) = farthest(axis, None, support);
            Some(Gap { distance: radius - far, normal: -out })
        }
        (Placed::HalfSpace { normal, offset }, Placed::Ellipsoid { center, square, .. }) => {
            let distance = normal.dot(center) - offset - support(square, normal).0;
            Some(Gap { distance, normal: *normal })
        }
        (Placed::HalfSpace { normal, offset }, Placed::Other { center, .. }) => {
            let distance = normal.dot(center) - offset + normal.dot(&b.arm(&-normal)?);
            Some(Gap { distance, normal: *normal })
        }
        (_, Placed::HalfSpace { .. } | Placed::Bore { .. }) => {
            gap(b, a).map(|g| Gap { distance: g.distance, normal: -g.normal })
        }
        (Placed::Ellipsoid { axes: u, .. }, Placed::Ellipsoid { axes: v, .. }) => {
            let pair = Pair::new(a, b)?;
            let mut best = pair.ascend(pair.first_normal(), f64::INFINITY);
            // A local maximum with a positive gap is the global one; inside there may be several.
            let starts = u.column_iter().chain(v.column_iter()).flat_map(|c| [c.into_owned(), -c]);
            for start in starts.take_while(|_| best.distance <= 0.0).collect::<Vec<_>>() {
                let found = pair.ascend(start, f64::INFINITY);
                if found.distance > best.distance {
                    best = found;
                }
            }
            Some(best)
        }
        _ => convex::gap(a, b),
    }
}

/// Whether A and B are proved to be at least `clearance` (m) apart. False may mean "not proved".
pub fn apart(a: &Placed, b: &Placed, clearance: f64) -> bool {
    let (Some((p, r)), Some((q, s))) = (a.ball(), b.ball()) else {
        return gap(a, b).is_none_or(|g| g.distance >= clearance);
    };
    let reach = r + s + clearance;
    if (q - p).norm_squared() > reach * reach {
        return true;
    }
    match Pair::new(a, b) {
        Some(pair) => pair.ascend(pair.first_normal(), clearance).distance >= clearance,
        None => convex::apart(a, b, clearance),
    }
}

/// Two ellipsoids: c_B − c_A, Q_A, Q_B.
struct Pair<'a> {
    between: Vector3<f64>,
    a: &'a Matrix3<f64>,
    b: &'a Matrix3<f64>,
}

impl<'a> Pair<'a> {
    fn new(a: &'a Placed, b: &'a Placed) -> Option<Self> {
        match (a, b) {
            (
                Placed::Ellipsoid { center: p, square: a, .. },
                Placed::Ellipsoid { center: q, square: b, .. },
            ) => Some(Self { between: q - p, a, b }),
            _ => None,
        }
    }

    fn first_normal(&self) -> Vector3<f64> {
        self.between.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::z)
    }

    fn value(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.between) - support(self.a, n).0 - support(self.b, n).0
    }

    /// Newton ascent of g on the sphere from `start`, with the Hessian's eigenvalues made positive and a
    /// line search; returns early once g ≥ `enough`.
    fn ascend(&self, start: Vector3<f64>, enough: f64) -> Gap {
        let mut n = start;
        let mut value = self.value(&n);
        for _ in 0..100 {
            if value >= enough {
                break;
            }
            let Some((step, tangents, size)) = self.newton_step(&n, value) else { break };
            let mut length = (0.7 / step.norm()).min(1.0);
            let mut moved = false;
            for _ in 0..40 {
                let trial = (n + tangents * step * length).normalize();
                let trial_value = self.value(&trial);
                if trial_value > value {
                    moved = trial_value - value > 1e-16 * size;
                    (n, value) = (trial, trial_value);
                    break;
                }
                length *= 0.5;
            }
            if !moved {
                break;
            }
        }
        Gap { distance: value, normal: n }
    }

    /// The step in the tangent plane of `n`, that plane, and h_A + h_B. None when g is stationary.
    fn newton_step(&self, n: &Vector3<f64>, value: f64) -> Option<(Vector2<f64>, Matrix3x2<f64>, f64)> {
        let tangents = tangents_of(n);
        let (height_a, point_a) = support(self.a, n);
        let (height_b, point_b) = support(self.b, n);
        let size = height_a + height_b;
        let gradient = tangents.transpose() * (self.between - point_a - point_b);
        if gradient.norm() <= 1e-14 * size {
            return None;
        }
        let curvature_a = (self.a - point_a * point_a.transpose()) / height_a;
        let curvature_b = (self.b - point_b * point_b.transpose()) / height_b;
        let hessian = tangents.transpose() * (curvature_a + curvature_b) * tangents;
        let hessian: Matrix2<f64> = hessian + Matrix2::identity() * value;
        let eigen = hessian.symmetric_eigen();
        let step = eigen.eigenvectors
            * (eigen.eigenvectors.transpose() * gradient)
                .component_div(&eigen.eigenvalues.map(|l| l.abs().max(1e-12 * size)));
        Some((step, tangents, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Pose, Shape};

    fn ellipsoid(axes: [f64; 3], position: [f64; 3], turn: [f64; 3]) -> Placed {
        let pose = Pose {
            position: Vector3::from(position),
            orientation: UnitQuaternion::from_scaled_axis(Vector3::from(turn)),
        };
        Placed::new(&Shape::Ellipsoid { semi_axes: Vector3::from(axes) }, &pose)
    }

    /// Oracle: g on a fine grid of directions; a lower bound, short by at most curvature × spacing².
    fn dense_gap(a: &Placed, b: &Placed) -> f64 {
        let pair = Pair::new(a, b).expect("ellipsoids");
        let n = 400;
        let mut best = f64::NEG_INFINITY;
        for i in 0..=n {
            for j in 0..2 * n {
                let (polar, azimuth) =
                    (std::f64::consts::PI * i as f64 / n as f64, std::f64::consts::PI * j as f64 / n as f64);
                let (s, c) = polar.sin_cos();
                let direction = Vector3::new(s * azimuth.cos(), s * azimuth.sin(), c);
                best = best.max(pair.value(&direction));
            }
        }
        best
    }

    #[test]
    fn gap_agrees_with_a_dense_search() {
        let flat = ellipsoid([1.0, 1.0, 0.05], [0.0; 3], [0.2, 0.1, 0.0]);
        let needle = [0.05, 0.06, 1.0];
        let level = ellipsoid([1.0, 1.0, 0.05], [0.0; 3], [0.0; 3]);
        let cases = [
            // From the direction between the centres the search is on a saddle: the way out is up.
            (level, ellipsoid([0.02; 3], [0.3, 0.0, 0.0], [0.0; 3])),
            (flat.clone(), ellipsoid(needle, [0.3, 0.2, 1.2], [0.0; 3])),
            (flat.clone(), ellipsoid(needle, [0.3, 0.2, 0.4], [1.0, 0.4, 0.0])),
            (flat.clone(), ellipsoid([0.5, 0.3, 0.2], [0.1, 0.0, 0.02], [0.0, 1.0, 2.0])),
            (flat.clone(), ellipsoid([0.5, 0.3, 0.2], [1.4, 0.1, 0.1], [0.0, 1.0, 2.0])),
        ];
        for (a, b) in &cases {
            let (found, dense) = (gap(a, b).expect("ellipsoids").distance, dense_gap(a, b));
            assert!(found >= dense - 1e-12 && found - dense < 1e-4, "{found} against {dense}");
            assert_eq!(apart(a, b, 0.0), found >= 0.0);
        }
    }

    #[test]
    fn spheres_and_planes_are_exact() {
        let a = ellipsoid([0.5; 3], [0.0; 3], [0.0; 3]);
        let b = ellipsoid([0.25; 3], [0.6, 0.0, 0.0], [0.3, 0.2, 0.1]);
        let found = gap(&a, &b).expect("balls");
        assert!((found.distance + 0.15).abs() < 1e-15 && (found.normal - Vector3::x()).norm() < 1e-7);
        let concentric = ellipsoid([0.25; 3], [0.0; 3], [0.0; 3]);
        assert!((gap(&a, &concentric).expect("balls").distance + 0.75).abs() < 1e-15);
        let plane = Placed::HalfSpace { normal: Vector3::z(), offset: -0.6 };
        assert!((gap(&plane, &a).expect("plane").distance - 0.1).abs() < 1e-15);
        assert_eq!(gap(&plane, &plane), None);
    }
}
