//! Figure 1 of [CBAT]; `examples/polygon_wheel.rs` draws it.

use super::{run, scene};
use signorini::simulation::Simulation;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation::{self, Compliant, Cone, StewartTrinkle};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A prism of n edges and radius 1 rolling with 3 m/s.
fn wheel(n: usize, step: f64, duration: f64, model: Formulation) -> Scene {
    let corner = |k: usize| TAU * (k as f64 + 0.5) / n as f64 - FRAC_PI_2;
    let corners: Vec<[f64; 3]> =
        (0..n).flat_map(|k| [-0.25, 0.25].map(|y| [corner(k).cos(), y, corner(k).sin()])).collect();
    let shape = format!("{{ type = \"polytope\", vertices = {corners:?} }}");
    rolling(&shape, (PI / n as f64).cos(), [step, duration], model)
}

/// A body of radius 1 with its axis along y, rolling with 3 m/s.
fn rolling(shape: &str, height: f64, [step, duration]: [f64; 2], model: Formulation) -> Scene {
    let mut found = scene(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\n[[friction]]\ncoefficient = 0.4\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"wheel\"\nmass = 1\ninertia = [0.3, 0.5, 0.3, 0, 0, 0]\n\
         shape = {shape}\n\
         position = [0, 0, {height:?}]\nvelocity = [-3, 0, 0]\nangular_velocity = [0, -3, 0]\n"
    ));
    found.solver.formulation = model;
    found
}

fn energy_left(n: usize, step: f64, model: Formulation) -> f64 {
    energy(&run(wheel(n, step, 1.0, model), |_| {}))
}

fn energy(s: &Simulation) -> f64 {
    let v = s.state().velocities[1];
    let spin = v.angular;
    0.5 * v.linear.norm_squared() + 0.5 * (0.3 * (spin.x * spin.x + spin.z * spin.z) + 0.5 * spin.y * spin.y)
}

/// The disc of the implicit model: a flat cylinder that lies along y, and discs that touch in a point.
#[test]
fn the_implicit_disc_keeps_its_energy_at_all_times() {
    let discs = [
        "{ type = \"cylinder\", radius = 1, length = 0.5 }\n\
         shape_orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]",
        "{ type = \"ellipsoid\", semi_axes = [1, 0.25, 1] }",
        "{ type = \"sphere\", radius = 1 }",
    ];
    for shape in discs {
        for step in [0.01, 0.001] {
            let mut worst = 0.0_f64;
            let end = run(rolling(shape, 1.0, [step, 1.0], Formulation::Implicit), |s| {
                worst = worst.max((energy(s) / 6.75 - 1.0).abs());
            });
            assert!(worst < 1e-12, "{shape}, h = {step}: {worst:e}");
            // It has rolled, on its rim.
            let centre = end.state().poses[1].position;
            assert!((centre.x + 3.0).abs() < 1e-11 && (centre.z - 1.0).abs() < 1e-12, "{shape}: {centre}");
        }
    }
}

/// Figure 1(b): 1000 edges.
#[test]
fn the_loss_of_a_thousand_edges_falls_with_the_step_to_a_floor() {
    let steps = [0.01, 0.005, 0.002, 0.001, 0.0005];
    let duration = 0.4;
    let left = steps.map(|h| energy(&run(wheel(1000, h, duration, StewartTrinkle), |_| {})));
    // The paper's limit is reached at 1 ms: from there on less than a fiftieth of what 10 ms lose is won.
    let lost: Vec<f64> = left.iter().map(|e| 6.75 - e).collect();
    assert!(lost.windows(2).all(|l| l[0] > l[1]), "{lost:?}");
    assert!(lost[3] - lost[4] < 0.02 * lost[0] && lost[2] - lost[3] > 0.05 * lost[0], "{lost:?}");
    // A rimless wheel: ω⁺/ω = (I + m r² cos(2π/n))/(I + m r²) per edge.
    let (kept, angle) = ((0.5 + (TAU / 1000.0).cos()) / 1.5, TAU / 1000.0);
    let speed = 3.0 / (1.0 - 3.0 * duration * kept.ln() / angle);
    let floor = 6.75 - 0.75 * speed * speed;
    assert!(lost[4] > floor && lost[4] < 1.06 * floor, "{lost:?} against {floor}");
}

#[test]
fn the_loss_falls_with_edges_and_steps_to_that_of_a_rimless_wheel() {
    let by_edges: Vec<f64> =
        [10, 20, 50, 100, 1000].iter().map(|n| energy_left(*n, 0.01, StewartTrinkle)).collect();
    // At 1000 edges a step passes five of them: no more is lost.
    assert!(by_edges[..4].windows(2).all(|e| e[0] < e[1]) && by_edges[3] < 6.4, "{by_edges:?}");
    assert!(by_edges[4] > 0.9 * by_edges[3] && by_edges[4] < 6.75, "{by_edges:?}");
    let by_step: Vec<f64> =
        [0.01, 0.004, 0.001].iter().map(|h| energy_left(50, *h, StewartTrinkle)).collect();
    assert!(by_step.windows(2).all(|e| e[0] < e[1]), "{by_step:?}");
    // Every impact keeps the moment of momentum about the next corner; between impacts ω dθ = const.
    let (kept, angle) = ((0.5 + (TAU / 50.0).cos()) / 1.5, TAU / 50.0);
    let speed = 3.0 / (1.0 - 3.0 * kept.ln() / angle);
    let floor = 0.75 * speed * speed;
    assert!((by_step[2] / floor - 1.0).abs() < 0.01, "{by_step:?} against {floor}");
}

#[test]
fn the_other_explicit_models_take_polytopes_too() {
    let exact = energy_left(20, 0.002, Formulation::Implicit);
    for model in [StewartTrinkle, Cone, Compliant] {
        let found = energy_left(20, 0.002, model);
        assert!((found / exact - 1.0).abs() < 0.1, "{model:?}: {found} against {exact}");
    }
}
