//! Commands on a finished run: `signorini audit` and `signorini plot`.

use super::console::print_line;
use super::exit::{Failure, SUCCESS, UNSOLVED};
use signorini_runs::audit::{self, AuditOptions};
use signorini_runs::output::plots;
use std::path::Path;

/// Judges a run again from its files alone.
pub fn audit(dir: &Path, options: &AuditOptions) -> Result<u8, Failure> {
    let report = audit::audit(dir, options)?;
    print_line(&report.to_string());
    Ok(if report.is_green() { SUCCESS } else { UNSOLVED })
}

/// Draws the figures of a run.
pub fn plot(dir: &Path) -> Result<u8, Failure> {
    for figure in plots::draw(dir)? {
        print_line(&figure.display().to_string());
    }
    Ok(SUCCESS)
}
