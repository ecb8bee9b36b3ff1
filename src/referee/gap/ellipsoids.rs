//! Signed distance of two ellipsoids by search over directions.
//!
//! For unit n, g(n) = n·(c_B − c_A) − h_A(n) − h_B(n) is the separation of the two along n: ANY n bounds the
//! signed gap from below, and the gap is the largest g. Where g > 0 the function is concave and homogeneous,
//! so that a local maximum is the global one. Where the bodies overlap by ε at a local maximum n, any other
//! direction with as large a g separates the bodies scaled by 1 − ε/(h_A + h_B) about their centres, and
//! these directions form a convex cone about n of an angle of some √(ε/r), r the least radius of curvature of
//! both: in it g is concave as long as ε is small beside r. In deeper penetration several starts are taken
//! and the best is kept. Of two spheres the gap is |c_B − c_A| − r_A − r_B.
//!
//! The first start is the touching normal of the two ellipsoids scaled about their centres until they
//! touch: the maximum over λ of λ(1 − λ) dᵀ[(1 − λ) Q_A + λ Q_B]⁻¹ d (Perram and Wertheim, 1985), found
//! by bisection of its derivative (1 − λ)² xᵀQ_A x − λ² xᵀQ_B x with x = [(1 − λ) Q_A + λ Q_B]⁻¹ d.

use crate::referee::placed::PlacedEllipsoid;
use nalgebra::{Matrix3, Vector3};

/// Overlap over the least radius of curvature up to which a local maximum is the global one.
const SHALLOW: f64 = 1e-3;

/// Least radius of curvature of an ellipsoid (m), where its longest axis ends in its shortest direction.
fn least_radius(body: &PlacedEllipsoid) -> f64 {
    body.semi_axes.min().powi(2) / body.semi_axes.max()
}

/// Separation g(n): a lower bound on the signed gap for any unit n from A to B.
fn separation_along(a: &PlacedEllipsoid, b: &PlacedEllipsoid, n: &Vector3<f64>) -> f64 {
    n.dot(&(b.center - a.center)) - a.support_width(n) - b.support_width(n)
}

/// Signed gap (m) and the normal from A to B that attains it. `start` is a guess of the normal.
pub fn signed_gap(
    a: &PlacedEllipsoid,
    b: &PlacedEllipsoid,
    start: Option<&Vector3<f64>>,
) -> (f64, Vector3<f64>) {
    if let (Some(r_a), Some(r_b)) = (a.radius(), b.radius()) {
        let apart = b.center - a.center;
        // Any direction is right where the centres coincide.
        let n = apart.try_normalize(0.0).unwrap_or_else(Vector3::x);
        return (apart.norm() - r_a - r_b, n);
    }
    let shallow = SHALLOW * least_radius(a).min(least_radius(b));
    let mut best = (f64::NEG_INFINITY, Vector3::x());
    let mut try_from = |n: Vector3<f64>| {
        let found = ascend(a, b, n);
        // A NaN must be returned, and not be lost in a comparison.
        if found.0 > best.0 || found.0.is_nan() {
            best = found;
        }
        best.0 >= -shallow || best.0.is_nan()
    };
    if start.is_some_and(|n| try_from(*n)) || try_from(scaled_touching_normal(a, b)) {
        return best;
    }
    for body in [a, b] {
        for axis in body.rotation.column_iter() {
            if try_from(axis.into_owned()) || try_from(-axis) {
                return best;
            }
        }
    }
    best
}

/// Common normal of the two ellipsoids scaled by one factor until they touch.
fn scaled_touching_normal(a: &PlacedEllipsoid, b: &PlacedEllipsoid) -> Vector3<f64> {
    let d = b.center - a.center;
    let (q_a, q_b) = (a.matrix(), b.matrix());
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let mut x = d;
    for _ in 0..24 {
        let lambda = 0.5 * (low + high);
        let Some(mixed) = (q_a * (1.0 - lambda) + q_b * lambda).cholesky() else { break };
        x = mixed.solve(&d);
        let slope = (1.0 - lambda).powi(2) * x.dot(&(q_a * x)) - lambda.powi(2) * x.dot(&(q_b * x));
        if slope > 0.0 {
            low = lambda;
        } else {
            high = lambda;
        }
    }
    // Concentric bodies have no preferred direction; the axes are tried next.
    x.try_normalize(0.0).unwrap_or_else(Vector3::x)
}

