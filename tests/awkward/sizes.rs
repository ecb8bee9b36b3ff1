//! Light bodies beside and upon heavy ones: the residual of a light body is measured by the loads on it
//! alone.

use crate::variants::{Draw, GROUND, any_turn, body, each, head, load, watch};
use signorini_geometry::Velocity;

/// A small body that tumbles and slides.
fn light(draw: &mut Draw, height: f64) -> String {
    let mut any = || draw.between(0.005, 0.02);
    let (x, y, z) = (any(), any(), any());
    let shape = draw
        .pick(&[
            format!("type = \"box\", half_extents = [{x}, {y}, {z}]").as_str(),
            &format!("type = \"ellipsoid\", semi_axes = [{x}, {y}, {z}]"),
            &format!("type = \"cylinder\", radius = {x}, length = {y}"),
        ])
        .to_owned();
    let (turn, v, w) =
        (any_turn(draw), [draw.within(0.5), draw.within(0.5), 0.0], [0.0, 0.0, draw.within(5.0)]);
    let more = format!("density = 1000\norientation = {turn:?}\nvelocity = {v:?}\nangular_velocity = {w:?}");
    body("light", &shape, [0.0, 0.0, height + 0.03], &more)
}

fn friction(draw: &mut Draw) -> String {
    format!("coefficient = {}\nellipsoid = {{ t = 1, o = 1, r = 0.001 }}", draw.between(0.1, 0.8))
}

/// A heavy body, which a force may press, ten metres from a light one.
fn beside(draw: &mut Draw) -> String {
    let text = head(0.005, 40, &friction(draw)) + GROUND + &light(draw, 0.0);
    let mass = 10f64.powf(draw.between(1.0, 8.0));
    let more = format!("mass = {mass:e}\nvelocity = [{}, 0, 0]", draw.within(1.0));
    text + &body("heavy", "type = \"box\", half_extents = [1, 1, 1]", [10.0, 0.0, 1.001], &more)
}

/// A block of the same density, or a much heavier one, that a small body is dropped on.
fn upon(draw: &mut Draw) -> String {
    let half = draw.between(0.3, 1.0);
    let text = head(0.005, 60, &friction(draw)) + GROUND + &light(draw, 2.0 * half);
    let more = format!("density = {:e}", 10f64.powf(draw.between(3.0, 6.0)));
    let shape = format!("type = \"box\", half_extents = [{half}, {half}, {half}]");
    text + &body("heavy", &shape, [0.0, 0.0, half], &more)
}

/// Place and velocity of the light body after the last step; how many steps were halved.
fn end(text: &str) -> Result<([f64; 3], Velocity, usize), String> {
    let at = load(text)?.scene().bodies.iter().position(|b| b.name == "light").expect("a light body");
    let (mut last, mut halved) = (None, 0);
    watch(text, |simulation| {
        halved += usize::from(!simulation.substeps().is_empty());
        let state = simulation.state();
        last = Some((state.poses[at].position.into(), state.velocities[at]));
    })?;
    let (p, v) = last.ok_or_else(|| "no step".to_owned())?;
    Ok((p, v, halved))
}

/// The difference that another scene makes to the light body, over its speed and place; whether both took the
/// same steps.
fn difference(text: &str, other: &str) -> Result<(f64, bool), String> {
    let ((p, u, halved), (q, v, other)) = (end(text)?, end(other)?);
    let apart = (0..3).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max);
    let size = 0.01;
    let off = (apart / size).max((u.linear - v.linear).norm()).max(size * (u.angular - v.angular).norm());
    Ok((off, halved == other))
}

#[test]
fn light_bodies_move_as_if_heavy_ones_elsewhere_were_not_there() {
    each(beside, |text| {
        let alone = text.rfind("[[body]]").map(|at| &text[..at]).expect("a heavy body");
        match difference(text, alone) {
            Ok((0.0, true)) => None,
            off => Some(format!("{off:?}")),
        }
    });
}

/// Where the landing of one of the two had to be halved, they are solutions of other equations: a step of
/// half the length changes them by a few thousandths.
#[test]
fn small_bodies_move_on_large_free_ones_as_on_fixed_ones() {
    each(upon, |text| match difference(text, &format!("{text}fixed = true\n")) {
        Ok((off, same_steps)) if off < 1e-3 || !same_steps && off < 1e-2 => None,
        off => Some(format!("{off:?}")),
    });
}
