//! Steps of a run as problems of their own: HDF5 files in FCLIB's layouts, or in ours where contacts are not
//! of its kind, and a table of them.
//!
//! The run is made again from its scene, to the same bits, and handed out as it is solved: what the tables
//! hold of a contact with several points is their resultant alone. H and w belong to the end of each step, f
//! to its start and loads, so that the run's own velocities and impulses solve the problem to the tolerance
//! of the run.

use super::run_files::RunFiles;
use crate::output::names;
use serde::Serialize;
use signorini::simulation::Simulation;
use signorini::step::{SolvedProblem, Span, StepPhase};
use signorini_error::{Error, Result};
use signorini_fclib::{Impulses, ReducedProblem, joined};
use signorini_geometry::Pose;
use signorini_scene::scene::{self, Body, LoadOptions, State};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

/// Name of the table of the files.
const INDEX: &str = "problems.csv";

/// Which steps of a run are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRange(RangeInclusive<usize>);

impl StepRange {
    /// Parses `K`, `A-B` or `all`.
    ///
    /// # Errors
    /// When the text is none of these, in words.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let number = |word: &str| word.parse::<usize>().ok().filter(|step| *step > 0);
        let range = match text.split_once('-') {
            None if text == "all" => Some(1..=usize::MAX),
            None => number(text).map(|step| step..=step),
            Some((first, last)) => number(first).zip(number(last)).map(|(first, last)| first..=last),
        };
        let is_some = |range: &RangeInclusive<usize>| range.start() <= range.end();
        range.filter(is_some).map(Self).ok_or_else(|| "must be a step K, steps A-B, or all".to_owned())
    }
}

impl fmt::Display for StepRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.start(), self.0.end()) {
            (first, last) if first == last => write!(f, "step {first}"),
            (1, &usize::MAX) => f.write_str("all steps"),
            (first, last) => write!(f, "steps {first} to {last}"),
        }
    }
}

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    step: usize,
    /// End of the part of the step (s).
    time: f64,
    substep_start: f64,
    substep_end: f64,
    phase: &'static str,
    layout: &'static str,
    bodies: usize,
    contacts: usize,
    rows: usize,
    /// Residual `scaled` of the run's own impulses.
    residual: f64,
}

/// Counts of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FclibFiles {
    /// Steps that have problems.
    pub steps: usize,
    /// Files, one for each substep and phase of these.
    pub files: usize,
    /// Contacts of all files.
    pub contacts: usize,
    /// Largest residual `scaled` of the run's own impulses.
    pub residual: f64,
}

/// Writes problems of a run into an existing folder: a file for each step, or for each of its substeps and
/// phases, and the table `problems.csv`. Bodies that nothing is near are in none of them.
///
/// # Errors
/// When the run cannot be read, has mortar or another model than the default, lacks steps, or takes another
/// way than its tables when it is made again; when no step has contacts; or when a file cannot be written.
pub fn write_fclib(run: &RunFiles, folder: &Path, steps: &StepRange, out: &Path) -> Result<FclibFiles> {
    let path = folder.join(names::SCENE);
    let mut again = Simulation::new(scene::load(&path, &LoadOptions::default())?.scene)?;
    if again.scene().friction.has_mortar() {
        return Err(Error::Usage {
            what: "a run with mortar as FCLIB problems".to_owned(),
            allowed: "the layouts have no contact with a least normal impulse".to_owned(),
        });
    }
    again.judge_steps(false);
    let mut table = csv::Writer::from_path(out.join(INDEX)).map_err(|e| failed(out, &e))?;
    let mut written = FclibFiles::default();
    let mut last = 0;
    run.each_frame(|step, _, state| {
        while again.step_index() < step.min(*steps.0.end()) {
            let (outcome, problems) = again.advance_with_problems()?;
            if !steps.0.contains(&outcome.step) {
                continue;
            }
            let of_step = parts_of(&problems);
            written.steps += usize::from(!of_step.is_empty());
            for part in of_step {
                let row = part.write(&again, out)?;
                written.files += 1;
                written.contacts += row.contacts;
                written.residual = written.residual.max(row.residual);
                table.serialize(row).map_err(|e| failed(out, &e))?;
            }
        }
        last = step;
        if step == again.step_index() { check_way(run, &again, state) } else { Ok(()) }
    })?;
    table.flush().map_err(|e| failed(out, &e))?;
    let refused = |allowed: &str| Error::Usage {
        what: format!("{steps} as FCLIB problem"),
        allowed: allowed.to_owned(),
    };
    if last < *steps.0.start() || (*steps.0.end() < usize::MAX && last < *steps.0.end()) {
        return Err(refused(&format!("the run has steps 1 to {last}")));
    }
    if written.files == 0 {
        return Err(refused("has no contacts"));
    }
    Ok(written)
}

