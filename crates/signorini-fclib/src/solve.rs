//! A frictional-contact problem of its own, solved from nothing and judged by its own matrices.

use super::cones::rows_of_file;
use super::file_problem::FileProblem;
use super::reduced::ReducedResidual;
use signorini_ncp::solver::{Info, LinearProblem, SolveOptions, SolveStatus, solve_cold};
use std::time::Instant;

/// Outcome of solving a problem.
#[derive(Debug, Clone)]
pub struct Solved {
    /// r, by rows of the file; of FCLIB's contacts normal, tangent, tangent.
    pub impulse: Vec<f64>,
    /// The two residuals of r.
    pub residual: ReducedResidual,
    /// How the solve ended: solved exactly where both residuals are within the tolerance.
    pub status: SolveStatus,
    /// The cost of the solve.
    pub info: Info,
}

impl Solved {
    /// The two norms of the problem decide, whatever the solver thought of its velocities.
    pub fn judged(
        problem: &FileProblem,
        impulse: Vec<f64>,
        status: SolveStatus,
        info: Info,
        tolerance: f64,
    ) -> Self {
        let residual = problem.reduced.residual(&impulse);
        let status = if residual.max() <= tolerance {
            SolveStatus::Solved
        } else if status.is_solved() {
            SolveStatus::Stalled
        } else {
            status
        };
        Self { impulse, residual, status, info }
    }
}

/// Solves a problem from nothing, or from impulses to start from, until both residuals are within the
/// tolerance or the deadline is over.
pub fn solve_problem(
    problem: &FileProblem,
    start: Option<&[f64]>,
    tolerance: f64,
    deadline: Option<Instant>,
) -> Solved {
    let Some(form) = problem.as_block_form(deadline) else {
        let nothing = vec![0.0; problem.reduced.free_slip.len()];
        return Solved::judged(problem, nothing, SolveStatus::TimeLimit, Info::default(), tolerance);
    };
    let rows = form.rows.as_deref();
    let judge = |impulse: &[f64]| {
        let ReducedResidual { scaled, nat_rel } = problem.reduced.residual(&rows_of_file(rows, impulse));
        (scaled, nat_rel)
    };
    let start = start.map_or_else(|| form.warm_start.clone(), |start| form.of_file(start));
    let linear = LinearProblem::new(form.problem, Some(&judge)).with_remainder(form.remainder.as_ref());
    let run = SolveOptions { deadline, ..SolveOptions::new(tolerance) };
    let (iterate, status, info) = solve_cold(linear, &start, &run);
    Solved::judged(problem, rows_of_file(rows, &iterate.impulse), status, info, tolerance)
}