/// Climbs g from n: Newton on the Lagrangian of the unit sphere, gradient where it is not concave.
fn ascend(a: &PlacedEllipsoid, b: &PlacedEllipsoid, start: Vector3<f64>) -> (f64, Vector3<f64>) {
    let d = b.center - a.center;
    let (q_a, q_b) = (a.matrix(), b.matrix());
    let mut n = start.normalize();
    let mut g = separation_along(a, b, &n);
    let rounding = f64::EPSILON * (d.norm() + a.semi_axes.max() + b.semi_axes.max());
    for _ in 0..100 {
        let ((h_a, s_a), (h_b, s_b)) = (a.support(&n), b.support(&n));
        let apart = d - s_a - s_b;
        let slope = apart - n * n.dot(&apart);
        let bend = (q_a - s_a * s_a.transpose()) / h_a + (q_b - s_b * s_b.transpose()) / h_b;
        let radius = bend.trace();
        let hessian = bend + Matrix3::identity() * g + n * n.transpose() * radius;
        let mut direction = match hessian.cholesky() {
            Some(factor) => factor.solve(&slope),
            None => slope / radius,
        };
        let length = direction.norm();
        if length > 0.5 {
            direction *= 0.5 / length;
        }
        let gain = slope.dot(&direction);
        let mut step = 1.0;
        let moved = loop {
            let trial = (n + direction * step).normalize();
            let value = separation_along(a, b, &trial);
            if value >= g + 1e-4 * step * gain {
                break Some((value, trial));
            }
            step *= 0.5;
            if step < 1e-10 {
                break None;
            }
        };
        let Some((value, trial)) = moved else { break };
        (g, n) = (value, trial);
        // Newton's expected gain is twice the error of g left before the step.
        if gain <= rounding {
            break;
        }
    }
    (g, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};

    fn ellipsoid(center: [f64; 3], turn: [f64; 3], semi_axes: [f64; 3]) -> PlacedEllipsoid {
        PlacedEllipsoid {
            center: center.into(),
            rotation: UnitQuaternion::from_scaled_axis(Vector3::from(turn)).to_rotation_matrix().into_inner(),
            semi_axes: semi_axes.into(),
        }
    }

    /// Tests spheres in any order and place, one inside the other too; NaN is returned.
    #[test]
    fn two_spheres_are_apart_by_their_centres_less_their_radii() {
        let sphere = |center: [f64; 3], radius: f64| ellipsoid(center, [0.3, -1.0, 2.0], [radius; 3]);
        for (center, gap) in [([0.3, 0.4, 0.0], 0.1), ([0.0, 0.0, -0.35], -0.05), ([0.0; 3], -0.4)] {
            let (a, b) = (sphere([1.0, 2.0, 3.0], 0.3), sphere([0.0; 3], 0.1));
            let b = PlacedEllipsoid { center: a.center + Vector3::from(center), ..b };
            let (found, n) = signed_gap(&a, &b, None);
            assert!((found - gap).abs() < 1e-15, "{found}");
            assert!((separation_along(&a, &b, &n) - gap).abs() < 1e-15, "{n}");
        }
        assert!(signed_gap(&sphere([0.0; 3], 0.1), &sphere([f64::NAN; 3], 0.1), None).0.is_nan());
    }

    /// Largest g over a dense grid of directions, refined around the best by shrinking grids.
    fn dense_gap(a: &PlacedEllipsoid, b: &PlacedEllipsoid) -> f64 {
        let direction = |p: f64, q: f64| Vector3::new(p.sin() * q.cos(), p.sin() * q.sin(), p.cos());
        let (mut at, mut half) = ((1.6, 3.1), (1.7, 3.3));
        let mut best = f64::NEG_INFINITY;
        for round in 0..30 {
            let cells = if round == 0 { 300 } else { 12 };
            let middle = at;
            for i in 0..=cells {
                for j in 0..=cells {
                    let p = middle.0 + half.0 * (2.0 * i as f64 / cells as f64 - 1.0);
                    let q = middle.1 + half.1 * (2.0 * j as f64 / cells as f64 - 1.0);
                    let value = separation_along(a, b, &direction(p, q));
                    if value > best {
                        (best, at) = (value, (p, q));
                    }
                }
            }
            let shrink = if round == 0 { 0.02 } else { 0.4 };
            half = (half.0 * shrink, half.1 * shrink);
        }
        best
    }

    #[test]
    fn spheres_are_as_far_apart_as_their_centres_say() {
        for (distance, gap) in [(3.0, 0.5), (2.5, 0.0), (2.4, -0.1)] {
            let a = ellipsoid([1.0, -2.0, 0.3], [0.3, 1.0, -2.0], [1.0; 3]);
            let along = Vector3::new(0.6, 0.0, 0.8);
            let b = ellipsoid((a.center + along * distance).into(), [0.0; 3], [1.5; 3]);
            let (found, n) = signed_gap(&a, &b, None);
            assert!((found - gap).abs() < 1e-14, "{found} against {gap}");
            assert!((n - along).norm() < 1e-7);
        }
    }

    #[test]
    fn concentric_bodies_leave_along_their_thinnest_axis() {
        let flat = ellipsoid([0.3, 0.2, 0.1], [0.0; 3], [1.0, 0.8, 0.2]);
        let (gap, n) = signed_gap(&flat, &flat, None);
        assert!((gap + 0.4).abs() < 1e-15 && n.z.abs() == 1.0, "{gap} {n}");
    }

    /// Thin bodies that overlap by little: the first start finds what the dense search does.
    #[test]
    fn shallow_overlaps_need_one_start() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(11);
        for case in 0..12 {
            let mut three = |low: f64, high: f64| [(); 3].map(|()| random.random_range(low..high));
            let (axes_a, axes_b) = (three(0.05, 1.0), three(0.05, 1.0));
            let (turn_a, turn_b) = (three(-3.0, 3.0), three(-3.0, 3.0));
            let towards = Vector3::from(three(-1.0, 1.0)).normalize();
            let a = ellipsoid([0.0; 3], turn_a, axes_a);
            let mut b = ellipsoid((towards * 3.0).into(), turn_b, axes_b);
            let (apart, n) = signed_gap(&a, &b, None);
            b.center -= n * (apart + 0.5 * SHALLOW * least_radius(&a).min(least_radius(&b)));
            let (found, _) = signed_gap(&a, &b, Some(&n));
            let dense = dense_gap(&a, &b);
            assert!(found < 0.0 && (found - dense).abs() < 1e-12, "case {case}: {found} against {dense}");
        }
    }

    #[test]
    fn ellipsoids_agree_with_a_dense_search() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
        for case in 0..24 {
            let mut three = |low: f64, high: f64| [(); 3].map(|()| random.random_range(low..high));
            let (axes_a, axes_b) = (three(0.2, 1.0), three(0.2, 1.0));
            let (turn_a, turn_b) = (three(-3.0, 3.0), three(-3.0, 3.0));
            let towards = Vector3::from(three(-1.0, 1.0)).normalize();
            let a = ellipsoid([0.0; 3], turn_a, axes_a);
            let mut b = ellipsoid([0.0; 3], turn_b, axes_b);
            // The distance runs from deep overlap to a positive gap.
            let reach = a.support_width(&towards) + b.support_width(&towards);
            b.center = towards * reach * (0.1 + 0.1 * (case % 12) as f64);
            let (found, _) = signed_gap(&a, &b, None);
            let dense = dense_gap(&a, &b);
            assert!((found - dense).abs() < 1e-12, "case {case}: {found} against {dense}");
            let (warm, _) = signed_gap(&a, &b, Some(&towards));
            assert!((warm - dense).abs() < 1e-12, "case {case}, warm: {warm} against {dense}");
        }
    }
}
