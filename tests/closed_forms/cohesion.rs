//! Cohesion: a pull of at most F_c between bodies that touch.

use nalgebra::Vector3;
use signorini::referee::{RecordedStep, Referee};
use signorini::simulation::Simulation;
use signorini::step::{ContactRecord, ContactState, Loads};
use signorini_scene::scene::Scene;
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::{Run, body, from_text, shipped};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;

fn scene(step: f64, duration: f64, friction: &str, bodies: &str) -> Scene {
    from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = {duration:?}\n[[friction]]\n{friction}\n{bodies}"
    ))
}

fn half_space(normal: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"wall\"\nshape = {{ type = \"half_space\", normal = {normal:?}, offset = 0 }}\n"
    )
}

fn ball(name: &str, mass: f64, at: [f64; 3], velocity: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmass = {mass:?}\nshape = {{ type = \"sphere\", radius = {RADIUS} }}\n\
         position = {at:?}\nvelocity = {velocity:?}\n"
    )
}

/// It stays while m g < F_c, and falls freely otherwise.
#[test]
fn a_ball_hangs_from_the_ceiling_by_what_it_weighs() {
    let (h, mass) = (0.002, 2.0);
    for part in [0.5, 0.98, 0.999, 1.001, 1.02, 3.0] {
        let cohesion = mass * G / part;
        let friction = format!("coefficient = 0.5\ncohesion = {cohesion}");
        let bodies = half_space([0.0, 0.0, -1.0]) + &ball("ball", mass, [0.0, 0.0, -RADIUS], [0.0; 3]);
        let mut run = Run::new(scene(h, 0.2, &friction, &bodies));
        run.run_to_the_end();
        let fallen = -RADIUS - run.state().poses[body(run.scene(), "ball")].position.z;
        if part < 1.0 {
            assert!(fallen.abs() < 1e-9, "{part}: {fallen}");
            let contact = run.contacts()[0];
            assert!((contact.normal_impulse + mass * G * h).abs() < 1e-7, "{contact:?}");
            assert_eq!((contact.state, contact.cohesion_impulse), (ContactState::Stick, h * cohesion));
        } else {
            let free = 0.5 * G * 0.2 * 0.2;
            assert!((fallen - free).abs() < 0.06 * free, "{part}: {fallen}, not {free}");
        }
    }
}

/// A spheroid that leans against the ceiling and falls off it is pulled for the step in which it leaves,
/// beside its centre: it turns by the moment of that pull.
#[test]
fn the_pull_turns_what_falls_off() {
    let (h, density, [a, c], lean) = (0.002, 1000.0, [0.1, 0.06], 0.5_f64);
    let (mass, (sin, cos)) = (density * 4.0 / 3.0 * std::f64::consts::PI * a * c * c, lean.sin_cos());
    let (height, force) = ((a * a * sin * sin + c * c * cos * cos).sqrt(), 0.5 * mass * G);
    let half = 0.5 * lean;
    let bodies = half_space([0.0, 0.0, -1.0])
        + &format!(
            "[[body]]\nname = \"egg\"\ndensity = {density:?}\nposition = [0, 0, {:?}]\n\
             shape = {{ type = \"ellipsoid\", semi_axes = [{a:?}, {c:?}, {c:?}] }}\n\
             orientation = [{:?}, 0, {:?}, 0]\n",
            -height,
            half.cos(),
            half.sin()
        );
    let friction = format!("coefficient = 0\ncohesion = {force:?}");
    let mut run = Run::new(scene(h, h, &friction, &bodies));
    run.run_to_the_end();
    let egg = body(run.scene(), "egg");
    let moment = (a * a - c * c) * sin * cos / height * force;
    let spin = moment * h / (0.2 * mass * (a * a + c * c));
    let found = run.state().velocities[egg].angular;
    assert!((found - Vector3::y() * spin).norm() < 1e-3 * spin, "{found:?}, not {spin}");
}

/// A force that grows pulls the lower of two balls: they part in the step in which it exceeds F_c less the
/// weight.
#[test]
fn two_balls_part_when_they_are_pulled_with_more_than_their_cohesion() {
    let mut run = Run::new(shipped("seeds/cohesion.toml"));
    let places = ["wax", "glue", "dust", "upper", "lower"].map(|name| body(run.scene(), name));
    let mass = run.scene().bodies[places[4]].mass;
    let start = run.state().clone();
    let mut parted = f64::NAN;
    for _ in 0..run.scene().n_steps() {
        run.advance();
        let z = |place: usize| run.state().poses[places[place]].position.z;
        if parted.is_nan() && z(3) - z(4) > 2.0 * 0.01 + 1e-7 {
            parted = run.time() - run.scene().time_step;
        }
    }
    // 41 mN of weight: 20 and 40 mN are held by 100 mN, 60 mN are not.
    assert!(mass * G + 0.04 < 0.1 && mass * G + 0.06 > 0.1);
    assert!((parted - 0.7).abs() < 2.5e-3, "{parted}");
    let fallen = places.map(|place| start.poses[place].position.z - run.state().poses[place].position.z);
    assert!(fallen[0].abs() < 1e-9 && fallen[1].abs() < 1e-9 && fallen[3].abs() < 1e-9, "{fallen:?}");
    assert!((fallen[2] - 0.5 * G).abs() < 0.02, "{fallen:?}");
}

/// On a wall that it sticks to a ball is held by friction up to μ F_c, and the ball at rest on the floor
/// slides under μ (m g + F_c).
#[test]
fn cohesion_presses_for_friction() {
    let (h, mass, cohesion) = (0.002, 2.0, 30.0);
    for (mu, slides) in [(0.7, false), (0.6, true)] {
        let friction = format!("coefficient = {mu}\ncohesion = {cohesion}\nrolling = 1");
        let bodies = half_space([1.0, 0.0, 0.0]) + &ball("ball", mass, [RADIUS, 0.0, 0.0], [0.0; 3]);
        let mut run = Run::new(scene(h, 0.1, &friction, &bodies));
        run.run_to_the_end();
        let expected = if slides { -(G - mu * cohesion / mass) * 0.1 } else { 0.0 };
        let found = run.velocity("ball").linear;
        assert!((found - Vector3::z() * expected).norm() < 1e-6, "{mu}: {found:?}, not {expected}");
    }
}

/// Balls that collide and stick, and are torn apart by their spin or not: no energy comes from the pull.
#[test]
fn sticking_gives_no_energy() {
    for (speed, cohesion) in [(0.3, 5.0), (1.0, 0.5), (1.0, 50.0)] {
        let mut scene = scene(
            0.001,
            0.5,
            &format!("coefficient = 0.5\ncohesion = {cohesion}"),
            &(ball("left", 1.0, [-0.15, 0.0, 0.0], [speed, 0.0, 0.0])
                + &ball("right", 2.0, [0.15, 0.08, 0.0], [-speed, 0.0, 0.0])),
        );
        scene.gravity = Vector3::zeros();
        let mut run = Run::new(scene);
        let mut last = run.kinetic_energy();
        for step in 1..=run.scene().n_steps() {
            run.advance();
            let energy = run.kinetic_energy();
            let most = last * (1.0 + 1e-9) + cohesion * 1e-6 * RADIUS;
            assert!(energy <= most, "step {step}: {energy} after {last}");
            last = energy;
        }
    }
}

/// The referee holds the pull to where the bodies touch, and to its size.
#[test]
fn the_referee_sees_pulls_that_break_the_law() {
    let friction = "coefficient = 0.5\ncohesion = 30";
    for (z, held) in [(-RADIUS, true), (-RADIUS - 1e-5, false)] {
        let bodies = half_space([0.0, 0.0, -1.0]) + &ball("ball", 2.0, [0.0, 0.0, z], [0.0; 3]);
        let mut simulation = Simulation::new(scene(0.002, 0.1, friction, &bodies)).unwrap();
        let before = simulation.state().clone();
        simulation.advance();
        let mut loads = Loads::default();
        loads.gather(simulation.scene(), 0);
        let judge = |change: &dyn Fn(&mut ContactRecord)| {
            let mut contacts = simulation.contacts().to_vec();
            contacts.iter_mut().for_each(change);
            let verdict = Referee::new(simulation.scene()).judge(&RecordedStep {
                scene: simulation.scene(),
                before: Some(&before),
                after: simulation.state(),
                loads: &loads,
                contacts: &contacts,
                joints: &[],
                substeps: &[],
            });
            (verdict.green, verdict.complementarity)
        };
        assert!(judge(&|_| ()).0 && simulation.contacts().len() == 1);
        assert_eq!(simulation.contacts()[0].cohesion_impulse > 0.0, held);
        let lies: [&dyn Fn(&mut ContactRecord); 2] =
            [&|contact| contact.cohesion_impulse = 0.06 - contact.cohesion_impulse, &|contact| {
                contact.cohesion_impulse += 1e-4
            }];
        for lie in lies {
            let (green, complementarity) = judge(lie);
            assert!(!green && complementarity > 1e-6, "{z}: {complementarity}");
        }
    }
}

#[test]
fn what_has_no_cohesion_refuses_it() {
    let friction = "coefficient = 0.5\ncohesion = 30";
    let bodies = half_space([0.0, 0.0, 1.0]) + &ball("ball", 2.0, [0.0, 0.0, RADIUS], [0.0; 3]);
    let refused = |change: &dyn Fn(&mut Scene)| {
        let mut scene = scene(0.002, 0.1, friction, &bodies);
        change(&mut scene);
        Simulation::new(scene).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(refused(&|_| ()), Ok(()));
    for formulation in [Formulation::Literal, Formulation::Cone, Formulation::Compliant, Formulation::Auto] {
        let told = refused(&|scene| scene.solver.formulation = formulation).unwrap_err();
        assert!(told.contains(formulation.as_str()) && told.contains("cohesion > 0"), "{told}");
    }
    let told = refused(&|scene| scene.solver.integrator = Integrator::Staggered).unwrap_err();
    assert!(told.contains("staggered"), "{told}");
    let told = refused(&|scene| scene.solver.impact_phase = true).unwrap_err();
    assert!(told.contains("impact_phase"), "{told}");
    let cube = "[[body]]\nname = \"cube\"\nmass = 1\nposition = [1, 0, 0.1]\n\
                shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }\n";
    let scene = scene(0.002, 0.1, friction, &(bodies.clone() + cube));
    let told = Simulation::new(scene).map(drop).unwrap_err().to_string();
    assert!(told.contains("\"wall\" and \"cube\""), "{told}");
}
