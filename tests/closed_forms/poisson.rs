//! Poisson's law of impact: an expansion with at least e times the impulses of the compression.

use crate::impacts::{FLOOR, ball};
use crate::kanes_rod::strikes;
use nalgebra::{Matrix2, Vector2, Vector3};
use signorini::referee::{RecordedStep, Referee};
use signorini::step::{Loads, StepPhase};
use signorini_scene::scene::Scene;
use support::runs::{Run, body, changed, from_text};

fn scene(step: f64, duration: f64, gravity: f64, friction: &str, bodies: &str) -> Scene {
    from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\ngravity = [0, 0, {gravity}]\n\
         [[friction]]\nrestitution_law = \"poisson\"\n{friction}\n{bodies}"
    ))
}

/// Heights e²ⁿ of the bounces from 1 m, to first order in h.
#[test]
fn a_ball_bounces_to_the_heights_that_its_restitution_allows() {
    let e = 0.8_f64;
    let errors = |h: f64| -> Vec<f64> {
        let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 1.1, [0.0; 2]);
        let mut run = Run::new(scene(h, 3.0, -9.81, "coefficient = 0.3\nrestitution = 0.8", &bodies));
        let (mut heights, mut last) = (Vec::new(), [1.0_f64, 0.0]);
        while heights.len() < 4 {
            run.advance();
            let at = body(run.scene(), "ball");
            let (z, v) = (run.state().poses[at].position.z - 0.1, run.velocity("ball").linear.z);
            if last[1] > 0.0 && v <= 0.0 {
                heights.push(last[0].max(z));
            }
            last = [z, v];
        }
        (0..4).map(|n| (heights[n] - e.powi(2 * (n as i32 + 1))).abs()).collect()
    };
    let (coarse, fine) = (errors(2e-3), errors(2.5e-4));
    for (n, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
        assert!(*coarse < 0.05 && *fine < 0.25 * coarse, "bounce {n}: off by {coarse}, then by {fine}");
    }
}

/// The middle and the last of three balls rebound, the first and the middle do not: the momentum that the
/// middle one passes on in the compression comes back to it in the expansion. By Newton's law nothing comes
/// back, since they did not approach.
#[test]
fn impulses_rebound_where_velocities_do_not() {
    for (law, expected) in
        [("poisson", [1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0]), ("newton", [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0])]
    {
        let row = |k: usize| {
            let (x, speed) = if k == 0 { (-0.05, 1.0) } else { (0.2 * k as f64, 0.0) };
            let material = ["clay", "steel", "steel"][k];
            format!("{}material = \"{material}\"\n", ball(&format!("b{k}"), x, 0.0, [speed, 0.0]))
        };
        let bodies: String = (0..3).map(row).collect();
        let text = format!(
            "format = 1\n[simulation]\ntime_step = 1e-3\nduration = 0.2\ngravity = [0, 0, 0]\n\
             [[friction]]\ncoefficient = 0\nrestitution = 0\n\
             [[friction]]\nbetween = [\"steel\", \"steel\"]\ncoefficient = 0\nrestitution = 1\n\
             restitution_law = \"{law}\"\n[[material]]\nname = \"clay\"\n[[material]]\nname = \"steel\"\n{bodies}"
        );
        let mut run = Run::new(from_text(&text));
        run.run_to_the_end();
        for (k, expected) in expected.into_iter().enumerate() {
            let found = run.velocity(&format!("b{k}")).linear.x;
            assert!((found - expected).abs() < 1e-9, "{law}: ball {k} has {found}, not {expected}");
        }
    }
}

