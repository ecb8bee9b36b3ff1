//! The indicators against closed forms, and the model that chooses among the others.

use super::scene;
use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini::step::Switch;
use signorini_kernels::smooth_pair::tangents;
use signorini_scene::scene::{LoadOptions, Scene, load};
use signorini_scene::settings::Formulation;
use std::path::Path;

/// A ball thrown flat on a plane: it slides, then rolls.
fn thrown(tolerance: f64) -> Scene {
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.4\n\
         [solver]\nformulation = \"auto\"\n[solver.auto]\ntolerance = {tolerance}\npatience = 5\n\
         [[friction]]\ncoefficient = 0.3\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n\
         shape = {{ type = \"sphere\", radius = 0.1 }}\n"
    ))
}

#[test]
fn auto_leaves_the_cone_while_the_ball_slides_and_returns_when_it_rolls() {
    let mut simulation = Simulation::new(thrown(1e-4)).unwrap();
    let (mut switches, mut models) = (Vec::new(), Vec::new());
    // It rolls from t = 2 v₀/(7 μ g) on.
    let rolls = 2.0 * 2.0 / (7.0 * 0.3 * 9.81);
    for _ in 0..simulation.scene().n_steps() {
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved());
        let advice = outcome.advice.unwrap();
        let contact = simulation.contacts()[0];
        let lift = 0.002 * 0.3 * contact.slip_speed / 0.1;
        assert!((advice.cone_lift - lift).abs() < 1e-12, "{advice:?}");
        assert!(advice.gap_linearization < 1e-12, "a ball on a plane has a linear gap: {advice:?}");
        models.push((outcome.time, outcome.info.formulation));
        switches.extend(outcome.info.switch.map(|s| (outcome.time, s)));
        // No slider is lifted: the cone is only used where it would not.
        assert!(contact.gap < 1e-4 * 0.1, "{}", contact.gap);
    }
    assert_eq!(switches[0], (0.002, Switch::ConeLift));
    assert_eq!(switches.len(), 2, "{switches:?}");
    assert_eq!(switches[1].1, Switch::Cheaper);
    // Lift below half the tolerance: the slip is below 1e-4 · 0.1/(2 h μ) = 8e-3 m/s, 1 ms before it rolls.
    assert!((switches[1].0 - rolls).abs() < 7.0 * 0.002, "{switches:?} {rolls}");
    // The throw lies along a corner of the polygon, which is exact there.
    let expected = |t: f64| if t >= switches[1].0 { Formulation::Cone } else { Formulation::StewartTrinkle };
    assert!(models.iter().all(|(t, m)| *m == expected(*t)), "{models:?}");
}

/// Slides at an angle to the first tangent, so heavy to turn that it does not roll.
fn slanting(angle: f64, model: &str) -> Scene {
    let (t, o) = tangents(&Vector3::z());
    let v = (t * angle.cos() + o * angle.sin()) * 2.0;
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.01\n[solver]\nformulation = \"{model}\"\n\
         [[friction]]\ncoefficient = 0.3\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"slider\"\nmass = 2\ninertia = [1e9, 1e9, 1e9, 0, 0, 0]\nposition = [0, 0, 0.1]\n\
         velocity = [{:?}, {:?}, 0]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n",
        v.x, v.y
    ))
}

#[test]
fn the_slip_indicator_is_what_the_polygon_does() {
    for angle in [0.0, 0.1, 0.3, 0.39, 0.9] {
        let mut exact = Simulation::new(slanting(angle, "implicit")).unwrap();
        let mut bent = Simulation::new(slanting(angle, "stewart-trinkle")).unwrap();
        let advised = exact.advance().advice.unwrap().slip_direction;
        bent.advance();
        let off = bent.state().poses[1].position - exact.state().poses[1].position;
        assert!((advised - off.norm() / 0.1).abs() < 1e-3 * advised + 1e-12, "{angle}: {advised:e} {off}");
    }
}

#[test]
fn auto_takes_the_polygon_only_where_it_lies_well() {
    let model = |angle: f64| {
        let mut scene = slanting(angle, "auto");
        scene.solver.auto.tolerance = 1e-5;
        Simulation::new(scene).unwrap().advance().info.formulation
    };
    assert_eq!([model(0.0), model(0.39)], [Formulation::StewartTrinkle, Formulation::Implicit]);
}

#[test]
fn corners_that_come_down_have_gaps_of_their_own() {
    // A box turning about one edge onto its face: a corner comes down by h ω 2 a, which is no error of its
    // gap.
    let (rate, tilt, h): (f64, f64, f64) = (2.0, 0.003, 0.002);
    let (half, c, s) = (0.1, tilt.cos(), tilt.sin());
    let centre = [half * c - half, 0.0, half * c + half * s];
    let text = format!(
        "format = 1\n[simulation]\ntime_step = {h}\nduration = 0.01\n[[friction]]\ncoefficient = 0\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"box\"\nmass = 1\nposition = {centre:?}\n\
         orientation = [{:?}, 0, {:?}, 0]\nangular_velocity = [0, {rate}, 0]\nvelocity = [0, 0, {:?}]\n\
         shape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n",
        (tilt / 2.0).cos(),
        -(tilt / 2.0).sin(),
        -rate * half
    );
    let mut simulation = Simulation::new(scene(&text)).unwrap();
    let advice = simulation.advance().advice.unwrap();
    let bound = 0.5 * (h * rate).powi(2) * half * 2.0 / half;
    assert!(advice.gap_linearization < 2.0 * bound, "{advice:?} {bound:e}");
}

