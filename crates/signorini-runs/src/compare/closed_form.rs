//! Motions known in closed form, against which errors are measured: formulas in t for the position of bodies.

use exmex::{Express, FlatEx};
use nalgebra::Vector3;
use serde::Deserialize;
use signorini_error::{Error, Result, read_regular_text};
use signorini_scene::scene::{LONGEST_FILE, Scene, State};
use std::path::Path;

const ALLOWED: &str = "must be a formula in t (s), such as \"2*t - 0.5*9.81*t^2\" or \"sin(3*min(t, 0.2))\"";

/// Largest distance of a closed form at t = 0 from the start of its body, over the body's size.
const START: f64 = 1e-6;

/// Position of one body as a function of time.
#[derive(Debug, Clone)]
pub struct ClosedForm {
    /// Id of the body.
    pub body: usize,
    /// Coordinates x, y, z (m) as functions of t (s).
    position: [FlatEx<f64>; 3],
}

/// Contents of the file: `[[body]]` with a name and three formulas.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClosedFormFile {
    body: Vec<BodyForm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyForm {
    name: String,
    position: [String; 3],
}

impl ClosedForm {
    /// Position at time t (m).
    pub fn position(&self, t: f64) -> Vector3<f64> {
        Vector3::from_fn(|i, _| value(&self.position[i], t))
    }

    /// Largest distance of the bodies from their closed forms (m); NaN when a formula has no value at t.
    pub fn error(forms: &[Self], state: &State, t: f64) -> f64 {
        forms.iter().fold(0.0, |largest: f64, form| {
            let off = (state.poses[form.body].position - form.position(t)).norm();
            if off.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(off) }
        })
    }
}

fn value(formula: &FlatEx<f64>, t: f64) -> f64 {
    let values = [t];
    formula.eval(&values[..formula.var_names().len()]).unwrap_or(f64::NAN)
}

/// Reads closed forms of bodies of a scene.
///
/// # Errors
/// When the file cannot be read, names an unknown body, or holds a text that is no formula in t, has no value
/// during the run, or does not start at the body's start.
pub fn load(path: &Path, scene: &Scene) -> Result<Vec<ClosedForm>> {
    let text = read_regular_text(path, LONGEST_FILE)?;
    let fault = |message: String| Error::Parse { file: path.to_path_buf(), message };
    let file: ClosedFormFile = toml::from_str(&text).map_err(|e| fault(e.to_string()))?;
    let mut faults = Vec::new();
    let mut refuse = |field: String, value: String, allowed: String| {
        faults.push(Error::Field { file: path.to_path_buf(), at: None, field, value, allowed });
    };
    let mut forms: Vec<ClosedForm> = Vec::new();
    for (i, entry) in file.body.iter().enumerate() {
        let name = format!("{:?}", entry.name);
        let Some(body) = scene.bodies.iter().position(|b| b.name == entry.name && !b.fixed) else {
            let allowed = "must be the name of a body of the scene that moves";
            refuse(format!("body[{i}]: name"), name, allowed.to_owned());
            continue;
        };
        if forms.iter().any(|f| f.body == body) {
            refuse(format!("body[{i}]: name"), name, "must be there once".to_owned());
            continue;
        }
        let mut formulas = Vec::new();
        for (k, text) in entry.position.iter().enumerate() {
            match formula("t", text, ALLOWED) {
                Ok(formula) => formulas.push(formula),
                Err(why) => refuse(format!("body[{i}] {name}: position[{k}]"), format!("{text:?}"), why),
            }
        }
        let Ok(position) = <[FlatEx<f64>; 3]>::try_from(formulas) else { continue };
        let form = ClosedForm { body, position };
        match check(&form, scene) {
            Ok(()) => forms.push(form),
            Err((value, allowed)) => refuse(format!("body[{i}] {name}: position"), value, allowed),
        }
    }
    if file.body.is_empty() {
        refuse("body".to_owned(), "[]".to_owned(), "must have at least one entry".to_owned());
    }
    if faults.is_empty() { Ok(forms) } else { Err(Error::Many(faults)) }
}

/// Reads a formula in one variable; the error ends with what is allowed.
pub(crate) fn formula(variable: &str, text: &str, allowed: &str) -> std::result::Result<FlatEx<f64>, String> {
    match exmex::parse::<f64>(text) {
        Ok(formula) if formula.var_names().iter().all(|name| name == variable) => Ok(formula),
        Ok(formula) => Err(format!("knows no {:?}; {allowed}", formula.var_names())),
        Err(e) => Err(format!("{e}; {allowed}")),
    }
}

/// Checks that a closed form starts at the body and has a value at every step; the error is the position
/// found and the position required.
fn check(form: &ClosedForm, scene: &Scene) -> std::result::Result<(), (String, String)> {
    let body = &scene.bodies[form.body];
    let (there, here) = (form.position(0.0), body.pose.position);
    let off = (there - here).norm();
    let list = |v: Vector3<f64>| format!("{:?}", [v.x, v.y, v.z]);
    if off.is_nan() || off > START * body.size().unwrap_or(1.0) {
        let allowed = format!("must be {} at t = 0, where the body starts", list(here));
        return Err((list(there), allowed));
    }
    let mut times = (0..=scene.n_steps()).map(|k| k as f64 * scene.time_step);
    match times.find(|t| !form.position(*t).iter().all(|x| x.is_finite())) {
        Some(t) => {
            let allowed = format!("must have a value from 0 to {} s, has none at t = {t} s", scene.duration);
            Err((list(form.position(t)), allowed))
        }
        None => Ok(()),
    }
}
