//! Cores against each other on random contact problems: accelerated projected gradient against the production
//! core, and Lemke's method where that stops.

use nalgebra::{DVector, Matrix3, Matrix6, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use signorini::simulation::Simulation;
use signorini_ncp::problem::{ContactLaw, ContactProblem};
use signorini_ncp::solver::{Apgd, Info, Iterate, LinearProblem, Phase, SolveOptions, solve};
use signorini_scene::settings::Formulation;
use std::f64::consts::TAU;

/// Bodies of mass about 1 and size about 1 in a random contact graph, falling; gaps are not negative, a third
/// of them exactly zero, and some contacts are there twice (degenerate).
pub fn random_problem(seed: u64, n_contacts: usize, mu: f64, n_friction: usize) -> ContactProblem {
    random_pile(seed, n_contacts, (n_contacts / 2).max(1), mu, n_friction)
}

/// A problem as [`random_problem`], with a number of bodies.
pub fn random_pile(
    seed: u64,
    n_contacts: usize,
    n_bodies: usize,
    mu: f64,
    n_friction: usize,
) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut problem = ContactProblem::empty();
    for _ in 0..n_bodies {
        let mass = random.random_range(0.5..2.0);
        let mut block = Matrix6::identity() * mass;
        let inertia = Matrix3::from_diagonal(&Vector3::from_fn(|_, _| mass * random.random_range(0.2..0.5)));
        block.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
        problem.mass_inverse.push(block.try_inverse().unwrap());
        problem.mass.push(block);
        let v = nalgebra::Vector6::from_fn(|_, _| random.random_range(-1.0..1.0));
        problem.at.free_momentum.extend((block * v).iter());
    }
    problem.at.velocity.resize(6 * n_bodies, 0.0);
    let unit = |random: &mut Pcg64| -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
            if v.norm() > 0.2 {
                break v.normalize();
            }
        }
    };
    let mut last = None;
    for c in 0..n_contacts {
        let (bodies, n, arms) = match last.take() {
            Some(twin) if c % 7 == 3 => twin,
            _ => {
                let b = random.random_range(0..n_bodies);
                let a = random.random_range(0..=n_bodies);
                let bodies = if a == n_bodies || a == b { vec![b] } else { vec![a, b] };
                let n = unit(&mut random);
                (bodies, n, [unit(&mut random) * 0.5, -n * 0.5])
            }
        };
        let contact = problem.add_contact(bodies.iter().copied(), (1, n_friction), mu);
        let t = n.cross(&if n.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() }).normalize();
        let directions = [n, t, n.cross(&t)];
        for (k, place) in (problem.block_offsets[contact]..problem.block_offsets[contact + 1]).enumerate() {
            let is_b = k + 1 == bodies.len();
            let (sign, arm) = if is_b { (1.0, arms[1]) } else { (-1.0, arms[0]) };
            let start = problem.value_offsets[place];
            for (row, d) in directions.iter().enumerate().take(1 + n_friction.min(2)) {
                let values: Vec<f64> =
                    (d * sign).iter().chain((arm.cross(d) * sign).iter()).copied().collect();
                problem.at.jacobian[start + 6 * row..start + 6 * row + 6].copy_from_slice(&values);
            }
            if n_friction == 3 {
                let spin: Vec<f64> = (n * (0.1 * sign)).iter().copied().collect();
                problem.at.jacobian[start + 6 * 3 + 3..start + 6 * 4].copy_from_slice(&spin);
            }
        }
        let row = problem.cones[contact].row;
        problem.at.slip[row] = if c % 3 == 0 { 0.0 } else { random.random_range(0.0..0.3) };
        last = Some((bodies, n, arms));
    }
    problem.set_uniform_units(1.0, 0.5);
    problem.update_weights();
    problem
}

/// v of the impulses.
pub fn velocity(problem: &ContactProblem, impulse: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; problem.at.velocity.len()];
    problem.balance(impulse, &mut Vec::new(), &mut v);
    v
}

