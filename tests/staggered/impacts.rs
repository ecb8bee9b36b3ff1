//! Impacts of mechanisms, on limits of joints and on driven bodies: nothing gains energy.

use super::runs::Run;
use super::{FLOOR, G, V, scene, torsional};
use signorini::scene::{Scene, State};
use signorini::stepper::staggered::mean;

/// Total energy (J) of the moving bodies seen from a frame that moves with `frame` (m/s), with velocities half way between two
/// steps and the poses between them.
fn energy(scene: &Scene, at: &State, after: &State, frame: &V, time: f64) -> f64 {
    let mut energy = 0.0;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
        let v = mean(&at.velocities[i], &after.velocities[i]);
        let spin = at.poses[i].orientation.inverse() * v.angular;
        energy +=
            0.5 * body.mass * (v.linear - frame).norm_squared() + 0.5 * spin.dot(&(body.inertia * spin));
        energy += body.mass * G * (at.poses[i].position.z - frame.z * time);
    }
    energy
}

/// The largest energy of a run and the last, over that at the start; every step is solved and green.
fn course(scene: Scene, n_steps: usize, frame: V) -> [f64; 2] {
    let h = scene.time_step;
    let mut run = Run::new(scene);
    let (mut start, mut most, mut last) = (None, f64::NEG_INFINITY, 0.0);
    for step in 0..n_steps {
        let before = run.state().clone();
        run.advance();
        // The first step has no velocity before it.
        if step < 2 {
            continue;
        }
        last = energy(run.scene(), &before, run.state(), &frame, step as f64 * h);
        start.get_or_insert(last);
        most = most.max(last);
    }
    [most, last].map(|energy| energy / start.expect("steps"))
}

/// No energy is above that at the start; returns what part of it is left.
fn assert_no_gain(what: &str, scene: Scene, n_steps: usize, frame: V) -> f64 {
    let [most, left] = course(scene, n_steps, frame);
    assert!(most <= 1.0 + 1e-4, "{what}: {most} times the energy of the start");
    left
}

/// Two rods on a ball joint, and one on a hinge between them, fall on the floor.
const RODS: &str = "[[body]]\nname = \"one\"\nshape = { type = \"ellipsoid\", semi_axes = [0.2, 0.04, 0.04] }\nmass = 1\n\
    position = [0, 0, 0.3]\norientation = [0.9553364891256060, 0, 0.29552020666133955, 0]\nangular_velocity = [1, 2, 0]\n\
    [[body]]\nname = \"two\"\nshape = { type = \"box\", half_extents = [0.15, 0.03, 0.03] }\nmass = 0.7\nposition = [0.4, 0, 0.35]\n\
    velocity = [0.5, 0.3, 0]\n\
    [[body]]\nname = \"three\"\nshape = { type = \"sphere\", radius = 0.05 }\nmass = 0.3\nposition = [0.4, 0.1, 0.3]\n\
    [[joint]]\nname = \"pin\"\ntype = \"ball\"\nbetween = [\"one\", \"two\"]\nanchor = [0.2, 0, 0.3]\n\
    [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbetween = [\"two\", \"three\"]\nanchor = [0.4, 0, 0.35]\naxis = [1, 0, 0]\n";

#[test]
fn mechanisms_that_strike_the_floor_gain_nothing() {
    for friction in [0.0, 0.4] {
        let left =
            assert_no_gain("rods", scene(2e-3, 2.0, friction, &(FLOOR.to_owned() + RODS)), 600, V::zeros());
        assert!(left < 0.9, "they struck: {left} of their energy is left");
    }
}

/// Limits of every kind that are reached at speed: an angle, a displacement, and a rope that becomes taut.
#[test]
fn limits_that_are_struck_give_nothing_back() {
    let base = "[[body]]\nname = \"base\"\nshape = { type = \"sphere\", radius = 0.02 }\nfixed = true\nposition = [0, 0, 2]\n";
    let bob = "[[body]]\nname = \"bob\"\nshape = { type = \"ellipsoid\", semi_axes = [0.2, 0.05, 0.05] }\nmass = 1\nposition = [0.3, 0, 2]\n";
    let joint = |kind: &str, more: &str| {
        format!(
            "{base}{bob}[[joint]]\nname = \"j\"\ntype = {kind:?}\nbetween = [\"base\", \"bob\"]\n{more}\n"
        )
    };
    for (what, text) in [
        ("an angle", joint("revolute", "anchor = [0, 0, 2]\naxis = [0, 1, 0]\nangle_limits = [-0.5, 1.0]")),
        ("a displacement", joint("prismatic", "axis = [0.5, 0, -1]\nslide_limits = [-0.1, 0.2]")),
        ("a rope", joint("distance", "length_limits = [0, 0.4]")),
    ] {
        let left = assert_no_gain(what, scene(2e-3, 2.0, 0.0, &text), 600, V::zeros());
        assert!(left < 0.999, "{what} was struck: {left} of the energy is left");
    }
}

/// Dropped on a plate that moves with constant velocity: seen from the plate nothing is gained, seen from the ground it is what the
/// plate gives.
#[test]
fn impacts_on_a_driven_plate_gain_nothing() {
    let plate = "[[body]]\nname = \"plate\"\nshape = { type = \"box\", half_extents = [3, 3, 0.1] }\nposition = [0, 0, -0.1]\n\
        [[motion]]\nbody = \"plate\"\ndirection = [0.8, 0, 0.6]\nvelocity = { type = \"constant\", value = 2 }\n";
    let cube = "[[body]]\nname = \"cube\"\nshape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }\nmass = 1\n\
        position = [0, 0, 0.4]\norientation = [0.8, 0.4, 0.4, 0.2]\nvelocity = [1, 0.3, 0]\nangular_velocity = [3, 1, 2]\n";
    let stone = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.15, 0.1, 0.06] }\nmass = 1\n\
        position = [0, 0, 0.3]\norientation = [0.8, 0.4, 0.4, 0.2]\nvelocity = [1, 0.3, -1]\nangular_velocity = [3, 1, 2]\n";
    let frame = V::new(0.8, 0.0, 0.6) * 2.0;
    for (what, body) in [("cube", cube), ("stone", stone), ("rods", RODS)] {
        let scene = torsional(2e-3, 0.4, 0.01, &(plate.to_owned() + body));
        let [most, _] = course(scene.clone(), 400, V::zeros());
        assert!(most > 1.2, "{what}: the plate lifts it: {most}");
        let left = assert_no_gain(what, scene, 400, frame);
        assert!(left < 0.9, "{what} struck: {left} of the energy is left");
    }
}
