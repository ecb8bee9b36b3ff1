//! Mortar between faces: the loads at which it breaks, the work that breaking takes, and what is left.

use crate::limits::{check, search, varied};
use nalgebra::Vector3;
use signorini::referee::{RecordedStep, Referee};
use signorini::simulation::Simulation;
use signorini::step::{JointRecord, Loads};
use signorini_runs::limit::{Criterion, Sign};
use signorini_scene::scene::{JointKind, Scene};
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::{Run, body, from_text};

const G: f64 = 9.81;
/// Part of a square that a square turned by half a right angle covers, 2 (√2 − 1).
const OCTAGON: f64 = 2.0 * (std::f64::consts::SQRT_2 - 1.0);
/// Half edges of the blocks (m), and their density (kg/m³).
const HALF: [f64; 3] = [0.1, 0.06, 0.05];
const DENSITY: f64 = 2000.0;
const AREA: f64 = 4.0 * HALF[0] * HALF[1];
const WEIGHT: f64 = 8.0 * HALF[0] * HALF[1] * HALF[2] * DENSITY * G;
const FRICTION: f64 = 0.6;
const TENSION: f64 = 1e4;
const SHEAR: f64 = 2e4;
/// Fracture energy (J/m²).
const ENERGY: f64 = 0.8;

fn block(name: &str, z: f64, more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\ndensity = {DENSITY:?}\nposition = [0, 0, {z:?}]\n{more}\n\
         shape = {{ type = \"box\", half_extents = {HALF:?} }}\n"
    )
}

/// Blocks with mortar, and a force or torque on the last one.
fn scene(step: f64, energy: f64, blocks: &[String], load: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = 0.2\n[solver]\ntolerance = 1e-8\n\
         [[friction]]\ncoefficient = {FRICTION:?}\nmortar = {{ tensile_strength = {TENSION:?}, \
         shear_strength = {SHEAR:?}, fracture_energy = {energy:?} }}\n{}\n{load}\n",
        blocks.concat()
    )
}

fn load(force: &str, torque: &str) -> String {
    format!("[[force]]\nbody = \"top\"\nforce = {force}\ntorque = {torque}\nfrom = 0\nto = 0.004\n")
}

fn in_one_step() -> Criterion {
    Criterion { sign: Sign::Acceleration, ..Criterion::default() }
}

/// A block under a ceiling is torn off by f_t A less its weight; on a block it slides with c A + μ N.
#[test]
fn mortar_holds_a_pull_and_a_shear_up_to_its_strengths() {
    let blocks = [block("ceiling", 0.0, "fixed = true"), block("top", -0.1, "")];
    let text = scene(0.001, 0.0, &blocks, &load("[0, 0, -50]", "[0, 0, 0]"));
    let limit = search([50.0, 500.0], in_one_step(), varied(&text, &["force[0].force[2]=-x"]));
    check(limit, TENSION * AREA - WEIGHT);
    let blocks = [block("floor", 0.0, "fixed = true"), block("top", 0.1, "")];
    // A force along y at the centre would tilt the block: a torque takes that moment off.
    let text = scene(0.001, 0.0, &blocks, &load("[0, 50, 0]", "[2.5, 0, 0]"));
    let fields = ["force[0].force[1]=x", "force[0].torque[0]=0.05*x"];
    check(search([50.0, 900.0], in_one_step(), varied(&text, &fields)), SHEAR * AREA + FRICTION * WEIGHT);
}

/// Three blocks on each other tip about an edge of the lowest face at H z = (N + f_t A) b/2.
#[test]
fn a_wall_breaks_at_the_moment_of_its_weight_and_its_tensile_strength() {
    let blocks = [
        block("floor", 0.0, "fixed = true"),
        block("low", 0.1, ""),
        block("mid", 0.2, ""),
        block("top", 0.3, ""),
    ];
    let text = scene(0.001, 1.0, &blocks, &load("[10, 0, 0]", "[0, 0, 0]"));
    let limit = search([10.0, 500.0], in_one_step(), varied(&text, &["force[0].force[0]=x"]));
    check(limit, (3.0 * WEIGHT + TENSION * AREA) * HALF[0] / 0.25);
}

/// A couple about the normal turns a face at (c A + μ N) e_r, e_r the mean distance from its centre.
#[test]
fn mortar_holds_a_couple_about_the_normal() {
    let blocks = [block("floor", 0.0, "fixed = true"), block("top", 0.1, "")];
    let text = scene(0.001, 0.0, &blocks, &load("[0, 0, 0]", "[0, 0, 1]"));
    let limit = search([1.0, 60.0], in_one_step(), varied(&text, &["force[0].torque[2]=x"]));
    let n = 400;
    let at = |i: usize, half: f64| (2.0 * (i as f64 + 0.5) / n as f64 - 1.0) * half;
    let all = (0..n).flat_map(|i| (0..n).map(move |j| at(i, HALF[0]).hypot(at(j, HALF[1]))));
    let radius = all.sum::<f64>() / (n * n) as f64;
    check(limit, (SHEAR * AREA + FRICTION * WEIGHT) * radius);
}

