//! Contacts of several contact points: one friction wrench at an equivalent contact point that moves with the
//! impulses (theory §3.8: a linearized one limit-cycles).
//!
//! With load fractions λ_j = x_j / s, s = Σ x_n, tangential slip y_t + Σ_j (λ_j − λ̂_j) y_j where y_j = S_j
//! v, and forces (λ_j − λ̂_j) x_t on the shift rows (see [`crate::problem::contact_problem`]):
//! ```text
//!   dλ_j = (dx_j − λ_j Σ dx)/s,   dx_(j) = dλ_j x_t + (λ_j − λ̂_j) dx_t
//! ```

use crate::problem::{Cone, ContactProblem};
use crate::solver::law::derivative::ProjectionDerivative;
use crate::solver::law::evaluation::Law;

/// Load fractions of the contact points at the impulses of a law, with the linearized ones; of an unloaded
/// contact both are the linearized ones.
fn load_fractions<'a>(
    cone: &Cone,
    problem: &'a ContactProblem,
    impulse: &'a [f64],
) -> impl Iterator<Item = (f64, f64)> + 'a {
    let sum: f64 = impulse[cone.normal()].iter().sum();
    cone.normal().map(move |row| {
        let linearized = problem.at.load_fraction[row];
        (if sum > 0.0 { impulse[row] / sum } else { linearized }, linearized)
    })
}

impl Law {
    /// Tangential slip at the equivalent contact point of the impulses just evaluated, in excess of the
    /// linearized one.
    pub fn slip_shift(&self, problem: &ContactProblem, cone: &Cone, y: &[f64]) -> [f64; 3] {
        let mut out = [0.0; 3];
        let tangential = cone.n_tangential();
        for ((fraction, linearized), y) in
            load_fractions(cone, problem, &self.impulse).zip(y[cone.shift()].chunks_exact(tangential.max(1)))
        {
            for (o, y) in out.iter_mut().zip(y) {
                *o += (fraction - linearized) * y;
            }
        }
        out
    }

    /// x of the shift rows, and what the derivative needs of y.
    pub fn write_shift(&mut self, problem: &ContactProblem, cone: &Cone, y: &[f64]) {
        let sum: f64 = self.impulse[cone.normal()].iter().sum();
        let tangential = cone.n_tangential();
        for (j, row) in cone.normal().enumerate() {
            let excess =
                if sum > 0.0 { self.impulse[row] / sum - problem.at.load_fraction[row] } else { 0.0 };
            for i in 0..tangential {
                let place = cone.shift().start + j * tangential + i;
                self.impulse[place] = excess * self.impulse[cone.friction().start + i];
                self.slip[place] = y[place];
            }
        }
    }

    /// out = G y for all rows of a contact with shift rows, N columns at once (row-major).
    pub fn apply_shifted_derivative<const N: usize>(
        &self,
        problem: &ContactProblem,
        cone: &Cone,
        derivative: &ProjectionDerivative,
        y: &[f64],
        out: &mut [f64],
    ) {
        let (n, m, tangential) = (cone.n_normal, cone.n_law_rows(), cone.n_tangential());
        let normal: f64 = self.impulse[cone.normal()].iter().sum();
        let mut sum = [0.0; N];
        for (i, row) in cone.normal().enumerate() {
            for c in 0..N {
                out[N * i + c] = self.normal_derivative[row] * y[N * i + c];
                sum[c] += out[N * i + c];
            }
        }
        // Slip rates at the moving point: linearized part, load fractions as they are, change of the
        // fractions.
        let mut slip = [[0.0; N]; 3];
        for (slip, row) in slip.iter_mut().zip(n..m) {
            slip.copy_from_slice(&y[N * row..N * (row + 1)]);
        }
        for (j, (fraction, linearized)) in load_fractions(cone, problem, &self.impulse).enumerate() {
            for (i, slip) in slip.iter_mut().enumerate().take(tangential) {
                let row = m + j * tangential + i;
                for c in 0..N {
                    let turned = fraction_rate(out[N * j + c], fraction, sum[c], normal);
                    slip[c] += (fraction - linearized) * y[N * row + c] - turned * self.slip[cone.row + row];
                }
            }
        }
        let mut push = sum.map(|s| derivative.coupling * s);
        for (slip, d) in slip.iter().zip(&derivative.direction) {
            for c in 0..N {
                push[c] -= derivative.beta * d * slip[c];
            }
        }
        for (i, slip) in slip.iter().enumerate().take(m - n) {
            for c in 0..N {
                let follows = derivative.direction[i] * push[c] + derivative.push[i] * sum[c];
                out[N * (n + i) + c] = derivative.alpha * slip[c] + follows;
            }
        }
        for (j, (fraction, linearized)) in load_fractions(cone, problem, &self.impulse).enumerate() {
            for i in 0..tangential {
                let row = m + j * tangential + i;
                let friction = self.impulse[cone.row + n + i];
                for c in 0..N {
                    let turned = fraction_rate(out[N * j + c], fraction, sum[c], normal);
                    out[N * row + c] = turned * friction + (fraction - linearized) * out[N * (n + i) + c];
                }
            }
        }
    }
}

