//! θ goes from 0 to 1 where the step ceases to resolve rocking: θ = clip((χ − ½)/1.5, 0, 1), χ = h² f (ρ −
//! z)/I_c for a body that rocks about a point z below its centre of mass, where radii of curvature make ρ.

use super::{FLOOR, G, Seen, scene, start_of, stone};
use support::runs::{Run, body};

/// A stone of semi-axes (a, b, c) that lies at height z on its flat side, nearly at rest.
fn lying(name: &str, axes: [f64; 3], mass: f64, x: f64, z: f64, spin: f64) -> String {
    let [a, b, c] = axes.map(|a| a * a * mass / 5.0);
    let inertia = [b + c, a + c, a + b];
    format!(
        "[[body]]\nname = {name:?}\nshape = {{ type = \"ellipsoid\", semi_axes = {axes:?} }}\nmass = {mass:?}\n\
         inertia = [{:?}, {:?}, {:?}, 0, 0, 0]\nposition = [{x:?}, 0, {z:?}]\nangular_velocity = [0, {spin:?}, 0]\n",
        inertia[0], inertia[1], inertia[2]
    )
}

/// f (ρ − z)/I_c (1/s²), the larger of pitch and roll; `other` are the radii of curvature of the body below
/// along x and y.
fn rate(axes: [f64; 3], mass: f64, force: f64, other: [f64; 2]) -> f64 {
    let [a, b, c] = axes;
    let fastest = |along: f64, other: f64| {
        let rho = 1.0 / (c / (along * along) + 1.0 / other);
        force * (rho - c) / (mass * (along * along + c * c) / 5.0 + mass * c * c)
    };
    fastest(a, other[0]).max(fastest(b, other[1]))
}

fn theta_of(rate: f64, h: f64) -> f64 {
    ((h * h * rate - 0.5) / 1.5).clamp(0.0, 1.0)
}

/// θ of the contact of two bodies.
fn found(run: &Run, a: &str, b: &str) -> f64 {
    let ids = [body(run.scene(), a), body(run.scene(), b)];
    let is = |c: &&signorini::step::ContactRecord| ids.contains(&c.body_a) && ids.contains(&c.body_b);
    run.contacts().iter().find(is).expect("they touch").acting.map_or(1.0, |a| a.theta)
}

const FLAT: f64 = f64::INFINITY;
const SLOW: [f64; 3] = [0.2, 0.15, 0.1];
const FAST: [f64; 3] = [0.1, 0.05, 0.02];

/// Two stones on the floor, of which the one rocks faster: each contact has its own θ, of the right value.
#[test]
fn each_contact_is_blended_by_its_own_rocking() {
    let rates = [SLOW, FAST].map(|axes| rate(axes, 1.0, G, [FLAT; 2]));
    assert!(rates[1] > 3.0 * rates[0]);
    let mut between = [0; 2];
    for chi in [0.3, 0.49, 0.51, 0.8, 1.25, 1.7, 1.99, 2.01, 4.0, 8.0, 12.0, 16.0] {
        let h = f64::sqrt(chi / rates[1]);
        let stones = lying("slow", SLOW, 1.0, -1.0, 0.1, 1e-4) + &lying("fast", FAST, 1.0, 1.0, 0.02, 1e-4);
        let mut run = Run::new(scene(h, 10.0, 10.0, &(FLOOR.to_owned() + &stones)));
        run.steps(5);
        for (k, name) in ["slow", "fast"].into_iter().enumerate() {
            let (expected, found) = (theta_of(rates[k], h), found(&run, "floor", name));
            assert!((found - expected).abs() < 1e-4, "χ = {chi}, {name}: {found} for {expected}");
            between[k] += usize::from(found > 0.0 && found < 1.0);
        }
    }
    assert!(between[0] > 1 && between[1] > 4, "{between:?}");
}

