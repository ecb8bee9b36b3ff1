//! Python package of signorini: classes and functions that `python/signorini` shows.
//!
//! Nothing is computed here. Each class stands for one of the crate and calls its methods; arrays are copies;
//! errors become exceptions of `signorini.errors` with the text of the command line.

mod arrays;
mod body;
mod builder;
mod bytes;
mod changes;
mod derivatives;
mod drops;
mod errors;
mod examples;
mod faults;
mod fclib;
mod film;
mod inner;
mod joint;
mod limits;
mod measured;
mod mechanism;
mod motors;
mod outcome;
mod ports;
mod problems;
mod records;
mod runs;
mod saved;
mod scene;
mod settings;
mod simulation;
mod steps;
mod studies;
mod surfaces;
mod tables;
mod tracks;
mod values;
mod vector;
mod workers;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;

/// Runs a command line, the program's name first; its exit code. Ends the process where help is asked for.
/// `launcher` starts the command line again in another process.
#[pyfunction]
fn run_command(py: Python<'_>, line: Vec<OsString>, launcher: Vec<OsString>) -> u8 {
    py.detach(|| signorini_cli::run_command(line, launcher))
}

/// A dict as the text of a TOML file.
#[pyfunction]
fn toml_text(fields: &Bound<'_, PyDict>) -> PyResult<String> {
    values::text_of(&values::table_of(fields, "")?)
}

/// Classes and functions in Rust; `signorini` shows them.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::body::Body;
    #[pymodule_export]
    use super::builder::{Friction, SceneBuilder};
    #[pymodule_export]
    use super::derivatives::StepDerivatives;
    #[pymodule_export]
    use super::drops::{DropStudy, drops_of, scene_of_drop};
    #[pymodule_export]
    use super::examples::{all_examples, files_of_example};
    #[pymodule_export]
    use super::faults::_panic;
    #[pymodule_export]
    use super::fclib::{solve_delassus, solve_file, solve_masses};
    #[pymodule_export]
    use super::joint::{Course, Drive, Joint, Motion};
    #[pymodule_export]
    use super::limits::find_limit;
    #[pymodule_export]
    use super::outcome::{StepOutcome, Verdict};
    #[pymodule_export]
    use super::ports::{Inlet, Measure, Outlet};
    #[pymodule_export]
    use super::runs::{
        AuditReport, audit_run, draw_figures, page_of_run, scene_of_run, write_fclib, write_gltf, write_npz,
        write_particles, write_run, write_solids, write_vtk,
    };
    #[pymodule_export]
    use super::saved::SavedState;
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::steps::Steps;
    #[pymodule_export]
    use super::studies::{check_scene, compare_models, scene_text, settle_scene};
    #[pymodule_export]
    use super::tables::read_table;
    #[pymodule_export]
    use super::tracks::{TrackStudy, trials_of};
    #[pymodule_export]
    use super::vector::VectorSim;
    #[pymodule_export]
    use super::{run_command, toml_text};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::workers::remember_process();
        super::faults::keep_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
