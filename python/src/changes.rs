//! Changes of what a step depends on, as they are given by name.

use crate::errors::refuse;
use nalgebra::Vector3;
use numpy::{AllowTypeChange, PyArrayLikeDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{BodyTangent, Change};

/// Entries of a change of a body's state, and of an impulse.
const STATE: usize = BodyTangent::LEN;
const IMPULSE: usize = 6;

/// Changes in one or several directions.
pub struct Given {
    pub changes: Vec<Change>,
    /// Whether no array has an axis of directions.
    pub is_one: bool,
}

/// Numbers of one name.
struct Numbers {
    name: String,
    /// Entries of one direction.
    each: usize,
    values: Vec<f64>,
    /// Directions, where the array has an axis of them.
    directions: Option<usize>,
}

impl Given {
    /// Of so many bodies and motors, and a step (s).
    ///
    /// # Errors
    /// When a name or a shape is not allowed.
    pub fn of(
        changes: Option<&Bound<'_, PyDict>>,
        [n, motors]: [usize; 2],
        time_step: f64,
    ) -> PyResult<Self> {
        let mut all = Vec::new();
        for (name, value) in changes.into_iter().flatten() {
            all.push(Numbers::of(name.extract()?, &value, [n, motors])?);
        }
        let mut told = all.iter().filter_map(|numbers| Some((&numbers.name, numbers.directions?)));
        let directions = match told.next() {
            None => None,
            Some((first, directions)) => {
                if let Some((name, other)) = told.find(|(_, other)| *other != directions) {
                    let allowed = format!("must have {directions}, as {first} has");
                    return Err(refuse(format!("{name} with {other} directions"), allowed));
                }
                Some(directions)
            }
        };
        let of = |k: usize| {
            let mut change = Change::none(n);
            all.iter().for_each(|numbers| numbers.add(k, time_step, &mut change));
            change
        };
        let changes = (0..directions.unwrap_or(1)).map(of).collect();
        Ok(Self { changes, is_one: directions.is_none() })
    }
}

impl Numbers {
    fn of(name: String, value: &Bound<'_, PyAny>, [n, motors]: [usize; 2]) -> PyResult<Self> {
        let shape: &[usize] = match &*name {
            "start" => &[n, STATE],
            "impulse" | "force" => &[n, IMPULSE],
            "mass" => &[n],
            "motor" => &[motors],
            "gravity" => &[3],
            "friction" => &[],
            _ => {
                let allowed = "must be start, impulse, force, mass, gravity, friction or motor";
                return Err(refuse(format!("a change of {name:?}"), allowed));
            }
        };
        let array = value.extract::<PyArrayLikeDyn<'_, f64, AllowTypeChange>>();
        let array = array.map_err(|_| refuse(format!("{name} = {value}"), "must be an array of numbers"))?;
        let array = array.as_array();
        let directions = match array.shape() {
            own if own == shape => None,
            [directions, rest @ ..] if rest == shape => Some(*directions),
            other => {
                let allowed = format!("must have shape {shape:?}, or one axis more in front");
                return Err(refuse(format!("{name} of shape {other:?}"), allowed));
            }
        };
        let values = array.iter().copied().collect();
        Ok(Self { name, each: shape.iter().product(), values, directions })
    }

    /// Adds the change in direction k.
    fn add(&self, k: usize, time_step: f64, change: &mut Change) {
        let first = if self.directions.is_some() { k * self.each } else { 0 };
        let values = &self.values[first..first + self.each];
        match &*self.name {
            "start" => {
                let rows = values.as_chunks::<STATE>().0.iter();
                change.start = rows.map(|row| BodyTangent::from_vector(&(*row).into())).collect();
            }
            "impulse" => add_impulses(values, 1.0, change),
            "force" => add_impulses(values, time_step, change),
            "mass" => change.mass.copy_from_slice(values),
            "motor" => change.motor = values.to_vec(),
            "gravity" => change.gravity.copy_from_slice(values),
            _ => change.friction = values[0],
        }
    }
}

fn add_impulses(values: &[f64], time: f64, change: &mut Change) {
    for (own, row) in change.impulse.iter_mut().zip(values.as_chunks::<IMPULSE>().0) {
        own[0] += Vector3::from_column_slice(&row[..3]) * time;
        own[1] += Vector3::from_column_slice(&row[3..]) * time;
    }
}
