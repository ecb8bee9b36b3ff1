//! Mechanisms stay closed at every step, and the change of their energy is known.

use super::{body, head, joint};
use nalgebra::{Matrix3, Vector3};
use signorini_scene::scene::{Joint, JointKind, Scene, State};
use signorini_scene::settings::Integrator;
use support::runs::{Run, exact_from_text, kinetic_energy, shipped};

/// Opening of a joint, the largest of its distances (m) and angles (rad), straight from the poses, by other
/// formulas than those of solver and referee.
pub fn opening_of(joint: &Joint, state: &State) -> f64 {
    let poses = joint.bodies.map(|id| &state.poses[id]);
    let anchor = [0, 1].map(|k| poses[k].point(&joint.frames[k].position));
    let turn: [Matrix3<f64>; 2] = [0, 1]
        .map(|k| (poses[k].orientation * joint.frames[k].orientation).to_rotation_matrix().into_inner());
    let off = anchor[1] - anchor[0];
    let axis = [0, 1].map(|k| turn[k].column(2).into_owned());
    let tilt = axis[0].cross(&axis[1]).norm();
    // |R − 1| of a small angle φ is √2 φ.
    let twist = (turn[0].transpose() * turn[1] - Matrix3::identity()).norm() / 2.0_f64.sqrt();
    let aside = off.cross(&axis[0]).norm();
    match joint.kind {
        JointKind::Fixed => off.norm().max(twist),
        JointKind::Ball => off.norm(),
        JointKind::Revolute => off.norm().max(tilt),
        JointKind::Prismatic => aside.max(twist),
        JointKind::Cylindrical => aside.max(tilt),
        JointKind::Universal => off.norm().max(axis[0].dot(&turn[1].column(0)).abs()),
        JointKind::Planar => off.dot(&axis[0]).abs().max(tilt),
        JointKind::Distance if joint.coordinates.is_empty() => (off.norm() - joint.length).abs(),
        JointKind::Distance | JointKind::Mortar => 0.0,
    }
}

/// Largest opening of all joints of a scene in a state (m, rad).
pub fn opening(scene: &Scene, state: &State) -> f64 {
    scene.joints.iter().map(|j| opening_of(j, state)).fold(0.0, f64::max)
}

/// Quantities seen in a run of a mechanism.
#[derive(Debug, Default)]
struct Seen {
    /// Largest opening (m, rad).
    open: f64,
    /// Total energy less what drives have put in, from the first step on (J).
    energies: Vec<f64>,
    /// Largest kinetic energy (J).
    lively: f64,
    iterations: Vec<usize>,
}

impl Seen {
    /// Energy at the end less that after the first step (J).
    fn change(&self) -> f64 {
        self.energies[self.energies.len() - 1] - self.energies[0]
    }

    /// Largest difference from the energy after the first step (J).
    fn swing(&self) -> f64 {
        self.energies.iter().map(|e| (e - self.energies[0]).abs()).fold(0.0, f64::max)
    }

    /// Largest rise above the energy after the first step (J).
    fn gain(&self) -> f64 {
        self.energies.iter().map(|e| e - self.energies[0]).fold(0.0, f64::max)
    }
}

/// Σ m g z (J).
fn potential_energy(scene: &Scene, state: &State) -> f64 {
    let moving = scene.bodies.iter().zip(&state.poses).filter(|(body, _)| !body.fixed);
    moving.map(|(body, pose)| 9.81 * body.mass * pose.position.z).sum()
}

/// Runs to the end: every step solved, green, and closed to `allowed` by the test's own formulas and by the
/// referee's.
fn closed(mut scene: Scene, integrator: Integrator, allowed: f64) -> Seen {
    scene.solver.integrator = integrator;
    let drive = scene.joints.iter().position(|j| j.coordinates.iter().any(|c| c.motion.is_some()));
    let staggered = integrator == Integrator::Staggered;
    let mut run = Run::new(scene);
    let (mut seen, mut work) = (Seen::default(), 0.0);
    let mut height = potential_energy(run.scene(), run.state());
    for step in 1..=run.scene().n_steps() {
        let outcome = run.advance();
        let verdict = outcome.verdict.expect("judged");
        let open = opening(run.scene(), run.state());
        assert!(open <= allowed, "{integrator:?}, step {step}: open by {open:e}");
        assert!(verdict.joint_error <= allowed, "{integrator:?}, step {step}: {verdict:?}");
        assert_eq!(outcome.info.n_substeps, 0, "{integrator:?}, step {step}");
        seen.open = seen.open.max(open);
        seen.iterations.push(outcome.info.iterations);
        // A staggered velocity is that of the middle of the step, and its impulse reaches from there back to
        // the last one's.
        let (before, kinetic) = (height, kinetic_energy(run.scene(), run.state()));
        height = potential_energy(run.scene(), run.state());
        work += match drive {
            // The jerk of the start is not counted.
            Some(joint) if step > 1 => 10.0 * run.simulation.joints()[joint].motion[1],
            _ => 0.0,
        };
        seen.lively = seen.lively.max(kinetic);
        let level = if staggered { 0.5 * (before + height) } else { height };
        seen.energies.push(kinetic + level - work);
    }
    seen
}

