//! The indicators against closed forms, and the model that chooses among the others.

use super::scene;
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
    assert!(models.iter().all(|(t, m)| (*m == Formulation::Cone) == (*t >= switches[1].0)));
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
