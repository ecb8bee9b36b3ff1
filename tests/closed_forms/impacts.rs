//! Impacts: Newton's law and its energy. The state after an impact does not depend on where in the step it
//! falls.

use crate::kanes_rod::strikes;
use nalgebra::Vector2;
use signorini::simulation::Simulation;
use signorini::step::StepPhase;
use signorini_scene::scene::Scene;
use signorini_scene::settings::{Formulation, Integrator};
use std::f64::consts::PI;
use support::runs::{Run, body, from_text, shipped};

const G: f64 = 9.81;

pub const FLOOR: &str =
    "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";

fn scene(step: f64, duration: f64, gravity: f64, friction: &str, bodies: &str) -> Scene {
    from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\ngravity = [0, 0, {gravity}]\n\
         [solver]\nimpact_phase = true\n[[friction]]\n{friction}\n{bodies}"
    ))
}

pub fn ball(name: &str, x: f64, z: f64, speed: [f64; 2]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmass = 2\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         position = [{x:?}, 0, {z:?}]\nvelocity = [{:?}, 0, {:?}]\n",
        speed[0], speed[1]
    )
}

/// Heights of the first bounces from 1 m, and when the ball rests, in units of the fall.
fn bounces(h: f64, e: f64) -> (Vec<f64>, f64) {
    let friction = format!("coefficient = 0.3\nrestitution = {e}");
    let fall = (2.0 / G).sqrt();
    let duration = (fall * (2.0 + 2.0 * e / (1.0 - e)) / h).round() * h;
    let mut run =
        Run::new(scene(h, duration, -G, &friction, &(FLOOR.to_owned() + &ball("ball", 0.0, 1.1, [0.0; 2]))));
    let (mut heights, mut last, mut rest) = (Vec::new(), [1.0_f64, 0.0], 0.0);
    for _ in 0..run.scene().n_steps() {
        run.advance();
        let at = body(run.scene(), "ball");
        let (z, v) = (run.state().poses[at].position.z - 0.1, run.velocity("ball").linear.z);
        if last[1] > 0.0 && v <= 0.0 {
            heights.push(last[0].max(z));
        }
        if v.abs() > 1e-9 {
            rest = run.time();
        }
        last = [z, v];
    }
    (heights, rest / fall)
}

#[test]
fn a_ball_bounces_to_the_heights_that_its_restitution_allows() {
    let e = 0.8_f64;
    let errors = |h: f64| -> Vec<f64> {
        let (heights, rest) = bounces(h, e);
        let expected = 1.0 + 2.0 * e / (1.0 - e);
        assert!((rest / expected - 1.0).abs() < 12.0 * h, "h = {h}: rests at {rest}, not {expected}");
        (0..4).map(|n| (heights[n] - e.powi(2 * (n as i32 + 1))).abs()).collect()
    };
    let (coarse, fine) = (errors(2e-3), errors(1.25e-4));
    for (n, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
        // Of first order, and where in a step the ball arrives makes a part of the error.
        let slope = (coarse / fine).ln() / 16.0_f64.ln();
        assert!(*coarse < 0.05 && slope > 0.8, "bounce {n}: off by {coarse}, then by {fine}: slope {slope}");
    }
}

/// With a threshold a ball bounces as often as its speed eⁿ √(2 g) exceeds it.
#[test]
fn a_ball_bounces_until_it_is_slow() {
    for (law, e, threshold) in [("newton", 0.8_f64, 0.5), ("poisson", 0.8, 0.5), ("newton", 0.5, 0.2)] {
        let expected = ((2.0 * G).sqrt() / threshold).ln() / (1.0 / e).ln();
        let friction = format!(
            "coefficient = 0.3\nrestitution = {e}\nrestitution_law = \"{law}\"\nrestitution_threshold = {threshold}"
        );
        let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 1.1, [0.0; 2]);
        let mut run = Run::new(scene(2.5e-4, 5.0, -G, &friction, &bodies));
        let mut bounces = 0;
        for _ in 0..run.scene().n_steps() {
            let before = run.velocity("ball").linear.z;
            run.advance();
            bounces += usize::from(before < 0.0 && run.velocity("ball").linear.z > 1e-9);
        }
        assert_eq!(bounces, expected.floor() as usize + 1, "{law}, e = {e}");
        assert!(run.velocity("ball").linear.z.abs() < 1e-9);
    }
}

