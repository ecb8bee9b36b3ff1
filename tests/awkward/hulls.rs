//! Polytopes of very many corners.

use crate::variants::{Draw, GROUND, all, head};
use std::fmt::Write as _;

/// Corners on a unit ball, evenly, or of a prism.
fn corners(draw: &mut Draw) -> (Vec<[f64; 3]>, f64) {
    let n: usize = draw.pick(&[120, 400, 900]);
    if draw.pick(&[true, false]) {
        let radius = draw.between(0.05, 0.3);
        let half = radius * draw.between(0.3, 1.0);
        let corner = |k: usize| {
            let (s, c) = ((k / 2) as f64 * std::f64::consts::TAU / n as f64).sin_cos();
            [radius * c, radius * s, if k.is_multiple_of(2) { half } else { -half }]
        };
        return ((0..2 * n).map(corner).collect(), half);
    }
    let axes = [draw.between(0.05, 0.2), draw.between(0.05, 0.2), draw.between(0.05, 0.2)];
    let corner = |k: usize| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
        let (s, c) = (2.399_963_229_728_653 * k as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        [axes[0] * r * c, axes[1] * r * s, axes[2] * z]
    };
    ((0..n).map(corner).collect(), axes[2])
}

/// One upon the other, let fall by a little.
fn pair(draw: &mut Draw) -> String {
    let ((first, low), (second, high)) = (corners(draw), corners(draw));
    let mut text = head(0.005, 24, "coefficient = 0.5\nellipsoid = { t = 1, o = 1, r = 0.01 }") + GROUND;
    let bodies = [("a", first, 1.01 * low), ("b", second, 2.03 * low + 1.01 * high)];
    for (name, corners, height) in bodies {
        writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nshape = {{ type = \"polytope\", vertices = {corners:?} }}\ndensity = 1000\n\
             position = [{}, {}, {height}]",
            draw.within(0.01),
            draw.within(0.01)
        )
        .expect("a string");
    }
    text
}

#[test]
fn hulls_of_many_corners_fall_upon_each_other() {
    all(pair, |cost| (cost.most > 400).then(|| format!("{cost:?}")));
}
