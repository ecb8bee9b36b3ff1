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
