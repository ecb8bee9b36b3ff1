//! Two bodies on a joint that turn by up to .3 rad a step, far from the anchor. The rows of the joint hold
//! after whole turns as well, and often after half a turn.

use crate::variants::{Draw, any_turn, body, each, load, watch};
use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini_ncp::solver::SolveStatus;
use std::f64::consts::PI;

const KINDS: [&str; 8] =
    ["ball", "universal", "revolute", "cylindrical", "planar", "prismatic", "fixed", "distance"];

/// Any vector of this length.
fn any(draw: &mut Draw, length: f64) -> Vector3<f64> {
    Vector3::new(draw.within(1.0), draw.within(1.0), draw.within(1.0)).normalize() * length
}

fn list(v: Vector3<f64>) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// A box that turns about the anchor, the origin, and its size (m).
fn turning(draw: &mut Draw, name: &str, (size, lever): (f64, f64), step: f64) -> String {
    let half = [size, size * draw.between(0.4, 1.0), size * draw.between(0.4, 1.0)];
    let spin = draw.between(0.05, 0.3) / step;
    let (at, w) = (any(draw, lever * size), any(draw, spin));
    // Velocities fit the anchor, or they do not.
    let misfit = draw.pick(&[0.0, 0.0, 0.5, 2.0]) * spin * size;
    let v = w.cross(&at) + any(draw, misfit);
    let (density, turn) = (draw.pick(&[100.0, 1000.0, 10000.0]), any_turn(draw));
    let more = format!(
        "density = {density:?}\norientation = {turn:?}\nvelocity = {}\nangular_velocity = {}",
        list(v),
        list(w)
    );
    body(name, &format!("type = \"box\", half_extents = {half:?}"), [at.x, at.y, at.z], &more)
}

/// Two boxes without weight on a joint of any kind.
fn pair(draw: &mut Draw) -> String {
    let step = draw.pick(&[1e-3, 0.01]);
    let size = draw.pick(&[3e-3, 0.02, 0.1]);
    let kind = draw.pick(&KINDS);
    let levers = [draw.between(1.0, 10.0), draw.between(1.0, 10.0)];
    let sizes = [size, size * draw.between(0.1, 1.0)];
    let axis = any(draw, 1.0);
    let axes = match kind {
        "ball" | "fixed" => "anchor = [0, 0, 0]".to_owned(),
        "universal" => {
            let across = axis.cross(&any(draw, 1.0)).normalize();
            format!("anchor = [0, 0, 0]\naxis = {}\nsecond_axis = {}", list(axis), list(across))
        }
        "distance" => String::new(),
        "prismatic" => format!("axis = {}", list(axis)),
        _ => format!("anchor = [0, 0, 0]\naxis = {}", list(axis)),
    };
    let duration = 30.0 * step;
    format!("format = 1\n[simulation]\ntime_step = {step:?}\nduration = {duration:?}\ngravity = [0, 0, 0]\n")
        + &turning(draw, "a", (sizes[0], levers[0]), step)
        + &turning(draw, "b", (sizes[1], levers[1]), step)
        + &format!("[[joint]]\nname = \"j\"\ntype = \"{kind}\"\nbetween = [\"a\", \"b\"]\n{axes}\n")
}

/// Two bobs on ball joints, far from them, that swing about a post with all their joints at rest or not.
fn pendulum(draw: &mut Draw) -> String {
    let (step, size) = (draw.pick(&[1e-3, 0.01]), draw.pick(&[3e-3, 0.02, 0.1]));
    let duration = 50.0 * step;
    let turn = draw_spin(draw);
    let spin = any(draw, turn / step);
    let mut text = format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = {duration:?}\n[[friction]]\ncoefficient = 0\n"
    );
    text += &body("post", &format!("type = \"sphere\", radius = {size:?}"), [0.0; 3], "fixed = true");
    let (mut joints, mut anchor) = (String::new(), Vector3::zeros());
    for (k, before) in ["post", "b0"].into_iter().enumerate() {
        let half = size * 0.5f64.powi(k as i32);
        let lever = half * draw.between(1.5, 10.0);
        let at = anchor + any(draw, lever);
        let more = draw_spin(draw) * draw.pick(&[0.0, 1.0]);
        let w = spin + any(draw, more / step);
        let (turn, v) = (any_turn(draw), spin.cross(&at));
        let shape = format!("type = \"box\", half_extents = [{half:?}, {:?}, {:?}]", 0.6 * half, 0.4 * half);
        let more = format!(
            "density = 1000\norientation = {turn:?}\nvelocity = {}\nangular_velocity = {}",
            list(v),
            list(w)
        );
        text += &body(&format!("b{k}"), &shape, [at.x, at.y, at.z], &more);
        joints += &format!(
            "[[joint]]\nname = \"j{k}\"\ntype = \"ball\"\nbetween = [\"{before}\", \"b{k}\"]\nanchor = {}\n",
            list(anchor)
        );
        let lever = half * draw.between(1.0, 4.0);
        anchor = at + any(draw, lever);
    }
    text + &joints
}

