//! Bodies that came during a run, and the steps at which each body was present.

use crate::output::rows::FlowRow;
use crate::output::{names, source, table};
use nalgebra::{Quaternion, Unit, Vector3};
use signorini::step::FlowEvent;
use signorini_error::{Error, Result};
use signorini_geometry::Pose;
use signorini_scene::scene::Scene;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// Adds the bodies that came to the bodies of a scene, at the places where they came, and returns the steps
/// at whose end each body was present.
///
/// # Errors
/// When `flow.csv` cannot be read, or names an inlet, shape or body that the scene does not have.
pub fn read(folder: &Path, scene: &mut Scene) -> Result<Vec<RangeInclusive<usize>>> {
    let path = folder.join(names::FLOW);
    let mut there = vec![0..=usize::MAX; scene.bodies.len()];
    if !source::exists(&path) {
        return Ok(there);
    }
    let mut ids: HashMap<String, usize> =
        scene.bodies.iter().enumerate().map(|(i, body)| (body.name.clone(), i)).collect();
    let mut unknown = None;
    table::read(&path, |row: FlowRow<'static>| {
        if unknown.is_some() {
            return;
        }
        if row.event == FlowEvent::In.as_str() {
            let Some(body) = arrival(scene, &row) else {
                unknown = Some((row.step, row.body.to_string()));
                return;
            };
            ids.insert(body.name.clone(), scene.bodies.len());
            scene.bodies.push(body);
            there.push(row.step..=usize::MAX);
        } else if row.event == FlowEvent::Out.as_str() {
            match ids.get(&*row.body) {
                Some(&id) => there[id] = *there[id].start()..=row.step,
                None => unknown = Some((row.step, row.body.to_string())),
            }
        }
    })?;
    match unknown {
        None => Ok(there),
        Some((step, body)) => {
            let message = format!("step {step}: {body:?} does not fit {}", names::SCENE);
            Err(Error::Parse { file: path, message })
        }
    }
}

/// Makes the body of a row.
fn arrival(scene: &Scene, row: &FlowRow<'_>) -> Option<signorini_scene::scene::Body> {
    let inlet = scene.inlets.iter().find(|inlet| inlet.name() == row.gate)?;
    inlet.grains.shapes.get(row.shape)?;
    let orientation = Unit::new_unchecked(Quaternion::new(row.qw?, row.qx?, row.qy?, row.qz?));
    let pose = Pose { position: Vector3::new(row.x?, row.y?, row.z?), orientation };
    let form = inlet.grains.form(row.shape, row.scale);
    Some(inlet.grains.body(row.body.to_string(), &form, pose))
}
