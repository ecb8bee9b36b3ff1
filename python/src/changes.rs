//! Changes of what a step depends on, as they are given by name.

use crate::errors::refuse;
use nalgebra::Vector3;
use numpy::{AllowTypeChange, PyArrayLikeDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{BodyTangent, Change};

/// Entries of a change of a body's state, and of an impulse or a force.
const STATE: usize = BodyTangent::LEN;
const WRENCH: usize = 6;

/// Changes in one or several directions.
pub struct Given {
    pub changes: Vec<Change>,
    /// Whether no array has an axis of directions.
    pub is_one: bool,
}

/// A body, and whether it has sizes.
pub struct Sized {
    pub name: String,
    pub has_sizes: bool,
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
    /// Of bodies and so many motors.
    ///
    /// # Errors
    /// When a name or a shape is not allowed.
    pub fn of(changes: Option<&Bound<'_, PyDict>>, bodies: &[Sized], motors: usize) -> PyResult<Self> {
        let (n, mut all) = (bodies.len(), Vec::new());
        for (name, value) in changes.into_iter().flatten() {
            let numbers = Numbers::of(name.extract()?, &value, [n, motors])?;
            numbers.check_sizes(bodies)?;
            all.push(numbers);
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
            all.iter().for_each(|numbers| numbers.add(k, &mut change));
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
            "impulse" | "force" => &[n, WRENCH],
            "mass" => &[n],
            "size" => &[n, 3],
            "motor" => &[motors],
            "gravity" => &[3],
            "friction" | "restitution" => &[],
            _ => {
                let allowed =
                    "must be start, impulse, force, mass, size, gravity, friction, restitution or motor";
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

    /// Sizes are those of bodies that have some.
    fn check_sizes(&self, bodies: &[Sized]) -> PyResult<()> {
        let rows = self.values.as_chunks::<3>().0.iter().zip(bodies.iter().cycle());
        let rows = rows.filter(|_| self.name == "size");
        for (row, body) in rows.filter(|(_, body)| !body.has_sizes) {
            if *row != [0.0; 3] {
                let allowed = "must be 0: only ellipsoids and boxes of one part have sizes";
                return Err(refuse(format!("size of {:?} = {row:?}", body.name), allowed));
            }
        }
        Ok(())
    }

    /// Adds the change in direction k.
    fn add(&self, k: usize, change: &mut Change) {
        let first = if self.directions.is_some() { k * self.each } else { 0 };
        let values = &self.values[first..first + self.each];
        match &*self.name {
            "start" => {
                let rows = values.as_chunks::<STATE>().0.iter();
                change.start = rows.map(|row| BodyTangent::from_vector(&(*row).into())).collect();
            }
            "impulse" => change.impulse = pushes(values),
            "force" => change.force = pushes(values),
            "mass" => change.mass.copy_from_slice(values),
            "size" => {
                let rows = values.as_chunks::<3>().0.iter();
                change.size = rows.map(|row| Vector3::from(*row)).collect();
            }
            "motor" => change.motor = values.to_vec(),
            "gravity" => change.gravity.copy_from_slice(values),
            "restitution" => change.restitution = values[0],
            _ => change.friction = values[0],
        }
    }
}

/// Rows of a linear and an angular vector.
fn pushes(values: &[f64]) -> Vec<[Vector3<f64>; 2]> {
    let half = |row: &[f64]| Vector3::from_column_slice(row);
    values.as_chunks::<WRENCH>().0.iter().map(|row| [half(&row[..3]), half(&row[3..])]).collect()
}
