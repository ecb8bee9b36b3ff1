//! A state of a run as closed surfaces of triangles.

mod facets;
mod file_names;
mod formats;
mod geodesic;
mod plan;
mod rounding;

use super::run_files::RunFiles;
pub use formats::SolidFormat;
use formats::{Group, Solid};
use plan::{Accuracy, Plan};
use signorini_error::{Error, Result};
use signorini_geometry::Pose;
use signorini_scene::scene::State;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Part of a time step by which a recorded time may be after the one that is asked for: rounding.
const SAME_TIME: f64 = 1e-6;

/// Choice of the state, the bodies and the accuracy of their triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidOptions {
    /// Format of the files.
    pub format: SolidFormat,
    /// Time (s): the last record at or before it is written. None: the last record of all.
    pub time: Option<f64>,
    /// Chordal error (m, > 0): the largest distance between the boundary of a round shape and its
    /// triangles. None: 1e-3 of the radius of a cylinder, and of the longest semi-axis of an ellipsoid.
    pub chord: Option<f64>,
    /// Writes a file for each body into a folder, instead of one file.
    pub per_body: bool,
    /// Writes the bodies that never move too.
    pub fixed: bool,
    /// Puts the corners of round shapes so far outside that their volumes are exact, instead of on the
    /// shapes. The chordal error holds on both sides.
    pub keep_volume: bool,
}

impl SolidOptions {
    /// The last record, as one file, without the bodies that never move.
    pub fn new(format: SolidFormat) -> Self {
        Self { format, time: None, chord: None, per_body: false, fixed: false, keep_volume: false }
    }
}

/// Files that were written.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidFiles {
    /// Paths of the files.
    pub files: Vec<PathBuf>,
    /// Time of the record (s).
    pub time: f64,
    /// Number of bodies.
    pub bodies: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of half-spaces and bores that were left out: they are unbounded.
    pub unbounded: usize,
}

/// Bodies of a state of a run, ready to be written as triangles, in metres and world axes.
///
/// Each part of a body is a closed surface of its own, whose triangles run counter-clockwise seen from
/// outside. Boxes and polytopes are exact. The boundary of a round shape is within
/// [`SolidOptions::chord`] of its triangles, and they of it. The volume of the triangles converges to that
/// of the shape: it lacks 4/3 (chord / radius) of a cylinder, and about 9/4 (chord / longest semi-axis) of
/// an ellipsoid at most. A body of triangles is written as it is, open or closed. In a periodic scene the
/// centre of each body is in the box.
#[derive(Debug)]
pub struct Solids<'a> {
    solids: Vec<Solid<'a>>,
    options: SolidOptions,
    time: f64,
    unbounded: usize,
}

impl<'a> Solids<'a> {
    /// Reads the state and plans the triangles; nothing is written.
    ///
    /// # Errors
    /// When `chord` is not positive, or so small that a shape would have more than 2e7 triangles; when no
    /// body with a boundary is there; when a file of the run cannot be read.
    pub fn of(run: &'a RunFiles, options: &SolidOptions) -> Result<Self> {
        if let Some(chord) = options.chord.filter(|chord| !(*chord > 0.0 && chord.is_finite())) {
            return Err(usage(&format!("chord = {chord}"), "must be a positive number of metres"));
        }
        let (step, time, state) = record(run, options.time)?;
        let mut made = Self { solids: Vec::new(), options: *options, time, unbounded: 0 };
        for body in wanted(run, step, options.fixed) {
            let (solid, left_out) = solid(run, &state, body, options)?;
            made.unbounded += left_out;
            made.solids.extend(Some(solid).filter(|solid| !solid.parts.is_empty()));
        }
        if made.solids.is_empty() {
            let allowed =
                "none that moves has a boundary; those that never move are left out unless --fixed is given";
            return Err(usage(&format!("bodies at {time} s"), allowed));
        }
        let too_many =
            |(_, group): (PathBuf, Group<'_>)| group.counts().iter().any(|n| u32::try_from(*n).is_err());
        match made.groups(Path::new("")).into_iter().any(too_many) {
            true => Err(usage("triangles", "a file holds 4294967295 at most; take a larger chord")),
            false => Ok(made),
        }
    }

    /// Writes the file `path`, or with [`SolidOptions::per_body`] a file for each body into the folder
    /// `path`. Folders that are missing are made.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, path: &Path) -> Result<SolidFiles> {
        let groups = self.groups(path);
        for (file, group) in &groups {
            write_file(file, group, self.options.format)?;
        }
        Ok(SolidFiles {
            triangles: groups.iter().map(|(_, group)| group.counts()[1]).sum(),
            files: groups.into_iter().map(|(file, _)| file).collect(),
            time: self.time,
            bodies: self.solids.len(),
            unbounded: self.unbounded,
        })
    }

