//! Surfaces that run over their body: belts, turntables, tracks. Friction sees them, nothing else does.

use signorini::referee::{RecordedStep, Referee};
use signorini::step::Loads;
use signorini_geometry::Velocity;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation;
use support::runs::{Run, body, from_text, shipped};

const G: f64 = 9.81;

fn scene(step: f64, duration: f64, friction: f64, rest: &str) -> Scene {
    from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\n[[friction]]\ncoefficient = {friction}\n\
         {rest}"
    ))
}

fn belt(with: &str) -> String {
    format!(
        "[[body]]\nname = \"belt\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{with}\n"
    )
}

const BOX: &str = "[[body]]\nname = \"box\"\nmass = 2\nposition = [0, 0, 0.05]\n\
                   shape = { type = \"box\", half_extents = [0.1, 0.1, 0.05] }\n";

/// v = μ g t until it is that of the belt, at v/(μ g).
fn reaches_the_belt(formulation: Formulation) {
    let (h, mu, v) = (0.002, 0.3, 0.5);
    let mut scene = scene(h, 0.3, mu, &(belt("surface_velocity = [0.5, 0, 0]") + BOX));
    scene.solver.formulation = formulation;
    let mut run = Run::new(scene);
    for step in 1..=run.scene().n_steps() {
        let outcome = run.simulation.advance();
        assert!(outcome.info.status.is_solved(), "{formulation:?}, step {step}: {outcome:?}");
        let expected = f64::min(mu * G * h * step as f64, v);
        let found = run.velocity("box").linear;
        assert!((found.x - expected).abs() < 1e-7, "{formulation:?}, step {step}: {found:?}, not {expected}");
        assert!(found.z.abs() < 1e-7, "{formulation:?}, step {step}: {found:?}");
    }
}

#[test]
fn a_box_reaches_the_speed_of_its_belt_when_friction_says() {
    for formulation in [Formulation::Implicit, Formulation::StewartTrinkle] {
        reaches_the_belt(formulation);
    }
}

/// A body may run on tracks of its own: they push it off the other way.
#[test]
fn tracks_drive_the_body_that_has_them() {
    let (h, mu) = (0.002, 0.3);
    let tracked = format!("{BOX}surface_velocity = [0.5, 0, 0]\norientation = [0, 0, 0, 1]\n");
    let mut run = Run::new(scene(h, 0.3, mu, &(belt("") + &tracked)));
    for step in 1..=run.scene().n_steps() {
        run.advance();
        // Rotated by half a turn: the tracks run towards −x, and the body goes towards +x.
        let expected = f64::min(mu * G * h * step as f64, 0.5);
        let found = run.velocity("box").linear;
        assert!((found.x - expected).abs() < 1e-7, "step {step}: {found:?}, not {expected}");
    }
}

/// A plate at rest with a running surface acts as a plate that moves with this velocity.
#[test]
fn a_belt_acts_as_a_plate_that_moves() {
    let bodies = "[[body]]\nname = \"ball\"\ndensity = 1000\nposition = [0.3, 0.1, 0.2]\nvelocity = [0, 0.4, 0]\n\
                  shape = { type = \"ellipsoid\", semi_axes = [0.1, 0.08, 0.06] }\n\
                  [[body]]\nname = \"can\"\ndensity = 800\nposition = [-0.2, 0.1, 0.15]\n\
                  orientation = [0.9238795325112867, 0.3826834323650898, 0, 0]\n\
                  shape = { type = \"cylinder\", radius = 0.08, length = 0.2 }\n";
    let plate = |with: &str| {
        format!(
            "[[body]]\nname = \"belt\"\nfixed = true\nposition = [0, 0, -0.5]\n\
             shape = {{ type = \"box\", half_extents = [9, 9, 0.5] }}\n{with}\n{bodies}"
        )
    };
    let motion = |way: &str, speed: f64| {
        plate(&format!(
            "[[motion]]\nbody = \"belt\"\n{way}\nvelocity = {{ type = \"constant\", value = {speed} }}"
        ))
    };
    let cases = [
        ("surface_velocity = [0.6, -0.8, 0]", motion("direction = [0.6, -0.8, 0]", 1.0)),
        ("surface_angular_velocity = [0, 0, 1.5]", motion("axis = [0, 0, 1]", 1.5)),
    ];
    for (surface, motion) in cases {
        let mut runs = [plate(surface), motion].map(|text| Run::new(scene(0.002, 0.6, 0.4, &text)));
        for step in 1..=300 {
            for run in &mut runs {
                run.advance();
            }
            for body in ["ball", "can"] {
                let [a, b] = [0, 1].map(|k| runs[k].velocity(body));
                let off = (a.linear - b.linear).norm() + 0.1 * (a.angular - b.angular).norm();
                assert!(off < 1e-6, "{surface}, step {step}: {body} {a:?}, {b:?}");
            }
        }
    }
}

