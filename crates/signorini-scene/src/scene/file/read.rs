//! From the bytes of a scene file to a [`Scene`](crate::scene::Scene).

use super::faults;
use super::guard;
use super::limits::{FORMAT, LONGEST_FILE};
use super::old_names::Renamed;
use super::options::{LoadOptions, Loaded};
use super::raw::SceneFile;
use super::report::Report;
use super::resolve::resolve;
use super::written::FileEntries;
use crate::scene::definition::Scene;
use signorini_error::{Error, Result, read_regular_text};
use std::path::Path;

/// Reads a scene file.
///
/// # Errors
/// When the file cannot be read, is too long, is not a scene, or any value in it is not allowed.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded> {
    let text = read_regular_text(path, LONGEST_FILE)?;
    parse(&text, path, options)
}

impl Scene {
    /// Reads a scene file; notes about it are dropped (`files::load` returns them).
    ///
    /// # Errors
    /// As `files::load`.
    pub fn load(path: impl AsRef<Path>) -> Result<Scene> {
        Ok(load(path.as_ref(), &LoadOptions::default())?.scene)
    }
}

/// Reads a scene from text; `path` is for messages, and meshes are beside it.
///
/// # Errors
/// As `files::load`.
pub fn parse(text: &str, path: &Path, options: &LoadOptions) -> Result<Loaded> {
    let fault = |message| Error::Parse { file: path.to_path_buf(), message };
    if text.len() as u64 > LONGEST_FILE {
        return Err(fault(format!("{} bytes; a scene file has at most {LONGEST_FILE}", text.len())));
    }
    guard::check_nesting(text).map_err(fault)?;
    if let Ok(file) = toml::from_str(text) {
        return loaded(Ok(file), text, path, options);
    }
    let Some(renamed) = Renamed::of(text) else {
        return loaded(Err(()), text, path, options);
    };
    let file = toml::from_str(&renamed.text).map_err(drop);
    let mut loaded = loaded(file, &renamed.text, path, options).map_err(|e| renamed.in_original(e))?;
    let place = path.display();
    loaded.notes.splice(0..0, renamed.notes.iter().map(|note| format!("{place}:{note}")));
    Ok(loaded)
}

/// The scene of a file that is read, or of a text that does not fit.
fn loaded(
    file: std::result::Result<SceneFile, ()>,
    text: &str,
    path: &Path,
    options: &LoadOptions,
) -> Result<Loaded> {
    let fault = |message| Error::Parse { file: path.to_path_buf(), message };
    let mut report = Report::new(path);
    let file = match file {
        Ok(file) => file,
        Err(()) => match (other_format(text), old_table(text)) {
            (Some(format), _) => return Err(fault(wrong_format(format))),
            (None, Some(message)) => return Err(fault(message)),
            (None, None) => faults::repaired(text, schema().as_value(), &mut report)?,
        },
    };
    if file.format != FORMAT {
        return Err(fault(wrong_format(i64::from(file.format))));
    }
    let scene = resolve(&file, options, &mut report).map_err(|error| faults::located(error, text))?;
    Ok(Loaded { scene, notes: report.notes, written: FileEntries::of(&file) })
}

/// The format that the file says it has, when it is another one than ours: then the format is the fault, and
/// not the fields that we don't know.
fn other_format(text: &str) -> Option<i64> {
    let top = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
    let value = top.filter_map(|line| line.strip_prefix("format")?.trim_start().strip_prefix('=')).next()?;
    let value = value.split('#').next()?.trim().parse().ok()?;
    (value != i64::from(FORMAT)).then_some(value)
}

/// Message about a table `[solver.core]`, which earlier versions read.
fn old_table(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).ok()?;
    let fields = table.get("solver")?.get("core")?.as_table()?;
    let first = fields.keys().next().map_or_else(String::new, |field| format!(".{field}"));
    Some(format!(
        "solver.core{first}: this table is gone. `linear_solver`, `polish`, `restarts` (was \
         `ladder_restarts`) and `single_precision` (was `single_rho`) stand in [solver]; the rest is fixed"
    ))
}

fn wrong_format(format: i64) -> String {
    format!("format = {format}: must be {FORMAT}, the only one this version reads")
}

fn schema() -> schemars::Schema {
    schemars::schema_for!(SceneFile)
}

/// The JSON schema of scene files, generated from the types that read them.
pub fn json_schema() -> String {
    let mut text = serde_json::to_string_pretty(&schema()).unwrap_or_default();
    text.push('\n');
    text
}
