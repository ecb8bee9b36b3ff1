//! Derivatives with the courses of bodies with prescribed motion, with a closed form.

use nalgebra::Vector3;
use signorini::simulation::Tape;
use signorini::step::{BodyTangent, Change};
use support::runs::{Run, exact_from_text};

const H: f64 = 0.01;
const STEPS: usize = 20;
const RATE: f64 = 2.0 * std::f64::consts::PI * 1.5;
const AMPLITUDE: f64 = 0.2;

/// A body that moves along x by a sine and along z at a constant rate, and a ball with what joins or meets
/// it.
fn scene(gravity: f64, shape: &str, rest: &str) -> signorini_scene::scene::Scene {
    exact_from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {H}\nduration = 1\ngravity = [0, 0, {:?}]\n\
         [[body]]\nname = \"driven\"\nshape = {shape}\n[[motion]]\nbody = \"driven\"\ndirection = [1, 0, 0]\n\
         position = {{ type = \"sine\", amplitude = {AMPLITUDE}, frequency = 1.5 }}\n[[motion]]\nbody = \"driven\"\n\
         direction = [0, 0, 1]\nvelocity = {{ type = \"constant\", value = 0.3 }}\n\
         [[body]]\nname = \"ball\"\nmass = 2\ninertia = [0.01, 0.01, 0.01, 0, 0, 0]\n\
         shape = {{ type = \"sphere\", radius = 0.1 }}\n{rest}",
        -gravity
    ))
}

fn taped(scene: signorini_scene::scene::Scene) -> Tape {
    let (mut run, mut tape) = (Run::new(scene), Tape::default());
    for _ in 0..STEPS {
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good() && derivatives.obstacles().next().is_none(), "{outcome:?}");
        tape.push(derivatives);
    }
    tape
}

/// Changes of the driven body and the ball at the end; the adjoint must say the same.
fn by(tape: &mut Tape, set: impl Fn(usize, &mut Change)) -> [BodyTangent; 2] {
    let change = |k: usize| {
        let mut change = Change::none(2);
        set(k, &mut change);
        change
    };
    let end = tape.apply(change);
    let entries =
        |shift: f64| BodyTangent::from_vector(&nalgebra::SVector::from_fn(|i, _| (i as f64 + shift).sin()));
    let gradient = [entries(0.3), entries(2.0)];
    let expected: f64 = gradient.iter().zip(&end).map(|(g, end)| g.to_vector().dot(&end.to_vector())).sum();
    let back = tape.adjoint(&gradient);
    let found: f64 = back
        .iter()
        .enumerate()
        .map(|(k, step)| {
            let own = change(k);
            let motions: f64 = step.motion.iter().zip(&own.motion).map(|(a, b)| a * b).sum();
            motions + step.time * own.time + step.time_step * own.time_step
        })
        .sum();
    assert!((found - expected).abs() < 1e-10 * expected.abs().max(1.0), "{found}, not {expected}");
    [end[0], end[1]]
}

fn assert_near(found: &Vector3<f64>, expected: [f64; 3], what: &str) {
    let apart = (found - Vector3::from(expected)).norm();
    assert!(apart < 1e-8 * found.norm().max(1.0), "{what}: {found}, not {expected:?}");
}

