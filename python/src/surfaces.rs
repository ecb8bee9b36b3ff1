//! Surfaces of bodies as arrays.

use crate::arrays;
use crate::faults::compute;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use signorini::Scene;
use signorini_runs as runs;

/// Corners, normals, triangles.
pub type Surface<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<i64>>);

/// The surface of each body of a scene, in its frame.
pub fn of_scene<'py>(py: Python<'py>, scene: &Scene) -> PyResult<Vec<Surface<'py>>> {
    let listed = compute(py, || runs::surfaces(scene, &scene.initial_state()))?;
    let arrays = |surface: runs::Surface| {
        let corners: Vec<i64> = surface.triangles.iter().flatten().map(|k| *k as i64).collect();
        let n = corners.len() / 3;
        Ok((
            arrays::vectors(py, surface.points.into_iter())?,
            arrays::vectors(py, surface.normals.into_iter())?,
            PyArray1::from_vec(py, corners).reshape([n, 3])?,
        ))
    };
    listed.into_iter().map(arrays).collect()
}
