//! Rows on their way to a table: their fields, not yet text. Taking the fields costs a step a fraction of the
//! time for their text, which another thread makes.

use super::field::Field;
use serde::ser::{Error as _, Impossible, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

type Fault = serde::de::value::Error;

/// Cells of some rows of one table.
#[derive(Debug, Default)]
pub struct Cells {
    cells: Vec<Cell>,
    /// Texts of all fields, one after the other.
    text: String,
    /// Number of cells up to the end of each row.
    ends: Vec<usize>,
}

/// Field of a row, without its text.
#[derive(Debug, Clone, Copy)]
enum Cell {
    Count(u64),
    Number(f64),
    /// Length of the text in bytes.
    Text(usize),
    Nothing,
}

impl Cells {
    /// Adds a row: a struct of counts, numbers and texts, some of which may be missing.
    ///
    /// # Errors
    /// When the row is anything else.
    pub fn push<R: Serialize>(&mut self, row: &R) -> Result<(), Fault> {
        row.serialize(Row(self))?;
        self.ends.push(self.cells.len());
        Ok(())
    }

    /// Whether no row was added.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of fields of all rows.
    pub fn n_cells(&self) -> usize {
        self.cells.len()
    }

    /// Returns the rows, to be written as text.
    pub fn rows(&self) -> impl Iterator<Item = impl Serialize> {
        let (mut from, mut read) = (0, 0);
        self.ends.iter().map(move |end| {
            let cells = &self.cells[from..*end];
            let text = &self.text[read..];
            let lengths = cells.iter().map(|cell| if let Cell::Text(length) = cell { *length } else { 0 });
            (from, read) = (*end, read + lengths.sum::<usize>());
            StoredRow { cells, text }
        })
    }
}

/// A row that was added; its texts come first in `text`.
struct StoredRow<'a> {
    cells: &'a [Cell],
    text: &'a str,
}

impl Serialize for StoredRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_seq(Some(self.cells.len()))?;
        let mut text = self.text;
        for cell in self.cells {
            row.serialize_element(&match cell {
                Cell::Count(n) => Field::Count(*n),
                Cell::Number(x) => Field::Number(*x),
                Cell::Nothing => Field::Nothing,
                Cell::Text(length) => {
                    let (own, behind) = text.split_at(*length);
                    text = behind;
                    Field::Text(own)
                }
            })?;
        }
        row.end()
    }
}

/// Serializer that adds the fields of a row.
struct Row<'a>(&'a mut Cells);

impl SerializeStruct for Row<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Fault> {
        value.serialize(Row(self.0))
    }

    fn end(self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Refuses the types that a row is not made of.
macro_rules! refuse {
    ($($name:ident($($of:ty),*) -> $what:ty;)*) => {
        $(fn $name(self, $(_: $of),*) -> Result<$what, Fault> { refused() })*
    };
}

fn refused<T>() -> Result<T, Fault> {
    Err(Fault::custom("a row is a struct of counts, numbers and texts"))
}

impl Row<'_> {
    fn cell(self, cell: Cell) -> Result<(), Fault> {
        self.0.cells.push(cell);
        Ok(())
    }
}

impl Serializer for Row<'_> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Impossible<(), Fault>;
    type SerializeTuple = Impossible<(), Fault>;
    type SerializeTupleStruct = Impossible<(), Fault>;
    type SerializeTupleVariant = Impossible<(), Fault>;
    type SerializeMap = Impossible<(), Fault>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Fault>;

    fn serialize_u64(self, n: u64) -> Result<(), Fault> {
        self.cell(Cell::Count(n))
    }

    fn serialize_f64(self, x: f64) -> Result<(), Fault> {
        self.cell(Cell::Number(x))
    }

    fn serialize_str(self, text: &str) -> Result<(), Fault> {
        self.0.text.push_str(text);
        self.cell(Cell::Text(text.len()))
    }

    fn serialize_none(self) -> Result<(), Fault> {
        self.cell(Cell::Nothing)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Fault> {
        Ok(self)
    }

    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_f32(f32) -> ();
        serialize_char(char) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<(), Fault> {
        refused()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Fault> {
        refused()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row<'a> {
        step: usize,
        name: &'a str,
        value: f64,
        perhaps: Option<f64>,
        word: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<f64>,
    }

    #[test]
    fn rows_have_the_text_that_they_would_have_had_at_once() {
        let values = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1e23, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let [mut at_once, mut later] =
            [0, 1].map(|_| csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new()));
        let mut cells = Cells::default();
        for (step, value) in values.into_iter().enumerate() {
            let names = ["ä, \"b\"", "", "two\nlines", "a"];
            for (name, word) in names.into_iter().zip([None, Some("w"), Some(""), Some("\r")]) {
                let row = Row { step, name, value, perhaps: word.map(|_| -value), word, left_out: None };
                at_once.serialize(&row).unwrap();
                cells.push(&row).unwrap();
            }
        }
        assert_eq!(cells.n_cells(), 8 * 4 * 5);
        cells.rows().for_each(|row| later.serialize(row).unwrap());
        let [at_once, later] = [at_once, later].map(|w| String::from_utf8(w.into_inner().unwrap()).unwrap());
        assert_eq!(at_once.lines().count(), 8 * 4 + 8);
        assert_eq!(at_once, later);
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let mut cells = Cells::default();
        assert!(cells.push(&[1.0, 2.0]).is_err() && cells.push(&Some(vec![1])).is_err());
    }
}
