//! Case of a sweep: its values, its folder, and the record that marks it finished.

use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Value;

/// Name of the record in the folder of a case.
pub const RECORD: &str = "case.json";

/// Case of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Number of the case, from 1.
    pub number: usize,
    /// Value of each column.
    pub values: Vec<Value>,
}

/// Outcome of a finished case.
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
    /// Word used in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Unsolved => "unsolved",
            Self::Refused => "refused",
        }
    }
}

/// Record that a finished case leaves in its folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Number of the case.
    pub case: usize,
    /// Values of the case as texts, by column.
    pub values: Vec<String>,
    /// Digest of the scene and of the settings of the run.
    pub digest: String,
    /// Outcome of the case.
    pub outcome: Outcome,
    /// Message about the fault, if the case has one.
    pub message: String,
}

/// State of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseState {
    /// The case was finished before.
    Found(CaseRecord),
    /// The case is finished now.
    Done {
        /// Record of the case.
        record: CaseRecord,
        /// Step from which the case went on; 0 where it ran from the start.
        from: usize,
    },
    /// Another process is running the case.
    Busy,
}

impl Case {
    /// Folder of the case.
    pub fn folder(&self, out: &Path) -> PathBuf {
        out.join("cases").join(format!("{:04}", self.number))
    }

    /// Values as TOML writes them: they read back to the same bits.
    pub fn texts(&self) -> Vec<String> {
        self.values.iter().map(ToString::to_string).collect()
    }

    /// Reads the record of the case, if the case is finished and the record has its values.
    pub fn record(&self, out: &Path) -> Option<CaseRecord> {
        let text = fs::read_to_string(self.folder(out).join(RECORD)).ok()?;
        let record: CaseRecord = serde_json::from_str(&text).ok()?;
        (record.case == self.number && record.values == self.texts()).then_some(record)
    }
}

impl CaseRecord {
    /// Writes the record atomically.
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
