//! Lemke's pivots against the sparse path: random problems of 1 to 300 unknowns, and scenes.

use super::problems::{random_problem, velocity};
use super::scene;
use nalgebra::{Matrix6, Vector6};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use signorini::simulation::Simulation;
use signorini_ncp::problem::lcp::{contact_as_lcp, n_unknowns};
use signorini_ncp::problem::{ContactLaw, ContactProblem};
use signorini_ncp::solver::lemke::lemke;
use signorini_ncp::solver::{LinearProblem, Phase, SolveOptions, SolveStatus, solve};
use signorini_scene::settings::{Formulation, LcpMethod};

/// An LCP without geometry: M = Y Yᵀ of n rows that each touch three blocks of six, singular where Y has more
/// rows than columns, and q such that it has a solution, with a tenth of the rows at zero in both. Returns
/// the velocity of that solution too, which is unique.
fn random_lcp(seed: u64, n: usize) -> (ContactProblem, Vec<f64>) {
    let mut random = Pcg64::seed_from_u64(seed);
    let n_blocks = (n / [3, 6, 9][seed as usize % 3]).max(3);
    let mut problem = ContactProblem::empty();
    for _ in 0..n_blocks {
        problem.mass.push(Matrix6::identity());
        problem.mass_inverse.push(Matrix6::identity());
        problem.at.free_momentum.extend([0.0; 6]);
    }
    problem.at.velocity.resize(6 * n_blocks, 0.0);
    let mut x = Vec::new();
    for c in 0..n {
        let first = random.random_range(0..n_blocks);
        let blocks = [first, (first + 1) % n_blocks, (first + 2) % n_blocks];
        let contact = problem.add_contact(blocks.iter().copied(), (1, 0), 0.0);
        for place in problem.block_offsets[contact]..problem.block_offsets[contact + 1] {
            let start = problem.value_offsets[place];
            let row = Vector6::from_fn(|_, _| random.random_range(-0.5..0.5));
            problem.at.jacobian[start..start + 6].copy_from_slice(row.as_slice());
        }
        x.push(if c % 10 < 5 { random.random_range(0.0..1.0) } else { 0.0 });
    }
    problem.set_uniform_units(1.0, 1.0);
    problem.update_weights();
    let v = velocity(&problem, &x);
    let mut y = vec![0.0; n];
    problem.response(&v, &mut y);
    for (c, y) in y.iter().enumerate() {
        let w = if c % 10 < 6 { 0.0 } else { random.random_range(0.0..1.0) };
        let row = problem.cones[c].row;
        problem.at.slip[row] = w - y;
    }
    (problem, v)
}

/// Kinds of problem, by the known properties of their solutions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Generic,
    Frictionless,
    /// Coulomb's polygon, so small a coefficient that there is one velocity.
    Slippery,
    Rough,
}

fn problem_of(kind: Kind, seed: u64, n: usize, directions: usize) -> (ContactProblem, Option<Vec<f64>>) {
    let n_friction = 2 + seed as usize % 2;
    let contacts = |n_friction: usize| {
        let each = if n_friction == 0 { 1 } else { directions + 2 * n_friction - 2 };
        (n / each).max(1)
    };
    match kind {
        Kind::Generic => {
            let (problem, v) = random_lcp(seed, n);
            (problem, Some(v))
        }
        Kind::Frictionless => (random_problem(seed, contacts(0), 0.0, 0), None),
        Kind::Slippery => (random_problem(seed, contacts(n_friction), 0.05, n_friction), None),
        Kind::Rough => (random_problem(seed, contacts(n_friction), 0.5, n_friction), None),
    }
}

#[test]
fn lemke_and_the_sparse_path_solve_the_same_problems() {
    let run = SolveOptions::new(1e-9);
    // How many problems of up to 50, 100, … 300 unknowns.
    let mut sizes = [0; 6];
    for seed in 0..500_u64 {
        let kinds = [Kind::Generic, Kind::Slippery, Kind::Frictionless, Kind::Rough, Kind::Slippery];
        let kind = kinds[seed as usize % kinds.len()];
        let directions = [4, 6, 8][(seed as usize / kinds.len()) % 3];
        // All sizes from 1 to 300, some more of the small ones.
        let size = 1 + (299.0 * (seed as f64 / 499.0).powf(1.5)).round() as usize;
        let (mut problem, known) = problem_of(kind, seed, size, directions);
        let n = n_unknowns(&problem, directions);
        let place = format!("seed {seed}, {kind:?}, {n} unknowns");
        sizes[(n - 1) / 50] += 1;
        problem.law = ContactLaw::Polygon { directions };
        let form = contact_as_lcp(&problem, directions).expect("block-diagonal A");
        let (z, status, _) = lemke(&form.lcp);
        assert_eq!(status, SolveStatus::Solved, "{place}");
        assert!(form.lcp.residual(&z) < 1e-10, "{place}: {}", form.lcp.residual(&z));
        let pivoted = form.impulse(&z);
        // Lemke's impulses must satisfy the law as the sparse path states it.
        let (start, linear) = (pivoted.as_slice(), LinearProblem::new(problem.clone(), None));
        let once = SolveOptions { iterations: 0, ..run };
        let (_, judged, info) = solve(linear, start, &once);
        assert!(judged.is_solved(), "{place}: {:?}", info.residual);
        // The sparse path must find a solution from nothing.
        let linear = LinearProblem::new(problem.clone(), None);
        let (found, status, info) = solve(linear, &[], &run);
        assert!(status.is_solved(), "{place}: {status:?} {:?}", info.residual);
        let by_pivots = velocity(&problem, pivoted.as_slice());
        let off = farthest(&by_pivots, &found.velocity);
        // With friction several solutions may exist; these have one that both find.
        assert!(off < 1e-6, "{place}: {off:e}");
        if let Some(v) = known {
            assert!(farthest(&by_pivots, &v) < 1e-8, "{place}: {:e}", farthest(&by_pivots, &v));
        }
    }
    assert!(sizes.iter().all(|n| *n >= 40), "{sizes:?}");
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn thing(k: usize, shape: &str, at: [f64; 3], v: [f64; 3], spin: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{k}\"\nmass = {}\nposition = {at:?}\nvelocity = {v:?}\nangular_velocity = {spin:?}\n\
         shape = {shape}\n",
        1 + k % 2
    )
}

