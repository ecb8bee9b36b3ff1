//! The command `signorini check`.

mod bodies;
mod drives;
mod friction;
mod joints;
mod json;
mod ports;
mod text;

use super::arguments::CheckOptions;
use super::console::{print_line, print_page};
use super::exit::{Failure, SUCCESS};
use super::scene_source;
use signorini::simulation::Simulation;
use signorini_error::Result;
use signorini_scene::scene::Loaded;
use text::{Text, word};

/// Validates the scene as `run` would, and prints its summary.
pub fn check(options: &CheckOptions) -> std::result::Result<u8, Failure> {
    let checked = validated(options);
    if options.json {
        let (document, code) = json::document(scene_source::shown(&options.scene), &checked);
        print_page(&document);
        return Ok(code);
    }
    let loaded = checked?;
    print_line(describe(&loaded).trim_end());
    loaded.notes.iter().for_each(|note| print_line(&format!("note: {note}")));
    Ok(SUCCESS)
}

fn validated(options: &CheckOptions) -> Result<Loaded> {
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    // The chosen formulation may lack something that the scene needs.
    Simulation::new(loaded.scene.clone())?;
    Ok(loaded)
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
