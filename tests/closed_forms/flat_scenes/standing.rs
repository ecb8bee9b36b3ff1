//! Standing bodies stand still, and carry the loads that statics gives.

use super::{G, contact, farthest, flat};
use nalgebra::Vector3;
use signorini::step::ContactState;
use signorini_scene::scene::ContactKind;
use signorini_scene::settings::Integrator;
use support::runs::{Run, body, shipped};

/// Ten cubes: the bottom carries ten weights to 1e-9 of one.
#[test]
fn the_bottom_of_a_stack_bears_ten_weights() {
    let mut run = Run::new(shipped("seeds/stack.toml"));
    run.run_to_the_end();
    let weight = 8.0 * G * run.scene().time_step;
    let bottom = contact(run.scene(), run.contacts(), ["ground", "cube-1"]).normal_impulse / weight;
    assert!((bottom - 10.0).abs() <= 1e-9, "10 + {:e}", bottom - 10.0);
}

/// The run at its current time; after `steps` more everything is in its place, to the last bit.
fn assert_rests(run: &mut Run, steps: usize) {
    let start = run.state().clone();
    run.steps(steps);
    assert_eq!(farthest(&start, run.state()), 0.0);
    assert_eq!(start.poses, run.state().poses);
    assert_eq!(run.kinetic_energy(), 0.0);
}

#[test]
fn a_wall_at_rest_moves_by_nothing() {
    let mut run = Run::new(shipped("granular/wall-50.toml"));
    run.steps(15);
    assert_rests(&mut run, 15);
}

/// Under the staggered integrator too rest is a state, in which nothing is iterated: a stack of ten cubes,
/// and a cube on another.
#[test]
fn what_rests_is_left_alone_by_the_staggered_integrator() {
    for name in ["seeds/stack.toml", "seeds/face-on-face.toml"] {
        let mut scene = shipped(name);
        scene.solver.integrator = Integrator::Staggered;
        let mut run = Run::new(scene);
        run.steps(40);
        let before = run.work;
        assert_rests(&mut run, 40);
        assert_eq!(run.work, before, "{name}: nothing is iterated");
    }
}

#[test]
#[ignore = "a minute in release"]
fn cubes_at_rest_move_by_nothing_for_50_s() {
    let mut run = Run::new(shipped("granular/cubes-64.toml"));
    run.steps(2000);
    assert_rests(&mut run, 10_000);
}

/// All weight above a contact presses at its centre of mass: the equivalent contact point is there.
#[test]
fn a_jittered_stack_lands_and_stands() {
    let mut run = Run::new(shipped("seeds/jittered-stack.toml"));
    run.steps(60);
    let landed = run.state().clone();
    run.run_to_the_end();
    assert!(farthest(&landed, run.state()) <= 1e-9, "{:e} m", farthest(&landed, run.state()));
    let weight = 8.0 * G * run.scene().time_step;
    for k in 1..=10 {
        let below = if k == 1 { "ground".to_owned() } else { format!("cube-{}", k - 1) };
        let touch = contact(run.scene(), run.contacts(), [&below, &format!("cube-{k}")]);
        let above = (k..=10).map(|i| run.state().poses[body(run.scene(), &format!("cube-{i}"))].position);
        let center = above.sum::<Vector3<f64>>() / (11 - k) as f64;
        assert_eq!(touch.touch.kind, ContactKind::Surface, "contact {k}");
        let carried = touch.normal_impulse / weight;
        assert!((carried - (11 - k) as f64).abs() <= 1e-6, "contact {k} carries {carried}");
        let off = flat(touch.ecp - center).norm();
        assert!(off <= 1e-6, "contact {k}: {off:e} m from under the centre of mass");
    }
}

/// tan α = 1/2 and μ a millionth above or below. v ← v + g (sin α − μ cos α) h, x ← x + h v. Gravity through
/// the centre, 0.1 m above the slope, meets it 0.1 tan α downhill of it.
#[test]
fn a_box_at_the_limit_of_friction_sticks_or_slides() {
    let mut run = Run::new(shipped("seeds/friction-limit.toml"));
    let start = run.state().clone();
    let [rough, smooth] = ["rough-box", "smooth-box"].map(|name| body(run.scene(), name));
    let (normal, down) = (Vector3::new(1.0, 0.0, 2.0).normalize(), Vector3::new(2.0, 0.0, -1.0).normalize());
    let (h, gain) = (run.scene().time_step, G * normal.z * (0.5 - 0.499_999_5) * run.scene().time_step);
    let (mut speed, mut way) = (0.0, 0.0);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        speed += gain;
        way += h * speed;
        let gone = |i: usize| run.state().poses[i].position - start.poses[i].position;
        assert!(gone(rough).norm() <= 1e-12, "step {step}: the rough box went {:e} m", gone(rough).norm());
        let off = (gone(smooth) - down * way).norm();
        assert!(off <= 1e-10, "step {step}: {off:e} m from the closed form");
        for (k, state) in [(rough, ContactState::Stick), (smooth, ContactState::Slip)] {
            let c = run.contacts().iter().find(|c| c.body_b == k).expect("it lies on the slope");
            assert_eq!((c.state, c.touch.kind), (state, ContactKind::Surface), "step {step}");
            let foot = run.state().poses[k].position + (down * 0.5 - normal) * 0.1;
            assert!((c.ecp - foot).norm() <= 1e-7, "step {step}: {:e}", (c.ecp - foot).norm());
        }
    }
    assert!(way > 5e-6, "{way} m are worth telling from none");
}

