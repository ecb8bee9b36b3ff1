//! A field of a row.

use super::cell::cell_of;
use serde::{Serialize, Serializer};

/// A field of a row of a measure.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A count.
    Count(usize),
    /// A number.
    Number(f64),
    /// A number that is written with so many significant digits.
    Rounded {
        /// The number.
        number: f64,
        /// Significant digits.
        digits: u8,
    },
    /// A name.
    Name(String),
    /// No value.
    Nothing,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(n) => n.serialize(serializer),
            Self::Number(x) => x.serialize(serializer),
            Self::Rounded { number, digits } => rounded(*number, *digits).serialize(serializer),
            Self::Name(name) => cell_of(name).serialize(serializer),
            Self::Nothing => serializer.serialize_none(),
        }
    }
}

/// Numbers as fields.
pub fn numbers(list: impl IntoIterator<Item = f64>) -> impl Iterator<Item = Value> {
    list.into_iter().map(Value::Number)
}

/// A number to so many significant digits.
pub fn rounded(number: f64, digits: u8) -> f64 {
    let text = format!("{number:.*e}", usize::from(digits).saturating_sub(1));
    text.parse().unwrap_or(number)
}
