//! Lenses, up to a thousand times as wide as thick.

use crate::variants::{Draw, GROUND, all, head};
use std::fmt::Write as _;

fn fall(draw: &mut Draw) -> String {
    let mut text = head(0.005, 100, "coefficient = 0.5") + GROUND;
    let radius = draw.pick(&[0.05, 0.5]);
    for k in 0..2 {
        let thickness = radius * 10f64.powf(draw.between(-3.0, -1.5));
        let mut any = |most: f64| draw.within(most);
        let q =
            nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(any(3.0), any(3.0), any(3.0)));
        let (v, w) = ([any(0.5), any(0.5), any(0.5)], [any(2.0), any(2.0), any(2.0)]);
        writeln!(
            text,
            "[[body]]\nname = \"l{k}\"\nshape = {{ type = \"ellipsoid\", semi_axes = [{radius}, {radius}, {thickness}] }}\n\
             density = 1000\nposition = [{}, 0, {}]\norientation = [{}, {}, {}, {}]\nvelocity = {v:?}\nangular_velocity = {w:?}",
            any(radius),
            radius * (1.1 + 2.2 * f64::from(k)),
            q.w, q.i, q.j, q.k
        )
        .expect("a string");
    }
    text
}

#[test]
fn thin_lenses_are_judged_to_what_rounding_allows() {
    all(fall, |_| None);
}
