//! Couplings of joint coordinates against recursions of implicit Euler by hand, and the referee on them.

use super::bad_input::refused;
use super::judged::Told;
use super::{body, head, joint};
use nalgebra::Vector3;
use signorini::Simulation;
use signorini::step::JointRecord;
use signorini_runs::audit::{AuditOptions, audit};
use signorini_runs::output::{ExitReason, RunFolder};
use std::f64::consts::TAU;
use support::runs::{Run, body as index, exact_from_text};

const H: f64 = 0.005;

/// A wheel of 1 kg about an axis along z through its centre, on a fixed base.
fn wheel(name: &str, between: [&str; 2], radius: f64, x: f64) -> String {
    let shape = format!(
        "[[body]]\nname = {name:?}\nshape = {{ type = \"cylinder\", radius = {radius:?}, length = 0.02 }}\nmass = 1\nposition = [{x:?}, 0, 0]\n"
    );
    shape + &joint(&format!("axle {name}"), "revolute", between, [x, 0.0, 0.0], "axis = [0, 0, 1]")
}

fn inertia(radius: f64) -> f64 {
    0.5 * radius * radius
}

fn coupling(name: &str, joint: &str, follows: &str, more: &str) -> String {
    format!("[[coupling]]\nname = {name:?}\njoint = {joint:?}\nfollows = {follows:?}\n{more}\n")
}

fn force(joint: &str, value: f64) -> String {
    format!("[[motor]]\njoint = {joint:?}\nforce = {{ type = \"constant\", value = {value:?} }}\n")
}

/// Angle or slide of a joint, whole turns included.
fn coordinate(record: &JointRecord, place: usize) -> f64 {
    record.coordinate[place].expect("coupled") + TAU * record.turns as f64
}

const RADII: [f64; 3] = [0.1, 0.15, 0.07];

/// Three wheels in a row, the first of which a torque of 0.2 N m turns.
fn train(step: f64) -> String {
    let ratio = |k: usize| format!("ratio = {:?}", -RADII[k] / RADII[k + 1]);
    let wheels: String = ["one", "two", "three"]
        .iter()
        .zip([0.0, 0.26, 0.5])
        .zip(RADII)
        .map(|((name, x), radius)| wheel(name, ["base", name], radius, x))
        .collect();
    head(step, 2.0)
        + &body("base", [0.01; 3], None, [0.0, 0.0, -1.0])
        + &wheels
        + &coupling("first", "axle two", "axle one", &ratio(0))
        + &coupling("second", "axle three", "axle two", &ratio(1))
        + &force("axle one", 0.2)
}

/// All wheels of a gear train turn with the torque over the sum of their inertias, each times the square of
/// its ratio, through many turns; each coupling carries what the wheels behind it need.
#[test]
fn a_gear_train_turns_as_one_wheel() {
    let mut run = Run::new(exact_from_text(&train(H)));
    let ratios = [1.0, -RADII[0] / RADII[1], RADII[0] / RADII[2]];
    let all: f64 = ratios.iter().zip(RADII).map(|(b, r)| b * b * inertia(r)).sum();
    let rise = 0.2 / all;
    let (mut speed, mut angle) = (0.0, 0.0);
    for step in 0..400 {
        run.advance();
        speed += H * rise;
        angle += H * speed;
        let joints = run.simulation.joints();
        for (record, ratio) in joints.iter().zip(ratios) {
            let off = coordinate(record, 1) - ratio * angle;
            assert!(off.abs() < 1e-7 * (1.0 + angle), "step {step}: {record:?}, {}", ratio * angle);
        }
        let needs = |k: usize| inertia(RADII[k]) * rise * ratios[k] * H;
        let torque = |k: usize| joints[k].coupling[1];
        assert!((torque(2) - needs(2)).abs() < 1e-8 && (torque(1) - needs(1)).abs() < 1e-8, "{joints:?}");
        assert!((torque(0) - (needs(0) - 0.2 * H)).abs() < 1e-8, "{joints:?}");
    }
    assert!(angle > 4.0 * TAU, "{angle}");
    assert!((run.velocity("three").angular.z - ratios[2] * speed).abs() < 1e-6);
}

