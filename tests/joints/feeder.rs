//! The vibrating feeder.

use super::runs::{Run, shipped};
use signorini::scene::Scene;
use signorini::settings::{Formulation, Integrator};
use signorini::simulation::Simulation;
use std::f64::consts::TAU;

/// A point mass on the plate under Coulomb friction, on the same oblique motion, by small explicit steps: mean speed from
/// the fifth period on.
fn slab(periods: usize) -> f64 {
    let (a, f, mu, g) = (0.0002, 50.0, 0.3, 9.81);
    let (c, s) = (0.9063077870366499, 0.42261826174069944);
    let (n, rate) = (20000, TAU * f);
    let h = 1.0 / (f * f64::from(n));
    let (mut v, mut x, mut start) = (0.0_f64, 0.0, 0.0);
    for k in 0..periods as i32 * n {
        if k == 5 * n {
            start = x;
        }
        let t = (f64::from(k) + 0.5) * h;
        let plate = a * rate * (rate * (t + 0.5 * h)).cos();
        let press = g - a * rate * rate * (rate * t).sin() * s;
        let most = mu * press * h;
        v += (plate * c - v).clamp(-most, most);
        x += h * v;
    }
    (x - start) * f / (periods - 5) as f64
}

fn feeder(step: f64, formulation: Formulation) -> Scene {
    let mut scene = shipped("seeds/feeder.toml");
    scene.time_step = step;
    scene.duration = 0.2;
    scene.solver.formulation = formulation;
    scene
}

fn transport(simulation: &mut Simulation, mut each: impl FnMut(&mut Simulation)) -> f64 {
    let n = simulation.scene().n_steps();
    let mut start = 0.0;
    for step in 1..=n {
        each(simulation);
        if step == n / 2 {
            start = simulation.state().poses[1].position.x;
        }
    }
    (simulation.state().poses[1].position.x - start) / 0.1
}

/// Mean speed converges under refinement of h to that of the point mass.
#[test]
fn transport_converges() {
    let exact = slab(10);
    let mut errors = Vec::new();
    for h in [1e-3, 5e-4, 2.5e-4, 1.25e-4] {
        let mut run = Run::new(feeder(h, Formulation::Implicit));
        let n = run.scene().n_steps();
        run.steps(n / 2);
        let start = run.state().poses[1].position.x;
        run.steps(n / 2);
        errors.push((run.state().poses[1].position.x - start) / 0.1 / exact - 1.0);
    }
    assert!(exact > 0.01, "it conveys: {exact} m/s");
    let sizes: Vec<f64> = errors.iter().map(|e| e.abs()).collect();
    // At small h the instants of sticking and slipping fall here or there: what is left scatters by 5 %.
    let falls = sizes[1] < 0.6 * sizes[0] && sizes[2] < 0.6 * sizes[1];
    assert!(falls && sizes[2] < 0.05 && sizes[3] < 0.05, "{errors:?} of {exact} m/s");
}

/// The literal formulation and the staggered integrator convey as fast as the production path: the plate's motion is prescribed, and
/// the part does not turn.
#[test]
fn the_literal_formulation_and_the_staggered_integrator_agree_on_the_feeder() {
    let speeds = [
        (Formulation::Implicit, Integrator::ImplicitEuler),
        (Formulation::Literal, Integrator::ImplicitEuler),
        (Formulation::Implicit, Integrator::Staggered),
    ]
    .map(|(formulation, integrator)| {
        let mut scene = feeder(1e-3, formulation);
        scene.solver.integrator = integrator;
        let mut simulation = Simulation::new(scene).expect("runs");
        transport(&mut simulation, |s| {
            let outcome = s.advance();
            assert!(outcome.info.status.is_solved(), "{formulation:?}: {:?}", outcome.info);
            assert!(outcome.verdict.is_some_and(|v| v.green), "{formulation:?}: {:?}", outcome.verdict);
        })
    });
    assert!(speeds[0] > 0.02, "it conveys: {speeds:?}");
    assert!(speeds.iter().all(|v| (v / speeds[0] - 1.0).abs() < 1e-6), "{speeds:?}");
}

/// All formulations convey, and how far off they are is known: cone complementarity and convex friction lift the part.
#[test]
fn formulations_agree_on_the_feeder() {
    let exact = slab(10);
    let cases = [
        (Formulation::StewartTrinkle, 0.05),
        (Formulation::Cone, 0.15),
        (Formulation::Compliant, 0.15),
        (Formulation::Auto, 0.15),
    ];
    for (formulation, allowed) in cases {
        let mut simulation = Simulation::new(feeder(2.5e-4, formulation)).expect("runs");
        let speed = transport(&mut simulation, |s| {
            let info = s.advance().info;
            assert!(info.status.is_solved(), "{formulation:?}: {info:?}");
        });
        let off = speed / exact - 1.0;
        assert!(off.abs() < allowed, "{formulation:?}: {speed} m/s, {off}");
    }
}
