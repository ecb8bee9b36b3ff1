//! Data as bytes, and back: CBOR, which keeps every number exactly.

use crate::errors::refuse;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The bytes of a value.
pub fn write<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|e| refuse("bytes", e.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The value that such bytes hold; `what` names it in messages.
pub fn read<T: DeserializeOwned>(bytes: &[u8], what: &str) -> PyResult<T> {
    let told = |e| refuse(what, format!("the bytes are not those of one that this version wrote ({e})"));
    ciborium::from_reader(bytes).map_err(told)
}
