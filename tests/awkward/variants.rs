//! Variants of a class: scenes of a seed each, run to their end.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini::simulation::Simulation;
use signorini_scene::scene::{LoadOptions, parse};
use std::path::Path;

/// Variants of each class.
const COUNT: u64 = 40;

/// Cost of running a variant.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// Newton iterations, summed over the steps.
    pub iterations: usize,
    /// Newton iterations of the dearest step.
    pub most: usize,
    /// Work of the dearest step (s).
    pub work: f64,
}

/// Numbers of a variant.
pub struct Draw(Pcg64Mcg);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A number between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.random_range(low..high)
    }

    /// A number between −`most` and `most`.
    pub fn within(&mut self, most: f64) -> f64 {
        self.between(-most, most)
    }

    /// One of several values.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }
}

/// The head of a scene on which bodies follow: steps (s), duration in steps, friction and its ellipsoid.
pub fn head(step: f64, n_steps: usize, friction: &str) -> String {
    let duration = step * n_steps as f64;
    format!(
        "format = 1\n[simulation]\ntime_step = {step:e}\nduration = {duration:e}\ngravity = [0.0, 0.0, -9.81]\n\
         [[friction]]\n{friction}\n"
    )
}

/// The plane z ≤ 0, fixed.
pub const GROUND: &str =
    "[[body]]\nname = \"ground\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";

/// Any orientation, as a scene file writes it.
pub fn any_turn(draw: &mut Draw) -> [f64; 4] {
    let axis = nalgebra::Vector3::new(draw.within(1.0), draw.within(1.0), draw.within(1.0)).normalize();
    let q = nalgebra::UnitQuaternion::from_scaled_axis(axis * draw.within(3.0));
    [q.w, q.i, q.j, q.k]
}

/// A body at a place; more lines follow.
pub fn body(name: &str, shape: &str, position: [f64; 3], more: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\nposition = {position:?}\n{more}\n")
}

/// A scene about to run.
pub fn load(text: &str) -> Result<Simulation, String> {
    let loaded = parse(text, Path::new("scene.toml"), &LoadOptions::default()).map_err(|e| format!("{e}"))?;
    Simulation::new(loaded.scene).map_err(|e| format!("{e}"))
}

/// Runs a scene. The error describes the fault of its first bad step.
pub fn run(text: &str) -> Result<Cost, String> {
    watch(text, |_| ())
}

/// Runs a scene as [`run`] does, and calls `look` after every step.
pub fn watch(text: &str, mut look: impl FnMut(&Simulation)) -> Result<Cost, String> {
    let mut simulation = load(text)?;
    let mut cost = Cost::default();
    for _ in 0..simulation.scene().n_steps() {
        let outcome = simulation.advance();
        cost.iterations += outcome.info.iterations;
        cost.most = cost.most.max(outcome.info.iterations);
        cost.work = cost.work.max(outcome.info.work);
        if !outcome.info.status.is_solved() {
            return Err(format!("step {}: {:?}", outcome.step, outcome.info.residual));
        }
        let verdict = outcome.verdict.expect("the referee was asked");
        if !verdict.green {
            return Err(format!("step {} is red: {verdict:?}", outcome.step));
        }
        look(&simulation);
    }
    Ok(cost)
}

/// Runs all variants of a class; `check` describes the fault in the cost of one that ran well.
pub fn all(scene: impl Fn(&mut Draw) -> String, check: impl Fn(Cost) -> Option<String>) {
    each(scene, |text| run(text).map_or_else(Some, &check));
}

/// Runs all variants of a class; `fault` describes the fault of one, if any.
pub fn each(scene: impl Fn(&mut Draw) -> String, fault: impl Fn(&str) -> Option<String>) {
    let failed = |seed: &u64| {
        let text = scene(&mut Draw::new(*seed));
        let fault = fault(&text)?;
        if let Some(folder) = std::env::var_os("KEEP") {
            std::fs::write(Path::new(&folder).join(format!("{seed}.toml")), &text).expect("a folder");
        }
        Some(format!("seed {seed}: {fault}"))
    };
    let only = std::env::var("SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let seeds = only.map_or(0..COUNT, |seed| seed..seed + 1);
    let faults: Vec<String> = seeds.filter_map(|seed| failed(&seed)).collect();
    assert!(faults.is_empty(), "{} of {COUNT}:\n{}", faults.len(), faults.join("\n"));
}
