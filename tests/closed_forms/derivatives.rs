//! Derivatives of steps and trajectories with a closed form.

use nalgebra::Vector3;
use signorini::simulation::Tape;
use signorini::step::{BodyTangent, Change};
use support::runs::{Run, body, exact_from_text};

const G: f64 = 9.81;

/// Runs a scene to its end, and returns the derivatives of all its steps.
fn taped(text: &str) -> (Run, Tape) {
    let mut run = Run::new(exact_from_text(text));
    let mut tape = Tape::default();
    for _ in 0..run.scene().n_steps() {
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good(), "{outcome:?}");
        assert_eq!(derivatives.obstacles().next(), None);
        tape.push(derivatives);
    }
    (run, tape)
}

/// Change of the end of a body by one unit of what `set` changes in every step.
fn end_by(tape: &mut Tape, run: &Run, name: &str, set: impl Fn(usize, &mut Change)) -> BodyTangent {
    let n = run.scene().bodies.len();
    tape.apply(|step| {
        let mut change = Change::none(n);
        set(step, &mut change);
        change
    })[body(run.scene(), name)]
}

fn floor(step: f64, duration: f64, friction: f64, rest: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\n[[friction]]\ncoefficient = {friction}\n\
         [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{rest}"
    )
}

/// A brick at v slides v²/(2 μ g); the way of implicit Euler is off by at most h v. It stops after 0.17 s.
#[test]
fn a_sliding_distance_falls_with_friction() {
    let (speed, friction) = (0.5, 0.3);
    let brick = "[[body]]\nname = \"brick\"\nmass = 2\nshape = { type = \"box\", half_extents = [0.1, 0.1, 0.05] }\n\
                 position = [0, 0, 0.05]\nvelocity = [0.5, 0, 0]\n";
    let errors = [0.002, 0.001, 0.0005].map(|h| {
        let (run, mut tape) = taped(&floor(h, 0.25, friction, brick));
        let end = end_by(&mut tape, &run, "brick", |_, change| change.friction = 1.0);
        let by_speed = end_by(&mut tape, &run, "brick", |step, change| {
            if step == 0 {
                change.start[1].velocity.x = 1.0;
            }
        });
        assert!(end.velocity.norm() < 1e-9, "it is at rest: {end:?}");
        assert!((by_speed.position.x - speed / (friction * G)).abs() < 2.0 * h, "{by_speed:?}");
        (end.position.x + speed * speed / (2.0 * friction * friction * G)).abs()
    });
    assert!(errors[2] < 0.003 && errors[2] < errors[0], "{errors:?}");
}

/// A ball that starts to slide at v rolls at 5/7 v, whatever friction is.
#[test]
fn rolling_forgets_friction() {
    let ball = "[[body]]\nname = \"ball\"\nmass = 2\nshape = { type = \"sphere\", radius = 0.1 }\n\
                position = [0, 0, 0.1]\nvelocity = [0.5, 0, 0]\n";
    let (run, mut tape) = taped(&floor(0.005, 0.3, 0.4, ball));
    let by_friction = end_by(&mut tape, &run, "ball", |_, change| change.friction = 1.0);
    assert!(by_friction.velocity.norm() < 1e-9, "{by_friction:?}");
    let by_speed = end_by(&mut tape, &run, "ball", |step, change| {
        if step == 0 {
            change.start[1].velocity.x = 1.0;
        }
    });
    assert!((by_speed.velocity.x - 5.0 / 7.0).abs() < 1e-9, "{by_speed:?}");
    assert!((by_speed.spin.y - 50.0 / 7.0).abs() < 1e-8, "{by_speed:?}");
}

/// Down an incline a ball rolls with 5/7 of the gravity along it.
#[test]
fn a_ball_on_an_incline_follows_gravity() {
    let ball = "[[body]]\nname = \"ball\"\nmass = 2\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [0, 0, 0.1]\n";
    let text = floor(0.005, 0.2, 0.5, ball).replace("[[friction]]", "gravity = [2, 0, -9]\n[[friction]]");
    let (run, mut tape) = taped(&text);
    let end = end_by(&mut tape, &run, "ball", |_, change| change.gravity.x = 1.0);
    assert!((end.velocity.x - 0.2 * 5.0 / 7.0).abs() < 1e-9, "{end:?}");
    // The adjoint finds the same, and all others at once.
    let mut gradient = vec![BodyTangent::default(); 2];
    gradient[1].velocity = Vector3::x();
    let steps = tape.adjoint(&gradient);
    let by_gravity: Vector3<f64> = steps.iter().map(|step| step.gravity).sum();
    assert!((by_gravity.x - end.velocity.x).abs() < 1e-12, "{by_gravity}");
    assert!((steps[0].impulse[1][0].x - 5.0 / 7.0 / 2.0).abs() < 1e-9, "{:?}", steps[0].impulse);
}

