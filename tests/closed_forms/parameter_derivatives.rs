//! Derivatives with inertia, centre of mass, joints, courses and the length of the step, with a closed form.

use nalgebra::{Vector3, Vector6};
use signorini::simulation::Tape;
use signorini::step::{BodyTangent, Change};
use support::runs::{Run, body, exact_from_text};

const G: f64 = 9.81;
const STEPS: usize = 20;
const H: f64 = 0.01;

fn scene(gravity: f64, rest: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = {H}\nduration = 1\ngravity = [0, 0, {:?}]\n\
         [[body]]\nname = \"world\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = -9 }}\n{rest}",
        -gravity
    )
}

fn ball(name: &str, more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmass = 2\ninertia = [0.01, 0.01, 0.01, 0, 0, 0]\n\
         shape = {{ type = \"sphere\", radius = 0.1 }}\n{more}\n"
    )
}

/// The derivatives of some steps from the first one.
fn taped(text: &str) -> (Run, Tape) {
    let mut run = Run::new(exact_from_text(text));
    let mut tape = Tape::default();
    for _ in 0..STEPS {
        let (outcome, derivatives) = run.simulation.advance_with_derivatives().expect("implicit");
        assert!(outcome.is_good() && derivatives.obstacles().next().is_none(), "{outcome:?}");
        tape.push(derivatives);
    }
    (run, tape)
}

/// A change of what every step depends on, with room for a joint and a course.
fn change(set: impl Fn(&mut Change)) -> Change {
    let mut change = Change::sized(2, [1, 1, 1]);
    set(&mut change);
    change
}

/// Change of body 1 at the end; the adjoint must say the same.
fn by(tape: &mut Tape, all: impl Fn(usize) -> Change) -> BodyTangent {
    let end = tape.apply(&all)[1];
    let mut gradient = vec![BodyTangent::default(); 2];
    gradient[1] = BodyTangent {
        position: Vector3::new(1.0, -0.3, 0.8),
        rotation: Vector3::new(0.2, 0.5, -1.0),
        velocity: Vector3::new(0.1, 0.7, 0.4),
        spin: Vector3::new(-0.6, 0.3, 0.2),
    };
    let expected = gradient[1].to_vector().dot(&end.to_vector());
    let found: f64 = tape.adjoint(&gradient).iter().enumerate().map(|(k, step)| product(step, &all(k))).sum();
    assert!((found - expected).abs() < 1e-10 * expected.abs().max(1.0), "{found}, not {expected}");
    end
}

/// The product of a gradient and a change in the parameters that these tests change.
fn product(gradient: &Change, change: &Change) -> f64 {
    let inertias = gradient.inertia.iter().zip(&change.inertia).map(|(a, b)| a.dot(b));
    let centres = gradient.centre.iter().zip(&change.centre).map(|(a, b)| a.dot(b));
    let joints = gradient.joint.iter().flatten().zip(change.joint.iter().flatten());
    let joints = joints.map(|(a, b)| a.anchor.dot(&b.anchor) + a.turn.dot(&b.turn));
    let courses = gradient.course.iter().zip(&change.course).map(|(a, b)| a * b);
    inertias.chain(centres).chain(joints).chain(courses).sum::<f64>()
        + gradient.time_step * change.time_step
        + gradient.time * change.time
}

/// A ball falls by ½ n (n + 1) g h² in n steps; a torque τ spins it up to n h τ/I.
#[test]
fn free_flight_answers_to_the_step_and_to_inertia() {
    let text = ball("ball", "position = [0, 0, 3]\nvelocity = [2, 0, 0]\ntorque = [0, 0, 0.05]");
    let (_, mut tape) = taped(&scene(G, &text));
    let n = STEPS as f64;
    let end = by(&mut tape, |_| change(|change| change.time_step = 1.0));
    assert!((end.velocity - Vector3::z() * (-n * G)).norm() < 1e-9, "{end:?}");
    assert!((end.position - Vector3::new(2.0 * n, 0.0, -n * (n + 1.0) * G * H)).norm() < 1e-9, "{end:?}");
    assert!((end.spin.z - n * 0.05 / 0.01).abs() < 1e-8, "{end:?}");
    let end = by(&mut tape, |_| change(|change| change.inertia[1] = Vector6::ith(2, 1.0)));
    assert!((end.spin.z + n * H * 0.05 / 1e-4).abs() < 1e-7 && end.velocity == Vector3::zeros(), "{end:?}");
}

/// A ball that hangs from a joint follows its anchors, and ends as if its centre of mass were elsewhere.
#[test]
fn what_hangs_follows_its_joint() {
    let joint = |kind: &str| {
        format!(
            "[[joint]]\nname = \"pin\"\ntype = \"{kind}\"\nbetween = [\"world\", \"ball\"]\nanchor = [0, 0, 2]\n"
        )
    };
    let (run, mut tape) = taped(&scene(G, &(ball("ball", "position = [0, 0, 1.5]") + &joint("ball"))));
    assert_eq!(body(run.scene(), "ball"), 1);
    let anchors = [0, 1].map(|side| {
        by(&mut tape, |_| change(|change| change.joint[0][side].anchor = Vector3::new(0.0, 0.0, 1.0)))
    });
    assert!((anchors[0].position - Vector3::z()).norm() < 1e-9, "{anchors:?}");
    assert!((anchors[1].position + Vector3::z()).norm() < 1e-9, "{anchors:?}");
    // Sideways it begins to swing, and so it does if its centre of mass moves the other way.
    let aside = Vector3::new(0.3, 1.0, 0.0);
    let by_anchor = by(&mut tape, |_| change(|change| change.joint[0][1].anchor = -aside));
    let by_centre = by(&mut tape, |_| change(|change| change.centre[1] = aside));
    assert!((by_anchor.to_vector() - by_centre.to_vector()).norm() < 1e-9, "{by_anchor:?} {by_centre:?}");
    assert!(by_centre.rotation.norm() > 0.1, "{by_centre:?}");
    let (_, mut tape) = taped(&scene(G, &(ball("ball", "position = [0, 0, 1.5]") + &joint("fixed"))));
    let turn = Vector3::new(0.2, -0.5, 1.0);
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let end = by(&mut tape, |_| change(|change| change.joint[0][side].turn = turn));
        assert!((end.rotation - turn * sign).norm() < 1e-7, "{end:?}");
        let place = turn.cross(&Vector3::new(0.0, 0.0, -0.5)) * sign;
        assert!((end.position - place).norm() < 1e-7, "{end:?} {place}");
    }
}

