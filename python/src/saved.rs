//! A simulation as data.

use crate::bytes;
use crate::scene::Scene;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// All that the next steps of a simulation depend on: from `Simulation.save`. It can be pickled, and written
/// as bytes, which the same version reads back with every bit.
#[pyclass(frozen, module = "signorini")]
pub struct SavedState {
    pub saved: signorini::SavedState,
}

#[pymethods]
impl SavedState {
    /// The scene at the time of saving.
    #[getter]
    fn scene(&self) -> Scene {
        Scene::new(self.saved.scene().clone())
    }

    /// The state as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes::write(py, &self.saved)
    }

    /// The state that `to_bytes` wrote. Raises `InputError` for other bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        bytes::read(bytes, "saved state").map(|saved| Self { saved })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }
}
