//! Drop tests.

use crate::errors::{checked, refuse};
use crate::faults::{compute, watched};
use crate::scene::{Scene, options_of};
use crate::tables::table_of;
use crate::workers::Workers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini_runs::drops::{DropFiles, DropRow, DropSeries, DropTest, PoseRow, RandomStart, scene_of_file};
use signorini_runs::output::{rows_of, text_of};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// The scene of a drop test: that of a scene file or a model, or of a mesh that falls on a floor, in metres
/// times `scale`.
#[pyfunction]
#[pyo3(signature = (file, scale, **options))]
pub fn scene_of_drop(
    py: Python<'_>,
    file: PathBuf,
    scale: f64,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Scene> {
    let options = options_of(options)?;
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(refuse(format!("scale = {scale:?}"), "must be a positive number"));
    }
    let (scene, notes) = checked(compute(py, || scene_of_file(&file, scale, &options))?)?;
    Ok(Scene { scene, notes })
}

/// Options that decide the drops: body, largest random speed and angular velocity.
#[derive(FromPyObject)]
pub struct DropOptions(Option<String>, f64, f64);

impl DropOptions {
    fn test_of(self, scene: &Scene) -> PyResult<DropTest> {
        let Self(body, speed, spin) = self;
        for (name, value) in [("speed", speed), ("spin", spin)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(refuse(format!("{name} = {value:?}"), "must be a number, 0 or more"));
            }
        }
        let scene = scene.scene.clone();
        let start = RandomStart { seed: scene.seed, speed, spin };
        checked(DropTest::new(scene, body.as_deref(), start))
    }
}

/// Tables of drops and poses, the name of the body, and the numbers of drops that did not come to rest and
/// that have a step which is unsolved or red.
type Dropped<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>, String, usize, usize);

/// A drop test in progress.
#[pyclass]
pub struct DropStudy {
    series: DropSeries,
    files: Option<DropFiles>,
    workers: Workers,
}

#[pymethods]
impl DropStudy {
    /// Prepares so many drops, and the files of a folder with the drops that it has: the scene, options that
    /// decide the drops, their number, the folder, whether to replace another test in it, threads.
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        options: DropOptions,
        count: usize,
        folder: (Option<PathBuf>, bool),
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (out, force) = folder;
        if !(1..=MOST_DROPS).contains(&count) {
            return Err(refuse(format!("count = {count}"), format!("must be 1 to {MOST_DROPS}")));
        }
        let test = options.test_of(scene)?;
        let taken = match &out {
            Some(out) => checked(DropFiles::taken(out, &test, count, force))?,
            None => Vec::new(),
        };
        let mut workers = Workers::new(threads)?;
        let series = checked(compute(py, || workers.run(|| DropSeries::new(test, count, taken)))??)?;
        let files = checked(out.map(|out| DropFiles::create(&out, &series)).transpose())?;
        Ok(Self { series, files, workers })
    }

    /// Number of drops taken.
    #[getter]
    fn taken(&self) -> usize {
        self.series.taken()
    }

    /// Runs the drops that are left on threads of this process.
    fn run(&mut self, py: Python<'_>) -> PyResult<()> {
        let Self { series, files, workers } = self;
        let (outcome, stopped) = watched(py, |stops| {
            workers.run(|| {
                let stops = || stops.load(Ordering::SeqCst);
                while !series.is_done() && !stops() {
                    let next = series.go_on(stops)?;
                    files.as_mut().map_or(Ok(()), |files| files.push(&next))?;
                }
                Ok(())
            })
        })?;
        checked(outcome?)?;
        stopped
    }

    /// Takes drops that ran elsewhere and come next.
    fn take(&mut self, rows: &str) -> PyResult<()> {
        let next = checked(rows_of(rows).and_then(|rows| self.series.take(rows)))?;
        checked(self.files.as_mut().map_or(Ok(()), |files| files.push(&next)))
    }

    /// Writes the files of the drops taken.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let (files, series) = (self.files.take(), &self.series);
        checked(compute(py, || files.map_or(Ok(()), |files| files.finish(series)))?)
    }

    /// Results of the drops taken.
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Dropped<'py>> {
        let series = &self.series;
        let wholes: &[&str] = &["drop", "unsolved_steps", "red_steps"];
        let drops = table_of(py, series.rows(), &DropRow::COLUMNS, [&["end"], wholes])?;
        let poses = table_of(py, series.poses(), &PoseRow::COLUMNS, [&[], &["pose", "count"]])?;
        Ok((drops, poses, series.test().body().name.clone(), series.moving(), series.unsolved()))
    }
}

/// Runs the drops of a test from the first to the last number on some threads: their rows, as `take` of a
/// `DropStudy` has them.
#[pyfunction]
pub fn drops_of(
    py: Python<'_>,
    scene: &Scene,
    options: DropOptions,
    numbers: (usize, usize),
    threads: Option<usize>,
) -> PyResult<String> {
    let test = options.test_of(scene)?;
    let mut workers = Workers::new(threads)?;
    let (outcome, stopped) = watched(py, |stops| {
        workers.run(|| test.run_all((numbers.0..=numbers.1).collect(), || stops.load(Ordering::SeqCst)))
    })?;
    stopped?;
    checked(outcome?.and_then(|rows| text_of(&rows)))
}

/// Most drops of a test.
const MOST_DROPS: usize = 1_000_000;