/// A ball that is fixed to a driven body is where that is led: by one unit of each motion, by the rate of the
/// courses with time, and n times that with the length of n steps.
#[test]
fn what_is_fixed_to_a_driven_body_follows_its_courses() {
    let joint = "position = [0, 0, 0.5]\n[[joint]]\nname = \"weld\"\ntype = \"fixed\"\nbetween = [\"driven\", \"ball\"]\n";
    let mut tape = taped(scene(9.81, "{ type = \"sphere\", radius = 0.05 }", joint));
    let n = STEPS as f64;
    for end in by(&mut tape, |_, change| change.motion = vec![1.0, -0.5]) {
        assert_near(&end.position, [1.0, 0.0, -0.5], "all steps");
        assert_near(&end.velocity, [0.0; 3], "all steps");
    }
    // Of the last step alone it is the whole way in a step.
    let last = |k: usize, change: &mut Change| change.motion = vec![if k + 1 == STEPS { 1.0 } else { 0.0 }];
    for end in by(&mut tape, last) {
        assert_near(&end.position, [1.0, 0.0, 0.0], "the last step");
        assert_near(&end.velocity, [1.0 / H, 0.0, 0.0], "the last step");
    }
    let rate_at = |k: f64| AMPLITUDE * RATE * (RATE * k * H).cos();
    for end in by(&mut tape, |_, change| change.time = 1.0) {
        assert_near(&end.position, [rate_at(n), 0.0, 0.3], "later");
        assert_near(&end.velocity, [(rate_at(n) - rate_at(n - 1.0)) / H, 0.0, 0.0], "later");
    }
    let longer = |k: usize, change: &mut Change| (change.time, change.time_step) = (k as f64, 1.0);
    let way = AMPLITUDE * ((RATE * n * H).sin() - (RATE * (n - 1.0) * H).sin());
    for end in by(&mut tape, longer) {
        assert_near(&end.position, [n * rate_at(n), 0.0, n * 0.3], "longer steps");
        let speed = (n * rate_at(n) - (n - 1.0) * rate_at(n - 1.0)) / H - way / (H * H);
        assert_near(&end.velocity, [speed, 0.0, 0.0], "longer steps");
    }
}

/// A ball rolls on a plate that moves along x: it gains i/(1 + i) of the plate's velocity with i =
/// I/(m r²), and rises with it.
#[test]
fn a_ball_on_a_driven_plate_rolls_as_the_plate_moves() {
    let inertia = 0.01 / (2.0 * 0.1 * 0.1);
    let share = inertia / (1.0 + inertia);
    let speed = AMPLITUDE * (RATE * H).sin() / H;
    let rest = format!(
        "position = [0, 0, 0.1]\nvelocity = [{:?}, 0, 0.3]\nangular_velocity = [0, {:?}, 0]\n[[friction]]\n\
         coefficient = 0.8\nellipsoid = {{ t = 1, o = 1, r = 0 }}\n",
        share * speed,
        (share - 1.0) * speed / 0.1,
    );
    let plate = "{ type = \"box\", half_extents = [3, 3, 0.2] }\nposition = [0, 0, -0.2]";
    let mut tape = taped(scene(9.81, plate, &rest));
    let [_, ball] = by(&mut tape, |_, change| change.motion = vec![1.0, 0.5]);
    assert_near(&ball.position, [share, 0.0, 0.5], "all steps");
    assert_near(&ball.rotation, [0.0, -(1.0 - share) / 0.1, 0.0], "all steps");
    assert_near(&ball.velocity, [0.0; 3], "all steps");
}

/// A ball that meets a plate which moves along the normal leaves (1 + e) times as fast as the plate is led
/// faster.
#[test]
fn a_bounce_off_a_driven_plate_answers_to_its_course() {
    let e = 0.6;
    for law in ["newton", "poisson"] {
        let rest = format!(
            "position = [0, 0, 0.1199]\nvelocity = [0, 0, -2]\n[[friction]]\ncoefficient = 0\nrestitution = {e}\n\
             restitution_law = \"{law}\"\n"
        );
        let plate = "{ type = \"box\", half_extents = [3, 3, 0.2] }\nposition = [0, 0, -0.2]";
        let mut run = Run::new(scene(0.0, plate, &rest));
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good(), "{outcome:?}");
        let bounced = run.simulation.state().velocities[1].linear.z;
        assert!((bounced - (0.3 * (1.0 + e) + 2.0 * e)).abs() < 1e-9, "{law}: {bounced}");
        let mut tape = Tape::default();
        tape.push(derivatives);
        let [_, ball] = by(&mut tape, |_, change| change.motion = vec![0.0, 1.0]);
        assert_near(&ball.velocity, [0.0, 0.0, (1.0 + e) / H], law);
        assert_near(&ball.position, [0.0, 0.0, 1.0], law);
    }
}
