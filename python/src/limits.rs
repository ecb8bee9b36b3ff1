//! Limits of collapse.

use crate::errors::{checked, refuse};
use crate::faults::watched;
use crate::scene::{Scene, options_of};
use crate::tables::table_of;
use crate::workers::Workers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{Error, files};
use signorini_runs::limit::{Criterion, LimitStudy, Question, Sign, Trial, Variation, VariedScene};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// A scene of which fields vary, the file of one, or a function that makes the scene of a value.
#[derive(FromPyObject)]
pub enum LimitSource<'py> {
    Scene(PyRef<'py, Scene>),
    Path(PathBuf),
    Function(Py<PyAny>),
}

/// Options of a search: values, relative width, values at a time, sign, bodies, frame, bound, time after
/// which they are watched, folder, whether to run its trials again, threads.
#[derive(FromPyObject)]
pub struct LimitOptions(
    [f64; 2],
    f64,
    usize,
    (String, Vec<String>, Option<String>, Option<f64>, Option<f64>),
    (Option<PathBuf>, bool),
    Option<usize>,
);

/// Table of trials, the values that stand and collapse, whether there is one limit, and the folder, verdict
/// and greenness of the runs that were kept.
type Limited<'py> = (Bound<'py, PyDict>, [f64; 2], bool, Vec<(String, String, bool)>);

/// The scene at a value.
enum Scenes {
    Varied(VariedScene),
    /// A function, and the exception that it raised.
    Made(Py<PyAny>, Mutex<Option<PyErr>>),
}

impl Scenes {
    fn new(source: LimitSource<'_>, vary: &[String], options: files::LoadOptions) -> PyResult<Self> {
        let parse = |field: &String| {
            Variation::parse(field).map_err(|allowed| refuse(format!("vary {field:?}"), allowed))
        };
        let fields = vary.iter().map(parse).collect::<PyResult<Vec<Variation>>>()?;
        Ok(match source {
            LimitSource::Scene(scene) => {
                let text = files::to_toml(&scene.scene);
                Self::Varied(checked(VariedScene::new(&text, Path::new("scene"), fields, options))?)
            }
            LimitSource::Path(path) => Self::Varied(checked(VariedScene::of_file(&path, fields, options))?.0),
            LimitSource::Function(function) => Self::Made(function, Mutex::new(None)),
        })
    }

    fn at(&self, x: f64) -> signorini::Result<signorini::Scene> {
        match self {
            Self::Varied(varied) => varied.at(x),
            Self::Made(function, raised) => Python::attach(|py| {
                let made = function.call1(py, (x,));
                let scene = made.and_then(|made| Ok(made.extract::<PyRef<'_, Scene>>(py)?.scene.clone()));
                scene.map_err(|exception| {
                    if let Ok(mut raised) = raised.lock() {
                        *raised = Some(exception);
                    }
                    Error::Usage { what: "limit".to_owned(), allowed: "the function raised".to_owned() }
                })
            }),
        }
    }

    /// The exception that the function raised, or that of the error.
    fn checked<T>(&self, result: signorini::Result<T>) -> PyResult<T> {
        if let Self::Made(_, raised) = self
            && let Some(exception) = raised.lock().ok().and_then(|mut raised| raised.take())
        {
            return Err(exception);
        }
        checked(result)
    }
}

/// Searches for the value at which a scene collapses.
#[pyfunction]
#[pyo3(signature = (source, vary, given, **options))]
pub fn find_limit<'py>(
    py: Python<'py>,
    source: LimitSource<'py>,
    vary: Vec<String>,
    given: LimitOptions,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Limited<'py>> {
    let LimitOptions(between, to, points, (sign, bodies, frame, bound, after), (out, force), threads) = given;
    let sign = match sign.as_str() {
        "way" => Sign::Way,
        "speed" => Sign::Speed,
        "acceleration" => Sign::Acceleration,
        other => {
            let allowed = "must be \"way\", \"speed\" or \"acceleration\"";
            return Err(refuse(format!("criterion {other:?}"), allowed));
        }
    };
    let criterion = Criterion { sign, bodies, frame, bound, after };
    let is_made = matches!(source, LimitSource::Function(_));
    let what = if is_made { "a function of x".to_owned() } else { vary.join(", ") };
    let scenes = Scenes::new(source, &vary, options_of(options)?)?;
    let question = Question { vary: what.clone(), between, to, points, criterion };
    let mut study = checked(LimitStudy::new(question, out.as_deref(), force))?;
    let mut workers = Workers::new(threads)?;
    let (outcome, stopped) = watched(py, |stops| {
        workers.run(|| {
            for x in between {
                study.check(x, scenes.at(x))?;
            }
            let stops = || stops.load(Ordering::SeqCst);
            while !stops() && !study.go_on(|x| scenes.at(x), stops)?.is_empty() {}
            study.finish(|x| scenes.at(x), &what, stops)
        })
    })?;
    scenes.checked(outcome?)?;
    stopped?;
    let Some(bracket) = study.bracket() else {
        return Err(refuse("limit", "the search found nothing"));
    };
    let words: &[&str] = &["outcome", "body", "digest"];
    let wholes: &[&str] = &["trial", "steps", "unsolved_steps", "red_steps"];
    let trials = table_of(py, study.trials(), &Trial::COLUMNS, [words, wholes])?;
    let summary = study.summary();
    let runs = summary.runs.into_iter().map(|run| (run.folder, run.audit, run.is_green)).collect();
    Ok((trials, [bracket.stands, bracket.collapses], summary.is_monotone, runs))
}
