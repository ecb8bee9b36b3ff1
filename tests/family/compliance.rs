//! The compliant model against scalar recursions and closed forms.

use super::{run, scene};
use signorini_scene::scene::Scene;

const G: f64 = 9.81;

/// A ball on a plane of rubber.
fn on_rubber(stiffness: f64, dissipation_time: f64) -> Scene {
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.001\nduration = 0.3\n[solver]\nformulation = \"compliant\"\n\
         tolerance = 1e-12\n[[material]]\nname = \"rubber\"\nstiffness = {stiffness}\n\
         dissipation_time = {dissipation_time}\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"rubber\"\nmass = 2\nposition = [0, 0, 0.1]\n\
         shape = {{ type = \"sphere\", radius = 0.1 }}\n"
    ))
}

#[test]
fn stiffness_and_dissipation_time_act_as_the_law_says() {
    for (k, tau) in [(5e4, 0.02), (2e4, 0.002), (1e5, 0.1)] {
        // m (v − v₀) = −m g h + γ with γ = −h k (φ₀ + (h + τ) v): linear while it is loaded.
        let (m, h) = (2.0, 1e-3);
        let (mut gap, mut v, mut deepest) = (0.0, 0.0, 0.0_f64);
        run(on_rubber(k, tau), |s| {
            v = (v - G * h - h * k * gap / m) / (1.0 + h * k * (h + tau) / m);
            gap += h * v;
            deepest = deepest.max(-gap);
            let contact = s.contacts()[0];
            assert!((contact.gap - gap).abs() < 1e-10 * G * m / k, "{k} {tau}: {} {gap}", contact.gap);
            assert!((s.state().velocities[1].linear.z - v).abs() < 1e-10, "{k} {tau}");
        });
        // Little dissipation overshoots m g/k, much creeps up to it.
        let sunk = m * G / k;
        assert_eq!(deepest > 1.05 * sunk, tau < 0.01, "{k} {tau}: {deepest} {sunk}");
    }
}

/// The slider of the artefacts, compliant.
fn slider(friction: &str) -> Scene {
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.5\n[solver]\nformulation = \"compliant\"\n\
         [solver.compliant]\nfriction = \"{friction}\"\n[[friction]]\ncoefficient = 0.3\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"slider\"\nshape = {{ type = \"sphere\", radius = 0.1 }}\nmass = 1\n\
         inertia = [1e9, 1e9, 1e9, 0, 0, 0]\nposition = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n"
    ))
}

#[test]
fn the_fixed_point_gives_coulombs_law_where_convex_friction_lifts() {
    let h = 0.005;
    let sunk = h * h * G / (4.0 * std::f64::consts::PI.powi(2));
    run(slider("coulomb"), |s| {
        let v = s.state().velocities[1].linear.x;
        assert!((v - (2.0 - 0.3 * G * s.time())).abs() < 1e-2, "{v}");
        if s.time() > 0.1 {
            let gap = s.contacts()[0].gap;
            assert!((gap + sunk).abs() < 1e-3 * sunk, "{gap} against {sunk}");
        }
    });
    let mut seen = 0;
    run(slider("convex"), |s| {
        if s.time() > 0.3 {
            let (gap, v) = (s.contacts()[0].gap, s.state().velocities[1].linear.x);
            // Rides up by h μ v less what it sinks.
            let lift = h * 0.3 * v;
            assert!((gap - lift + sunk).abs() < 0.01 * lift, "{gap} against {lift} - {sunk}");
            seen += 1;
        }
    });
    assert!(seen > 30);
}

/// Two balls in space, tied by a spring and a damper.
fn tied(scheme: &str, step: f64) -> Scene {
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = 0.4\ngravity = [0, 0, 0]\n\
         [solver]\nformulation = \"compliant\"\n[solver.compliant]\nscheme = \"{scheme}\"\n\
         [[body]]\nname = \"a\"\nmass = 1\nposition = [0, 0, 0]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[body]]\nname = \"b\"\nmass = 3\nposition = [1.2, 0, 0]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[spring]]\nbetween = [\"a\", \"b\"]\nstiffness = 120\ndamping = 3\nrest_length = 1\n"
    ))
}

#[test]
fn springs_with_dampers_follow_the_damped_oscillation() {
    // Of the distance: m = 3/4, x'' + 4 x' + 160 x = 0 from 0.2.
    let (rate, omega) = (2.0_f64, 156.0_f64.sqrt());
    let t: f64 = 0.4;
    let exact = 0.2 * (-rate * t).exp() * ((omega * t).cos() + rate / omega * (omega * t).sin());
    for (scheme, order) in [("symplectic-euler", 1.0), ("implicit-euler", 1.0), ("midpoint", 2.0)] {
        let errors: Vec<f64> = [2e-3, 1e-3, 5e-4]
            .iter()
            .map(|h| {
                let end = run(tied(scheme, *h), |_| {});
                let (a, b) = (end.state().poses[0].position, end.state().poses[1].position);
                // The centre of mass stays.
                assert!(((a + b * 3.0) / 4.0 - nalgebra::Vector3::x() * 0.9).norm() < 1e-12);
                ((b - a).x - 1.0 - exact).abs()
            })
            .collect();
        let slopes = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
        assert!(slopes.iter().all(|s| (s - order).abs() < 0.15), "{scheme}: {errors:?} {slopes:?}");
    }
}

#[test]
fn free_motion_solves_its_nonlinear_equations() {
    // A pendulum on a stiff spring with implicit Euler, h ω = 5: far from what one linearisation would give.
    let (h, m, k) = (0.05, 2.0, 2e4);
    let base = scene(&format!(
        "format = 1\n[simulation]\ntime_step = {h}\nduration = 2\n[solver]\nformulation = \"compliant\"\n\
         [solver.compliant]\nscheme = \"implicit-euler\"\n\
         [[body]]\nname = \"post\"\nfixed = true\nposition = [0, 0, 3]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[body]]\nname = \"bob\"\nmass = {m}\nposition = [1, 0, 3]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[spring]]\nbetween = [\"post\", \"bob\"]\nstiffness = {k}\nrest_length = 1\n"
    ));
    let momentum = |x: [f64; 2], old: [f64; 2], v: [f64; 2]| -> [f64; 2] {
        let [px, pz] = [x[0] + h * v[0], x[1] + h * v[1]];
        let length = px.hypot(pz);
        let pull = k * (length - 1.0) / length;
        [m * (v[0] - old[0]) + h * pull * px, m * (v[1] - old[1]) + h * (pull * pz + m * G)]
    };
    // Oracle: Newton with differences in two unknowns.
    let (mut x, mut old) = ([1.0, 0.0], [0.0, 0.0]);
    run(base, |s| {
        let mut v = old;
        for _ in 0..100 {
            let f = momentum(x, old, v);
            let column = |i: usize| {
                let mut moved = v;
                moved[i] += 1e-6;
                let g = momentum(x, old, moved);
                [(g[0] - f[0]) / 1e-6, (g[1] - f[1]) / 1e-6]
            };
            let (a, b) = (column(0), column(1));
            let determinant = a[0] * b[1] - a[1] * b[0];
            v[0] -= (f[0] * b[1] - f[1] * b[0]) / determinant;
            v[1] -= (a[0] * f[1] - a[1] * f[0]) / determinant;
        }
        (x, old) = ([x[0] + h * v[0], x[1] + h * v[1]], v);
        let p = s.state().poses[1].position;
        assert!((p.x - x[0]).abs() < 1e-8 && (p.z - 3.0 - x[1]).abs() < 1e-8, "{p} {x:?}");
    });
}
