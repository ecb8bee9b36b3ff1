//! The natural map of the contact law: how far impulses and slips are from obeying it (theory §5.3).

use crate::problem::{Cone, ContactLaw, ContactProblem};
use crate::solver::law::projection::project;
use signorini_kernels::math::{larger, smaller};

/// Natural map of the contact law at (x, y), each cone in its unit: (max |x_n − z_n|, max |x_t − z_t|) with
/// z = Proj(x − s r (y + R x)), r per row, s the stiffening of the cone.
pub fn natural_map(problem: &ContactProblem, weight: &[f64], x: &[f64], y: &[f64]) -> (f64, f64) {
    let (mut normal, mut friction) = (0.0_f64, 0.0_f64);
    let slack = |row: usize| y[row] + problem.compliance.get(row).copied().unwrap_or(0.0) * x[row];
    let (mut z_n, mut derivatives) = (Vec::new(), Vec::new());
    let units = problem.at.units.cones.iter().zip(&problem.at.units.stiffening);
    for (cone, (unit, stiffening)) in problem.cones.iter().zip(units) {
        let weight = |row: usize| stiffening * weight[row];
        if cone.bounded {
            for row in cone.normal() {
                let [low, high] = problem.bounds[row];
                let z = x[row] - weight(row) * slack(row);
                // A NaN passes `clamp` on either side.
                let map = if z.is_nan() { z } else { x[row] - z.max(low).min(high) };
                normal = larger(normal, map.abs() / unit);
            }
            continue;
        }
        let mut z = [0.0; 3];
        for (z, row) in z.iter_mut().zip(cone.friction()) {
            *z = x[row] - weight(row) * slack(row);
        }
        if problem.law == ContactLaw::Cone {
            z_n.clear();
            z_n.extend(cone.normal().map(|row| x[row] - weight(row) * slack(row)));
            derivatives.clear();
            derivatives.extend(cone.normal().map(weight));
            let friction_weight = cone.friction().next().map_or(0.0, weight);
            project(problem.law, cone, &mut z_n, &mut derivatives, &mut z, friction_weight);
            for (z, row) in z_n.iter().zip(cone.normal()) {
                normal = larger(normal, (x[row] - z).abs() / unit);
            }
        } else {
            let mut sum = 0.0;
            for row in cone.normal() {
                let map = smaller(x[row] - problem.bounds[row][0], weight(row) * slack(row));
                normal = larger(normal, map.abs() / unit);
                sum += x[row].max(0.0);
            }
            if cone.rolls_with.is_some() {
                sum = problem.carrier(cone).normal().map(|row| x[row].max(0.0)).sum();
            }
            // Friction that the normal impulses allow: they are constant here.
            let carrier = Cone { n_normal: 1, n_used: 1, ..*cone };
            project(problem.law, &carrier, &mut [sum], &mut [0.0], &mut z, 0.0);
        }
        let distance: f64 = z.iter().zip(cone.friction()).map(|(z, row)| (x[row] - z).powi(2)).sum::<f64>();
        friction = larger(friction, distance.sqrt() / unit);
    }
    (normal, friction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::linearized_problem::tests::cube;

    #[test]
    fn an_impulse_or_a_slip_that_is_no_number_is_seen() {
        let problem = cube(0.2, 0.1);
        let map = |x: &[f64], y: &[f64]| {
            let (normal, friction) = natural_map(&problem, &problem.at.weight, x, y);
            larger(normal, friction)
        };
        let (x, y) = (vec![0.1; problem.n_rows()], vec![0.0; problem.n_rows()]);
        assert!(map(&x, &y).is_finite());
        for row in 0..problem.cones[0].n_law_rows() {
            let with_nan = |of: &[f64]| {
                let mut of = of.to_vec();
                of[row] = f64::NAN;
                of
            };
            assert!(map(&with_nan(&x), &y).is_nan(), "x {row}");
            assert!(map(&x, &with_nan(&y)).is_nan(), "y {row}");
        }
    }
}
