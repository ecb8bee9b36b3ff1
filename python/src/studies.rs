//! Scenes that are checked, settled and compared.

use crate::errors::{checked, refuse};
use crate::faults::{compute, watched};
use crate::scene::{Scene, options_of};
use crate::simulation::Simulation;
use crate::tables::table_of;
use crate::workers::Workers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::files;
use signorini_runs::RunFolder;
use signorini_runs::check::summary;
use signorini_runs::compare::{CompareRow, Model, Plan, Trace, closed_form, compare};
use signorini_runs::settle::{Settling, scene_at_rest};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Checks a scene as a run would: the scene with its notes, and its summary as a text.
#[pyfunction]
#[pyo3(signature = (scene, **options))]
pub fn check_scene(
    py: Python<'_>,
    scene: SceneOrPath<'_>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Scene, String)> {
    let options = options_of(options)?;
    let text = scene.text();
    let loaded = checked(compute(py, || match &text {
        Ok(text) => files::parse(text, Path::new("scene"), &options),
        Err(path) => files::load(path, &options),
    })?)?;
    let text = checked(compute(py, || summary(&loaded))?)?;
    Ok((Scene::of(loaded), text.trim_end().to_owned()))
}

/// A scene, or the file of one.
#[derive(FromPyObject)]
pub enum SceneOrPath<'py> {
    Scene(PyRef<'py, Scene>),
    Path(PathBuf),
}

impl SceneOrPath<'_> {
    /// The text of a scene file, or the path of one.
    fn text(&self) -> Result<String, PathBuf> {
        match self {
            Self::Scene(scene) => Ok(files::to_toml(&scene.scene)),
            Self::Path(path) => Err(path.clone()),
        }
    }
}

/// The text of the scene file for a model.
#[pyfunction]
pub fn scene_text(model: PathBuf, scene: &Scene) -> String {
    files::scene_text(&model, &scene.scene)
}

/// Steps a scene until its bodies are at rest, at most so many steps: the simulation, a scene that begins
/// there, whether they are at rest, and the numbers of steps that are not solved or red.
#[pyfunction]
pub fn settle_scene(
    py: Python<'_>,
    scene: &Scene,
    n_steps: usize,
    threads: Option<usize>,
    judge: bool,
) -> PyResult<(Simulation, Scene, bool, usize, usize)> {
    let scene = scene.scene.clone();
    let mut simulation = checked(compute(py, || signorini::Simulation::new(scene))?)?;
    simulation.judge_steps(judge);
    let mut workers = Workers::new(threads)?;
    let mut settling = Settling::new(simulation, n_steps);
    let (outcome, stopped) = watched(py, |stops| {
        workers.run(|| while !stops.load(Ordering::SeqCst) && settling.advance().is_some() {})
    })?;
    outcome?;
    stopped?;
    // A simulation is no thing to share between threads: the whole of it goes there.
    let there = &mut settling;
    let begin = Scene::of(checked(compute(py, move || scene_at_rest(there.simulation()))?)?);
    let (is_at_rest, unsolved, red) = (settling.is_at_rest(), settling.unsolved(), settling.red());
    Ok((Simulation::with(settling.into_simulation(), threads)?, begin, is_at_rest, unsolved, red))
}

/// Options of a comparison: models, steps, step of the reference, file of closed forms, folder, whether to
/// replace a comparison in it, threads.
#[derive(FromPyObject)]
pub struct CompareOptions(
    Vec<String>,
    Vec<f64>,
    Option<f64>,
    Option<PathBuf>,
    Option<PathBuf>,
    bool,
    Option<usize>,
);

/// Tables of runs and of errors over time, the reference in words, its steps above the tolerance, and its own
/// position errors where closed forms are given: the largest and the last one (m).
type Compared<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>, String, usize, Option<[f64; 2]>);

/// Runs a scene under several models and time steps.
#[pyfunction]
pub fn compare_models<'py>(
    py: Python<'py>,
    scene: &Scene,
    options: CompareOptions,
) -> PyResult<Option<Compared<'py>>> {
    let CompareOptions(models, time_steps, reference_time_step, forms, out, force, threads) = options;
    if models.is_empty() {
        return Err(refuse("formulations = []", "must be one or more"));
    }
    let model = |word: &String| Model::named(word).map_err(|known| refuse(format!("{word:?}"), known));
    let models = models.iter().map(model).collect::<PyResult<Vec<Model>>>()?;
    if let Some(out) = &out {
        checked(RunFolder::check_vacant(out, force))?;
    }
    let mut plan = Plan::new(&models, &time_steps, &scene.scene);
    plan.reference_time_step = reference_time_step;
    if let Some(path) = forms {
        plan.closed_forms = checked(closed_form::load(&path, &scene.scene))?;
    }
    let mut workers = Workers::new(threads)?;
    let scene = &scene.scene;
    let (outcome, stopped) = watched(py, |stops| {
        workers.run(|| {
            let found = compare(scene, &plan, |_| {}, || stops.load(Ordering::SeqCst))?;
            if let (Some(found), Some(out)) = (&found, &out) {
                found.write(out)?;
            }
            Ok(found)
        })
    })?;
    let found = checked(outcome?)?;
    stopped?;
    let Some(found) = found else { return Ok(None) };
    let words: &[&str] = &["formulation"];
    let wholes: &[&str] = &["steps", "unsolved_steps", "red_steps"];
    let rows = table_of(py, &found.rows, &CompareRow::COLUMNS, [words, wholes])?;
    let over_time = table_of(py, found.trace_rows(), &Trace::COLUMNS, [words, &[]])?;
    Ok(Some((rows, over_time, found.described(), found.reference_unsolved, found.reference_error)))
}
