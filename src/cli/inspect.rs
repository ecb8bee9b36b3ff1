//! Commands on a finished run: `signorini plot`.

use super::{Failure, SUCCESS, say};
use signorini::output::plots;
use std::path::Path;

/// Draws the figures of a run.
pub fn plot(dir: &Path) -> Result<u8, Failure> {
    for figure in plots::draw(dir)? {
        say(&figure.display().to_string());
    }
    Ok(SUCCESS)
}
