//! What a checkpoint keeps of the command line.

use super::arguments::{BackendOptions, JudgedSteps, RunOptions};
use signorini_runs::output::RunFolder;
use signorini_error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What a run goes on with that is not in its scene.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Which steps are judged.
    pub audit: JudgedSteps,
    /// What evaluates the contacts.
    pub backend: BackendOptions,
}

impl Plan {
    /// Has the checkpoints of a run hold its plan.
    pub fn keep(options: &RunOptions, folder: &mut RunFolder) {
        let plan = Self { audit: options.audit, backend: options.backend.clone() };
        // Plain words: this cannot fail.
        folder.set_plan(serde_json::to_value(plan).unwrap_or_default());
    }

    /// As it was kept.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(kept: serde_json::Value) -> Result<Self> {
        serde_json::from_value(kept).map_err(|e| Error::Usage {
            what: "resume".to_owned(),
            allowed: format!("the checkpoint is not that of a run by this program ({e})"),
        })
    }
}
