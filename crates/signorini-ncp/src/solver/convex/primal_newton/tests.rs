use super::*;
use crate::linalg::BLOCK;
use crate::problem::ContactLaw;
use nalgebra::{Matrix6, Vector6};

/// A body on four soft contacts with friction, pushed into some of them and along.
fn problem() -> (ContactProblem, Vec<f64>) {
    let mut problem = ContactProblem::empty();
    problem.law = ContactLaw::Cone;
    problem.mass.push(Matrix6::identity() * 2.0);
    problem.mass_inverse.push(Matrix6::identity() * 0.5);
    let free = vec![3.0, -1.0, -2.0, 0.5, 0.7, -0.3];
    problem.at.free_momentum = free.iter().map(|v| 2.0 * v).collect();
    problem.at.velocity = vec![0.0; BLOCK];
    for k in 0..4 {
        let c = problem.add_contact([0].into_iter(), (1, 2), 0.6);
        let (x, y) = ([-1.0, 1.0][k % 2], [-1.0, 1.0][k / 2]);
        let rows =
            [[0.0, 0.0, 1.0, y, -x, 0.0], [1.0, 0.0, 0.0, 0.0, -1.0, -y], [0.0, 1.0, 0.0, 1.0, 0.0, x]];
        let start = problem.value_offsets[problem.block_offsets[c]];
        problem.at.jacobian[start..start + 3 * BLOCK].copy_from_slice(rows.as_flattened());
        problem.at.slip[problem.cones[c].row] = 0.4 * k as f64;
    }
    problem.update_weights();
    problem.compliance = (0..problem.n_rows()).map(|row| 0.05 + 0.01 * row as f64 / 3.0).collect();
    // One R per contact's friction rows.
    for cone in problem.cones.clone() {
        let r = problem.compliance[cone.friction().start];
        problem.compliance[cone.friction()].fill(r);
    }
    (problem, free)
}

/// ℓ(v), with γ as the nearest point of the cone by brute force over the multiplier.
fn cost(problem: &ContactProblem, regularization: &[f64], free: &[f64], v: &[f64]) -> f64 {
    let off = Vector6::from_column_slice(v) - Vector6::from_column_slice(free);
    let mut sum = off.norm_squared();
    let mut y = vec![0.0; problem.n_rows()];
    problem.response(v, &mut y);
    for cone in &problem.cones {
        let (n, f) = (cone.row, cone.friction());
        let [r_n, r_t] = [regularization[n], regularization[f.start]];
        let z_n = -(y[n] + problem.at.slip[n]) / r_n;
        let z_t = y[f].iter().map(|y| y * y).sum::<f64>().sqrt() / r_t;
        // min over x in the cone of ½ r_n (x_n − z_n)² + ½ r_t (x_t − z_t)².
        let (mu, mut best) = (cone.friction_coefficient, [0.0, 0.0]);
        if z_n >= 0.0 && z_t <= mu * z_n {
            best = [z_n, z_t];
        } else {
            let x_n = (r_n * z_n + mu * r_t * z_t) / (r_n + mu * mu * r_t);
            if x_n > 0.0 {
                best = [x_n, mu * x_n];
            }
        }
        sum += 0.5 * (r_n * best[0] * best[0] + r_t * best[1] * best[1]);
    }
    sum
}

#[test]
fn the_line_search_ends_at_the_minimum_along_its_direction() {
    let (mut problem, free) = problem();
    let options = SolveOptions::new(1e-12);
    let mut method =
        PrimalNewton { regularization: std::mem::take(&mut problem.compliance), ..Default::default() };
    method.prepare(&problem, &options);
    for (k, scale) in [0.1, 1.0, 7.0, 300.0].into_iter().enumerate() {
        let v: Vec<f64> = (0..BLOCK).map(|i| ((i + 2 * k) as f64).sin() - 1.0).collect();
        method.evaluate_at(&problem, &v);
        let direction: Vec<f64> = method.gradient.iter().map(|g| -scale * g).collect();
        method.gradient.iter_mut().for_each(|g| *g = -*g);
        method.direction.clone_from(&direction);
        let alpha = method.line_search(&problem);
        let at = |alpha: f64| {
            let moved: Vec<f64> = v.iter().zip(&direction).map(|(v, d)| v + alpha * d).collect();
            cost(&problem, &method.regularization, &free, &moved)
        };
        let step = 1e-5 * alpha;
        let slope = |alpha: f64| (at(alpha + step) - at(alpha - step)) / (2.0 * step);
        assert!(
            alpha > 0.0 && slope(alpha).abs() < 1e-6 * slope(step).abs(),
            "{scale}: {alpha} {:e}",
            slope(alpha)
        );
        assert!(at(alpha) < at(0.99 * alpha) && at(alpha) < at(1.01 * alpha), "{scale}: {alpha}");
    }
}

#[test]
fn newton_ends_at_the_minimum_of_the_cost() {
    let (mut problem, free) = problem();
    let regularization = problem.compliance.clone();
    let mut iterate = Iterate { velocity: free.clone(), impulse: Vec::new() };
    let mut info = Info::default();
    problem.set_uniform_units(1.0, 1.0);
    let status =
        PrimalNewton::default().run(&mut problem, &mut iterate, &SolveOptions::new(1e-12), &mut info);
    assert_eq!(status, SolveStatus::Solved);
    assert!(info.iterations <= 12, "{}", info.iterations);
    let least = cost(&problem, &regularization, &free, &iterate.velocity);
    for i in 0..BLOCK {
        for by in [-1e-3, 1e-3] {
            let mut moved = iterate.velocity.clone();
            moved[i] += by;
            assert!(cost(&problem, &regularization, &free, &moved) > least, "{i} {by}");
        }
    }
}
