//! The folder that a run writes.

use super::arguments::RunOptions;
use super::scene_source;
use signorini_error::{Error, Result};
use signorini_runs::output::{RunFolder, names};
use std::path::{Path, PathBuf};

/// Returns the folder to write, checked to be free.
pub fn output_folder(options: &RunOptions) -> Result<PathBuf> {
    let out = match &options.out {
        Some(out) => out.clone(),
        None => Path::new("out").join(scene_source::stem(&options.scene)),
    };
    RunFolder::check_vacant(&out, options.force)?;
    let same_file = match (options.scene.canonicalize(), out.join(names::SCENE).canonicalize()) {
        (Ok(given), Ok(written)) => given == written,
        _ => false,
    };
    if same_file {
        return Err(Error::Usage {
            what: format!("output folder {}", out.display()),
            allowed: "holds the scene file itself, which the run would replace; choose another with --out"
                .to_owned(),
        });
    }
    Ok(out)
}
