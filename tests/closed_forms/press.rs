//! Plates that press with a force: statics.

use nalgebra::Vector3;
use signorini::simulation::Simulation;
use support::runs::{Run, body, exact_from_text};

/// Force of the contacts on a body over the last step (N).
fn force_on(simulation: &Simulation, name: &str) -> Vector3<f64> {
    let (own, h) = (body(simulation.scene(), name), simulation.scene().time_step);
    let on_own = |contact: &signorini::ContactRecord| {
        let push = (contact.normal * contact.normal_impulse + contact.friction_impulse) / h;
        match (contact.body_a == own, contact.body_b == own) {
            (true, _) => -push,
            (_, true) => push,
            _ => Vector3::zeros(),
        }
    };
    simulation.contacts().iter().map(on_own).sum()
}

/// A lid of 3 kg on a block of 2 kg: the block feels 50 N from the first step in which they touch, at any
/// step, and the floor its weight besides.
#[test]
fn a_lid_presses_with_its_force_at_any_step() {
    for (h, press) in [
        (0.1, "force = 50"),
        (0.01, "stress = 1250\narea = 0.04"),
        (0.001, "force = 50"),
        (0.01, "force = 50\nspeed = 0.2"),
    ] {
        let mut run = Run::new(exact_from_text(&format!(
            "format = 1\n[simulation]\ntime_step = {h}\nduration = 1\n[[friction]]\ncoefficient = 0.3\n\
             [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[body]]\nname = \"block\"\nmass = 2\nshape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n\
             position = [0, 0, 0.1]\n\
             [[body]]\nname = \"lid\"\nmass = 3\nshape = {{ type = \"box\", half_extents = [0.2, 0.2, 0.02] }}\n\
             position = [0.02, 0.01, 0.24]\n\
             [[press]]\nbody = \"lid\"\ndirection = [0, 0, -2]\n{press}\n"
        )));
        for _ in 0..(0.5 / h) as usize {
            run.advance();
        }
        let (lid, floor) = (force_on(&run.simulation, "lid"), force_on(&run.simulation, "floor"));
        assert!((lid.z - 50.0).abs() < 1e-6 * 50.0, "h = {h}, {press}: {lid}");
        assert!((floor.z + 50.0 + 2.0 * 9.81).abs() < 1e-4, "h = {h}, {press}: {floor}");
    }
}

/// Nothing resists: with a speed the plate goes on at it, without one it gathers speed as F t/m.
#[test]
fn a_plate_goes_on_where_nothing_resists() {
    for (press, speed) in [("force = 30\nspeed = 0.2", 0.2), ("force = 30", 30.0 * 0.1 / 3.0)] {
        let mut run = Run::new(exact_from_text(&format!(
            "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n\
             [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[body]]\nname = \"plate\"\nmass = 3\nshape = {{ type = \"box\", half_extents = [0.2, 0.2, 0.02] }}\n\
             position = [0, 0, 1]\n[[press]]\nbody = \"plate\"\ndirection = [0, 1, -1]\n{press}\n"
        )));
        for _ in 0..10 {
            run.advance();
        }
        let v = run.velocity("plate").linear;
        let along = v.dot(&Vector3::new(0.0, 1.0, -1.0).normalize());
        assert!((along - speed).abs() < 1e-6 && (v.norm() - speed).abs() < 1e-6, "{press}: {v}");
    }
}

