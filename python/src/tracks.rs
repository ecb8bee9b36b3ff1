//! Track tests.

use crate::errors::checked;
use crate::faults::{compute, watched};
use crate::scene::Scene;
use crate::tables::table_of;
use crate::workers::Workers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini_runs::drops::PoseRow;
use signorini_runs::output::{rows_of, text_of};
use signorini_runs::track::{
    MatrixRow, TrackFiles, TrackOptions as Options, TrackRow, TrackSeries, TrackTest, YawRow, parse_regions,
    read_poses, read_regions,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Resting pose: pose, count, share, its interval, height, inertia, direction down.
type PoseTuple = (usize, usize, f64, [f64; 2], f64, f64, [f64; 3]);

/// Resting poses: of a file, or each by itself.
#[derive(FromPyObject)]
pub enum Poses {
    Path(PathBuf),
    Rows(Vec<PoseTuple>),
}

/// Regions: of a file, or the text of one.
#[derive(FromPyObject)]
pub struct Regions(Option<PathBuf>, String);

/// Options that decide a track test: part; yaws, seeds, bins; largest random speed and angular velocity;
/// normal.
#[derive(FromPyObject)]
pub struct TrackOptions(Option<String>, [usize; 3], [f64; 2], Option<[f64; 3]>);

/// Tables of trials, matrix and yaws, and the result as JSON.
type Tracked<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, String);

/// All that decides a track test beside its scene.
type Given = (Poses, Regions, TrackOptions);

fn test_of(scene: &Scene, (poses, regions, options): Given) -> PyResult<TrackTest> {
    let TrackOptions(body, [yaws, seeds, bins], [speed, spin], up) = options;
    let scene = scene.scene.clone();
    let options = Options { body, yaws, seeds, seed: scene.seed, speed, spin, up, bins };
    let poses = match poses {
        Poses::Path(path) => checked(read_poses(&path))?,
        Poses::Rows(rows) => rows.into_iter().map(pose_of).collect(),
    };
    let regions = checked(match &regions.0 {
        Some(path) => read_regions(path),
        None => parse_regions(&regions.1, Path::new("regions")),
    })?;
    checked(TrackTest::new(scene, poses, regions, options))
}

/// A track test in progress.
#[pyclass]
pub struct TrackStudy {
    series: TrackSeries,
    files: Option<TrackFiles>,
    workers: Workers,
}

#[pymethods]
impl TrackStudy {
    /// Prepares the trials, and the files of a folder with the trials that it has: the scene, poses, regions,
    /// options that decide the trials, the folder, whether to replace another test in it, threads.
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        given: Given,
        folder: (Option<PathBuf>, bool),
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (test, (out, force)) = (test_of(scene, given)?, folder);
        let taken = match &out {
            Some(out) => checked(TrackFiles::taken(out, &test, force))?,
            None => Vec::new(),
        };
        let mut workers = Workers::new(threads)?;
        let series = checked(compute(py, || workers.run(|| TrackSeries::new(test, taken)))??)?;
        let files = checked(out.map(|out| TrackFiles::create(&out, &series)).transpose())?;
        Ok(Self { series, files, workers })
    }

    /// Number of trials taken.
    #[getter]
    fn taken(&self) -> usize {
        self.series.rows().len()
    }

    /// Number of trials that are to be taken.
    #[getter]
    fn count(&self) -> usize {
        self.series.test().n_trials()
    }

    /// Runs the trials that are left on threads of this process.
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

    /// Takes trials that ran elsewhere and come next.
    fn take(&mut self, rows: &str) -> PyResult<()> {
        let next = checked(rows_of(rows).and_then(|rows| self.series.take(rows)))?;
        checked(self.files.as_mut().map_or(Ok(()), |files| files.push(&next)))
    }

    /// Writes the files of the trials taken.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let (files, series) = (self.files.take(), &self.series);
        checked(compute(py, || files.map_or(Ok(()), |files| files.finish(series)))?)
    }

    /// Results of the trials taken.
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Tracked<'py>> {
        let series = &self.series;
        let wholes: &[&str] =
            &["trial", "pose", "sector", "seed", "steps", "judged_steps", "unsolved_steps", "red_steps"];
        let trials = table_of(py, series.rows(), &TrackRow::COLUMNS, [&["end", "region"], wholes])?;
        let matrix =
            table_of(py, series.matrix(), &MatrixRow::COLUMNS, [&["to"], &["from", "count", "trials"]])?;
        let yaws = table_of(py, series.yaws(), &YawRow::COLUMNS, [&["pose"], &["count"]])?;
        Ok((trials, matrix, yaws, series.summary().to_json()))
    }
}

/// Runs the trials of a test from the first to the last number on some threads: their rows, as `take` of a
/// `TrackStudy` has them.
#[pyfunction]
pub fn trials_of(
    py: Python<'_>,
    scene: &Scene,
    given: Given,
    numbers: (usize, usize),
    threads: Option<usize>,
) -> PyResult<String> {
    let test = test_of(scene, given)?;
    let mut workers = Workers::new(threads)?;
    let (outcome, stopped) = watched(py, |stops| {
        workers.run(|| test.run_all((numbers.0..=numbers.1).collect(), || stops.load(Ordering::SeqCst)))
    })?;
    stopped?;
    checked(outcome?.and_then(|rows| text_of(&rows)))
}

fn pose_of(row: PoseTuple) -> PoseRow {
    let (pose, count, share, [low, high], height, vertical_inertia, [down_x, down_y, down_z]) = row;
    PoseRow { pose, count, share, low, high, height, vertical_inertia, down_x, down_y, down_z }
}
