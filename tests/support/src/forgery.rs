//! Folders of runs in memory, to be falsified, and the forger's last touch: a chain and a summary that fit.

use signorini::step::{FlowEvent, FlowTally, PortEvent};
use signorini_runs::output::chain::{Chain, TABLES};
use signorini_runs::output::digest::{Extent, Value};
use signorini_runs::output::rows::{FlowRow, StepRow, TimeRow};
use signorini_runs::output::{ExitReason, FlowSummary, Summary, names, table};
use signorini_scene::scene::{self, LoadOptions, Scene};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of a run by name.
pub type Files = BTreeMap<String, String>;

/// Reads the files of a run, but for checkpoints, which are no text.
pub fn read(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries
        .filter(|path| path.is_file() && path.extension().is_none_or(|extension| extension != "ckpt"))
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// Writes files into an empty folder.
pub fn write(folder: &Path, files: &Files) {
    files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
}

/// Makes chain and summary anew from the tables as they stand, thinned to every so many steps.
pub fn seal(folder: &Path, every: usize) {
    let text = fs::read_to_string(folder.join(names::SCENE)).unwrap();
    let scene = scene::load(&folder.join(names::SCENE), &LoadOptions::default()).unwrap().scene;
    let mut summary = Summary::new(&scene, "forged", every);
    table::read(&folder.join(names::STEPS), |row: StepRow<'static>| summary.add(&row)).unwrap();
    forge_times(folder, &mut summary);
    summary.flow = FlowSummary::new(&scene, &tally(folder, &scene));
    if summary.steps != summary.planned_steps {
        summary.exit_reason = ExitReason::Interrupted;
    }
    let tables = TABLES.map(|name| fs::read_to_string(folder.join(name)).unwrap_or_default());
    let last = tables.iter().flat_map(|t| steps(t)).map(|(step, _)| step).max().unwrap_or(0);
    let claim = Chain::claim(folder).unwrap();
    let mut chain = Chain::start(claim, folder, &text).unwrap();
    for step in 0..=last {
        chain.add(step, &tables.each_ref().map(|t| up_to(t, step))).unwrap();
    }
    summary.chain = chain.link().text();
    fs::write(folder.join(names::SUMMARY), summary.seal()).unwrap();
}

/// Sums of the rows of `flow.csv`; rows that make no sense add nothing.
fn tally(folder: &Path, scene: &Scene) -> FlowTally {
    let mut tally = FlowTally::new(scene);
    let path = folder.join(names::FLOW);
    if !path.exists() {
        return tally;
    }
    let add = |row: FlowRow<'static>| {
        let words = [FlowEvent::In, FlowEvent::Out, FlowEvent::Wait];
        let Some(event) = words.into_iter().find(|event| event.as_str() == row.event) else { return };
        let names: Vec<&str> = match event {
            FlowEvent::Out => scene.outlets.iter().map(|port| port.name()).collect(),
            _ => scene.inlets.iter().map(|port| port.name()).collect(),
        };
        let Some(port) = names.iter().position(|name| *name == row.gate) else { return };
        let (mass, time, due, contacts) = (row.mass, row.time, row.since, row.contacts);
        tally.add(&PortEvent { kind: event, port, mass, time, due, contacts });
    };
    // A forger may leave files that cannot be read.
    drop(table::read(&path, add));
    tally
}

/// Takes the times of the steps in, which are made up where there are none.
fn forge_times(folder: &Path, summary: &mut Summary) {
    let path = folder.join(names::TIMES);
    if !path.exists() {
        let rows = (1..=summary.steps).map(|step| format!("{step},0.0,0.0,0.0,0.0,0.0,0.0,0.0\n"));
        let text = TimeRow::COLUMNS.join(",") + "\n" + &rows.collect::<String>();
        fs::write(&path, text).unwrap();
    }
    let taken = summary.steps;
    let add = |row: TimeRow| {
        if row.step <= taken {
            summary.add_times(&row);
        }
    };
    table::read(&path, add).unwrap();
}

/// Step and end of each line of a table.
fn steps(table: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut end = 0;
    table.split_inclusive('\n').filter_map(move |line| {
        end += line.len();
        Some((line.split(',').next()?.parse().ok()?, end))
    })
}

/// The rows of a table up to a step.
fn up_to(table: &str, step: usize) -> Extent {
    let header = table.find('\n').map_or(table.len(), |end| end + 1);
    let end = steps(table).filter(|(of, _)| *of <= step).map(|(_, end)| end).last().unwrap_or(header);
    Extent { length: end as u64, digest: Value::of(&table.as_bytes()[..end]) }
}