    /// Files with the bodies that go into each.
    fn groups(&self, path: &Path) -> Vec<(PathBuf, Group<'_>)> {
        let group = |solids| Group { solids, keep_volume: self.options.keep_volume };
        if !self.options.per_body {
            return vec![(path.to_owned(), group(&self.solids[..]))];
        }
        let names = file_names::of(self.solids.iter().map(|solid| solid.name));
        let file = |name: &String| path.join(format!("{name}.{}", self.options.format.extension()));
        names.iter().map(file).zip(self.solids.chunks(1).map(group)).collect()
    }
}

fn usage(what: &str, allowed: &str) -> Error {
    Error::Usage { what: what.to_owned(), allowed: allowed.to_owned() }
}

/// Reads the last record at or before a time, or of all: step, time (s) and state.
fn record(run: &RunFiles, until: Option<f64>) -> Result<(usize, f64, State)> {
    let latest = until.map_or(f64::INFINITY, |time| time + SAME_TIME * run.scene.time_step);
    let mut found = None;
    run.each_frame(|step, time, state| {
        if time <= latest {
            found = Some((step, time, state.clone()));
        }
        Ok(())
    })?;
    found.ok_or_else(|| usage("records of the run", "none is there at or before the time that is asked for"))
}

/// Bodies that are there after a step, in the order of the scene.
fn wanted(run: &RunFiles, step: usize, fixed: bool) -> Vec<usize> {
    let moving = run.moving();
    let is_wanted = |body: &usize| run.is_there(*body, step) && (fixed || moving.binary_search(body).is_ok());
    (0..run.scene.bodies.len()).filter(is_wanted).collect()
}

/// Plans a body, and counts its half-spaces, which are left out.
fn solid<'a>(
    run: &'a RunFiles,
    state: &State,
    id: usize,
    options: &SolidOptions,
) -> Result<(Solid<'a>, usize)> {
    let body = &run.scene.bodies[id];
    let mut pose = state.poses[id];
    if let Some(periodic) = &run.scene.periodic {
        pose.position = periodic.wrapped(&pose.position);
    }
    let mut parts: Vec<(Plan<'a>, Pose)> = Vec::new();
    if let Some(surface) = &body.triangles {
        parts.push((Plan::Surface(surface), pose));
        return Ok((Solid { name: &body.name, parts }, 0));
    }
    let accuracy = Accuracy { chord: options.chord, keep_volume: options.keep_volume };
    for part in &body.parts {
        let plan = Plan::of(&part.shape, &accuracy)?;
        parts.extend(plan.map(|plan| (plan, pose.compose(&part.pose))));
    }
    let is_unbounded = parts.is_empty() && !body.parts.is_empty();
    Ok((Solid { name: &body.name, parts }, usize::from(is_unbounded)))
}

fn write_file(path: &Path, group: &Group<'_>, format: SolidFormat) -> Result<()> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(io)?;
    }
    let mut file = BufWriter::new(File::create(path).map_err(io)?);
    group.write(format, &mut file).and_then(|()| file.flush()).map_err(io)
}
