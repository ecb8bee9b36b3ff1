//! Elements of XML files, each with its place.

use signorini_error::{Error, Result};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Place of an element.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The file.
    pub file: Arc<Path>,
    /// Line and column, from 1.
    pub at: (usize, usize),
    /// Whether another file includes this one.
    pub is_included: bool,
}

impl Place {
    /// An error about what stands at the place.
    pub fn refusal(&self, message: &str) -> Error {
        Error::Parse { file: self.file.to_path_buf(), message: format!("line {}: {message}", self.at.0) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.at.0, self.at.1)
    }
}

/// Lines and columns of places in a text that are asked for in the order of the text: each character is
/// passed once.
struct Places<'a> {
    text: &'a str,
    at: usize,
    row: usize,
    column: usize,
}

impl Places<'_> {
    /// Line and column, from 1, of a byte.
    fn of(&mut self, byte: usize) -> (usize, usize) {
        for c in self.text[self.at..byte].chars() {
            match c {
                '\n' => (self.row, self.column) = (self.row + 1, 1),
                _ => self.column += 1,
            }
        }
        self.at = byte;
        (self.row, self.column)
    }
}

/// An element with its attributes and the elements in it; texts are dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// Its tag.
    pub tag: String,
    /// Names and values, in the order of the file.
    pub attributes: Vec<(String, String)>,
    /// Elements in it.
    pub children: Vec<Element>,
    /// Place where the element begins.
    pub place: Place,
}

impl Element {
    /// The outermost element of a document.
    pub fn of(document: &roxmltree::Document<'_>, file: &Path, is_included: bool) -> Self {
        let mut places = Places { text: document.input_text(), at: 0, row: 1, column: 1 };
        let start = Place { file: Arc::from(file), at: (1, 1), is_included };
        Self::with_places(document.root_element(), &start, &mut places)
    }

    fn with_places(node: roxmltree::Node<'_, '_>, start: &Place, places: &mut Places<'_>) -> Self {
        let at = places.of(node.range().start);
        let attribute = |a: roxmltree::Attribute<'_, '_>| (a.name().to_owned(), a.value().to_owned());
        let children = node.children().filter(roxmltree::Node::is_element);
        Self {
            tag: node.tag_name().name().to_owned(),
            attributes: node.attributes().map(attribute).collect(),
            children: children.map(|n| Self::with_places(n, start, places)).collect(),
            place: Place { at, ..start.clone() },
        }
    }

    /// An attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first element in it with a tag.
    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag == tag)
    }

    /// The elements in it with a tag.
    pub fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    /// The name of the element, or the tag with its line and column, and with the name of an included file.
    pub fn name(&self) -> String {
        if let Some(name) = self.get("name").filter(|name| !name.is_empty()) {
            return name.to_owned();
        }
        let (line, column) = self.place.at;
        let file = self.place.file.file_stem().filter(|_| self.place.is_included);
        let file = file.map_or_else(String::new, |stem| format!("{}-", stem.to_string_lossy()));
        format!("{}-{file}{line}:{column}", self.tag)
    }

    /// The tag and the place.
    pub fn origin(&self) -> (String, Place) {
        (self.tag.clone(), self.place.clone())
    }

    /// An error about an attribute.
    pub fn fault(&self, attribute: &str, value: &str, allowed: impl Into<String>) -> Error {
        Error::Field {
            file: self.place.file.to_path_buf(),
            at: Some(self.place.at),
            field: match self.get("name") {
                Some(name) => format!("<{}> {name:?}: {attribute}", self.tag),
                None => format!("<{}> {attribute}", self.tag),
            },
            value: format!("{value:?}"),
            allowed: allowed.into(),
        }
    }

    /// An error about the whole element.
    pub fn refusal(&self, message: &str) -> Error {
        let name = self.get("name").map_or_else(String::new, |name| format!(" {name:?}"));
        self.place.refusal(&format!("<{}>{name}: {message}", self.tag))
    }

    /// N numbers of an attribute, or None when it is not there.
    ///
    /// # Errors
    /// When there are others than N finite numbers.
    pub fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        self.get(name).map(|text| self.parsed(name, text)).transpose()
    }

    /// A number of an attribute.
    ///
    /// # Errors
    /// As [`Self::numbers`].
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(name)?.map(|[value]| value))
    }

    /// A number ≥ 0 of an attribute.
    ///
    /// # Errors
    /// As [`Self::numbers`], and when it is negative.
    pub fn not_negative(&self, name: &str) -> Result<Option<f64>> {
        let number = self.number(name)?;
        match number.filter(|x| *x < 0.0) {
            Some(_) => Err(self.fault(name, self.get(name).unwrap_or_default(), "must be ≥ 0")),
            None => Ok(number),
        }
    }

    /// N numbers of a text.
    ///
    /// # Errors
    /// As [`Self::numbers`].
    pub fn parsed<const N: usize>(&self, name: &str, text: &str) -> Result<[f64; N]> {
        let numbers = self.list(name, text)?;
        numbers.try_into().map_err(|_| self.fault(name, text, format!("must be {N} numbers")))
    }

    /// All numbers of a text.
    ///
    /// # Errors
    /// When another word stands in the list.
    pub fn list(&self, name: &str, text: &str) -> Result<Vec<f64>> {
        let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.is_finite());
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
        numbers.ok_or_else(|| self.fault(name, text, "must be finite numbers"))
    }
}
