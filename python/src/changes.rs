//! Changes of what a step depends on, as they are given by name.

use crate::errors::refuse;
use nalgebra::{Vector3, Vector6};
use numpy::{AllowTypeChange, PyArrayLikeDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{BodyTangent, Change, PlaceTangent};

/// Entries of a change of a body's state, and of an impulse or a force.
const STATE: usize = BodyTangent::LEN;
const WRENCH: usize = 6;
/// Entries of a place of a joint in both bodies.
const PLACES: usize = 12;

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
    /// Of bodies, and of so many motors, joints, courses and motions.
    ///
    /// # Errors
    /// When a name or a shape is not allowed.
    pub fn of(changes: Option<&Bound<'_, PyDict>>, bodies: &[Sized], counts: [usize; 4]) -> PyResult<Self> {
        let (n, mut all) = (bodies.len(), Vec::new());
        for (name, value) in changes.into_iter().flatten() {
            let numbers = Numbers::of(name.extract()?, &value, n, counts)?;
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
    fn of(
        name: String,
        value: &Bound<'_, PyAny>,
        n: usize,
        [motors, joints, courses, motions]: [usize; 4],
    ) -> PyResult<Self> {
        let shape: &[usize] = match &*name {
            "start" => &[n, STATE],
            "impulse" | "force" => &[n, WRENCH],
            "mass" => &[n],
            "inertia" => &[n, 6],
            "size" | "centre" => &[n, 3],
            "motor" => &[motors],
            "joint" => &[joints, 2, 6],
            "course" => &[courses],
            "motion" => &[motions],
            "gravity" => &[3],
            "friction" | "restitution" | "time_step" | "time" => &[],
            _ => {
                let allowed = "must be start, impulse, force, mass, inertia, centre, size, gravity, friction, \
                               restitution, motor, joint, course, motion, time_step or time";
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
            "inertia" => {
                let rows = values.as_chunks::<6>().0.iter();
                change.inertia = rows.map(|row| Vector6::from(*row)).collect();
            }
            "centre" => change.centre = triples(values),
            "size" => change.size = triples(values),
            "motor" => change.motor = values.to_vec(),
            "joint" => change.joint = places(values),
            "course" => change.course = values.to_vec(),
            "motion" => change.motion = values.to_vec(),
            "time_step" => change.time_step = values[0],
            "time" => change.time = values[0],
            "gravity" => change.gravity.copy_from_slice(values),
            "restitution" => change.restitution = values[0],
            _ => change.friction = values[0],
        }
    }
}

/// Rows of a vector.
fn triples(values: &[f64]) -> Vec<Vector3<f64>> {
    values.as_chunks::<3>().0.iter().map(|row| Vector3::from(*row)).collect()
}

/// Places of joints in both bodies.
fn places(values: &[f64]) -> Vec<[PlaceTangent; 2]> {
    let half = |row: &[f64]| PlaceTangent {
        anchor: Vector3::from_column_slice(&row[..3]),
        turn: Vector3::from_column_slice(&row[3..]),
    };
    values.as_chunks::<PLACES>().0.iter().map(|row| [half(&row[..6]), half(&row[6..])]).collect()
}

/// Rows of a linear and an angular vector.
fn pushes(values: &[f64]) -> Vec<[Vector3<f64>; 2]> {
    let half = |row: &[f64]| Vector3::from_column_slice(row);
    values.as_chunks::<WRENCH>().0.iter().map(|row| [half(&row[..3]), half(&row[3..])]).collect()
}
