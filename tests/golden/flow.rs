//! Bodies that come in and leave: nothing is lost, no body comes twice, and a body without room waits.

use nalgebra::Vector3;
use signorini::step::{FlowEvent, FlowRecord, FlowTally};
use signorini::{BodyId, Simulation};
use signorini_kernels::math::ExactSum;
use signorini_scene::scene::Scene;
use std::collections::{BTreeMap, BTreeSet};
use support::runs::{Run, from_text, shipped};

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 3\nseed = 4\n[[friction]]\ncoefficient = 0.3\n\
                    [[body]]\nname = \"floor\"\nfixed = true\nposition = [0, 0, -0.1]\n\
                    shape = { type = \"box\", half_extents = [1, 1, 0.1] }\n";

fn scene(tables: &str) -> Scene {
    from_text(&format!("{HEAD}{tables}"))
}

/// Exact sum of the masses inside after a step: of the bodies that can move and did not leave with it.
fn mass_inside(simulation: &Simulation) -> (usize, ExactSum) {
    let left: BTreeSet<BodyId> =
        simulation.flow().iter().filter(|r| r.event == FlowEvent::Out).filter_map(|r| r.id).collect();
    let ids = simulation.body_ids().iter().zip(&simulation.scene().bodies);
    let inside: Vec<f64> =
        ids.filter(|(id, body)| !body.fixed && !left.contains(id)).map(|(_, body)| body.mass).collect();
    let mut sum = ExactSum::default();
    inside.iter().for_each(|mass| sum.add(*mass));
    (inside.len(), sum)
}

fn tell(tally: &mut FlowTally, scene: &Scene, record: &FlowRecord, step: usize) {
    tally.add(&signorini_runs::output::rows::port_event(scene, record, step));
}

/// Mass that came in is mass that left and mass inside, as exact sums, at every step; ids and names rise and
/// never come back; there are never more bodies than came and did not leave.
#[test]
fn nothing_is_lost_and_nobody_comes_twice() {
    let mut run = Run::new(shipped("seeds/silo.toml"));
    let mut tally = FlowTally::new(run.scene());
    let (mut ids, mut names, mut gone) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut came, mut left) = (0, 0);
    while run.simulation.step_index() < run.scene().n_steps() {
        let step = run.advance().step;
        for record in run.simulation.flow() {
            tell(&mut tally, run.scene(), record, step);
            match record.event {
                FlowEvent::In => {
                    assert!(ids.last() < record.id.as_ref(), "step {step}: {record:?}");
                    ids.insert(record.id.unwrap());
                    assert!(names.insert(record.body.clone()), "step {step}: {record:?}");
                    came += 1;
                }
                FlowEvent::Out => {
                    assert!(gone.insert(record.id.unwrap()), "step {step}: {record:?}");
                    left += 1;
                }
                FlowEvent::Wait => {}
            }
        }
        let (bodies, mut difference) = tally.inside();
        let (found, mass) = mass_inside(&run.simulation);
        difference.subtract_sum(&mass);
        assert!(difference.is_zero(), "step {step}: {difference:?} kg are lost");
        assert_eq!(bodies, found, "step {step}");
    }
    assert!(came > 50 && left > 30, "{came} came, {left} left");
    let there = run.simulation.body_ids();
    assert!(gone.iter().filter(|id| there.contains(id)).count() <= run.simulation.flow().len());
}

