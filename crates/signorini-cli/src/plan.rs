//! The part of the command line that a checkpoint keeps.

use super::arguments::{BackendOptions, JudgedSteps, RunOptions};
use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result};
use signorini_runs::output::RunFolder;

/// Options that a run goes on with and that are not in its scene.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Steps that are judged.
    pub audit: JudgedSteps,
    /// Processor that solves large islands.
    pub backend: BackendOptions,
}

impl Plan {
    /// Sets the plan that the checkpoints of a run hold.
    pub fn keep(options: &RunOptions, folder: &mut RunFolder) {
        let plan = Self { audit: options.audit, backend: options.backend.clone() };
        // The plan holds plain words: serialising cannot fail.
        folder.set_plan(serde_json::to_value(plan).unwrap_or_default());
    }

    /// Reads a plan that was kept.
    ///
    /// # Errors
    /// When the value is no plan.
    pub fn read(kept: serde_json::Value) -> Result<Self> {
        serde_json::from_value(kept).map_err(|e| Error::Usage {
            what: "resume".to_owned(),
            allowed: format!("the checkpoint is not that of a run by this program ({e})"),
        })
    }
}
