//! The shipped seed scenes against the papers' figures and the analytic answers, every step solved and green.

use nalgebra::Vector3;
use signorini::step::ContactState;
use support::runs::{Run, body, friction_norm, shipped};

const G: f64 = 9.81;

/// [CBAT] example 3. Contact 1 (on the large sphere) slides from the first step, contact 2 (on the small one)
/// rolls, then slides; both come off.
#[test]
fn two_spheres_follow_the_paper() {
    let mut run = Run::new(shipped("seeds/two-spheres.toml"));
    let large = body(run.scene(), "large");
    let (mut last_closed, mut slides_from) = ([0.0; 2], None);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        assert_eq!(run.contacts().len(), if run.time() > 3.8 { run.contacts().len() } else { 2 });
        for contact in run.contacts() {
            let (friction, limit) = (friction_norm(contact, 0.3), 0.2 * contact.normal_impulse);
            assert!(friction <= limit * (1.0 + 1e-8), "step {step}: {friction} above {limit}");
            let place = usize::from(contact.body_a != large);
            if contact.state == ContactState::Open {
                continue;
            }
            last_closed[place] = run.time();
            match (place, contact.state) {
                (0, state) => assert_eq!(state, ContactState::Slip, "contact 1 in step {step}"),
                (_, ContactState::Slip) => {
                    slides_from.get_or_insert(run.time());
                }
                _ => assert_eq!(slides_from, None, "contact 2 sticks again in step {step}"),
            }
        }
    }
    let sticks_until = slides_from.expect("contact 2 slides") - run.scene().time_step;
    assert!((last_closed[0] - 3.20).abs() <= 0.02 + 1e-9, "contact 1 last closed at {}", last_closed[0]);
    assert!((sticks_until - 2.93).abs() <= 0.02 + 1e-9, "contact 2 sticks until {sticks_until}");
    assert!((last_closed[1] - 3.69).abs() <= 0.03 + 1e-9, "contact 2 last closed at {}", last_closed[1]);
    assert!(run.work.most_iterations <= 12, "{:?}", run.work);
}

/// [CBAT] example 2: ω_z falls by e_r μ m g h / I = 1.962 h a step until less than that is left.
#[test]
fn spinning_sphere_stops_as_in_the_paper() {
    let mut run = Run::new(shipped("seeds/spinning-sphere.toml"));
    let h = run.scene().time_step;
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let spin = run.velocity("sphere").angular.z;
        let torque = -run.contacts()[0].torsional_impulse / h;
        // 0.4 · 0.2 · 9.81 N m; then the torque that takes 0.03924 rad/s off I = 2/5 kg m² in one step; then
        // none.
        let (expected, expected_torque) = match step {
            1..=14 => (1.962 * (1.0 - h * step as f64), 0.7848),
            15 => (0.0, 0.4 * 0.03924 / h),
            _ => (0.0, 0.0),
        };
        assert!((torque - expected_torque).abs() <= 1e-6, "step {step}: torque {torque}");
        let allowed = if expected == 0.0 { 1e-10 } else { 1e-8 };
        assert!((spin - expected).abs() <= allowed, "step {step}: ω_z = {spin:e}, expected {expected}");
        if step == 14 {
            assert!((run.time() - 0.98).abs() < 1e-12 && (expected - 0.03924).abs() < 1e-15);
        }
    }
}

/// [CBAT] example 1: rolling without slip loses nothing.
#[test]
fn rolling_disc_keeps_its_kinetic_energy() {
    let mut run = Run::new(shipped("seeds/rolling-disc.toml"));
    let start = run.kinetic_energy();
    let steps = run.scene().n_steps();
    assert_eq!(steps, 500);
    for step in 1..=steps {
        run.advance();
        let change = run.kinetic_energy() / start - 1.0;
        assert!(change.abs() < 1e-12, "step {step}: relative change of kinetic energy {change:e}");
        assert_eq!(run.contacts()[0].state, ContactState::Stick, "step {step}");
    }
}

