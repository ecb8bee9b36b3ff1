//! Track tests.

use crate::errors::checked;
use crate::faults::{compute, watched};
use crate::scene::Scene;
use crate::tables::table_of;
use crate::workers::Workers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini_runs::drops::PoseRow;
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

/// Options of a track test: part; yaws, seeds, bins; largest random speed and angular velocity; normal;
/// folder, whether to replace another test in it; threads.
#[derive(FromPyObject)]
pub struct TrackOptions(
    Option<String>,
    [usize; 3],
    [f64; 2],
    Option<[f64; 3]>,
    (Option<PathBuf>, bool),
    Option<usize>,
);

/// Tables of trials, matrix and yaws, and the result as JSON.
type Tracked<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, String);

/// Runs a part of a scene along its track many times.
#[pyfunction]
pub fn track_part<'py>(
    py: Python<'py>,
    scene: &Scene,
    poses: Poses,
    regions: Regions,
    options: TrackOptions,
) -> PyResult<Tracked<'py>> {
    let TrackOptions(body, [yaws, seeds, bins], [speed, spin], up, (out, force), threads) = options;
    let scene = scene.scene.clone();
    let options = Options { body, yaws, seeds, seed: scene.seed, speed, spin, up, bins };
    let test = checked(test_of(scene, poses, &regions, options))?;
    let taken = match &out {
        Some(out) => checked(TrackFiles::taken(out, &test, force))?,
        None => Vec::new(),
    };
    let mut workers = Workers::new(threads)?;
    let mut series = checked(compute(py, || workers.run(|| TrackSeries::new(test, taken)))??)?;
    let (outcome, stopped) = watched(py, |stops| {
        workers.run(|| {
            let mut files = out.as_ref().map(|out| TrackFiles::create(out, &series)).transpose()?;
            let stops = || stops.load(Ordering::SeqCst);
            while !series.is_done() && !stops() {
                let next = series.go_on(stops)?;
                files.as_mut().map_or(Ok(()), |files| files.push(&next))?;
            }
            files.map_or(Ok(()), |files| files.finish(&series))
        })
    })?;
    checked(outcome?)?;
    stopped?;
    let wholes: &[&str] =
        &["trial", "pose", "sector", "seed", "steps", "judged_steps", "unsolved_steps", "red_steps"];
    let trials = table_of(py, series.rows(), &TrackRow::COLUMNS, [&["end", "region"], wholes])?;
    let matrix = table_of(py, series.matrix(), &MatrixRow::COLUMNS, [&["to"], &["from", "count", "trials"]])?;
    let yaws = table_of(py, series.yaws(), &YawRow::COLUMNS, [&["pose"], &["count"]])?;
    Ok((trials, matrix, yaws, series.summary().to_json()))
}

fn test_of(
    scene: signorini::Scene,
    poses: Poses,
    regions: &Regions,
    options: Options,
) -> signorini::Result<TrackTest> {
    let poses = match poses {
        Poses::Path(path) => read_poses(&path)?,
        Poses::Rows(rows) => rows.into_iter().map(pose_of).collect(),
    };
    let regions = match &regions.0 {
        Some(path) => read_regions(path)?,
        None => parse_regions(&regions.1, Path::new("regions"))?,
    };
    TrackTest::new(scene, poses, regions, options)
}

fn pose_of(row: PoseTuple) -> PoseRow {
    let (pose, count, share, [low, high], height, vertical_inertia, [down_x, down_y, down_z]) = row;
    PoseRow { pose, count, share, low, high, height, vertical_inertia, down_x, down_y, down_z }
}
