//! The family of models against closed forms: each shows its own artefact, of the size it must have, and the
//! implicit model shows none.

mod advice;
mod artefacts;
mod bad_input;
mod compliance;
mod flat;
mod gradient;
mod lcps;
mod orders;
mod problems;
mod springs;
mod wheel;

use signorini::simulation::Simulation;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation;
use support::runs::exact_from_text as scene;

/// All steps of a scene, each solved; `each` sees the simulation after every one.
fn run(scene: Scene, mut each: impl FnMut(&Simulation)) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    simulation.judge_steps(false);
    for _ in 0..simulation.scene().n_steps() {
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved(), "step {}: {:?}", outcome.step, outcome.info);
        each(&simulation);
    }
    simulation
}

/// A copy of the scene under another model.
fn under(scene: &Scene, formulation: Formulation) -> Scene {
    let mut scene = scene.clone();
    scene.solver.formulation = formulation;
    scene
}
