//! Closest points at given poses: the geometry from which Newton on the whole step starts.

use super::equations::pair_values;
use super::laws::{FrictionLaw, Laws, NormalLaw};
use super::problem::{Pair, ReferenceProblem};
use super::surfaces::{EndPose, Surface};
use super::unknowns::{A1, A2, BODY_UNKNOWNS, D, LOCAL};
use nalgebra::{DVector, SMatrix, SVector, Vector3};
use num_dual::DualSVec64;

/// Number of unknowns and rows of [CBAT (9)]: a1, a2, d.
const GEOMETRY: usize = 7;

/// A solution of [CBAT (9)] at given poses.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClosestPoints {
    /// Closest point on A (m).
    pub a1: Vector3<f64>,
    /// Closest point on B (m).
    pub a2: Vector3<f64>,
    /// Signed distance (m).
    pub gap: f64,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
}

/// Finds the closest points of a pair at the poses that the velocities in z lead to.
pub(super) fn closest_points(
    problem: &ReferenceProblem,
    pair: &Pair,
    z: &DVector<f64>,
    guess: &Vector3<f64>,
) -> ClosestPoints {
    let surface = |body: usize| {
        let (linear, angular) = problem.velocity(z, body);
        let start = &problem.bodies[body];
        Surface::new(start, &EndPose::new(problem, body, &linear, &angular))
    };
    let (a, b) = (surface(pair.body_a), surface(pair.body_b));
    match &a {
        Surface::HalfSpace { normal, .. } => {
            let a2 = b.extreme_point(&-normal).unwrap_or_else(Vector3::zeros);
            let gap = a.value(&a2);
            ClosestPoints { a1: a2 - normal * gap, a2, gap, normal: *normal }
        }
        Surface::Ellipsoid { .. } => {
            let ascended = ascend(&a, &b, guess, pair.scale.size);
            polish(problem, pair, z, ascended)
        }
    }
}

/// Maximises the separation n·(a2(n) − a1(n)) over unit n, whose tangential gradient is that of a2 − a1.
fn ascend(a: &Surface<f64>, b: &Surface<f64>, guess: &Vector3<f64>, size: f64) -> ClosestPoints {
    let at = |normal: Vector3<f64>| {
        let a1 = a.extreme_point(&normal).unwrap_or_else(Vector3::zeros);
        let a2 = b.extreme_point(&-normal).unwrap_or_else(Vector3::zeros);
        ClosestPoints { a1, a2, gap: normal.dot(&(a2 - a1)), normal }
    };
    let mut best = at(guess.normalize());
    let mut step_length = 1.0 / (best.gap.abs() + size);
    for _ in 0..500 {
        let offset = best.a2 - best.a1;
        let slope = offset - best.normal * best.gap;
        if slope.norm() < 1e-6 * size {
            break;
        }
        let trial = at((best.normal + slope * step_length).normalize());
        if trial.gap > best.gap {
            best = trial;
            step_length *= 1.5;
        } else {
            step_length *= 0.5;
        }
    }
    best
}

/// Refines closest points by Newton on [CBAT (9)] alone; keeps the start when Newton leads to another root.
fn polish(problem: &ReferenceProblem, pair: &Pair, z: &DVector<f64>, start: ClosestPoints) -> ClosestPoints {
    const BOTH_BODIES: usize = 2 * BODY_UNKNOWNS;
    let laws = Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent, facets: None };
    let mut x = SVector::<f64, LOCAL>::zeros();
    for (side, body) in [pair.body_a, pair.body_b].into_iter().enumerate() {
        let (linear, angular) = problem.velocity(z, body);
        x.fixed_rows_mut::<3>(side * BODY_UNKNOWNS).copy_from(&linear);
        x.fixed_rows_mut::<3>(side * BODY_UNKNOWNS + 3).copy_from(&angular);
    }
    x.fixed_rows_mut::<3>(BOTH_BODIES + A1).copy_from(&start.a1);
    x.fixed_rows_mut::<3>(BOTH_BODIES + A2).copy_from(&start.a2);
    x[BOTH_BODIES + D] = start.gap;
    for _ in 0..8 {
        let local = SVector::<DualSVec64<GEOMETRY>, LOCAL>::from_fn(|i, _| {
            let value = DualSVec64::from_re(x[i]);
            if (BOTH_BODIES..BOTH_BODIES + GEOMETRY).contains(&i) {
                value.derivative(i - BOTH_BODIES)
            } else {
                value
            }
        });
        let rows = pair_values(problem, pair, laws, local.as_slice()).rows;
        let phi = SVector::<f64, GEOMETRY>::from_fn(|i, _| rows[i].re);
        let matrix = SMatrix::<f64, GEOMETRY, GEOMETRY>::from_fn(|i, j| {
            rows[i].eps.0.as_ref().map_or(0.0, |gradient| gradient[j])
        });
        let Some(move_by) = matrix.lu().solve(&-phi) else { return start };
        for i in 0..GEOMETRY {
            x[BOTH_BODIES + i] += move_by[i];
        }
        if phi.amax() < 1e-12 {
            break;
        }
    }
    let a1: Vector3<f64> = x.fixed_rows::<3>(BOTH_BODIES + A1).into();
    let a2: Vector3<f64> = x.fixed_rows::<3>(BOTH_BODIES + A2).into();
    // A Newton step may land on another root (the far sides): the maximum is near the end of the ascent.
    let strayed = (a1 - start.a1).norm() + (a2 - start.a2).norm() > 0.1 * pair.scale.size;
    if strayed || !x[BOTH_BODIES + D].is_finite() {
        return start;
    }
    ClosestPoints { a1, a2, gap: x[BOTH_BODIES + D], normal: start.normal }
}
