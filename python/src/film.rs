//! A simulation as a page, without a folder of a run.

use crate::errors::refuse;
use crate::faults::compute;
use crate::simulation::Simulation;
use pyo3::prelude::*;
use signorini_runs::{Film, PageOptions};

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
