//! Collects the faults of a scene file, all of them, each with file, field, value and what is allowed.

use super::place::{NO_NAME, Place};
use super::suggest::suggestion;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use signorini_error::{Error, Result};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Positive quantities outside this range are a slip of the pen, and their squares leave f64.
const POSITIVE: (f64, f64) = (1e-15, 1e15);
/// Largest magnitude of a signed quantity.
const LARGEST: f64 = 1e12;
/// Largest component of a force or torque.
const LARGEST_LOAD: f64 = 1e18;
/// |q|² of a normalised quaternion (or direction) differs from 1 by less than this; such a value is taken
/// as it is, so that a resolved scene reads back bit for bit.
const UNIT_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Lengths of a quaternion within this of 1 are rounding of written digits, normalised silently.
const UNIT_DIGITS: f64 = 1e-9;
/// Lengths of a quaternion within this of 1 are normalised with a note; beyond, refused.
const UNIT_SLOPPY: f64 = 1e-3;

/// Faults and notes about one file.
#[derive(Debug)]
pub struct Report {
    file: PathBuf,
    errors: Vec<Error>,
    /// Places whose values were replaced: their faults are reported already.
    replaced: Vec<Place>,
    /// Remarks that stop nothing.
    pub notes: Vec<String>,
}

impl Report {
    /// An empty report about `file`.
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_path_buf(), errors: Vec::new(), replaced: Vec::new(), notes: Vec::new() }
    }

    /// The file reported on.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Adds a fault.
    pub fn fault(&mut self, field: impl Into<String>, value: impl Display, allowed: impl Into<String>) {
        let field = field.into().replacen(&format!(" {NO_NAME:?}: "), ": ", 1);
        let place = (!self.replaced.is_empty()).then(|| Place::of_text(&field)).flatten();
        if place.is_some_and(|place| self.replaced.iter().any(|other| other.overlaps(&place))) {
            return;
        }
        self.fault_at(None, field, value.to_string(), allowed.into());
    }

    /// Adds a fault whose line and column are known.
    pub fn fault_at(&mut self, at: Option<(usize, usize)>, field: String, value: String, allowed: String) {
        self.errors.push(Error::Field { file: self.file.clone(), at, field, value, allowed });
    }

    /// Says that the values at some places are not the file's: no check of theirs counts any more.
    pub fn leave_out(&mut self, places: impl IntoIterator<Item = Place>) {
        self.replaced.extend(places);
    }

    /// Adds a fault of another kind.
    pub fn error(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// Checks of the fields of one table, which messages call `place`.
    pub fn at(&mut self, place: impl Into<String>) -> Check<'_> {
        Check { report: self, place: place.into() }
    }

    /// Fails when any fault was found so far.
    pub fn stop_if_faulty(&mut self) -> Result<()> {
        let faults = std::mem::take(&mut self.errors);
        if faults.is_empty() { Ok(()) } else { Err(Error::all(faults)) }
    }
}

/// Checks the fields of one table. Every check returns a usable value even when it found a fault, so that
/// the rest is still checked; the report stops the scene later.
#[derive(Debug)]
pub struct Check<'a> {
    report: &'a mut Report,
    place: String,
}

