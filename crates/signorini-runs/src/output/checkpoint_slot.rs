//! State of the checkpoints of a run in progress.

use super::names;

/// Index of the checkpoint that is written next, with the plan of the caller.
#[derive(Debug, Default)]
pub struct CheckpointSlot {
    next: usize,
    /// Plan of the caller, which a resumed run returns.
    pub plan: serde_json::Value,
}

impl CheckpointSlot {
    /// Makes the value after the checkpoint of an index of [`names::CHECKPOINTS`].
    pub fn after(index: usize, plan: serde_json::Value) -> Self {
        Self { next: (index + 1) % names::CHECKPOINTS.len(), plan }
    }

    /// Name of the next checkpoint.
    pub fn name(&self) -> &'static str {
        names::CHECKPOINTS[self.next]
    }

    /// Moves on after a checkpoint was written.
    pub fn pass(&mut self) {
        self.next = (self.next + 1) % names::CHECKPOINTS.len();
    }
}

/// A resumed run whose folder is still as it was found.
#[derive(Debug)]
pub struct ResumedFolder {
    /// Text of the new `scene.toml`, if it changes.
    pub scene: Option<String>,
}
