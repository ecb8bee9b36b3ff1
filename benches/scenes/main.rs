//! Time per step of small scenes, without output; iterations and the worst residual are printed beside. First
//! the bars: the cost of a joint row beside a contact row, of a staggered step beside one of implicit Euler,
//! and of bodies of many parts.
//!
//! `cargo bench --bench scenes`, or `cargo bench --bench scenes -- bars` for the bars alone, `-- surface` and
//! `-- cubes` for bodies of many parts

#![allow(missing_docs, clippy::print_stderr)]

mod bars;
mod unions;

use bars::{bars, chain};
use criterion::{Criterion, criterion_group, criterion_main};
use signorini::simulation::Simulation;
use signorini_scene::scene::{self, LoadOptions, Scene};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use unions::{union_bars, unions};

const ELLIPSOID: &str = r#"
format = 1
[simulation]
time_step = 0.005
duration = 1.0
[[friction]]
coefficient = 0.4
ellipsoid = { t = 1, o = 1, r = 0.01 }
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "ellipsoid"
shape = { type = "ellipsoid", semi_axes = [0.12, 0.09, 0.05] }
density = 1000
position = [0, 0, 0.09]
orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]
velocity = [0.5, 0, 0]
angular_velocity = [0, 5, 2]
"#;

fn from_file(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    scene::load(&path, &LoadOptions::default()).expect("a scene of the repository").scene
}

fn from_text(text: &str) -> Scene {
    scene::parse(text, Path::new("bench"), &LoadOptions::default()).expect("a valid scene").scene
}

/// Takes steps.
fn advance(simulation: &mut Simulation, n_steps: usize) {
    for _ in 0..n_steps {
        simulation.advance();
    }
}

/// Times `n_timed` steps after `n_before`, again and again from the start. The scene is prepared and the
/// first steps are taken outside the clock.
fn steps(criterion: &mut Criterion, name: &str, scene: &Scene, n_before: usize, n_timed: usize) {
    for audit in [false, true] {
        let prepared = || {
            let mut simulation = Simulation::new(scene.clone()).expect("a scene that runs");
            simulation.judge_steps(audit);
            advance(&mut simulation, n_before);
            simulation
        };
        if !audit {
            describe(name, &mut prepared(), n_timed);
        }
        let suffix = if audit { "with_referee" } else { "solver_only" };
        criterion.bench_function(&format!("{name}/{suffix}"), |bencher| {
            bencher.iter_custom(|n_iterations| {
                let mut total = Duration::ZERO;
                let mut left = n_iterations;
                while left > 0 {
                    let n = left.min(n_timed as u64);
                    let mut simulation = prepared();
                    let start = Instant::now();
                    for _ in 0..n {
                        black_box(simulation.advance());
                    }
                    total += start.elapsed();
                    left -= n;
                }
                total
            });
        });
    }
}

/// Prints how many of the timed steps are solved, their iterations, worst residual and contacts.
fn describe(name: &str, simulation: &mut Simulation, n_timed: usize) {
    let outcomes: Vec<_> = (0..n_timed).map(|_| simulation.advance().info).collect();
    let mut iterations: Vec<_> = outcomes.iter().map(|i| i.iterations).collect();
    iterations.sort_unstable();
    let worst = outcomes.iter().map(|i| i.residual.max()).fold(0.0, f64::max);
    let solved = outcomes.iter().filter(|i| i.status.is_solved()).count();
    let contacts = outcomes.iter().map(|i| i.n_contacts).max().unwrap_or(0);
    eprintln!(
        "{name}: {solved} of {n_timed} steps solved, iterations median {} largest {}, worst residual {worst:.1e}, \
         at most {contacts} contacts",
        iterations[n_timed / 2],
        iterations[n_timed - 1]
    );
}

fn scenes(criterion: &mut Criterion) {
    steps(criterion, "free_ellipsoid", &from_file("seeds/free-ellipsoid.toml"), 2, 2000);
    steps(criterion, "ellipsoid_on_half_space", &from_text(ELLIPSOID), 2, 190);
    steps(criterion, "two_spheres", &from_file("seeds/two-spheres.toml"), 2, 350);
    steps(criterion, "double_pendulum", &from_file("seeds/double-pendulum.toml"), 2, 390);
    steps(criterion, "four_bar", &from_file("seeds/four-bar.toml"), 2, 490);
    steps(criterion, "feeder", &from_file("seeds/feeder.toml"), 2, 790);
    steps(criterion, "chain_of_100_ball_joints", &from_text(&chain(100, "ball")), 2, 20);
    let staggered = ELLIPSOID.replace("[[friction]]", "[solver]\nintegrator = \"staggered\"\n[[friction]]");
    steps(criterion, "ellipsoid_on_half_space_staggered", &from_text(&staggered), 2, 190);
}

/// One pass takes seconds to prepare, so it is prepared once; at rest the steps are alike.
fn pile(criterion: &mut Criterion) {
    let mut scene = from_file("granular/ellipsoids-64.toml");
    scene.duration = 1e6;
    let mut simulation = Simulation::new(scene).expect("a scene that runs");
    simulation.judge_steps(false);
    advance(&mut simulation, 400);
    describe("pile_64_at_rest", &mut simulation, 50);
    for audit in [false, true] {
        simulation.judge_steps(audit);
        let suffix = if audit { "with_referee" } else { "solver_only" };
        criterion.bench_function(&format!("pile_64_at_rest/{suffix}"), |bencher| {
            bencher.iter(|| black_box(simulation.advance()));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(20);
    targets = bars, union_bars, scenes, pile, unions
}
criterion_main!(benches);
