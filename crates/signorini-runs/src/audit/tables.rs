//! Table of a run, read one step at a time.

use crate::output::rows::{BodyRow, ContactRow, FlowRow, JointRow, StepRow, SubstepRow};
use crate::output::table::open_whole;
use serde::de::DeserializeOwned;
use signorini_error::{Error, Result};
use std::io::{BufReader, Read, Take};
use std::path::{Path, PathBuf};

/// Row that belongs to a step.
pub trait OfStep {
    /// Step of the row.
    fn step(&self) -> usize;
}

impl OfStep for BodyRow<'_> {
    fn step(&self) -> usize {
        self.step
    }
}

impl OfStep for ContactRow<'_> {
    fn step(&self) -> usize {
        self.step
    }
}

impl OfStep for SubstepRow<'_> {
    fn step(&self) -> usize {
        self.step
    }
}

impl OfStep for JointRow<'_> {
    fn step(&self) -> usize {
        self.step
    }
}

impl OfStep for FlowRow<'_> {
    fn step(&self) -> usize {
        self.step
    }
}

impl OfStep for StepRow<'_> {
    fn step(&self) -> usize {
        self.step
    }
}

/// Table `flow.csv`, which only runs have in which a body came, left or waited.
pub type FlowTable = Option<StepReader<FlowRow<'static>>>;

type Reader<R> = csv::DeserializeRecordsIntoIter<BufReader<Take<Box<dyn Read + Send>>>, R>;

/// Reader of rows in the order of their steps, grouped by step.
pub struct StepReader<R> {
    reader: Reader<R>,
    path: PathBuf,
    /// Number of bytes after the last newline, which are not read.
    cut: u64,
    rows: Vec<R>,
    ahead: Option<R>,
    /// First step that was skipped over.
    skipped: Option<usize>,
}

impl<R> StepReader<R> {
    /// Rows of the last step that was read.
    pub fn rows(&self) -> &[R] {
        &self.rows
    }

    /// Whether that step is the last of the table.
    pub fn at_end(&self) -> bool {
        self.ahead.is_none()
    }

    /// Note that the file ends in the middle of a line, if it does.
    pub fn truncation_note(&self) -> Option<String> {
        (self.cut > 0).then(|| format!("{}: the last line is cut off: ignored", self.name()))
    }

    /// First step skipped over since the last call.
    pub fn take_skipped(&mut self) -> Option<usize> {
        self.skipped.take()
    }

    /// Makes the error of a step with something wrong.
    pub fn fault(&self, step: usize, message: String) -> Error {
        Error::Parse { file: self.path.clone(), message: format!("step {step}: {message}") }
    }

    /// Name of the table's file.
    pub fn name(&self) -> std::borrow::Cow<'_, str> {
        self.path.file_name().unwrap_or_default().to_string_lossy()
    }
}

impl<R: DeserializeOwned + OfStep> StepReader<R> {
    /// Opens a table up to its last whole line, and not beyond the first `most` bytes if given.
    pub fn open(path: &Path, most: Option<u64>) -> Result<Self> {
        let io = |source| Error::Io { path: path.to_owned(), source };
        let (mut text, cut) = open_whole(path).map_err(io)?;
        if let Some(most) = most {
            text.set_limit(text.limit().min(most));
        }
        let reader = csv::Reader::from_reader(BufReader::with_capacity(1 << 16, text));
        let mut steps = Self {
            reader: reader.into_deserialize(),
            path: path.to_owned(),
            cut,
            rows: Vec::new(),
            ahead: None,
            skipped: None,
        };
        steps.ahead = steps.read()?;
        Ok(steps)
    }

    /// Step to which [`StepReader::next_step`] would move.
    pub fn step_ahead(&self) -> Option<usize> {
        self.ahead.as_ref().map(OfStep::step)
    }

    /// Moves to the next step and returns it; None at the end.
    pub fn next_step(&mut self) -> Result<Option<usize>> {
        self.rows.clear();
        let Some(first) = self.ahead.take() else { return Ok(None) };
        let step = first.step();
        self.rows.push(first);
        while let Some(row) = self.read()? {
            if row.step() != step {
                self.ahead = Some(row);
                break;
            }
            self.rows.push(row);
        }
        match &self.ahead {
            Some(row) if row.step() < step => Err(self.fault(row.step(), format!("comes after step {step}"))),
            _ => Ok(Some(step)),
        }
    }

    /// Moves to `step`, passing over the steps before it; returns false when the table does not have `step`.
    pub fn seek(&mut self, step: usize) -> Result<bool> {
        while self.ahead.as_ref().is_some_and(|row| row.step() <= step) {
            let found = self.next_step()?;
            if found == Some(step) {
                return Ok(true);
            }
            self.skipped = self.skipped.or(found);
        }
        self.rows.clear();
        Ok(false)
    }

    fn read(&mut self) -> Result<Option<R>> {
        let fault = |e: csv::Error| Error::Parse { file: self.path.clone(), message: e.to_string() };
        self.reader.next().transpose().map_err(fault)
    }
}
