//! Figures of a run (none yet).

use crate::error::Result;
use std::path::{Path, PathBuf};

/// Draws the figures of the run in `dir` and returns their paths.
///
/// # Errors
/// When a file of the run cannot be read.
pub fn draw(_dir: &Path) -> Result<Vec<PathBuf>> {
    Ok(Vec::new())
}
