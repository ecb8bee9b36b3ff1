//! The command `signorini check`.

mod bodies;
mod drives;
mod friction;
mod joints;
mod ports;
mod text;

use super::arguments::CheckOptions;
use super::console::print_line;
use super::exit::{Failure, SUCCESS};
use signorini::simulation::Simulation;
use signorini_scene::robots;
use signorini_scene::scene::Loaded;
use text::{Text, word};

/// Validates the scene as `run` would, and prints its summary.
pub fn check(options: &CheckOptions) -> Result<u8, Failure> {
    let loaded = robots::load(&options.scene, &options.overrides.load_options())?;
    let text = describe(&loaded);
    // The chosen formulation may lack something that the scene needs.
    Simulation::new(loaded.scene)?;
    print_line(text.trim_end());
    loaded.notes.iter().for_each(|note| print_line(&format!("note: {note}")));
    Ok(SUCCESS)
}

fn describe(loaded: &Loaded) -> String {
    let scene = &loaded.scene;
    let mut text = Text::default();
    bodies::describe(loaded, &mut text);
    ports::describe(scene, &mut text);
    friction::describe(loaded, &mut text);
    joints::describe(scene, &mut text);
    drives::describe(scene, &mut text);
    let g = scene.gravity;
    text.line("gravity", format!("({}, {}, {}) m/s²", g.x, g.y, g.z));
    let (step, duration) = (scene.time_step, scene.duration);
    text.line("steps", format!("{} of {step} s, {duration} s in all", scene.n_steps()));
    let solver = &scene.solver;
    let settings = format!(
        "{}, {}, tolerance {:e}, gyroscopic {}, seed {}",
        solver.formulation.as_str(),
        word(&solver.integrator),
        solver.tolerance,
        word(&solver.gyroscopic),
        scene.seed
    );
    text.line("solver", settings);
    text.finish()
}