/// A pendulum of length ℓ swings as cos √(g/ℓ) t, and so does a change of its angle, with Euler's damping.
#[test]
fn a_pendulum_swings_as_its_derivative_says() {
    let (length, time) = (0.5, 0.6);
    let bob = format!(
        "[[body]]\nname = \"bob\"\nmass = 1\nshape = {{ type = \"sphere\", radius = 0.001 }}\n\
         position = [0, 0, {}]\n[[joint]]\nname = \"hinge\"\ntype = \"ball\"\nbetween = [\"floor\", \"bob\"]\nanchor = [0, 0, 1]\n",
        1.0 - length
    );
    let exact = (time * (G / length).sqrt()).cos();
    let errors = [0.004, 0.002, 0.001].map(|h| {
        let (run, mut tape) = taped(&floor(h, time, 0.0, &bob));
        let end = end_by(&mut tape, &run, "bob", |step, change| {
            if step == 0 {
                // Turned about the anchor.
                change.start[1].rotation.y = 1.0;
                change.start[1].position.x = -length;
            }
        });
        (end.rotation.y - exact).abs()
    });
    assert!(errors[2] < 0.03 && errors[1] < 0.6 * errors[0] && errors[2] < 0.6 * errors[1], "{errors:?}");
}

/// Several directions at once have the bits of one, whatever stands beside them.
#[test]
fn directions_at_once_have_the_bits_of_one() {
    let balls: String = (0..3)
        .map(|k| {
            format!(
                "[[body]]\nname = \"ball {k}\"\nmass = 2\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
                 position = [0, 0, {}]\nvelocity = [0.5, {k}, 0]\n",
                0.1 + 0.2 * f64::from(k)
            )
        })
        .collect();
    let mut run = Run::new(exact_from_text(&floor(0.005, 0.1, 0.4, &balls)));
    let (_, mut derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
    let changes: Vec<Change> = (0..11)
        .map(|k| {
            let mut change = Change::none(4);
            change.start[1 + k % 3].velocity[k % 2] = 1.0 + k as f64;
            change.friction = if k == 7 { 0.0 } else { 0.1 * k as f64 };
            change
        })
        .collect();
    let together = derivatives.apply_all(&changes);
    assert!(together.iter().all(|end| end.iter().any(|body| *body != BodyTangent::default())));
    for (change, end) in changes.iter().zip(&together) {
        assert_eq!(derivatives.apply(change), *end);
    }
}

/// A motor without a bound reaches its rate; a spring of stiffness k and a damper c pull a mass m with k of
/// the change of their target, over m + h (c + h k); a force acts over the step.
#[test]
fn a_slider_follows_the_target_of_its_motor() {
    let (h, mass) = (0.005, 2.0);
    let slider = |drive: &str| {
        let text = format!(
            "[[body]]\nname = \"slider\"\nmass = {mass}\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
             position = [0, 0, 1]\n[[joint]]\nname = \"rail\"\ntype = \"prismatic\"\n\
             between = [\"floor\", \"slider\"]\nanchor = [0, 0, 1]\naxis = [1, 0, 0]\n\
             [[motor]]\njoint = \"rail\"\nlargest_force = 1000\n{drive}\n"
        );
        let mut run = Run::new(exact_from_text(&floor(h, 0.05, 0.0, &text)));
        let (outcome, mut derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good(), "{outcome:?}");
        let change = Change { motor: vec![1.0], ..Change::none(2) };
        let mut gradient = vec![BodyTangent::default(); 2];
        gradient[1].velocity.x = 1.0;
        let [forward, back] =
            [derivatives.apply(&change)[1].velocity.x, derivatives.adjoint(&gradient).motor[0]];
        assert!((forward - back).abs() < 1e-12, "{forward} and {back}");
        forward
    };
    assert!((slider("velocity = { type = \"constant\", value = 0.1 }") - 1.0).abs() < 1e-9);
    let (k, c) = (500.0, 20.0);
    let by_position = slider(&format!(
        "position = {{ type = \"constant\", value = 0.01 }}\nstiffness = {k}\ndamping = {c}"
    ));
    assert!((by_position - h * k / (mass + h * (c + h * k))).abs() < 1e-9, "{by_position}");
    assert!((slider("force = { type = \"constant\", value = 3 }") - h / mass).abs() < 1e-9);
}

/// The model of a scene without any derivatives is an error.
#[test]
fn what_has_no_derivative_says_so() {
    let ball = "[[body]]\nname = \"ball\"\nmass = 2\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [0, 0, 0.1]\n";
    let cone = floor(0.005, 0.01, 0.4, ball) + "[solver]\nformulation = \"cone\"\n";
    let error = Run::new(exact_from_text(&cone)).simulation.advance_with_derivatives().expect_err("a cone");
    assert!(error.to_string().contains("only \"implicit\" has derivatives"), "{error}");
}

/// A brick on another rests where their heights say. A ball of mass m that begins to slide at v₀ rolls at
/// v = v₀/(1 + I/(m r²)) in the end, its centre at r.
#[test]
fn bodies_that_grow_stand_higher_and_roll_slower() {
    let brick = |name: &str, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 2\nshape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.05] }}\n\
             position = [0.01, 0, {z:?}]\n"
        )
    };
    let text = floor(0.005, 0.1, 0.3, &(brick("lower", 0.05) + &brick("upper", 0.15)));
    let (run, mut tape) = taped(&text.replace("[[friction]]", "gravity = [0.5, 0, -9.81]\n[[friction]]"));
    for (name, lower, upper) in [("lower", 1.0, 0.0), ("upper", 2.0, 1.0)] {
        for (id, expected) in [(1, lower), (2, upper)] {
            let end = end_by(&mut tape, &run, name, |_, change| change.size[id] = Vector3::z());
            assert!((end.position.z - expected).abs() < 1e-7, "{name} by {id}: {end:?}");
            let end = end_by(&mut tape, &run, name, |_, change| change.size[id] = Vector3::x());
            assert!(end.to_vector().norm() < 1e-7, "{name} by {id}: {end:?}");
        }
    }
    let ball = "[[body]]\nname = \"ball\"\nmass = 2\ninertia = [0.008, 0.008, 0.008, 0, 0, 0]\n\
                shape = { type = \"sphere\", radius = 0.1 }\nposition = [0, 0, 0.1]\nvelocity = [0.5, 0, 0]\n";
    let (run, mut tape) = taped(&floor(0.005, 0.3, 0.4, ball));
    let end = end_by(&mut tape, &run, "ball", |_, change| change.size[1] = Vector3::repeat(1.0));
    let (mass, inertia, r, v) = (2.0, 0.008, 0.1, 0.5 * 5.0 / 7.0);
    let by_radius = 2.0 * v * inertia / r / (mass * r * r + inertia);
    assert!((end.velocity.x - by_radius).abs() < 1e-8, "{end:?}, {by_radius}");
    assert!((end.spin.y - (by_radius * r - v) / (r * r)).abs() < 1e-7, "{end:?}");
    assert!((end.position.z - 1.0).abs() < 1e-8, "{end:?}");
    let mut gradient = vec![BodyTangent::default(); 2];
    gradient[1].velocity = Vector3::x();
    let by_size: Vector3<f64> = tape.adjoint(&gradient).iter().map(|step| step.size[1]).sum();
    assert!((by_size.sum() - by_radius).abs() < 1e-8, "{by_size}");
}

/// A gap that is closed without an impulse is a border.
#[test]
fn a_border_is_named() {
    let ball = "[[body]]\nname = \"ball\"\nmass = 2\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [0, 0, 0.1]\n";
    let weightless =
        floor(0.005, 0.01, 0.5, ball).replace("[[friction]]", "gravity = [0, 0, 0]\n[[friction]]");
    let mut run = Run::new(exact_from_text(&weightless));
    let (_, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
    assert_eq!(derivatives.borders().collect::<Vec<_>>(), [[0, 1]], "it touches and is not pressed");
}