#[test]
fn a_tolerance_that_nothing_exceeds_keeps_the_cheapest() {
    let mut simulation = Simulation::new(thrown(1.0)).unwrap();
    for _ in 0..50 {
        assert_eq!(simulation.advance().info.formulation, Formulation::Cone);
    }
}

#[test]
fn curvature_shows_in_the_gap_indicator() {
    // A ball passing over the top of a fixed one: the tangent leaves the surface by (h v)²/(2 R), R = 1.2.
    let text = "format = 1\n[simulation]\ntime_step = 0.001\nduration = 0.01\n[[friction]]\ncoefficient = 0\n\
        [[body]]\nname = \"hill\"\nfixed = true\nshape = { type = \"sphere\", radius = 1 }\n\
        [[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 1.2]\nvelocity = [1, 0, 0]\n\
        shape = { type = \"sphere\", radius = 0.2 }\n";
    let mut simulation = Simulation::new(scene(text)).unwrap();
    let advice = simulation.advance().advice.unwrap();
    let expected = 1e-6 / 2.4 / 0.2;
    assert!((advice.gap_linearization - expected).abs() < 1e-3 * expected, "{advice:?} {expected:e}");
    assert_eq!((advice.cone_lift, advice.slip_direction), (0.0, 0.0));
}

/// Each change of model in a run: (step, model, reason).
fn changes(scene: Scene) -> Vec<(usize, Formulation, Switch)> {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    let mut found = Vec::new();
    let mut before = Formulation::Cone;
    for _ in 0..simulation.scene().n_steps() {
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved(), "step {}: {:?}", outcome.step, outcome.info);
        let model = outcome.info.formulation;
        // A reason is given where the model changes, and nowhere else.
        assert_eq!(
            outcome.info.switch.is_some(),
            model != before,
            "step {}: {:?}",
            outcome.step,
            outcome.info
        );
        found.extend(outcome.info.switch.map(|reason| (outcome.step, model, reason)));
        before = model;
    }
    found
}

#[test]
fn auto_leaves_linear_gaps_on_a_hill_and_returns_in_flight() {
    // Over the top of a fixed ball with 3 m/s: (h v)²/(2 R) = 3.75e-6 m over a size of 0.2 m, until v² = g R
    // cos θ.
    let text = "format = 1\n[simulation]\ntime_step = 0.001\nduration = 0.3\n\
        [solver]\nformulation = \"auto\"\n[solver.auto]\ntolerance = 1e-5\npatience = 20\n\
        [[friction]]\ncoefficient = 0\n\
        [[body]]\nname = \"hill\"\nfixed = true\nshape = { type = \"sphere\", radius = 1 }\n\
        [[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 1.2]\nvelocity = [3, 0, 0]\n\
        shape = { type = \"sphere\", radius = 0.2 }\n";
    // θ'' = (g/R) sin θ until it leaves.
    let (mut theta, mut rate, mut left, h) = (0.0_f64, 3.0 / 1.2, 0.0, 1e-6);
    while 9.81 * theta.cos() > 1.2 * rate * rate {
        rate += h * 9.81 / 1.2 * theta.sin();
        (theta, left) = (theta + h * rate, left + h);
    }
    let found = changes(scene(text));
    assert_eq!(found[0], (1, Formulation::Implicit, Switch::GapLinearization));
    assert_eq!((found.len(), found[1].1, found[1].2), (2, Formulation::Cone, Switch::Cheaper), "{found:?}");
    // No contact carries load from then on: twenty quiet steps.
    assert!((found[1].0 as f64 - (left / 0.001 + 20.0)).abs() < 3.0, "{found:?} {left}");
    // With ten times the tolerance there is nothing to leave.
    let mut lenient = scene(text);
    lenient.solver.auto.tolerance = 1e-4;
    assert_eq!(changes(lenient), []);
}

/// A slider along a corner of the polygon that is pushed aside, and back again later; then it comes to rest.
const PUSHED: &str = r#"format = 1
[simulation]
time_step = 0.002
duration = 0.8
[solver]
formulation = "auto"
[solver.auto]
tolerance = 1e-5
patience = 5
[[friction]]
coefficient = 0.3
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "slider"
mass = 2
inertia = [1e9, 1e9, 1e9, 0, 0, 0]
position = [0, 0, 0.1]
velocity = [0, 2, 0]
shape = { type = "sphere", radius = 0.1 }
[[force]]
body = "slider"
from = 0.0999
to = 0.1999
force = [8, 0, 0]
[[force]]
body = "slider"
from = 0.2999
to = 0.3679
force = [-8, 0, 0]
"#;

