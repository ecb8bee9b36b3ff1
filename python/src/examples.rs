//! Scenes that come with the library.

use pyo3::prelude::*;

/// Name, text and first comment of each scene that comes with the library.
#[pyfunction]
pub fn all_examples() -> Vec<(&'static str, &'static str, String)> {
    let of = |example: signorini::examples::Example| (example.name, example.text, example.about());
    signorini::examples::all().into_iter().map(of).collect()
}

/// Files beside the scene that it names: their names and contents.
#[pyfunction]
pub fn files_of_example(name: &str) -> Vec<(&'static str, &'static [u8])> {
    signorini::examples::find(name).map_or_else(Vec::new, |example| example.files().collect())
}
