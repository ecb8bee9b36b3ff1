//! Rolling resistance: a couple of at most ρ p_n against rolling.

use nalgebra::Vector3;
use signorini::referee::{RecordedStep, Referee};
use signorini::simulation::Simulation;
use signorini::step::{ContactRecord, Loads};
use signorini_runs::output::rows::ContactRow;
use signorini_scene::scene::Scene;
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::{Run, body, exact_from_text, shipped};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;

/// A ball of 2 kg on a plane with this normal, moving along x and turning as given.
fn ball(step: f64, duration: f64, friction: &str, normal: [f64; 3], [speed, spin]: [f64; 2]) -> Scene {
    let at = Vector3::from(normal).normalize() * RADIUS;
    exact_from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\n[[friction]]\n{friction}\n\
         [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = {normal:?}, offset = 0 }}\n\
         [[body]]\nname = \"ball\"\nmass = 2\nshape = {{ type = \"sphere\", radius = {RADIUS} }}\n\
         position = [{:?}, {:?}, {:?}]\nvelocity = [{speed:?}, 0, 0]\nangular_velocity = [0, {spin:?}, 0]\n",
        at.x, at.y, at.z
    ))
}

/// A ball stops after 7 R v²/(10 ρ g).
#[test]
fn a_rolling_ball_stops_where_the_closed_form_says() {
    let (rolling, speed) = (0.02, 1.0);
    let way = 0.7 * RADIUS * speed * speed / (rolling * G);
    let time = 1.4 * RADIUS * speed / (rolling * G);
    let friction = format!("coefficient = 0.5\nrolling = {rolling}");
    let errors: Vec<f64> = [0.004, 0.002, 0.001, 0.0005]
        .into_iter()
        .map(|h| {
            let mut run = Run::new(ball(h, 0.8, &friction, [0.0, 0.0, 1.0], [speed, speed / RADIUS]));
            let mut rests = f64::NAN;
            for _ in 0..run.scene().n_steps() {
                run.advance();
                let v = run.velocity("ball");
                assert!((v.linear.x - RADIUS * v.angular.y).abs() < 1e-8, "it rolls: {v:?}");
                if rests.is_nan() && v.linear.x.abs() < 1e-8 {
                    rests = run.time();
                }
            }
            assert!((rests - time).abs() <= 1.5 * h, "h = {h}: rests at {rests}, not {time}");
            (run.state().poses[body(run.scene(), "ball")].position.x - way).abs()
        })
        .collect();
    for pair in errors.windows(2) {
        let slope = (pair[0] / pair[1]).log2();
        assert!((slope - 1.0).abs() < 0.1, "{errors:?}: slope {slope}");
    }
    assert!(errors[3] < 0.6 * 0.0005 * speed, "{errors:?}");
}

/// Resistance of 5 and 1 mm on balls of 1 cm: they stop after 7 R v²/(10 ρ g). The third has none.
#[test]
fn the_seed_scene_stops_its_balls_one_by_one() {
    let mut run = Run::new(shipped("seeds/rolling-resistance.toml"));
    run.run_to_the_end();
    let ways = [("felt", 0.142712), ("clay", 0.713558), ("steel", 2.0)];
    for (name, way) in ways {
        let found = run.state().poses[body(run.scene(), name)].position.x;
        assert!((found - way).abs() < 6e-4, "{name}: {found}, not {way}");
    }
}

/// The ball stays below tan α = ρ/R, and above it rolls with 5/7 g (sin α − ρ/R cos α).
#[test]
fn a_ball_rolls_down_what_is_steeper_than_its_resistance() {
    let (h, duration) = (0.002, 0.2);
    for (part, rolling) in [(0.98, 0.01), (1.02, 0.01), (0.98, 0.04), (1.2, 0.04)] {
        let slope: f64 = part * rolling / RADIUS;
        let (sine, cosine) = slope.atan().sin_cos();
        let friction = format!("coefficient = 0.6\nrolling = {rolling}");
        let mut run = Run::new(ball(h, duration, &friction, [sine, 0.0, cosine], [0.0; 2]));
        run.run_to_the_end();
        let gained = run.velocity("ball").linear.norm();
        let pull = (5.0 / 7.0 * G * (sine - rolling / RADIUS * cosine)).max(0.0);
        assert!((gained - pull * duration).abs() < 1e-7, "{part}, {rolling}: {gained}");
    }
}

