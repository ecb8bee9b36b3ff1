//! A cylinder rolling on a spring: T = 2 π √(3 m/(2 k)).

use super::{run, scene};
use signorini::scene::Scene;
use signorini::simulation::Simulation;

const PERIOD: f64 = 1.0;
const MASS: f64 = 2.0;

/// A cylinder lying along y on a plane, its axis tied to a fixed post far away.
fn rolling(scheme: &str, step: f64, duration: f64) -> Scene {
    let stiffness = 1.5 * MASS * (std::f64::consts::TAU / PERIOD).powi(2);
    scene(&format!(
        "format = 1\n[simulation]\nstep = {step}\nduration = {duration}\n[solver]\nformulation = \"compliant\"\n\
         tolerance = 1e-6\n[solver.compliant]\nscheme = \"{scheme}\"\nfriction_regularization = 1e-8\n\
         [[friction]]\ncoefficient = 1\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"post\"\nfixed = true\nposition = [-5, 0, 1]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[body]]\nname = \"cylinder\"\nmass = {MASS}\nposition = [0.1, 0, 1]\n\
         shape = {{ type = \"cylinder\", radius = 1, length = 0.5 }}\n\
         shape_orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]\n\
         [[spring]]\nbetween = [\"post\", \"cylinder\"]\nstiffness = {stiffness:?}\nrest_length = 5\n"
    ))
}

/// Kinetic and spring energy (J).
fn energy(s: &Simulation) -> f64 {
    let (v, x) = (s.state().velocities[2], s.state().poses[2].position.x);
    let k = s.scene().springs[0].stiffness;
    0.5 * MASS * (v.linear.norm_squared() + 0.5 * v.angular.y.powi(2)) + 0.5 * k * x * x
}

/// (smallest, largest, mean of the last period) of the energy over 100 periods, relative to the start.
fn drift(scheme: &str) -> (f64, f64, f64) {
    let step = 0.01;
    let (mut first, mut low, mut high, mut last) = (0.0, f64::INFINITY, 0.0_f64, 0.0);
    run(rolling(scheme, step, 100.0 * PERIOD), |s| {
        let e = energy(s);
        // The first steps press the contact in.
        if s.step_index() == 10 {
            first = e;
        }
        if s.step_index() >= 10 {
            (low, high) = (low.min(e / first), high.max(e / first));
        }
        if s.time() > 99.0 * PERIOD + 0.5 * step {
            last += e / first * step / PERIOD;
        }
    });
    (low, high, last)
}

#[test]
fn midpoint_keeps_the_energy_where_the_others_do_not() {
    let (low, high, _) = drift("midpoint");
    assert!(low > 1.0 - 1e-6 && high < 1.0 + 1e-6, "midpoint: {low} to {high}");
    // Symplectic Euler oscillates by ω h/2 of the energy, for ever.
    let (low, high, last) = drift("symplectic-euler");
    let swing = 0.5 * std::f64::consts::TAU * 0.01;
    assert!(high - low > swing && high - low < 4.0 * swing, "symplectic: {low} to {high}");
    assert!((last - 0.5 * (low + high)).abs() < 0.5 * swing, "symplectic ends at {last}");
    // Implicit Euler loses the factor 1/(1 + ω² h²) per step.
    let (_, _, last) = drift("implicit-euler");
    assert!(last < 1e-10, "implicit Euler keeps {last}");
}

#[test]
fn the_period_is_that_of_one_and_a_half_masses() {
    let (mut crossings, mut before) = (Vec::new(), 0.1);
    run(rolling("midpoint", 0.002, 10.0), |s| {
        let x = s.state().poses[2].position.x;
        if before > 0.0 && x <= 0.0 {
            let part = before / (before - x);
            crossings.push(s.time() - 0.002 * (1.0 - part));
        }
        before = x;
    });
    let found = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    // The midpoint rule is slow by (ω h)²/12.
    let exact = PERIOD * (1.0 + (std::f64::consts::TAU * 0.002).powi(2) / 12.0);
    assert!((found - exact).abs() < 1e-6, "{found} against {exact}");
}

#[test]
fn the_order_of_the_schemes_is_what_it_should_be() {
    for (scheme, order) in [("symplectic-euler", 1.0), ("implicit-euler", 1.0), ("midpoint", 2.0)] {
        let errors: Vec<f64> = [0.01, 0.005, 0.0025]
            .iter()
            .map(|h| {
                // Two fifths of a period from rest: x = x₀ cos(ω t).
                let end = run(rolling(scheme, *h, 0.4), |_| {});
                let exact = 0.1 * (std::f64::consts::TAU * 0.4).cos();
                (end.state().poses[2].position.x - exact).abs()
            })
            .collect();
        let slopes = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
        assert!(slopes.iter().all(|s| (s - order).abs() < 0.15), "{scheme}: {errors:?} {slopes:?}");
    }
}