/// Three plates press balls into a corner with stresses of 4, 6 and 8 kPa: uniaxial, biaxial and triaxial.
/// The walls opposite carry as much, once the balls rest.
#[test]
fn plates_hold_three_stresses_within_a_hundredth() {
    let walls = [("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1])];
    for axes in 1..=3 {
        let mut text = String::from(
            "format = 1\n[simulation]\ntime_step = 0.002\nduration = 1\nseed = 5\n[solver]\ntolerance = 1e-6\n\
             [[friction]]\ncoefficient = 0\n\
             [[fill]]\nname = \"ball\"\ncount = 25\ndensity = 2000\n\
             region = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\nshape = { type = \"sphere\", radius = 0.013 }\n",
        );
        for (k, (name, n)) in walls.iter().enumerate() {
            text += &format!(
                "[[body]]\nname = \"wall-{name}\"\nshape = {{ type = \"half_space\", normal = {n:?}, offset = 0 }}\n"
            );
            let (at, half) =
                ([0, 1, 2].map(|i| if i == k { 0.112 } else { 0.05 }), |i| if i == k { 0.01 } else { 0.08 });
            let half = [0, 1, 2].map(half);
            let fixed = if k < axes { "mass = 0.5" } else { "fixed = true" };
            text += &format!(
                "[[body]]\nname = \"plate-{name}\"\n{fixed}\nposition = {at:?}\n\
                 shape = {{ type = \"box\", half_extents = {half:?} }}\n"
            );
            // Plates and walls pass each other beyond the balls.
            for (other, _) in walls.iter().filter(|(other, _)| other != name) {
                text += &format!("[[exclude]]\nbetween = [\"plate-{name}\", \"wall-{other}\"]\n");
                text += &format!("[[exclude]]\nbetween = [\"plate-{name}\", \"plate-{other}\"]\n");
            }
            if k < axes {
                let (stress, back) = (4000 + 2000 * k, n.map(|n| -n));
                text += &format!(
                    "[[press]]\nbody = \"plate-{name}\"\ndirection = {back:?}\nstress = {stress}\narea = 0.01\n\
                     speed = 0.4\n"
                );
            }
        }
        let mut run = Run::new(exact_from_text(&text));
        let (mut on_plates, mut on_walls) = ([0.0; 3], [0.0; 3]);
        for step in 0..500 {
            run.advance();
            for (k, (name, _)) in walls.iter().enumerate().filter(|_| step >= 400) {
                on_plates[k] += force_on(&run.simulation, &format!("plate-{name}"))[k] / 100.0;
                on_walls[k] -= force_on(&run.simulation, &format!("wall-{name}"))[k] / 100.0;
            }
        }
        let weight = 25.0 * 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.013_f64.powi(3) * 9.81;
        for k in 0..axes {
            let force = 40.0 + 20.0 * k as f64;
            let borne = force + if k == 2 { weight } else { 0.0 };
            assert!((on_plates[k] / force - 1.0).abs() < 0.01, "{axes} axes, plate {k}: {on_plates:?}");
            assert!((on_walls[k] / borne - 1.0).abs() < 0.01, "{axes} axes, wall {k}: {on_walls:?}");
        }
    }
}

/// A plate under a stress presses a block against a wall. One of the walls that bound its area goes away at
/// 0.1 m/s: the block feels the stress times the area at the start of the step, with a largest speed and
/// without.
#[test]
fn the_force_of_a_plate_follows_the_area_between_walls() {
    for speed in ["", "speed = 0.3"] {
        let text = format!(
            "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n[[friction]]\ncoefficient = 0\n\
             [[body]]\nname = \"west\"\nshape = {{ type = \"half_space\", normal = [1, 0, 0], offset = 0 }}\n\
             [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[body]]\nname = \"south\"\nshape = {{ type = \"half_space\", normal = [0, 1, 0], offset = -0.2 }}\n\
             [[body]]\nname = \"north\"\nposition = [0, 0.2, 0.2]\n\
             shape = {{ type = \"box\", half_extents = [0.1, 0.05, 0.1] }}\n\
             [[motion]]\nbody = \"north\"\ndirection = [0, 1, 0]\nvelocity = {{ type = \"constant\", value = 0.1 }}\n\
             [[body]]\nname = \"lid\"\nfixed = true\nposition = [0, 0, 0.31]\n\
             shape = {{ type = \"box\", half_extents = [0.3, 0.3, 0.01] }}\n\
             [[body]]\nname = \"block\"\nmass = 2\nshape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n\
             position = [0.1, 0, 0.1]\n\
             [[body]]\nname = \"plate\"\nmass = 3\nshape = {{ type = \"box\", half_extents = [0.02, 0.1, 0.1] }}\n\
             position = [0.221, 0, 0.12]\n\
             [[press]]\nbody = \"plate\"\ndirection = [-1, 0, 0]\nstress = 1000\n{speed}\n\
             widths = [{{ between = [\"south\", \"north\"], along = [0, 2, 0] }}, \
             {{ between = [\"floor\", \"lid\"], along = [0, 0, 1] }}]\n"
        );
        let mut run = Run::new(exact_from_text(&text));
        for step in 0..50 {
            run.advance();
            let area = (0.35 + 0.001 * f64::from(step)) * 0.3;
            let force = force_on(&run.simulation, "plate").x;
            let due = 1000.0 * area;
            assert!(step < 10 || (force - due).abs() < 1e-6 * due, "{speed} step {step}: {force} of {due}");
        }
    }
}