/// −dλ_j for −dx_j = `applied` and −Σ dx = `sum`.
fn fraction_rate(applied: f64, fraction: f64, sum: f64, normal: f64) -> f64 {
    if normal > 0.0 { (applied - fraction * sum) / normal } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use crate::linalg::BLOCK;
    use crate::problem::ContactProblem;
    use crate::solver::law::derivative::ContactStatus;
    use crate::solver::law::evaluation::{Law, Proximal};
    use nalgebra::Matrix6;

    /// One body, one contact of three contact points with all rows filled.
    fn manifold(n_friction: usize) -> ContactProblem {
        let mut problem = ContactProblem::empty();
        problem.mass.push(Matrix6::identity());
        problem.mass_inverse.push(Matrix6::identity());
        problem.add_contact([0].into_iter(), (3, n_friction), 0.6);
        problem.at.load_fraction[..3].copy_from_slice(&[0.5, 0.2, 0.3]);
        for (i, value) in problem.at.jacobian.iter_mut().enumerate() {
            *value = ((i * 7919) % 13) as f64 / 13.0 - 0.4;
        }
        problem.at.free_momentum.resize(BLOCK, 0.0);
        problem.at.velocity.resize(BLOCK, 0.0);
        problem.update_weights();
        problem
    }

    #[test]
    fn derivative_matches_differences_of_the_law() {
        for (n_friction, grip) in [(2, 3.0), (2, 0.5), (3, 3.0), (3, 0.5)] {
            let problem = manifold(n_friction);
            let n = problem.n_rows();
            let mut centre = vec![0.0; n];
            centre[..3].copy_from_slice(&[grip, 0.7 * grip, 0.4 * grip]);
            centre[3..3 + n_friction].fill(0.7);
            let proximal =
                Proximal { centre: &centre, weight: &problem.at.weight, rho: 1.3, equation_rho: 1.3 };
            let y: Vec<f64> = (0..n).map(|i| ((i * 31) % 11) as f64 * 0.04 - 0.2).collect();
            let mut law = Law::default();
            law.resize(&problem);
            let at = |y: &[f64]| {
                let mut law = Law::default();
                law.resize(&problem);
                law.evaluate(&problem, &proximal, y);
                law.impulse
            };
            law.evaluate(&problem, &proximal, &y);
            assert_eq!(
                law.derivative[0].status,
                if grip > 1.0 { ContactStatus::Stick } else { ContactStatus::Slip }
            );
            for row in 0..n {
                let (mut up, mut down, step) = (y.clone(), y.clone(), 1e-6);
                up[row] += step;
                down[row] -= step;
                let mut unit = vec![0.0; n];
                unit[row] = 1.0;
                let mut applied = vec![0.0; n];
                law.apply_derivative(&problem, 0, true, &unit, &mut applied);
                for ((x_up, x_down), applied) in at(&up).iter().zip(at(&down)).zip(&applied) {
                    let slope = (x_up - x_down) / (2.0 * step);
                    assert!((slope + applied).abs() < 1e-7, "row {row}: {slope} against {}", -applied);
                }
            }
        }
    }
}