/// Newton's cradle: in a row of equal balls both laws say the same.
#[test]
fn a_row_of_balls_does_what_newtons_law_says() {
    for (gap, expected) in [(0.0, [-0.6, 0.4, 0.4, 0.4, 0.4]), (0.004, [0.0, 0.0, 0.0, 0.0, 1.0])] {
        let row = |k: usize| {
            let apart = if k == 0 { -0.05 } else { 0.0 };
            ball(&format!("b{k}"), (0.2 + gap) * k as f64 + apart, 0.0, [if k == 0 { 1.0 } else { 0.0 }, 0.0])
        };
        let bodies: String = (0..5).map(row).collect();
        let mut run = Run::new(scene(1e-3, 0.2, 0.0, "coefficient = 0\nrestitution = 1", &bodies));
        run.run_to_the_end();
        for (k, expected) in expected.into_iter().enumerate() {
            let found = run.velocity(&format!("b{k}")).linear.x;
            assert!((found - expected).abs() < 1e-9, "gap {gap}: ball {k} has {found}, not {expected}");
        }
    }
    let law = "restitution = 1\nrestitution_law = \"poisson\"";
    let mut run = Run::new(changed("seeds/cradle.toml", &[("restitution = 1.0", law)]));
    let last = body(run.scene(), "ball-5");
    let mut highest = 0.0_f64;
    for _ in 0..run.scene().n_steps() {
        run.advance();
        highest = highest.max(run.state().poses[last].position.z);
    }
    let expected = 0.3 * (1.0 - (std::f64::consts::PI / 6.0).cos());
    assert!((highest / expected - 1.0).abs() < 0.02, "{highest} m, not {expected}");
}

/// The impulse (x, z) that one part of an impact makes on a point that moves with `start`, and yields so
/// much: with the normal impulse `least`, or as much as stops it along z, and friction.
fn part(yields: &Matrix2<f64>, start: &Vector2<f64>, mu: f64, least: Option<f64>) -> Vector2<f64> {
    let stuck = match least {
        None => yields.try_inverse().unwrap() * -start,
        Some(z) => Vector2::new(-(start.x + yields[(0, 1)] * z) / yields[(0, 0)], z),
    };
    if stuck.x.abs() <= mu * stuck.y {
        return stuck;
    }
    let push = Vector2::new(stuck.x.signum() * mu, 1.0);
    push * least.unwrap_or(-start.y / (yields * push).y)
}

/// Kane's rod strikes at an angle: compression and expansion with friction of their own, in the plane.
#[test]
fn a_rod_that_strikes_at_an_angle_leaves_by_poissons_law() {
    let (mut sticks, mut differs, e) = (0, 0, 0.6);
    for strike in strikes(e, StepPhase::Expansion, scene) {
        let (mu, before, yields) = (strike.mu, strike.before, strike.yields);
        let compression = part(&yields, &before, mu, None);
        let halfway = before + yields * compression;
        let expansion = part(&yields, &halfway, mu, Some(e * compression.y));
        assert!((halfway + yields * expansion).y >= 0.0, "mu {mu}: it would stay");
        sticks += usize::from(expansion.x.abs() < mu * expansion.y);
        let impulse = compression + expansion;
        let newton = (before + yields * impulse).y + e * before.y;
        differs += usize::from(newton.abs() > 0.1);
        strike.assert_left_by(&impulse);
    }
    assert!(sticks > 2 && differs > 1, "{sticks} stick, {differs} differ from Newton's law");
}

/// A box that falls flat leaves with e times its speed, in all its points at once; and without gravity and
/// friction a ball keeps its energy with e = 1.
#[test]
fn a_box_rebounds_flat_and_a_whole_rebound_keeps_the_energy() {
    let cube = "[[body]]\nname = \"box\"\nmass = 3\nshape = { type = \"box\", half_extents = [0.3, 0.2, 0.1] }\n\
                position = [0, 0, 0.15]\nvelocity = [0.2, 0, -1]\n";
    let bodies = FLOOR.to_owned() + cube;
    let mut run = Run::new(scene(1e-3, 0.1, 0.0, "coefficient = 0\nrestitution = 0.5", &bodies));
    run.run_to_the_end();
    let found = run.velocity("box");
    assert!((found.linear - Vector3::new(0.2, 0.0, 0.5)).norm() < 1e-9, "{found:?}");
    assert!(found.angular.norm() < 1e-8, "{found:?}");

    let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 0.5, [0.3, -2.0]);
    let mut run = Run::new(scene(3e-3, 0.6, 0.0, "coefficient = 0\nrestitution = 1", &bodies));
    let start = run.kinetic_energy();
    run.run_to_the_end();
    assert!((run.kinetic_energy() / start - 1.0).abs() < 1e-12);
    assert!(run.velocity("ball").linear.z > 1.9);
}