/// The record of the only mortar.
fn mortar(run: &Run) -> JointRecord {
    let joints = &run.scene().joints;
    assert!(joints.len() == 1 && joints[0].kind == JointKind::Mortar, "{joints:?}");
    run.simulation.joints()[0]
}

/// A block on another, pulled by a force and a torque.
fn pulled(step: f64, force: &str, torque: &str) -> Run {
    let blocks = [block("floor", 0.0, "fixed = true"), block("top", 0.1, "")];
    Run::new(from_text(&scene(step, ENERGY, &blocks, &load(force, torque))))
}

/// Centre of the face of the upper block.
fn centre(run: &Run) -> Vector3<f64> {
    run.state().poses[body(run.scene(), "top")].point(&Vector3::new(0.0, 0.0, -HALF[2]))
}

/// Breaking takes G_f A and at most the way of a step more, whether a block is torn off evenly or about an
/// edge, or slides; then nothing holds.
#[test]
fn breaking_takes_the_fracture_energy_however_a_face_moves() {
    let step = 2e-5;
    for (force, torque) in
        [("[0, 0, 400]", "[0, 0, 0]"), ("[0, 0, 90]", "[0, 30, 0]"), ("[800, 0, 0]", "[0, -40, 0]")]
    {
        let mut run = pulled(step, force, torque);
        let (mut taken, mut last) = (0.0, 0.0);
        let is_torn = !force.starts_with("[8");
        while mortar_acts(&mut run) {
            let before = centre(&run);
            run.advance();
            let record = mortar(&run);
            let way = centre(&run) - before;
            last = if is_torn { -record.force.z / step * way.z } else { SHEAR * AREA * way.x };
            taken += last;
            assert!(run.time() < 0.02, "it holds: {record:?}");
        }
        run.advance();
        let record = mortar(&run);
        assert_eq!((record.force, record.torque), (Vector3::zeros(), Vector3::zeros()));
        let most = ENERGY * AREA + last;
        assert!((ENERGY * AREA * (1.0 - 1e-6)..most).contains(&taken), "{force}: {taken}, at most {most}");
        assert!(last < 0.1 * taken, "{force}: {last} of {taken}");
    }
}

/// Whether the mortar acts in the next step.
fn mortar_acts(run: &mut Run) -> bool {
    run.simulation.step_index() == 0 || mortar(run).damage[1] < 1.0
}

/// Damage is part of a saved state, and mortar that is broken stays so where it is pressed together again.
#[test]
fn damage_is_kept_and_broken_mortar_stays_broken() {
    let mut run = pulled(1e-4, "[0, 0, 400]", "[0, 0, 0]");
    run.steps(10);
    let damage = mortar(&run).damage[1];
    assert!(damage > 0.0 && damage < 1.0, "{damage}");
    let saved = run.simulation.save();
    run.steps(1);
    let mut again = Run {
        simulation: Simulation::from_saved(saved).expect("a saved state"),
        ..Run::new(run.scene().clone())
    };
    again.steps(1);
    assert_eq!(mortar(&again), mortar(&run));
    assert_eq!(mortar(&again).damage[0], damage);
    run.steps(20);
    let broken = mortar(&run).damage[1];
    assert!(broken >= 1.0, "{broken}");
    // The force ends, the block falls back and presses.
    run.steps(run.scene().n_steps() - 31);
    let record = mortar(&run);
    assert_eq!((record.damage, record.force), ([broken; 2], Vector3::zeros()));
    assert!(run.contacts().iter().any(|contact| contact.normal_impulse > 0.0));
}

/// Without tensile strength a block is lifted freely, and held along the face until it is G_f/c above it.
#[test]
fn mortar_without_tensile_strength_is_broken_once_it_is_open() {
    let blocks = [block("floor", 0.0, "fixed = true"), block("top", 0.1, "")];
    let text = scene(1e-4, ENERGY, &blocks, &load("[100, 0, 60]", "[0, 0, 0]"));
    let mut run = Run::new(from_text(&text.replace("strength = 10000.0", "strength = 0")));
    let start = centre(&run);
    let mut steps = 0;
    while mortar_acts(&mut run) {
        run.advance();
        let (way, damage) = (centre(&run) - start, mortar(&run).damage[1]);
        assert!(way.x.abs() < 1e-9, "it slides by {}", way.x);
        assert!((damage - way.z * SHEAR / ENERGY).abs() < 1e-6, "{damage} at {}", way.z);
        steps += 1;
    }
    assert!((5..100).contains(&steps), "{steps} steps");
    let before = run.velocity("top").linear;
    run.advance();
    let gained = run.velocity("top").linear.x - before.x;
    assert!((gained - 100.0 * 1e-4 * G / WEIGHT).abs() < 1e-9, "{gained} m/s");
}

