//! A field of a row, whatever holds the row.

use serde::{Serialize, Serializer};

/// Value in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'a> {
    /// A number 0, 1, 2, …
    Count(u64),
    /// A number.
    Number(f64),
    /// A name or a word.
    Text(&'a str),
    /// No value.
    Nothing,
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Field::Count(n) => n.serialize(serializer),
            Field::Number(x) => x.serialize(serializer),
            Field::Text(text) => text.serialize(serializer),
            Field::Nothing => serializer.serialize_none(),
        }
    }
}