/// A crowd for which the region has room by and by only: each comes later than it is due, all come in their
/// order, and none overlaps another.
#[test]
fn who_finds_no_room_waits_and_comes_in_order() {
    let mut run = Run::new(scene(
        "[[inlet]]\nname = \"crowd\"\ntotal = 40\ndensity = 1000\nvelocity = [0, 0, -1]\n\
         region = { type = \"box\", min = [-0.2, -0.2, 1], max = [0.2, 0.2, 1.3] }\n\
         shape = { type = \"sphere\", radius = 0.06 }\n\
         [[outlet]]\nname = \"below\"\nregion = { type = \"box\", min = [-1, -1, 0], max = [1, 1, 0.5] }\n",
    ));
    let (mut next, mut waited, mut at_once) = (0, 0, 0);
    let mut deepest = 0.0_f64;
    while next < 40 {
        let step = run.advance().step;
        assert!(step < 300, "{next} of 40 came");
        for record in run.simulation.flow() {
            match record.event {
                FlowEvent::In => {
                    assert_eq!(record.body, format!("crowd-{next}"), "step {step}");
                    next += 1;
                    at_once += usize::from(step == 1);
                    let at = record.pose.unwrap().position;
                    let inside = Vector3::new(0.2, 0.2, 1.3).map(|x| x - 0.06 + 1e-12);
                    assert!(at.x.abs() <= inside.x && at.y.abs() <= inside.y && at.z <= inside.z, "{at}");
                }
                FlowEvent::Wait => {
                    assert_eq!((record.body.clone(), record.pose), (format!("crowd-{next}"), None));
                    waited += 1;
                }
                FlowEvent::Out => {}
            }
        }
        deepest = deepest.min(run.deepest);
    }
    assert!((5..35).contains(&at_once), "{at_once} at once");
    assert!(waited > 3, "{waited} waited");
    assert!(deepest > -1e-6, "they overlap by {deepest} of their size");
}

/// A brick that lies in an outlet leaves with the impulse that carried its weight, and not silently.
#[test]
fn a_body_that_leaves_tells_what_it_bore_on() {
    let mut run = Run::new(scene(
        "[[body]]\nname = \"brick\"\ndensity = 1000\nposition = [0.1, 0, 0.05]\nvelocity = [1, 0, 0]\n\
         shape = { type = \"box\", half_extents = [0.1, 0.1, 0.05] }\n\
         [[body]]\nname = \"other\"\ndensity = 1000\nposition = [-0.5, 0, 0.05]\n\
         shape = { type = \"box\", half_extents = [0.1, 0.1, 0.05] }\n\
         [[outlet]]\nname = \"end\"\nregion = { type = \"half_space\", normal = [-1, 0, 0], offset = -0.2 }\n",
    ));
    while run.simulation.flow().is_empty() {
        run.steps(1);
        assert!(run.time() < 1.0, "it does not leave");
    }
    let [record] = run.simulation.flow() else { panic!("{:?}", run.simulation.flow()) };
    let scene = run.scene();
    let bearing: f64 = scene.bodies[1].mass * 9.81 * scene.time_step;
    assert_eq!((record.event, record.body.as_str(), record.contacts), (FlowEvent::Out, "brick", 1));
    let expected = bearing.hypot(0.3 * bearing);
    assert!((record.impulse - expected).abs() < 1e-6 * expected, "{} for {expected}", record.impulse);
    assert_eq!(scene.bodies.len(), 3, "it is part of its last step");
    let id = record.id.unwrap();
    run.steps(1);
    assert_eq!(run.scene().bodies.len(), 2);
    assert!(run.simulation.pose(id).is_err(), "it is gone");
    assert!(run.simulation.flow().is_empty());
}

