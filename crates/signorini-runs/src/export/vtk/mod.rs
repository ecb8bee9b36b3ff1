//! Run for ParaView and all other programs built on VTK: one `.vtp` file for each frame, and `.pvd` files
//! that list them with their times; or one `.vtkhdf` file for each part of the run.

mod collection;
mod data;
mod frames;
mod poly_data;
mod series;
mod single;

use super::run_files::RunFiles;
pub(super) use data::placed_mesh;
pub use frames::{VtkFiles, VtkOptions};
use signorini_error::Result;
use std::path::Path;

/// Writes the run into `folder`, which exists.
///
/// With a file for each frame, `run.pvd` lists all files, `bodies.pvd`, `contacts.pvd` and `surfaces.pvd` a
/// part each, and `fixed.vtp` has the bodies that never move. With `hdf5` there are four files:
/// `bodies.vtkhdf`, `contacts.vtkhdf`, `surfaces.vtkhdf` and `fixed.vtkhdf`; memory holds each until it is
/// written.
///
/// # Errors
/// When a file of the run cannot be read, or a file cannot be written.
pub fn write_vtk(run: &RunFiles, folder: &Path, options: VtkOptions) -> Result<VtkFiles> {
    match options.hdf5 {
        true => single::write(run, folder, options),
        false => collection::write(run, folder, options),
    }
}
