//! The text of a scene file as a tree of values that know where they stand.

use crate::scene::file::place::{Place, Step};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
pub type Node<'t> = Spanned<DeValue<'t>>;

/// A parsed text.
pub struct Document<'t> {
    text: &'t str,
    lines: Lines,
    root: DeTable<'t>,
}

impl<'t> Document<'t> {
    /// Parses a text; all faults of its syntax with their offsets (bytes).
    pub fn parse(text: &'t str) -> Result<Self, Vec<(usize, String)>> {
        let (root, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            return Ok(Self { text, lines: Lines::of(text), root: root.into_inner() });
        }
        let fault = |e: &toml::de::Error| (e.span().map_or(0, |span| span.start), e.message().to_owned());
        Err(errors.iter().map(fault).collect())
    }

    /// The table of the whole document.
    pub fn root(&self) -> &DeTable<'t> {
        &self.root
    }

    /// The text of a value in the file, shortened.
    pub fn written(&self, node: &Node<'_>) -> String {
        const MAX_SHOWN: usize = 60;
        let text = self.text.get(node.span()).unwrap_or_default();
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// A place as messages write it.
    pub fn text(&self, place: &Place) -> String {
        let entry = place.top_entry();
        let name = entry.and_then(|entry| match self.find(&entry) {
            (Some(node), 2) => node.get_ref().get("name")?.get_ref().as_str(),
            _ => None,
        });
        place.text(name)
    }

    /// Line and column, from 1, of a value, or of the table that lacks it.
    pub fn position(&self, place: &Place) -> Option<(usize, usize)> {
        self.find(place).0.map(|node| self.lines.position(self.text, node.span().start))
    }

    /// Line and column, from 1, of an offset (bytes).
    pub fn position_of(&self, offset: usize) -> (usize, usize) {
        self.lines.position(self.text, offset)
    }

    /// Line and column of the name of a field.
    pub fn position_of_name(&self, place: &Place) -> Option<(usize, usize)> {
        let (Step::Field(name), above) = place.0.split_last()? else { return self.position(place) };
        let table = match above {
            [] => Some(&self.root),
            above => self.find(&Place(above.to_vec())).0.and_then(|node| node.get_ref().as_table()),
        };
        let (key, _) = table?.get_key_value(name.as_str())?;
        Some(self.lines.position(self.text, key.span().start))
    }

    /// The deepest node on the way to a place, and how many steps lead to it.
    fn find(&self, place: &Place) -> (Option<&Node<'t>>, usize) {
        let Some(Step::Field(first)) = place.0.first() else { return (None, 0) };
        let mut node = match self.root.get(first.as_str()) {
            Some(node) => node,
            None => return (None, 0),
        };
        let mut depth = 1;
        for step in &place.0[1..] {
            let next = match step {
                Step::Field(name) => node.get_ref().get(name.as_str()),
                Step::Entry(index) => node.get_ref().get(*index),
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
            depth += 1;
        }
        (Some(node), depth)
    }
}

/// Offsets at which the lines of a text begin.
pub struct Lines(Vec<usize>);

impl Lines {
    /// The lines of a text.
    pub fn of(text: &str) -> Self {
        Self([0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Line and column, from 1, of an offset (bytes).
    pub fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        let start = self.0[line - 1];
        let column = text.get(start..offset).map_or(0, |before| before.chars().count());
        (line, column + 1)
    }
}
