//! Every kind of joint, with limits, motors and prescribed motions, in the models that know joints at the
//! start of a step only.

use super::closed::opening;
use super::{ALL_MODELS, every_kind};
use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini_scene::scene::{Axis, Scene, State};
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::exact_from_text;

/// When both are compared (s).
const END: f64 = 0.06;

/// Outcome of a run: the state at the end, and the most that joints were open (m, rad), limits overrun,
/// prescribed motions missed, and motors too strong (N, N m).
struct Seen {
    end: State,
    open: f64,
    overrun: f64,
    missed: f64,
    excess: f64,
}

/// The joint's limits as the text has them: of a displacement or length, and of the angle.
fn limits(text: &str) -> Vec<(usize, [f64; 2])> {
    let lines = text.lines().filter(|l| l.contains("_limits"));
    let read = |line: &str| {
        let ends = line.split(['[', ']']).nth(1).expect("brackets");
        let ends: Vec<f64> = ends.split(',').map(|x| x.trim().parse().expect("a number")).collect();
        (usize::from(line.starts_with("angle")), [ends[0], ends[1]])
    };
    lines.map(read).collect()
}

fn run(what: &str, text: &str, (formulation, integrator): (Formulation, Integrator), h: f64) -> Seen {
    let mut scene: Scene = exact_from_text(text);
    scene.time_step = h;
    (scene.solver.formulation, scene.solver.integrator) = (formulation, integrator);
    let limits = limits(text);
    let driven = scene.joints[0].coordinates.clone();
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (mut open, mut overrun, mut missed, mut excess) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for step in 1..=(END / h).round() as usize {
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved(), "{what}, {formulation:?}, step {step}: {:?}", outcome.info);
        open = open.max(opening(simulation.scene(), simulation.state()));
        for record in simulation.joints() {
            excess = record.motor.iter().map(|p| p.abs() / h - 3.0).fold(excess, f64::max);
        }
        let at = simulation.joints()[0].coordinate;
        for (coordinate, [low, high]) in &limits {
            let at = at[*coordinate].expect("it has one");
            overrun = overrun.max(low - at).max(at - high);
        }
        for c in &driven {
            let Some(target) = c.target(simulation.time()) else { continue };
            let at = at[usize::from(c.axis == Axis::Angle)].expect("it has one");
            missed = missed.max((at - target).abs());
        }
    }
    Seen { end: simulation.state().clone(), open, overrun, missed, excess }
}

fn apart(p: &State, q: &State) -> f64 {
    let pairs = p.poses.iter().zip(&q.poses);
    pairs
        .map(|(p, q)| (p.position - q.position).norm() + p.orientation.angle_to(&q.orientation))
        .fold(0.0, f64::max)
}

/// Joints stay open by an amount of second order in h. Limits, motors and prescribed motions hold, and the
/// motion comes to that of small steps of the staggered integrator as h falls. Tests of `reference` hold the
/// literal formulation to the implicit one step by step.
#[test]
fn every_kind_works_in_every_formulation() {
    for (what, text) in every_kind() {
        let exact = run(&what, &text, (Formulation::Implicit, Integrator::Staggered), 1e-4).end;
        for model in ALL_MODELS.into_iter().filter(|(formulation, _)| *formulation != Formulation::Literal) {
            let [coarse, fine] = [2e-3, 1e-3].map(|h| run(&what, &text, model, h));
            let [far, near] = [&coarse, &fine].map(|seen| apart(&seen.end, &exact));
            let place = format!("{what}, {model:?}");
            // An error of second order is small at once, and scatters with the instants when limits and
            // motors come to their bounds.
            let falls = near < 0.7 * far || model.1 == Integrator::Staggered && near < 2e-5;
            assert!(falls && near < 0.02, "{place}: {far} to {near} from the exact motion");
            assert!(coarse.excess < 1e-6 && fine.excess < 1e-6, "{place}: a motor of {} N more", fine.excess);
            let parts = |seen: &Seen| [seen.open, seen.overrun, seen.missed];
            let most = parts(&fine).into_iter().chain(parts(&coarse)).fold(0.0, f64::max);
            match model.0 {
                Formulation::Implicit => assert!(most < 1e-10, "{place}: off by {most}"),
                // It takes whatever model keeps within its tolerance.
                Formulation::Auto => assert!(most < 1e-4, "{place}: off by {most}"),
                _ => {
                    for (name, (from, to)) in
                        ["open", "overrun", "missed"].iter().zip(parts(&coarse).into_iter().zip(parts(&fine)))
                    {
                        // Compliant joints give a little.
                        let falls = to < 1e-8 || to < 0.4 * from && from < 1e-3;
                        assert!(falls, "{place}: {name} by {from} and {to}");
                    }
                }
            }
        }
    }
}

/// A rod on a hinge held at its stop by gravity, in every formulation: the limit carries the moment of the
/// weight, and a motor that is too weak to lift it gives all it has.
#[test]
fn limits_and_motors_bear_in_every_formulation() {
    let text = super::head(0.001, 1.0)
        + &super::body("base", [0.05; 3], None, [0.0; 3])
        + &super::body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &super::joint(
            "h",
            "revolute",
            ["base", "rod"],
            [0.0; 3],
            "axis = [0, 1, 0]\nangle_limits = [-1, 0.05]",
        )
        + "[[motor]]\njoint = \"h\"\nlargest_force = 1.5\nvelocity = { type = \"constant\", value = -1 }\n";
    for (formulation, integrator) in ALL_MODELS {
        let mut scene = exact_from_text(&text);
        (scene.solver.formulation, scene.solver.integrator) = (formulation, integrator);
        let mut simulation = Simulation::new(scene).expect("runs");
        for step in 0..400 {
            assert!(simulation.advance().info.status.is_solved(), "{formulation:?}, step {step}");
        }
        let place = simulation.state().poses[1].orientation * Vector3::x();
        assert!(((-place.z).atan2(place.x) - 0.05).abs() < 1e-5, "{formulation:?}: {place}");
        let record = simulation.joints()[0];
        let [motor, limit] = [record.motor[1], record.limit[1]].map(|p| p / 0.001);
        assert!((motor + 1.5).abs() < 1e-4, "{formulation:?}: the motor gives {motor} N m");
        let moment = 9.81 * 0.4 * 0.05_f64.cos();
        assert!((limit + moment - 1.5).abs() < 1e-3, "{formulation:?}: the limit bears {limit} N m");
    }
}
/// The staggered integrator is of second order with every kind of joint between a fixed, or a driven, and two
/// free bodies; limits and motors that come to their bounds do so somewhere in a step and are left out here.
#[test]
fn every_kind_is_of_second_order_when_staggered() {
    let model = (Formulation::Implicit, Integrator::Staggered);
    for (what, text) in every_kind() {
        if text.contains("_limits") || text.contains("[[motor]]") {
            continue;
        }
        let exact = run(&what, &text, model, 1e-4).end;
        let errors = [2e-3, 1e-3, 5e-4].map(|h| apart(&run(&what, &text, model, h).end, &exact));
        let slopes = [0, 1].map(|i| (errors[i] / errors[i + 1]).log2());
        assert!(slopes.iter().all(|s| (1.9..2.1).contains(s)), "{what}: {slopes:?} of {errors:?}");
    }
}