/// Without friction the couple acts alone: I ω' = −ρ m g.
#[test]
fn a_ball_that_spins_on_ice_stops_without_moving() {
    let (h, rolling, spin) = (0.001, 0.01, 10.0);
    let friction = format!("coefficient = 0\nrolling = {rolling}");
    let mut run = Run::new(ball(h, 0.5, &friction, [0.0, 0.0, 1.0], [0.0, spin]));
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let expected = (spin - rolling * G / (0.4 * RADIUS * RADIUS) * h * step as f64).max(0.0);
        let v = run.velocity("ball");
        assert!((v.angular.y - expected).abs() < 1e-6 && v.linear.norm() < 1e-9, "step {step}: {v:?}");
    }
}

/// Ball on ball, an impact in the way, and a can whose resultant is at its equivalent contact point.
#[test]
fn every_kind_of_contact_resists() {
    let text = |phase: bool| {
        format!(
            "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.6\n[solver]\nimpact_phase = {phase}\n\
             [[friction]]\ncoefficient = 0.5\nrolling = 0.004\n\
             [[body]]\nname = \"floor\"\nfixed = true\nposition = [0, 0, -0.1]\n\
             shape = {{ type = \"box\", half_extents = [2, 2, 0.1] }}\n\
             [[body]]\nname = \"low\"\nmass = 1\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
             position = [0, 0, 0.1]\n\
             [[body]]\nname = \"high\"\nmass = 2\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
             position = [0.03, 0.01, 0.4]\nangular_velocity = [1, 4, 2]\n\
             [[body]]\nname = \"can\"\nmass = 2\nshape = {{ type = \"cylinder\", radius = 0.1, length = 0.3 }}\n\
             position = [-0.8, 0, 0.1]\norientation = [0.7071067811865476, 0.7071067811865476, 0, 0]\n\
             velocity = [0.5, 0, 0]\nangular_velocity = [0, 5, 0]\n"
        )
    };
    for phase in [false, true] {
        let mut run = Run::new(exact_from_text(&text(phase)));
        run.run_to_the_end();
        // A can stops after 3 R v²/(4 ρ g), a ball of its kind after 14/15 of that.
        let way = 0.75 * 0.1 * 0.25 / (0.004 * G);
        let can = run.state().poses[body(run.scene(), "can")].position.x + 0.8;
        assert!(can < way && run.velocity("can").linear.norm() < 0.5, "{can}");
        let expected = 0.5 - 2.0 / 3.0 * G * 0.004 / 0.1 * run.time();
        assert!((run.velocity("can").linear.x - expected).abs() < 1e-5, "{:?}", run.velocity("can"));
    }
}