/// A ball that strikes beside a heavy one in flight, which does not touch it, keeps its own energy: the heavy
/// one, whose flight over the step loses ½ m (g h)² of its energy, gives it nothing of that.
#[test]
fn a_neighbour_in_flight_gives_nothing_to_a_rebound() {
    let (h, drop, radius) = (0.01, 0.01, 0.05);
    let neighbour = format!(
        "[[body]]\nname = \"heavy\"\nmass = 1000\nshape = {{ type = \"sphere\", radius = {radius} }}\n\
         position = [0.11, 0, 0.1]\nvelocity = [0, 0, -3]\n"
    );
    let ball = format!(
        "[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ type = \"sphere\", radius = {radius} }}\n\
         position = [0, 0, {}]\nvelocity = [0, 0, -3]\n",
        radius + drop
    );
    let bodies = format!("{FLOOR}{ball}{neighbour}");
    let mut run = Run::new(scene(h, h, -G, "coefficient = 0\nrestitution = 1", &bodies));
    run.run_to_the_end();
    let up = run.state().velocities[body(run.scene(), "ball")].linear.z;
    let own = (9.0 + 2.0 * G * drop).sqrt();
    assert!((up - own).abs() < 1e-6, "{up} m/s, not {own}");
}

#[test]
fn a_whole_rebound_keeps_the_energy() {
    let lid =
        "[[body]]\nname = \"lid\"\nshape = { type = \"half_space\", normal = [0, 0, -1], offset = -1 }\n";
    let bodies = FLOOR.to_owned() + lid + &ball("ball", 0.0, 0.5, [0.3, -2.0]);
    let mut run = Run::new(scene(3e-3, 3.0, 0.0, "coefficient = 0\nrestitution = 1", &bodies));
    let start = run.kinetic_energy();
    let mut turns = 0;
    for _ in 0..run.scene().n_steps() {
        let before = run.velocity("ball").linear.z;
        run.advance();
        turns += usize::from(before * run.velocity("ball").linear.z < 0.0);
        assert!((run.kinetic_energy() / start - 1.0).abs() < 1e-12, "{}", run.kinetic_energy() / start);
    }
    assert!(turns >= 7, "{turns} impacts");
}

/// A body that strikes at an angle, in the plane of its fall: Newton's law with friction [KL]. It sticks if
/// friction can hold it, else it slides on or back.
#[test]
fn a_rod_that_strikes_at_an_angle_leaves_by_kanes_formulas() {
    let (mut stuck, e) = (0, 0.6);
    for strike in strikes(e, StepPhase::Impact, scene) {
        let (mu, before, yields) = (strike.mu, strike.before, strike.yields);
        let target = Vector2::new(0.0, -e * before.y);
        let mut impulse = yields.try_inverse().unwrap() * (target - before);
        if impulse.x.abs() > mu * impulse.y {
            let side = impulse.x.signum();
            let push = Vector2::new(side * mu, 1.0);
            impulse = push * ((target.y - before.y) / (yields * push).y);
        } else {
            stuck += 1;
        }
        strike.assert_left_by(&impulse);
    }
    assert!(stuck > 2, "{stuck} stick");
}

/// Newton's law in a row of balls: those that touch leave together, those apart hand the speed on.
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
}

