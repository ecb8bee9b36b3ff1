//! Problems given by matrices rather than by files.

use super::fcp::FcpProblem;
use super::file_problem::{Content, FileProblem, by_matrices};
use super::global::{GlobalPart, reduced, velocity};
use super::norms::worse;
use signorini_error::{Error, Result};
use sprs::{CsMat, TriMat};

/// A sparse matrix: its shape and entries (row, column, value), which add up where a place has several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Triplets {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Entries.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Triplets {
    fn matrix(&self, name: &str, shape: (usize, usize)) -> Result<CsMat<f64>> {
        if self.shape != shape {
            let given = format!("{name} of shape {:?}", self.shape);
            return Err(refuse(given, format!("must be {shape:?}")));
        }
        let mut matrix = TriMat::new(shape);
        for (row, column, value) in &self.entries {
            if *row >= shape.0 || *column >= shape.1 {
                return Err(refuse(format!("{name}[{row}, {column}]"), format!("is outside {shape:?}")));
            }
            if !value.is_finite() {
                return Err(refuse(format!("{name}[{row}, {column}] = {value}"), "must be finite"));
            }
            matrix.add_triplet(*row, *column, *value);
        }
        Ok(matrix.to_csr())
    }
}

impl FileProblem {
    /// The problem u = W r + q with coefficients μ, one for each contact, and three rows for each contact:
    /// normal, tangent, tangent. W is positive semidefinite, and may be a little unsymmetric.
    ///
    /// # Errors
    /// When sizes do not fit, a coefficient is negative, or a number is not finite.
    pub fn of_delassus(name: &str, w: &Triplets, q: &[f64], mu: &[f64]) -> Result<Self> {
        let rows = check_friction(mu)?;
        let delassus = w.matrix("W", (rows, rows))?;
        check_numbers("q", q, rows)?;
        let (friction_coefficient, free_slip) = (mu.to_vec(), q.to_vec());
        let file = FcpProblem { friction_coefficient, free_slip, delassus, global: None };
        Ok(by_matrices(name.to_owned(), file))
    }

    /// The problem M v = H r + f, u = Hᵀ v + w: masses M of (n, n), directions H of (n, three for each
    /// contact), n momenta f, and w.
    ///
    /// # Errors
    /// As of `of_delassus`, and when M is singular.
    pub fn of_masses(
        name: &str,
        [mass, directions]: [&Triplets; 2],
        [f, w]: [&[f64]; 2],
        mu: &[f64],
    ) -> Result<Self> {
        let (rows, n) = (check_friction(mu)?, f.len());
        check_numbers("f", f, n)?;
        check_numbers("w", w, rows)?;
        let global = GlobalPart {
            mass: mass.matrix("M", (n, n))?,
            force_directions: directions.matrix("H", (n, rows))?,
            force: f.to_vec(),
            offset: w.to_vec(),
        };
        let (delassus, free_slip) =
            reduced(&global).ok_or_else(|| refuse("M = singular".to_owned(), "must be regular"))?;
        let friction_coefficient = mu.to_vec();
        let file = FcpProblem { friction_coefficient, free_slip, delassus, global: Some(global) };
        Ok(by_matrices(name.to_owned(), file))
    }

    /// v = M⁻¹ (H r + f) of impulses r. `None` of a problem without M.
    pub fn velocity(&self, impulse: &[f64]) -> Option<Vec<f64>> {
        match &self.content {
            Content::Fcp(file) => velocity(file.global.as_ref()?, impulse),
            Content::Cones(file) => velocity(&file.global, impulse),
            Content::Packing(_) => None,
        }
    }

    /// How far the velocities of impulses are from those of the file's solution: the largest difference over
    /// the largest of these, and of those without contacts. Of a problem without M slips are compared. None
    /// of a file without a solution.
    pub fn off_solution(&self, impulse: &[f64]) -> Option<f64> {
        let known = self.impulses.solution.as_ref()?;
        let of = |r: &[f64]| self.velocity(r).unwrap_or_else(|| self.reduced.slip(r));
        let [found, known, free] = [of(impulse), of(known), of(&vec![0.0; known.len()])];
        let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(0.0_f64, |m, x| worse(m, x.abs()));
        let scale = largest(&mut known.iter().chain(&free).copied());
        let off = largest(&mut found.iter().zip(&known).map(|(a, b)| a - b));
        Some(if off == 0.0 { 0.0 } else { off / scale })
    }
}

/// Rows of the contacts.
fn check_friction(mu: &[f64]) -> Result<usize> {
    check_numbers("mu", mu, mu.len())?;
    match mu.iter().position(|mu| *mu < 0.0) {
        Some(i) => Err(refuse(format!("mu[{i}] = {}", mu[i]), "must be at least 0")),
        None => Ok(3 * mu.len()),
    }
}

fn check_numbers(name: &str, numbers: &[f64], count: usize) -> Result<()> {
    if numbers.len() != count {
        return Err(refuse(format!("{name} of {} numbers", numbers.len()), format!("must be {count}")));
    }
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(refuse(format!("{name}[{i}] = {}", numbers[i]), "must be finite")),
        None => Ok(()),
    }
}

fn refuse(what: String, allowed: impl Into<String>) -> Error {
    Error::Usage { what, allowed: allowed.into() }
}
