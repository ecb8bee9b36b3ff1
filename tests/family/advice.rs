//! The indicators against closed forms, and the model that chooses among the others.

use super::scene;
use nalgebra::Vector3;
use signorini::kernels::smooth_pair::tangents;
use signorini::scene::Scene;
use signorini::settings::Formulation;
use signorini::simulation::Simulation;
use signorini::stepper::Switch;

/// A ball thrown flat on a plane: it slides, then rolls.
fn thrown(tolerance: f64) -> Scene {
    scene(&format!(
        "format = 1\n[simulation]\nstep = 0.002\nduration = 0.4\n\
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
        "format = 1\n[simulation]\nstep = 0.002\nduration = 0.01\n[solver]\nformulation = \"{model}\"\n\
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
    // A box turning about one edge onto its face: a corner comes down by h ω 2 a, which is no error of its gap.
    let (rate, tilt, h): (f64, f64, f64) = (2.0, 0.003, 0.002);
    let (half, c, s) = (0.1, tilt.cos(), tilt.sin());
    let centre = [half * c - half, 0.0, half * c + half * s];
    let text = format!(
        "format = 1\n[simulation]\nstep = {h}\nduration = 0.01\n[[friction]]\ncoefficient = 0\n\
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
    let text = "format = 1\n[simulation]\nstep = 0.001\nduration = 0.01\n[[friction]]\ncoefficient = 0\n\
        [[body]]\nname = \"hill\"\nfixed = true\nshape = { type = \"sphere\", radius = 1 }\n\
        [[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 1.2]\nvelocity = [1, 0, 0]\n\
        shape = { type = \"sphere\", radius = 0.2 }\n";
    let mut simulation = Simulation::new(scene(text)).unwrap();
    let advice = simulation.advance().advice.unwrap();
    let expected = 1e-6 / 2.4 / 0.2;
    assert!((advice.gap_linearization - expected).abs() < 1e-3 * expected, "{advice:?} {expected:e}");
    assert_eq!((advice.cone_lift, advice.slip_direction), (0.0, 0.0));
}
