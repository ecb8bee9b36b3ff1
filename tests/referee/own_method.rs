//! A method of the caller's in place of the solver: projected Gauss and Seidel, a few lines of it.

use signorini::ncp::{ContactProblem, OwnMethod};
use signorini::simulation::Simulation;
use signorini_scene::scene::{self, LoadOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sweeps over the rows of contacts of single points, with the diagonal of W as step.
#[derive(Debug, Default)]
struct Sweeps {
    calls: AtomicUsize,
}

impl OwnMethod for Sweeps {
    fn solve(&self, problem: &ContactProblem, x: &mut [f64]) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let (n, rows) = (6 * problem.n_bodies(), problem.n_rows());
        let (mut v, mut y) = (vec![0.0; n], vec![0.0; rows]);
        let mut at_start = vec![0.0; rows];
        problem.response(&problem.at.velocity, &mut at_start);
        let mut diagonal = vec![0.0; rows];
        problem.balance(&vec![0.0; rows], &mut Vec::new(), &mut v);
        let free = v.clone();
        for row in 0..rows {
            let mut unit = vec![0.0; rows];
            unit[row] = 1.0;
            problem.balance(&unit, &mut Vec::new(), &mut v);
            v.iter_mut().zip(&free).for_each(|(v, free)| *v -= free);
            problem.response(&v, &mut y);
            diagonal[row] = y[row];
        }
        for _ in 0..300 {
            for cone in &problem.cones {
                problem.balance(x, &mut Vec::new(), &mut v);
                problem.response(&v, &mut y);
                let rate = |row: usize| y[row] + problem.at.slip[row] - at_start[row];
                let normal = cone.row;
                let moved = (x[normal] - rate(normal) / diagonal[normal]).max(0.0);
                let limit = cone.friction_coefficient * moved;
                let largest = cone.friction().map(|row| diagonal[row]).fold(0.0, f64::max);
                let steps: Vec<f64> = cone.friction().map(|row| x[row] - rate(row) / largest).collect();
                let length = steps.iter().map(|x| x * x).sum::<f64>().sqrt();
                x[normal] = moved;
                for (row, step) in cone.friction().zip(steps) {
                    x[row] = if length > limit { step * limit / length } else { step };
                }
            }
        }
        true
    }
}

const HEAP: &str = "format = 1
[simulation]
time_step = 0.005
duration = 0.2
seed = 3
[[friction]]
coefficient = 0.4
[[container]]
name = \"wall\"
min = [-0.1, -0.1, 0]
max = [0.1, 0.1, 1]
[[fill]]
name = \"ball\"
count = 12
density = 1000
region = { min = [-0.1, -0.1, 0], max = [0.1, 0.1, 0.25] }
shape = { type = \"sphere\", radius = 0.03 }
";

fn simulation(more: &str) -> Simulation {
    let text = format!("{HEAP}{more}");
    let scene = scene::parse(&text, Path::new("heap"), &LoadOptions::default()).unwrap().scene;
    Simulation::new(scene).unwrap()
}

/// The referee finds every step of a heap that sweeps solve good, and the heap falls as by the solver.
#[test]
fn sweeps_of_ones_own_solve_a_heap() {
    let mut by_solver = simulation("");
    let mut own = simulation("");
    let method = Arc::new(Sweeps::default());
    own.solve_with(Some(method.clone())).unwrap();
    for _ in 0..40 {
        by_solver.advance();
        let outcome = own.advance();
        assert!(outcome.is_good(), "step {}: {:?}", outcome.step, outcome.info);
    }
    assert!(method.calls.load(Ordering::Relaxed) > 20);
    let (a, b) = (by_solver.potential_energy(), own.potential_energy());
    assert!((a - b).abs() < 0.02 * a, "{a} J and {b} J");
    // Without a method the solver goes on.
    own.solve_with(None).unwrap();
    let calls = method.calls.load(Ordering::Relaxed);
    assert!(own.advance().is_good());
    assert_eq!(method.calls.load(Ordering::Relaxed), calls);
}

/// The problems of the next step are those that a method gets, and looking at them changes nothing.
#[test]
fn problems_of_the_next_step_change_nothing() {
    let mut simulation = simulation("");
    for _ in 0..30 {
        simulation.advance();
    }
    let state = simulation.state().clone();
    let problems = simulation.problems().unwrap();
    assert_eq!(*simulation.state(), state);
    assert!(!problems.is_empty());
    for (problem, impulse) in &problems {
        assert!(problem.is_consistent() && problem.n_rows() == impulse.len() && problem.n_rows() > 0);
        assert!(problem.mass.iter().all(|block| block[(2, 2)] > 0.1));
    }
    let loaded: f64 = problems.iter().flat_map(|(_, x)| x).sum();
    assert!(loaded > 0.0, "they begin at the impulses of the last step");
}

#[test]
fn other_models_hand_no_problems_out() {
    let mut cone = simulation("[solver]\nformulation = \"cone\"\n");
    let error = cone.solve_with(Some(Arc::new(Sweeps::default()))).unwrap_err().to_string();
    assert!(error.contains("cone") && error.contains("implicit"), "{error}");
    assert!(cone.problems().is_err());
}