/// The referee is told of a weaker pull, of less friction, of damage that did not grow, and of mortar that is
/// broken already.
#[test]
fn the_referee_holds_mortar_to_its_law() {
    let mut run = pulled(1e-4, "[300, 0, 200]", "[0, -15, 0]");
    run.steps(5);
    let before = run.state().clone();
    run.steps(1);
    let mut loads = Loads::default();
    loads.gather(run.scene(), run.simulation.step_index() - 1);
    let judge = |change: &dyn Fn(&mut JointRecord)| {
        let mut joints = run.simulation.joints().to_vec();
        joints.iter_mut().for_each(change);
        Referee::new(run.scene()).judge(&RecordedStep {
            scene: run.scene(),
            before: Some(&before),
            after: run.state(),
            loads: &loads,
            contacts: run.contacts(),
            joints: &joints,
            substeps: &[],
        })
    };
    assert!(judge(&|_| ()).green);
    let lies: [&dyn Fn(&mut JointRecord); 6] = [
        &|joint| joint.motor[0] *= 0.99,
        &|joint| (joint.motor[0], joint.limit[0]) = (joint.motor[0] - 1e-3, joint.limit[0] + 1e-3),
        &|joint| joint.limit[0] += 1e-4,
        &|joint| joint.damage[1] += 1e-3,
        &|joint| joint.damage = [1.0; 2],
        &|joint| joint.force.x += 1e-3,
    ];
    for (k, lie) in lies.into_iter().enumerate() {
        let verdict = judge(lie);
        assert!(!verdict.green, "{k}: {verdict:?}");
    }
}

#[test]
fn what_has_no_mortar_refuses_it() {
    let blocks = [block("floor", 0.0, "fixed = true"), block("top", 0.1, "")];
    let text = scene(1e-3, 0.0, &blocks, "");
    let refused = |change: &dyn Fn(&mut Scene)| {
        let mut scene = from_text(&text);
        change(&mut scene);
        Simulation::new(scene).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(refused(&|_| ()), Ok(()));
    for formulation in [Formulation::Literal, Formulation::Cone, Formulation::Compliant, Formulation::Auto] {
        let told = refused(&|scene| scene.solver.formulation = formulation).unwrap_err();
        assert!(told.contains(formulation.as_str()) && told.contains("mortar"), "{told}");
    }
    let told = refused(&|scene| scene.solver.integrator = Integrator::Staggered).unwrap_err();
    assert!(told.contains("staggered"), "{told}");
    let told = refused(&|scene| scene.solver.impact_phase = true).unwrap_err();
    assert!(told.contains("impact_phase"), "{told}");
}

/// Only the part of two faces that touches has mortar, also of faces that are turned and of half-spaces; what
/// touches at an edge, or lies apart, has none.
#[test]
fn faces_have_mortar_where_they_touch() {
    let friction = "format = 1\n[simulation]\ntime_step = 0.001\nduration = 0.1\n[[friction]]\n\
                    coefficient = 0.6\nmortar = { tensile_strength = 1, shear_strength = 2 }\n";
    let cube = |name: &str, at: [f64; 3], more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\ndensity = 1000\nposition = {at:?}\n{more}\n\
             shape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n"
        )
    };
    let floor = "[[body]]\nname = \"floor\"\n\
                 shape = { type = \"half_space\", normal = [0, 0, 1], offset = -0.1 }\n";
    let turned = "orientation = [0.9238795325112867, 0, 0, 0.3826834323650898]";
    let cases = [
        (cube("a", [0.0; 3], "fixed = true") + &cube("b", [0.05, -0.1, 0.2], ""), Some(0.15 * 0.1)),
        (cube("a", [0.0; 3], "fixed = true") + &cube("b", [0.0, 0.0, -0.2], turned), Some(0.04 * OCTAGON)),
        (floor.to_owned() + &cube("b", [0.3, 0.0, 0.0], turned), Some(0.04)),
        (cube("a", [0.0; 3], "fixed = true") + &cube("b", [0.2, 0.0, 0.2], ""), None),
        (cube("a", [0.0; 3], "fixed = true") + &cube("b", [0.0, 0.0, 0.2001], ""), None),
    ];
    for (k, (bodies, area)) in cases.into_iter().enumerate() {
        let scene = from_text(&format!("{friction}{bodies}"));
        let found: Vec<f64> = scene.joints.iter().filter_map(|joint| Some(joint.mortar?.area)).collect();
        match area {
            Some(area) => assert!(found.len() == 1 && (found[0] / area - 1.0).abs() < 1e-9, "{k}: {found:?}"),
            None => assert!(found.is_empty(), "{k}: {found:?}"),
        }
    }
}
