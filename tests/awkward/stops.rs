//! Bodies without weight that stop each other: no impulse is left as a measure of impulses.

use crate::variants::{Draw, body, each, head, watch};
use nalgebra::Vector3;

/// Bodies of one mass in a line, head on, as fast from one end as from the other.
fn line(draw: &mut Draw) -> String {
    let size = draw.pick(&[0.01, 0.1, 1.0]);
    let flat = [draw.between(0.6, 1.0), draw.between(0.6, 1.0)];
    let shape = match draw.pick(&[0, 1, 2]) {
        0 => format!("type = \"sphere\", radius = {size}"),
        1 => format!("type = \"ellipsoid\", semi_axes = [{size}, {}, {}]", size * flat[0], size * flat[1]),
        _ => format!("type = \"box\", half_extents = [{size}, {}, {}]", size * flat[0], size * flat[1]),
    };
    let n = draw.pick(&[2, 3, 4, 5]);
    let speed = size * draw.pick(&[1.0, 3.0, 10.0, 30.0]);
    let mut text = head(0.005, 60, "coefficient = 0.5\nellipsoid = { t = 1, o = 1, r = 0.01 }");
    text = text.replace("-9.81", "0.0");
    for k in 0..n {
        let at = f64::from(k) - 0.5 * f64::from(n - 1);
        let more = format!("density = 1000\nvelocity = [{}, 0, 0]", -speed * at);
        text += &body(&format!("b{k}"), &shape, [2.3 * size * at, 0.0, 0.0], &more);
    }
    text
}

#[test]
fn lines_of_bodies_stop_each_other_and_rest() {
    each(line, |text| {
        let (mut momentum, mut most) = (Vector3::zeros(), 0.0_f64);
        let run = watch(text, |simulation| {
            let velocities = &simulation.state().velocities;
            momentum = velocities.iter().map(|v| v.linear).sum();
            most = most.max(velocities.iter().map(|v| v.linear.norm()).fold(0.0, f64::max));
        });
        match run {
            Ok(cost) if cost.most <= 100 && momentum.norm() < 1e-9 * most => None,
            Ok(cost) => Some(format!("{cost:?}, {momentum:?} of {most}")),
            Err(fault) => Some(fault),
        }
    });
}

/// A hand on an arm without weight that closes on a box: servos with armature, friction and damping push
/// against each other at each joint, while the arm hardly feels an impulse.
fn hand(draw: &mut Draw) -> String {
    let armature = draw.pick(&[0.0, 0.003, 0.028, 0.3]);
    let (stiffness, force) = (draw.pick(&[10.0, 100.0, 998.22]), draw.pick(&[0.5, 3.35, 20.0]));
    let mut text = head(0.002, 150, "coefficient = 0.8").replace("-9.81", "0.0");
    text += "[[body]]\nname = \"base\"\nfixed = true\nshape = { type = \"box\", half_extents = [0.01, 0.01, 0.01] }\n";
    let beam = "type = \"box\", half_extents = [0.03, 0.01, 0.01]";
    text += &body("arm", beam, [0.0712, 0.0031, -0.0017], "mass = 0.1");
    text += "[[body]]\nname = \"hand\"\nmass = 0.08\nposition = [0.17, 0, 0]\nparts = [\
             { shape = { type = \"box\", half_extents = [0.03, 0.01, 0.01] }, position = [-0.02, 0, 0] },\
             { shape = { type = \"box\", half_extents = [0.03, 0.005, 0.01] }, position = [0.04, -0.03, 0] }]\n";
    text += &body(
        "jaw",
        "type = \"box\", half_extents = [0.025, 0.005, 0.01]",
        [0.22, 0.021, 0.0],
        "mass = 0.01",
    );
    text += &body(
        "box",
        "type = \"box\", half_extents = [0.008, 0.01, 0.007]",
        [0.215, -0.0149, 0.001],
        "mass = 0.02",
    );
    for (name, between, anchor, closed) in [
        ("shoulder", "[\"base\", \"arm\"]", [0.0213, 0.0011, 0.0023], 0.0),
        ("wrist", "[\"arm\", \"hand\"]", [0.1123, 0.0017, -0.0031], 0.0),
        ("grip", "[\"hand\", \"jaw\"]", [0.19, 0.02, 0.0], -1.4),
    ] {
        let axis = match name {
            "grip" => [0.0, 0.0, 1.0],
            _ => [draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), draw.between(0.1, 1.0)],
        };
        text += &format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\nbetween = {between}\nanchor = {anchor:?}\naxis = {axis:?}\n\
             armature = {armature}\n[[motor]]\nname = \"{name} servo\"\njoint = \"{name}\"\ncoordinate = \"angle\"\n\
             stiffness = {stiffness}\ndamping = 2.731\nlargest_force = {force}\nposition = {{ type = \"table\", \
             times = [0.0, 0.2], values = [0.0, {closed}] }}\n[[motor]]\nname = \"{name} friction\"\njoint = \"{name}\"\n\
             coordinate = \"angle\"\nlargest_force = 0.052\npassive = true\nvelocity = {{ type = \"constant\", value = \
             0.0 }}\n[[motor]]\nname = \"{name} damper\"\njoint = \"{name}\"\ncoordinate = \"angle\"\nstiffness = 0.0\n\
             damping = 0.6\npassive = true\nposition = {{ type = \"constant\", value = 0.0 }}\n"
        );
    }
    text
}

#[test]
fn hands_without_weight_hold_a_box() {
    each(hand, |text| watch(text, |_| ()).err());
}
