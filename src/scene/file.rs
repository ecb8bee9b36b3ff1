//! Scene files: TOML in, a validated [`Scene`] out, and back. The format is in docs/guide/scene-files.md.

mod bodies;
mod fill;
mod friction;
mod guard;
mod joints;
mod motions;
mod raw;
mod raw_joints;
mod report;
mod resolve;
mod shapes;
mod springs;
mod triangles;
mod write;

use super::Scene;
use crate::error::{Error, Result};
use crate::settings::Formulation;
use report::Report;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest scene file (bytes): a million bodies written out one by one are larger than any scene by hand.
pub const LONGEST_FILE: u64 = 64 << 20;
/// Version of the format that is read and written.
pub const FORMAT: u32 = 1;

/// How a scene file is taken.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// Move bodies that overlap at the start apart (velocities untouched) instead of refusing the scene.
    pub separate: bool,
    /// Move bodies until the joints hold at the start instead of refusing the scene.
    pub assemble: bool,
    /// Take meshes from outside the scene's folder too.
    pub allow_outside: bool,
    /// Values that replace the file's; checked like the file's.
    pub overrides: Overrides,
}

/// Values that replace those of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// `solver.formulation`.
    pub formulation: Option<Formulation>,
    /// `simulation.step` (s).
    pub step: Option<f64>,
    /// `simulation.duration` (s).
    pub duration: Option<f64>,
    /// `solver.tolerance`.
    pub tolerance: Option<f64>,
    /// `simulation.seed`.
    pub seed: Option<u64>,
}

/// A scene, and what is worth saying about it.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The resolved scene.
    pub scene: Scene,
    /// Remarks: values that were normalised, pairs without friction, bodies moved apart.
    pub notes: Vec<String>,
}

/// Reads a scene file.
///
/// # Errors
/// When the file cannot be read, is too long, is not a scene, or any value in it is not allowed.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let too_long = |length: String| Error::Parse {
        file: path.to_path_buf(),
        message: format!("{length} bytes; a scene file has at most {LONGEST_FILE}"),
    };
    if length > LONGEST_FILE {
        return Err(too_long(length.to_string()));
    }
    // A pipe or a device has no length beforehand.
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(too_long(format!("more than {LONGEST_FILE}")));
    }
    let text = String::from_utf8(bytes).map_err(|e| Error::Parse {
        file: path.to_path_buf(),
        message: format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to()),
    })?;
    parse(&text, path, options)
}

/// Reads a scene from text; `path` is for messages, and meshes are beside it.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, path: &Path, options: &LoadOptions) -> Result<Loaded> {
    let fault = |message| Error::Parse { file: path.to_path_buf(), message };
    if text.len() as u64 > LONGEST_FILE {
        return Err(fault(format!("{} bytes; a scene file has at most {LONGEST_FILE}", text.len())));
    }
    guard::check_nesting(text).map_err(fault)?;
    let file: raw::SceneFile = toml::from_str(text).map_err(|e| match other_format(text) {
        Some(format) => fault(wrong_format(format)),
        None => fault(guard::shortened(&e.to_string())),
    })?;
    if file.format != FORMAT {
        return Err(fault(wrong_format(i64::from(file.format))));
    }
    let mut report = Report::new(path);
    let scene = resolve::resolve(&file, options, &mut report)?;
    Ok(Loaded { scene, notes: report.notes })
}

/// The format that the file says it has, when it is another one than ours: then that is what is wrong with
/// it, and not the fields that we don't know.
fn other_format(text: &str) -> Option<i64> {
    let top = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
    let value = top.filter_map(|line| line.strip_prefix("format")?.trim_start().strip_prefix('=')).next()?;
    let value = value.split('#').next()?.trim().parse().ok()?;
    (value != i64::from(FORMAT)).then_some(value)
}

fn wrong_format(format: i64) -> String {
    format!("format = {format}: must be {FORMAT}, the only one this version reads")
}

/// The resolved scene as TOML: fills expanded, defaults filled in. [`parse`] gives the same scene back, bit
/// for bit.
pub fn to_toml(scene: &Scene) -> String {
    // Serialising plain tables of numbers and strings cannot fail.
    toml::to_string(&write::file_of(scene)).unwrap_or_default()
}

/// The JSON schema of scene files, generated from the types that read them.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(raw::SceneFile);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

impl Scene {
    /// Checks a scene built by hand by the rules of scene files.
    ///
    /// # Errors
    /// All faults, fields named as in a scene file.
    pub fn validate(&self) -> Result<()> {
        let mut report = Report::new(Path::new("scene"));
        write::check_indices(self, &mut report);
        report.stop_if_faulty()?;
        resolve::resolve(&write::file_of(self), &LoadOptions::default(), &mut report).map(|_| ())
    }
}
