//! Coulomb's law by accelerated projected gradient: a fixed point of convex problems, each with the normal
//! slip raised by μ |y_t| of the one before (De Saxcé). It converges in practice, not by proof.

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::convex::apgd::Apgd;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::linear_problem::Judge;
use crate::solver::run::Run;
use crate::solver::status::SolveStatus;
use sprs::CsMat;

/// Convex problems at most.
const MOST_PROBLEMS: usize = 1000;
/// Each convex problem is solved to this part of what the judge found before it.
const INNER_ACCURACY: f64 = 0.1;

/// Solves a linear problem, judged by two residuals both of which have to meet the tolerance; `remainder` is
/// what of the Delassus matrix the blocks leave out. The iterations of the run count gradient steps.
pub fn solve_by_apgd(
    mut problem: ContactProblem,
    remainder: Option<&CsMat<f64>>,
    warm_start: &[f64],
    judge: Judge<'_>,
    run: &Run,
) -> (Iterate, SolveStatus, Info) {
    problem.law = ContactLaw::Cone;
    let mut iterate = Iterate { velocity: problem.at.velocity.clone(), impulse: warm_start.to_vec() };
    iterate.impulse.resize(problem.n_rows(), 0.0);
    let (mut info, mut method) = (Info::default(), Apgd::default());
    let mut accuracy = INNER_ACCURACY;
    let own_slip = problem.at.slip.clone();
    let mut best = (f64::INFINITY, iterate.clone());
    let mut moved = vec![0.0; problem.at.velocity.len()];
    let mut y = vec![0.0; problem.n_rows()];
    for _ in 0..MOST_PROBLEMS {
        let (scaled, relative) = judge(&iterate.impulse);
        let reached = scaled.max(relative);
        (info.residual.complementarity, info.residual.friction) = (scaled, relative);
        if reached < best.0 {
            best = (reached, iterate.clone());
        }
        if scaled.is_nan() || relative.is_nan() {
            return (best.1, SolveStatus::NonFinite, info);
        }
        if reached <= run.tolerance {
            return (iterate, SolveStatus::Solved, info);
        }
        if run.is_late() {
            return (best.1, SolveStatus::TimeLimit, info);
        }
        let left = run.iterations.saturating_sub(info.iterations);
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
        let goal = accuracy * f64::max(reached, run.tolerance);
        let inner = Run { tolerance: goal, iterations: left, ..*run };
        let before = info.iterations;
        let status = method.run(&problem, &mut iterate, &inner, &mut info);
        if status == SolveStatus::FactorizationFailed {
            return (best.1, status, info);
        }
        if info.iterations == before {
            // The judge's norm is stricter than the method's own here.
            accuracy *= INNER_ACCURACY;
        }
    }
    (best.1, SolveStatus::Stalled, info)
}
