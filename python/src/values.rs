//! Values of Python as those of a scene file.

use crate::errors::refuse;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use toml::{Table, Value};

/// A dict as a table; entries that are None are left out.
pub fn table_of(dict: &Bound<'_, PyDict>, place: &str) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, item) in dict {
        let key: String =
            key.extract().map_err(|_| refuse(format!("{place}{key}"), "names of fields must be texts"))?;
        if !item.is_none() {
            let place = format!("{place}{key}");
            table.insert(key, value_of(&item, &place)?);
        }
    }
    Ok(table)
}

/// A table as the text of a file.
pub fn text_of(table: &Table) -> PyResult<String> {
    toml::to_string(table).map_err(|e| refuse("fields", e.to_string()))
}

/// Numbers, texts, lists and dicts, those of NumPy among them.
fn value_of(item: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    // A bool is an int to Python.
    if item.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(item.extract()?));
    }
    if item.is_instance_of::<PyInt>() {
        let too_large = |_| refuse(format!("{place} = {item}"), "whole numbers must fit 64 bit");
        return Ok(Value::Integer(item.extract().map_err(too_large)?));
    }
    if item.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(item.extract()?));
    }
    if item.is_instance_of::<PyString>() {
        return Ok(Value::String(item.extract()?));
    }
    if let Ok(dict) = item.cast::<PyDict>() {
        return Ok(Value::Table(table_of(dict, &format!("{place}."))?));
    }
    // Arrays and numbers of NumPy.
    if let Ok(list) = item.call_method0("tolist") {
        return value_of(&list, place);
    }
    if let Ok(items) = item.try_iter() {
        let values = items.enumerate().map(|(i, item)| value_of(&item?, &format!("{place}[{i}]")));
        return Ok(Value::Array(values.collect::<PyResult<_>>()?));
    }
    Err(refuse(format!("{place} = {item}"), "must be a number, a text, a list or a dict"))
}
