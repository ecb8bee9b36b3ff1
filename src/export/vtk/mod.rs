//! A run for ParaView and everything else that is built on VTK: one `.vtp` file for each frame, and `.pvd`
//! files that name them with their times.

mod data;
mod poly_data;

use super::run_files::RunFiles;
use crate::error::{Error, Result};
pub(super) use data::placed_mesh;
use poly_data::PolyData;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Contacts of a frame that has none: one file for all such frames.
const NO_CONTACTS: &str = "contacts_none.vtp";

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VtkOptions {
    /// Surfaces of the bodies that move too, not only their centres.
    pub surfaces: bool,
    /// Only every so many-th recorded frame, ≥ 1.
    pub every: usize,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VtkFiles {
    /// The file to open.
    pub collection: PathBuf,
    /// Frames.
    pub frames: usize,
}

/// A file of a frame: time (s), name of the part, file name.
type Entry = (f64, &'static str, String);

/// Writes the run into `folder`, which exists: `run.pvd` with everything, `bodies.pvd`, `contacts.pvd` and
/// `surfaces.pvd` with a part each, `fixed.vtp` with the bodies that never move.
///
/// # Errors
/// When a file of the run cannot be read, or a file cannot be written.
pub fn write_vtk(run: &RunFiles, folder: &Path, options: VtkOptions) -> Result<VtkFiles> {
    let moving = run.moving();
    let (scene, mut entries, mut times) = (&run.scene, Vec::<Entry>::new(), Vec::new());
    let mut count = 0_usize;
    run.each_frame(|step, time, state| {
        count += 1;
        if !(count - 1).is_multiple_of(options.every) {
            return Ok(());
        }
        let mut add = |part: &'static str, data: &PolyData| {
            let name = format!("{part}_{step:07}.vtp");
            entries.push((time, part, name.clone()));
            write_file(&folder.join(name), data)
        };
        let there: Vec<usize> = moving.iter().copied().filter(|body| run.is_there(*body, step)).collect();
        add("bodies", &data::bodies(scene, state, &there))?;
        if options.surfaces {
            add("surfaces", &data::surfaces(scene, state, &there))?;
        }
        times.push((step, time));
        Ok(())
    })?;
    let wanted: BTreeSet<usize> = times.iter().map(|(step, _)| *step).collect();
    let mut loaded = BTreeSet::new();
    run.each_contact_step(
        |step| wanted.contains(&step),
        |step, contacts| {
            loaded.insert(step);
            let path = folder.join(format!("contacts_{step:07}.vtp"));
            write_file(&path, &data::contacts(contacts, scene.time_step))
        },
    )?;
    write_file(&folder.join(NO_CONTACTS), &data::contacts(&[], scene.time_step))?;
    for (step, time) in &times {
        let file = match loaded.contains(step) {
            true => format!("contacts_{step:07}.vtp"),
            false => NO_CONTACTS.to_owned(),
        };
        entries.push((*time, "contacts", file));
    }
    let fixed: Vec<usize> = (0..scene.bodies.len()).filter(|i| !moving.contains(i)).collect();
    write_file(&folder.join("fixed.vtp"), &data::surfaces(scene, &scene.initial_state(), &fixed))?;
    for part in ["bodies", "contacts", "surfaces"] {
        let own: Vec<Entry> = entries.iter().filter(|e| e.1 == part).cloned().collect();
        if !own.is_empty() {
            write_collection(&folder.join(format!("{part}.pvd")), &own)?;
        }
    }
    entries.extend(times.iter().map(|(_, time)| (*time, "fixed", "fixed.vtp".to_owned())));
    let collection = folder.join("run.pvd");
    write_collection(&collection, &entries)?;
    Ok(VtkFiles { collection, frames: times.len() })
}

fn write_file(path: &Path, data: &PolyData) -> Result<()> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let mut file = BufWriter::new(File::create(path).map_err(io)?);
    data.write(&mut file).and_then(|()| file.flush()).map_err(io)
}

/// A `.pvd` file: which file holds which part at which time.
fn write_collection(path: &Path, entries: &[Entry]) -> Result<()> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <Collection>\n",
    );
    let mut parts: Vec<&str> = Vec::new();
    for (time, part, file) in entries {
        let number = parts.iter().position(|p| p == part).unwrap_or_else(|| {
            parts.push(part);
            parts.len() - 1
        });
        text += &format!(
            "<DataSet timestep=\"{time}\" group=\"\" part=\"{number}\" name=\"{part}\" file=\"{file}\"/>\n"
        );
    }
    text += "</Collection>\n</VTKFile>\n";
    fs::write(path, text).map_err(|source| Error::Io { path: path.to_owned(), source })
}
