//! Holds a document to the schema: unknown fields, missing fields, values of the wrong kind.

use super::document::{Document, Node};
use super::kinds::{Kind, Schema, fields, required};
use crate::scene::file::place::Place;
use crate::scene::file::suggest::suggestion;
use serde_json::Value as Json;
use toml::Value;
use toml::de::{DeTable, DeValue};
use toml::map::Map;

/// Most faults that are reported; a user with more reads the schema first.
const MAX_FAULTS: usize = 200;

/// A field or value that does not fit.
pub struct Fault {
    /// Place of the field.
    pub place: Place,
    /// The text of the value.
    pub value: String,
    /// The values that would fit.
    pub allowed: String,
    /// Whether the field itself is unknown, rather than its value wrong.
    pub is_unknown: bool,
}

/// Result of checking a document.
pub struct Found {
    /// All faults, each with its place.
    pub faults: Vec<Fault>,
    /// The document with unfit values replaced.
    pub value: Value,
}

/// Checks a document.
pub fn check(document: &Document<'_>, schema: &Json) -> Found {
    let mut walk = SchemaWalk { document, schema: Schema(schema), faults: Vec::new() };
    let value = walk.table(schema, document.root(), &Place::default(), None);
    Found { faults: walk.faults, value }
}

impl Found {
    /// Changes replaced numbers that contradict each other: the duration is never below the step.
    pub fn balance(&mut self) {
        let Some(simulation) = self.value.get_mut("simulation").and_then(Value::as_table_mut) else { return };
        let is_replaced = |name: &str| {
            let place = Place::default().field("simulation").field(name);
            self.faults.iter().any(|fault| fault.place.overlaps(&place))
        };
        let [step, duration] = ["time_step", "duration"].map(|name| simulation.get(name).cloned());
        if let (Some(step), true) = (step, is_replaced("duration")) {
            simulation.insert("duration".to_owned(), step);
        } else if let (Some(duration), true) = (duration, is_replaced("time_step")) {
            simulation.insert("time_step".to_owned(), duration);
        }
    }
}

struct SchemaWalk<'d, 't, 's> {
    document: &'d Document<'t>,
    schema: Schema<'s>,
    faults: Vec<Fault>,
}