/// By number and by mass: after t as much has come as is due, and no less.
#[test]
fn bodies_come_when_they_are_due() {
    for (rate, per_second) in [("rate = 30", None), ("mass_rate = 0.2", Some(0.2))] {
        let mut simulation = Simulation::new(scene(&format!(
            "[[inlet]]\nname = \"rain\"\n{rate}\nfrom = 0.105\nto = 0.9\ndensity = 1000\nvelocity = [0, 0, -3]\n\
             region = {{ type = \"ring\", center = [0, 0, 2], normal = [0.1, 0, 1], inner_radius = 0.3, \
             outer_radius = 0.5 }}\nscale = {{ type = \"lognormal\", sigma = 0.3, min = 0.5, max = 2 }}\n\
             shape = {{ type = \"sphere\", radius = 0.01 }}\n\
             [[outlet]]\nname = \"end\"\nregion = {{ type = \"below\", height = 1 }}\n"
        )))
        .unwrap();
        let (mut n, mut mass) = (0, 0.0);
        for step in 1..=120 {
            simulation.advance();
            let t = f64::from(step - 1) * 0.01;
            for record in simulation.flow().iter().filter(|r| r.event == FlowEvent::In) {
                let due = 0.105 + per_second.map_or(f64::from(n) / 30.0, |rate| mass / rate);
                assert!((record.since - due).abs() < 1e-12, "{} for {due}", record.since);
                assert!(due <= t + 1e-9 && t < due + 0.01 + 1e-9, "due at {due}, came at {t}");
                let at = record.pose.unwrap().position - Vector3::new(0.0, 0.0, 2.0);
                assert!(at.dot(&Vector3::new(0.1, 0.0, 1.0)).abs() < 1e-12, "off the plane: {at}");
                assert!((0.3 - 1e-12..=0.5 + 1e-12).contains(&at.norm()), "off the ring: {at}");
                (n, mass) = (n + 1, mass + record.mass);
            }
        }
        let next = 0.105 + per_second.map_or(f64::from(n) / 30.0, |rate| mass / rate);
        assert!(next >= 0.9, "{n} came, the next was due at {next}");
        assert!(n > 10, "{n}");
    }
}

/// Bodies that come depend on the seed, not on the time they wait for room.
#[test]
fn a_crowded_inlet_gives_the_same_bodies() {
    let drawn = |seed: u64, rate: &str| -> BTreeMap<String, (usize, u64)> {
        let mut scene = scene(&format!(
            "[[inlet]]\nname = \"mix\"\n{rate}\ntotal = 12\ndensity = 1000\nvelocity = [0, 0, -2]\n\
             region = {{ type = \"box\", min = [-0.1, -0.1, 0.5], max = [0.1, 0.1, 0.8] }}\n\
             shapes = [{{ shape = {{ type = \"sphere\", radius = 0.04 }} }}, \
             {{ shape = {{ type = \"box\", half_extents = [0.03, 0.04, 0.05] }} }}]\n\
             scale = {{ type = \"uniform\", min = 0.5, max = 1 }}\n\
             [[outlet]]\nname = \"end\"\nregion = {{ type = \"below\", height = 0.3 }}\n"
        ));
        scene.seed = seed;
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.judge_steps(false);
        let mut found = BTreeMap::new();
        for _ in 0..120 {
            simulation.advance();
            for record in simulation.flow().iter().filter(|r| r.event == FlowEvent::In) {
                found.insert(record.body.clone(), (record.shape, record.scale.to_bits()));
            }
        }
        assert_eq!(found.len(), 12);
        found
    };
    assert_eq!(drawn(1, ""), drawn(1, "rate = 20"));
    assert_ne!(drawn(1, ""), drawn(2, ""));
}

const ELL: &str = "parts = [{ shape = { type = \"box\", half_extents = [0.09, 0.03, 0.02] }, position = [0.06, 0, 0] }, \
                   { shape = { type = \"box\", half_extents = [0.03, 0.06, 0.02] }, position = [0, 0.09, 0] }]";

const WRITTEN: &str = "[[body.parts]]\nshape = { type = \"box\", half_extents = [0.09, 0.03, 0.02] }\nposition = [0.06, 0, 0]\n\
                       [[body.parts]]\nshape = { type = \"box\", half_extents = [0.03, 0.06, 0.02] }\nposition = [0, 0.09, 0]\n";