/// A stone on a stone on the floor: the contact of both counts either with the other held, the contact below
/// carries both weights.
#[test]
fn contacts_of_two_moving_bodies_are_blended() {
    let (below, above) = ([0.3, 0.25, 0.15], FAST);
    let radii = |axes: [f64; 3]| [axes[0] * axes[0] / axes[2], axes[1] * axes[1] / axes[2]];
    let upper = rate(above, 1.0, G, radii(below)).max(rate(below, 3.0, G, radii(above)));
    let lower = rate(below, 3.0, 4.0 * G, [FLAT; 2]);
    for chi in [0.4, 0.9, 1.25, 1.8, 2.2] {
        let h = f64::sqrt(chi / upper);
        let stones = lying("below", below, 3.0, 0.0, 0.15, 0.0) + &lying("above", above, 1.0, 0.0, 0.32, 0.0);
        let mut run = Run::new(scene(h, 10.0, 10.0, &(FLOOR.to_owned() + &stones)));
        run.steps(5);
        for (a, b, rate) in [("below", "above", upper), ("floor", "below", lower)] {
            let (expected, found) = (theta_of(rate, h), found(&run, a, b));
            assert!((found - expected).abs() < 1e-4, "χ = {chi}, {a} and {b}: {found} for {expected}");
        }
    }
}

/// From resolved to unresolved: nothing rings, and blending damps, the more the larger θ is.
#[test]
fn the_blend_damps_what_is_not_resolved() {
    let rate = rate(FAST, 1.0, G, [FLAT; 2]);
    let mut left = Vec::new();
    for k in 0..40 {
        let chi = 0.3 + 0.12 * f64::from(k);
        let h = f64::sqrt(chi / rate);
        let text = FLOOR.to_owned() + &lying("fast", FAST, 1.0, 0.0, 0.02, 0.05);
        let mut scene = scene(h, 10.0, 10.0, &text);
        scene.bodies[1].velocity.linear.x = 0.05 * 0.02;
        let mut run = Run::new(scene);
        let spin = |run: &Run| run.state().velocities[1].angular.norm();
        let mut most = [0.0_f64; 2];
        for step in 0..120 {
            run.advance();
            let part = usize::from(step >= 60);
            most[part] = most[part].max(spin(&run));
        }
        let theta = theta_of(rate, h);
        assert!(most[0] < 0.05 * 1.01, "χ = {chi}: {most:?} of 0.05 rad/s");
        if theta == 0.0 {
            assert!(most[1] > 0.99 * most[0], "χ = {chi}: resolved, it is not damped: {most:?}");
        } else {
            assert!(most[1] < 0.9 * most[0], "χ = {chi}: {most:?}");
            // By rounding it does not go on falling.
            let before: f64 = left.last().copied().unwrap_or(1.0);
            assert!(most[1] < before.max(1e-9), "χ = {chi}, θ = {theta}: {} after {before}", most[1]);
            left.push(most[1]);
        }
    }
    assert!(left.len() > 30);
}

/// A rattleback in full swing, with steps from those that resolve it to those that do not: nothing blows up,
/// and θ takes its values between 0 and 1 while it rocks.
#[test]
fn a_stone_in_full_swing_does_not_blow_up() {
    let mut between = 0;
    for h in [2e-3, 5e-3, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05] {
        let mut scene = stone(h);
        scene.duration = 3.0;
        let (mass, inertia) = (1.0, scene.bodies[1].inertia);
        let start = start_of(&scene).energy(mass, &inertia);
        let mut run = Run::new(scene);
        let (mut thetas, mut most) = ([1.0_f64, 0.0], 0.0_f64);
        for step in 0..(3.0 / h) as usize {
            run.advance();
            let theta = run.contacts()[0].acting.map_or(1.0, |a| a.theta);
            if step > 0 {
                thetas = [thetas[0].min(theta), thetas[1].max(theta)];
                between += usize::from(theta > 0.0 && theta < 1.0);
            }
            let v = run.state().velocities[1];
            let now = Seen { pose: run.state().poses[1], linear: v.linear, angular: v.angular };
            most = most.max(now.energy(mass, &inertia) / start);
        }
        assert!(most <= 1.01, "h = {h}: {most} times the energy of the start");
        assert!(h > 2e-3 || thetas[1] == 0.0, "resolved: {thetas:?}");
        assert!(h < 0.05 || thetas[1] == 1.0, "not resolved: {thetas:?}");
    }
    assert!(between > 100, "{between} steps at θ between");
}