#[test]
fn projected_gradient_reaches_the_objective_of_the_core() {
    for seed in 0..64 {
        let n_friction = 2 + seed as usize % 2;
        let mut problem = match seed {
            0..60 => random_problem(1000 + seed, 2 + seed as usize % 20, 0.4, n_friction),
            // As many contacts per body as in a pile: impulses are not unique.
            _ => random_pile(1000 + seed, 60, 20, 0.4, n_friction),
        };
        problem.law = ContactLaw::Cone;
        let linear = LinearProblem::new(problem.clone(), None);
        let (core, status, _) = solve(linear, &[], &SolveOptions::new(1e-10));
        assert!(status.is_solved(), "seed {seed}: {status:?}");
        let mut iterate =
            Iterate { velocity: problem.at.velocity.clone(), impulse: vec![0.0; problem.n_rows()] };
        let mut info = Info::default();
        let mut method = Apgd::default();
        let tolerance = if seed < 60 { 1e-10 } else { 1e-9 };
        let run = SolveOptions { iterations: 200_000, ..SolveOptions::new(tolerance) };
        let status = method.run(&problem, &mut iterate, &run, &mut info);
        assert!(status.is_solved(), "seed {seed}: {status:?} {:?}", info.residual);
        let (first, second) =
            (method.value(&problem, &core.impulse), method.value(&problem, &iterate.impulse));
        let scale = second.objective.abs();
        assert!(
            (first.objective - second.objective).abs() <= 1e-8 * scale,
            "seed {seed}: {first:?} {second:?}"
        );
        assert!(second.duality_gap.abs() <= 1e-7 * scale, "seed {seed}: {second:?}");
        // Oracle of the objective: f = ½ vᵀ A v − ½ v*ᵀ A v* + w·x with A v = A v* + Jᵀ x.
        let energy = |v: &[f64]| {
            let mut p = vec![0.0; v.len()];
            problem.mass_product(v, &mut p);
            0.5 * DVector::from_row_slice(v).dot(&DVector::from_vec(p))
        };
        let free = velocity(&problem, &vec![0.0; problem.n_rows()]);
        let work: f64 = problem.at.slip.iter().zip(&iterate.impulse).map(|(w, x)| w * x).sum();
        let expected = energy(&velocity(&problem, &iterate.impulse)) - energy(&free) + work;
        assert!((expected - second.objective).abs() <= 1e-12 * energy(&free), "seed {seed}: {expected}");
    }
}

/// Balls thrown against each other on a plane, too many unknowns for Lemke at first and a Newton budget of
/// one iteration.
fn thrown_together(largest_fallback: usize) -> Simulation {
    let balls: String = (0..7)
        .map(|k| {
            let (angle, spin) = (f64::from(k), 3.0 * f64::from(k));
            let (s, c) = angle.sin_cos();
            let [x, y] = if k == 0 {
                [0.0, 0.0]
            } else {
                [0.2 * (TAU * angle / 6.0).cos(), 0.2 * (TAU * angle / 6.0).sin()]
            };
            format!(
                "[[body]]\nname = \"{k}\"\nmass = {}\nposition = [{x:?}, {y:?}, 0.1]\n\
                 velocity = [{:?}, {:?}, -0.3]\nangular_velocity = [{spin}, 1, 2]\n\
                 shape = {{ type = \"ellipsoid\", semi_axes = [0.1, 0.1, 0.1] }}\n",
                1 + k % 3,
                c - 2.0 * x,
                s - 2.0 * y
            )
        })
        .collect();
    let mut scene = super::scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.05\n\
         [[friction]]\ncoefficient = 0.4\nellipsoid = {{ r = 0.01 }}\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{balls}"
    ));
    scene.solver.formulation = Formulation::StewartTrinkle;
    scene.solver.max_iterations = 1;
    scene.solver.methods.interior_iterations = 0;
    scene.solver.methods.path_iterations = 0;
    scene.solver.stewart_trinkle.largest_lemke = 1;
    scene.solver.stewart_trinkle.largest_fallback = largest_fallback;
    Simulation::new(scene).unwrap()
}

#[test]
fn lemke_solves_what_newton_leaves() {
    let first = |largest: usize| {
        let mut simulation = thrown_together(largest);
        simulation.advance().info
    };
    let unsolved = first(0);
    assert!(!unsolved.status.is_solved(), "{unsolved:?}");
    let solved = first(3000);
    assert!(solved.status.is_solved() && solved.phase == Phase::Pivoting, "{solved:?}");
    // One unknown too many.
    assert!(!first(100).status.is_solved());
}
