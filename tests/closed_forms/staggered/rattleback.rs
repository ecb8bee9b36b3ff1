//! A rattleback turns back where implicit Euler, which damps its rocking, does not.

use super::{Seen, V, rolling, runge_kutta, start_of};
use signorini::stepper::staggered::mean;
use signorini_geometry::Pose;
use signorini_scene::settings::Integrator;
use support::runs::{Run, shipped};

/// Spin about the vertical (rad/s) at each of these instants (s), half way between steps; every step solved
/// and green, in contact, and with the staggered integrator at θ = 0.
fn spins(integrator: Integrator, h: f64, instants: &[f64]) -> Vec<f64> {
    let mut scene = shipped("seeds/rattleback.toml");
    (scene.time_step, scene.solver.integrator) = (h, integrator);
    let mut run = Run::new(scene);
    let mut spins = Vec::new();
    for instant in instants {
        run.steps((instant / h).round() as usize - run.simulation.step_index());
        let before = run.state().velocities[1];
        run.advance();
        let touching = &run.contacts()[0];
        assert!(touching.normal_impulse > 0.0, "{instant} s");
        let after = run.state().velocities[1];
        spins.push(match integrator {
            Integrator::Staggered => {
                assert_eq!(touching.acting.map(|a| a.theta), Some(0.0));
                mean(&before, &after).angular.z
            }
            Integrator::ImplicitEuler => before.angular.z,
        });
    }
    spins
}

#[test]
fn a_rattleback_turns_back() {
    let scene = shipped("seeds/rattleback.toml");
    assert_eq!((scene.time_step, scene.solver.integrator), (5e-4, Integrator::Staggered));
    let instants: Vec<f64> = (1..16).map(|k| 0.25 * f64::from(k)).collect();
    let (stone, axes) = (&scene.bodies[1], V::new(0.1, 0.02, 0.015));
    let arm = |pose: &Pose| {
        let scaled = axes.component_mul(&(pose.orientation.inverse() * -V::z()));
        pose.orientation * (axes.component_mul(&scaled) / scaled.norm() + V::new(0.0, 0.0, 0.003))
    };
    let mut state: Seen = start_of(&scene);
    let exact: Vec<f64> = instants
        .iter()
        .map(|_| {
            state = runge_kutta(state, 0.25, 2_500, rolling(stone.mass, stone.inertia, arm));
            state.angular.z
        })
        .collect();
    let last = exact.len() - 1;
    assert!(exact[last] < -0.59, "it turns back: {exact:?}");
    let off = |found: &[f64]| found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let [coarse, fine] = [1e-3, 5e-4].map(|h| spins(Integrator::Staggered, h, &instants));
    assert!(off(&fine) < 5e-4, "{fine:?} for {exact:?}");
    let slope = (off(&coarse) / off(&fine)).log2();
    assert!((1.8..2.2).contains(&slope), "slope {slope}");
    // Its rocking dies out before it has stopped the spin, which then stays.
    let damped = spins(Integrator::ImplicitEuler, 5e-4, &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0]);
    assert!(damped.iter().all(|spin| *spin > 0.0), "implicit Euler does not turn it back: {damped:?}");
}