/// Bodies of several parts come in as they would be written, in all sizes, and apart from each other.
#[test]
fn bodies_of_several_parts_come_in() {
    let inlet = format!(
        "[solver]\ntolerance = 1e-5\n[[inlet]]\nname = \"ell\"\nrate = 60\ndensity = 1000\nvelocity = [0, 0, -1]\n\
         region = {{ type = \"box\", min = [-0.3, -0.3, 0.3], max = [0.3, 0.3, 0.7] }}\n\
         scale = {{ type = \"uniform\", min = 0.5, max = 1 }}\n\
         shapes = [{{ {ELL} }}, {{ shape = {{ type = \"sphere\", radius = 0.03 }}, weight = 0.5 }}]\n\
         [[outlet]]\nname = \"below\"\nregion = {{ type = \"below\", height = -0.5 }}\n"
    );
    let written =
        scene(&format!("[[body]]\nname = \"one\"\ndensity = 1000\nposition = [0, 0, 9]\n{WRITTEN}"));
    let one = written.bodies.iter().find(|body| body.name == "one").expect("it is there");
    let told = scene(&inlet);
    let again = signorini_scene::scene::to_toml(&told);
    let read = from_text(&again);
    assert_eq!(read.inlets, told.inlets, "the scene as written is the same");
    let mut run = Run::new(told);
    let (mut ells, mut balls) = (0, 0);
    for _ in 0..60 {
        run.advance();
        for record in run.simulation.flow().iter().filter(|record| record.event == FlowEvent::In) {
            let body = run.scene().bodies.iter().find(|body| body.name == record.body).expect("it came");
            if record.shape == 1 {
                balls += 1;
                continue;
            }
            ells += 1;
            let f = record.scale;
            assert!((body.mass / (one.mass * f.powi(3)) - 1.0).abs() < 1e-12);
            let off = (body.inertia - one.inertia * f.powi(5)).norm();
            assert!(off < 1e-12 * body.inertia.norm(), "{off}");
            for (part, own) in body.parts.iter().zip(&one.parts) {
                assert!((part.pose.position - own.pose.position * f).norm() < 1e-12);
            }
            assert_eq!(body.parts.len(), 2);
        }
    }
    assert!(ells > 15 && balls > 3 && run.deepest > -1e-5, "{ells}, {balls}, {}", run.deepest);
}

/// In a periodic box bodies come in across a face, apart from all images, and leave at images of an outlet.
#[test]
fn inlets_and_outlets_know_images() {
    let mut run = Run::new(from_text(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 2\nseed = 4\n[solver]\ntolerance = 1e-6\n[periodic]\nx = [-0.3, 0.3]\ny = [-0.2, 0.2]\n\
         [[friction]]\ncoefficient = 0.3\n\
         [[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
         [[inlet]]\nname = \"feed\"\nrate = 60\ndensity = 1000\nvelocity = [0.4, 0, -2]\n\
         region = { type = \"box\", min = [0.15, -0.2, 0.4], max = [0.45, 0.2, 0.7] }\n\
         shape = { type = \"sphere\", radius = 0.05 }\n\
         [[outlet]]\nname = \"drain\"\nregion = { type = \"box\", min = [0.22, -0.2, 0], max = [0.38, 0.2, 0.1] }\n",
    ));
    let (mut came, mut beyond, mut left, mut by_image) = (0, 0, 0, 0);
    for _ in 0..run.scene().n_steps() {
        run.advance();
        for record in run.simulation.flow() {
            let x = record.pose.map_or(0.0, |pose| pose.position.x);
            match record.event {
                FlowEvent::In => {
                    came += 1;
                    beyond += usize::from(x > 0.3);
                }
                FlowEvent::Out => {
                    left += 1;
                    assert!(
                        (x + 0.3).rem_euclid(0.6) <= 0.08 + 1e-12
                            || (x + 0.3).rem_euclid(0.6) >= 0.52 - 1e-12
                    );
                    by_image += usize::from(!(0.22..=0.38).contains(&x));
                }
                FlowEvent::Wait => {}
            }
        }
    }
    assert!(came > 50 && beyond > 5, "{came} came, {beyond} beyond the face");
    assert!(left > 20 && by_image > 3, "{left} left, {by_image} at an image");
    assert!(run.deepest > -1e-6, "they overlap by {} of their size", run.deepest);
}
