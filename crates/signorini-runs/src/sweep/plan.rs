//! Plan of a sweep: a scene, fields that vary, and results.

use super::case::Case;
use super::field::FieldPath;
use super::result::SweepResult;
use super::spread::{Spacing, latin_hypercube};
use serde::Deserialize;
use signorini_error::{Error, Result, read_regular_text};
use signorini_scene::scene::{LONGEST_FILE, Renamed, current_path};
use std::path::{Path, PathBuf};
use toml::Value;

/// Most cases of a plan.
const MAX_CASES: usize = 1_000_000;

/// Plan of a sweep, checked.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Scene file with which all cases begin.
    pub scene: PathBuf,
    /// Interval in steps at which bodies and contacts are written.
    pub every: usize,
    /// Numbers that are read from each run.
    pub results: Vec<SweepResult>,
    /// Names of the columns of values.
    pub columns: Vec<String>,
    /// Remarks: names of earlier versions.
    pub notes: Vec<String>,
    /// Text of the plan file, with the whole path of the scene.
    document: toml::Table,
    axes: Vec<Axis>,
    /// Points of the hypercube, each with a coordinate for each axis that has no values.
    points: Vec<Vec<f64>>,
}

/// Fields that take one value together.
#[derive(Debug, Clone)]
struct Axis {
    fields: Vec<FieldPath>,
    values: Values,
}

#[derive(Debug, Clone)]
enum Values {
    Listed(Vec<Value>),
    Sampled { spacing: Spacing, from: f64, to: f64 },
}

/// Contents of the plan file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    format: u32,
    scene: PathBuf,
    every: Option<usize>,
    latin: Option<LatinEntry>,
    #[serde(default)]
    vary: Vec<VaryEntry>,
    #[serde(default, alias = "measure")]
    result: Vec<SweepResult>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LatinEntry {
    samples: usize,
    #[serde(default)]
    seed: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VaryEntry {
    field: OneOrMore,
    name: Option<String>,
    values: Option<Vec<Value>>,
    from: Option<f64>,
    to: Option<f64>,
    count: Option<usize>,
    spacing: Option<Spacing>,
    seeds: Option<usize>,
    #[serde(default)]
    first: i64,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl PlanFile {
    /// Returns notes about names of earlier versions.
    fn old_names(&self, text: &str, path: &Path) -> Vec<String> {
        let place = path.display();
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        let mut notes = Vec::new();
        if table.contains_key("measure") {
            notes.push(format!("{place}: [[measure]] of a plan is called [[result]] now"));
        }
        for field in self.vary.iter().flat_map(|entry| entry.field.paths()) {
            if let Some(current) = current_path(field) {
                notes.push(format!("{place}: {field} is called {current} now"));
            }
        }
        notes
    }
}

impl OneOrMore {
    fn paths(&self) -> &[String] {
        match self {
            Self::One(path) => std::slice::from_ref(path),
            Self::More(paths) => paths,
        }
    }
}

impl Plan {
    /// Reads a plan file.
    ///
    /// # Errors
    /// When the file cannot be read, or a value in it is not allowed.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_regular_text(path, LONGEST_FILE)?;
        let told =
            |e: toml::de::Error| Error::Parse { file: path.into(), message: e.to_string().trim_end().into() };
        let file: PlanFile = toml::from_str(&text).map_err(told)?;
        let fault = |field: &str, value: String, allowed: &str| Error::Field {
            file: path.into(),
            at: None,
            field: field.into(),
            value,
            allowed: allowed.into(),
        };
        if file.format != 1 {
            return Err(fault("format", file.format.to_string(), "must be 1"));
        }
        if file.every == Some(0) {
            return Err(fault("every", "0".to_owned(), "must be 1 or more"));
        }
        let mut axes = Vec::new();
        let mut columns: Vec<String> = Vec::new();
        let mut notes = file.old_names(&text, path);
        for (i, entry) in file.vary.into_iter().enumerate() {
            let place = |e: Fault| fault(&format!("vary[{i}]: {}", e.0), e.1, e.2);
            let (name, axis) = entry.axis().map_err(place)?;
            if columns.contains(&name) {
                return Err(fault(&format!("vary[{i}]: name"), format!("{name:?}"), "must be unique"));
            }
            columns.push(name);
            axes.push(axis);
        }
        for (i, result) in file.result.iter().enumerate() {
            let place = |(field, value, allowed): (&str, String, &str)| {
                fault(&format!("result[{i}]: {field}"), value, allowed)
            };
            result.check(&columns).map_err(place)?;
        }
        let dimensions = axes.iter().filter(|axis| matches!(axis.values, Values::Sampled { .. })).count();
        let points = match (&file.latin, dimensions) {
            (None, 0) => vec![Vec::new()],
            (Some(latin), 1..) if (1..=MAX_CASES).contains(&latin.samples) => {
                latin_hypercube(latin.samples, dimensions, latin.seed)
            }
            (Some(latin), 1..) => {
                return Err(fault("latin.samples", latin.samples.to_string(), "must be 1 to 1000000"));
            }
            (None, _) => {
                let allowed = "needs samples: a range without count belongs to the Latin hypercube";
                return Err(fault("latin", "none".to_owned(), allowed));
            }
            (Some(_), _) => {
                let allowed = "needs a [[vary]] with from and to, and without count";
                return Err(fault("latin", "given".to_owned(), allowed));
            }
        };
        let scene = path.parent().unwrap_or(Path::new("")).join(file.scene);
        let mut document: toml::Table = toml::from_str(&text).map_err(told)?;
        if let Ok(whole) = scene.canonicalize() {
            document.insert("scene".to_owned(), Value::String(whole.to_string_lossy().into_owned()));
        }
        let every = file.every.unwrap_or(1);
        notes.extend(Self::old_names_of_scene(&scene));
        let plan = Self { scene, every, results: file.result, columns, notes, document, axes, points };
        let n = plan.n_cases();
        if n > MAX_CASES {
            return Err(fault("vary", format!("{n} cases"), "must be at most 1000000 cases"));
        }
        Ok(plan)
    }

    /// Returns notes about names of earlier versions in the scene file; none where it cannot be read.
    fn old_names_of_scene(scene: &Path) -> Vec<String> {
        let text = read_regular_text(scene, LONGEST_FILE).ok();
        let notes = text.and_then(|text| Renamed::of(&text)).map_or_else(Vec::new, |renamed| renamed.notes);
        notes.iter().map(|note| format!("{}:{note}", scene.display())).collect()
    }

    /// Returns the plan as a text that can be read from any folder.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.document).unwrap_or_default()
    }

    /// Number of cases.
    pub fn n_cases(&self) -> usize {
        let count = |axis: &Axis| match &axis.values {
            Values::Listed(values) => values.len(),
            Values::Sampled { .. } => 1,
        };
        self.axes.iter().map(count).fold(self.points.len(), usize::saturating_mul)
    }

    /// Returns a case by its number, from 1: points of the hypercube change fastest, then the last axis.
    pub fn case(&self, number: usize) -> Case {
        let mut index = number - 1;
        let point = &self.points[index % self.points.len()];
        index /= self.points.len();
        let mut coordinates = point.iter().rev();
        let mut values = Vec::new();
        for axis in self.axes.iter().rev() {
            values.push(match &axis.values {
                Values::Listed(list) => {
                    let value = list[index % list.len()].clone();
                    index /= list.len();
                    value
                }
                Values::Sampled { spacing, from, to } => {
                    let part = coordinates.next().copied().unwrap_or(0.0);
                    Value::Float(spacing.at(part, *from, *to))
                }
            });
        }
        values.reverse();
        Case { number, values }
    }

    /// Returns the text of the scene of a case.
    ///
    /// # Errors
    /// When the scene file cannot be read or is no TOML, or lacks a field of the plan.
    pub fn scene_of(&self, case: &Case) -> Result<String> {
        let file = &self.scene;
        let text = read_regular_text(file, LONGEST_FILE)?;
        let parse = |message: String| Error::Parse { file: file.clone(), message };
        let text = Renamed::of(&text).map_or(text, |renamed| renamed.text);
        let table: toml::Table =
            toml::from_str(&text).map_err(|e| parse(e.to_string().trim_end().to_owned()))?;
        let mut document = Value::Table(table);
        for (axis, value) in self.axes.iter().zip(&case.values) {
            for field in &axis.fields {
                let told = |allowed| Error::Field {
                    file: file.clone(),
                    at: None,
                    field: field.as_str().to_owned(),
                    value: value.to_string(),
                    allowed,
                };
                field.set(&mut document, value).map_err(told)?;
            }
        }
        toml::to_string(&document).map_err(|e| parse(e.to_string()))
    }
}