/// Steps in which wheels make turns and more, and steps that are halved because a torque turns them too far.
#[test]
fn turns_are_counted_in_long_and_in_halved_steps() {
    let mut run = Run::new(exact_from_text(&train(0.05).replace("value = 0.2", "value = 0.5")));
    let mut halved = 0;
    let mut fastest = 0.0_f64;
    for _ in 0..40 {
        halved += run.advance().info.n_substeps;
        let joints = run.simulation.joints();
        let last = |joint: usize| joints.iter().rev().find(|of| of.joint == joint).expect("recorded");
        let [one, two, three] = [0, 1, 2].map(|joint| coordinate(last(joint), 1));
        assert!((two + one * RADII[0] / RADII[1]).abs() < 1e-8 * (1.0 + one.abs()), "{one} {two}");
        assert!((three + two * RADII[1] / RADII[2]).abs() < 1e-8 * (1.0 + one.abs()), "{two} {three}");
        fastest = fastest.max(run.velocity("three").angular.z);
    }
    assert!(fastest * 0.05 > 0.5 * TAU, "no step makes half a turn: {fastest} rad/s");
    let strong = train(0.05).replace("value = 0.2", "value = 9");
    let mut run = Run::new(exact_from_text(&strong));
    for _ in 0..4 {
        halved += run.advance().info.n_substeps;
    }
    assert!(halved > 0, "no step was halved");
}

/// A nut on a screw: a torque lifts its mass and turns it, as the work of both says.
#[test]
fn a_screw_turns_torque_into_thrust() {
    let (mass, lead, torque): (f64, f64, f64) = (1.0, 0.01, 0.05);
    let text = head(H, 0.5)
        + &body("base", [0.01; 3], None, [0.0, 0.0, -1.0])
        + "[[body]]\nname = \"nut\"\nshape = { type = \"cylinder\", radius = 0.1, length = 0.05 }\nmass = 1\n"
        + &joint("thread", "cylindrical", ["base", "nut"], [0.0; 3], "axis = [0, 0, 1]")
        + &coupling(
            "lead",
            "thread",
            "thread",
            &format!("coordinate = \"slide\"\nfollowed_coordinate = \"angle\"\nratio = {lead:?}"),
        )
        + &format!(
            "[[motor]]\njoint = \"thread\"\ncoordinate = \"angle\"\nforce = {{ type = \"constant\", value = {torque:?} }}\n"
        );
    let mut run = Run::new(exact_from_text(&text));
    let rise = (torque - mass * 9.81 * lead) / (inertia(0.1) + mass * lead * lead);
    let mut speed = 0.0;
    for step in 0..100 {
        run.advance();
        speed += H * rise;
        let record = run.simulation.joints()[0];
        let found = run.velocity("nut");
        assert!((found.angular.z - speed).abs() < 1e-7 * (1.0 + speed.abs()), "step {step}: {found:?}");
        assert!((found.linear.z - lead * speed).abs() < 1e-8 * (1.0 + speed.abs()), "step {step}: {found:?}");
        let thrust = mass * (9.81 + lead * rise) * H;
        assert!((record.coupling[0] - thrust).abs() < 1e-7 * thrust, "{record:?} {thrust}");
        assert!((record.coupling[1] + lead * thrust).abs() < 1e-7 * thrust, "{record:?} {thrust}");
    }
}

/// A slide that follows another one stays with it to rounding at the tightest tolerance.
#[test]
fn a_follower_stays_to_rounding() {
    let slide = |name: &str, y: f64| {
        body(name, [0.05; 3], Some(1.0), [0.2, y, 0.0])
            + &joint(&format!("rail {name}"), "prismatic", ["base", name], [0.2, y, 0.0], "axis = [1, 0, 0]")
    };
    let text = head(H, 1.0)
        + "[solver]\ntolerance = 1e-12\n"
        + &body("base", [0.01; 3], None, [0.0, 0.0, -1.0])
        + &slide("leader", 0.0)
        + &slide("follower", 0.4)
        + &coupling("mimic", "rail follower", "rail leader", "ratio = -0.75")
        + "[[motor]]\njoint = \"rail leader\"\nstiffness = 40\ndamping = 1\nposition = { type = \"sine\", amplitude = 0.1, frequency = 2 }\n";
    let mut run = Run::new(exact_from_text(&text));
    let mut way = 0.0_f64;
    for step in 0..200 {
        run.advance();
        let [leader, follower] = [0, 1].map(|k| coordinate(&run.simulation.joints()[k], 0));
        assert!((follower + 0.75 * leader).abs() < 1e-12 * 0.1, "step {step}: {leader} {follower}");
        way = way.max(leader.abs());
    }
    assert!(way > 0.02, "{way}");
}

