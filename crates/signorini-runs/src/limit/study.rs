//! Search for a limit by trials, in parallel, with its files.

use super::criterion::Criterion;
use super::figure;
use super::kept::{self, KeptRun};
use super::search::{Bracket, Search};
use super::summary::LimitSummary;
use super::trial::{self, Trial};
use crate::output::table::{self, Table};
use rayon::prelude::*;
use signorini_error::{Error, Result};
use signorini_scene::checkpoint::write_durably;
use signorini_scene::scene::Scene;
use std::fs;
use std::path::{Path, PathBuf};

/// Table of the trials.
const TRIALS: &str = "trials.csv";
/// File of the result.
const RESULT: &str = "limit.json";
/// Most values that are tried at a time.
const MOST_POINTS: usize = 1000;

/// Question of a search.
#[derive(Debug, Clone)]
pub struct Question {
    /// Fields that vary, in words.
    pub vary: String,
    /// Values between which the limit is, one of which stands; either may be the larger one.
    pub between: [f64; 2],
    /// Width of the bracket over the larger magnitude of its values at which the search ends (> 0).
    pub to: f64,
    /// Number of values in a bracket that are tried at a time: 1 halves it.
    pub points: usize,
    /// Criterion of collapse.
    pub criterion: Criterion,
}

/// Search for a limit. It does not depend on the number of threads.
#[derive(Debug)]
pub struct LimitStudy {
    question: Question,
    search: Search,
    /// Trials of this search, in order.
    trials: Vec<Trial>,
    /// Trials that the folder had.
    known: Vec<Trial>,
    folder: Option<PathBuf>,
    runs: Vec<KeptRun>,
    /// Whether the last round was stopped.
    stopped: bool,
}

impl LimitStudy {
    /// Begins a search, and reads the trials that are in the folder. Writes nothing.
    ///
    /// # Errors
    /// When a value of the question is not allowed, or the folder holds something else and not `replace`.
    pub fn new(question: Question, folder: Option<&Path>, replace: bool) -> Result<Self> {
        let refuse =
            |what: String, allowed: String| Err(Error::Usage { what: format!("limit: {what}"), allowed });
        let Question { between: [a, b], to, points, .. } = question;
        if !(a.is_finite() && b.is_finite() && a != b) {
            return refuse(format!("between {a:?} and {b:?}"), "must be two finite numbers".to_owned());
        }
        if !(to > 0.0 && to < 1.0) {
            return refuse(format!("to {to:?}"), "must be above 0 and below 1".to_owned());
        }
        if !(1..=MOST_POINTS).contains(&points) {
            return refuse(format!("points {points}"), format!("must be 1 to {MOST_POINTS}"));
        }
        let mut known = Vec::new();
        if let Some(folder) = folder {
            kept::check_folder(folder, TRIALS, replace)?;
            let path = folder.join(TRIALS);
            if path.is_file() && !replace {
                table::read(&path, |trial: Trial| known.push(trial))?;
            }
        }
        let search = Search::new(question.between, points, to);
        let folder = folder.map(Path::to_owned);
        Ok(Self { question, search, trials: Vec::new(), known, folder, runs: Vec::new(), stopped: false })
    }

    /// Checks that a trial can begin.
    ///
    /// # Errors
    /// When its scene is not allowed, or lacks a body of the criterion.
    pub fn check(&self, x: f64, scene: Result<Scene>) -> Result<()> {
        let checked = scene.and_then(|scene| {
            scene.validate()?;
            self.question.criterion.watch(&scene).map(drop)
        });
        checked.map_err(|e| at(x, e))
    }

    /// Number of trials that the folder had.
    pub fn known(&self) -> usize {
        self.known.len()
    }

    /// Tries the next values, in parallel, and returns their trials; none when the bracket is narrow enough,
    /// or `stops` returned true meanwhile. The first call tries both ends.
    ///
    /// # Errors
    /// When a scene is not allowed, both ends stand or both collapse, or a file cannot be written.
    pub fn go_on(
        &mut self,
        scene_of: impl Fn(f64) -> Result<Scene>,
        stops: impl Fn() -> bool + Sync,
    ) -> Result<Vec<Trial>> {
        let values = self.search.wanted();
        let scenes = values.iter().map(|x| scene_of(*x).map_err(|e| at(*x, e)));
        let scenes = scenes.collect::<Result<Vec<Scene>>>()?;
        let (criterion, known) = (&self.question.criterion, &self.known);
        let trials: Result<Vec<Option<Trial>>> = scenes
            .into_par_iter()
            .zip(&values)
            .map(|(scene, x)| {
                let digest = trial::digest(&scene, criterion);
                match known.iter().find(|trial| trial.digest == digest) {
                    Some(trial) => Ok(Some(Trial { value: *x, ..trial.clone() })),
                    None => trial::run(scene, criterion, *x, &stops).map_err(|e| at(*x, e)),
                }
            })
            .collect();
        let Some(mut trials) = trials?.into_iter().collect::<Option<Vec<Trial>>>() else {
            self.stopped = true;
            return Ok(Vec::new());
        };
        if trials.is_empty() {
            return Ok(trials);
        }
        for trial in &mut trials {
            trial.trial = self.trials.len() + 1;
            self.trials.push(trial.clone());
        }
        let collapsed: Vec<bool> = trials.iter().map(Trial::collapses).collect();
        self.search.tell(&values, &collapsed)?;
        self.write()?;
        Ok(trials)
    }

