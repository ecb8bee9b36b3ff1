//! Linearized problems of steps as arrays, and methods in Python that solve them.

use crate::errors::{checked, refuse};
use crate::faults::compute;
use crate::inner::Inner;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::ncp::{ContactProblem, OwnMethod};
use std::sync::{Arc, Mutex};

/// Unknowns of a body.
const BODY: usize = 6;

/// A method in Python, and the first exception that it raised.
#[derive(Debug)]
pub struct PythonMethod {
    call: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl PythonMethod {
    pub fn new(call: Py<PyAny>) -> Self {
        Self { call, raised: Mutex::new(None) }
    }

    /// Takes the exception that the method raised, if there is one.
    pub fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().ok().and_then(|mut raised| raised.take())
    }

    fn ask(&self, py: Python<'_>, problem: &ContactProblem, impulse: &mut [f64]) -> PyResult<bool> {
        let answer = self.call.bind(py).call1((problem_of(py, problem, impulse)?,))?;
        if answer.is_none() {
            return Ok(false);
        }
        let numpy = py.import("numpy")?;
        let flat = numpy.call_method1("ravel", (numpy.call_method1("asarray", (answer, "float64"))?,))?;
        let found: Vec<f64> = flat.extract()?;
        if found.len() != impulse.len() {
            let what = format!("solve_with: {} impulses", found.len());
            return Err(refuse(what, format!("the problem has {} rows", impulse.len())));
        }
        if found.iter().any(|x| !x.is_finite()) {
            return Err(refuse("solve_with: impulses".to_owned(), "must be finite"));
        }
        let used = used_rows(problem);
        for ((old, new), is_used) in impulse.iter_mut().zip(found).zip(used) {
            *old = if is_used { new } else { 0.0 };
        }
        Ok(true)
    }
}

impl OwnMethod for PythonMethod {
    fn solve(&self, problem: &ContactProblem, impulse: &mut [f64]) -> bool {
        Python::attach(|py| match self.ask(py, problem, impulse) {
            Ok(goes_on) => goes_on,
            Err(error) => {
                if let Ok(mut raised) = self.raised.lock() {
                    raised.get_or_insert(error);
                }
                false
            }
        })
    }
}

/// Has a simulation use a method in Python from now on, or the solver again.
pub fn solve_with(inner: &mut Inner, method: Option<Py<PyAny>>) -> PyResult<()> {
    let method = method.map(|call| Arc::new(PythonMethod::new(call)));
    let own = method.clone().map(|method| method as Arc<dyn OwnMethod>);
    checked(inner.simulation.solve_with(own))?;
    inner.method = method;
    Ok(())
}

/// The problems of the next step of a simulation.
pub fn of_next_step<'py>(py: Python<'py>, inner: &mut Inner) -> PyResult<Vec<Bound<'py, PyAny>>> {
    // A simulation is handed to the computation, not shared with it.
    let simulation = &mut inner.simulation;
    let found = checked(compute(py, move || simulation.problems())?)?;
    found.iter().map(|(problem, impulse)| problem_of(py, problem, impulse)).collect()
}

/// Whether the law concerns each row, and uses it.
fn used_rows(problem: &ContactProblem) -> Vec<bool> {
    let mut used = vec![false; problem.n_rows()];
    for cone in &problem.cones {
        used[cone.normal()].fill(true);
        used[cone.friction()].fill(true);
    }
    used
}

/// A problem as an object of `signorini.problems.Problem`.
pub fn problem_of<'py>(
    py: Python<'py>,
    problem: &ContactProblem,
    impulse: &[f64],
) -> PyResult<Bound<'py, PyAny>> {
    let rows = problem.n_rows();
    let fields = PyDict::new(py);
    let blocks = |blocks: &[nalgebra::Matrix6<f64>]| {
        // Symmetric, so that columns are rows.
        let values: Vec<f64> = blocks.iter().flat_map(|block| block.iter().copied()).collect();
        PyArray1::from_vec(py, values).reshape([blocks.len(), BODY, BODY])
    };
    fields.set_item("mass", blocks(&problem.mass)?)?;
    fields.set_item("mass_inverse", blocks(&problem.mass_inverse)?)?;
    fields.set_item("jacobian", matrix(py, problem, &problem.at.jacobian)?)?;
    fields.set_item("response", matrix(py, problem, problem.response_values())?)?;
    fields.set_item("b", PyArray1::from_slice(py, &problem.at.free_momentum))?;
    fields.set_item("w", PyArray1::from_vec(py, offset(problem)))?;
    fields.set_item("velocities", PyArray1::from_slice(py, &problem.at.velocity))?;
    fields.set_item("impulses", PyArray1::from_slice(py, impulse))?;
    let mut compliance = problem.compliance.clone();
    compliance.resize(rows, 0.0);
    fields.set_item("compliance", PyArray1::from_vec(py, compliance))?;
    let bounds: Vec<f64> = problem.bounds.iter().flatten().copied().collect();
    fields.set_item("bounds", PyArray1::from_vec(py, bounds).reshape([rows, 2])?)?;
    let cones = problem.cones.iter().map(|cone| {
        let [normal, friction] = [cone.normal(), cone.friction()];
        (
            (normal.start, normal.len()),
            (friction.start, friction.len()),
            cone.friction_coefficient,
            cone.bounded,
            cone.rolls_with.map_or(-1, |contact| contact as i64),
        )
    });
    fields.set_item("cones", cones.collect::<Vec<_>>())?;
    py.import("signorini.problems")?.getattr("Problem")?.call_method("_of", (), Some(&fields))
}

/// A matrix of rows over the unknowns of the bodies: row pointers, columns and values, and its shape.
fn matrix<'py>(py: Python<'py>, problem: &ContactProblem, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let used = used_rows(problem);
    let mut starts = vec![0_i64];
    let (mut columns, mut entries) = (Vec::new(), Vec::new());
    for (c, cone) in problem.cones.iter().enumerate() {
        for row in 0..cone.n_rows() {
            for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                if !used[cone.row + row] {
                    continue;
                }
                let at = problem.value_offsets[k] + BODY * row;
                entries.extend_from_slice(&values[at..at + BODY]);
                columns.extend((0..BODY).map(|i| (BODY * problem.block_body[k] + i) as i64));
            }
            starts.push(entries.len() as i64);
        }
    }
    let arrays = (
        PyArray1::from_vec(py, starts),
        PyArray1::from_vec(py, columns),
        PyArray1::from_vec(py, entries),
        (problem.n_rows(), BODY * problem.n_bodies()),
    );
    Ok(arrays.into_pyobject(py)?.into_any())
}

/// w = y_k − Y v_k of each row that is in use.
fn offset(problem: &ContactProblem) -> Vec<f64> {
    let used = used_rows(problem);
    let mut moved = vec![0.0; problem.n_rows()];
    problem.response(&problem.at.velocity, &mut moved);
    let rates = problem.at.slip.iter().zip(moved).zip(used);
    rates.map(|((y, moved), is_used)| if is_used { y - moved } else { 0.0 }).collect()
}