/// A slide that follows the square of an angle, beside the two momenta solved by hand.
#[test]
fn a_cam_follows_a_curve() {
    let bend = 0.3;
    let text = head(H, 1.0).replace("[[friction]]", "gravity = [0, 0, 0]\n[[friction]]")
        + &body("base", [0.01; 3], None, [0.0, 0.0, -1.0])
        + &wheel("cam", ["base", "cam"], 0.1, 0.0)
        + &body("rod", [0.05; 3], Some(2.0), [1.0, 0.0, 0.0])
        + &joint("rail", "prismatic", ["base", "rod"], [1.0, 0.0, 0.0], "axis = [0, 1, 0]")
        + &coupling("curve", "rail", "axle cam", &format!("ratio = 0.1\nhigher = [{bend:?}]"))
        + &force("axle cam", 0.02);
    let mut run = Run::new(exact_from_text(&text));
    let (own, mass) = (inertia(0.1), 2.0);
    let place = |angle: f64| 0.1 * angle + bend * angle * angle;
    let slope = |angle: f64| 0.1 + 2.0 * bend * angle;
    let (mut angle, mut spin, mut speed) = (0.0_f64, 0.0_f64, 0.0_f64);
    for step in 0..200 {
        // I (ω⁺ − ω) = h τ − P′(θ⁺) x and m (v⁺ − v) = x, with h v⁺ = P(θ⁺) − P(θ).
        let missing = |next: f64| {
            let push = mass * ((place(next) - place(angle)) / H - speed);
            own * ((next - angle) / H - spin) - H * 0.02 + slope(next) * push
        };
        let mut next = angle + H * spin;
        for _ in 0..50 {
            let change = 1e-6;
            let steepness = (missing(next + change) - missing(next - change)) / (2.0 * change);
            next -= missing(next) / steepness;
        }
        speed = (place(next) - place(angle)) / H;
        spin = (next - angle) / H;
        angle = next;
        run.advance();
        let [cam, rail] =
            [coordinate(&run.simulation.joints()[0], 1), coordinate(&run.simulation.joints()[1], 0)];
        assert!(
            (cam - angle).abs() < 1e-7 && (rail - place(angle)).abs() < 1e-8,
            "{step}: {cam} {angle} {rail}"
        );
    }
    assert!(angle > 0.2, "{angle}");
}

/// Two pairs of bodies that float: four bodies in one row, and no two of them in one joint with each other.
#[test]
fn a_coupling_reaches_four_free_bodies() {
    let pair = |name: &str, [a, b]: [f64; 2], x: f64| {
        let disc = |name: &str, radius: f64, z: f64| {
            format!(
                "[[body]]\nname = {name:?}\nshape = {{ type = \"cylinder\", radius = {radius:?}, length = 0.02 }}\nmass = 1\nposition = [{x:?}, 0, {z:?}]\n"
            )
        };
        let (lower, upper) = (format!("{name} a"), format!("{name} b"));
        disc(&lower, a, 0.0)
            + &disc(&upper, b, 0.1)
            + &joint(name, "revolute", [&lower, &upper], [x, 0.0, 0.0], "axis = [0, 0, 1]")
    };
    let text = head(H, 0.5).replace("[[friction]]", "gravity = [0, 0, 0]\n[[friction]]")
        + &pair("first", [0.1, 0.2], 0.0)
        + &pair("second", [0.15, 0.05], 1.0)
        + &coupling("shaft", "second", "first", "ratio = 1.7")
        + &force("first", 0.3);
    let mut run = Run::new(exact_from_text(&text));
    let pair = |a: f64, b: f64| inertia(a) * inertia(b) / (inertia(a) + inertia(b));
    let rise = 0.3 / (pair(0.1, 0.2) + 1.7 * 1.7 * pair(0.15, 0.05));
    let (mut speed, mut angle) = (0.0, 0.0);
    for step in 0..100 {
        run.advance();
        speed += H * rise;
        angle += H * speed;
        let [first, second] = [0, 1].map(|k| coordinate(&run.simulation.joints()[k], 1));
        assert!((first - angle).abs() < 1e-7 * (1.0 + angle), "step {step}: {first} {angle}");
        assert!((second - 1.7 * angle).abs() < 1e-7 * (1.0 + angle), "step {step}: {second} {angle}");
    }
    // No pair turns as a whole.
    let spin = |name: &str, radius: f64| inertia(radius) * run.velocity(name).angular.z;
    assert!((spin("first a", 0.1) + spin("first b", 0.2)).abs() < 1e-7);
    assert!((spin("second a", 0.15) + spin("second b", 0.05)).abs() < 1e-7);
}

