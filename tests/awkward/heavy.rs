//! Masses of up to a thousand million to one that stand on each other and hang on each other.

use crate::variants::{Cost, Draw, GROUND, all, body, head};

/// A heavy body on a light one, and that on the ground, solved to a tolerance.
fn pair(draw: &mut Draw, most: f64, tolerance: f64) -> String {
    let mu = draw.pick(&[0.2, 0.5, 1.0]);
    let friction = format!("coefficient = {mu}\nellipsoid = {{ t = 1, o = 1, r = 0.01 }}");
    let solver = format!("[solver]\ntolerance = {tolerance:e}\n[[friction]]");
    let mut text = head(0.005, 40, &friction).replace("[[friction]]", &solver) + GROUND;
    let masses = [1.0, 10f64.powf(draw.between(1.0, most))];
    let mut height = 0.0;
    for (k, mass) in masses.iter().enumerate() {
        let half = [draw.between(0.08, 0.15), draw.between(0.08, 0.15), draw.between(0.05, 0.15)];
        let place = [draw.within(0.02), draw.within(0.02), height + half[2] + draw.pick(&[0.0, 0.01])];
        height = place[2] + half[2];
        let more = format!("mass = {mass:e}\nvelocity = [{}, 0, 0]", draw.within(0.2));
        text += &body(&format!("b{k}"), &format!("type = \"box\", half_extents = {half:?}"), place, &more);
    }
    text
}

/// Light links, and a heavy one at the end, that swing from level.
fn chain(draw: &mut Draw) -> String {
    let mut text = head(0.005, 20, "coefficient = 0.3");
    text += &body("w", "type = \"box\", half_extents = [0.02, 0.02, 0.02]", [0.0, 0.0, 1.0], "fixed = true");
    let (n, heavy) = (draw.pick(&[2, 3, 4, 10]), 10f64.powf(draw.between(3.0, 9.0)));
    for k in 0..n {
        let mass = if k + 1 == n { 0.1 * heavy } else { 0.1 };
        let place = [0.1 * f64::from(k) + 0.05, 0.0, 1.0];
        text += &body(
            &format!("l{k}"),
            "type = \"box\", half_extents = [0.05, 0.01, 0.01]",
            place,
            &format!("mass = {mass:e}"),
        );
    }
    for k in 0..n {
        let before = if k == 0 { "w".to_owned() } else { format!("l{}", k - 1) };
        let kind = draw.pick(&["\"ball\"", "\"revolute\"\naxis = [0, 1, 0]"]);
        text += &format!(
            "[[joint]]\nname = \"j{k}\"\ntype = {kind}\nbetween = [\"{before}\", \"l{k}\"]\nanchor = [{}, 0, 1]\n",
            0.1 * f64::from(k)
        );
    }
    text
}

/// An impulse between bodies is solved to the tolerance of itself, which is much for the lighter one: between
/// a body ten million times as heavy and the ground it is as free as in the air.
#[test]
fn heavy_bodies_stand_on_light_ones() {
    let check = |cost: Cost| (cost.most > 4000).then(|| format!("{cost:?}"));
    all(|draw| pair(draw, 7.0, 1e-4), check);
    all(|draw| pair(draw, 5.0, 1e-8), check);
}

#[test]
fn heavy_bodies_hang_on_light_links() {
    // A step in which joints would whip a link around is halved.
    all(chain, |cost| (cost.most > 1500).then(|| format!("{cost:?}")));
}
