//! Lists of numbers as NumPy arrays, always copies.

use nalgebra::Vector3;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Vectors as rows, shape (n, 3).
pub fn vectors<'py>(
    py: Python<'py>,
    vectors: impl Iterator<Item = Vector3<f64>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, vectors.map(Into::into))
}

/// Rows of one length, shape (n, N).
pub fn rows<'py, const N: usize>(
    py: Python<'py>,
    rows: impl Iterator<Item = [f64; N]>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers: Vec<f64> = rows.flatten().collect();
    let n = numbers.len() / N;
    PyArray1::from_vec(py, numbers).reshape([n, N])
}

/// Matrices of 3 × 3, shape (n, 3, 3).
pub fn matrices<'py>(
    py: Python<'py>,
    matrices: impl Iterator<Item = nalgebra::Matrix3<f64>>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    // In the order of rows.
    let numbers: Vec<f64> = matrices.flat_map(|m| m.transpose().as_slice().to_vec()).collect();
    let n = numbers.len() / 9;
    PyArray1::from_vec(py, numbers).reshape([n, 3, 3])
}

/// Rows of fields in memory as NumPy lays out a packed structured type.
#[derive(Default)]
pub struct Records {
    bytes: Vec<u8>,
}

impl Records {
    /// Appends a number to the row.
    pub fn number(&mut self, value: f64) -> &mut Self {
        self.bytes.extend(value.to_ne_bytes());
        self
    }

    /// Appends numbers to the row.
    pub fn numbers<'a>(&mut self, values: impl IntoIterator<Item = &'a f64>) -> &mut Self {
        values.into_iter().for_each(|value| {
            self.number(*value);
        });
        self
    }

    /// Appends a whole number to the row.
    pub fn whole(&mut self, value: usize) -> &mut Self {
        self.bytes.extend((value as i64).to_ne_bytes());
        self
    }

    /// Appends numbers of small size to the row, in fields of four bytes.
    pub fn small(&mut self, values: &[i32]) -> &mut Self {
        values.iter().for_each(|value| self.bytes.extend(value.to_ne_bytes()));
        self
    }

    /// Appends a word to the row, in a field of `width` letters.
    pub fn word(&mut self, word: &str, width: usize) -> &mut Self {
        let letters = word.chars().map(u32::from).chain(std::iter::repeat(0));
        letters.take(width).for_each(|letter| self.bytes.extend(letter.to_ne_bytes()));
        self
    }

    /// The rows as an array of the type that `signorini.dtypes` has under this name.
    pub fn array<'py>(self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        static TYPES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let types =
            TYPES.get_or_try_init(py, || py.import("signorini.dtypes").map(|m| m.into_any().unbind()))?;
        let kind = types.bind(py).getattr(kind)?;
        PyArray1::from_vec(py, self.bytes).call_method1("view", (kind,))
    }
}
