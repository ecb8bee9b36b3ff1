//! Bodies that touch at the start, as exactly as their poses can say, and bodies that overlap there.

use crate::variants::{Draw, GROUND, all, head, run};
use nalgebra::{UnitQuaternion, Vector3};
use std::fmt::Write as _;

type V = Vector3<f64>;

/// A shape, and half its extent along its z axis, by which it touches.
fn shape(draw: &mut Draw) -> (String, f64) {
    let mut any = || draw.between(0.02, 0.1);
    let (x, y, z) = (any(), any(), any());
    match draw.pick(&[0, 0, 1, 2, 3]) {
        0 => (format!("type = \"box\", half_extents = [{x}, {y}, {z}]"), z),
        1 => (format!("type = \"cylinder\", radius = {x}, length = {}", 2.0 * z), z),
        2 => {
            let corner = |k: usize| {
                let (s, c) = ((k / 2) as f64 * std::f64::consts::TAU / 6.0).sin_cos();
                [x * c, x * s, if k.is_multiple_of(2) { z } else { -z }]
            };
            let corners: Vec<[f64; 3]> = (0..12).map(corner).collect();
            (format!("type = \"polytope\", vertices = {corners:?}"), z)
        }
        _ => (format!("type = \"ellipsoid\", semi_axes = [{x}, {y}, {z}]"), z),
    }
}

/// Two bodies whose ends touch, in any orientation at any place, one of them past the middle of the other.
fn touching(draw: &mut Draw) -> String {
    let ((first, low), (second, high)) = (shape(draw), shape(draw));
    let mut any = |most: f64| draw.within(most);
    let turn = UnitQuaternion::from_scaled_axis(V::new(any(3.0), any(3.0), any(3.0)));
    let spin = UnitQuaternion::from_scaled_axis(V::z() * any(3.0));
    let place = V::new(any(1.0), any(1.0), any(1.0));
    let aside = V::new(any(0.01), any(0.01), 0.0);
    let (turn, aside) =
        if draw.pick(&[true, false]) { (turn, aside) } else { (UnitQuaternion::identity(), V::zeros()) };
    // Round ends touch in the middle only.
    let aside = if first.contains("ellipsoid") || second.contains("ellipsoid") { V::zeros() } else { aside };
    let mut text = head(0.005, 4, "coefficient = 0.5").replace("-9.81", "0.0");
    for (name, shape, at, orientation) in [
        ("a", first, place, turn),
        ("b", second, place + turn * (aside + V::z() * (low + high)), turn * spin),
    ] {
        let q = orientation.quaternion();
        writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\nmass = 1\nposition = [{}, {}, {}]\n\
             orientation = [{}, {}, {}, {}]",
            at.x, at.y, at.z, q.w, q.i, q.j, q.k
        )
        .expect("a string");
    }
    text
}

#[test]
fn bodies_that_touch_are_accepted() {
    all(touching, |cost| (cost.most > 60).then(|| format!("{cost:?}")));
}

/// An overlap that the first step takes up slowly is accepted. One that would make the body fly up is
/// refused, in words that say how fast.
#[test]
fn overlaps_are_refused_by_the_speed_at_which_they_end() {
    let scene = |step: f64, depth: f64| {
        let size = 0.1;
        head(step, 20, "coefficient = 0.5")
            + GROUND
            + &format!(
                "[[body]]\nname = \"b\"\nshape = {{ type = \"box\", half_extents = [{size}, {size}, {size}] }}\n\
                 density = 1000\nposition = [0, 0, {}]\n",
                size - depth
            )
    };
    for (step, depth) in [(0.005, 9e-6), (1e-3, 9e-6), (1e-5, 1e-7), (1e-6, 1e-16)] {
        run(&scene(step, depth)).unwrap_or_else(|fault| panic!("{depth:e} m in {step:e} s: {fault}"));
    }
    for (step, depth, speed) in
        [(0.005, 2e-5, "4.000e-3 m/s"), (1e-5, 9e-6, "9.000e-1 m/s"), (1e-4, 8e-6, "8.000e-2 m/s")]
    {
        let fault = run(&scene(step, depth)).expect_err("refused");
        assert!(fault.contains(speed) && fault.contains("ground") && fault.contains('b'), "{fault}");
    }
}