/// v falls by μ g h a step and r ω grows by 5/2 of that until they meet at 5/7 v₀ exactly: the last step of
/// sliding keeps the angular momentum about the contact, which no friction changes.
#[test]
fn sliding_sphere_starts_rolling_at_five_sevenths() {
    let mut run = Run::new(shipped("seeds/sliding-to-rolling.toml"));
    let (h, mu, start) = (run.scene().time_step, 0.3, 2.0);
    let rolls_from = 2.0 * start / (7.0 * mu * G);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let speed = run.velocity("sphere").linear.x;
        let time = h * step as f64;
        let expected = if time < rolls_from { start - mu * G * time } else { 5.0 / 7.0 * start };
        assert!((speed - expected).abs() < 1e-8 * start, "step {step}: {speed}, expected {expected}");
        let state = if time < rolls_from { ContactState::Slip } else { ContactState::Stick };
        // In the step of the change friction is inside the ellipsoid already: it sticks at its end.
        assert_eq!(run.contacts()[0].state, state, "step {step}");
    }
    let velocity = run.velocity("sphere");
    assert!((velocity.linear.x - 0.1 * velocity.angular.y).abs() < 1e-8, "{velocity:?}");
}

/// A plane of sixteen triangles is a plane: the ball gains 5/7 g sin α in every step.
#[test]
fn ball_rolls_down_a_heightfield_without_feeling_a_seam() {
    let mut run = Run::new(shipped("seeds/heightfield.toml"));
    let down = Vector3::new(1.0, 0.0, -0.1).normalize();
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let velocity = run.velocity("ball").linear;
        let expected = down * (-5.0 / 7.0 * G * down.z * run.time());
        assert!((velocity - expected).norm() < 1e-8, "step {step}: {velocity:?}, not {expected:?}");
    }
}

/// The part goes round with the vibration, and gains the height of the track's lead.
#[test]
fn part_climbs_a_vibrating_bowl() {
    let mut run = Run::new(shipped("seeds/bowl.toml"));
    let part = body(run.scene(), "part");
    let place = |run: &Run| {
        let at = run.state().poses[part].position;
        (at.y.atan2(at.x), at.xy().norm(), at.z)
    };
    run.steps(200);
    let (start, before, low) = place(&run);
    run.run_to_the_end();
    let (end, radius, high) = place(&run);
    let (turned, height) = (end - start, high - low);
    assert!((0.1..0.14).contains(&radius), "{radius}");
    let speed = 0.12 * turned / 0.4;
    assert!((0.005..0.025).contains(&speed), "{speed} m/s");
    // 20 mm in a turn, while it drifts to the outer side, which is lower.
    let lead = (height + 0.1_f64.sin() * (radius - before)) / turned * std::f64::consts::TAU;
    assert!((0.019..0.021).contains(&lead), "{lead} m in a turn");
}

/// tan θ < 3.5 μ: rolls with 5/7 g sin θ, exactly so in every step, since nothing curves in this motion.
#[test]
fn sphere_rolls_down_the_slope_without_slip() {
    let mut run = Run::new(shipped("seeds/slope.toml"));
    let down = Vector3::new(0.75_f64.sqrt(), 0.0, -0.5);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let velocity = run.velocity("sphere");
        let expected = 5.0 / 7.0 * G * 0.5 * run.time();
        assert!((velocity.linear - down * expected).norm() < 1e-8 * expected, "step {step}: {velocity:?}");
        assert!((velocity.angular.y - expected / 0.5).abs() < 1e-8 * expected, "step {step}: {velocity:?}");
        let contact = run.contacts()[0];
        assert_eq!(contact.state, ContactState::Stick, "step {step}");
        // Friction of a sphere that rolls: 2/7 m g sin θ.
        let friction = contact.friction_impulse / run.scene().time_step;
        assert!((friction + down * (2.0 / 7.0 * G * 0.5)).norm() < 1e-7, "step {step}: {friction}");
    }
}
