//! Bodies flush with their neighbours in three directions, at rest from the start: neighbours across an edge
//! or a corner have nothing else in common.

use crate::variants::{Draw, GROUND, all, head};
use std::fmt::Write as _;

/// A turn about the vertical.
fn turn(angle: f64) -> ([f64; 4], impl Fn([f64; 3]) -> [f64; 3]) {
    let (s, c) = angle.sin_cos();
    let quaternion = [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()];
    (quaternion, move |[x, y, z]| [c * x - s * y, s * x + c * y, z])
}

fn put(text: &mut String, name: &str, shape: &str, position: [f64; 3], orientation: [f64; 4]) {
    writeln!(
        text,
        "[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\ndensity = 1000\nposition = {position:?}\n\
         orientation = {orientation:?}"
    )
    .expect("a string");
}

fn friction(draw: &mut Draw) -> String {
    let (mu, r) = (draw.pick(&[0.2, 0.5, 0.8]), draw.pick(&[0.0, 0.01, 0.05]));
    format!("coefficient = {mu}\nellipsoid = {{ t = 1, o = 1, r = {r} }}")
}

/// Boxes in a block, as they are or turned as a whole.
fn block(draw: &mut Draw) -> String {
    let half = [draw.between(0.02, 0.2), draw.between(0.02, 0.2), draw.between(0.02, 0.2)];
    let count = [2, draw.pick(&[1, 2, 3]), draw.pick(&[2, 3])];
    let (quaternion, turned) = turn(draw.pick(&[0.0, 0.0, 0.3, 1.0]));
    let mut text = head(0.005, 8, &friction(draw)) + GROUND;
    let shape = format!("type = \"box\", half_extents = {half:?}");
    for k in 0..count.iter().product::<usize>() {
        let at = [k % count[0], k / count[0] % count[1], k / count[0] / count[1]];
        let place: [f64; 3] = std::array::from_fn(|i| (2.0 * at[i] as f64 + 1.0) * half[i]);
        put(&mut text, &format!("b{k}"), &shape, turned(place), quaternion);
    }
    text
}

/// A wall in running bond, two bricks thick.
fn wall(draw: &mut Draw) -> String {
    let half = [draw.between(0.08, 0.15), draw.between(0.04, 0.08), draw.between(0.03, 0.06)];
    let (quaternion, turned) = turn(draw.pick(&[0.0, 0.0, 0.7]));
    let mut text = head(0.005, 8, &friction(draw)) + GROUND;
    let shape = format!("type = \"box\", half_extents = {half:?}");
    for course in 0..draw.pick(&[2, 3]) {
        for leaf in 0..2 {
            for k in 0..2 {
                let shift = if course % 2 == 0 { 0.0 } else { half[0] };
                let place = [
                    2.0 * half[0] * f64::from(k) + shift,
                    2.0 * half[1] * f64::from(leaf),
                    half[2] * (2.0 * f64::from(course) + 1.0),
                ];
                put(&mut text, &format!("b{course}{leaf}{k}"), &shape, turned(place), quaternion);
            }
        }
    }
    text
}

/// Cans on cans, that touch those beside them along their sides.
fn cans(draw: &mut Draw) -> String {
    let (radius, length) = (draw.between(0.02, 0.1), draw.between(0.03, 0.2));
    let mut text = head(0.005, 8, &friction(draw)) + GROUND;
    let shape = format!("type = \"cylinder\", radius = {radius}, length = {length}");
    for k in 0..8 {
        let at = [k % 2, k / 2 % 2, k / 4].map(f64::from);
        let place = [2.0 * radius * at[0], 2.0 * radius * at[1], length * (at[2] + 0.5)];
        put(&mut text, &format!("b{k}"), &shape, place, [1.0, 0.0, 0.0, 0.0]);
    }
    text
}

#[test]
fn blocks_rest_at_once() {
    all(block, |cost| (cost.iterations > 300).then(|| format!("{cost:?}")));
}

#[test]
fn thick_walls_rest_at_once() {
    all(wall, |cost| (cost.iterations > 300).then(|| format!("{cost:?}")));
}

#[test]
fn cans_on_cans_stand() {
    all(cans, |_| None);
}
