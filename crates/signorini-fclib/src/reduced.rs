//! Problems as u = W r + q, by which impulses are judged.

use super::cones::{ConeLaws, ConeProblem, Layout, scattered};
use super::delassus;
use super::norms::{largest_or_nan, worse};
use signorini_ncp::problem::ContactProblem;
use sprs::CsMat;

/// The Delassus operator W, which maps impulses to relative velocities.
#[derive(Debug, Clone)]
pub enum Delassus {
    /// The file's own W, row by row.
    Matrix(CsMat<f64>),
    /// J M⁻¹ Jᵀ of bodies and contacts, never formed.
    Bodies(Box<ContactProblem>),
    /// J M⁻¹ Jᵀ + R of a problem over cones: the problem, its row of each row of the file, and R.
    Cones(Box<ContactProblem>, Vec<usize>, Vec<f64>),
}

/// The reduced problem, by which a result is judged.
#[derive(Debug, Clone)]
pub struct ReducedProblem {
    /// μ per contact.
    pub friction_coefficient: Vec<f64>,
    /// q, three per contact.
    pub free_slip: Vec<f64>,
    /// W.
    pub delassus: Delassus,
    /// d per contact: largest diagonal entry of its block of W, 0 where none is positive.
    pub contact_scale: Vec<f64>,
    /// Laws of a problem over cones; None: each contact is one of FCLIB.
    pub laws: Option<ConeLaws>,
}

/// The two residuals of a set of impulses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReducedResidual {
    /// max_c d_c |r_c − P_K(r_c − û_c / d_c)|_∞ / |q|_∞: free of units. Where d_c is 0 it counts as 1.
    pub scaled: f64,
    /// |r − P_K(r − û)|₂ / max(|q|, |r|, |u|): the collection's own, not free of units.
    pub nat_rel: f64,
}

impl ReducedResidual {
    /// The larger one; NaN wins.
    pub fn max(&self) -> f64 {
        if self.scaled.is_nan() || self.nat_rel.is_nan() { f64::NAN } else { self.scaled.max(self.nat_rel) }
    }
}

impl ReducedProblem {
    /// The problem from its parts; d is taken from W.
    pub fn new(friction_coefficient: Vec<f64>, free_slip: Vec<f64>, delassus: Delassus) -> Self {
        let diagonal = match &delassus {
            Delassus::Matrix(w) => w.diag().to_dense().to_vec(),
            Delassus::Bodies(problem) => delassus::diagonal(problem),
            Delassus::Cones(problem, rows, compliance) => {
                let all = delassus::diagonal(problem);
                rows.iter().zip(compliance).map(|(row, r)| all[*row] + r).collect()
            }
        };
        let contact_scale = diagonal.chunks_exact(3).map(|d| d.iter().copied().fold(0.0, f64::max)).collect();
        Self { friction_coefficient, free_slip, delassus, contact_scale, laws: None }
    }

    /// The problem over cones. None when M is not symmetric, positive definite and of blocks of at most six.
    pub fn of_cones(problem: &ConeProblem) -> Option<Self> {
        let (blocks, rows) = problem.as_blocks()?;
        let all = delassus::diagonal(&blocks);
        let diagonal: Vec<f64> = rows.iter().zip(&problem.compliance).map(|(row, r)| all[*row] + r).collect();
        let delassus = Delassus::Cones(Box::new(blocks), rows, problem.compliance.clone());
        let mut reduced = Self::new(problem.friction_coefficients(), problem.free_slip()?, delassus);
        if problem.layout != Layout::Plain {
            reduced.laws = Some(ConeLaws::new(problem, &diagonal));
        }
        Some(reduced)
    }

    /// Number of contacts.
    pub fn n_contacts(&self) -> usize {
        self.friction_coefficient.len()
    }

    /// u = W r + q.
    pub fn slip(&self, impulse: &[f64]) -> Vec<f64> {
        let mut u = self.free_slip.clone();
        match &self.delassus {
            Delassus::Matrix(w) => {
                for (u, row) in u.iter_mut().zip(w.outer_iterator()) {
                    *u += row.iter().map(|(j, w)| w * impulse[j]).sum::<f64>();
                }
            }
            Delassus::Bodies(problem) => {
                for (u, dy) in u.iter_mut().zip(delassus::product(problem, impulse)) {
                    *u += dy;
                }
            }
            Delassus::Cones(problem, rows, compliance) => {
                let there = scattered(rows, problem.n_rows(), impulse);
                let moved = delassus::product(problem, &there);
                for (i, row) in rows.iter().enumerate() {
                    u[i] += moved[*row] + compliance[i] * impulse[i];
                }
            }
        }
        u
    }

    /// Both residuals of r.
    pub fn residual(&self, impulse: &[f64]) -> ReducedResidual {
        let u = self.slip(impulse);
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let q = &self.free_slip;
        let norm = square(q).max(square(impulse)).max(square(&u)).sqrt();
        if let Some(laws) = &self.laws {
            let [scaled, nat_rel] = laws.residual(impulse, &u, [largest(q), norm]);
            return ReducedResidual { scaled, nat_rel };
        }
        let (mut scaled, mut sum) = (0.0_f64, 0.0);
        for (c, mu) in self.friction_coefficient.iter().enumerate() {
            let rows = 3 * c..3 * c + 3;
            let (r, u) = (&impulse[rows.clone()], &u[rows]);
            let shifted = [u[0] + mu * u[1].hypot(u[2]), u[1], u[2]];
            let natural = natural_map(r, &shifted, *mu, 1.0);
            sum += square(&natural);
            // Without a positive diagonal nothing resists r: slip is judged as it is.
            let d = Some(self.contact_scale[c]).filter(|d| *d > 0.0).unwrap_or(1.0);
            scaled = worse(scaled, d * largest_or_nan(&natural_map(r, &shifted, *mu, 1.0 / d)));
        }
        ReducedResidual {
            scaled: if scaled == 0.0 { 0.0 } else { scaled / largest(q) },
            nat_rel: if sum == 0.0 { 0.0 } else { sum.sqrt() / norm },
        }
    }
}

/// r − P_K(r − û s), P_K the Euclidean projection on the Coulomb cone.
fn natural_map(r: &[f64], shifted_slip: &[f64; 3], mu: f64, step: f64) -> [f64; 3] {
    let mut z = [0.0; 3];
    for i in 0..3 {
        z[i] = r[i] - step * shifted_slip[i];
    }
    let projected = project_on_cone(z, mu);
    [r[0] - projected[0], r[1] - projected[1], r[2] - projected[2]]
}

/// Euclidean projection on K = { z_N ≥ 0, |z_T| ≤ μ z_N }.
pub fn project_on_cone(z: [f64; 3], mu: f64) -> [f64; 3] {
    let length = z[1].hypot(z[2]);
    // Without friction the inequality alone says nothing of the sign.
    if z[0] >= 0.0 && length <= mu * z[0] {
        return z;
    }
    if mu * length <= -z[0] {
        return [0.0; 3];
    }
    let normal = (z[0] + mu * length) / (1.0 + mu * mu);
    // Inside the cone's outer region length > 0, except for μ = 0 with a vanishing tangential part.
    let shrink = if length > 0.0 { mu * normal / length } else { 0.0 };
    [normal, shrink * z[1], shrink * z[2]]
}
