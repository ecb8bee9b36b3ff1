//! Bodies between others that drive them together: jaws that close on a part, so that from the step on in
//! which both press on it no solution exists, and a tray that rises toward a ball under a hammer.

use crate::variants::{Draw, GROUND, all, body, each, head, load};

fn vice(draw: &mut Draw) -> String {
    let size = draw.between(0.05, 0.15);
    let shape = match draw.pick(&[0, 1, 2, 3]) {
        0 => format!("type = \"box\", half_extents = [{size}, {}, {size}]", draw.between(0.05, 0.2)),
        1 => format!("type = \"sphere\", radius = {size}"),
        2 => format!("type = \"ellipsoid\", semi_axes = [{size}, {}, {size}]", draw.between(0.05, 0.2)),
        _ => format!("type = \"cylinder\", radius = {size}, length = {}", 2.0 * size),
    };
    let mu = draw.pick(&[0.1, 0.5, 1.0]);
    let friction = format!("coefficient = {mu}\nellipsoid = {{ t = 1, o = 1, r = 0.01 }}");
    let jaw = "type = \"box\", half_extents = [0.1, 0.3, 0.3]";
    let place = |side: f64| [side * (size + 0.1 + 0.002), 0.0, 0.31];
    head(0.005, 8, &friction)
        + GROUND
        + &body("jaw", jaw, place(-1.0), "fixed = true")
        + &body("closing", jaw, place(1.0), "")
        + "[[motion]]\nbody = \"closing\"\ndirection = [1, 0, 0]\nvelocity = { type = \"constant\", value = -1 }\n"
        + &body("part", &shape, [0.0, 0.0, size], "density = 1000")
}

#[test]
fn vices_that_close_on_a_part_are_told_soon() {
    let total = std::cell::Cell::new(0);
    each(vice, |text| {
        let mut simulation = load(text).unwrap_or_else(|fault| panic!("{fault}"));
        let part = simulation.scene().bodies.iter().position(|b| b.name == "part").expect("a part");
        let mut told = 0;
        for _ in 0..8 {
            let outcome = simulation.advance();
            let speed = simulation.state().velocities[part].linear.norm();
            total.set(total.get() + outcome.info.iterations);
            told += usize::from(!outcome.info.status.is_solved());
            if outcome.info.iterations > 20_000 || speed > 4.0 {
                return Some(format!(
                    "step {}: {} iterations, {speed} m/s",
                    outcome.step, outcome.info.iterations
                ));
            }
        }
        (told < 5).then(|| format!("told {told} times"))
    });
    // 320 steps.
    assert!(total.get() < 500_000, "{} iterations", total.get());
}

/// A tray rises toward a ball at rest, which a heavy one strikes: only together do their ways of the step
/// close the gap.
fn anvil(draw: &mut Draw) -> String {
    let (h, rise, fall) = (0.005, draw.between(0.5, 2.0), draw.between(3.0, 6.0));
    let gap = (fall + draw.between(0.1, 0.9) * rise) * h - 0.001;
    let tray = "[[body]]\nname = \"tray\"\nfixed = true\nparts = [\n\
                { shape = { type = \"box\", half_extents = [0.5, 0.5, 0.05] }, position = [0, 0, -0.05] },\n\
                { shape = { type = \"box\", half_extents = [0.05, 0.5, 0.2] }, position = [0.5, 0, 0.1] },\n]\n";
    let ball = "type = \"sphere\", radius = 0.05";
    let strikes = format!("mass = 1000\nvelocity = [0, 0, {}]", -fall);
    head(h, 3, "coefficient = 0.3")
        + tray
        + &body("ball", ball, [0.0, 0.0, gap + 0.05], "mass = 1")
        + &body("hammer", ball, [draw.within(0.01), 0.0, gap + 0.151], &strikes)
        + &format!(
            "[[motion]]\nbody = \"tray\"\ndirection = [0, 0, 1]\nvelocity = {{ type = \"constant\", value = {rise} }}\n"
        )
}

#[test]
fn a_ball_struck_toward_a_tray_that_rises_meets_it() {
    all(anvil, |_| None);
}
