//! Small bodies on the side of a cylinder, or of an egg, up to a thousand times as large: a small body that
//! is flat or straight stands on a surface that is nearly flat, and touches it along more than one normal.

use crate::variants::{Draw, all, any_turn, body, head};

/// The size of small bodies, at most (m).
const SIZE: f64 = 0.01;
/// A box, a cylinder or an egg of about so large, in any orientation.
fn small(draw: &mut Draw, kind: usize, height: f64) -> String {
    let mut any = || SIZE * draw.between(0.3, 1.0);
    let (x, y, z) = (any(), any(), any());
    let shape = match kind {
        0 => format!("type = \"box\", half_extents = [{x}, {y}, {z}]"),
        1 => format!("type = \"cylinder\", radius = {x}, length = {}", 2.0 * y),
        _ => format!("type = \"ellipsoid\", semi_axes = [{x}, {y}, {z}]"),
    };
    let (turn, v) = (any_turn(draw), [draw.within(0.3), draw.within(0.3), 0.0]);
    let more = format!("density = 1000\norientation = {turn:?}\nvelocity = {v:?}");
    body("small", &shape, [0.0, 0.0, height + 2.0 * SIZE], &more)
}

/// A radius of up to a thousand times the size of the small body.
fn radius(draw: &mut Draw) -> f64 {
    SIZE * 10f64.powf(draw.between(0.5, 3.0))
}

fn slippery(draw: &mut Draw) -> String {
    head(0.005, 40, &format!("coefficient = {}", draw.between(0.1, 0.8)))
}

fn on_a_side(draw: &mut Draw) -> String {
    let kind = draw.pick(&[0, 1, 1, 2]);
    let radius = radius(draw);
    let shape = format!("type = \"cylinder\", radius = {radius}, length = {}", 2.0 * radius);
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let more = format!("fixed = true\norientation = [{s}, {s}, 0, 0]");
    slippery(draw) + &body("large", &shape, [0.0, 0.0, -radius], &more) + &small(draw, kind, 0.0)
}

fn on_an_egg(draw: &mut Draw) -> String {
    let kind = draw.pick(&[0, 1, 1, 2]);
    let radius = radius(draw);
    let axes = [radius * draw.between(0.8, 1.0), radius, radius * draw.between(0.8, 1.0)];
    let shape = format!("type = \"ellipsoid\", semi_axes = {axes:?}");
    slippery(draw) + &body("large", &shape, [0.0, 0.0, -axes[2]], "fixed = true") + &small(draw, kind, 0.0)
}

#[test]
fn small_bodies_fall_on_the_side_of_large_cylinders() {
    all(on_a_side, |cost| (cost.most > 5000).then(|| format!("{cost:?}")));
}

#[test]
fn small_bodies_fall_on_large_eggs() {
    all(on_an_egg, |cost| (cost.most > 5000).then(|| format!("{cost:?}")));
}

/// A can that stands on a pipe up to a thousand times as long as it is wide, and rocks: the pipe's far ends
/// cut the plane of its cap at the least lean.
fn rocking(draw: &mut Draw) -> String {
    let (radius, length) = (SIZE * draw.between(3.0, 100.0), SIZE * 10f64.powf(draw.between(1.0, 3.3)));
    let shape = format!("type = \"cylinder\", radius = {radius}, length = {length}");
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let pipe =
        body("large", &shape, [0.0, 0.0, -radius], &format!("fixed = true\norientation = [{s}, {s}, 0, 0]"));
    let half = SIZE * draw.between(0.3, 1.0);
    let spin = [draw.within(0.5), draw.within(2.0), draw.within(2.0)];
    let can = format!("type = \"cylinder\", radius = {SIZE}, length = {}", 2.0 * half);
    let more = format!("density = 1000\nangular_velocity = {spin:?}");
    let friction =
        format!("coefficient = {}\nellipsoid = {{ t = 1, o = 1, r = 0 }}", draw.pick(&[0.0, 0.3, 0.8]));
    head(0.005, 20, &friction)
        + &pipe
        + &body("small", &can, [0.0, 0.0, half + draw.pick(&[0.0, 1e-4])], &more)
}

#[test]
fn cans_rock_on_long_pipes() {
    all(rocking, |cost| (cost.most > 1000).then(|| format!("{cost:?}")));
}
