//! Rods, coins and plates a fiftieth as thick as wide, that fall upon each other in a box.

use crate::variants::{Draw, all, any_turn, body, head};

fn part(draw: &mut Draw) -> String {
    let size = draw.between(0.06, 0.12);
    let thin = size * draw.between(0.02, 0.05);
    match draw.pick(&[0, 1, 2, 3]) {
        0 => format!("type = \"cylinder\", radius = {thin}, length = {}", 2.0 * size),
        1 => format!("type = \"cylinder\", radius = {}, length = {}", 0.5 * size, 2.0 * thin),
        2 => format!("type = \"ellipsoid\", semi_axes = [{size}, {}, {}]", 0.5 * size, thin),
        _ => format!("type = \"box\", half_extents = [{size}, {}, {thin}]", 0.5 * size),
    }
}

fn drop(draw: &mut Draw) -> String {
    let friction = format!("coefficient = {}", draw.pick(&[0.1, 0.3, 0.6]));
    let mut text = head(0.005, 50, &friction)
        + "[[container]]\nname = \"k\"\nmin = [-0.25, -0.25, 0.0]\nmax = [0.25, 0.25, 2.0]\n";
    for k in 0..4 {
        let turn = any_turn(draw);
        let more = format!("density = 1000\norientation = {turn:?}\nvelocity = [0, 0, -1.0]");
        let place =
            [0.08 * f64::from(k % 2) - 0.04, 0.08 * f64::from(k / 2) - 0.04, 0.14 + 0.26 * f64::from(k)];
        text += &body(&format!("b{k}"), &part(draw), place, &more);
    }
    text
}

/// A step that resists takes .51 s of work at most; a second is allowed for 50 bodies.
#[test]
fn thin_parts_fall_upon_each_other() {
    all(drop, |cost| (cost.work > 0.55).then(|| format!("{cost:?}")));
}