/// Two fingers that move together, one of them driven, and a box between them.
fn gripper(push: f64) -> String {
    let finger = |name: &str, x: f64, axis: &str| {
        format!(
            "[[body]]\nname = {name:?}\nshape = {{ type = \"box\", half_extents = [0.02, 0.05, 0.05] }}\nmass = 0.2\nposition = [{x:?}, 0, 0]\n"
        ) + &joint(&format!("rail {name}"), "prismatic", ["palm", name], [x, 0.0, 0.0], axis)
    };
    head(H, 0.5).replace("coefficient = 0", "coefficient = 0.5")
        + &body("palm", [0.01; 3], None, [0.0, 0.0, 0.5])
        + &finger("left", -0.07, "axis = [1, 0, 0]")
        + &finger("right", 0.07, "axis = [-1, 0, 0]")
        + "[[body]]\nname = \"box\"\nshape = { type = \"box\", half_extents = [0.05, 0.04, 0.04] }\nmass = 0.5\n"
        + &coupling("mimic", "rail right", "rail left", "ratio = 1")
        + &force("rail left", push)
}

/// Each finger presses with half of the motor's force. Friction holds the box where twice that times the
/// coefficient is more than its weight; where it is less, the box slides down with the rest.
#[test]
fn coupled_fingers_share_the_force_of_a_motor() {
    let mut run = Run::new(exact_from_text(&gripper(20.0)));
    run.run_to_the_end();
    let presses: Vec<f64> =
        run.contacts().iter().map(|c| c.normal_impulse / H).filter(|f| *f > 0.0).collect();
    assert!(presses.len() == 2 && presses.iter().all(|f| (f - 10.0).abs() < 1e-5), "{presses:?}");
    let place = run.state().poses[index(run.scene(), "box")].position;
    assert!(place.norm() < 1e-7, "{place:?}");
    let mut run = Run::new(exact_from_text(&gripper(8.0)));
    run.steps(20);
    let due = -(9.81 - 0.5 * 8.0 / 0.5) * 20.0 * H;
    let found = run.velocity("box").linear;
    assert!((found - Vector3::new(0.0, 0.0, due)).norm() < 1e-5, "{found:?} {due}");
}

#[test]
fn lies_about_couplings_are_red() {
    let honest = Told::step(exact_from_text(&train(H)), 300);
    assert!(honest.judge().green, "{:?}", honest.judge());
    assert!(honest.joints[0].turns > 0, "{:?}", honest.joints[0]);
    // A turn more or less is another coordinate; both together are, where the ratio is no whole number.
    honest.lie(|t| t.joints[1].turns += 1);
    honest.lie(|t| t.joints.iter_mut().for_each(|joint| joint.turns -= 1));
    // The impulses of a coupling that do not belong together, and such without any coupling.
    honest.lie(|t| t.joints[0].coupling[1] += 1e-5);
    honest.lie(|t| t.joints[2].coupling[1] -= 1e-5);
    honest.lie(|t| {
        t.joints[0].motor[1] -= 1e-5;
        t.joints[0].coupling[1] += 1e-5;
    });
    honest.lie(|t| t.scene.couplings.clear());
    // Momentum balances, but a wheel has turned further than the next one lets it.
    honest.lie(|t| t.scene.couplings[0].coefficients[1] += 1e-6);
    honest.lie(|t| t.scene.couplings[0].coefficients[0] += 1e-6);
}

