//! Figure 1 of [CBAT]; `examples/polygon_wheel.rs` draws it.

use super::{run, scene};
use signorini::scene::Scene;
use signorini::settings::Formulation::{self, Compliant, Cone, StewartTrinkle};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A prism of n edges and radius 1 rolling with 3 m/s.
fn wheel(n: usize, step: f64, model: Formulation) -> Scene {
    let corner = |k: usize| TAU * (k as f64 + 0.5) / n as f64 - FRAC_PI_2;
    let corners: Vec<[f64; 3]> =
        (0..n).flat_map(|k| [-0.25, 0.25].map(|y| [corner(k).cos(), y, corner(k).sin()])).collect();
    // No edges: the disc, which touches in one point like a sphere.
    let shape = match n {
        0 => "{ type = \"sphere\", radius = 1 }".to_owned(),
        _ => format!("{{ type = \"polytope\", vertices = {corners:?} }}"),
    };
    let height = if n == 0 { 1.0 } else { (PI / n as f64).cos() };
    let mut found = scene(&format!(
        "format = 1\n[simulation]\nstep = {step}\nduration = 1\n[[friction]]\ncoefficient = 0.4\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"wheel\"\nmass = 1\ninertia = [0.3, 0.5, 0.3, 0, 0, 0]\n\
         shape = {shape}\n\
         position = [0, 0, {height:?}]\nvelocity = [-3, 0, 0]\nangular_velocity = [0, -3, 0]\n"
    ));
    found.solver.formulation = model;
    found
}

fn energy_left(n: usize, step: f64, model: Formulation) -> f64 {
    let end = run(wheel(n, step, model), |_| {});
    let v = end.state().velocities[1];
    0.5 * v.linear.norm_squared() + 0.25 * v.angular.y.powi(2)
}

#[test]
fn the_loss_falls_with_edges_and_steps_to_that_of_a_rimless_wheel() {
    let by_edges: Vec<f64> =
        [10, 20, 50, 100, 1000].iter().map(|n| energy_left(*n, 0.01, StewartTrinkle)).collect();
    // At 1000 edges a step passes five of them: no more is lost, and no less than the disc loses, which is nothing.
    assert!(by_edges[..4].windows(2).all(|e| e[0] < e[1]) && by_edges[3] < 6.4, "{by_edges:?}");
    assert!(by_edges[4] > 0.9 * by_edges[3] && by_edges[4] < 6.75, "{by_edges:?}");
    let disc = energy_left(0, 0.01, Formulation::Implicit);
    assert!((disc / 6.75 - 1.0).abs() < 1e-12, "{disc}");
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
