//! Records of a run as arrays of NumPy in one `.npz` file: a zip archive of `.npy` files
//! (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).

use super::columns::each_wanted;
use crate::export::run_files::RunFiles;
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Velocity};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use zip::ZipWriter;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

/// Multiple of bytes at which the numbers of an array begin.
const ALIGNMENT: usize = 64;
/// Bytes of an array before the text of its head: magic word, version and length.
const BEFORE_HEAD: usize = 10;
/// Least size of an array (bytes) for which an entry needs the long form of the archive.
const LARGE: usize = 0xffff_ffff;

/// Arrays of all records.
#[derive(Default)]
struct Records {
    steps: Vec<i64>,
    times: Vec<f64>,
    positions: Vec<f64>,
    quaternions: Vec<f64>,
    velocities: Vec<f64>,
    angular_velocities: Vec<f64>,
}

/// Writes every `every`-th record as arrays of NumPy into one `.npz` file. Returns the number of records f.
/// The arrays stand in memory until they are written.
///
/// The bodies are the m that move or are carried, in the order of the scene.
///
/// | array | shape | content |
/// |---|---|---|
/// | `step` | (f,) | steps, whole numbers |
/// | `time` | (f,) | s |
/// | `id` | (m,) | place of the body in the scene |
/// | `name` | (m,) | name of the body |
/// | `position` | (f, m, 3) | centre of mass (m), world; unwrapped in a periodic scene |
/// | `quaternion` | (f, m, 4) | orientation: w, x, y, z |
/// | `velocity` | (f, m, 3) | of the centre of mass (m/s), world |
/// | `angular_velocity` | (f, m, 3) | rad/s, world axes |
///
/// All numbers are those of the tables to the last bit; NaN of a body that is not there.
///
/// # Errors
/// When `every` is 0, when a file of the run cannot be read, or the file cannot be written.
pub fn write_npz(run: &RunFiles, path: &Path, every: usize) -> Result<usize> {
    if every == 0 {
        return Err(Error::Usage { what: "every = 0".to_owned(), allowed: "must be 1 or more".to_owned() });
    }
    let bodies = run.moving();
    let mut records = Records::default();
    let count = each_wanted(run, every, |step, time, state| {
        records.steps.push(step as i64);
        records.times.push(time);
        for id in &bodies {
            records.add(run.is_there(*id, step).then(|| (&state.poses[*id], &state.velocities[*id])));
        }
        Ok(())
    })?;
    let io = |source| Error::Io { path: path.to_owned(), source };
    let file = BufWriter::new(File::create(path).map_err(io)?);
    let written = records.write(file, run, &bodies);
    written.map_err(|error| match error {
        ZipError::Io(source) => io(source),
        other => io(std::io::Error::other(other)),
    })?;
    Ok(count)
}

impl Records {
    fn add(&mut self, body: Option<(&Pose, &Velocity)>) {
        let nothing = [f64::NAN; 3];
        let position = body.map_or(nothing, |(pose, _)| pose.position.into());
        let quaternion = body.map_or([f64::NAN; 4], |(pose, _)| {
            let q = pose.orientation.quaternion();
            [q.w, q.i, q.j, q.k]
        });
        self.positions.extend(position);
        self.quaternions.extend(quaternion);
        self.velocities.extend(body.map_or(nothing, |(_, velocity)| velocity.linear.into()));
        self.angular_velocities.extend(body.map_or(nothing, |(_, velocity)| velocity.angular.into()));
    }

    fn write(
        &self,
        file: BufWriter<File>,
        run: &RunFiles,
        bodies: &[usize],
    ) -> std::result::Result<(), ZipError> {
        let (f, m) = (self.steps.len(), bodies.len());
        let mut archive = ZipWriter::new(file);
        let whole = |list: &[i64]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let real = |list: &[f64]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let ids: Vec<i64> = bodies.iter().map(|id| *id as i64).collect();
        let names = bodies.iter().map(|id| run.scene.bodies[*id].name.as_str());
        let (kind, letters) = texts(&names.collect::<Vec<_>>());
        add(&mut archive, "step", "<i8", &[f], &whole(&self.steps))?;
        add(&mut archive, "time", "<f8", &[f], &real(&self.times))?;
        add(&mut archive, "id", "<i8", &[m], &whole(&ids))?;
        add(&mut archive, "name", &kind, &[m], &letters)?;
        add(&mut archive, "position", "<f8", &[f, m, 3], &real(&self.positions))?;
        add(&mut archive, "quaternion", "<f8", &[f, m, 4], &real(&self.quaternions))?;
        add(&mut archive, "velocity", "<f8", &[f, m, 3], &real(&self.velocities))?;
        add(&mut archive, "angular_velocity", "<f8", &[f, m, 3], &real(&self.angular_velocities))?;
        archive.finish()?.flush()?;
        Ok(())
    }
}

/// Returns the type of an array of texts, and its bytes: letters in UTF-32, filled with zeros to one length.
fn texts(list: &[&str]) -> (String, Vec<u8>) {
    let longest = list.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let padded = |text: &&str| {
        let letters: Vec<char> = text.chars().chain(std::iter::repeat('\0')).take(longest).collect();
        letters.into_iter().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>()
    };
    (format!("<U{longest}"), list.iter().flat_map(padded).collect())
}

/// Adds an array in C order to the archive.
fn add(
    archive: &mut ZipWriter<BufWriter<File>>,
    name: &str,
    kind: &str,
    shape: &[usize],
    bytes: &[u8],
) -> std::result::Result<(), ZipError> {
    let options = SimpleFileOptions::default().large_file(bytes.len() >= LARGE);
    archive.start_file(format!("{name}.npy"), options)?;
    archive.write_all(&head(kind, shape))?;
    archive.write_all(bytes)?;
    Ok(())
}

/// Returns what stands before the numbers of a `.npy` file: format 1.0.
fn head(kind: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let whole = (BEFORE_HEAD + text.len() + 1).next_multiple_of(ALIGNMENT);
    text += &" ".repeat(whole - BEFORE_HEAD - text.len() - 1);
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}
