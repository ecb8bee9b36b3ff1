//! Courses and poses that stand in tables (CSV) beside the scene: read before the scene is made.

use super::raw::SceneFile;
use super::raw_joints::{CourseEntry, MotionEntry, MotorEntry, PosesEntry};
use super::report::{Check, Report};
use super::scene_folder::SceneFolder;
use super::table_file::{Row, TableFile};
use signorini_error::{Error, Result};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Column of times (s).
const TIME: &str = "time";
/// Columns of a pose, in the words of `bodies.csv`.
const PLACE: [&str; 3] = ["x", "y", "z"];
const TURN: [&str; 4] = ["qw", "qx", "qy", "qz"];
/// Most faulty rows of a table that are named.
const MAX_FAULTY: usize = 20;

/// Returns the file with the samples of its tables in place of their names.
pub fn with_samples<'a>(
    file: &'a SceneFile,
    folder: &SceneFolder,
    report: &mut Report,
) -> Cow<'a, SceneFile> {
    let has_none = !file.motion.iter().any(names_file)
        && !file.motor.iter().any(|e| courses_of_motor(e).any(is_file))
        && !file.servo.iter().any(|e| is_file(&e.stress));
    if has_none {
        return Cow::Borrowed(file);
    }
    let mut file = file.clone();
    for (i, e) in file.motion.iter_mut().enumerate() {
        let name = e.body.as_deref().or(e.joint.as_deref()).unwrap_or("").to_owned();
        let place = super::place::entry("motion", i, &name);
        let courses = [
            ("position", &mut e.position),
            ("velocity", &mut e.velocity),
            ("acceleration", &mut e.acceleration),
        ];
        for (field, course) in courses {
            course.iter_mut().for_each(|course| fill(course, field, &place, folder, report));
        }
        if let Some(poses) = &mut e.poses {
            fill_poses(poses, &place, folder, report);
        }
    }
    for (i, e) in file.motor.iter_mut().enumerate() {
        let place = super::place::entry("motor", i, &e.joint);
        let courses = [("position", &mut e.position), ("velocity", &mut e.velocity), ("force", &mut e.force)];
        for (field, course) in courses {
            course.iter_mut().for_each(|course| fill(course, field, &place, folder, report));
        }
    }
    for (i, e) in file.servo.iter_mut().enumerate() {
        let place = super::place::entry("servo", i, &e.motor);
        fill(&mut e.stress, "stress", &place, folder, report);
    }
    Cow::Owned(file)
}

fn names_file(e: &MotionEntry) -> bool {
    let mut courses = [&e.position, &e.velocity, &e.acceleration].into_iter().flatten();
    courses.any(is_file) || e.poses.as_ref().is_some_and(|poses| poses.file.is_some())
}

fn courses_of_motor(e: &MotorEntry) -> impl Iterator<Item = &CourseEntry> {
    [&e.position, &e.velocity, &e.force].into_iter().flatten()
}

fn is_file(course: &CourseEntry) -> bool {
    matches!(course, CourseEntry::Table { file: Some(_), .. })
}

/// Takes the samples of a table that names a file. After a fault the course is a constant, which is no
/// fault of its own.
fn fill(course: &mut CourseEntry, field: &str, place: &str, folder: &SceneFolder, report: &mut Report) {
    let CourseEntry::Table { times, values, file, column, .. } = course else { return };
    let Some(name) = file.take() else { return };
    let column = column.take();
    if !times.is_empty() || !values.is_empty() {
        report.at(place).fault(
            &format!("{field}.file"),
            format!("{name:?}"),
            "give either `file` or `times` and `values`",
        );
        *course = CourseEntry::Constant { value: 0.0 };
        return;
    }
    let found = found(&name, &format!("{field}.file"), place, folder, report);
    let read = found.and_then(|path| {
        let read = samples(&path, column.as_deref());
        read.map_err(|error| report.error(error)).ok()
    });
    match read {
        Some(read) => (*times, *values) = read,
        None => *course = CourseEntry::Constant { value: 0.0 },
    }
}

