//! Directions of anisotropic friction along and near the normal of the contact.

use crate::variants::{Draw, all};
use std::fmt::Write as _;

/// Materials, friction with a direction in wood, and a floor.
fn floor(draw: &mut Draw, direction: [f64; 3]) -> String {
    let (t, o) = (draw.between(0.3, 1.0), draw.between(0.3, 1.0));
    let mu = draw.between(0.1, 0.6);
    format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.25\n[[material]]\nname = \"wood\"\n[[material]]\n\
         name = \"floor\"\n[[friction]]\nbetween = [\"wood\", \"floor\"]\ncoefficient = {mu}\n\
         ellipsoid = {{ t = {t}, o = {o}, r = 0.01 }}\ndirection = {direction:?}\n[[body]]\nname = \"ground\"\n\
         shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\nmaterial = \"floor\"\n"
    )
}

fn put(text: &mut String, draw: &mut Draw, shape: &str, height: f64) {
    let mut any = |most: f64| draw.within(most);
    let (v, w) = ([any(1.0), any(1.0), 0.0], [any(3.0), any(3.0), any(3.0)]);
    writeln!(
        text,
        "[[body]]\nname = \"b\"\nshape = {{ {shape} }}\ndensity = 1000\nmaterial = \"wood\"\n\
         position = [0, 0, {height}]\nvelocity = {v:?}\nangular_velocity = {w:?}"
    )
    .expect("a string");
}

/// A box that slides on its end grain: the friction direction is along the normal or leans against it by
/// little.
fn sliding(draw: &mut Draw) -> String {
    let lean = draw.pick(&[0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.03, 0.09]);
    let direction = [lean * draw.within(1.0), lean * draw.within(1.0), draw.pick(&[1.0, -1.0])];
    let mut text = floor(draw, direction);
    let half = [draw.between(0.05, 0.2), draw.between(0.05, 0.2), draw.between(0.02, 0.1)];
    put(&mut text, draw, &format!("type = \"box\", half_extents = {half:?}"), half[2]);
    text
}

/// A ball or an egg whose friction direction comes past the normal as it rolls and slides.
fn rolling(draw: &mut Draw) -> String {
    let direction = [draw.within(0.2), draw.within(0.2), 1.0];
    let mut text = floor(draw, direction);
    let axes = draw.pick(&[[0.1, 0.1, 0.1], [0.12, 0.1, 0.1], [0.1, 0.09, 0.08]]);
    put(&mut text, draw, &format!("type = \"ellipsoid\", semi_axes = {axes:?}"), axes[2]);
    text
}

#[test]
fn boxes_slide_on_their_end_grain() {
    all(sliding, |cost| (cost.most > 120).then(|| format!("{cost:?}")));
}

#[test]
fn grains_roll_past_the_normal() {
    all(rolling, |cost| (cost.most > 120).then(|| format!("{cost:?}")));
}