impl<'s> SchemaWalk<'_, '_, 's> {
    fn fault(&mut self, place: Place, value: impl Into<String>, allowed: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            let allowed = allowed.into();
            let is_unknown = allowed.starts_with("no such");
            self.faults.push(Fault { place, value: value.into(), allowed, is_unknown });
        }
    }

    /// Follows known fields, reports others, and replaces missing ones. `tag` is the field that was read
    /// already.
    fn table(&mut self, schema: &'s Json, table: &DeTable<'_>, place: &Place, tag: Option<&str>) -> Value {
        let mut kept = Map::new();
        let Some(known) = fields(schema) else { return Value::Table(kept) };
        for (key, node) in table.iter() {
            let name = key.get_ref().as_ref();
            match known.get(name) {
                Some(field) => {
                    kept.insert(name.to_owned(), self.value(field, node, &place.field(name)));
                }
                None => {
                    let list: Vec<&str> = known.keys().map(String::as_str).collect();
                    let what = if place.0.is_empty() { "table" } else { "field" };
                    let guess = suggestion(name, list.iter().copied());
                    let allowed = format!("no such {what}{guess}; known: {}", list.join(", "));
                    self.fault(place.field(name), self.document.written(node), allowed);
                }
            }
        }
        for name in required(schema).filter(|name| !table.contains_key(*name) && Some(*name) != tag) {
            let Some(field) = known.get(name) else { continue };
            let allowed = format!("required: {}", self.schema.in_words(field));
            self.fault(place.field(name), "absent", allowed);
            kept.insert(name.to_owned(), self.schema.stand_in(field));
        }
        Value::Table(kept)
    }

    fn value(&mut self, schema: &'s Json, node: &Node<'_>, place: &Place) -> Value {
        match (self.schema.kind(schema), node.get_ref()) {
            (Some(Kind::Table(table)), DeValue::Table(fields)) => self.table(table, fields, place, None),
            (Some(Kind::Tagged(variants)), DeValue::Table(fields)) => {
                self.tagged(schema, &variants, fields, place)
            }
            (Some(Kind::List(items, [fewest, most])), DeValue::Array(entries))
                if (fewest..=most).contains(&entries.len()) =>
            {
                let entries = entries.iter().enumerate();
                Value::Array(entries.map(|(i, entry)| self.value(items, entry, &place.entry(i))).collect())
            }
            (Some(Kind::Word(words)), DeValue::String(word)) => {
                if words.contains(&word.as_ref()) {
                    return Value::String(word.to_string());
                }
                let allowed = format!("must be {}{}", self.schema.in_words(schema), suggestion(word, words));
                self.fault(place.clone(), self.document.written(node), allowed);
                self.schema.stand_in(schema)
            }
            (Some(Kind::Either(all)), value) => match all.iter().find(|s| self.fits(s, value)) {
                Some(fitting) => self.value(fitting, node, place),
                None => self.misfit(schema, node, place),
            },
            (Some(kind), value) => match plain(&kind, value) {
                Some(value) => value,
                None => self.misfit(schema, node, place),
            },
            (None, _) => self.misfit(schema, node, place),
        }
    }

    fn misfit(&mut self, schema: &'s Json, node: &Node<'_>, place: &Place) -> Value {
        let allowed = format!("must be {}", self.schema.in_words(schema));
        self.fault(place.clone(), self.document.written(node), allowed);
        self.schema.stand_in(schema)
    }

    fn tagged(
        &mut self,
        schema: &'s Json,
        variants: &[(&'s str, &'s Json)],
        table: &DeTable<'_>,
        place: &Place,
    ) -> Value {
        let tags = || variants.iter().map(|(tag, _)| *tag);
        let list = || tags().map(|tag| format!("{tag:?}")).collect::<Vec<_>>().join(", ");
        let tag = table.get("type");
        let said = tag.and_then(|node| node.get_ref().as_str());
        if let Some((tag, variant)) = variants.iter().find(|(tag, _)| said == Some(*tag)) {
            return self.table(variant, table, place, Some(tag));
        }
        let (value, guess) = match (tag, said) {
            (None, _) => ("absent".to_owned(), String::new()),
            (Some(node), said) => (self.document.written(node), suggestion(said.unwrap_or_default(), tags())),
        };
        self.fault(place.field("type"), value, format!("must be one of {}{guess}", list()));
        self.schema.stand_in(schema)
    }

    /// Whether a value is of the kind of a schema, whatever is in it.
    fn fits(&self, schema: &'s Json, value: &DeValue<'_>) -> bool {
        match (self.schema.kind(schema), value) {
            (Some(Kind::Table(_) | Kind::Tagged(_)), DeValue::Table(_)) => true,
            (Some(Kind::List(..)), DeValue::Array(_)) => true,
            (Some(Kind::Word(words)), DeValue::String(word)) => words.contains(&word.as_ref()),
            (Some(Kind::Either(all)), value) => all.iter().any(|s| self.fits(s, value)),
            (Some(kind), value) => plain(&kind, value).is_some(),
            (None, _) => false,
        }
    }
}

/// Numbers, texts and truth values that fit.
fn plain(kind: &Kind<'_>, value: &DeValue<'_>) -> Option<Value> {
    match (kind, value) {
        (Kind::Number(None), DeValue::Float(number)) => {
            number.as_str().replace('_', "").parse().ok().map(Value::Float)
        }
        (Kind::Number(None), DeValue::Integer(number)) => {
            let whole = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some(Value::Float(whole as f64))
        }
        (Kind::Number(Some([low, high])), DeValue::Integer(number)) => {
            let whole = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
            // A number that TOML cannot hold is reported by the check of the value.
            (*low..=*high).contains(&whole).then(|| Value::Integer(i64::try_from(whole).unwrap_or(i64::MAX)))
        }
        (Kind::Text, DeValue::String(text)) => Some(Value::String(text.to_string())),
        (Kind::Truth, DeValue::Boolean(truth)) => Some(Value::Boolean(*truth)),
        _ => None,
    }
}