const STONES: usize = 9;
const HALF_TURN: f64 = std::f64::consts::PI;

/// A semicircular arch of voussoirs. Every joint transmits the same horizontal thrust and the weight of the
/// stones above; the thrust is one that some line of thrust within the ring can have; nothing slips, nothing
/// creeps.
#[test]
fn an_arch_stands() {
    let mut run = Run::new(shipped("seeds/arch.toml"));
    let start = run.state().clone();
    let mut lost = 0.0;
    for _ in 0..run.scene().n_steps() {
        run.advance();
        for c in run.contacts() {
            assert_ne!(c.state, ContactState::Slip, "{c:?}");
            lost += c.slip_speed * c.normal_impulse;
        }
    }
    assert!(farthest(&start, run.state()) <= 1e-9, "{:e} m", farthest(&start, run.state()));
    // Of 3.3 kJ of potential energy, under thrusts of many weights.
    assert!(lost <= 1e-7, "{lost} J went into friction");
    let (scene, h) = (run.scene(), run.scene().time_step);
    let weight = scene.bodies[body(scene, "stone-1")].mass * G;
    let (mut thrusts, mut shares) = (Vec::new(), Vec::new());
    for joint in 1..STONES {
        let names = [format!("stone-{joint}"), format!("stone-{}", joint + 1)];
        let c = contact(scene, run.contacts(), [&names[0], &names[1]]);
        let sign = if scene.bodies[c.body_b].name == names[1] { 1.0 } else { -1.0 };
        // On the stone further left: it leans to the right, so it is pushed to the left and carried by the
        // stones right of it.
        let force = (c.normal * c.normal_impulse + c.friction_impulse) * (sign / h);
        thrusts.push(-force.x / weight);
        assert!(force.y.abs() <= 1e-6 * weight, "joint {joint}: {force}");
        let from_top = STONES as f64 / 2.0 - joint as f64;
        // How the weight is shared between the feet is open by as much as the joints are wide, not how it
        // grows.
        shares.push(force.z / weight - from_top);
        let radius = flat_radius(c.ecp);
        assert!((0.9..=1.1).contains(&radius), "joint {joint}: the thrust leaves the ring at {radius} m");
    }
    for share in &shares {
        assert!(share.abs() < 0.2 && (share - shares[0]).abs() <= 1e-6, "{shares:?}");
    }
    let [least, most] = thrust_bounds();
    for thrust in &thrusts {
        assert!((thrust - thrusts[0]).abs() <= 1e-6, "{thrusts:?}");
        assert!((least..=most).contains(thrust), "{thrust} is not within {least} and {most}");
    }
}

fn flat_radius(p: Vector3<f64>) -> f64 {
    p.x.hypot(p.z)
}

/// Least and most horizontal thrust, in weights of a stone, of all symmetric lines of thrust that stay within
/// the joints: given the thrust and where it crosses the crown's middle plane, moments give where it crosses
/// every joint of a half.
fn thrust_bounds() -> [f64; 2] {
    // Centre of mass of a stone with straight sides, from the circle's centre.
    let half = HALF_TURN / (2.0 * STONES as f64);
    let (inner, outer): (f64, f64) = (0.9 * half.cos(), 1.1 * half.cos());
    let arm = (2.0 / 3.0) * (outer.powi(3) - inner.powi(3)) / (outer.powi(2) - inner.powi(2));
    let mut bounds = [f64::INFINITY, f64::NEG_INFINITY];
    for i in 1..2000 {
        let thrust = 2.0 * f64::from(i) / 2000.0 * 2.0;
        let fits = (0..=200).any(|k| fits(thrust, 0.85 + 0.25 * f64::from(k) / 200.0, arm, half));
        if fits {
            bounds = [bounds[0].min(thrust), bounds[1].max(thrust)];
        }
    }
    bounds
}

/// Whether the line of thrust that crosses x = 0 at height z stays within all joints right of it.
fn fits(thrust: f64, z: f64, arm: f64, half: f64) -> bool {
    // Half the keystone first, its centre of mass at x̄; then whole stones outwards.
    let key = half_keystone(half);
    let (mut weight, mut moment) = (0.5, 0.5 * key);
    for joint in 0..STONES / 2 + 1 {
        let angle = half * (1.0 + 2.0 * joint as f64);
        let (s, c) = angle.sin_cos();
        // The force (thrust, −weight) acts along the line through (moment/weight, z): where it meets the
        // joint r (s, c). Moment about the point: thrust (z − r c) = weight r s − moment … solved for r.
        let r = (thrust * z + moment) / (weight * s + thrust * c);
        if !(0.9..=1.1).contains(&r) {
            return false;
        }
        let next = angle + half;
        moment += arm * next.sin();
        weight += 1.0;
    }
    true
}

/// x̄ of the right half of the keystone: a trapezium between two radii at ±half, cut in the middle.
fn half_keystone(half: f64) -> f64 {
    let (i, o): (f64, f64) = (0.9, 1.1);
    let (s, c) = half.sin_cos();
    // Corners (0, i c), (0, o c), (o s, o c), (i s, i c): ∫ x over it divided by its area.
    let area = 0.5 * (o * o - i * i) * s * c;
    (o.powi(3) - i.powi(3)) * s * s * c / 6.0 / area
}
