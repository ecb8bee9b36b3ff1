//! Parts of a run that are written for VTK: frames, their contacts, and bodies that never move.

use crate::export::run_files::{Contact, RunFiles};
use signorini_error::Result;
use signorini_scene::scene::State;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Choice of the files to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VtkOptions {
    /// Writes one VTKHDF file for each part of the run, instead of a file for each frame.
    pub hdf5: bool,
    /// Writes surfaces of the bodies that move too, not only their centres.
    pub surfaces: bool,
    /// Interval of the frames written, in recorded frames, ≥ 1.
    pub every: usize,
}

/// Files that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VtkFiles {
    /// File to open: `run.pvd`, or `bodies.vtkhdf`.
    pub collection: PathBuf,
    /// Number of frames.
    pub frames: usize,
}

/// Calls `visit` with step, time (s), state and the bodies present, for every `every`-th frame. Returns the
/// steps and times of these frames.
pub fn each_wanted(
    run: &RunFiles,
    every: usize,
    mut visit: impl FnMut(usize, f64, &State, &[usize]) -> Result<()>,
) -> Result<BTreeMap<usize, f64>> {
    let moving = run.moving();
    let (mut times, mut count) = (BTreeMap::new(), 0_usize);
    run.each_frame(|step, time, state| {
        count += 1;
        if !(count - 1).is_multiple_of(every) {
            return Ok(());
        }
        times.insert(step, time);
        let there: Vec<usize> = moving.iter().copied().filter(|body| run.is_there(*body, step)).collect();
        visit(step, time, state, &there)
    })?;
    Ok(times)
}

/// Calls `visit` with the contacts of these steps, in their order; a step without contacts gives an empty
/// list.
pub fn each_with_contacts(
    run: &RunFiles,
    times: &BTreeMap<usize, f64>,
    mut visit: impl FnMut(usize, f64, &[Contact]) -> Result<()>,
) -> Result<()> {
    let mut rest = times.iter().peekable();
    run.each_contact_step(
        |step| times.contains_key(&step),
        |step, contacts| {
            while let Some((earlier, time)) = rest.next_if(|(next, _)| **next < step) {
                visit(*earlier, *time, &[])?;
            }
            match rest.next_if(|(next, _)| **next == step) {
                Some((step, time)) => visit(*step, *time, contacts),
                None => Ok(()),
            }
        },
    )?;
    rest.try_for_each(|(step, time)| visit(*step, *time, &[]))
}

/// Ids of the bodies that never move.
pub fn fixed(run: &RunFiles) -> Vec<usize> {
    let moving = run.moving();
    (0..run.scene.bodies.len()).filter(|body| !moving.contains(body)).collect()
}
