//! Measures of a simulation between two steps.

use crate::errors::checked;
use crate::ports::Measure;
use crate::tables;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::measure::{MeasureState, Observed};

/// The columns of a measure as of the last step alone.
pub fn columns<'py>(
    py: Python<'py>,
    simulation: &signorini::Simulation,
    measure: &Measure,
) -> PyResult<Bound<'py, PyDict>> {
    let (scene, state) = (simulation.scene(), simulation.state());
    let found = checked(measure.builder.of_scene(scene))?;
    let once = signorini::Measure { every: None, ..found };
    let mut sums = MeasureState::new(&once, scene, state);
    let (ids, contacts, joints) = (simulation.body_ids(), simulation.contacts(), simulation.joints());
    let seen = Observed { scene, state, ids, contacts, joints, flow: simulation.flow() };
    let rows = sums.observe(&seen, simulation.step_index().max(1));
    tables::columns_of_rows(py, &sums.columns(), &rows)
}