/// Spin of a box after it fell on its edge, with starts less than the fall of a step apart.
fn spread(h: f64, mu: f64) -> f64 {
    let spins = (0..8).map(|k| {
        let z = 0.200_039_375 + h * f64::from(k) / 8.0;
        let bodies = format!(
            "{FLOOR}[[body]]\nname = \"box\"\nmass = 1\nshape = {{ type = \"box\", half_extents = [0.1, 0.2, 0.05] }}\n\
             position = [0, 0, {z:?}]\norientation = [0.9393727128473789, 0.0, 0.3411960708596382, 0.03411960708596382]\n\
             velocity = [0.3, 0, -1.0]\n"
        );
        let friction = format!("coefficient = {mu}\nellipsoid = {{ t = 1, o = 1, r = 0.02 }}");
        let mut run = Run::new(scene(h, 0.09, -G, &friction, &bodies));
        run.run_to_the_end();
        run.velocity("box").angular.y
    });
    let spins: Vec<f64> = spins.collect();
    spins.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b))
        - spins.iter().fold(f64::INFINITY, |a, b| a.min(*b))
}

#[test]
fn an_impact_with_slip_converges() {
    for mu in [0.0, 0.5, 2.0] {
        let (coarse, fine) = (spread(4e-4, mu), spread(2.5e-5, mu));
        assert!(fine < coarse * 0.0625_f64.powf(0.8), "mu {mu}: spins differ by {coarse}, then by {fine}");
    }
}

/// Where friction turns slip round Newton's law may gain energy [KL]: the rebound is cut.
#[test]
fn no_impact_gains_energy() {
    let mut cut = 0;
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
            let impact = run.contacts().iter().find(|c| c.phase == StepPhase::Impact);
            cut += usize::from(impact.is_some() && now > last * (1.0 - 1e-3));
            last = now;
        }
    }
    assert!(cut > 0, "nothing was cut");
}

/// Balls of steel, oak and clay rest when their restitution says, and in a row of balls on threads the last
/// one swings out as far as the first came from.
#[test]
fn the_seeds_of_impacts_do_what_they_say() {
    let mut run = Run::new(shipped("seeds/bouncing-balls.toml"));
    let fall = (2.0 / G).sqrt();
    let mut rests = [("steel", 0.8, 0.0), ("oak", 0.5, 0.0), ("clay", 0.0, 0.0)];
    for _ in 0..run.scene().n_steps() {
        run.advance();
        for (name, _, rest) in &mut rests {
            if run.velocity(name).linear.z.abs() > 1e-9 {
                *rest = run.time();
            }
        }
    }
    for (name, e, rest) in rests {
        let expected = fall * (1.0 + 2.0 * e / (1.0 - e));
        assert!((rest / expected - 1.0).abs() < 0.01, "{name}: {rest} s, not {expected}");
    }
    let mut run = Run::new(shipped("seeds/cradle.toml"));
    let last = body(run.scene(), "ball-5");
    let mut highest = 0.0_f64;
    for _ in 0..run.scene().n_steps() {
        run.advance();
        highest = highest.max(run.state().poses[last].position.z);
    }
    let expected = 0.3 * (1.0 - (PI / 6.0).cos());
    assert!((highest / expected - 1.0).abs() < 0.02, "{highest} m, not {expected}");
}

/// Only the implicit model has an impact phase; the others say so.
#[test]
fn models_without_impact_phase_refuse_it() {
    let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 0.5, [0.0; 2]);
    let refused = |change: &dyn Fn(&mut Scene), restitution: f64| {
        let friction = format!("coefficient = 0.3\nrestitution = {restitution}");
        let mut scene = scene(1e-3, 0.1, -G, &friction, &bodies);
        change(&mut scene);
        Simulation::new(scene).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(refused(&|_| (), 0.5), Ok(()));
    for formulation in [
        Formulation::Literal,
        Formulation::Cone,
        Formulation::StewartTrinkle,
        Formulation::Compliant,
        Formulation::Auto,
    ] {
        let change = |scene: &mut Scene| scene.solver.formulation = formulation;
        for (restitution, what) in [(0.5, "restitution > 0"), (0.0, "impact_phase = true")] {
            let told = refused(&change, restitution).unwrap_err();
            assert!(told.contains(formulation.as_str()) && told.contains(what), "{told}");
        }
    }
    let told = refused(&|scene| scene.solver.integrator = Integrator::Staggered, 0.5).unwrap_err();
    assert!(told.contains("staggered"), "{told}");
}
