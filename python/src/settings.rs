//! Settings that Python gives as words and dicts.

use crate::errors::refuse;
use pyo3::prelude::*;
use signorini::{Axis, Formulation, SolverSettings};
use toml::{Table, Value};

/// The formulation of a name.
pub fn formulation(name: &str) -> PyResult<Formulation> {
    let told = |e: toml::de::Error| refuse(format!("formulation = {name:?}"), e.message().to_owned());
    Value::String(name.to_owned()).try_into().map_err(told)
}

/// The coordinate of a joint of a name.
pub fn axis(name: &str) -> PyResult<Axis> {
    let known = [Axis::Slide, Axis::Angle, Axis::Length];
    let found = known.into_iter().find(|axis| axis.as_str() == name);
    found.ok_or_else(|| refuse(format!("coordinate {name:?}"), "must be slide, angle or length"))
}

/// The settings that the fields of `[solver]` make.
pub fn solver(fields: Table) -> PyResult<SolverSettings> {
    Value::Table(fields).try_into().map_err(|e| refuse("solver", e.to_string().trim_end().to_owned()))
}
