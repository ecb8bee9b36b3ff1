//! Steps that have no solution, and steps that are not solved: told as such, soon, and left in a sane state.

use signorini_ncp::solver::SolveStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use support::runs::{Run, body, exact_from_text, from_text};

/// Jaws that close on a body with 1 m/s; they touch it after about .015 s.
fn vice(part: &str) -> String {
    format!(
        "format = 1
[simulation]
time_step = 0.005
duration = 0.06
gravity = [0, 0, -9.81]
[[friction]]
coefficient = 0.5
ellipsoid = {{ t = 1, o = 1, r = 0.01 }}
[[body]]
name = \"ground\"
shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}
[[body]]
name = \"jaw\"
shape = {{ type = \"box\", half_extents = [0.1, 0.3, 0.3] }}
fixed = true
position = [-0.215, 0, 0.31]
[[body]]
name = \"closing jaw\"
shape = {{ type = \"box\", half_extents = [0.1, 0.3, 0.3] }}
position = [0.215, 0, 0.31]
[[motion]]
body = \"closing jaw\"
direction = [1, 0, 0]
velocity = {{ type = \"constant\", value = -1 }}
[[body]]
name = \"part\"
density = 1000
position = [0, 0, 0.1]
{part}
"
    )
}

#[test]
fn a_vice_that_closes_on_a_part_has_no_solution() {
    let parts = [
        ("box", "shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }"),
        ("sphere", "shape = { type = \"sphere\", radius = 0.1 }"),
        ("cylinder", "shape = { type = \"cylinder\", radius = 0.1, length = 0.2 }"),
    ];
    for (name, part) in parts {
        let mut run = Run::new(from_text(&vice(part)));
        let part = body(run.scene(), "part");
        let (mut n_told, mut n_unsolved) = (0, 0);
        for _ in 0..12 {
            let outcome = run.simulation.advance();
            let info = &outcome.info;
            n_told += usize::from(info.status == SolveStatus::Infeasible);
            n_unsolved += usize::from(!info.status.is_solved());
            // A vice of one body and ten contact points: such iterations take a fifth of a millisecond.
            assert!(info.iterations < 2000, "{name}: {} iterations", info.iterations);
            let speed = run.state().velocities[part].linear.norm();
            assert!(speed < 5.0, "{name}: {speed} m/s out of a vice that closes with 1 m/s");
        }
        assert!(n_unsolved >= 5, "{name}: {n_unsolved} steps are not solved");
        assert!(2 * n_told >= n_unsolved, "{name}: {n_told} of {n_unsolved} steps are told as infeasible");
    }
}

#[test]
fn work_that_is_up_leaves_a_sane_state() {
    let cube = "shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }";
    let text = vice(cube) + "[solver]\nstep_seconds = 0.001\n";
    let steps = || {
        let mut run = Run::new(exact_from_text(&text));
        let part = body(run.scene(), "part");
        let step = |_| {
            let status = run.simulation.advance().info.status;
            let velocity = run.state().velocities[part];
            assert!(velocity.linear.norm() < 5.0);
            (status, velocity.linear.map(f64::to_bits), velocity.angular.map(f64::to_bits))
        };
        (0..12).map(step).collect::<Vec<_>>()
    };
    let first = steps();
    let late = first.iter().filter(|step| step.0 == SolveStatus::WorkLimit).count();
    assert!(late > 0, "no step met its limit of 1 ms of work");
    // Work is counted: a busy machine makes no difference.
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let again = steps();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(again, first);
    });
}