/// A turn within a step (rad).
fn draw_spin(draw: &mut Draw) -> f64 {
    draw.between(0.05, 0.25)
}

/// Kinetic and potential energy (J).
fn energy(simulation: &Simulation) -> f64 {
    simulation.kinetic_energy() + simulation.potential_energy()
}

/// The fault of a run: a solved step that is red, energy from nowhere, or a whole turn within a step.
fn fault(text: &str) -> Option<String> {
    let mut simulation = match load(text) {
        Ok(simulation) => simulation,
        Err(fault) => return Some(fault),
    };
    let h = simulation.scene().time_step;
    let mut unsolved = 0;
    for _ in 0..simulation.scene().n_steps() {
        let (before, kinetic) = (energy(&simulation), simulation.kinetic_energy());
        let outcome = simulation.advance();
        let (info, verdict) = (outcome.info, outcome.verdict.expect("the referee was asked"));
        if !info.status.is_solved() {
            unsolved += 1;
            assert!(!verdict.green, "step {} is green, but not solved", outcome.step);
            continue;
        }
        if !verdict.green {
            return Some(format!("step {} is solved, but red: {verdict:?}", outcome.step));
        }
        let gain = (energy(&simulation) - before) / kinetic;
        // The bound of the scheme is a half; no variant comes near it.
        if gain > 0.05 {
            return Some(format!("step {}: energy grows by {gain} of what moves", outcome.step));
        }
        let spins = simulation.state().velocities.iter().map(|v| v.angular.norm());
        let turn = h * spins.fold(0.0, f64::max) / (1 + info.n_substeps) as f64;
        if turn > PI {
            return Some(format!("step {}: a turn of {turn} rad", outcome.step));
        }
    }
    (unsolved > 0).then(|| format!("{unsolved} steps unsolved"))
}

#[test]
fn joints_of_free_bodies_do_not_alias() {
    each(pair, fault);
}

#[test]
fn double_pendulums_do_not_alias() {
    each(pendulum, fault);
}

/// A rotor on a hinge that spins so fast that it turns several times within a step keeps its spin: its start
/// explains it.
#[test]
fn a_rotor_may_turn_many_times_within_a_step() {
    let rotor = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.5\ngravity = [0, 0, -9.81]\n"
        .to_owned()
        + &body("base", "type = \"box\", half_extents = [0.01, 0.01, 0.01]", [0.0; 3], "fixed = true")
        + &body(
            "rotor",
            "type = \"box\", half_extents = [0.02, 0.02, 0.02]",
            [0.0, 0.0, 0.1],
            "density = 1000\nangular_velocity = [0, 0, 2000]",
        )
        + "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"base\", \"rotor\"]\nanchor = [0, 0, 0]\n\
           axis = [0, 0, 1]\n";
    watch(&rotor, |simulation| {
        let spin = simulation.state().velocities[1].angular.z;
        assert!((spin - 2000.0).abs() < 1e-6, "{spin}");
    })
    .expect("solved and green");
}

/// A bob without spin is thrown past its joint: the joint would have to turn it by nearly a right angle. The
/// step is refused, and the joint is told.
#[test]
fn a_turn_that_nothing_explains_is_told_with_the_joint() {
    let far = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\ngravity = [0, 0, 0]\n[solver]\n\
               halvings = 0\n"
        .to_owned()
        + &body("base", "type = \"box\", half_extents = [0.01, 0.01, 0.01]", [0.0; 3], "fixed = true")
        + &body(
            "bob",
            "type = \"box\", half_extents = [0.02, 0.01, 0.02]",
            [0.1, 0.0, 0.0],
            "density = 1000\nvelocity = [0, 20, 0]",
        )
        + "[[joint]]\nname = \"j\"\ntype = \"ball\"\nbetween = [\"base\", \"bob\"]\nanchor = [0, 0, 0]\n";
    let mut simulation = load(&far).expect("a scene");
    let info = simulation.advance().info;
    assert_eq!((info.status, info.turned_joint), (SolveStatus::TurnedTooFar, Some(0)), "{info:?}");
}
