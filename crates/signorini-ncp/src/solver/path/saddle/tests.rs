use super::*;
use crate::solver::Iterate;
use crate::solver::info::Info;
use crate::solver::linearized_problem::LinearizedProblem;
use crate::solver::linearized_problem::tests::cube;
use crate::solver::options::Methods;
use crate::solver::options::SolveOptions;
use crate::solver::path::follow::{PathAttempt, PathFollower};
use crate::solver::proximal::active_set::ActiveSet;
use crate::solver::proximal::active_set::tests::at_rest;
use crate::solver::proximal::inner::Context;
use crate::solver::proximal::inner::InnerNewton;
use crate::solver::residual::Residual;
use crate::solver::solve::Solver;
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::{Hint, StepProblem};

fn follow(problem: ContactProblem, options: SolveOptions) -> (Iterate, Residual, usize) {
    let mut problem = LinearizedProblem::new(problem, &[true; 14]);
    let (mut iterate, to_beat) = at_rest(&mut problem);
    let attempt = PathAttempt { to_beat, weights: None, leads: false };
    let (mut info, mut newton) = (Info::default(), InnerNewton::default());
    let mut context = Context { options, info: &mut info, newton: &mut newton };
    let (mut follower, mut finish) = (PathFollower::default(), ActiveSet::default());
    let (reached, _) = follower.run(&mut problem, &mut iterate, attempt, &mut finish, &mut context);
    (iterate, reached, info.iterations)
}

/// A body on a manifold: it stands, slides, and turns while it slides. Newton on the statuses is left out.
#[test]
fn the_path_of_a_manifold_ends_at_the_solution() {
    let mut options = SolveOptions::new(1e-10);
    options.methods.active_set_iterations = 0;
    for (push, turn) in [(0.1, 0.0), (0.6, 0.0), (0.1, 0.3), (0.6, 0.3)] {
        let (iterate, reached, iterations) = follow(cube(push, turn), options);
        assert!(reached.max() <= 1e-10, "{push} {turn}: {reached:?}");
        assert!(iterations <= 60, "{push} {turn}: {iterations}");
        let x = &iterate.impulse;
        let friction = x[4].hypot(x[5]);
        let slides = push > 0.3;
        assert!((x[..4].iter().sum::<f64>() - 1.0).abs() < 1e-9, "{x:?}");
        assert_eq!((friction - 0.3).abs() < 1e-9, slides, "{push} {turn}: friction {friction}");
    }
}

/// Its first column is along q, and friction that has two rows stays in them.
#[test]
fn the_frame_is_along_friction() {
    for q in [[0.3, -0.4, 0.0], [-0.2, 0.0, 0.0], [0.0, 0.5, 0.0], [0.1, 0.2, -0.3]] {
        let frame = frame(&q);
        let length = q.iter().map(|q| q * q).sum::<f64>().sqrt();
        for i in 0..3 {
            assert!((frame[i][0].abs() - q[i].abs() / length).abs() < 1e-15);
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| frame[k][i] * frame[k][j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
        assert!(q[2] != 0.0 || frame[2] == [0.0, 0.0, 1.0], "{frame:?}");
    }
}

/// Counts how often it is told of another start.
struct Counting(LinearizedProblem, usize);

impl StepProblem for Counting {
    fn linearized(&self) -> &ContactProblem {
        self.0.linearized()
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        self.0.refresh(v, x)
    }

    fn hint(&mut self, hint: Hint) {
        self.1 += usize::from(hint == Hint::Restart);
    }
}

/// Where one step without progress is made to leave it unsolved, a manifold is solved along the path of the
/// linearized problem if the residual is small enough for that.
#[test]
fn a_stuck_manifold_starts_again_along_its_path() {
    let solve = |path_linearized_below| {
        let mut options = SolveOptions {
            restarts: 0,
            inner_iterations: 1,
            stall_iterations: 1,
            ..SolveOptions::new(1e-10)
        };
        options.methods = Methods {
            path_linearized_below,
            path_restarts: 1,
            // Of few bodies there is a path from everywhere.
            small_island: 0,
            active_set_iterations: 0,
            ..options.methods
        };
        let mut problem = Counting(LinearizedProblem::new(cube(0.6, 0.3), &[true; 14]), 0);
        let (mut iterate, _) = at_rest(&mut problem);
        let mut info = Info::default();
        let status = Solver::default().solve(&mut problem, &mut iterate, &options, &mut info);
        assert_eq!(problem.1, info.restarts);
        (status, info.restarts)
    };
    assert_eq!(solve(0.0), (SolveStatus::Stalled, 0));
    assert_eq!(solve(1e300), (SolveStatus::Solved, 1));
}
