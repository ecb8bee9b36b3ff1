//! Joint coordinates of simulations as arrays.

use crate::errors::checked;
use nalgebra::{DMatrix, Vector3};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use signorini::{Mechanism, Simulation};

/// Coordinates q.
pub fn coordinates(simulation: &Simulation) -> Vec<f64> {
    Mechanism::of(simulation.scene()).coordinates(simulation.state())
}

/// Rates q̇.
pub fn rates(simulation: &Simulation) -> Vec<f64> {
    Mechanism::of(simulation.scene()).rates(simulation.state())
}

/// Gives a simulation coordinates and rates.
pub fn set(simulation: &mut Simulation, q: &[f64], rates: Option<&[f64]>) -> PyResult<()> {
    let state = Mechanism::of(simulation.scene()).state_at(simulation.state(), q, rates);
    checked(state.and_then(|state| simulation.set_state(&state)))
}

pub fn mass_matrix<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyArray2<f64>>> {
    array(py, &Mechanism::of(simulation.scene()).mass_matrix(simulation.state()))
}

pub fn loop_jacobian<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyArray2<f64>>> {
    array(py, &Mechanism::of(simulation.scene()).loop_jacobian(simulation.state()))
}

/// Jacobians of a point of the body of a row, or of its centre of mass.
#[allow(clippy::type_complexity)]
pub fn jacobian<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    body: usize,
    point: Option<[f64; 3]>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let state = simulation.state();
    let point = point.map_or(state.poses[body].position, Vector3::from);
    let [linear, angular] = Mechanism::of(simulation.scene()).jacobian(state, body, &point);
    Ok((array(py, &linear)?, array(py, &angular)?))
}

/// A matrix, in the order of rows.
fn array<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = matrix.transpose().as_slice().to_vec();
    PyArray1::from_vec(py, numbers).reshape([matrix.nrows(), matrix.ncols()])
}
