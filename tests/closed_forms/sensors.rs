//! Sensors beside the momentum of bodies and beside statics, and the messages with which wrong ones are
//! refused.

use super::joints::bad_input::refused;
use super::joints::{body, head, joint};
use nalgebra::Vector3;
use signorini::step::SensorReading;
use signorini_runs::audit::{AuditOptions, audit};
use signorini_runs::output::{ExitReason, RunFolder};
use support::runs::{Run, body as index, exact_from_text};

const H: f64 = 0.005;

fn sensor(name: &str, more: &str) -> String {
    format!("[[sensor]]\nname = {name:?}\n{more}\n")
}

/// A rod on a hinge swings down and strikes a ball, which rolls and slides on a floor.
fn swing() -> String {
    head(H, 1.0).replace("coefficient = 0", "coefficient = 0.4")
        + "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = -0.6 }\n"
        + &body("base", [0.01; 3], None, [0.0, 1.0, 0.0])
        + "[[body]]\nname = \"rod\"\nshape = { type = \"box\", half_extents = [0.25, 0.03, 0.03] }\nmass = 2\nposition = [0.25, 0, 0]\n"
        + "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\nposition = [-0.12, 0, -0.5]\n"
        + &joint("hinge", "revolute", ["base", "rod"], [0.0; 3], "axis = [0.1, 1, 0.05]")
        + "[[motor]]\njoint = \"hinge\"\nforce = { type = \"constant\", value = 0.7 }\n"
        + &sensor("rod", "on = [\"rod\"]")
        + &sensor("ball", "on = [\"ball\"]")
        + &sensor("by floor", "on = [\"ball\"]\nby = [\"floor\"]")
        + &sensor("by rod", "on = [\"ball\"]\nby = [\"rod\"]")
        + &sensor("both", "on = [\"rod\", \"ball\"]")
        + &sensor("hinge", "joint = \"hinge\"")
}

/// Force is m dv/dt − m g, torque dL/dt about the centre of mass. Parts of the force add up, and forces
/// between two bodies of a group are no forces on the group.
#[test]
fn sensors_tell_the_change_of_momentum() {
    let mut run = Run::new(exact_from_text(&swing()));
    let names = ["rod", "ball"];
    let [rod, ball] = names.map(|name| index(run.scene(), name));
    let momentum = |run: &Run, id: usize| {
        let (body, pose, v) = (&run.scene().bodies[id], &run.state().poses[id], &run.state().velocities[id]);
        let spin = pose.orientation * (body.inertia * (pose.orientation.inverse() * v.angular));
        [v.linear * body.mass, spin]
    };
    let mut strikes = 0;
    for step in 0..200 {
        let before = [rod, ball].map(|id| momentum(&run, id));
        run.advance();
        let found: Vec<SensorReading> = run.simulation.sensors().into_iter().flatten().collect();
        let weight = |id: usize| Vector3::new(0.0, 0.0, -9.81) * run.scene().bodies[id].mass;
        let change = |k: usize, id: usize| {
            let [linear, angular] = momentum(&run, id);
            [(linear - before[k][0]) / H - weight(id), (angular - before[k][1]) / H]
        };
        for (k, id) in [rod, ball].into_iter().enumerate() {
            let [force, torque] = change(k, id);
            let scale = 1.0 + force.norm() + weight(id).norm();
            assert!((found[k].force - force).norm() < 1e-5 * scale, "step {step}: {:?} {force:?}", found[k]);
            assert!(
                (found[k].torque - torque).norm() < 1e-5 * scale,
                "step {step}: {:?} {torque:?}",
                found[k]
            );
        }
        let parts = found[2].force + found[3].force;
        assert!((parts - found[1].force).norm() < 1e-9 * (1.0 + parts.norm()));
        let parts = found[2].torque + found[3].torque;
        assert!((parts - found[1].torque).norm() < 1e-9 * (1.0 + parts.norm()));
        let outer = found[2].force + found[5].force;
        assert!((found[4].force - outer).norm() < 1e-9 * (1.0 + outer.norm()), "{:?} {outer:?}", found[4]);
        strikes += usize::from(found[3].force.norm() > 1.0);
    }
    assert!(strikes > 0, "the rod never strikes the ball");
}

