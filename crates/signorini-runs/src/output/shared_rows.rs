//! Rows that another process made: as text, and in their order.

use serde::Serialize;
use serde::de::DeserializeOwned;
use signorini_error::{Error, Result};
use std::path::PathBuf;

/// Checks that rows are numbered on from those already taken, up to `count`; `what` names a row.
///
/// # Errors
/// When a number is missing, comes again, or is too large.
pub fn following(what: &str, taken: usize, count: usize, numbers: impl Iterator<Item = usize>) -> Result<()> {
    for (next, number) in (taken + 1..).zip(numbers) {
        if number != next || number > count {
            let allowed = format!("must be {what} {next} of {count}");
            return Err(Error::Usage { what: format!("{what} {number}"), allowed });
        }
    }
    Ok(())
}

/// Rows as text without a header, from which [`rows_of`] reads every bit.
///
/// # Errors
/// When a row cannot be serialised.
pub fn text_of<R: Serialize>(rows: &[R]) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row)).map_err(|e| fault(&e))?;
    let bytes = writer.into_inner().map_err(|e| fault(&e))?;
    String::from_utf8(bytes).map_err(|e| fault(&e))
}

/// Reads rows from their text.
///
/// # Errors
/// When the text has other columns.
pub fn rows_of<R: DeserializeOwned>(text: &str) -> Result<Vec<R>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.into_deserialize().map(|row| row.map_err(|e| fault(&e))).collect()
}

fn fault(error: &dyn std::fmt::Display) -> Error {
    Error::Parse { file: PathBuf::from("rows of another process"), message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_as_text_bit_for_bit() {
        let rows = vec![(1_usize, 0.1 + 0.2, "a, \"b\"".to_owned()), (2, -0.0, String::new())];
        let found: Vec<(usize, f64, String)> = rows_of(&text_of(&rows).unwrap()).unwrap();
        assert_eq!(found, rows);
        assert_eq!(found[1].1.to_bits(), (-0.0_f64).to_bits());
        assert!(rows_of::<(usize, f64, String)>("1,x,a\n").is_err());
    }

    #[test]
    fn rows_follow_each_other() {
        let check = |numbers: &[usize]| following("drop", 2, 5, numbers.iter().copied()).is_ok();
        assert!(check(&[]) && check(&[3, 4, 5]));
        assert!(!check(&[2]) && !check(&[4]) && !check(&[3, 3]) && !check(&[3, 4, 5, 6]));
    }
}
