//! The vibrating feeder.

use signorini::simulation::Simulation;
use signorini_scene::scene::{Motion, Scene, TimeFunction, Torsion};
use signorini_scene::settings::{Formulation, Integrator};
use std::f64::consts::TAU;
use support::runs::shipped;

/// A point mass on the plate under Coulomb friction, on the same oblique motion, by small explicit steps:
/// mean speed in the 20th period. It never sticks, and half of what a period differs from the last is left in
/// the next.
fn slab() -> f64 {
    let (a, f, mu, g) = (0.0002, 50.0, 0.3, 9.81);
    let (c, s) = (0.9063077870366499, 0.42261826174069944);
    let (n, rate) = (20000, TAU * f);
    let h = 1.0 / (f * f64::from(n));
    let (mut v, mut x, mut start) = (0.0_f64, 0.0, 0.0);
    for k in 0..20 * n {
        if k == 19 * n {
            start = x;
        }
        let t = (f64::from(k) + 0.5) * h;
        let plate = a * rate * (rate * (t + 0.5 * h)).cos();
        let press = g - a * rate * rate * (rate * t).sin() * s;
        let most = mu * press * h;
        v += (plate * c - v).clamp(-most, most);
        x += h * v;
    }
    (x - start) * f
}

fn feeder(step: f64, (formulation, integrator): (Formulation, Integrator)) -> Scene {
    let mut scene = shipped("seeds/feeder.toml");
    scene.time_step = step;
    scene.solver.formulation = formulation;
    if formulation == Formulation::Literal {
        // It takes numbers only.
        scene.friction.entries.iter_mut().for_each(|friction| friction.torsional = Torsion::NONE);
    }
    scene.solver.integrator = integrator;
    scene
}

/// Mean speed from the tenth to the twentieth period, every step solved; every step green where the model is
/// exact and the referee is asked.
fn transport(scene: Scene, audit: bool) -> f64 {
    let model = (scene.solver.formulation, scene.solver.integrator);
    let n = scene.n_steps();
    let mut simulation = Simulation::new(scene).expect("runs");
    simulation.judge_steps(audit);
    let mut start = 0.0;
    for step in 1..=n {
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved(), "{model:?}, step {step}: {:?}", outcome.info);
        if audit && model.0.is_exact() {
            assert!(
                outcome.verdict.is_some_and(|v| v.green),
                "{model:?}, step {step}: {:?}",
                outcome.verdict
            );
        }
        if step == n / 2 {
            start = simulation.state().poses[1].position.x;
        }
    }
    (simulation.state().poses[1].position.x - start) / 0.2
}

/// In every formulation the mean speed converges with first order to that of the point mass. The instants
/// when slip turns round fall somewhere in a step, so that errors of single runs scatter between none and 10
/// mm/s for each ms of h: the mean square over eight starts, each an eighth of a step later, is what falls
/// evenly. The literal formulation is as the implicit one, see below.
#[test]
fn transport_converges_in_every_formulation() {
    let exact = slab();
    assert!((exact - 0.016983).abs() < 2e-6, "it conveys: {exact} m/s");
    for model in super::ALL_MODELS.into_iter().filter(|(formulation, _)| *formulation != Formulation::Literal)
    {
        let mut errors = Vec::new();
        for h in [1e-3, 5e-4, 2.5e-4] {
            let mut sum = 0.0;
            for start in 0..8 {
                let mut scene = feeder(h, model);
                let Motion::Position(TimeFunction::Sine { phase, .. }) = &mut scene.motions[0].motion else {
                    panic!("a sine")
                };
                *phase = TAU * 50.0 * h * f64::from(start) / 8.0;
                // `auto` needs the advice that comes with the referee's verdict.
                let error = transport(scene, model.0 == Formulation::Auto) - exact;
                assert!(error.abs() < 10.0 * h, "{model:?}, h = {h}, start {start}: {error} m/s");
                sum += error * error / 8.0;
            }
            errors.push(sum.sqrt());
        }
        let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
        assert!(slopes.iter().all(|s| (0.85..1.2).contains(s)), "{model:?}: {slopes:?} of {errors:?}");
    }
}

/// The literal formulation, the staggered integrator and Stewart–Trinkle convey exactly as fast as the
/// production path: the plate's motion is prescribed, the part does not turn, and it slides along a corner of
/// the polygon.
#[test]
fn models_without_lift_agree_on_the_feeder() {
    let speeds = [
        (Formulation::Implicit, Integrator::ImplicitEuler),
        (Formulation::Literal, Integrator::ImplicitEuler),
        (Formulation::Implicit, Integrator::Staggered),
        (Formulation::StewartTrinkle, Integrator::ImplicitEuler),
    ]
    .map(|model| transport(feeder(1e-3, model), true));
    assert!(speeds[0] > 0.02, "it conveys: {speeds:?}");
    assert!(speeds.iter().all(|v| (v / speeds[0] - 1.0).abs() < 1e-6), "{speeds:?}");
}

/// Cone complementarity and convex friction differ by the height at which parts slide, h μ v_t, which goes
/// with h: above a plate that never lets the part off the exact models touch at every step.
#[test]
fn what_rides_above_the_plate_comes_down_with_the_step() {
    let highest = |h: f64, model| {
        let mut simulation = Simulation::new(feeder(h, model)).expect("runs");
        let mut gap = 0.0_f64;
        for step in 1..=simulation.scene().n_steps() {
            simulation.advance();
            if 2 * step > simulation.scene().n_steps() {
                let lowest = simulation.contacts().iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
                gap = gap.max(lowest);
            }
        }
        gap
    };
    let euler = |formulation| (formulation, Integrator::ImplicitEuler);
    for formulation in [Formulation::Implicit, Formulation::StewartTrinkle] {
        assert!(highest(1e-3, euler(formulation)) < 1e-10, "{formulation:?}");
    }
    for formulation in [Formulation::Cone, Formulation::Compliant] {
        let gaps = [1e-3, 5e-4, 2.5e-4].map(|h| highest(h, euler(formulation)) / h);
        // μ times the largest slip, 0.08 m/s.
        assert!(gaps.iter().all(|g| (0.0225..0.025).contains(g)), "{formulation:?}: {gaps:?} m/s");
    }
}
