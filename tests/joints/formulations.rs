//! Every kind of joint, with limits, motors and prescribed motions, in the models that know joints at the start of a step only.

use super::{every_kind, from_text};
use nalgebra::Vector3;
use signorini::scene::{Scene, State};
use signorini::settings::Formulation;
use signorini::simulation::Simulation;

/// When both are compared (s).
const END: f64 = 0.06;

/// What a run leaves: the state at the end, and the most that joints were open (m, rad), limits overrun and motors too strong.
struct Seen {
    end: State,
    open: f64,
    overrun: f64,
    excess: f64,
}

fn run(what: &str, text: &str, formulation: Formulation, h: f64) -> Seen {
    let mut scene: Scene = from_text(text);
    scene.time_step = h;
    scene.solver.formulation = formulation;
    let limits = text.lines().find(|l| l.contains("_limits")).map(|l| {
        let ends = l.split(['[', ']']).nth(1).expect("brackets");
        let ends: Vec<f64> = ends.split(',').map(|x| x.trim().parse().expect("a number")).collect();
        [ends[0], ends[1]]
    });
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (mut open, mut overrun, mut excess) = (0.0_f64, 0.0_f64, 0.0_f64);
    for step in 1..=(END / h).round() as usize {
        let info = simulation.advance().info;
        assert!(info.status.is_solved(), "{what}, {formulation:?}, step {step}: {info:?}");
        for record in simulation.joints() {
            open = record.error.iter().copied().fold(open, f64::max);
            excess = record.motor.iter().map(|p| p.abs() / h - 3.0).fold(excess, f64::max);
        }
        if let Some([low, high]) = limits {
            let is_angle = usize::from(text.contains("angle_limits"));
            let at = simulation.joints()[0].coordinate[is_angle].expect("it has one");
            overrun = overrun.max(low - at).max(at - high);
        }
    }
    Seen { end: simulation.state().clone(), open, overrun, excess }
}

fn apart(p: &State, q: &State) -> f64 {
    let pairs = p.poses.iter().zip(&q.poses);
    pairs
        .map(|(p, q)| (p.position - q.position).norm() + p.orientation.angle_to(&q.orientation))
        .fold(0.0, f64::max)
}

/// What they leave open is of second order in h, limits and motors hold, and they come to the implicit model's motion, by small
/// steps, as h falls.
#[test]
fn every_kind_works_in_every_formulation() {
    for (what, text) in every_kind() {
        let exact = run(&what, &text, Formulation::Implicit, 1e-4).end;
        for formulation in [
            Formulation::StewartTrinkle,
            Formulation::Cone,
            Formulation::Compliant,
            Formulation::Auto,
            Formulation::Implicit,
        ] {
            let [coarse, fine] = [2e-3, 1e-3].map(|h| run(&what, &text, formulation, h));
            let [far, near] = [&coarse, &fine].map(|seen| apart(&seen.end, &exact));
            let place = format!("{what}, {formulation:?}");
            assert!(near < 0.7 * far && near < 0.02, "{place}: {far} to {near} from the exact motion");
            assert!(coarse.excess < 1e-6 && fine.excess < 1e-6, "{place}: a motor of {} N more", fine.excess);
            if formulation == Formulation::Implicit {
                assert!(coarse.open < 1e-10 && coarse.overrun < 1e-10, "{place}: open by {}", coarse.open);
                continue;
            }
            if formulation == Formulation::Auto {
                // It takes whatever model keeps within its tolerance.
                let most = fine.open.max(fine.overrun).max(coarse.open).max(coarse.overrun);
                assert!(most < 1e-4, "{place}: {most}");
                continue;
            }
            // Compliant joints give a little.
            let falls = |from: f64, to: f64| to < 1e-8 || to < 0.4 * from && from < 1e-3;
            assert!(falls(coarse.open, fine.open), "{place}: open by {} and {}", coarse.open, fine.open);
            assert!(
                falls(coarse.overrun, fine.overrun),
                "{place}: limits overrun by {} and {}",
                coarse.overrun,
                fine.overrun
            );
        }
    }
}

/// A rod on a hinge held at its stop by gravity, in every formulation: the limit bears the moment of the weight, and a motor that is
/// too weak to lift it gives all it has.
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
    for formulation in [
        Formulation::Implicit,
        Formulation::Literal,
        Formulation::StewartTrinkle,
        Formulation::Cone,
        Formulation::Compliant,
        Formulation::Auto,
    ] {
        let mut scene = from_text(&text);
        scene.solver.formulation = formulation;
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
