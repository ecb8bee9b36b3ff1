//! Frictional contact from plain arrays: three spheres in a heap on the ground, one time step.
//!
//! A simulator of your own knows masses, momenta and contacts. Each contact gives two bodies, a frame, a
//! contact point and a gap; the example turns them into rows and solves for velocities and impulses.
//!
//! `cargo run -p signorini-ncp --example arrays`

#![allow(clippy::print_stdout)]

use nalgebra::{Matrix6, Vector3, Vector6};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{LinearProblem, SolveOptions, SolveStatus, solve};

/// Radius (m) and mass (kg) of the spheres, g (m/s²), time step h (s), coefficient of friction μ.
const RADIUS: f64 = 0.1;
const MASS: f64 = 2.0;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.01;
const FRICTION: f64 = 0.5;

/// Contact from body A (None: the ground) to body B: normal from A into B, and gap (m).
struct Contact {
    bodies: [Option<usize>; 2],
    point: Vector3<f64>,
    normal: Vector3<f64>,
    gap: f64,
}

/// Centres of two spheres on the ground and of one in the hollow between them.
fn centres() -> [Vector3<f64>; 3] {
    let half = 1.05 * RADIUS;
    let height = RADIUS + (4.0 * RADIUS * RADIUS - half * half).sqrt();
    [Vector3::new(-half, 0.0, RADIUS), Vector3::new(half, 0.0, RADIUS), Vector3::new(0.0, 0.0, height)]
}

fn contacts(centres: &[Vector3<f64>; 3]) -> Vec<Contact> {
    let ground = (0..2).map(|i| Contact {
        bodies: [None, Some(i)],
        point: centres[i] - Vector3::z() * RADIUS,
        normal: Vector3::z(),
        gap: 0.0,
    });
    let between = (0..2).map(|i| {
        let way = centres[2] - centres[i];
        let (normal, point) = (way.normalize(), centres[i] + 0.5 * way);
        Contact { bodies: [Some(i), Some(2)], point, normal, gap: way.norm() - 2.0 * RADIUS }
    });
    ground.chain(between).collect()
}

/// Problem A v = b + Jᵀ x with one normal row and two friction rows per contact.
fn assemble(centres: &[Vector3<f64>; 3], contacts: &[Contact]) -> ContactProblem {
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let mass = Matrix6::from_diagonal(&Vector6::new(MASS, MASS, MASS, inertia, inertia, inertia));
    let mut problem = ContactProblem::empty();
    for _ in centres {
        problem.mass.push(mass);
        problem.mass_inverse.push(mass.try_inverse().expect("masses are positive"));
        problem.at.free_momentum.extend([0.0, 0.0, -MASS * GRAVITY * STEP, 0.0, 0.0, 0.0]);
        problem.at.velocity.extend([0.0; 6]);
    }
    for contact in contacts {
        let c = problem.add_contact(contact.bodies.into_iter().flatten(), (1, 2), FRICTION);
        let row = problem.cones[c].row;
        problem.at.slip[row] = contact.gap / STEP;
        let tangent = contact.normal.cross(&Vector3::y()).normalize();
        let axes = [contact.normal, tangent, contact.normal.cross(&tangent)];
        let sides =
            contact.bodies.into_iter().zip([-1.0, 1.0]).filter_map(|(body, sign)| Some((body?, sign)));
        for (block, (body, sign)) in (problem.block_offsets[c]..).zip(sides) {
            let start = problem.value_offsets[block];
            let arm = contact.point - centres[body];
            for (k, axis) in axes.iter().enumerate() {
                let rows = &mut problem.at.jacobian[start + 6 * k..start + 6 * (k + 1)];
                rows[..3].copy_from_slice((sign * axis).as_slice());
                rows[3..].copy_from_slice((sign * arm.cross(axis)).as_slice());
            }
        }
    }
    problem.update_weights();
    problem.set_uniform_units(MASS * GRAVITY * STEP, RADIUS);
    problem
}

fn main() {
    let centres = centres();
    let problem = assemble(&centres, &contacts(&centres));
    let (iterate, status, info) = solve(LinearProblem::new(problem, None), &[], &SolveOptions::new(1e-10));
    println!("{status:?} after {} Newton iterations", info.iterations);
    println!("residual {:.1e}", info.residual.max());
    for (i, v) in iterate.velocity.chunks_exact(6).enumerate() {
        println!("sphere {i}: v = {:.6?} m/s, ω = {:.6?} rad/s", &v[..3], &v[3..]);
    }
    for (c, x) in iterate.impulse.chunks_exact(3).enumerate() {
        println!("contact {c}: x_n = {:.6} N s, x_t = {:.6?} N s", x[0], &x[1..]);
    }
    assert_eq!(status, SolveStatus::Solved);
}