impl Check<'_> {
    /// Adds a fault of a field of this table.
    pub fn fault(&mut self, field: &str, value: impl Display, allowed: impl Into<String>) {
        self.report.fault(format!("{}: {field}", self.place), value, allowed);
    }

    /// Faults of the file so far.
    pub fn n_faults(&self) -> usize {
        self.report.errors.len()
    }

    /// Adds a remark about a field of this table.
    pub fn note(&mut self, field: &str, remark: impl Display) {
        self.report.notes.push(format!("{}: {field}: {remark}", self.place));
    }

    /// A finite number > 0.
    pub fn positive(&mut self, field: &str, value: f64) -> f64 {
        if value >= POSITIVE.0 && value <= POSITIVE.1 {
            return value;
        }
        let allowed = format!("must be a finite number > 0 ({:e} to {:e})", POSITIVE.0, POSITIVE.1);
        self.fault(field, format!("{value:?}"), allowed);
        1.0
    }

    /// A finite number ≥ 0.
    pub fn not_negative(&mut self, field: &str, value: f64) -> f64 {
        if (0.0..=LARGEST).contains(&value) {
            return value;
        }
        self.fault(field, format!("{value:?}"), format!("must be a finite number ≥ 0 (at most {LARGEST:e})"));
        0.0
    }

    /// A finite number.
    pub fn finite(&mut self, field: &str, value: f64) -> f64 {
        if value.abs() <= LARGEST {
            return value;
        }
        let allowed = format!("must be a finite number (magnitude at most {LARGEST:e})");
        self.fault(field, format!("{value:?}"), allowed);
        0.0
    }

    /// Three finite numbers.
    pub fn vector(&mut self, field: &str, value: [f64; 3]) -> Vector3<f64> {
        self.vector_within(field, value, LARGEST)
    }

    fn vector_within(&mut self, field: &str, value: [f64; 3], largest: f64) -> Vector3<f64> {
        if value.iter().all(|x| x.abs() <= largest) {
            return Vector3::from(value);
        }
        let allowed = format!("must be three finite numbers (magnitude at most {largest:e})");
        self.fault(field, format!("{value:?}"), allowed);
        Vector3::zeros()
    }

    /// A force (N) or torque (N m): the largest mass is heavier than the largest of other numbers.
    pub fn load(&mut self, field: &str, value: [f64; 3]) -> Vector3<f64> {
        self.vector_within(field, value, LARGEST_LOAD)
    }

    /// Three finite numbers > 0.
    pub fn positive_vector(&mut self, field: &str, value: [f64; 3]) -> Vector3<f64> {
        if value.iter().all(|x| *x >= POSITIVE.0 && *x <= POSITIVE.1) {
            return Vector3::from(value);
        }
        let allowed = format!("must be three finite numbers > 0 ({:e} to {:e})", POSITIVE.0, POSITIVE.1);
        self.fault(field, format!("{value:?}"), allowed);
        Vector3::repeat(1.0)
    }

    /// A direction: a finite vector that is not zero, returned with length 1.
    pub fn direction(&mut self, field: &str, value: [f64; 3]) -> Vector3<f64> {
        let v = Vector3::from(value);
        let square = v.norm_squared();
        if (square - 1.0).abs() <= UNIT_ROUNDING {
            return v;
        }
        if v.amax() <= LARGEST && v.norm() >= 1e-12 {
            return v.normalize();
        }
        self.fault(field, format!("{value:?}"), "must be a finite vector that is not zero");
        Vector3::z()
    }

    /// A unit quaternion (w, x, y, z); docs/guide/scene-files.md says which ones are normalised.
    pub fn quaternion(&mut self, field: &str, value: [f64; 4]) -> UnitQuaternion<f64> {
        let [w, x, y, z] = value;
        let q = Quaternion::new(w, x, y, z);
        let square = q.norm_squared();
        if (square - 1.0).abs() <= UNIT_ROUNDING {
            return UnitQuaternion::new_unchecked(q);
        }
        let error = (square.sqrt() - 1.0).abs();
        if error <= UNIT_SLOPPY {
            if error > UNIT_DIGITS {
                self.note(field, format!("{value:?} has length {:?} and was normalised", square.sqrt()));
            }
            return UnitQuaternion::new_normalize(q);
        }
        let allowed = "must be a unit quaternion (w, x, y, z), its length within 1e-3 of 1";
        self.fault(field, format!("{value:?}"), allowed);
        UnitQuaternion::identity()
    }

    /// A name: 1 to 200 characters, none of them a control character.
    pub fn name(&mut self, field: &str, value: &str) {
        let length = value.chars().count();
        if length == 0 || length > 200 || value.chars().any(char::is_control) || value.trim() != value {
            let allowed = "must be 1 to 200 characters, no control characters, no space at either end";
            self.fault(field, format!("{:?}", shortened(value)), allowed);
        }
    }

    /// A fault about a name that is not among the known ones.
    pub fn unknown(&mut self, field: &str, value: &str, what: &str, known: &[&str]) {
        let known: Vec<&str> = known.iter().copied().filter(|k| *k != NO_NAME).collect();
        let mut list: Vec<String> = known.iter().take(12).map(|k| format!("{k:?}")).collect();
        if known.len() > list.len() {
            list.push(format!("… ({} in all)", known.len()));
        }
        let list = if list.is_empty() { "none".to_string() } else { list.join(", ") };
        let guess = suggestion(value, known.iter().copied());
        let value = shortened(value);
        self.fault(field, format!("{value:?}"), format!("no such {what}{guess}; known: {list}"));
    }
}

/// At most the first 60 characters, so that a message stays readable.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_string();
    }
    text.chars().take(60).chain("…".chars()).collect()
}
