//! Boxes that strike a floor anywhere within a step: the state after the impact must not depend on the
//! instant.

use crate::variants::{Draw, GROUND, any_turn, body, each, head, watch};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// A step short beside the time of an impact's neighbours: a body turns by a thousandth in it.
const STEP: f64 = 1e-4;
/// Height from which boxes fall before they strike (m).
const FALL: f64 = 2e-3;

/// A rotated box whose lowest corner is a fall above the floor.
fn drop(draw: &mut Draw) -> String {
    let mu = draw.pick(&[0.0, 0.2, 0.5, 1.0, 2.0]);
    let friction = format!("coefficient = {mu}\nellipsoid = {{ t = 1, o = 1, r = 0.02 }}");
    let half = [draw.between(0.05, 0.2), draw.between(0.05, 0.2), draw.between(0.05, 0.2)];
    // One corner strikes alone.
    let (turn, lowest) = loop {
        let turn = any_turn(draw);
        let [w, i, j, k] = turn;
        let down = UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k)).inverse() * Vector3::z();
        let falls: [f64; 3] = std::array::from_fn(|axis| half[axis] * down[axis].abs());
        if falls.iter().all(|fall| *fall > 0.01) {
            break (turn, falls.iter().sum::<f64>());
        }
    };
    let more = format!("mass = 1\norientation = {turn:?}\nvelocity = [{}, 0, -1.0]", draw.within(1.0));
    let shape = format!("type = \"box\", half_extents = {half:?}");
    head(STEP, 30, &friction).replace("[[friction]]", "[solver]\nimpact_phase = true\n[[friction]]")
        + GROUND
        + &body("b", &shape, [0.0, 0.0, lowest + FALL], &more)
}

/// The spin that the step after that of the impact leaves (rad/s), over a floor that lies so much lower (m).
fn spin(text: &str, lower: f64) -> Result<Vector3<f64>, String> {
    let text = text.replace("offset = 0", &format!("offset = {}", -lower));
    let (mut steps, mut spin) = (0, None);
    watch(&text, |simulation| {
        let strikes = simulation.contacts().iter().any(|contact| contact.normal_impulse > 0.0);
        steps += usize::from(strikes || steps > 0);
        if steps == 2 {
            spin = Some(simulation.state().velocities[1].angular);
        }
    })?;
    spin.ok_or_else(|| "no impact".to_owned())
}

#[test]
fn an_impact_leaves_the_same_spin_wherever_in_a_step_it_falls() {
    each(drop, |text| {
        let spins: Result<Vec<_>, _> = (0..4).map(|k| spin(text, 0.25 * STEP * f64::from(k))).collect();
        let spins = match spins {
            Ok(spins) => spins,
            Err(fault) => return Some(fault),
        };
        let off = spins.iter().map(|w| (w - spins[0]).norm()).fold(0.0, f64::max);
        (off > 0.01 * spins[0].norm().max(1.0)).then(|| format!("{spins:?}"))
    });
}
