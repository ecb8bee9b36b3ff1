//! A run for ParaView and everything else that is built on VTK: one `.vtp` file for each frame, and `.pvd`
//! files that name them with their times; or one `.vtkhdf` file for each part of the run.

mod collection;
mod data;
mod frames;
mod poly_data;
mod series;
mod single;

use super::run_files::RunFiles;
use signorini_error::Result;
pub(super) use data::placed_mesh;
pub use frames::{VtkFiles, VtkOptions};
use std::path::Path;

/// Writes the run into `folder`, which exists.
///
/// A file for each frame: `run.pvd` names them all, `bodies.pvd`, `contacts.pvd` and `surfaces.pvd` a part
/// each, `fixed.vtp` has the bodies that never move. With `hdf5` four files: `bodies.vtkhdf`,
/// `contacts.vtkhdf`, `surfaces.vtkhdf` and `fixed.vtkhdf`; each stands in memory until it is written.
///
/// # Errors
/// When a file of the run cannot be read, or a file cannot be written.
pub fn write_vtk(run: &RunFiles, folder: &Path, options: VtkOptions) -> Result<VtkFiles> {
    match options.hdf5 {
        true => single::write(run, folder, options),
        false => collection::write(run, folder, options),
    }
}
