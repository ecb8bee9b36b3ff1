//! A problem as a file has it, and as blocks of unknowns.

use super::cones::{ConeProblem, scattered};
use super::fcp::{FcpProblem, fcp_as_contact_problem};
use super::packing::{PackingProblem, packing_as_contact_problem};
use super::reduced::{Delassus, ReducedProblem};
use signorini_ncp::problem::ContactProblem;
use sprs::CsMat;
use std::time::Instant;

/// Impulses that a file holds besides the problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Impulses {
    /// r of each guess.
    pub guesses: Vec<Vec<f64>>,
    /// r of the solution.
    pub solution: Option<Vec<f64>>,
}

/// Problem that a file holds.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // One lives at a time.
pub enum Content {
    /// `.fcp` and `.hdf5`
    Fcp(Box<FcpProblem>),
    /// `.hdf5` with contacts that FCLIB's own layout does not know
    Cones(Box<ConeProblem>),
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
    /// Row of the problem of each row of the file; None where they are the same.
    pub rows: Option<Vec<usize>>,
}

impl BlockForm {
    /// Impulses by rows of the problem, of those by rows of the file.
    pub fn of_file(&self, impulse: &[f64]) -> Vec<f64> {
        let Some(rows) = &self.rows else { return impulse.to_vec() };
        scattered(rows, self.problem.n_rows(), impulse)
    }
}

impl FileProblem {
    /// Converts. `None` when the time is up first.
    pub fn as_block_form(&self, deadline: Option<Instant>) -> Option<BlockForm> {
        match &self.content {
            Content::Fcp(file) => {
                let (problem, remainder) = fcp_as_contact_problem(file, deadline)?;
                let warm_start = vec![0.0; problem.n_rows()];
                Some(BlockForm { problem, remainder, warm_start, rows: None })
            }
            Content::Cones(file) => {
                let (problem, rows) = file.as_blocks()?;
                let warm_start = vec![0.0; problem.n_rows()];
                Some(BlockForm { problem, remainder: None, warm_start, rows: Some(rows) })
            }
            Content::Packing(file) => {
                let problem = packing_as_contact_problem(file);
                let warm_start = file.warm_start.clone();
                Some(BlockForm { problem, remainder: None, warm_start, rows: None })
            }
        }
    }
}

/// The problem of a file with matrices, without impulses.
pub fn by_matrices(name: String, file: FcpProblem) -> FileProblem {
    let delassus = Delassus::Matrix(file.delassus.clone());
    let reduced = ReducedProblem::new(file.friction_coefficient.clone(), file.free_slip.clone(), delassus);
    FileProblem { name, content: Content::Fcp(Box::new(file)), reduced, impulses: Impulses::default() }
}