    /// Runs both ends of the bracket again into the folder, audits them, and draws the figure; does nothing
    /// where there is no folder, and makes no runs where the search is not done or `stops` returned true.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(
        &mut self,
        scene_of: impl Fn(f64) -> Result<Scene>,
        source: &str,
        stops: impl Fn() -> bool + Sync,
    ) -> Result<()> {
        let (Some(folder), Some(bracket)) = (self.folder.clone(), self.search.bracket()) else {
            return Ok(());
        };
        if self.is_done() {
            let trial = |x: f64| self.trials.iter().find(|trial| trial.value == x);
            let ends = [bracket.stands, bracket.collapses];
            let given: Option<Vec<&Trial>> = ends.iter().map(|x| trial(*x)).collect();
            let scenes = ends.iter().map(|x| scene_of(*x)).collect::<Result<Vec<Scene>>>()?;
            let pairs: Vec<(Scene, &Trial)> = scenes.into_iter().zip(given.unwrap_or_default()).collect();
            let place = (folder.as_path(), source);
            let runs = pairs.into_par_iter().map(|(scene, trial)| kept::keep(scene, trial, place, &stops));
            let runs = runs.collect::<Result<Vec<Option<KeptRun>>>>()?;
            self.stopped |= runs.iter().any(Option::is_none);
            self.runs = runs.into_iter().flatten().collect();
        }
        self.write()?;
        figure::draw(&self.question.vary, &self.trials, bracket, &folder)
    }

    /// Whether the bracket is narrow enough.
    pub fn is_done(&self) -> bool {
        !self.stopped && self.search.bracket().is_some() && self.search.wanted().is_empty()
    }

    /// Trials of this search, in order.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Bracket found so far.
    pub fn bracket(&self) -> Option<Bracket> {
        self.search.bracket()
    }

    /// Result so far.
    pub fn summary(&self) -> LimitSummary {
        let Question { vary, between, to, criterion, .. } = self.question.clone();
        let summary = LimitSummary {
            format: 1,
            vary,
            between,
            to,
            criterion,
            stands: None,
            collapses: None,
            middle: None,
            relative_width: None,
            is_done: self.is_done(),
            is_monotone: self.search.is_monotone(),
            trials: self.trials.len(),
            steps: self.trials.iter().map(|trial| trial.steps).sum(),
            uncertain_trials: self.trials.iter().filter(|trial| !trial.is_certain()).count(),
            runs: self.runs.clone(),
        };
        summary.with_bracket(self.search.bracket())
    }

    /// Writes trials and result, each in one piece.
    fn write(&self) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
        let (path, new) = (folder.join(TRIALS), folder.join(format!("{TRIALS}.new")));
        let mut table = Table::create(new.clone(), &Trial::COLUMNS)?;
        self.trials.iter().try_for_each(|trial| table.push(trial))?;
        // Trials of an earlier search are not lost when this one is stopped.
        let is_old = |trial: &&Trial| self.trials.iter().all(|mine| mine.digest != trial.digest);
        self.known.iter().filter(is_old).try_for_each(|trial| table.push(trial))?;
        table.flush()?;
        fs::rename(&new, &path).map_err(|source| Error::Io { path, source })?;
        let text = serde_json::to_string_pretty(&self.summary()).unwrap_or_default() + "\n";
        write_durably(&folder.join(RESULT), &[text.as_bytes()])
    }
}

/// An error of a trial, with its value.
fn at(x: f64, error: Error) -> Error {
    match error {
        Error::Io { .. } => error,
        // The criterion's own faults are those of every value.
        Error::Usage { ref what, .. } if what.starts_with("limit:") => error,
        other => Error::Usage { what: format!("limit: at {x:?}"), allowed: other.to_string() },
    }
}
