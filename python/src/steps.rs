//! The outcomes of steps, one after the other.

use crate::outcome::StepOutcome;
use crate::simulation::Simulation;
use pyo3::prelude::*;

/// Outcomes of steps, each taken when it is asked for: from `Simulation.run`.
#[pyclass(frozen, module = "signorini")]
pub struct Steps {
    pub simulation: Py<Simulation>,
    pub last: usize,
}

#[pymethods]
impl Steps {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<StepOutcome>> {
        let simulation = self.simulation.get();
        if simulation.lock(py)?.simulation.step_index() >= self.last {
            return Ok(None);
        }
        simulation.advance(py).map(|outcome| Some(outcome.into()))
    }

    fn __length_hint__(&self, py: Python<'_>) -> PyResult<usize> {
        let inner = self.simulation.get().lock(py)?;
        Ok(self.last.saturating_sub(inner.simulation.step_index()))
    }
}