/// The referee holds the couple to its bound, its direction and its complementarity.
#[test]
fn the_referee_sees_couples_that_break_the_law() {
    for (normal, motion) in [([0.0, 0.0, 1.0], [1.0, 10.0]), ([0.05, 0.0, 1.0], [0.0; 2])] {
        let scene = ball(0.002, 0.1, "coefficient = 0.5\nrolling = 0.01", normal, motion);
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.advance();
        let before = simulation.state().clone();
        simulation.advance();
        let mut loads = Loads::default();
        loads.gather(simulation.scene(), 1);
        let judge = |change: &dyn Fn(&mut ContactRecord)| {
            let mut contacts = simulation.contacts().to_vec();
            contacts.iter_mut().for_each(change);
            let step = RecordedStep {
                scene: simulation.scene(),
                before: Some(&before),
                after: simulation.state(),
                loads: &loads,
                contacts: &contacts,
                joints: &[],
                substeps: &[],
            };
            let verdict = Referee::new(simulation.scene()).judge(&step);
            (verdict.green, verdict.friction)
        };
        assert!(judge(&|_| ()).0);
        let changes: [&dyn Fn(&mut ContactRecord); 4] = [
            &|contact| contact.rolling_impulse *= 1.0 + 1e-4,
            &|contact| contact.rolling_impulse *= -1.0,
            &|contact| contact.rolling_impulse = Vector3::zeros(),
            &|contact| contact.rolling_impulse += contact.normal * 1e-5,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            assert!(!judge(change).0, "change {i} of {motion:?}");
        }
        if motion[0] > 0.0 {
            assert!(judge(changes[0]).1 > 1e-6 && judge(changes[1]).1 > 1e-3, "the law, not momentum alone");
        }
    }
}

#[test]
fn models_without_rolling_resistance_refuse_it() {
    let scene = |change: &dyn Fn(&mut Scene)| {
        let mut scene = ball(0.002, 0.1, "coefficient = 0.5\nrolling = 0.01", [0.0, 0.0, 1.0], [1.0, 10.0]);
        change(&mut scene);
        Simulation::new(scene).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(scene(&|_| ()), Ok(()));
    for formulation in [
        Formulation::Literal,
        Formulation::Cone,
        Formulation::StewartTrinkle,
        Formulation::Compliant,
        Formulation::Auto,
    ] {
        let refused = scene(&|scene| scene.solver.formulation = formulation).unwrap_err();
        assert!(refused.contains(formulation.as_str()) && refused.contains("rolling > 0"), "{refused}");
    }
    let refused = scene(&|scene| scene.solver.integrator = Integrator::Staggered).unwrap_err();
    assert!(refused.contains("staggered"), "{refused}");
}

/// The couple goes into the table of scenes that have one, and into no other.
#[test]
fn tables_have_the_couple_where_something_resists_rolling() {
    let columns = |rolling: f64| {
        let friction = format!("coefficient = 0.5\nrolling = {rolling:?}");
        ContactRow::columns_of(&ball(0.002, 0.1, &friction, [0.0, 0.0, 1.0], [1.0, 10.0])).len()
    };
    assert_eq!([columns(0.0), columns(0.01)], [42, 45]);
}

/// Balls dropped in a column stay a heap where they resist rolling, and roll apart where they do not.
#[test]
fn a_heap_of_balls_stands_by_its_resistance() {
    let heap = |rolling: f64| {
        let mut run = Run::new(exact_from_text(&format!(
            "format = 1\n[simulation]\ntime_step = 0.004\nduration = 2\nseed = 3\n\
             [[friction]]\ncoefficient = 0.6\nrolling = {rolling:?}\n\
             [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[fill]]\nname = \"grain\"\ncount = 20\ndensity = 1000\n\
             shape = {{ type = \"sphere\", radius = 0.05 }}\n\
             region = {{ min = [-0.12, -0.12, 0], max = [0.12, 0.12, 0.9] }}\n"
        )));
        run.run_to_the_end();
        let state = run.state();
        let fastest = state.velocities.iter().map(|v| v.linear.norm()).fold(0.0, f64::max);
        let highest = state.poses.iter().map(|pose| pose.position.z).fold(0.0, f64::max);
        let farthest = state.poses.iter().map(|pose| pose.position.xy().norm()).fold(0.0, f64::max);
        (fastest, highest, farthest)
    };
    let (resisting, free) = (heap(0.015), heap(0.0));
    assert!(resisting.0 < 0.05 && resisting.1 > 0.2 && resisting.2 < 0.7, "{resisting:?}: a heap");
    assert!(free.0 > 0.5 && free.1 < 0.0501 && free.2 > 1.5, "{free:?}: balls that roll apart");
}
