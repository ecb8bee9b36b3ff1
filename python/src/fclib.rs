//! Frictional-contact problems on their own: matrices in, impulses out.

use crate::errors::{checked, refuse};
use crate::faults::compute;
use crate::workers::Workers;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini_fclib::{FileProblem as Problem, Solved, Triplets, read, solve_problem as solve};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A sparse matrix: rows, columns, and of its entries row, column and value.
#[derive(FromPyObject)]
pub struct Matrix<'py>(
    usize,
    usize,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

impl Matrix<'_> {
    fn triplets(&self) -> Triplets {
        let Self(rows, columns, i, j, x) = self;
        let (i, j, x) = (i.as_array(), j.as_array(), x.as_array());
        // A negative index is outside of every matrix.
        let place = |k: &i64| usize::try_from(*k).unwrap_or(usize::MAX);
        let entries = i.iter().zip(j).zip(x).map(|((i, j), x)| (place(i), place(j), *x)).collect();
        Triplets { shape: (*rows, *columns), entries }
    }
}

/// How a problem is solved: impulses to start from, tolerance, seconds.
#[derive(FromPyObject)]
pub struct SolveOptions(Option<Vec<f64>>, f64, f64);

/// Solves u = W r + q.
#[pyfunction]
pub fn solve_delassus<'py>(
    py: Python<'py>,
    w: Matrix<'py>,
    q: Vec<f64>,
    mu: Vec<f64>,
    options: SolveOptions,
) -> PyResult<Bound<'py, PyDict>> {
    let problem = checked(Problem::of_delassus("problem", &w.triplets(), &q, &mu))?;
    solve_one(py, &problem, options)
}

/// Solves M v = H r + f, u = Hᵀ v + w.
#[pyfunction]
pub fn solve_masses<'py>(
    py: Python<'py>,
    matrices: [Matrix<'py>; 2],
    vectors: [Vec<f64>; 2],
    mu: Vec<f64>,
    options: SolveOptions,
) -> PyResult<Bound<'py, PyDict>> {
    let [m, h] = matrices.map(|matrix| matrix.triplets());
    let [f, w] = &vectors;
    let problem = checked(compute(py, || Problem::of_masses("problem", [&m, &h], [f, w], &mu))?)?;
    solve_one(py, &problem, options)
}

/// Solves the problem of a file.
#[pyfunction]
pub fn solve_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: SolveOptions,
) -> PyResult<Bound<'py, PyDict>> {
    let problem = checked(compute(py, || read(&path))?)?;
    solve_one(py, &problem, options)
}

fn solve_one<'py>(py: Python<'py>, problem: &Problem, options: SolveOptions) -> PyResult<Bound<'py, PyDict>> {
    let SolveOptions(start, tolerance, seconds) = options;
    let rows = problem.reduced.free_slip.len();
    if let Some(given) = start.as_ref().map(Vec::len).filter(|n| *n != rows) {
        return Err(refuse(format!("start of {given} numbers"), format!("must be {rows}")));
    }
    let mut workers = Workers::new(None)?;
    let begin = Instant::now();
    let deadline = begin.checked_add(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let run = || solve(problem, start.as_deref(), tolerance, deadline);
    let Solved { impulse, residual, status, info } = compute(py, || workers.run(run))??;
    let told = PyDict::new(py);
    told.set_item("slips", PyArray1::from_vec(py, problem.reduced.slip(&impulse)))?;
    told.set_item("velocities", problem.velocity(&impulse).map(|v| PyArray1::from_vec(py, v)))?;
    told.set_item("impulses", PyArray1::from_vec(py, impulse))?;
    told.set_item("is_plain", problem.reduced.laws.is_none())?;
    told.set_item("status", status.as_str())?;
    told.set_item("scaled", residual.scaled)?;
    told.set_item("nat_rel", residual.nat_rel)?;
    told.set_item("iterations", info.iterations)?;
    told.set_item("factorizations", info.factorizations)?;
    told.set_item("seconds", begin.elapsed().as_secs_f64())?;
    Ok(told)
}