/// Rods that slide while they strike, with e = 1: all of it rebounds.
#[test]
fn no_impact_gains_energy() {
    let mut rebounds = 0;
    for k in 0..24 {
        let (angle, slide) = (0.2 + 0.11 * f64::from(k % 12), if k < 12 { 3.0 } else { -3.0 });
        let (cos, sin) = ((angle / 2.0_f64).cos(), (angle / 2.0_f64).sin());
        let rod = format!(
            "[[body]]\nname = \"rod\"\nmass = 1\ninertia = [0.02, 0.02, 0.02, 0, 0, 0]\n\
             shape = {{ type = \"ellipsoid\", semi_axes = [0.5, 0.05, 0.05] }}\nposition = [0, 0, 0.7]\n\
             orientation = [{cos:?}, 0, {sin:?}, 0]\nvelocity = [{slide:?}, 0, -1]\n"
        );
        let bodies = FLOOR.to_owned() + &rod;
        let mut run = Run::new(scene(1e-3, 0.8, 0.0, "coefficient = 0.8\nrestitution = 1", &bodies));
        let mut last = run.kinetic_energy();
        for _ in 0..run.scene().n_steps() {
            run.advance();
            let now = run.kinetic_energy();
            assert!(now <= last * (1.0 + 1e-10), "{k}: {last} J, then {now} J");
            last = now;
            let load = |phase| {
                let of_phase = run.contacts().iter().filter(|c| c.phase == phase);
                of_phase.map(|c| c.normal_impulse).sum::<f64>()
            };
            let [compression, expansion] = [StepPhase::Compression, StepPhase::Expansion].map(load);
            rebounds += usize::from(compression > 0.0);
            // Nothing has to be cut.
            assert!(expansion >= compression * (1.0 - 1e-7), "{k}: {compression} N s, then {expansion} N s");
        }
    }
    assert!(rebounds >= 24, "{rebounds} rebounds");
}

/// The referee compares the impulses of the expansion with those of the compression.
#[test]
fn the_referee_sees_an_expansion_that_breaks_the_law() {
    let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 0.15, [0.0, -2.0]);
    let friction = "coefficient = 0\nrestitution = 0.5";
    let told = scene(1e-3, 0.1, 0.0, friction, &bodies);
    for (said, is_lawful) in [(0.5, true), (0.45, false), (0.55, false)] {
        let judged_by = scene(1e-3, 0.1, 0.0, &format!("coefficient = 0\nrestitution = {said}"), &bodies);
        let mut run = Run::new(told.clone());
        loop {
            let (before, mut loads) = (run.state().clone(), Loads::default());
            loads.gather(run.scene(), run.simulation.step_index());
            run.advance();
            if run.contacts().iter().any(|c| c.phase == StepPhase::Expansion) {
                let step = RecordedStep {
                    scene: &judged_by,
                    before: Some(&before),
                    after: run.state(),
                    loads: &loads,
                    contacts: run.contacts(),
                    joints: run.simulation.joints(),
                    substeps: run.simulation.substeps(),
                };
                let verdict = Referee::new(&judged_by).judge(&step);
                assert_eq!(verdict.green, is_lawful, "e = {said}: {verdict:?}");
                break;
            }
        }
    }
}