/// Fault of a plan: field, value, and what is allowed.
struct Fault(&'static str, String, &'static str);

impl VaryEntry {
    fn axis(self) -> std::result::Result<(String, Axis), Fault> {
        let fields = match self.field {
            OneOrMore::One(field) => vec![field],
            OneOrMore::More(fields) => fields,
        };
        let Some(first_field) = fields.first() else {
            return Err(Fault("field", "[]".to_owned(), "must name one field at least"));
        };
        let name = self.name.unwrap_or_else(|| first_field.clone());
        let mut paths = Vec::new();
        for field in &fields {
            // The message on the path stands in the value.
            let told = |e: String| {
                Fault("field", format!("{field:?} ({e})"), "must be a path such as body.ball.mass")
            };
            let current = current_path(field);
            paths.push(FieldPath::parse(current.as_ref().unwrap_or(field)).map_err(told)?);
        }
        let ends = (self.from, self.to);
        let spacing = self.spacing.unwrap_or_default();
        if let (Some(from), Some(to)) = ends {
            let is_allowed =
                from.is_finite() && to.is_finite() && (spacing == Spacing::Linear || from.min(to) > 0.0);
            if !is_allowed {
                let value = format!("{from:?}, to = {to:?}");
                return Err(Fault(
                    "from",
                    value,
                    "must be finite numbers, above zero with spacing = \"log\"",
                ));
            }
        }
        let values = match (self.values, ends, self.count, self.seeds) {
            (Some(values), (None, None), None, None) if !values.is_empty() => Values::Listed(values),
            (None, (Some(from), Some(to)), Some(count), None) if (1..=MAX_CASES).contains(&count) => {
                Values::Listed(spacing.values(from, to, count).into_iter().map(Value::Float).collect())
            }
            (None, (Some(from), Some(to)), None, None) => Values::Sampled { spacing, from, to },
            (None, (None, None), None, Some(seeds)) if (1..=MAX_CASES).contains(&seeds) => {
                Values::Listed((0..seeds as i64).map(|k| Value::Integer(self.first + k)).collect())
            }
            _ => {
                let allowed = "needs either values = […], or from and to, with count or under [latin], or seeds, 1 to 1000000 of them";
                return Err(Fault("field", format!("{first_field:?}"), allowed));
            }
        };
        Ok((name, Axis { fields: paths, values }))
    }
}