const CUBE: &str = "{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }";
const BALL: &str = "{ type = \"sphere\", radius = 0.1 }";
const EGG: &str = "{ type = \"ellipsoid\", semi_axes = [0.12, 0.1, 0.08] }";

/// Boxes and balls on each other and on the ground, some sliding.
fn heap() -> String {
    let spin = |k: usize| [0.0, 0.5, k as f64];
    [
        thing(0, CUBE, [0.0, 0.0, 0.11], [1.0, 0.3, -0.2], spin(0)),
        thing(1, CUBE, [0.02, 0.01, 0.33], [0.0, 0.5, 0.0], spin(1)),
        thing(2, BALL, [0.35, 0.05, 0.1], [-0.6, 0.0, 0.0], spin(2)),
        thing(3, EGG, [0.6, 0.1, 0.1], [-1.2, -0.1, 0.0], spin(3)),
        thing(4, BALL, [0.03, 0.02, 0.56], [0.0, 0.0, 0.0], spin(4)),
    ]
    .concat()
}

/// Triangular prisms that slide and turn, and a ball that rolls into one: with four corners the normal
/// impulses of one body, and with them the torque of friction, would not be unique.
fn prisms() -> String {
    let corner = |k: usize, z: f64| {
        let angle = std::f64::consts::TAU * k as f64 / 3.0;
        [0.15 * angle.cos(), 0.15 * angle.sin(), z]
    };
    let corners: Vec<[f64; 3]> = (0..3).flat_map(|k| [corner(k, -0.05), corner(k, 0.05)]).collect();
    let prism = format!("{{ type = \"polytope\", vertices = {corners:?} }}");
    [
        thing(0, &prism, [-0.5, 0.0, 0.05], [1.0, 0.3, 0.0], [0.0, 0.0, 2.0]),
        thing(1, &prism, [0.5, 0.01, 0.05], [0.3, 0.1, 0.0], [0.0, 0.0, 1.0]),
        thing(2, BALL, [0.5, 0.4, 0.1], [0.1, -0.8, 0.0], [0.0; 3]),
    ]
    .concat()
}

/// Balls and ellipsoids thrown together, with spin.
fn balls() -> String {
    let one = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / 6.0;
        let (x, y) = if k == 0 { (0.0, 0.0) } else { (0.25 * angle.cos(), 0.25 * angle.sin()) };
        let shape = [BALL, EGG][k % 2];
        thing(k, shape, [x, y, 0.1], [0.2 - 2.0 * x, 0.1 - 2.0 * y, 0.0], [k as f64, 1.0, 2.0])
    };
    (0..7).map(one).collect()
}

#[test]
fn a_scene_by_pivots_is_the_scene_by_newton() {
    let text = |method: &str, bodies: &str| {
        format!(
            "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.4\n\
             [solver]\nformulation = \"stewart-trinkle\"\ntolerance = 1e-9\n[solver.stewart_trinkle]\nmethod = \"{method}\"\n\
             [[friction]]\ncoefficient = 0.3\nellipsoid = {{ r = 0.01 }}\n\
             [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{bodies}",
        )
    };
    for (name, bodies, n_contacts) in [("prisms", prisms(), 3), ("balls", balls(), 16), ("heap", heap(), 7)] {
        let [mut pivots, mut newton] =
            ["lemke", "newton"].map(|m| Simulation::new(scene(&text(m, &bodies))).unwrap());
        assert_eq!(pivots.scene().solver.formulation, Formulation::StewartTrinkle);
        assert_eq!(
            [&pivots, &newton].map(|s| s.scene().solver.stewart_trinkle.method),
            [LcpMethod::Lemke, LcpMethod::Newton]
        );
        let (mut off, mut most) = (0.0_f64, 0);
        for _ in 0..pivots.scene().n_steps() {
            let (a, b) = (pivots.advance(), newton.advance());
            for info in [a.info, b.info] {
                assert!(info.residual.max() <= 1e-9, "{name}, step {}: {info:?}", a.step);
            }
            assert!(
                matches!((a.info.phase, b.info.phase), (Phase::Pivoting | Phase::Start, p) if p != Phase::Pivoting)
            );
            most = most.max(a.info.n_contacts);
            for (a, b) in pivots.state().velocities.iter().zip(&newton.state().velocities) {
                off = off.max((a.linear - b.linear).norm()).max((a.angular - b.angular).norm());
            }
        }
        assert!(most >= n_contacts, "{name}: {most} contacts");
        // A body that turns on four corners while it slides has several solutions.
        assert!(name == "heap" || off < 1e-6, "{name}: velocities differ by {off:e}");
    }
}
