//! A case: its values, its folder, and the record that says that it is finished.

use signorini_error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Value;

/// Name of the record in the folder of a case.
pub const RECORD: &str = "case.json";

/// A case of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its number, from 1.
    pub number: usize,
    /// The value of each column.
    pub values: Vec<Value>,
}

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All steps are solved, and the referee agrees with each.
    Completed,
    /// Some steps are not solved, or the referee disagrees.
    Unsolved,
    /// The scene is not allowed.
    Refused,
}

impl Outcome {
    /// The word used in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Unsolved => "unsolved",
            Self::Refused => "refused",
        }
    }
}

/// What a finished case leaves in its folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Number of the case.
    pub case: usize,
    /// Its values as texts, by column.
    pub values: Vec<String>,
    /// Digest of the scene and of how it is run.
    pub digest: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was wrong, if anything was.
    pub message: String,
}

/// Where a case stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseState {
    /// It was finished before.
    Found(CaseRecord),
    /// It is finished now.
    Done {
        /// How it ended.
        record: CaseRecord,
        /// The step after which it went on; 0 where it was run from the start.
        from: usize,
    },
    /// Another process is running it.
    Busy,
}

impl Case {
    /// The folder of the case.
    pub fn folder(&self, out: &Path) -> PathBuf {
        out.join("cases").join(format!("{:04}", self.number))
    }

    /// Its values as TOML writes them: they read back to the same bits.
    pub fn texts(&self) -> Vec<String> {
        self.values.iter().map(ToString::to_string).collect()
    }

    /// The record of the case, if it is finished and of these values.
    pub fn record(&self, out: &Path) -> Option<CaseRecord> {
        let text = fs::read_to_string(self.folder(out).join(RECORD)).ok()?;
        let record: CaseRecord = serde_json::from_str(&text).ok()?;
        (record.case == self.number && record.values == self.texts()).then_some(record)
    }
}

impl CaseRecord {
    /// Writes the record in one piece.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let (path, new) = (folder.join(RECORD), folder.join(format!("{RECORD}.new")));
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
        written.map_err(|source| Error::Io { path, source })
    }
}
