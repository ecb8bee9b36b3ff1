//! What a run in progress knows of its checkpoints.

use super::names;

/// Which checkpoint is written next, and what the caller wants to know again.
#[derive(Debug, Default)]
pub struct Turn {
    next: usize,
    /// Of the caller.
    pub plan: serde_json::Value,
}

impl Turn {
    /// After the checkpoint of an index of [`names::CHECKPOINTS`].
    pub fn after(index: usize, plan: serde_json::Value) -> Self {
        Self { next: (index + 1) % names::CHECKPOINTS.len(), plan }
    }

    /// Name of the next one.
    pub fn name(&self) -> &'static str {
        names::CHECKPOINTS[self.next]
    }

    /// It was written.
    pub fn pass(&mut self) {
        self.next = (self.next + 1) % names::CHECKPOINTS.len();
    }
}

/// A resumed run whose folder is still as it was found.
#[derive(Debug)]
pub struct Resumed {
    /// What `scene.toml` will be, if that changes.
    pub scene: Option<String>,
}
