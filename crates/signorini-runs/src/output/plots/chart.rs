//! Figures made of panels made of curves, as the crate of figures draws them, and their files.

use signorini_error::{Error, Result};
pub use signorini_figures::{Colour, Figure, Panel, Pen, PlotAxis, Series, colour};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `<stem>.png` and `<stem>.svg` of every figure into `folder`, which is made if it is not there, and
/// returns their paths.
pub fn write(figures: &[Figure], folder: &Path) -> Result<Vec<PathBuf>> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        |source| Error::Io { path, source }
    };
    fs::create_dir_all(folder).map_err(fault(folder))?;
    let mut written = Vec::new();
    for figure in figures {
        let path = folder.join(format!("{}.png", figure.stem));
        figure.png().and_then(|png| fs::write(&path, png)).map_err(fault(&path))?;
        written.push(path);
        let path = folder.join(format!("{}.svg", figure.stem));
        fs::write(&path, figure.svg()).map_err(fault(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// A name as it fits in a title.
pub fn short(name: &str) -> String {
    const MAX_TITLE: usize = 32;
    if name.chars().count() <= MAX_TITLE {
        return name.to_owned();
    }
    name.chars().take(MAX_TITLE - 1).chain(['…']).collect()
}
