//! The parts of a JSON schema that scene files use.

use serde_json::{Map, Value};

/// Kind of value that a schema admits.
pub enum Kind<'s> {
    /// A table with these fields.
    Table(&'s Value),
    /// A table whose field `type` says which of these it is.
    Tagged(Vec<(&'s str, &'s Value)>),
    /// One of these words.
    Word(Vec<&'s str>),
    /// A list of values of a schema, with the fewest and most of them.
    List(&'s Value, [usize; 2]),
    /// A number; a whole one with its lowest and highest.
    Number(Option<[i128; 2]>),
    /// Text.
    Text,
    /// true or false.
    Truth,
    /// Any of these.
    Either(Vec<&'s Value>),
}

/// A published schema.
#[derive(Clone, Copy)]
pub struct Schema<'s>(pub &'s Value);

impl<'s> Schema<'s> {
    /// The kind of value that a schema admits; None where the schema is of a form that is not known here.
    pub fn kind(self, schema: &'s Value) -> Option<Kind<'s>> {
        let schema = self.resolved(schema);
        let alternatives = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(*key)?.as_array());
        if let Some(alternatives) = alternatives {
            return Some(self.either(alternatives));
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return Some(Kind::Word(words.iter().filter_map(Value::as_str).collect()));
        }
        if let Some(word) = schema.get("const").and_then(Value::as_str) {
            return Some(Kind::Word(vec![word]));
        }
        let limit = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
        match type_of(schema)? {
            "object" => Some(Kind::Table(schema)),
            "array" => {
                let most = limit("maxItems").unwrap_or(usize::MAX);
                Some(Kind::List(schema.get("items")?, [limit("minItems").unwrap_or(0), most]))
            }
            "integer" => Some(Kind::Number(Some(range_of(schema)))),
            "number" => Some(Kind::Number(None)),
            "string" => Some(Kind::Text),
            "boolean" => Some(Kind::Truth),
            _ => None,
        }
    }

    fn either(self, alternatives: &'s [Value]) -> Kind<'s> {
        let is_null = |s: &&Value| s.get("type").and_then(Value::as_str) == Some("null");
        let listed: Vec<&Value> =
            alternatives.iter().filter(|s| !is_null(s)).map(|s| self.resolved(s)).collect();
        if let [one] = listed[..] {
            return self.kind(one).unwrap_or(Kind::Either(listed));
        }
        let word = |s: &&'s Value| s.get("const").and_then(Value::as_str);
        if listed.iter().all(|s| word(s).is_some()) {
            return Kind::Word(listed.iter().filter_map(word).collect());
        }
        let tag = |s: &&'s Value| s.get("properties")?.get("type")?.get("const")?.as_str();
        if listed.iter().all(|s| tag(s).is_some()) {
            return Kind::Tagged(listed.iter().filter_map(|s| Some((tag(s)?, *s))).collect());
        }
        Kind::Either(listed)
    }

    fn resolved(self, schema: &'s Value) -> &'s Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
        match name.and_then(|name| self.0.get("$defs")?.get(name)) {
            Some(found) => self.resolved(found),
            None => schema,
        }
    }

    /// The values that a schema admits, in words.
    pub fn in_words(self, schema: &'s Value) -> String {
        match self.kind(schema) {
            Some(Kind::Table(_) | Kind::Tagged(_)) => "a table".to_owned(),
            Some(Kind::Word(words)) => {
                let words: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
                if words.len() == 1 { words[0].clone() } else { format!("one of {}", words.join(", ")) }
            }
            Some(Kind::List(items, [fewest, most])) => {
                let what = self.in_words(items);
                let what = match what.strip_prefix("a ").map(|one| one.split_once(", ").unwrap_or((one, "")))
                {
                    Some((one, "")) => format!("{one}s"),
                    Some((one, more)) => format!("{one}s, {more}"),
                    None => what,
                };
                let count = if fewest == most { fewest.to_string() } else { "any number".to_owned() };
                if fewest == most { format!("a list of {count} {what}") } else { format!("a list of {what}") }
            }
            Some(Kind::Number(Some([low, high]))) => format!("a whole number, {low} to {high}"),
            Some(Kind::Number(None)) => "a number".to_owned(),
            Some(Kind::Text) => "a text in quotes".to_owned(),
            Some(Kind::Truth) => "true or false".to_owned(),
            Some(Kind::Either(all)) => all.iter().map(|s| self.in_words(s)).collect::<Vec<_>>().join(", or "),
            None => "something else".to_owned(),
        }
    }
}

fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

fn range_of(schema: &Value) -> [i128; 2] {
    let high = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => u8::MAX.into(),
        Some("uint16") => u16::MAX.into(),
        Some("uint32") => u32::MAX.into(),
        Some("int32") => i32::MAX.into(),
        Some("int64" | "int") => i64::MAX.into(),
        _ => u64::MAX.into(),
    };
    let low = schema.get("minimum").and_then(Value::as_i64).unwrap_or(i64::MIN);
    [low.into(), schema.get("maximum").and_then(Value::as_i64).map_or(high, i128::from)]
}

/// The fields of a table's schema.
pub fn fields(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// Names of the fields that a table must have.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
