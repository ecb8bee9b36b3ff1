//! Masses of up to 1e5 to one that stand on each other, and of up to 1e9 to one that hang on each other.

use crate::variants::{Cost, Draw, GROUND, all, any_turn, body, head, load};

/// The head of a scene that is solved to a tolerance.
fn head_to(tolerance: f64, step: f64, n_steps: usize, friction: &str) -> String {
    let solver = format!("[solver]\ntolerance = {tolerance:e}\n[[friction]]");
    head(step, n_steps, friction).replace("[[friction]]", &solver)
}

/// A heavy body on a light one, and that on the ground, solved to a tolerance.
fn pair(draw: &mut Draw, most: f64, tolerance: f64) -> String {
    let mu = draw.pick(&[0.2, 0.5, 1.0]);
    let friction = format!("coefficient = {mu}\nellipsoid = {{ t = 1, o = 1, r = 0.01 }}");
    let mut text = head_to(tolerance, 0.005, 40, &friction) + GROUND;
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

/// Two chains of four ellipsoids, some ten times as dense, on hinges with limits and motors: one falls on the
/// other.
fn chains(draw: &mut Draw) -> String {
    let mut text = head_to(draw.pick(&[1e-5, 1e-3]), 0.002, 100, "coefficient = 0.1");
    for k in 0..8 {
        let (row, place) = (f64::from(k / 4), f64::from(k % 4));
        let at = [0.3 * place, 0.1 * row, 0.25 * row];
        let axes = [0, 1, 2].map(|_| 0.08 * draw.between(0.3, 1.0));
        let density = draw.pick(&[1000, 1000, 10000]);
        text += &body(
            &format!("b{k}"),
            &format!("type = \"ellipsoid\", semi_axes = {axes:?}"),
            at,
            &format!(
                "density = {density}\nvelocity = [0, 0, {}]\norientation = {:?}",
                -2.0 * row,
                any_turn(draw)
            ),
        );
        if k % 4 > 0 {
            let axis = nalgebra::Vector3::from_fn(|_, _| draw.within(1.0)).normalize();
            text += &format!(
                "[[joint]]\nname = \"j{k}\"\ntype = \"revolute\"\nbetween = [\"b{}\", \"b{k}\"]\n\
                 anchor = [{}, {}, {}]\naxis = {:?}\nangle_limits = [-0.3, 0.2]\n[[motor]]\njoint = \"j{k}\"\n\
                 velocity = {{ type = \"sine\", amplitude = 2, frequency = 1.5 }}\nlargest_force = 0.5\n",
                k - 1,
                at[0] - 0.15,
                at[1],
                at[2],
                [axis.x, axis.y, axis.z]
            );
        }
    }
    text
}

/// A joint is solved to what the heaviest body feels that its bodies carry.
#[test]
fn chains_of_heavy_and_light_bodies_meet() {
    all(chains, |_| None);
}

/// A gap is solved to what the heavier body feels: what the lighter one feels is a hundred thousand times as
/// much. Of bodies that fall and rock on others a million times as light some steps stay unsolved.
#[test]
fn heavy_bodies_stand_on_light_ones() {
    let check = |cost: Cost| (cost.most > 4000).then(|| format!("{cost:?}"));
    all(|draw| pair(draw, 5.0, 1e-4), check);
    all(|draw| pair(draw, 5.0, 1e-8), check);
}

#[test]
fn heavy_bodies_hang_on_light_links() {
    // A step in which joints would whip a link around is halved.
    all(chain, |cost| (cost.most > 1500).then(|| format!("{cost:?}")));
}

/// Head of a scene with a tolerance, steps of a millisecond, and the ground.
fn ground(tolerance: f64, n_steps: usize) -> String {
    head_to(tolerance, 0.001, n_steps, "coefficient = 0.5") + GROUND
}

/// Boxes on each other, the first of 1 kg, the next of the given masses.
fn stack(masses: &[f64], tolerance: f64) -> (String, f64) {
    let mut text = ground(tolerance, 100);
    for (k, mass) in [1.0].iter().chain(masses).enumerate() {
        let place = [0.007 * (k % 2) as f64, 0.004 * (k % 3) as f64, 0.1 + 0.2 * k as f64];
        let shape = "type = \"box\", half_extents = [0.1, 0.1, 0.1]";
        text += &body(&format!("b{k}"), shape, place, &format!("mass = {mass:e}"));
    }
    (text, 1.0 + masses.iter().sum::<f64>())
}

/// A plate that rolls on nine balls, or on four cylinders, of 1 kg each.
fn plate(mass: f64, on_balls: bool, tolerance: f64) -> (String, f64) {
    let mut text = ground(tolerance, 150);
    let rolls = "mass = 1.0\nvelocity = [0.5, 0, 0]\nangular_velocity = [0, 10, 0]";
    let (ball, lying) =
        ("type = \"sphere\", radius = 0.05", "orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]");
    let cylinder = "type = \"cylinder\", radius = 0.05, length = 0.8";
    let n = if on_balls { 9 } else { 4 };
    for k in 0..n {
        let wave = 0.05 * (2.4 * f64::from(k)).sin();
        if on_balls {
            let place = [0.32 * f64::from(k / 3 - 1) + wave, 0.31 * f64::from(k % 3 - 1) - wave, 0.05];
            text += &body(&format!("r{k}"), ball, place, rolls);
        } else {
            let place = [0.24 * f64::from(k) - 0.36 + wave, 0.1 * wave, 0.05];
            text += &body(&format!("r{k}"), cylinder, place, &format!("{lying}\n{rolls}"));
        }
    }
    let place = format!("mass = {mass:e}\nvelocity = [1, 0, 0]");
    text += &body("plate", "type = \"box\", half_extents = [0.6, 0.6, 0.1]", [0.0, 0.0, 0.2], &place);
    (text, mass + f64::from(n))
}

/// Force on the ground over the weight, less 1: the largest of the steps after the first half, and the mean.
fn off_the_weight((text, mass): &(String, f64)) -> [f64; 2] {
    let mut simulation = load(text).unwrap();
    let (h, n) = (simulation.scene().time_step, simulation.scene().n_steps());
    let (mut most, mut sum) = (0.0_f64, 0.0);
    for step in 0..n {
        let outcome = simulation.advance();
        assert!(outcome.is_good(), "{mass} kg, step {step}: {:?}", outcome.info);
        if step < n / 2 {
            continue;
        }
        let ground = simulation.contacts().iter().filter(|contact| contact.body_a == 0);
        let off = ground.map(|contact| contact.normal_impulse).sum::<f64>() / (mass * 9.81 * h) - 1.0;
        most = most.max(off.abs());
        sum += off / (n - n / 2) as f64;
    }
    [most, sum]
}

/// A gap counts by the mass that its bodies carry. With that of the pair alone the ground pushes with 0.8 to
/// 1.2 of the weight of a plate of 10 t on balls of 1 kg, and with up to 17 times that of one of 1000 t, at
/// the tolerance of 1e-4.
#[test]
fn the_ground_carries_the_weight() {
    let tolerance = 1e-4;
    for ratio in [1.0, 1e2, 1e4, 1e6] {
        let scenes = [
            ("heavy on light", stack(&[ratio], tolerance)),
            ("three", stack(&[f64::sqrt(ratio), ratio], tolerance)),
            ("in turn", stack(&[ratio, 1.0, ratio, 1.0, ratio, 1.0, ratio], tolerance)),
            ("plate on balls", plate(ratio, true, tolerance)),
            ("plate on cylinders", plate(ratio, false, tolerance)),
        ];
        for (name, scene) in scenes {
            let [most, mean] = off_the_weight(&scene);
            assert!(most <= 1e-3 && mean.abs() <= tolerance, "{name}, {ratio:e}: {most:e}, mean {mean:e}");
        }
    }
}
