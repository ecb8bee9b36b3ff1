//! A `.vtp` file for each frame, and `.pvd` files that list them.

use super::data;
use super::frames::{VtkFiles, VtkOptions, each_wanted, each_with_contacts, fixed};
use super::poly_data::PolyData;
use crate::export::run_files::RunFiles;
use signorini_error::{Error, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Name of the one file for all frames without contacts.
const NO_CONTACTS: &str = "contacts_none.vtp";

/// Entry for a file of a frame: time (s), name of the part, file name.
type Entry = (f64, &'static str, String);

/// Writes the files of all frames into `folder`.
pub fn write(run: &RunFiles, folder: &Path, options: VtkOptions) -> Result<VtkFiles> {
    let (scene, mut entries) = (&run.scene, Vec::<Entry>::new());
    let times = each_wanted(run, options.every, |step, time, state, there| {
        let mut add = |part: &'static str, data: &PolyData| {
            let name = format!("{part}_{step:07}.vtp");
            entries.push((time, part, name.clone()));
            write_file(&folder.join(name), data)
        };
        add("bodies", &data::bodies(scene, state, there))?;
        match options.surfaces {
            true => add("surfaces", &data::surfaces(scene, state, there)),
            false => Ok(()),
        }
    })?;
    write_file(&folder.join(NO_CONTACTS), &data::contacts(scene, &[]))?;
    each_with_contacts(run, &times, |step, time, contacts| {
        if contacts.is_empty() {
            entries.push((time, "contacts", NO_CONTACTS.to_owned()));
            return Ok(());
        }
        let name = format!("contacts_{step:07}.vtp");
        entries.push((time, "contacts", name.clone()));
        write_file(&folder.join(name), &data::contacts(scene, contacts))
    })?;
    write_file(&folder.join("fixed.vtp"), &data::surfaces(scene, &scene.initial_state(), &fixed(run)))?;
    for part in ["bodies", "contacts", "surfaces"] {
        let own: Vec<Entry> = entries.iter().filter(|e| e.1 == part).cloned().collect();
        if !own.is_empty() {
            write_collection(&folder.join(format!("{part}.pvd")), &own)?;
        }
    }
    entries.extend(times.values().map(|time| (*time, "fixed", "fixed.vtp".to_owned())));
    let collection = folder.join("run.pvd");
    write_collection(&collection, &entries)?;
    Ok(VtkFiles { collection, frames: times.len() })
}

fn write_file(path: &Path, data: &PolyData) -> Result<()> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let mut file = BufWriter::new(File::create(path).map_err(io)?);
    data.write(&mut file).and_then(|()| file.flush()).map_err(io)
}

/// Writes a `.pvd` file: the list of files with their parts and times.
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
