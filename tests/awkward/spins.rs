//! Bodies that spin freely, and bodies whose inertia is far below that of their size.

use crate::variants::{Draw, GROUND, any_turn, body, each, head, load, watch};
use nalgebra::Vector3;
use signorini::simulation::Simulation;

/// A box without weight that spins about any axis, in a step by up to half a radian, or more.
fn free(draw: &mut Draw) -> String {
    let half = [draw.between(0.02, 0.3), draw.between(0.02, 0.3), draw.between(0.02, 0.3)];
    let step = draw.pick(&[1e-3, 0.01]);
    let most = draw.pick(&[2.0, 50.0, 200.0]);
    let w = [draw.within(most), draw.within(most), draw.within(most)];
    let more = format!("density = 1000\norientation = {:?}\nangular_velocity = {w:?}", any_turn(draw));
    head(step, 300, "coefficient = 0.3").replace("-9.81", "0.0")
        + &body("b", &format!("type = \"box\", half_extents = {half:?}"), [0.0; 3], &more)
}

/// Angular momentum about the centre (kg m²/s), world axes.
fn momentum(simulation: &Simulation) -> Vector3<f64> {
    let (body, state) = (&simulation.scene().bodies[0], simulation.state());
    let turn = state.poses[0].orientation.to_rotation_matrix();
    turn * body.inertia * turn.inverse() * state.velocities[0].angular
}

/// Change of angular momentum and energy, over their values at the start.
fn drift(text: &str) -> Result<f64, String> {
    let start = load(text)?;
    let (l, e) = (momentum(&start), start.kinetic_energy());
    let mut off = 0.0_f64;
    watch(text, |simulation| {
        let dl = (momentum(simulation) - l).norm() / l.norm();
        off = off.max(dl).max((simulation.kinetic_energy() - e).abs() / e);
    })?;
    Ok(off)
}

#[test]
fn free_bodies_keep_angular_momentum_and_energy() {
    each(free, |text| match drift(text) {
        Ok(off) if off < 1e-9 => None,
        off => Some(format!("{off:?}")),
    });
}

#[test]
fn free_bodies_keep_them_in_the_compliant_model() {
    let scene = |draw: &mut Draw| {
        free(draw).replace("[[friction]]", "[solver]\nformulation = \"compliant\"\n[[friction]]")
    };
    each(scene, |text| match drift(text) {
        Ok(off) if off < 1e-9 => None,
        off => Some(format!("{off:?}")),
    });
}

/// A box of 1 kg with the inertia of a grain of sand.
fn grain(draw: &mut Draw) -> String {
    let half = [draw.between(0.03, 0.1), draw.between(0.03, 0.1), draw.between(0.03, 0.1)];
    let inertia = 10f64.powf(draw.between(-9.0, -5.0));
    let (turn, v) = (any_turn(draw), [draw.within(1.0), draw.within(1.0), -1.0]);
    let w = [draw.within(3.0), draw.within(3.0), draw.within(3.0)];
    let more = format!(
        "mass = 1\ninertia = [{inertia:e}, {inertia:e}, {inertia:e}, 0, 0, 0]\norientation = {turn:?}\n\
         velocity = {v:?}\nangular_velocity = {w:?}"
    );
    head(0.005, 50, "coefficient = 0.5\nellipsoid = { t = 1, o = 1, r = 0.01 }")
        + GROUND
        + &body("b", &format!("type = \"box\", half_extents = {half:?}"), [0.0, 0.0, 0.25], &more)
}

#[test]
fn bodies_of_tiny_inertia_keep_a_sane_energy() {
    each(grain, |text| {
        let energy = |simulation: &Simulation| simulation.kinetic_energy() + simulation.potential_energy();
        let start = load(text).map(|simulation| energy(&simulation)).expect("a scene");
        let mut most = 0.0_f64;
        match watch(text, |simulation| most = most.max(energy(simulation))) {
            // A solution fails the energy check from twice the speed that loads bring.
            Ok(_) => (most > 4.0 * start).then(|| format!("{most} of {start} J")),
            Err(fault) => Some(fault),
        }
    });
}
