//! One `.vtkhdf` file for each part of a run. VTK joins parts of one file by links, which the HDF5 library in
//! use does not write.

use super::data;
use super::frames::{VtkFiles, VtkOptions, each_wanted, each_with_contacts, fixed};
use super::series::Series;
use crate::export::run_files::RunFiles;
use signorini_error::{Error, Result};
use std::path::{Path, PathBuf};

/// Writes the files into `folder`.
pub fn write(run: &RunFiles, folder: &Path, options: VtkOptions) -> Result<VtkFiles> {
    let scene = &run.scene;
    let save = |series: Series, part: &str, timeless: bool| -> Result<PathBuf> {
        let path = folder.join(format!("{part}.vtkhdf"));
        series.write(&path, timeless).map_err(|source| Error::Io { path: path.clone(), source })?;
        Ok(path)
    };
    let mut bodies = Series::new(scene.bodies.iter().map(|body| body.name.clone()).collect());
    let times = each_wanted(run, options.every, |_, time, state, there| {
        bodies.push(time, &data::bodies(scene, state, there));
        Ok(())
    })?;
    let collection = save(bodies, "bodies", false)?;
    if options.surfaces {
        let mut surfaces = Series::default();
        each_wanted(run, options.every, |_, time, state, there| {
            surfaces.push(time, &data::surfaces(scene, state, there));
            Ok(())
        })?;
        save(surfaces, "surfaces", false)?;
    }
    let mut contacts = Series::default();
    each_with_contacts(run, &times, |_, time, own| {
        contacts.push(time, &data::contacts(scene, own));
        Ok(())
    })?;
    save(contacts, "contacts", false)?;
    let mut still = Series::default();
    still.push(0.0, &data::surfaces(scene, &scene.initial_state(), &fixed(run)));
    save(still, "fixed", true)?;
    Ok(VtkFiles { collection, frames: times.len() })
}
