//! Derivatives of impacts with a closed form.

use crate::impacts::{FLOOR, ball};
use nalgebra::Vector3;
use signorini::StepDerivatives;
use signorini::step::{BodyTangent, Change, StepPhase};
use signorini::stepper::Obstacle;
use signorini_scene::settings::Integrator;
use support::runs::{Run, body, exact_from_text};

fn scene(law: &str, friction: &str, bodies: &str) -> signorini_scene::scene::Scene {
    exact_from_text(&format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\ngravity = [0, 0, 0]\n[[friction]]\n\
         restitution_law = \"{law}\"\n{friction}\n{bodies}"
    ))
}

/// The derivatives of the first step in which something strikes.
fn strike(scene: signorini_scene::scene::Scene) -> (Run, StepDerivatives) {
    let mut run = Run::new(scene);
    loop {
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good() && outcome.step < 100, "{outcome:?}");
        if run.contacts().iter().any(|contact| contact.phase != StepPhase::Whole) {
            assert_eq!(derivatives.obstacles().next(), None);
            assert_eq!(derivatives.borders().next(), None);
            return (run, derivatives);
        }
    }
}

/// Change of body 1 at the end by one unit of what `set` changes.
fn by(derivatives: &mut StepDerivatives, set: impl Fn(&mut Change)) -> BodyTangent {
    let mut change = Change::none(2);
    set(&mut change);
    derivatives.apply(&change)[1]
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

/// A ball that meets the floor at (u, −w) leaves with e w. While it slips it loses μ (1 + e) w along the
/// floor and gains 5/2 of that over its radius in spin; where it sticks it leaves rolling at 5/7 u.
#[test]
fn an_oblique_bounce_answers_as_the_closed_form() {
    let (u, w, e, r) = (1.5, 2.0, 0.6, 0.1);
    for law in ["newton", "poisson"] {
        for (mu, slips) in [(0.1, true), (0.9, false)] {
            let friction = format!("coefficient = {mu}\nrestitution = {e}");
            let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 0.133, [u, -w]);
            let (_, mut derivatives) = strike(scene(law, &friction, &bodies));
            let what = format!("{law}, mu {mu}");
            let d = &mut derivatives;
            let by_fall = by(d, |change| change.start[1].velocity.z = 1.0);
            let by_speed = by(d, |change| change.start[1].velocity.x = 1.0);
            let by_restitution = by(d, |change| change.restitution = 1.0);
            let by_friction = by(d, |change| change.friction = 1.0);
            let by_place = by(d, |change| change.start[1].position.z = 1.0);
            assert_near(by_fall.velocity.z, -e, &what);
            assert_near(by_restitution.velocity.z, w, &what);
            assert_near(by_friction.velocity.z, 0.0, &what);
            let slip = |by_slip: f64| if slips { by_slip } else { 0.0 };
            assert_near(by_speed.velocity.x, if slips { 1.0 } else { 5.0 / 7.0 }, &what);
            assert_near(by_fall.velocity.x, slip(mu * (1.0 + e)), &what);
            assert_near(by_restitution.velocity.x, slip(-mu * w), &what);
            assert_near(by_friction.velocity.x, slip(-(1.0 + e) * w), &what);
            assert_near(by_friction.spin.y, slip(2.5 * (1.0 + e) * w / r), &what);
            // The position phase leads it to the floor, from wherever it comes.
            assert_near(by_place.position.z, 0.0, &what);
            assert!(by_place.velocity.norm() < 1e-9, "{what}: {by_place:?}");
            let mut gradient = vec![BodyTangent::default(); 2];
            gradient[1].velocity = Vector3::new(1.0, 0.0, 2.0);
            let back = d.adjoint(&gradient);
            let of = |end: &BodyTangent| end.velocity.x + 2.0 * end.velocity.z;
            assert_near(back.restitution, of(&by_restitution), &what);
            assert_near(back.friction, of(&by_friction), &what);
            assert_near(back.start[1].velocity.z, of(&by_fall), &what);
        }
    }
}

/// Of two equal balls without friction the one that is struck leaves with (1 + e)/2 of the speed along the
/// line of centres. Moved sideways by b, that line turns by b/(2 r − h v + gap): the centres are where the
/// position phase leads them.
#[test]
fn a_billiard_ball_is_aimed() {
    let (v, e, r, h) = (1.0, 0.8, 0.1, 0.01);
    let gap = 0.003;
    let bodies = ball("white", 0.0, 0.0, [v, 0.0]) + &ball("red", 2.0 * r + gap, 0.0, [0.0; 2]);
    for law in ["newton", "poisson"] {
        let friction = format!("coefficient = 0\nrestitution = {e}");
        let (run, mut derivatives) = strike(scene(law, &friction, &bodies));
        assert_eq!(body(run.scene(), "red"), 1);
        let aside = by(&mut derivatives, |change| change.start[1].position.z = 1.0);
        let turned = 1.0 / (2.0 * r - h * v + gap);
        assert_near(aside.velocity.z, 0.5 * (1.0 + e) * v * turned, law);
        let by_restitution = by(&mut derivatives, |change| change.restitution = 1.0);
        assert_near(by_restitution.velocity.x, 0.5 * v, law);
        let by_mass = by(&mut derivatives, |change| change.mass[1] = 1.0);
        // m v (1 + e)/(m + M).
        assert_near(by_mass.velocity.x, -2.0 * v * (1.0 + e) / 16.0, law);
    }
}

