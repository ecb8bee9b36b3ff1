//! The core solver without scene, geometry or time: two blocks in a stack on the ground, one step of
//! velocities and impulses, against the closed form.
//!
//! The lower block slides at 3 m/s, the upper one is at rest on it, so both contacts slip: the ground brakes
//! with μ (m₁ + m₂) g h, the blocks pull at each other with μ m₂ g h.
//!
//! `cargo run --example core_problem`

#![allow(clippy::print_stdout)]

use nalgebra::Matrix6;
use signorini::SolveStatus;
use signorini::ncp::{ContactProblem, LinearProblem, SolveOptions, solve};

const MASS: [f64; 2] = [2.0, 3.0];
const FRICTION: f64 = 0.3;
/// g h (m/s).
const FALL: f64 = 9.81 * 0.01;
const SPEED: f64 = 3.0;

/// Block 0 on the ground, block 1 on block 0. Rows of a contact: normal z, tangents x and y.
fn stack() -> ContactProblem {
    let mut problem = ContactProblem::empty();
    for (mass, speed) in MASS.into_iter().zip([SPEED, 0.0]) {
        problem.mass.push(Matrix6::identity() * mass);
        problem.mass_inverse.push(Matrix6::identity() / mass);
        problem.at.free_momentum.extend([mass * speed, 0.0, -mass * FALL, 0.0, 0.0, 0.0]);
    }
    problem.at.velocity.resize(12, 0.0);
    problem.add_contact([0].into_iter(), (1, 2), FRICTION);
    problem.add_contact([0, 1].into_iter(), (1, 2), FRICTION);
    // Block columns in order: ground on 0; 0 on 1, first as the lower body, then 1 as the upper one.
    for (block, sign) in [1.0, -1.0, 1.0].into_iter().enumerate() {
        let start = problem.value_offsets[block];
        for (row, axis) in [2, 0, 1].into_iter().enumerate() {
            problem.at.jacobian[start + 6 * row + axis] = sign;
        }
    }
    problem.update_weights();
    problem.set_uniform_units(MASS[0] * FALL, 1.0);
    problem
}

fn main() {
    let (iterate, status, info) = solve(LinearProblem::new(stack(), None), &[], &SolveOptions::new(1e-12));
    println!("{status:?} after {} iterations, residual {:.1e}", info.iterations, info.residual.max());
    println!("velocities {:.6?}\nimpulses   {:.6?}", iterate.velocity, iterate.impulse);
    assert_eq!(status, SolveStatus::Solved);

    let [lower, upper] = MASS;
    let (ground, between) = ((lower + upper) * FALL, upper * FALL);
    let expected_impulse = [ground, -FRICTION * ground, 0.0, between, FRICTION * between, 0.0];
    let expected_speed = [SPEED - FRICTION * (ground + between) / lower, FRICTION * between / upper];
    for (x, expected) in iterate.impulse.iter().zip(expected_impulse) {
        assert!((x - expected).abs() < 1e-10, "impulse {x}, expected {expected}");
    }
    for (v, expected) in [iterate.velocity[0], iterate.velocity[6]].iter().zip(expected_speed) {
        assert!((v - expected).abs() < 1e-10, "velocity {v}, expected {expected}");
    }
}
