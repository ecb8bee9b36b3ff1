//! Summary of a scene: what is in it, before it runs.

mod bodies;
mod drives;
mod friction;
mod joints;
mod ports;
mod text;

use signorini::simulation::Simulation;
use signorini_error::Result;
use signorini_scene::scene::Loaded;
use text::Text;

pub use text::word;

/// Checks a scene as a run would, and returns its summary, one line or list for each kind of thing.
///
/// # Errors
/// When the chosen formulation lacks something that the scene needs.
pub fn summary(loaded: &Loaded) -> Result<String> {
    Simulation::new(loaded.scene.clone())?;
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
    Ok(text.finish())
}
