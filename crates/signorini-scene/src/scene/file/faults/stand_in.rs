//! Stand-ins for values that do not fit, so that the rest of a file can be checked.

use super::kinds::{Kind, Schema, fields, required};
use crate::scene::file::place::NO_NAME;
use serde_json::Value as Json;
use toml::Value;
use toml::map::Map;

impl Schema<'_> {
    /// The default of a field, or something harmless of its kind.
    pub fn stand_in(self, schema: &Json) -> Value {
        let default = schema.get("default").and_then(|default| Value::try_from(default).ok());
        default.unwrap_or_else(|| self.harmless(schema))
    }

    fn harmless(self, schema: &Json) -> Value {
        match Schema(self.0).kind(schema) {
            Some(Kind::Table(table)) => self.table(table, None),
            Some(Kind::Tagged(variants)) => {
                // A sphere, of the shapes: the fewest fields, and the roundest.
                let fewest = variants.iter().min_by_key(|(_, s)| (required(s).count(), fields_text(s).len()));
                fewest.map_or(Value::Boolean(false), |(tag, s)| self.table(s, Some(tag)))
            }
            Some(Kind::Word(words)) => Value::String(words.first().copied().unwrap_or_default().to_owned()),
            Some(Kind::List(items, [fewest, _])) => {
                Value::Array((0..fewest).map(|_| self.harmless(items)).collect())
            }
            Some(Kind::Number(None)) => Value::Float(1.0),
            Some(Kind::Number(Some(_))) => Value::Integer(1),
            Some(Kind::Text) => Value::String(NO_NAME.to_owned()),
            Some(Kind::Either(all)) => all.first().map_or(Value::Boolean(false), |s| self.harmless(s)),
            Some(Kind::Truth) | None => Value::Boolean(false),
        }
    }

    fn table(self, schema: &Json, tag: Option<&str>) -> Value {
        let mut table = Map::new();
        for name in required(schema) {
            if let Some(field) = fields(schema).and_then(|fields| fields.get(name)) {
                table.insert(name.to_owned(), self.stand_in(field));
            }
        }
        if let Some(tag) = tag {
            table.insert("type".to_owned(), Value::String(tag.to_owned()));
        }
        Value::Table(table)
    }
}

fn fields_text(schema: &Json) -> String {
    fields(schema).map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}
