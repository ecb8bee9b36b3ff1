//! Runs on disk: written, read and judged.

use crate::errors::{checked, raise, refuse};
use crate::faults::compute;
use crate::scene::Scene;
use crate::workers::Workers;
use pyo3::prelude::*;
use signorini::Error;
use signorini_runs::{
    AuditOptions, ExitReason, Page, PageOptions, ParticleFormat, RunFiles, RunFolder, SolidFormat,
    SolidOptions, Solids, StepRange, TableFormat, VtkOptions,
};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long signals may wait for the loop of a run.
const PATIENCE: Duration = Duration::from_millis(50);

/// Steps that the referee judges.
#[derive(Clone, Copy, PartialEq)]
enum Judged {
    Every,
    Final,
    Off,
}

impl Judged {
    fn of(word: &str) -> PyResult<Self> {
        match word {
            "every" => Ok(Self::Every),
            "final" => Ok(Self::Final),
            "off" => Ok(Self::Off),
            _ => Err(refuse(format!("judge = {word:?}"), "must be every, final or off")),
        }
    }
}

fn format_of(word: &str) -> PyResult<TableFormat> {
    match word {
        "csv" => Ok(TableFormat::Csv),
        "hdf5" => Ok(TableFormat::Hdf5),
        _ => Err(refuse(format!("format = {word:?}"), "must be csv or hdf5")),
    }
}

/// A run being written.
struct Writer {
    simulation: signorini::Simulation,
    folder: RunFolder,
    judged: Judged,
    last: usize,
}

impl Writer {
    /// Takes steps for a while, one at least.
    fn go_on(&mut self) -> signorini::Result<()> {
        let start = Instant::now();
        while self.simulation.step_index() < self.last && start.elapsed() < PATIENCE {
            let is_last = self.simulation.step_index() + 1 == self.last;
            self.simulation
                .judge_steps(self.judged == Judged::Every || self.judged == Judged::Final && is_last);
            let outcome = self.simulation.advance();
            self.folder.record(&self.simulation, &outcome)?;
        }
        Ok(())
    }
}

/// Options of writing a run: every so many steps, threads, steps to judge, whether to replace a run, format
/// of the tables.
#[derive(FromPyObject)]
pub struct RunOptions(usize, Option<usize>, String, bool, String);

/// Runs a scene into a folder, as the command line does.
#[pyfunction]
pub fn write_run(
    py: Python<'_>,
    scene: &Scene,
    out: PathBuf,
    scene_file: &str,
    options: RunOptions,
) -> PyResult<()> {
    let RunOptions(every, threads, judge, force, format) = options;
    let judged = Judged::of(&judge)?;
    let format = format_of(&format)?;
    if every == 0 {
        return Err(refuse("every = 0", "must be 1 or more"));
    }
    let mut workers = Workers::new(threads)?;
    checked(RunFolder::check_vacant(&out, force))?;
    let scene = scene.scene.clone();
    let last = scene.n_steps();
    let simulation = checked(compute(py, || signorini::Simulation::new(scene))?)?;
    let folder = checked(RunFolder::create_as(&out, &simulation, scene_file, every, format))?;
    let mut writer = Writer { simulation, folder, judged, last };
    let mut stopped = Ok(());
    while writer.simulation.step_index() < last && stopped.is_ok() {
        checked(compute(py, || workers.run(|| writer.go_on()))??)?;
        stopped = py.check_signals();
    }
    let Writer { simulation, folder, .. } = writer;
    let reason = if stopped.is_ok() { ExitReason::Completed } else { ExitReason::Interrupted };
    checked(folder.finish(&simulation, reason))?;
    stopped
}

/// Report of an audit. True when all is well; its text is what `signorini audit` prints.
#[pyclass(frozen, module = "signorini")]
pub struct AuditReport {
    report: signorini_runs::AuditReport,
}

#[pymethods]
impl AuditReport {
    /// Whether the run is whole, every step judged is green, and no file contradicts another.
    #[getter]
    fn green(&self) -> bool {
        self.report.is_green()
    }

    /// Steps judged in full.
    #[getter]
    fn judged(&self) -> usize {
        self.report.judged
    }

    /// Steps whose claims all hold.
    #[getter]
    fn green_steps(&self) -> usize {
        self.report.green
    }

    /// The first red steps.
    #[getter]
    fn red_steps(&self) -> Vec<usize> {
        self.report.red.iter().map(|(step, _)| *step).collect()
    }

    /// Steps that the solver itself calls unsolved.
    #[getter]
    fn unsolved(&self) -> usize {
        self.report.unsolved
    }

    /// Further faults of the run, the first contradictions included.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.report.faults.clone()
    }

    /// Remarks on steps and files that could not be judged.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.report.notes.clone()
    }

    fn __bool__(&self) -> bool {
        self.report.is_green()
    }

    fn __str__(&self) -> String {
        self.report.to_string()
    }

    fn __repr__(&self) -> String {
        let word = if self.report.is_green() { "green" } else { "red" };
        format!("<signorini.AuditReport: {word}, {} steps judged>", self.report.judged)
    }
}

