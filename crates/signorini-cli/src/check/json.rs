//! The summary for other programs: what is wrong, or what is there.

use crate::exit::{BAD_INPUT, SUCCESS};
use serde_json::{Value, json};
use signorini_error::{Error, Result};
use signorini_runs::check::word;
use signorini_scene::scene::Loaded;
use std::path::Path;

/// Version of the form.
const FORMAT: u32 = 1;

/// Returns the result of checking a scene as a JSON document, and the exit code.
pub fn document(file: &Path, checked: &Result<Loaded>) -> (String, u8) {
    let (faults, notes, scene, code) = match checked {
        Ok(loaded) => (Vec::new(), loaded.notes.as_slice(), summary(loaded), SUCCESS),
        Err(Error::Many(all)) => (all.iter().map(fault).collect(), [].as_slice(), Value::Null, BAD_INPUT),
        Err(one) => (vec![fault(one)], [].as_slice(), Value::Null, BAD_INPUT),
    };
    let document = json!({
        "format": FORMAT,
        "file": file.to_string_lossy(),
        "valid": code == SUCCESS,
        "faults": faults,
        "notes": notes,
        "scene": scene,
    });
    (serde_json::to_string_pretty(&document).unwrap_or_default() + "\n", code)
}

/// One fault. Fields that a fault of its kind has not are null.
fn fault(error: &Error) -> Value {
    let (kind, file, at, field, value, allowed) = match error {
        Error::Field { file, at, field, value, allowed } => {
            ("field", Some(file), *at, Some(field.as_str()), Some(value.clone()), Some(allowed.clone()))
        }
        Error::Syntax { file, line, column, message } => {
            ("syntax", Some(file), Some((*line, *column)), None, None, Some(message.clone()))
        }
        Error::Overlap { file, body_a, body_b, depth, allowed, .. } => {
            let value = format!("{body_a:?} and {body_b:?} overlap by {depth:e} m");
            let allowed = format!("at most {allowed:e} m, or --separate");
            ("overlap", Some(file), None, Some("body"), Some(value), Some(allowed))
        }
        Error::Parse { file, message } => ("file", Some(file), None, None, None, Some(message.clone())),
        Error::Io { path, source } => ("io", Some(path), None, None, None, Some(source.to_string())),
        Error::Usage { what, allowed } => {
            ("usage", None, None, None, Some(what.clone()), Some(allowed.clone()))
        }
        _ => ("other", None, None, None, None, None),
    };
    let (line, column) = at.unzip();
    json!({
        "kind": kind,
        "file": file.map(|file| file.to_string_lossy()),
        "line": line,
        "column": column,
        "field": field,
        "value": value,
        "allowed": allowed,
        "message": error.to_string(),
    })
}

/// Counts and settings of a scene that is allowed.
fn summary(loaded: &Loaded) -> Value {
    let scene = &loaded.scene;
    let moving = scene.bodies.iter().filter(|body| !body.fixed).count();
    let driven = (0..scene.bodies.len()).filter(|body| scene.is_carried(*body)).count();
    json!({
        "bodies": scene.bodies.len(),
        "moving": moving,
        "driven": driven,
        "joints": scene.joints.len(),
        "inlets": scene.inlets.len(),
        "outlets": scene.outlets.len(),
        "measures": scene.measures.len(),
        "steps": scene.n_steps(),
        "time_step": scene.time_step,
        "duration": scene.duration,
        "seed": scene.seed,
        "formulation": scene.solver.formulation.as_str(),
        "integrator": word(&scene.solver.integrator),
        "tolerance": scene.solver.tolerance,
    })
}
