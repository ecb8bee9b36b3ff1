//! Polytopes whose corners lie in the planes of their faces only to so many digits.

use crate::variants::{Draw, GROUND, all, head};
use std::fmt::Write as _;

/// Corners of a prism over a regular polygon, a box among them, of a length and half a height.
fn prism(n: usize, radius: f64, half: f64) -> Vec<[f64; 3]> {
    let corner = |k: usize| {
        let (s, c) = ((k / 2) as f64 * std::f64::consts::TAU / n as f64 + 0.3).sin_cos();
        [radius * c, radius * s, if k.is_multiple_of(2) { half } else { -half }]
    };
    (0..2 * n).map(corner).collect()
}

/// Three prisms upon each other, whose coordinates are off by a noise of so much of their size.
fn stack(draw: &mut Draw) -> String {
    let size = draw.pick(&[0.01, 0.1, 1.0]);
    let noise = 10f64.powf(draw.between(-12.0, -8.0));
    let n = draw.pick(&[3, 4, 4, 4, 6, 12]);
    let mut text = head(0.005, 30, "coefficient = 0.5\nellipsoid = { t = 1, o = 1, r = 0.01 }") + GROUND;
    for k in 0..3 {
        let noisy = |x: f64, draw: &mut Draw| x + size * draw.within(noise);
        let corners: Vec<[f64; 3]> = prism(n, size, size).iter().map(|v| v.map(|x| noisy(x, draw))).collect();
        let height = size * (1.0 + 2.0 * f64::from(k)) + size * noise * (2.0 + 4.0 * f64::from(k));
        writeln!(
            text,
            "[[body]]\nname = \"c{k}\"\nshape = {{ type = \"polytope\", vertices = {corners:?} }}\n\
             density = 1000\nposition = [{}, 0, {height}]",
            0.1 * size * f64::from(k)
        )
        .expect("a string");
    }
    text
}

#[test]
fn stacks_of_noisy_prisms_stand() {
    all(stack, |cost| (cost.most > 60).then(|| format!("{cost:?}")));
}