/// Judges a finished run from its files.
#[pyfunction]
pub fn audit_run(py: Python<'_>, folder: PathBuf, thinned: bool, unfinished: bool) -> PyResult<AuditReport> {
    let options = AuditOptions { thinned, unfinished };
    checked(compute(py, || signorini_runs::audit(&folder, &options))?).map(|report| AuditReport { report })
}

/// The page of a run.
#[pyfunction]
pub fn page_of_run(py: Python<'_>, folder: PathBuf, frames: usize, size: usize) -> PyResult<String> {
    let options = PageOptions { frames, size };
    checked(compute(py, || Page::of(&folder, &options).map(|page| page.html()))?)
}

/// The scene of a run with all its bodies: those of the start, then those that came.
#[pyfunction]
pub fn scene_of_run(py: Python<'_>, folder: PathBuf) -> PyResult<Scene> {
    checked(compute(py, || RunFiles::open(&folder))?).map(|run| Scene::new(run.scene))
}

/// Draws the figures of a run; their paths.
#[pyfunction]
pub fn draw_figures(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<PathBuf>> {
    checked(compute(py, || signorini_runs::draw_figures(&folder))?)
}

/// Writes a run for ParaView; the path of the collection.
#[pyfunction]
pub fn write_vtk(
    py: Python<'_>,
    folder: PathBuf,
    out: PathBuf,
    hdf5: bool,
    surfaces: bool,
    every: usize,
) -> PyResult<PathBuf> {
    if every == 0 {
        return Err(refuse("every = 0", "must be 1 or more"));
    }
    let written = compute(py, || {
        std::fs::create_dir_all(&out).map_err(|source| Error::Io { path: out.clone(), source })?;
        signorini_runs::write_vtk(&RunFiles::open(&folder)?, &out, VtkOptions { hdf5, surfaces, every })
    });
    written?.map(|files| files.collection).map_err(raise)
}

/// Writes a state of a run as triangles; the paths of the files. The options are the time, the chord, and
/// whether volumes are kept, each body has a file, and bodies that never move are written.
#[pyfunction]
pub fn write_solids(
    py: Python<'_>,
    folder: PathBuf,
    path: PathBuf,
    format: &str,
    options: (Option<f64>, Option<f64>, bool, bool, bool),
) -> PyResult<Vec<PathBuf>> {
    let format = match format {
        "stl" => SolidFormat::Stl,
        "stl-text" => SolidFormat::StlText,
        "ply" => SolidFormat::Ply,
        "obj" => SolidFormat::Obj,
        _ => {
            return Err(refuse(
                format!("format = {format:?}"),
                "must be \"stl\", \"stl-text\", \"ply\" or \"obj\"",
            ));
        }
    };
    let (time, chord, keep_volume, per_body, fixed) = options;
    let options = SolidOptions { format, time, chord, per_body, fixed, keep_volume };
    let written = compute(py, || Solids::of(&RunFiles::open(&folder)?, &options)?.write(&path))?;
    checked(written).map(|files| files.files)
}

/// Writes the records of a run for OVITO; how many there are.
#[pyfunction]
pub fn write_particles(
    py: Python<'_>,
    folder: PathBuf,
    path: PathBuf,
    lammps: bool,
    every: usize,
) -> PyResult<usize> {
    let format = if lammps { ParticleFormat::Lammps } else { ParticleFormat::Xyz };
    checked(compute(py, || signorini_runs::write_particles(&RunFiles::open(&folder)?, &path, format, every))?)
}

/// Writes the records of a run as arrays; how many there are.
#[pyfunction]
pub fn write_npz(py: Python<'_>, folder: PathBuf, path: PathBuf, every: usize) -> PyResult<usize> {
    checked(compute(py, || signorini_runs::write_npz(&RunFiles::open(&folder)?, &path, every))?)
}

/// Writes steps of a run as problems of the FCLIB collection; how many files there are.
#[pyfunction]
pub fn write_fclib(py: Python<'_>, folder: PathBuf, out: PathBuf, steps: &str) -> PyResult<usize> {
    let steps = StepRange::parse(steps).map_err(|allowed| refuse(format!("steps {steps:?}"), allowed))?;
    let written = || signorini_runs::write_fclib(&RunFiles::open(&folder)?, &folder, &steps, &out);
    Ok(checked(compute(py, written)?)?.files)
}

/// Writes a run as an animation.
#[pyfunction]
pub fn write_gltf(py: Python<'_>, folder: PathBuf, path: PathBuf, frames: usize) -> PyResult<()> {
    checked(compute(py, || signorini_runs::write_gltf(&RunFiles::open(&folder)?, &path, frames))?).map(drop)
}
