//! Two bars: a joint row costs no more than a contact row, and a staggered step at most 1.1 times one of
//! implicit Euler at equal iteration counts. Processor time of this program, so that others on the machine
//! disturb little; medians; the scenes of a ratio take turns.

use super::{ELLIPSOID, advance, from_file, from_text};
use criterion::Criterion;
use signorini::simulation::Simulation;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Integrator;
use std::time::Duration;

/// Runs of each scene.
const ROUNDS: usize = 9;

/// Processor time of this program so far.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The clock on the wall, on systems without processor times.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Links of 0.2 m on ball joints, or on hinges with axes in turn across and along gravity, let go from the
/// horizontal: three or five rows a joint.
pub fn chain(n: usize, kind: &str) -> String {
    let mut text = String::from(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 1\n[[friction]]\ncoefficient = 0\n[[body]]\nname = \"link 0\"\n\
         shape = { type = \"sphere\", radius = 0.02 }\nfixed = true\n",
    );
    for i in 1..=n {
        let (middle, end, above) = (0.2 * i as f64 - 0.1, 0.2 * (i as f64 - 1.0), i - 1);
        let axis = match kind {
            "ball" => "",
            _ if i % 2 == 0 => "axis = [0, 0, 1]\n",
            _ => "axis = [0, 1, 0]\n",
        };
        text += &format!(
            "[[body]]\nname = \"link {i}\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.09, 0.02, 0.02] }}\nmass = 1\n\
             position = [{middle:?}, 0, 0]\n[[joint]]\nname = \"pin {i}\"\ntype = {kind:?}\nbetween = [\"link {above}\", \"link {i}\"]\n\
             anchor = [{end:?}, 0, 0]\n{axis}"
        );
    }
    text
}

/// Ellipsoids of 0.2 m on top of each other, all rolling a little: as many rows as the chain of ball joints
/// has, in the same blocks.
fn stack(n: usize) -> String {
    let mut text = String::from(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 1\n[[friction]]\ncoefficient = 0.5\n[[body]]\nname = \"floor\"\n\
         shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n",
    );
    for i in 0..n {
        let (height, speed) = (0.1 + 0.2 * i as f64, 0.002 * i as f64);
        text += &format!(
            "[[body]]\nname = \"grain {i}\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.11, 0.1, 0.1] }}\nmass = 1\n\
             position = [0, 0, {height:?}]\nvelocity = [{speed:?}, 0, 0]\nangular_velocity = [0.3, 0, 0.1]\n"
        );
    }
    text
}

/// Iterations and processor time (s) of each of `n_timed` steps after `n_before`.
pub fn timed(scene: &Scene, n_before: usize, n_timed: usize) -> Vec<(usize, f64)> {
    let mut simulation = Simulation::new(scene.clone()).expect("a scene that runs");
    simulation.judge_steps(false);
    advance(&mut simulation, n_before);
    let step = |_| {
        let before = processor_time();
        let iterations = simulation.advance().info.iterations;
        (iterations, (processor_time() - before).as_secs_f64())
    };
    (0..n_timed).map(step).collect()
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints whether a bar holds.
pub fn tell(what: &str, ratio: f64, bar: f64) {
    let held = if ratio <= bar { "holds" } else { "MISSED" };
    eprintln!("{what}: {ratio:.2} times, the bar is {bar}: {held}");
}

/// Processor time of a Newton iteration per row (s) of chains of joints and a stack of contacts with 100
/// bodies each.
fn rows() {
    let scenes = [
        (from_text(&chain(100, "ball")), 300.0),
        (from_text(&chain(100, "revolute")), 500.0),
        (from_text(&stack(100)), 300.0),
    ];
    let mut found = vec![Vec::new(); scenes.len()];
    for _ in 0..ROUNDS {
        for ((scene, n_rows), found) in scenes.iter().zip(&mut found) {
            let steps = timed(scene, 2, 20);
            let iterations: usize = steps.iter().map(|(n, _)| n).sum();
            found.push(steps.iter().map(|(_, t)| t).sum::<f64>() / (iterations as f64 * n_rows));
        }
    }
    let [ball, hinge, contact] = [0, 1, 2].map(|i| median(found[i].clone()));
    let nano = |t: f64| (t * 1e9).round();
    eprintln!(
        "ns per row and Newton iteration: ball joints {}, hinges {}, contacts {}",
        nano(ball),
        nano(hinge),
        nano(contact)
    );
    tell("a row of a ball joint to one of a contact", ball / contact, 1.0);
    tell("a row of a hinge to one of a contact", hinge / contact, 1.0);
}

/// Steps that took as many iterations under both integrators, each beside the same step of the other: the
/// ratio of the sums of their median times.
fn staggered(name: &str, scene: &Scene, n_before: usize, n_timed: usize) {
    let mut iterations = [Vec::new(), Vec::new()];
    let mut times = [vec![Vec::new(); n_timed], vec![Vec::new(); n_timed]];
    for _ in 0..ROUNDS {
        for (k, integrator) in [Integrator::ImplicitEuler, Integrator::Staggered].into_iter().enumerate() {
            let mut scene = scene.clone();
            scene.solver.integrator = integrator;
            let steps = timed(&scene, n_before, n_timed);
            iterations[k] = steps.iter().map(|(n, _)| *n).collect();
            times[k].iter_mut().zip(steps).for_each(|(times, (_, time))| times.push(time));
        }
    }
    let alike: Vec<usize> = (0..n_timed).filter(|i| iterations[0][*i] == iterations[1][*i]).collect();
    let [euler, staggered] = times.map(|times| alike.iter().map(|i| median(times[*i].clone())).sum::<f64>());
    let micro = |t: f64| (t / alike.len() as f64 * 1e7).round() / 10.0;
    eprintln!(
        "{name}: {} of {n_timed} steps take as many iterations, {} µs under implicit Euler, {} µs staggered",
        alike.len(),
        micro(euler),
        micro(staggered)
    );
    tell("  a staggered step to one of implicit Euler", staggered / euler, 1.1);
}

/// Prints both bars and whether they hold.
pub fn bars(_: &mut Criterion) {
    rows();
    staggered("one ellipsoid that rolls", &from_text(ELLIPSOID), 2, 190);
    staggered("a stack of 100 ellipsoids", &from_text(&stack(100)), 2, 20);
    let mut pile = from_file("granular/ellipsoids-64.toml");
    staggered("64 ellipsoids that fall on each other", &pile, 10, 60);
    pile.duration = 10.0;
    staggered("64 ellipsoids at rest", &pile, 400, 20);
    staggered("a box on the feeder", &from_file("seeds/feeder.toml"), 2, 400);
    staggered("a four-bar linkage", &from_file("seeds/four-bar.toml"), 2, 400);
    staggered("a chain of 100 ball joints", &from_text(&chain(100, "ball")), 2, 20);
}
