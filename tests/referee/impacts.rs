//! Steps with an impact: a body that leaves with more than its law allows is noticed.

use signorini::referee::{RecordedStep, Referee, Verdict};
use signorini::simulation::Simulation;
use signorini::step::{Loads, StepPhase};
use signorini_scene::scene::{LoadOptions, parse};
use std::path::Path;

/// A heavy ball falls on a ball of 1 kg that lies on the floor, without any rebound.
const FALLING: &str = r#"
format = 1
[simulation]
time_step = 0.001
duration = 0.1
[solver]
tolerance = 1e-4
impact_phase = true
[[friction]]
coefficient = 0.0
[[body]]
name = "floor"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "light"
shape = { type = "sphere", radius = 0.1 }
mass = 1
position = [0, 0, 0.1]
[[body]]
name = "heavy"
shape = { type = "sphere", radius = 0.1 }
mass = 1e6
position = [0, 0, 0.3055]
velocity = [0, 0, -1]
"#;

/// The verdict of the step with the impact where the heavy ball leaves with `excess` (m/s) more, and the
/// impulses on its way from the floor are as much larger.
fn left_with(excess: f64) -> Verdict {
    let scene = parse(FALLING, Path::new("falling"), &LoadOptions::default()).unwrap().scene;
    let mut simulation = Simulation::new(scene).unwrap();
    loop {
        assert!(simulation.step_index() < 20, "no impact");
        let before = simulation.state().clone();
        let mut loads = Loads::default();
        loads.gather(simulation.scene(), simulation.step_index());
        simulation.advance();
        let mut contacts = simulation.contacts().to_vec();
        let of_impact = contacts.iter_mut().filter(|contact| contact.phase == StepPhase::Impact);
        if of_impact.map(|contact| contact.normal_impulse += 1e6 * excess).count() < 2 {
            continue;
        }
        let (mut after, mut substeps) = (simulation.state().clone(), simulation.substeps().to_vec());
        after.velocities[2].linear.z += excess;
        for part in substeps.iter_mut().filter(|part| part.span.is_impact()) {
            part.bodies.iter_mut().filter(|body| body.body == 2).for_each(|b| b.velocity.linear.z += excess);
        }
        return Referee::new(simulation.scene()).judge(&RecordedStep {
            scene: simulation.scene(),
            before: Some(&before),
            after: &after,
            loads: &loads,
            contacts: &contacts,
            joints: &[],
            substeps: &substeps,
        });
    }
}

/// A velocity counts by the mass that its bodies carry: by that of the pair alone a thousandth of the speed
/// of arrival is 1e-9 of the unit.
#[test]
fn the_impact_of_a_heavy_body_is_weighed_with_its_own_mass() {
    let honest = left_with(0.0);
    assert!(honest.green, "{honest:#?}");
    let verdict = left_with(1e-3);
    assert!(!verdict.green && verdict.momentum < 1e-9, "{verdict:#?}");
    assert!((verdict.complementarity - 0.5e-3).abs() < 1e-4, "{verdict:#?}");
}
