//! Very short steps, places far from the origin, and very large and small bodies: rounding of places shows in
//! impulses by the square of the step.

use crate::variants::{Draw, all, body, head};

/// A scene of a length, at a place (m), in steps of so long.
fn scene(draw: &mut Draw, size: f64, place: f64, step: f64) -> String {
    let friction = format!("coefficient = 0.5\nellipsoid = {{ t = 1, o = 1, r = {} }}", 0.2 * size);
    let kind = draw.pick(&[0, 1, 2]);
    let mut text = head(step, 40, &friction);
    text += &format!(
        "[[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = {place:?} }}\n"
    );
    let cube = format!("type = \"box\", half_extents = [{size}, {size}, {size}]");
    if kind == 0 {
        for k in 0..3 {
            let at = [place + 0.01 * size * f64::from(k), 0.0, place + size * (2.0 * f64::from(k) + 1.0)];
            text += &body(&format!("b{k}"), &cube, at, "density = 1000");
        }
    } else if kind == 1 {
        let more = format!("density = 1000\nvelocity = [{}, 0, 0]", draw.between(1.0, 10.0) * size);
        text += &body("b", &format!("type = \"sphere\", radius = {size}"), [place, 0.0, place + size], &more);
    } else {
        let high = place + 20.0 * size;
        text += &body("w", &cube, [place, 0.0, high], "fixed = true");
        let arm = format!("type = \"box\", half_extents = [{}, {size}, {size}]", 4.0 * size);
        text += &body("a", &arm, [place + 4.0 * size, 0.0, high], "density = 1000");
        text += &format!(
            "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"w\", \"a\"]\nanchor = {:?}\n\
             axis = [0, 1, 0]\nangle_limits = [-0.5, {}]\n",
            [place, 0.0, high],
            draw.pick(&[0.0, 1e-6, 0.5])
        );
    }
    text
}

#[test]
fn very_short_steps_are_solved_to_what_rounding_allows() {
    let short = |draw: &mut Draw| {
        let step = 10f64.powf(draw.between(-6.0, -4.0));
        scene(draw, 0.1, 0.0, step)
    };
    all(short, |cost| (cost.most > 60).then(|| format!("{cost:?}")));
}

#[test]
fn bodies_far_from_the_origin_are_solved_to_what_rounding_allows() {
    let far = |draw: &mut Draw| {
        let place = 10f64.powf(draw.between(1.0, 6.0));
        let step = draw.pick(&[1e-3, 5e-3]);
        scene(draw, 0.1, place, step)
    };
    all(far, |cost| (cost.most > 60).then(|| format!("{cost:?}")));
}

#[test]
fn bodies_of_any_size_are_solved() {
    let sized = |draw: &mut Draw| {
        let size = 10f64.powf(draw.between(-4.0, 2.0));
        let step = 5e-3 * (10.0 * size).sqrt();
        scene(draw, size, 0.0, step)
    };
    all(sized, |cost| (cost.most > 60).then(|| format!("{cost:?}")));
}
