//! Assembly: moves bodies whose joints do not hold at time 0 until they do.

use super::body::Body;
use super::joint::{Joint, placement};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use signorini_geometry::Velocity;

/// Most rounds of Newton's method.
const MAX_ROUNDS: usize = 100;
/// Target violation, in m per m of the joint's size and rad.
const TARGET_VIOLATION: f64 = 1e-13;
/// Most rows, since the problem is dense.
const MAX_ROWS: usize = 3000;
/// Regularisation relative to the largest diagonal entry: rows of closed loops depend on each other.
const REGULARIZATION: f64 = 1e-12;
/// Largest turn of a body in a round (rad).
const LARGEST_TURN: f64 = 0.3;

/// Result of [`assemble`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Assembled {
    /// Number of bodies that moved.
    pub moved: usize,
    /// Longest way of a centre of mass (m).
    pub longest: f64,
}

/// One row: gradient blocks of its moving bodies, and the distance or angle that is missing.
struct Row {
    blocks: Vec<(usize, Vector3<f64>, Vector3<f64>)>,
    missing: f64,
}

/// Moves bodies that are not fixed by the least kinetic measure Σ m|δc|² + δθ·I δθ, round by round, until all
/// equations of the joints hold. None when it did not succeed (or there are too many).
pub fn assemble(bodies: &mut [Body], joints: &[Joint]) -> Option<Assembled> {
    let before: Vec<_> = bodies.iter().map(|b| b.pose).collect();
    for _ in 0..MAX_ROUNDS {
        let rows = rows(bodies, joints);
        if rows.len() > MAX_ROWS {
            return None;
        }
        if rows.iter().all(|r| r.missing.abs() <= TARGET_VIOLATION) {
            let ways = bodies.iter().zip(&before).filter(|(b, p)| b.pose != **p);
            return Some(ways.fold(Assembled::default(), |a, (b, p)| Assembled {
                moved: a.moved + 1,
                longest: a.longest.max((b.pose.position - p.position).norm()),
            }));
        }
        round(bodies, &rows)?;
    }
    None
}

fn rows(bodies: &[Body], joints: &[Joint]) -> Vec<Row> {
    let mut rows = Vec::new();
    for joint in joints {
        let at = joint.bodies.map(|id| placement(&bodies[id].pose));
        let size = joint.size(|id| bodies[id].size());
        for (row, target, is_angle) in joint.equations() {
            let scale = if is_angle { 1.0 } else { 1.0 / size };
            let gradient = row.gradient(&at);
            let sides = [0, 1].map(|k| (joint.bodies[k], gradient[k]));
            let moving = sides.into_iter().filter(|(id, _)| !bodies[*id].fixed);
            let blocks = moving.map(|(id, g)| (id, g.linear * scale, g.angular * scale)).collect();
            rows.push(Row { blocks, missing: (row.value(&at) - target) * scale });
        }
    }
    rows
}

/// δq = −W Gᵀ (G W Gᵀ)⁻¹ g with W the inverse masses.
fn round(bodies: &mut [Body], rows: &[Row]) -> Option<()> {
    let n = rows.len();
    let inverse = |id: usize| {
        let r = bodies[id].pose.rotation();
        r * bodies[id].inertia.try_inverse().unwrap_or_else(Matrix3::zeros) * r.transpose()
    };
    let inverses: Vec<Matrix3<f64>> = (0..bodies.len()).map(inverse).collect();
    let pushed = |id: usize, linear: &Vector3<f64>, angular: &Vector3<f64>| {
        (linear / bodies[id].mass, inverses[id] * angular)
    };
    let mut matrix = DMatrix::zeros(n, n);
    for (i, p) in rows.iter().enumerate() {
        for (j, q) in rows.iter().enumerate().take(i + 1) {
            let mut sum = 0.0;
            for (id, linear, angular) in &p.blocks {
                for (_, l, a) in q.blocks.iter().filter(|b| b.0 == *id) {
                    let (moved, turned) = pushed(*id, l, a);
                    sum += linear.dot(&moved) + angular.dot(&turned);
                }
            }
            (matrix[(i, j)], matrix[(j, i)]) = (sum, sum);
        }
    }
    let most = matrix.diagonal().amax();
    for i in 0..n {
        matrix[(i, i)] += REGULARIZATION * most;
    }
    let missing = DVector::from_iterator(n, rows.iter().map(|r| -r.missing));
    let x = matrix.cholesky()?.solve(&missing);
    let mut moves = vec![Velocity::default(); bodies.len()];
    for (row, x) in rows.iter().zip(x.iter()) {
        for (id, linear, angular) in &row.blocks {
            let (moved, turned) = pushed(*id, linear, angular);
            moves[*id].linear += moved * *x;
            moves[*id].angular += turned * *x;
        }
    }
    let widest = moves.iter().map(|m| m.angular.norm()).fold(0.0, f64::max);
    let part = if widest > LARGEST_TURN { LARGEST_TURN / widest } else { 1.0 };
    for (body, m) in bodies.iter_mut().zip(&moves).filter(|(_, m)| **m != Velocity::default()) {
        body.pose = body.pose.advanced(m, part);
    }
    Some(())
}