/// Takes the poses of a table that names a file.
fn fill_poses(poses: &mut PosesEntry, place: &str, folder: &SceneFolder, report: &mut Report) {
    let Some(name) = poses.file.take() else { return };
    if !poses.times.is_empty() || !poses.positions.is_empty() || !poses.orientations.is_empty() {
        let allowed = "give either `file` or `times` with `positions` and `orientations`";
        report.at(place).fault("poses.file", format!("{name:?}"), allowed);
    }
    let Some(path) = found(&name, "poses.file", place, folder, report) else { return stay(poses) };
    match pose_samples(&path) {
        Ok(read) => *poses = read,
        Err(error) => {
            report.error(error);
            stay(poses);
        }
    }
}

/// Poses that are no fault.
fn stay(poses: &mut PosesEntry) {
    *poses = PosesEntry { file: None, times: vec![0.0], positions: vec![[0.0; 3]], orientations: Vec::new() };
}

/// Path of a table, named as the scene names it.
fn found(name: &str, field: &str, place: &str, folder: &SceneFolder, report: &mut Report) -> Option<PathBuf> {
    match folder.find(name) {
        Ok(_) => Some(report.file().with_file_name(name)),
        Err(fault) => {
            report.at(place).fault(field, format!("{name:?}"), fault);
            None
        }
    }
}

/// Times and values of a column; by default the only one beside the times.
fn samples(path: &Path, column: Option<&str>) -> Result<(Vec<f64>, Vec<f64>)> {
    let mut table = TableFile::open(path)?;
    let others: Vec<&str> = table.names().iter().map(String::as_str).filter(|name| *name != TIME).collect();
    let column = match (column, others.as_slice()) {
        (Some(column), _) => column.to_owned(),
        (None, [only]) => (*only).to_owned(),
        (None, _) => {
            let message =
                format!("has the columns {}; say with `column` which one is meant", table.names().join(", "));
            return Err(table.fault_of_file(&message));
        }
    };
    need(&table, &[TIME, &column])?;
    let mut rows = Vec::new();
    each_row(&mut table, |row, time, check| rows.push((time, row.number(&column, 0.0, check))))?;
    Ok(rows.into_iter().unzip())
}

/// Poses of a table.
fn pose_samples(path: &Path) -> Result<PosesEntry> {
    let mut table = TableFile::open(path)?;
    need(&table, &[TIME, PLACE[0], PLACE[1], PLACE[2]])?;
    let turns = TURN.iter().filter(|name| table.names().iter().any(|known| known == *name)).count();
    if turns > 0 {
        need(&table, &TURN)?;
    }
    let mut poses =
        PosesEntry { file: None, times: Vec::new(), positions: Vec::new(), orientations: Vec::new() };
    each_row(&mut table, |row, time, check| {
        poses.times.push(time);
        poses.positions.push(PLACE.map(|name| row.number(name, 0.0, check)));
        if turns > 0 {
            let turn = TURN.map(|name| row.number(name, 0.0, check));
            let turn = check.quaternion(TURN[0], turn).into_inner();
            poses.orientations.push([turn.w, turn.i, turn.j, turn.k]);
        }
    })?;
    Ok(poses)
}

/// Fault of columns that are not there.
fn need(table: &TableFile, names: &[&str]) -> Result<()> {
    let missing = names.iter().find(|name| !table.names().iter().any(|known| known == *name));
    match missing {
        None => Ok(()),
        Some(name) => {
            let message = format!("has no column {name:?}; its columns: {}", table.names().join(", "));
            Err(table.fault_of_file(&message))
        }
    }
}

/// Calls `take` with each row, whose times rise, and collects the faults.
fn each_row(table: &mut TableFile, mut take: impl FnMut(&Row, f64, &mut Check<'_>)) -> Result<()> {
    let (mut faults, mut n_rows, mut before) = (Vec::new(), 0, f64::NEG_INFINITY);
    while let Some(row) = table.next_row()? {
        let mut report = Report::new(table.path());
        let mut check = report.at(format!("row {n_rows}"));
        let time = row.number(TIME, 0.0, &mut check);
        if time <= before {
            check.fault(
                TIME,
                format!("{time:?}"),
                format!("must rise from each row to the next: {before:?} is before it"),
            );
        }
        (before, n_rows) = (time, n_rows + 1);
        take(&row, time, &mut check);
        if let Err(error) = report.stop_if_faulty() {
            faults.extend(row.located(error));
        }
        if faults.len() >= MAX_FAULTY {
            break;
        }
    }
    match (n_rows, faults.is_empty()) {
        (0, _) => Err(table.fault_of_file("has no rows; each row is a sample")),
        (_, true) => Ok(()),
        (_, false) => Err(Error::all(faults)),
    }
}