/// A ball falls for the time σ h before it meets the floor. With (13.3) it rebounds with e of u + (1 + σ) a,
/// u its speed at the start of the step and a = −g h: a force changes a, an impulse u.
#[test]
fn a_force_and_an_impulse_differ_in_an_impact() {
    let (h, g, e, mass) = (0.01, 9.81, 0.5, 2.0);
    let (u, gap) = (-1.0, 0.004);
    let text = format!("coefficient = 0\nrestitution = {e}");
    let mut falling = scene("newton", &text, &(FLOOR.to_owned() + &ball("ball", 0.0, 0.1 + gap, [0.0, u])));
    falling.gravity.z = -g;
    let (run, mut derivatives) = strike(falling);
    let arrival = |u: f64, a: f64, gap: f64| {
        let b = u + 0.5 * a;
        let fraction = (-b - (b * b - 2.0 * a * gap / h).sqrt()) / a;
        u + (1.0 + fraction) * a
    };
    let a = -g * h;
    assert_near(run.velocity("ball").linear.z, -e * arrival(u, a, gap), "it rebounds");
    let slope = |of: &dyn Fn(f64) -> f64| (of(1e-5) - of(-1e-5)) / 2e-5;
    let by_speed = -e * slope(&|s| arrival(u + s, a, gap));
    let by_gain = -e * slope(&|s| arrival(u, a + s, gap));
    let by_gap = -e * slope(&|s| arrival(u, a, gap + s));
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-7, "{found}, not {expected}");
    let d = &mut derivatives;
    near(by(d, |change| change.start[1].velocity.z = 1.0).velocity.z, by_speed);
    near(by(d, |change| change.impulse[1][0].z = mass).velocity.z, by_speed);
    near(by(d, |change| change.force[1][0].z = mass / h).velocity.z, by_gain);
    near(by(d, |change| change.gravity.z = 1.0 / h).velocity.z, by_gain);
    near(by(d, |change| change.start[1].position.z = 1.0).velocity.z, by_gap);
    assert!((by_speed - by_gain).abs() > 0.05, "{by_speed} {by_gain}");
    let mut gradient = vec![BodyTangent::default(); 2];
    gradient[1].velocity.z = 1.0;
    let back = d.adjoint(&gradient);
    near(back.force[1][0].z, by_gain * h / mass);
    near(back.impulse[1][0].z, by_speed / mass);
}

/// Heights of several bounces fall as e^(2 n): the derivative of the speed after n impacts is n e^(n − 1) v.
#[test]
fn bounces_add_up_over_steps() {
    // Between two walls, without gravity.
    let walls: String = [("left", 1.0, 0.0), ("right", -1.0, -0.4)]
        .map(|(name, x, offset)| {
            format!("[[body]]\nname = \"{name}\"\nshape = {{ type = \"half_space\", normal = [{x:?}, 0, 0], offset = {offset:?} }}\n")
        })
        .concat();
    let (v, e) = (2.0, 0.7_f64);
    let bodies = walls + &ball("ball", 0.193, 0.0, [v, 0.0]);
    let mut run = Run::new(scene("newton", &format!("coefficient = 0\nrestitution = {e}"), &bodies));
    let (mut tape, mut bounces, mut last) = (signorini::Tape::default(), 0, 1.0);
    while bounces < 4 {
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good() && outcome.step < 100);
        tape.push(derivatives);
        let now = run.velocity("ball").linear.x;
        bounces += usize::from(now * last < 0.0);
        last = now;
    }
    let end = tape.apply(|_| Change { restitution: 1.0, ..Change::none(3) });
    assert_near(end[2].velocity.x, 4.0 * e.powi(3) * v, "four bounces");
    let mut gradient = vec![BodyTangent::default(); 3];
    gradient[2].velocity.x = 1.0;
    let back: f64 = tape.adjoint(&gradient).iter().map(|step| step.restitution).sum();
    assert_near(back, 4.0 * e.powi(3) * v, "backwards");
}

/// An impact whose rebound is cut has no derivative, and a ball at the speed from which bodies rebound is on
/// a border.
#[test]
fn what_has_none_says_so() {
    let (cos, sin) = (0.45_f64.cos(), 0.45_f64.sin());
    let rod = format!(
        "[[body]]\nname = \"rod\"\nmass = 1.5\ninertia = [0.1, 0.08, 0.02, 0, 0, 0]\n\
         shape = {{ type = \"ellipsoid\", semi_axes = [0.5, 0.05, 0.05] }}\nposition = [0, 0, 0.425]\n\
         orientation = [{cos:?}, 0, {sin:?}, 0]\nvelocity = [-0.6, 0, -2]\n"
    );
    let friction = "coefficient = 0.6\nrestitution = 1\nellipsoid = { t = 1, o = 1, r = 0 }";
    let mut run = Run::new(scene("newton", friction, &(FLOOR.to_owned() + &rod)));
    let mut obstacles = Vec::new();
    while obstacles.is_empty() {
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.step < 50, "it strikes");
        obstacles.extend(derivatives.obstacles());
    }
    assert_eq!(obstacles, [Obstacle::CutRebound]);
    let friction = "coefficient = 0\nrestitution = 0.5\nrestitution_threshold = 2";
    let bodies = FLOOR.to_owned() + &ball("ball", 0.0, 0.11, [0.0, -2.0]);
    let mut run = Run::new(scene("newton", friction, &bodies));
    let (_, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
    assert_eq!(derivatives.borders().collect::<Vec<_>>(), [[0, 1]]);
    let mut staggered = scene("newton", "coefficient = 0.3", &bodies);
    staggered.solver.integrator = Integrator::Staggered;
    let mut run = Run::new(staggered);
    let (_, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
    assert_eq!(derivatives.obstacles().collect::<Vec<_>>(), [Obstacle::Integrator]);
}
