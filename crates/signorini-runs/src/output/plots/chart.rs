//! Figures made of panels made of curves, as the crate of figures draws them, and their files.

use signorini_error::{Error, Result};
pub use signorini_figures::{Colour, Drawing, Figure, Mark, Panel, Pen, PlotAxis, Series, colour};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `<stem>.png` and `<stem>.svg` of every figure into `folder`, which is made if it is not there, and
/// returns their paths.
pub fn write(figures: &[Figure], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for figure in figures {
        written.extend(write_drawing(&figure.stem, &figure.drawing(), folder)?);
    }
    Ok(written)
}

/// Writes `<stem>.png` and `<stem>.svg` of a drawing into `folder`, and returns their paths.
pub fn write_drawing(stem: &str, drawing: &Drawing, folder: &Path) -> Result<[PathBuf; 2]> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        |source| Error::Io { path, source }
    };
    fs::create_dir_all(folder).map_err(fault(folder))?;
    let paths = ["png", "svg"].map(|extension| folder.join(format!("{stem}.{extension}")));
    drawing.png().and_then(|png| fs::write(&paths[0], png)).map_err(fault(&paths[0]))?;
    fs::write(&paths[1], drawing.svg()).map_err(fault(&paths[1]))?;
    Ok(paths)
}

/// A name as it fits in a title.
pub fn short(name: &str) -> String {
    const MAX_TITLE: usize = 32;
    if name.chars().count() <= MAX_TITLE {
        return name.to_owned();
    }
    name.chars().take(MAX_TITLE - 1).chain(['…']).collect()
}