#[test]
fn auto_leaves_the_polygon_where_a_slide_turns_from_its_corner() {
    let (t, o): (Vector3<f64>, Vector3<f64>) = tangents(&Vector3::z());
    // The slide lies along one of the two, both of which are corners.
    assert!(t.y.abs() > 1.0 - 1e-12 || o.y.abs() > 1.0 - 1e-12);
    let found = changes(scene(PUSHED));
    let kinds: Vec<(Formulation, Switch)> = found.iter().map(|c| (c.1, c.2)).collect();
    let expected = [
        (Formulation::StewartTrinkle, Switch::ConeLift),
        (Formulation::Implicit, Switch::SlipDirection),
        (Formulation::StewartTrinkle, Switch::Cheaper),
    ];
    assert_eq!(kinds[..3], expected, "{found:?}");
    assert_eq!(kinds[kinds.len() - 1], (Formulation::Cone, Switch::Cheaper), "{found:?}");
    assert_eq!(found[0].0, 1);
    // h μ g h 2 sin(δ/2)/0.1 > 1e-5 where the slide has turned by δ; v_y = 2 − μ g t to the first order of δ.
    let turned = 1e-5 * 0.1 / (0.002 * 0.3 * 9.81 * 0.002);
    let pushed = turned * (2.0 - 0.3 * 9.81 * 0.1) / 4.0;
    assert!((found[1].0 as f64 * 0.002 - (0.1 + pushed)).abs() < 0.006, "{found:?} {pushed}");
    assert!((150..210).contains(&found[2].0), "{found:?}");
    // At rest after v/(μ g), and five quiet steps.
    assert!(found[found.len() - 1].0 as f64 * 0.002 > 0.6, "{found:?}");
}

#[test]
fn auto_says_where_a_model_did_not_solve_the_step() {
    // Four corners are more than one gradient step solves.
    let found = changes(scene(UNSOLVED));
    assert_eq!(found, [(1, Formulation::StewartTrinkle, Switch::Unsolved)]);
}

/// A box that slides, and one gradient step for it.
const UNSOLVED: &str = r#"format = 1
[simulation]
time_step = 0.002
duration = 0.05
[solver]
formulation = "auto"
[solver.auto]
tolerance = 1
patience = 5
[solver.cone]
method = "apgd"
apgd_iterations = 1
[[friction]]
coefficient = 0.3
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "box"
mass = 2
position = [0, 0, 0.1]
velocity = [1, 0.5, 0]
shape = { type = "box", half_extents = [0.2, 0.15, 0.1] }
"#;

#[test]
fn auto_counts_an_open_joint_as_an_error_of_linearization() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/seeds/double-pendulum.toml");
    let mut base = load(&path, &LoadOptions::default()).unwrap().scene;
    (base.duration, base.solver.formulation) = (0.3, Formulation::Auto);
    base.solver.auto.tolerance = 1e-5;
    let found = changes(base.clone());
    let first = found[0];
    assert_eq!((first.1, first.2), (Formulation::Implicit, Switch::GapLinearization), "{found:?}");
    // From rest the opening of a step grows with the square of the speed.
    assert!(first.0 > 1 && first.0 < 40, "{found:?}");
    base.solver.auto.tolerance = 1.0;
    assert_eq!(changes(base), []);
}

#[test]
fn the_referee_sees_that_a_body_has_left_the_tangent() {
    // Over a hill: the cone's impulse carries the ball on the tangent plane of the start, (h v)²/(2 R) above
    // the surface.
    let text = "format = 1\n[simulation]\ntime_step = 0.001\nduration = 0.01\n[solver]\nformulation = \"cone\"\n\
        [[friction]]\ncoefficient = 0\n\
        [[body]]\nname = \"hill\"\nfixed = true\nshape = { type = \"sphere\", radius = 1 }\n\
        [[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 1.2]\nvelocity = [6, 0, 0]\n\
        shape = { type = \"sphere\", radius = 0.2 }\n";
    let mut simulation = Simulation::new(scene(text)).unwrap();
    let outcome = simulation.advance();
    let (verdict, advice) = (outcome.verdict.unwrap(), outcome.advice.unwrap());
    let gap = (1e-3_f64 * 6.0).powi(2) / 2.4;
    assert!((simulation.contacts()[0].gap / gap - 1.0).abs() < 1e-2, "{:?}", simulation.contacts());
    assert!((advice.gap_linearization / (gap / 0.2) - 1.0).abs() < 1e-2, "{advice:?}");
    // min(p, gap m/h) in units of m g h: the whole impulse acts at a distance, and every gap is recorded
    // rightly.
    assert!(!verdict.green && (verdict.complementarity - 1.0).abs() < 1e-6, "{verdict:?}");
}
