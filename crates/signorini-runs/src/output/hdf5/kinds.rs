//! Kinds of the columns of a table, derived from the type of its rows.

use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Kind of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number 0, 1, 2, …
    Count,
    /// A number, which may be missing.
    Number,
    /// A name or a word, which may be missing.
    Text,
}

/// Returns the kinds of the columns of a row type, in their order.
pub fn kinds_of<R: DeserializeOwned>() -> Vec<Kind> {
    let mut kinds = Vec::new();
    // A row is a struct of counts, numbers and texts: reading one from empty values cannot fail.
    drop(R::deserialize(Row(&mut kinds)));
    kinds
}

/// Deserializer of a row that notes the kind of each field asked for.
struct Row<'a>(&'a mut Vec<Kind>);

impl<'de> Deserializer<'de> for Row<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("a row is a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { names: fields.iter(), kinds: self.0 })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Fields<'a> {
    names: std::slice::Iter<'static, &'static str>,
    kinds: &'a mut Vec<Kind>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.names.next() else { return Ok(None) };
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Field(self.kinds))
    }
}

/// Deserializer of a field that notes the kind asked for.
struct Field<'a>(&'a mut Vec<Kind>);

impl<'de> Deserializer<'de> for Field<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("no kind of column"))
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.push(Kind::Count);
        visitor.visit_u64(0)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.push(Kind::Number);
        visitor.visit_f64(0.0)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.push(Kind::Text);
        visitor.visit_str("")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 f32 char bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::rows::{BodyRow, ContactRow, JointRow, StepRow, SubstepRow};

    #[test]
    fn rows_say_what_their_columns_hold() {
        let bodies = kinds_of::<BodyRow<'static>>();
        assert_eq!(bodies[..4], [Kind::Count, Kind::Number, Kind::Text, Kind::Number]);
        let lengths = [
            (bodies.len(), BodyRow::COLUMNS.len() + BodyRow::OF_IMAGES.len()),
            (
                kinds_of::<ContactRow<'static>>().len(),
                ContactRow::COLUMNS.len() + ContactRow::OF_IMAGES.len(),
            ),
            (kinds_of::<JointRow<'static>>().len(), JointRow::COLUMNS.len()),
            (kinds_of::<SubstepRow<'static>>().len(), SubstepRow::COLUMNS.len()),
            (kinds_of::<StepRow<'static>>().len(), StepRow::COLUMNS.len()),
        ];
        for (found, columns) in lengths {
            assert_eq!(found, columns);
        }
    }
}
