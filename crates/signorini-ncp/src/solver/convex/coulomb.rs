//! Coulomb's law by accelerated projected gradient: a fixed point of convex problems, each with the normal
//! slip raised by μ |y_t| of the one before (De Saxcé). It converges in practice, not by proof.

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::convex::apgd::Apgd;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::linear_problem::Judge;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::baselines::{CONVEX_TOLERANCE, MAX_CONVEX_PROBLEMS};
use crate::solver::status::SolveStatus;
use sprs::CsMat;

/// Solves a linear problem, judged by two residuals both of which have to meet the tolerance; `remainder` is
/// what of the Delassus matrix the blocks leave out. The iterations of the run count gradient steps.
pub fn solve_by_apgd(
    mut problem: ContactProblem,
    remainder: Option<&CsMat<f64>>,
    warm_start: &[f64],
    judge: Judge<'_>,
    options: &SolveOptions,
) -> (Iterate, SolveStatus, Info) {
    problem.law = ContactLaw::Cone;
    let mut iterate = Iterate { velocity: problem.at.velocity.clone(), impulse: warm_start.to_vec() };
    iterate.impulse.resize(problem.n_rows(), 0.0);
    let (mut info, mut method) = (Info::default(), Apgd::default());
    let mut accuracy = CONVEX_TOLERANCE;
    let own_slip = problem.at.slip.clone();
    let mut best = (f64::INFINITY, iterate.clone());
    let mut moved = vec![0.0; problem.at.velocity.len()];
    let mut y = vec![0.0; problem.n_rows()];
    for _ in 0..MAX_CONVEX_PROBLEMS {
        let (scaled, relative) = judge(&iterate.impulse);
        let reached = scaled.max(relative);
        (info.residual.complementarity, info.residual.friction) = (scaled, relative);
        if reached < best.0 {
            best = (reached, iterate.clone());
        }
        if scaled.is_nan() || relative.is_nan() {
            return (best.1, SolveStatus::NonFinite, info);
        }
        if reached <= options.tolerance {
            return (iterate, SolveStatus::Solved, info);
        }
        if let Some(status) = options.limit(&info) {
            return (best.1, status, info);
        }
        let left = options.iterations.saturating_sub(info.iterations);
        if left == 0 {
            return (best.1, SolveStatus::MaxIterations, info);
        }
        // y without the shift of before, the remainder at the impulses of now.
        for ((m, v), at) in moved.iter_mut().zip(&iterate.velocity).zip(&problem.at.velocity) {
            *m = v - at;
        }
        problem.response(&moved, &mut y);
        problem.at.slip.clone_from(&own_slip);
        if let Some(remainder) = remainder {
            for (w, row) in problem.at.slip.iter_mut().zip(remainder.outer_iterator()) {
                *w += row.iter().map(|(j, r)| r * iterate.impulse[j]).sum::<f64>();
            }
        }
        y.iter_mut().zip(&problem.at.slip).for_each(|(y, w)| *y += w);
        for cone in &problem.cones {
            let sliding = y[cone.friction()].iter().map(|y| y * y).sum::<f64>().sqrt();
            let shift = cone.friction_coefficient * sliding;
            problem.at.slip[cone.normal()].iter_mut().for_each(|w| *w += shift);
        }
        let goal = accuracy * f64::max(reached, options.tolerance);
        let inner = SolveOptions { tolerance: goal, iterations: left, ..*options };
        let before = info.iterations;
        let status = method.run(&problem, &mut iterate, &inner, &mut info);
        if status == SolveStatus::FactorizationFailed {
            return (best.1, status, info);
        }
        if info.iterations == before {
            // The judge's norm is stricter than the method's own here.
            accuracy *= CONVEX_TOLERANCE;
        }
    }
    (best.1, SolveStatus::Stalled, info)
}
