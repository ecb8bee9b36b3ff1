//! Frictional-contact problems of the public FCLIB collection and of linearized packings, read from files.
//!
//! Reduced form, FCLIB signs: find r with u = W r + q, û = u + (μ |u_T|, 0, 0), K* ∋ û ⊥ r ∈ K, K = { r_N ≥
//! |r_T| / μ }; rows per contact (normal, tangent, tangent). Files: `.hdf5` of the collection itself gives W
//! and q or M, H, f, w with W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w, and perhaps guesses and a solution; `.fcp`
//! gives these data in fewer bytes; `.gp` gives bodies, contacts and a warm start.
//!
//! References: Acary, Brémond, Huber 2018 (natural residual); FCLIB collection (signs).

mod bytes;
mod delassus;
mod fcp;
mod global;
mod hdf5;
mod matrices;
mod packing;
mod rank_factor;
mod solve;

use signorini_error::{Error, Result, read_regular, without_panic};
use signorini_ncp::problem::ContactProblem;
use sprs::CsMat;
use std::path::Path;
use std::time::Instant;

pub use delassus::delassus_as_contact_problem;
pub use fcp::{FcpProblem, fcp_as_contact_problem};
pub use global::{GlobalPart, reduced};
pub use hdf5::{Impulses, write};
pub use matrices::Triplets;
pub use packing::{PackingProblem, packing_as_contact_problem};
pub use solve::{Solved, solve_problem};

/// Longest file (bytes).
const LONGEST: u64 = 4 << 30;

/// The Delassus operator W, which maps impulses to relative velocities.
#[derive(Debug, Clone)]
pub enum Delassus {
    /// The file's own W, row by row.
    Matrix(CsMat<f64>),
    /// J M⁻¹ Jᵀ of bodies and contacts, never formed.
    Bodies(Box<ContactProblem>),
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
        };
        let contact_scale = diagonal.chunks_exact(3).map(|d| d.iter().copied().fold(0.0, f64::max)).collect();
        Self { friction_coefficient, free_slip, delassus, contact_scale }
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
        }
        u
    }

    /// Both residuals of r.
    pub fn residual(&self, impulse: &[f64]) -> ReducedResidual {
        let u = self.slip(impulse);
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
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
        let q = &self.free_slip;
        let norm = square(q).max(square(impulse)).max(square(&u)).sqrt();
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
    if length <= mu * z[0] {
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

fn largest_or_nan(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| worse(m, x.abs()))
}

fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Problem that a file holds.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // One lives at a time.
pub enum Content {
    /// `.fcp` and `.hdf5`
    Fcp(Box<FcpProblem>),
    /// `.gp`
    Packing(PackingProblem),
}

/// A problem as read from a file.
#[derive(Debug, Clone)]
pub struct FileProblem {
    /// File name without folder and ending.
    pub name: String,
    /// The file's own form.
    pub content: Content,
    /// The reduced problem, by which results are judged.
    pub reduced: ReducedProblem,
    /// Guesses and solution, where the file has some.
    pub impulses: Impulses,
}

/// A file's problem over blocks of unknowns.
#[derive(Debug, Clone)]
pub struct BlockForm {
    /// A v = b + Jᵀ r, y = Y v + w.
    pub problem: ContactProblem,
    /// The part of W that the blocks leave out (small): y gains its product with the impulses.
    pub remainder: Option<CsMat<f64>>,
    /// Impulses to start from; zero where the file has none.
    pub warm_start: Vec<f64>,
}

impl FileProblem {
    /// Converts. `None` when the time is up first.
    pub fn as_block_form(&self, deadline: Option<Instant>) -> Option<BlockForm> {
        match &self.content {
            Content::Fcp(file) => {
                let (problem, remainder) = fcp_as_contact_problem(file, deadline)?;
                let warm_start = vec![0.0; problem.n_rows()];
                Some(BlockForm { problem, remainder, warm_start })
            }
            Content::Packing(file) => {
                let problem = packing_as_contact_problem(file);
                Some(BlockForm { problem, remainder: None, warm_start: file.warm_start.clone() })
            }
        }
    }
}

/// Reads a `.hdf5`, `.fcp` or `.gp` file (told apart by content and ending).
///
/// # Errors
/// When the file cannot be read or says something impossible.
pub fn read(path: &Path) -> Result<FileProblem> {
    let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let content = read_regular(path, LONGEST)?;
    if content.starts_with(hdf5::MAGIC) {
        let message = |panic| format!("cannot be read as HDF5 ({panic})");
        let read = without_panic(|| hdf5::parse(path, content))
            .unwrap_or_else(|panic| Err(Error::Parse { file: path.to_owned(), message: message(panic) }));
        let (file, impulses) = read?;
        return Ok(FileProblem { impulses, ..by_matrices(name, file) });
    }
    if content.starts_with(fcp::MAGIC) {
        return Ok(by_matrices(name, fcp::parse(path, &content)?));
    }
    if path.extension().is_some_and(|e| e == "gp") {
        let file = packing::parse(path, &content)?;
        let problem = packing_as_contact_problem(&file);
        let free_slip = packing::free_slip(&file, &problem);
        let delassus = Delassus::Bodies(Box::new(problem));
        let reduced = ReducedProblem::new(file.friction_coefficient.clone(), free_slip, delassus);
        let impulses = Impulses::default();
        return Ok(FileProblem { name, content: Content::Packing(file), reduced, impulses });
    }
    let start: Vec<String> = content.iter().take(4).map(|b| format!("{b:02x}")).collect();
    Err(Error::Field {
        file: path.to_owned(),
        at: None,
        field: "magic".to_owned(),
        value: start.join(" "),
        allowed: "must be the bytes of \"FCP1\" or of HDF5 (or the file's name must end in .gp)".to_owned(),
    })
}

fn by_matrices(name: String, file: FcpProblem) -> FileProblem {
    let delassus = Delassus::Matrix(file.delassus.clone());
    let reduced = ReducedProblem::new(file.friction_coefficient.clone(), file.free_slip.clone(), delassus);
    FileProblem { name, content: Content::Fcp(Box::new(file)), reduced, impulses: Impulses::default() }
}