fn failed(path: &Path, e: &dyn fmt::Display) -> Error {
    Error::Io { path: path.to_owned(), source: std::io::Error::other(e.to_string()) }
}

/// Problems of a step that belong to one span and phase.
struct Part<'a> {
    span: Span,
    phase: StepPhase,
    groups: Vec<&'a SolvedProblem>,
}

/// The parts of a step, in order of time; an impact comes behind the way to it.
fn parts_of(problems: &[SolvedProblem]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for solved in problems.iter().filter(|solved| !solved.problem.cones.is_empty()) {
        let key = |part: &Part<'_>| part.span == solved.span && part.phase == solved.phase;
        match parts.iter_mut().find(|part| key(part)) {
            Some(part) => part.groups.push(solved),
            None => parts.push(Part { span: solved.span, phase: solved.phase, groups: vec![solved] }),
        }
    }
    let key = |part: &Part<'_>| (part.span.end, -part.span.length(), part.phase as u8);
    parts.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal));
    parts
}

impl Part<'_> {
    /// Name of the file: `step-12`, with the substep where the step was halved, and the phase of an impact.
    fn file(&self, step: usize) -> String {
        let mut name = format!("step-{step}");
        let Span { start, end } = self.span;
        if self.span.is_impact() {
            name += &if end == 1.0 { String::new() } else { format!("-at-{end}") };
        } else if self.span != Span::WHOLE {
            name += &format!("-from-{start}-to-{end}");
        }
        if self.phase != StepPhase::Whole {
            name += &format!("-{}", self.phase.as_str());
        }
        name + ".hdf5"
    }

    fn write(&self, simulation: &Simulation, out: &Path) -> Result<Row> {
        let (step, scene) = (simulation.step_index(), simulation.scene());
        let groups: Vec<_> = self.groups.iter().map(|of| (&of.problem, of.impulse.as_slice())).collect();
        let (mut problem, impulse) = joined(&groups);
        let bodies = self.groups.iter().flat_map(|of| &of.bodies);
        problem.bodies = bodies.map(|id| scene.bodies[*id].name.clone()).collect();
        let residual =
            ReducedProblem::of_cones(&problem).map_or(f64::NAN, |reduced| reduced.residual(&impulse).scaled);
        let (file, contacts) = (self.file(step), problem.friction_coefficients().len());
        let title =
            format!("{} of a run by signorini {}", file.trim_end_matches(".hdf5"), env!("CARGO_PKG_VERSION"));
        problem.write(
            &out.join(&file),
            &Impulses { guesses: vec![impulse.clone()], solution: Some(impulse) },
            &title,
        )?;
        Ok(Row {
            file,
            step,
            time: (step as f64 - 1.0 + self.span.end) * scene.time_step,
            substep_start: self.span.start,
            substep_end: self.span.end,
            phase: self.phase.as_str(),
            layout: problem.layout.as_str(),
            bodies: problem.bodies.len(),
            contacts,
            rows: problem.bounds.len(),
            residual,
        })
    }
}

/// Checks that the bodies are where the tables of the run say.
fn check_way(run: &RunFiles, again: &Simulation, state: &State) -> Result<()> {
    let known: HashMap<&str, usize> =
        run.scene.bodies.iter().enumerate().map(|(id, body)| (body.name.as_str(), id)).collect();
    let mut bodies = again.scene().bodies.iter().zip(&again.state().poses);
    let is_there = |(body, pose): (&Body, &Pose)| {
        known.get(body.name.as_str()).is_some_and(|id| body.fixed || state.poses[*id] == *pose)
    };
    if bodies.all(is_there) {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!("step {} as FCLIB problem", again.step_index()),
        allowed: "must be that of a run by this version on such a machine: made again, it takes another way"
            .to_owned(),
    })
}