#[test]
fn wrong_couplings_are_refused_with_place_and_value() {
    let with = |more: &str| train(H) + &coupling("third", "axle two", "axle three", more);
    let free = |of: &str, to: &str, more: &str| {
        let text = train(H);
        let couplings = text.find("[[coupling]]").expect("there");
        text[..couplings].to_owned() + &coupling("only", of, to, more)
    };
    refused(
        &with("ratio = 1"),
        &["coupling[2] \"third\": joint", "follows another one already", "\"first\""],
    );
    refused(&free("axle one", "axle one", "ratio = 1"), &["coupling[0] \"only\": follows", "itself"]);
    refused(&free("axle one", "axle", "ratio = 1"), &["follows", "\"axle\"", "no such joint"]);
    refused(&free("axle one", "axle two", "ratio = 0"), &["ratio = 0.0", "follow nothing"]);
    refused(&free("axle one", "axle two", "ratio = inf"), &["ratio", "finite"]);
    refused(&free("axle one", "axle two", "ratio = 1\nhigher = [1, 2, 3, 4]"), &["higher", "at most 3"]);
    refused(&free("axle one", "axle two", "ratio = 1\ncoordinate = \"slide\""), &["coordinate", "\"slide\""]);
    refused(
        &free("axle one", "axle two", "ratio = 2\noffset = 0.1"),
        &["offset = 0.1", "must hold at time 0"],
    );
    let circle =
        free("axle two", "axle one", "ratio = 1") + &coupling("back", "axle one", "axle two", "ratio = 1");
    refused(&circle, &["coupling[1] \"back\": follows", "lead back"]);
    let ball = joint("ball", "ball", ["base", "one"], [0.0; 3], "");
    refused(&(free("ball", "axle one", "ratio = 1") + &ball), &["joint", "ball joint has no coordinate"]);
    let rope =
        joint("rope", "distance", ["one", "two"], [0.0; 3], "").replace("anchor = [0.0, 0.0, 0.0]", "");
    refused(&(free("rope", "axle one", "ratio = 1") + &rope), &["\"rope\"", "only a slide or an angle"]);
}

/// Couplings are for the implicit model alone; the others say so.
#[test]
fn other_models_refuse_couplings() {
    for settings in [
        "formulation = \"cone\"",
        "formulation = \"compliant\"",
        "formulation = \"stewart-trinkle\"",
        "formulation = \"literal\"",
        "formulation = \"auto\"",
        "integrator = \"staggered\"",
    ] {
        let scene = exact_from_text(&(train(H) + &format!("[solver]\n{settings}\n")));
        let error = Simulation::new(scene).expect_err(settings).to_string();
        assert!(error.contains("with [[coupling]]") && error.contains("implicit-euler"), "{error}");
    }
}

/// A saved run goes on bit for bit, turns included; without the body of the last wheel the others turn on.
#[test]
fn turns_are_saved_and_bodies_may_leave() {
    let mut run = Run::new(exact_from_text(&train(H)));
    run.steps(300);
    let mut again = Simulation::from_saved(run.simulation.save()).expect("saved");
    again.advance();
    run.advance();
    assert_eq!(run.state(), again.state());
    assert_eq!(run.simulation.joints(), again.joints());
    let last = again.body_named("three").expect("there");
    again.remove_body(last).expect("may leave");
    assert_eq!(again.scene().couplings.len(), 1);
    let outcome = again.advance();
    assert!(outcome.is_good(), "{outcome:?}");
    assert!(again.joints()[0].turns > 0);
}

/// The audit reads turns and impulses of couplings back, of whole and of halved steps.
#[test]
fn the_audit_is_green_and_tells_changed_turns() {
    for (name, scene) in [
        ("whole", exact_from_text(&train(H))),
        ("halved", exact_from_text(&train(0.05).replace("value = 0.2", "value = 9"))),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut simulation = Simulation::new(scene).expect("runs");
        let mut run = RunFolder::create(folder.path(), &simulation, name, 1).expect("a folder");
        for _ in 1..simulation.scene().n_steps() {
            let outcome = simulation.advance();
            run.record(&simulation, &outcome).expect("written");
        }
        run.finish(&simulation, ExitReason::Interrupted).expect("written");
        let options = AuditOptions { unfinished: true, ..AuditOptions::default() };
        let judged = || audit(folder.path(), &options).expect("read");
        assert!(judged().is_green(), "{name}: {}", judged());
        let table = folder.path().join("joints.csv");
        let text = std::fs::read_to_string(&table).expect("there");
        let last = text.lines().last().expect("rows");
        let (front, turns) = last.rsplit_once(',').expect("columns");
        let turns: f64 = turns.parse().expect("a number");
        std::fs::write(&table, text.replace(last, &format!("{front},{:?}", turns + 1.0))).expect("written");
        let found = judged();
        assert!(!found.is_green() && found.green < found.judged, "{name}: {found}");
    }
}