/// A ball that rolls on a turntable runs in circles at 2/7 of its speed, wherever it is: v̇ = (2/7) Ω × v.
/// Implicit Euler turns v by atan(2 Ω h/7) a step.
#[test]
fn a_ball_on_a_turntable_circles_at_two_sevenths() {
    let (h, spin, radius) = (0.001, 2.0, 0.05);
    let ball = "[[body]]\nname = \"ball\"\ndensity = 1000\nposition = [0.4, 0, 0.05]\nvelocity = [0.1, 0.3, 0]\n\
                angular_velocity = [10, 2, 0]\nshape = { type = \"sphere\", radius = 0.05 }\n";
    let mut run = Run::new(scene(h, 2.0, 5.0, &(belt("surface_angular_velocity = [0, 0, 2]") + ball)));
    run.advance();
    let mut last = run.velocity("ball").linear;
    for step in 2..=run.scene().n_steps() {
        run.advance();
        let Velocity { linear: v, angular } = run.velocity("ball");
        let turned = last.cross(&v).z.atan2(last.dot(&v)) / h;
        let expected = (2.0 * spin * h / 7.0).atan() / h;
        assert!((turned - expected).abs() < 1e-6, "step {step}: {turned} rad/s, not {expected}");
        assert!((expected / (2.0 / 7.0 * spin) - 1.0).abs() < 1e-6);
        // It rolls: the point at its bottom moves with the table.
        let x = run.state().poses[1].position;
        let slip = [v.x - radius * angular.y + spin * x.y, v.y + radius * angular.x - spin * x.x];
        assert!(slip.iter().all(|s| s.abs() < 1e-6), "step {step}: {slip:?}");
        last = v;
    }
}

/// The second order integrator turns the velocity by 2 atan(Ω h/7).
#[test]
fn the_seed_of_the_turntable_circles() {
    let mut run = Run::new(shipped("seeds/turntable.toml"));
    let h = run.scene().time_step;
    run.steps(10);
    let mut last = run.velocity("ball").linear;
    for step in 11..=run.scene().n_steps() {
        run.advance();
        let v = run.velocity("ball").linear;
        let turned = last.cross(&v).z.atan2(last.dot(&v)) / h;
        assert!((turned - 4.0 / 7.0).abs() < 1e-6, "step {step}: {turned} rad/s");
        last = v;
    }
}

#[test]
fn the_conveyor_brings_its_parts_into_the_bin() {
    let mut run = Run::new(shipped("seeds/conveyor.toml"));
    let names = ["box", "bracket", "can"];
    run.steps(90);
    for name in names {
        let v = run.velocity(name).linear.x;
        assert!((v - 0.5).abs() < 1e-6, "{name}: {v} m/s");
    }
    run.run_to_the_end();
    for name in names {
        let at = run.state().poses[body(run.scene(), name)].position;
        assert!((0.5..1.1).contains(&at.x) && at.y.abs() < 0.25 && at.z < 0.45, "{name}: {at:?}");
    }
}

/// The referee knows of the belt by the scene: without it the step is red.
#[test]
fn a_step_on_a_belt_is_wrong_without_the_belt() {
    let mut run = Run::new(scene(0.002, 0.1, 0.3, &(belt("surface_velocity = [0.5, 0, 0]") + BOX)));
    run.steps(3);
    let (before, mut loads) = (run.state().clone(), Loads::default());
    run.advance();
    loads.gather(run.scene(), 3);
    let judged_in = |scene: &Scene| {
        Referee::new(scene).judge(&RecordedStep {
            scene,
            before: Some(&before),
            after: run.state(),
            loads: &loads,
            contacts: run.contacts(),
            joints: &[],
            substeps: &[],
        })
    };
    let mut still = run.scene().clone();
    still.bodies[0].parts[0].surface = None;
    assert!(judged_in(run.scene()).green);
    let verdict = judged_in(&still);
    assert!(!verdict.green, "{verdict:#?}");
}
