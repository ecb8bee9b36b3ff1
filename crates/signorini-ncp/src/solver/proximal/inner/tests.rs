use super::*;
use crate::solver::proximal::active_set::ActiveSet;
use crate::solver::proximal::active_set::tests::{at_rest, stack};
use crate::solver::proximal::outer::{ProximalNewton, ProximalStart};
use crate::solver::{LinearProblem, SolveStatus};

/// (velocities, whether factors were in f32 to the end) where a factor in f32 may take GMRES so many
/// iterations.
fn solve(longest: usize, single_precision: bool) -> (Vec<f64>, bool) {
    let mut options = SolveOptions { single_precision, ..SolveOptions::new(1e-10) };
    options.methods.active_set_iterations = 0;
    let mut problem = LinearProblem::new(stack(3.0), None);
    let (mut iterate, residual) = at_rest(&mut problem);
    let mut newton = InnerNewton { longest_single: LongestSingle(longest), ..InnerNewton::default() };
    let mut info = Info::default();
    let mut context = Context { options, info: &mut info, newton: &mut newton };
    let start = ProximalStart { residual, rho: 10.0, iterations: 200, stall_iterations: 50 };
    let (mut method, mut finish) = (ProximalNewton::default(), ActiveSet::default());
    let status = method.run(&mut problem, &mut iterate, start, &mut finish, &mut context);
    assert_eq!(status, SolveStatus::Solved, "{info:?}");
    (iterate.velocity, newton.single_rho > 0.0)
}

#[test]
fn factors_are_in_f32_until_one_is_not_good_enough() {
    let (exact, none) = solve(STALE_ITERATIONS, false);
    assert!(!none);
    for (allowed, single) in [(STALE_ITERATIONS, true), (0, false)] {
        let (velocity, stayed) = solve(allowed, true);
        assert_eq!(stayed, single, "{allowed} iterations allowed");
        for (v, expected) in velocity.iter().zip(&exact) {
            assert!((v - expected).abs() < 1e-9, "{v}, expected {expected}");
        }
    }
}
