//! Places of values in a scene file: `body[2] "ball": shape.radius`.

use std::fmt::Debug;

/// Text in the place of a missing name.
pub const NO_NAME: &str = "?";

/// One step down the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A field of a table.
    Field(String),
    /// An entry of a list.
    Entry(usize),
}

/// A place: the steps from the top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place(pub Vec<Step>);

/// Steps as messages write them, `shape.vertices[3]`.
pub fn fields_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if text.is_empty() => text += name,
            Step::Field(name) => text += &format!(".{name}"),
            Step::Entry(index) => text += &format!("[{index}]"),
        }
    }
    text
}

impl Place {
    /// The place of a field of the table at this place.
    pub fn field(&self, name: &str) -> Self {
        self.then(Step::Field(name.to_owned()))
    }

    /// The place of an entry of the list at this place.
    pub fn entry(&self, index: usize) -> Self {
        self.then(Step::Entry(index))
    }

    fn then(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// Whether one of two places holds the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a == b)
    }

    /// The entry of a list at the top that holds this place.
    pub fn top_entry(&self) -> Option<Self> {
        matches!(self.0[..], [Step::Field(_), Step::Entry(_), ..]).then(|| Self(self.0[..2].to_vec()))
    }

    /// The place as messages write it, with the name of its entry at the top.
    pub fn text(&self, name: Option<&str>) -> String {
        let (head, rest) = match &self.0[..] {
            [Step::Field(table), Step::Entry(index), rest @ ..] => {
                let head = match name {
                    Some(name) => entry(table, *index, name),
                    None => format!("{table}[{index}]"),
                };
                (head, rest)
            }
            [Step::Field(table), rest @ ..] => (table.clone(), rest),
            _ => return String::new(),
        };
        let fields = fields_text(rest);
        if fields.is_empty() { head } else { format!("{head}: {fields}") }
    }

    /// The place that a message names; None where the value is not the file's.
    pub fn of_text(text: &str) -> Option<Self> {
        if text.ends_with("(override)") {
            return None;
        }
        let end = text.find([':', ' ']).unwrap_or(text.len());
        let mut place = Self::default();
        place.push_fields(&text[..end])?;
        let rest = &text[end..];
        let rest = match rest.strip_prefix(" \"") {
            Some(quoted) => after_quote(quoted)?,
            None => rest,
        };
        if let Some(fields) = rest.strip_prefix(": ") {
            place.push_fields(fields.split(' ').next()?)?;
        }
        Some(place)
    }

    /// Adds the steps of a text such as `shape.vertices[3]`.
    fn push_fields(&mut self, text: &str) -> Option<()> {
        for part in text.split('.') {
            let (name, entries) = part.split_once('[').unwrap_or((part, ""));
            self.0.push(Step::Field(name.to_owned()));
            for index in entries.split('[').filter(|index| !index.is_empty()) {
                self.0.push(Step::Entry(index.strip_suffix(']')?.parse().ok()?));
            }
        }
        Some(())
    }
}

/// Text by which messages call an entry of a list: `body[2] "ball"`.
pub fn entry(table: &str, index: usize, name: impl Debug) -> String {
    format!("{table}[{index}] {name:?}")
}

/// The rest of a text after a quoted name.
fn after_quote(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_messages() {
        let field = |name: &str| Step::Field(name.to_owned());
        let cases = [
            ("simulation: time_step", vec![field("simulation"), field("time_step")]),
            (
                "body[2] \"a \\\"b\\\": c\": shape.vertices[3]",
                vec![field("body"), Step::Entry(2), field("shape"), field("vertices"), Step::Entry(3)],
            ),
            ("friction[0]: coefficient", vec![field("friction"), Step::Entry(0), field("coefficient")]),
            ("body", vec![field("body")]),
        ];
        for (text, steps) in cases {
            assert_eq!(Place::of_text(text), Some(Place(steps)), "{text}");
        }
        assert_eq!(Place::of_text("simulation: step (override)"), None);
    }
}
