//! Bodies of all kinds that fall into a smooth bore, level or upright, some of them nearly as wide as it.

use crate::variants::{Draw, all, any_turn, body, head};
use std::f64::consts::FRAC_1_SQRT_2;

const BORE: f64 = 0.1;

/// A body of a random kind within a ball of this radius (m).
fn grain(draw: &mut Draw, index: usize, most: f64, at: [f64; 3]) -> String {
    let mut any = || most * draw.between(0.3, 0.57);
    let (x, y, z) = (any(), any(), any());
    let shape = match draw.pick(&[0, 1, 2, 3]) {
        0 => format!("type = \"box\", half_extents = [{x}, {y}, {z}]"),
        1 => format!("type = \"cylinder\", radius = {x}, length = {}", 2.0 * y),
        2 => format!("type = \"sphere\", radius = {x}"),
        _ => format!("type = \"ellipsoid\", semi_axes = [{x}, {y}, {z}]"),
    };
    let more = format!("density = 1000\norientation = {:?}", any_turn(draw));
    body(&format!("grain-{index}"), &shape, at, &more)
}

fn bored(draw: &mut Draw, more: &str) -> String {
    let friction = format!("coefficient = {}", draw.between(0.0, 0.8));
    head(0.004, 100, &friction) + &body("bore", &format!("type = \"bore\", radius = {BORE}"), [0.0; 3], more)
}

fn upright(draw: &mut Draw) -> String {
    let mut text = bored(draw, "");
    text += &body("floor", "type = \"half_space\", normal = [0, 0, 1], offset = 0", [0.0; 3], "");
    for k in 0..6 {
        let at = [draw.within(0.05), draw.within(0.05), 0.05 + 0.09 * k as f64];
        text += &grain(draw, k, 0.044, at);
    }
    text
}

fn level(draw: &mut Draw) -> String {
    let mut text = bored(draw, &format!("orientation = [{FRAC_1_SQRT_2}, {FRAC_1_SQRT_2}, 0, 0]"));
    for k in 0..5 {
        let at = [draw.within(0.04), 0.1 * k as f64 + draw.within(0.01), draw.within(0.04)];
        text += &grain(draw, k, 0.044, at);
    }
    text
}

fn tight(draw: &mut Draw) -> String {
    let lean = draw.within(0.05);
    let mut text = bored(draw, &format!("orientation = [{}, {}, 0, 0]", lean.cos(), lean.sin()));
    text += &body("floor", "type = \"half_space\", normal = [0, 0, 1], offset = -1", [0.0; 3], "");
    let radius = BORE * draw.between(0.5, 0.98);
    let length = BORE * draw.between(0.2, 3.0);
    text + &body(
        "plug",
        &format!("type = \"cylinder\", radius = {radius}, length = {length}"),
        [0.0; 3],
        &format!("density = 1000\norientation = [{}, {}, 0, 0]", lean.cos(), lean.sin()),
    )
}

#[test]
fn bodies_fall_into_an_upright_bore() {
    all(upright, |cost| (cost.most > 5000).then(|| format!("{cost:?}")));
}

#[test]
fn bodies_fall_in_a_level_bore() {
    all(level, |cost| (cost.most > 5000).then(|| format!("{cost:?}")));
}

#[test]
fn plugs_slide_down_a_bore_that_leans() {
    all(tight, |cost| (cost.most > 5000).then(|| format!("{cost:?}")));
}