/// A wrist that holds a beam: its weight, its moment about the anchor, and the same in the axes of the joint
/// and about another point.
#[test]
fn a_wrist_carries_weight_and_moment() {
    let turned = std::f64::consts::FRAC_1_SQRT_2;
    let text = head(H, 0.1)
        + &body("base", [0.01; 3], None, [0.0; 3])
        + "[[body]]\nname = \"beam\"\nshape = { type = \"box\", half_extents = [0.5, 0.05, 0.05] }\nmass = 3\nposition = [0.6, 0, 0]\n"
        + &format!(
            "[[joint]]\nname = \"wrist\"\ntype = \"fixed\"\nbetween = [\"base\", \"beam\"]\nanchors = [[0.1, 0, 0], [-0.5, 0, 0]]\n\
             orientations = [[{turned}, 0, 0, {turned}], [{turned}, 0, 0, {turned}]]\n"
        )
        + &sensor("world", "joint = \"wrist\"")
        + &sensor("own", "joint = \"wrist\"\nframe = \"joint\"")
        + &sensor("tip", "joint = \"wrist\"\nframe = \"joint\"\npoint = [0, -1, 0]")
        + &sensor("middle", "on = [\"beam\"]\nframe = \"body\"\npoint = [0.25, 0, 0]");
    let mut run = Run::new(exact_from_text(&text));
    run.run_to_the_end();
    let weight = 3.0 * 9.81;
    let found: Vec<SensorReading> = run.simulation.sensors().into_iter().flatten().collect();
    let is = |k: usize, force: [f64; 3], torque: [f64; 3]| {
        let SensorReading { force: f, torque: t } = found[k];
        let off = (f - Vector3::from(force)).norm() + (t - Vector3::from(torque)).norm();
        assert!(off < 1e-5, "{k}: {:?}, {force:?} {torque:?}", found[k]);
    };
    // The joint lifts the beam at its end: about the anchor it has to turn it by −r × F of the weight.
    is(0, [0.0, 0.0, weight], [0.0, -0.5 * weight, 0.0]);
    // The frame of the joint is turned by a quarter about z: its x is y of the world, its y is −x.
    is(1, [0.0, 0.0, weight], [-0.5 * weight, 0.0, 0.0]);
    // 1 m along −y of the frame is the tip of the beam.
    is(2, [0.0, 0.0, weight], [0.5 * weight, 0.0, 0.0]);
    is(3, [0.0, 0.0, weight], [0.0, 0.25 * weight, 0.0]);
}

#[test]
fn wrong_sensors_are_refused_with_place_and_value() {
    let with = |more: &str| swing() + &sensor("s", more);
    refused(&with("on = [\"rot\"]"), &["sensor[6] \"s\": on", "\"rot\"", "no such body"]);
    refused(&with("on = [\"rod\"]\nby = [\"bell\"]"), &["by", "\"bell\"", "no such body"]);
    refused(&with("on = [\"rod\"]\nby = [\"rod\"]"), &["by = \"rod\"", "in both groups"]);
    refused(&with("joint = \"hinges\""), &["joint", "\"hinges\"", "no such joint"]);
    refused(&with("joint = \"hinge\"\non = [\"rod\"]"), &["joint", "either a joint"]);
    refused(&with("joint = \"hinge\"\nframe = \"body\""), &["frame", "\"body\"", "\"joint\""]);
    refused(&with("on = [\"rod\"]\nframe = \"joint\""), &["frame", "\"joint\"", "\"body\""]);
    refused(&with(""), &["on = []", "at least one body"]);
    refused(&with("on = [\"rod\"]\npoint = [0, nan, 0]"), &["point", "finite"]);
    refused(&(swing() + &sensor("rod", "on = [\"rod\"]")), &["sensor[6] \"rod\": name", "unique"]);
}

/// The audit computes `sensors.csv` again from the other tables, and tells a changed number.
#[test]
fn the_table_of_sensors_is_computed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut scene = exact_from_text(&swing());
    scene.duration = 0.1;
    let mut simulation = signorini::Simulation::new(scene).expect("runs");
    let mut run = RunFolder::create(at, &simulation, "sensors", 1).expect("a folder");
    simulation.run_observed(&mut [&mut run]).expect("runs");
    run.finish(&simulation, ExitReason::Completed).expect("written");
    let judged = || audit(at, &AuditOptions::default()).expect("read");
    assert!(judged().is_green(), "{:?}", judged());
    let table = at.join("sensors.csv");
    let text = std::fs::read_to_string(&table).expect("there");
    assert_eq!(text.lines().count(), 1 + 20 * 6);
    assert!(text.starts_with("step,time,sensor,fx,fy,fz,tx,ty,tz\n1,0.005,rod,"), "{text}");
    let last = text.lines().last().expect("rows");
    let changed = last.replace("hinge,", "hinge,1");
    std::fs::write(&table, text.replace(last, &changed)).expect("written");
    assert!(!judged().is_green());
}
