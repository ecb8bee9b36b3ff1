//! All faults of a scene file at once, each with its line and column.
//!
//! A file that fits the types is read by them, and the checks behind find the faults of its values. Only a
//! file with faults is read again: as a tree that knows the place of every value ([`document`]), held to the
//! published schema ([`structure`]). Values that do not fit are replaced by harmless ones, so that the checks
//! of the values run too; faults of a replaced field are left out.

mod document;
mod kinds;
mod stand_in;
mod structure;

use super::guard::shortened;
use super::place::Place;
use super::raw::SceneFile;
use super::report::Report;
pub use document::Document;
use serde_json::Value;
use signorini_error::{Error, Result};
use std::path::Path;

/// Fields of earlier versions that still may stand in a file, and the note about each.
const WITHOUT_EFFECT: [([&str; 2], &str); 1] =
    [(["solver", "relative_tolerance"], "the tolerance is always relative; remove the line")];

/// A file whose unfit values are replaced. Its faults, and notes of fields without effect, are in `report`.
///
/// # Errors
/// When the text is not TOML, or no scene can be made of it to check the rest.
pub fn repaired(text: &str, schema: &Value, report: &mut Report) -> Result<SceneFile> {
    let document = Document::parse(text).map_err(|faults| not_toml(faults, text, report.file()))?;
    let mut found = structure::check(&document, schema);
    found.faults.retain(|fault| {
        let note = without_effect(&fault.place);
        report.notes.extend(note.clone());
        note.is_none()
    });
    let places: Vec<Place> = found.faults.iter().map(|fault| fault.place.clone()).collect();
    found.balance();
    for fault in found.faults {
        let at = if fault.is_unknown { document.position_of_name(&fault.place) } else { None };
        let at = at.or_else(|| document.position(&fault.place));
        report.fault_at(at, document.text(&fault.place), fault.value, fault.allowed);
    }
    report.leave_out(places);
    let fault =
        |message: String| Error::Parse { file: report.file().to_path_buf(), message: shortened(&message) };
    // Through text: all types are then read by one deserializer, a second one would be compiled for each.
    let text = toml::to_string(&found.value).map_err(|error| fault(error.to_string()))?;
    toml::from_str(&text).map_err(|error| fault(error.message().to_owned()))
}

/// Note about a field of earlier versions; None for any other field.
fn without_effect(place: &Place) -> Option<String> {
    let is_here = |[table, field]: [&str; 2]| *place == Place::default().field(table).field(field);
    let ([table, field], why) = WITHOUT_EFFECT.iter().find(|(names, _)| is_here(*names))?;
    Some(format!("{table}.{field} has no effect: {why}"))
}

/// The faults of an error with line and column, in their order in the text.
pub fn located(error: Error, text: &str) -> Error {
    let Ok(document) = Document::parse(text) else { return error };
    let locate = |error: Error| match error {
        Error::Field { file, at: None, field, value, allowed } => {
            let at = Place::of_text(&field).and_then(|place| document.position(&place));
            Error::Field { file, at, field, value, allowed }
        }
        other => other,
    };
    match error {
        Error::Many(errors) => {
            let mut errors: Vec<Error> = errors.into_iter().map(locate).collect();
            // Faults without a position come last.
            errors.sort_by_key(|e| match e {
                Error::Field { at: Some(at), .. } => *at,
                _ => (usize::MAX, 0),
            });
            Error::Many(errors)
        }
        one => locate(one),
    }
}

/// The first fault of each line, in their order: later faults of a line mostly follow from it.
fn not_toml(mut faults: Vec<(usize, String)>, text: &str, file: &Path) -> Error {
    let lines = document::Lines::of(text);
    faults.sort_by_key(|(offset, _)| *offset);
    let mut errors: Vec<Error> = Vec::new();
    let mut last_line = 0;
    for (offset, message) in faults {
        let (line, column) = lines.position(text, offset);
        if line > last_line {
            let message = shortened(message.trim_end_matches(", expected nothing"));
            errors.push(Error::Syntax { file: file.to_path_buf(), line, column, message });
        }
        last_line = line;
    }
    Error::all(errors)
}
