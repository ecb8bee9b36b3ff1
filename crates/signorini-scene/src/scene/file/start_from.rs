//! `[start]`: bodies that begin where a checkpoint has them.

use super::raw::SceneFile;
use super::report::Report;
use super::scene_folder::SceneFolder;
use crate::checkpoint::Checkpoint;
use crate::scene::body::Body;
use signorini_error::counted;
use std::collections::HashMap;

/// Gives the bodies that can move, and that the checkpoint of the file knows by name, its poses and
/// velocities. Returns whether there is a checkpoint.
pub fn place(file: &SceneFile, allow_outside: bool, bodies: &mut [Body], report: &mut Report) -> bool {
    let Some(start) = &file.start else { return false };
    let found = SceneFolder::new(report.file(), allow_outside).find(&start.from);
    let found = found.and_then(|path| Checkpoint::read(&path).map_err(|error| error.to_string()));
    let checkpoint = match found {
        Ok(checkpoint) => checkpoint,
        Err(message) => {
            report.at("start").fault("from", format!("{:?}", start.from), message);
            return true;
        }
    };
    let known: HashMap<&str, _> =
        checkpoint.head.bodies.iter().map(|body| (body.name.as_str(), body)).collect();
    let mut left = Vec::new();
    let mut n_placed = 0;
    for body in bodies.iter_mut().filter(|body| !body.fixed) {
        match known.get(body.name.as_str()) {
            Some(there) => {
                (body.pose, body.velocity) = (there.pose, there.velocity);
                n_placed += 1;
            }
            None => left.push(format!("{:?}", body.name)),
        }
    }
    let mut check = report.at("start");
    if n_placed == 0 {
        let allowed = "must be a checkpoint of a run with at least one body of this scene that moves";
        check.fault("from", format!("{:?}", start.from), allowed);
        return true;
    }
    let time = checkpoint.head.time();
    let begin = if n_placed == 1 { "begins as it was" } else { "begin as they were" };
    let placed = counted(n_placed, "body");
    check.note("from", format!("{placed} {begin} at {time} s of that run"));
    if !left.is_empty() {
        let names = left.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if left.len() > 5 { format!(" and {} more", left.len() - 5) } else { String::new() };
        check.note("from", format!("it does not know {names}{more}: these begin where the file has them"));
    }
    true
}