/// Six rods along edges of a cube, closed by six revolute joints whose axes are at right angles to their
/// neighbours': Bricard's orthogonal loop. 30 equations for 30 unknowns that leave a motion free, so that one
/// is redundant.
fn bricard() -> Scene {
    let corners =
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]].map(|c| c.map(f64::from));
    let v = |i: usize| Vector3::from(corners[i % 6]);
    let mut text = head(0.005, 1.0);
    for i in 0..6 {
        let (middle, along) = ((v(i) + v(i + 1)) * 0.5, (v(i + 1) - v(i)).abs());
        let axes = along * 0.4 + Vector3::repeat(0.05);
        let mass = if i == 0 { None } else { Some(1.0) };
        text += &body(&format!("rod {i}"), axes.into(), mass, middle.into());
    }
    for (i, corner) in corners.into_iter().enumerate() {
        let axis = (v(i) - v(i + 5)).cross(&(v(i + 1) - v(i)));
        let more = format!("axis = {:?}", <[f64; 3]>::from(axis));
        let between = [format!("rod {}", (i + 5) % 6), format!("rod {i}")];
        text += &joint(&format!("hinge {i}"), "revolute", [&between[0], &between[1]], corner, &more);
    }
    exact_from_text(&text)
}

/// 100 links of 1 kg, the last of 1000 kg.
fn heavy_chain(duration: f64) -> Scene {
    let (n, length) = (100, 0.2);
    let mut text = head(0.005, duration) + &body("base", [0.02; 3], None, [0.0; 3]);
    for i in 0..n {
        let mass = if i == n - 1 { 1000.0 } else { 1.0 };
        let middle = [length * (i as f64 + 0.5), 0.0, 0.0];
        text += &body(&format!("link {i}"), [0.09, 0.02, 0.02], Some(mass), middle);
        let above = if i == 0 { "base".to_owned() } else { format!("link {}", i - 1) };
        let at = [length * i as f64, 0.0, 0.0];
        text += &joint(&format!("pin {i}"), "ball", [&above, &format!("link {i}")], at, "");
    }
    exact_from_text(&text)
}

/// Energy that implicit Euler takes off a mechanism (J), of its largest kinetic energy (J), and the error of
/// the staggered integrator; as docs/notebook/models.md tells.
struct Told {
    lost: f64,
    lively: f64,
    strays: f64,
}

/// Checks that a mechanism is closed to 1e-10 at every step under both integrators, with the energies told.
fn stays_closed(scene: &Scene, told: &Told) {
    let near = |found: f64, told: f64| (found / told - 1.0).abs() < 0.02;
    let euler = closed(scene.clone(), Integrator::ImplicitEuler, 1e-10);
    assert!(near(-euler.change(), told.lost), "{} J", euler.change());
    assert!(euler.gain() < 1e-9 * told.lively, "it damps: {} J more", euler.gain());
    let staggered = closed(scene.clone(), Integrator::Staggered, 1e-10);
    assert!(near(staggered.lively, told.lively), "{} J", staggered.lively);
    assert!(near(staggered.swing(), told.strays), "{} J", staggered.swing());
}

#[test]
fn double_pendulum_stays_closed() {
    stays_closed(&shipped("seeds/double-pendulum.toml"), &Told { lost: 6.60, lively: 19.1, strays: 0.0911 });
}

#[test]
fn four_bar_linkage_stays_closed() {
    stays_closed(&shipped("seeds/four-bar.toml"), &Told { lost: 1.122, lively: 2.67, strays: 3.58e-3 });
}

/// The work of its drive is taken off.
#[test]
fn slider_crank_stays_closed() {
    stays_closed(&shipped("seeds/slider-crank.toml"), &Told { lost: 0.2517, lively: 1.715, strays: 3.32e-4 });
}

#[test]
fn a_redundant_loop_moves_and_stays_closed() {
    let scene = bricard();
    let before = scene.initial_state();
    let mut run = Run::new(scene.clone());
    run.run_to_the_end();
    let gone = |i: usize| (run.state().poses[i].position - before.poses[i].position).norm();
    assert!(gone(3) > 0.05, "the loop is movable, it went {} m", gone(3));
    stays_closed(&scene, &Told { lost: 2.716, lively: 48.2, strays: 9.58e-3 });
}

/// 500 steps, until it hangs and has swung through: the links carry 20 kN, and both integrators take every
/// step in one piece. The links swing faster than the step resolves: the staggered integrator damps them, or
/// no step could be solved in one piece.
#[test]
fn a_chain_with_a_heavy_end_stays_closed() {
    for (integrator, lost) in [(Integrator::ImplicitEuler, 3101.0), (Integrator::Staggered, 3031.0)] {
        let seen = closed(heavy_chain(2.5), integrator, 1e-9);
        assert_eq!(seen.iterations.len(), 500);
        assert!(seen.iterations.iter().all(|n| *n <= 16), "{:?}", seen.iterations);
        assert!((-seen.change() / lost - 1.0).abs() < 0.02, "{integrator:?}: {} J", seen.change());
        assert!(seen.gain() < 1e-6 * seen.lively, "{integrator:?}: {} J more", seen.gain());
        assert!(seen.lively > 1.9e5, "{integrator:?}: it has come down, {} J", seen.lively);
    }
}
