//! A cylinder rolling on a spring: T = 2 π √(3 m/(2 k)).

use super::{run, scene};
use signorini::simulation::Simulation;
use signorini_scene::scene::Scene;

const PERIOD: f64 = 1.0;
const MASS: f64 = 2.0;

/// A cylinder lying along y on a plane, its axis tied to a fixed post far away.
fn rolling(scheme: &str, step: f64, duration: f64) -> Scene {
    let stiffness = 1.5 * MASS * (std::f64::consts::TAU / PERIOD).powi(2);
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\n[solver]\nformulation = \"compliant\"\n\
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

/// Two balls in space on a spring with a damper; θ as the scene states it.
fn pair(scheme: &str) -> Scene {
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\ngravity = [0, 0, 0]\n\
         [solver]\nformulation = \"compliant\"\n[solver.compliant]\n{scheme}\n\
         [[body]]\nname = \"a\"\nmass = 1\nposition = [0, 0, 0]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[body]]\nname = \"b\"\nmass = 3\nposition = [1.2, 0, 0]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[spring]]\nbetween = [\"a\", \"b\"]\nstiffness = 120\ndamping = 3\nrest_length = 1\n"
    ))
}

#[test]
fn theta_of_ones_own_acts_as_its_definition_says() {
    for theta in [[0.25, 0.75, 0.6], [1.0, 0.0, 0.5], [0.0, 0.5, 1.0], [0.5, 0.5, 0.5]] {
        // Of the stretch: m (v − v₀) = −h k (x + θ_q h v_θvq) − h d v_θv, then x += h v_θvq.
        let [q, d, vq] = theta;
        let (m, k, c, h) = (0.75, 120.0, 3.0, 0.01);
        let (mut x, mut v) = (0.2, 0.0_f64);
        run(pair(&format!("theta = {theta:?}")), |s| {
            let old = v;
            let force = -k * (x + q * h * (1.0 - vq) * old) - c * (1.0 - d) * old;
            v = (m * old + h * force) / (m + h * h * q * vq * k + h * d * c);
            x += h * (vq * v + (1.0 - vq) * old);
            let (poses, speeds) = (&s.state().poses, &s.state().velocities);
            let found = (poses[1].position - poses[0].position).x - 1.0;
            let rate = (speeds[1].linear - speeds[0].linear).x;
            assert!(
                (found - x).abs() < 1e-11 && (rate - v).abs() < 1e-9,
                "{theta:?}: {found} {x}, {rate} {v}"
            );
        });
    }
}

#[test]
fn presets_are_names_of_their_theta() {
    let end = |scheme: &str| {
        let end = run(pair(scheme), |_| {});
        let x = end.state().poses[1].position.x;
        (x, x.to_bits())
    };
    let presets =
        [("symplectic-euler", "[0, 0, 1]"), ("implicit-euler", "[1, 1, 1]"), ("midpoint", "[0.5, 0.5, 0.5]")];
    for (name, theta) in presets {
        let (named, given) = (end(&format!("scheme = \"{name}\"")), end(&format!("theta = {theta}")));
        assert_eq!(named, given, "{name}");
        // θ wins over a preset beside it, whichever that is.
        assert_eq!(end(&format!("scheme = \"implicit-euler\"\ntheta = {theta}")), given);
    }
    assert_eq!(end(""), end("scheme = \"symplectic-euler\""));
    assert_ne!(end(""), end("scheme = \"midpoint\""));
}
