//! Stacks of boxes with mortar drawn at random: pushed, pulled, twisted, hit by a ball, with strengths from
//! what holds them to what breaks at once.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini::simulation::Simulation;
use signorini_scene::scene::{LoadOptions, parse};
use std::fmt::Write as _;
use std::path::Path;

const SCENES: u64 = 80;
const STEPS: usize = 60;
/// Most unsolved steps of all scenes: those at the instant at which everything breaks at once.
const MOST_UNSOLVED: usize = 5;

fn scene(seed: u64) -> String {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut pick = |of: &[f64]| of[random.random_range(0..of.len())];
    let (tolerance, step, friction) =
        (pick(&[1e-2, 1e-3, 1e-4, 1e-6]), pick(&[0.5e-3, 1e-3, 2e-3]), pick(&[0.2, 0.5, 0.8]));
    let (tension, energy) = (pick(&[0.0, 0.3, 0.999]), pick(&[0.0, 0.01, 1.0]));
    let mut within = |low: f64, high: f64| random.random_range(low..high);
    let size = 10f64.powf(within(-1.5, 0.0));
    let shear = 10f64.powf(within(3.0, 5.3));
    let mut text = format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = {:?}\n[solver]\ntolerance = {tolerance:?}\n\
         [[friction]]\ncoefficient = {friction:?}\nmortar = {{ tensile_strength = {:?}, shear_strength = \
         {shear:?}, fracture_energy = {:?} }}\n[[body]]\nname = \"ground\"\n\
         shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n",
        step * STEPS as f64,
        tension * shear / friction,
        energy * size,
    );
    let n = within(1.0, 6.0) as usize;
    let (mut z, mut x) = (0.0, 0.0);
    for i in 0..n {
        let half = [(); 3].map(|()| size * within(0.4, 1.2));
        let (yaw, density) = (within(-0.6, 0.6).max(0.0), 10f64.powf(within(2.5, 3.9)));
        z += half[2];
        write!(
            text,
            "[[body]]\nname = \"box-{i}\"\ndensity = {density:?}\nposition = [{x:?}, 0, {z:?}]\n\
             orientation = [{:?}, 0, 0, {:?}]\nshape = {{ type = \"box\", half_extents = {half:?} }}\n",
            (0.5 * yaw).cos(),
            (0.5 * yaw).sin(),
        )
        .unwrap();
        z += half[2];
        x += size * within(-0.4, 0.4);
    }
    let load = shear * size * size * 10f64.powf(within(-1.0, 0.5));
    let force = [(); 3].map(|()| load * within(-1.0, 1.0));
    let torque = [(); 3].map(|()| 0.3 * load * size * within(-1.0, 1.0));
    write!(
        text,
        "[[force]]\nbody = \"box-{}\"\nforce = {force:?}\ntorque = {torque:?}\nfrom = 0\nto = {:?}\n",
        within(0.0, n as f64) as usize,
        step * within(5.0, STEPS as f64),
    )
    .unwrap();
    if within(0.0, 1.0) < 0.5 {
        write!(
            text,
            "[[body]]\nname = \"ball\"\ndensity = 7800\nposition = [{:?}, 0, {:?}]\nvelocity = [{:?}, 0, 0]\n\
             shape = {{ type = \"sphere\", radius = {:?} }}\n",
            -3.0 * size,
            z * within(0.0, 1.0) + 0.3 * size,
            10f64.powf(within(-0.5, 1.0)),
            0.3 * size,
        )
        .unwrap();
    }
    text
}

/// No step is red while it is solved, and hardly any stays unsolved. Mortar breaks in many of the scenes.
#[test]
fn stacks_with_mortar_are_green_while_they_break() {
    let (mut unsolved, mut broken) = (Vec::new(), 0);
    for seed in 0..SCENES {
        let text = scene(seed);
        let scene = parse(&text, Path::new("mortar"), &LoadOptions::default());
        let mut simulation = Simulation::new(scene.unwrap_or_else(|e| panic!("{seed}: {e}")).scene).unwrap();
        for _ in 0..STEPS {
            let outcome = simulation.advance();
            let verdict = outcome.verdict.expect("the referee was asked");
            if !outcome.info.status.is_solved() {
                unsolved.push((seed, outcome.step));
            } else {
                assert!(verdict.green, "{seed}, step {}: {verdict:?}\n{text}", outcome.step);
            }
        }
        broken += usize::from(simulation.joints().iter().any(|joint| joint.damage[1] >= 1.0));
    }
    assert!(unsolved.len() <= MOST_UNSOLVED, "{unsolved:?}");
    assert!((10..SCENES as usize).contains(&broken), "{broken}");
}
