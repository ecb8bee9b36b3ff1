//! Without friction all models have the same limit, which they approach with first order.

use super::{run, scene, under};
use signorini::scene::Scene;
use signorini::settings::Formulation::{self, Compliant, Cone, Implicit, StewartTrinkle};

const G: f64 = 9.81;
const RADIUS: f64 = 1.2;
const ANGLE: f64 = 0.3;
const TIME: f64 = 0.2;

/// A ball released on a fixed larger one, an angle off the top.
fn sliding_off(step: f64) -> Scene {
    let (x, z) = (RADIUS * ANGLE.sin(), RADIUS * ANGLE.cos());
    let mut found = scene(&format!(
        "format = 1\n[simulation]\nstep = {step}\nduration = {TIME}\n\
         [[body]]\nname = \"hill\"\nfixed = true\nshape = {{ type = \"sphere\", radius = 1 }}\n\
         [[body]]\nname = \"ball\"\nmass = 1\nposition = [{x:?}, 0, {z:?}]\nshape = {{ type = \"sphere\", radius = 0.2 }}\n"
    ));
    found.solver.tolerance = 1e-10;
    found
}

/// θ'' = (g/R) sin θ, classical Runge–Kutta with steps far below the error looked for.
fn exact_angle() -> f64 {
    let (n, mut theta, mut rate) = (2000, ANGLE, 0.0);
    let h = TIME / n as f64;
    let slope = |theta: f64| G / RADIUS * theta.sin();
    for _ in 0..n {
        let k1 = (rate, slope(theta));
        let k2 = (rate + 0.5 * h * k1.1, slope(theta + 0.5 * h * k1.0));
        let k3 = (rate + 0.5 * h * k2.1, slope(theta + 0.5 * h * k2.0));
        let k4 = (rate + h * k3.1, slope(theta + h * k3.0));
        theta += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        rate += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    theta
}

fn angle_at_the_end(model: Formulation, step: f64) -> f64 {
    let end = run(under(&sliding_off(step), model), |_| {});
    let c = end.state().poses[1].position;
    c.x.atan2(c.z)
}

#[test]
fn frictionless_models_share_their_limit_with_first_order() {
    let exact = exact_angle();
    for model in [Implicit, StewartTrinkle, Cone, Compliant] {
        let angles: Vec<f64> = [4e-3, 2e-3, 1e-3, 5e-4].iter().map(|h| angle_at_the_end(model, *h)).collect();
        let errors: Vec<f64> = angles.iter().map(|a| (a - exact).abs()).collect();
        for pair in errors.windows(2) {
            let slope = (pair[0] / pair[1]).log2();
            assert!((slope - 1.0).abs() < 0.1, "{model:?}: {errors:?}");
        }
        // The limit: the errors of orders 1 and 2 eliminated.
        let first: Vec<f64> = angles.windows(2).map(|a| 2.0 * a[1] - a[0]).collect();
        let limit = (4.0 * first[2] - first[1]) / 3.0;
        assert!((limit - exact).abs() < 1e-6, "{model:?}: {limit} against {exact}");
    }
}
