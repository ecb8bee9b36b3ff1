//! A simulation as a page or a picture, without a folder of a run.

use crate::errors::{raise, refuse};
use crate::faults::compute;
use crate::inner::Inner;
use crate::simulation::Simulation;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use signorini_runs::{Film, PageOptions, Picture};
use std::path::PathBuf;

/// Red, green and blue, shape (height, width, 3).
pub type Pixels<'py> = Bound<'py, PyArray3<u8>>;

/// Title of the page.
const TITLE: &str = "simulation";

/// The page of a simulation as it is, or of its steps to a time (s), which are taken.
pub fn page(
    py: Python<'_>,
    simulation: &Simulation,
    until: Option<f64>,
    frames: usize,
    size: f64,
) -> PyResult<String> {
    if !(size > 0.0 && size.is_finite()) {
        return Err(refuse(format!("size = {size}"), "must be > 0 and finite"));
    }
    let options = PageOptions { frames: frames.max(2), size: size as usize };
    let last = until.map(|until| simulation.last_step(py, Some(until))).transpose()?;
    let mut film = {
        let inner = simulation.lock(py)?;
        Film::new(&inner.simulation, &options)
    };
    loop {
        {
            let mut inner = simulation.lock(py)?;
            if last.is_none_or(|last| inner.simulation.step_index() >= last) {
                break;
            }
            let (inner, film) = (&mut *inner, &mut film);
            compute(py, || inner.advance().map(|outcome| film.record(&inner.simulation, &outcome)))??;
        }
        py.check_signals()?;
    }
    compute(py, || film.page(TITLE).html())
}

/// Draws the bodies of a simulation.
pub fn picture<'py>(
    py: Python<'py>,
    inner: &mut Inner,
    (width, height): (u32, u32),
    eye: [f64; 3],
) -> PyResult<Pixels<'py>> {
    let (width, height) = (width.max(1), height.max(1));
    let (scene, state) = (inner.simulation.scene().clone(), inner.simulation.state().clone());
    let workers = &mut inner.workers;
    let draw = || Picture::of_state(&scene, &state).size(width, height).from(eye).pixels();
    let pixels = compute(py, || workers.run(draw))??;
    PyArray1::from_vec(py, pixels.concat()).reshape([height as usize, width as usize, 3])
}

/// Draws the bodies of a simulation into a PNG file.
pub fn save_picture(
    py: Python<'_>,
    inner: &mut Inner,
    (path, size): (PathBuf, (u32, u32)),
    eye: [f64; 3],
) -> PyResult<()> {
    let (scene, state) = (inner.simulation.scene().clone(), inner.simulation.state().clone());
    let workers = &mut inner.workers;
    let draw = || Picture::of_state(&scene, &state).size(size.0, size.1).from(eye).save(&path);
    compute(py, || workers.run(draw))??.map_err(raise)
}
