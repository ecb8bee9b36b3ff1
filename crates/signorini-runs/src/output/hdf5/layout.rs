//! Rows of a table as records of fixed size, and conversion back to the same text.
//!
//! | column | in the record |
//! |---|---|
//! | count | `u64` |
//! | number | `f64`; where there is none, the NaN with payload 1 |
//! | text | UTF-8 of fixed size, filled up with zeros |

use super::super::field::Field;
use super::kinds::{Kind, kinds_of};
use hdf5_pure::{CharacterSet, CompoundTypeBuilder, Datatype, StringPadding};
use serde::de::DeserializeOwned;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// Least number of bytes of a text.
const SHORTEST_TEXT: usize = 32;
/// Bits of an empty field of a column of numbers: a NaN that no computation makes.
const NOTHING: u64 = 0x7ff8_0000_0000_0001;

/// Columns of a table, with the form of its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    names: Vec<String>,
    kinds: Vec<Kind>,
    /// Bytes of a text.
    text: usize,
}

/// A record, to be written as a row.
struct Record<'a>(&'a Layout, &'a [u8]);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_seq(Some(self.0.kinds.len()))?;
        let mut rest = self.1;
        for kind in &self.0.kinds {
            let (bytes, behind) = rest.split_at(self.0.size(*kind));
            row.serialize_element(&field(*kind, bytes))?;
            rest = behind;
        }
        row.end()
    }
}

fn field(kind: Kind, bytes: &[u8]) -> Field<'_> {
    let mut eight = [0; 8];
    match kind {
        Kind::Text => {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            return Field::Text(std::str::from_utf8(&bytes[..end]).unwrap_or_default());
        }
        Kind::Count | Kind::Number => eight.copy_from_slice(bytes),
    }
    match u64::from_le_bytes(eight) {
        n if kind == Kind::Count => Field::Count(n),
        NOTHING => Field::Nothing,
        bits => Field::Number(f64::from_bits(bits)),
    }
}

impl Layout {
    /// Makes the layout of the rows `R` with their first columns, whose texts have at most so many bytes.
    pub fn of<R: DeserializeOwned>(columns: &[&str], longest_text: usize) -> Self {
        let mut kinds = kinds_of::<R>();
        kinds.truncate(columns.len());
        Self {
            names: columns.iter().map(|name| (*name).to_owned()).collect(),
            kinds,
            text: longest_text.max(SHORTEST_TEXT),
        }
    }

    /// Reads the layout of records in a file; None where the file was not written by a run.
    pub fn read(datatype: &Datatype) -> Option<Self> {
        let Datatype::Compound { members, .. } = datatype else { return None };
        let mut text = SHORTEST_TEXT;
        let mut kinds = Vec::with_capacity(members.len());
        for member in members {
            kinds.push(match &member.datatype {
                Datatype::FixedPoint { size: 8, .. } => Kind::Count,
                Datatype::FloatingPoint { size: 8, .. } => Kind::Number,
                Datatype::String { size, .. } => {
                    text = *size as usize;
                    Kind::Text
                }
                _ => return None,
            });
        }
        let layout = Self { names: members.iter().map(|m| m.name.clone()).collect(), kinds, text };
        (layout.datatype().as_ref() == Some(datatype)).then_some(layout)
    }

    /// Datatype of the records in HDF5.
    pub fn datatype(&self) -> Option<Datatype> {
        let mut datatype = CompoundTypeBuilder::new();
        for (name, kind) in self.names.iter().zip(&self.kinds) {
            datatype = match kind {
                Kind::Count => datatype.field(name, hdf5_pure::make_u64_type()),
                Kind::Number => datatype.f64_field(name),
                Kind::Text => datatype.field(
                    name,
                    Datatype::String {
                        size: self.text as u32,
                        padding: StringPadding::NullPad,
                        charset: CharacterSet::Utf8,
                    },
                ),
            };
        }
        datatype.build().ok()
    }

    /// Header line of the table.
    pub fn header(&self) -> String {
        self.names.join(",") + "\n"
    }

    /// Number of bytes of a record.
    pub fn record_size(&self) -> usize {
        self.kinds.iter().map(|kind| self.size(*kind)).sum()
    }

    fn size(&self, kind: Kind) -> usize {
        if kind == Kind::Text { self.text } else { 8 }
    }

    /// Adds the record of a row, or returns its fault.
    pub fn encode(&self, row: &csv::StringRecord, records: &mut Vec<u8>) -> Result<(), String> {
        if row.len() != self.kinds.len() {
            return Err(format!("{} fields, {} columns", row.len(), self.kinds.len()));
        }
        for ((field, kind), name) in row.iter().zip(&self.kinds).zip(&self.names) {
            let bad = || format!("{name} = {field:?}");
            match kind {
                Kind::Count => records.extend(field.parse::<u64>().map_err(|_| bad())?.to_le_bytes()),
                Kind::Number if field.is_empty() => records.extend(NOTHING.to_le_bytes()),
                Kind::Number => {
                    records.extend(field.parse::<f64>().map_err(|_| bad())?.to_bits().to_le_bytes());
                }
                Kind::Text => {
                    let filling = self.text.checked_sub(field.len()).ok_or_else(bad)?;
                    records.extend_from_slice(field.as_bytes());
                    records.resize(records.len() + filling, 0);
                }
            }
        }
        Ok(())
    }

    /// Returns the rows of records, as text.
    pub fn decode(&self, records: &[u8]) -> Result<Vec<u8>, String> {
        let mut rows = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        for record in records.chunks_exact(self.record_size()) {
            rows.serialize(Record(self, record)).map_err(|e| e.to_string())?;
        }
        rows.into_inner().map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Serialize, Deserialize)]
    struct Row {
        step: usize,
        name: String,
        value: f64,
        perhaps: Option<f64>,
        word: Option<String>,
    }

    #[test]
    fn rows_come_back_as_the_same_text() {
        let layout = Layout::of::<Row>(&["step", "name", "value", "perhaps", "word"], 40);
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        let values = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1e23, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for (step, value) in values.into_iter().enumerate() {
            let row = Row { step, name: "ä, \"b\"".into(), value, perhaps: None, word: None };
            writer.serialize(row).unwrap();
            let row = Row { step, name: String::new(), value, perhaps: Some(value), word: Some("w".into()) };
            writer.serialize(row).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let mut records = Vec::new();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_slice());
        for row in reader.records() {
            layout.encode(&row.unwrap(), &mut records).unwrap();
        }
        assert_eq!(records.len(), 16 * layout.record_size());
        assert_eq!(String::from_utf8(layout.decode(&records).unwrap()), String::from_utf8(text));
        assert_eq!(Layout::read(&layout.datatype().unwrap()), Some(layout));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let layout = Layout::of::<Row>(&["step", "name", "value", "perhaps", "word"], 0);
        for row in [["x", "a", "1", "", ""], ["1", "a", "", "y", ""], ["1", &"n".repeat(33), "1", "", ""]] {
            assert!(
                layout.encode(&csv::StringRecord::from(row.to_vec()), &mut Vec::new()).is_err(),
                "{row:?}"
            );
        }
    }
}