/// A slide that is told where to be is there: it answers to its course by 1, and to time by its rate. A motor
/// that is told a rate has it at the end of each step, and a force acts with its value there.
#[test]
fn drives_answer_to_their_courses_and_to_time() {
    let slide = "[[joint]]\nname = \"rail\"\ntype = \"prismatic\"\nbetween = [\"world\", \"ball\"]\naxis = [1, 0, 0]\n";
    let course = "{ type = \"sine\", amplitude = 0.2, frequency = 1.5 }";
    let rate = 2.0 * std::f64::consts::PI * 1.5;
    let end_time = STEPS as f64 * H;
    let text = |drive: &str| scene(0.0, &(ball("ball", "") + slide + drive));
    let motion = text(&format!("[[motion]]\njoint = \"rail\"\nposition = {course}\n"));
    let (_, mut tape) = taped(&motion);
    let end = by(&mut tape, |_| change(|change| change.course[0] = 1.0));
    assert!((end.position.x - 1.0).abs() < 1e-9, "{end:?}");
    let end = by(&mut tape, |_| change(|change| change.time = 1.0));
    let expected = 0.2 * rate * (rate * end_time).cos();
    assert!((end.position.x - expected).abs() < 1e-8, "{end:?}, {expected}");
    let motor = |drive: &str| text(&format!("[[motor]]\njoint = \"rail\"\n{drive}\n"));
    let (_, mut tape) = taped(&motor(&format!("velocity = {course}\nlargest_force = 1e4")));
    let end = by(&mut tape, |_| change(|change| change.time = 1.0));
    assert!((end.velocity.x - expected).abs() < 1e-8, "{end:?}, {expected}");
    // A bound of the force acts for the step.
    let (_, mut tape) = taped(&motor("velocity = { type = \"constant\", value = 100 }\nlargest_force = 3"));
    let end = by(&mut tape, |_| change(|change| change.time_step = 1.0));
    assert!((end.velocity.x - STEPS as f64 * 3.0 / 2.0).abs() < 1e-8, "{end:?}");
    let (_, mut tape) = taped(&motor(&format!("force = {course}")));
    let end = by(&mut tape, |_| change(|change| change.time = 1.0));
    let at = |k: usize| 0.2 * rate * (rate * k as f64 * H).cos() * H / 2.0;
    let expected: f64 = (1..=STEPS).map(at).sum();
    assert!((end.velocity.x - expected).abs() < 1e-9, "{end:?}, {expected}");
}

/// How the velocity of a surface that turns over a body changes with the centre of mass is not followed: no
/// number is given, and the step's other derivatives stand.
#[test]
fn a_centre_under_a_turning_surface_has_no_derivative() {
    for (spin, has) in [([0.0, 0.0, 3.0], false), ([0.0; 3], true)] {
        let more = format!("position = [0, 0, -8.9]\nsurface_angular_velocity = {spin:?}\n");
        let friction = "[[friction]]\ncoefficient = 0.4\n";
        let (_, mut tape) = taped(&scene(G, &format!("{friction}{}", ball("wheel", &more))));
        let moved = tape.apply(|_| change(|c| c.centre[1] = Vector3::x()))[1].to_vector();
        let pushed = tape.apply(|_| change(|c| c.force[1][0] = Vector3::x()))[1].to_vector();
        let mut gradient = vec![BodyTangent::default(); 2];
        gradient[1].position = Vector3::x();
        let centre = tape.adjoint(&gradient)[0].centre[1];
        assert_eq!([moved[0].is_finite(), centre.x.is_finite()], [has; 2], "{moved} {centre}");
        assert!(pushed.iter().all(|x| x.is_finite()), "{pushed}");
    }
}
