//! Changes to models that scenes would refuse, where the model is meant well: joints that begin outside their
//! limits, limits beyond a turn, meshes that are no bodies, and links that overlap at the start.

use super::build;
use super::faults;
use super::model::{Geom, GeomShape, Model, ModelJoint, Positions};
use crate::scene::Scene;
use crate::scene::file::{MeshRemark, Meshes};
use signorini_error::{Error, Result};
use std::f64::consts::TAU;
use std::path::Path;

/// Most notes about meshes and pairs that are taken out.
const MAX_NOTES: usize = 1_000_000;

/// The reason why a model is refused of which a body that moves would lose a shape.
pub const WITHOUT_SHAPE: &str = "cannot be taken over, and the body, which moves, would go through others without it; \
                                 --allow-missing-shapes leaves it out";

/// Joints that begin outside their limits where the user gave no position, each with the nearest one inside.
pub fn positions_inside(model: &Model, given: &Positions) -> Positions {
    let inside = |joint: &ModelJoint| {
        let [low, high] = joint.slide_limits.or(joint.angle_limits)?;
        let is_outside = low < high && !(low..=high).contains(&joint.position);
        let is_free = !given.contains_key(&joint.name);
        (is_outside && is_free).then(|| (joint.name.clone(), joint.position.clamp(low, high)))
    };
    model.joints.iter().filter_map(inside).collect()
}

/// Takes limits off that are more than a turn apart, or that leave nothing free; returns a note for each.
pub fn take_limits_off(model: &mut Model) -> Vec<String> {
    let mut notes = Vec::new();
    for joint in &mut model.joints {
        let mut told = |what: &str| notes.push(format!("joint {:?}: {what}: it has none here", joint.name));
        if joint.angle_limits.is_some_and(|[low, high]| high - low > TAU) {
            joint.angle_limits = None;
            told("its limits are more than a turn apart");
        }
        for limits in [&mut joint.angle_limits, &mut joint.slide_limits] {
            if limits.is_some_and(|[low, high]| low >= high) {
                *limits = None;
                told("its limits leave nothing free");
            }
        }
    }
    notes
}

/// The scene of a model, and notes about changes to it: meshes of fixed bodies that are no shapes are taken
/// out, those of bodies that move only if they may lose them, and pairs of links that overlap at the start
/// have no contact.
///
/// # Errors
/// All other faults of the scene, by the names and places of the model.
pub fn scene_of(model: &mut Model, allow_missing: bool, meshes: &mut Meshes) -> Result<(Scene, Vec<String>)> {
    let mut notes = Vec::new();
    loop {
        let error = match build::scene_of(model, meshes) {
            Ok(scene) => {
                notes.extend(meshes.remarks().iter().filter_map(|remark| told(model, remark)));
                return Ok((scene, notes));
            }
            Err(error) => error,
        };
        let before = notes.len();
        let all = match error {
            Error::Many(all) => all,
            one => vec![one],
        };
        let (mut others, mut loses_shape) = (Vec::new(), false);
        for error in all {
            if let Some(refusal) = refusal(model, &error).filter(|_| !allow_missing) {
                others.push(refusal);
                loses_shape = true;
                continue;
            }
            match note_of(model, &error) {
                Some(told) => notes.extend(told),
                None => others.push(faults::in_file(model, error)),
            }
        }
        if notes.len() == before || notes.len() > MAX_NOTES || loses_shape {
            return Err(Error::all(others));
        }
    }
}

/// A remark about a mesh with the links that have it, if there are any.
fn told(model: &Model, remark: &MeshRemark) -> Option<String> {
    let is_it = |geom: &Geom| matches!(&geom.shape, GeomShape::Mesh { file, .. } if file.to_string_lossy() == remark.file);
    let of = model.links.iter().filter(|link| link.geoms.iter().any(is_it));
    let of: Vec<String> = of.map(|link| format!("{:?}", link.name)).collect();
    (!of.is_empty()).then(|| format!("mesh of {}: {}", of.join(", "), remark.text))
}

/// The refusal of a mesh that a body that moves would lose, if the error is about one.
fn refusal(model: &Model, error: &Error) -> Option<Error> {
    let Error::Field { field, value, allowed, .. } = error else { return None };
    let is_it =
        |shape: &GeomShape| matches!(shape, GeomShape::Mesh { file, .. } if format!("{file:?}") == *value);
    let moving = model.links.iter().filter(|link| !link.fixed && field.ends_with("shape.file"));
    let mut geoms = moving.flat_map(|link| link.geoms.iter().map(move |geom| (link, geom)));
    let (link, geom) = geoms.find(|(_, geom)| is_it(&geom.shape))?;
    let (tag, place) = &geom.place;
    Some(Error::Field {
        file: place.file.to_path_buf(),
        at: Some(place.at),
        field: format!("<{tag}> of {:?}: mesh", link.name),
        value: value.clone(),
        allowed: format!("{allowed}: {WITHOUT_SHAPE}"),
    })
}

/// Removes the cause of a refusal from the model and returns the note to print, if any. The outer None says
/// that the refusal stands.
fn note_of(model: &mut Model, error: &Error) -> Option<Option<String>> {
    match error {
        Error::Overlap { body_a, body_b, depth, .. } => {
            let find = |name: &String| model.links.iter().position(|link| link.name == *name);
            let (a, b) = (find(body_a)?, find(body_b)?);
            model.excluded.push([a.min(b), a.max(b)]);
            Some(Some(format!(
                "bodies {body_a:?} and {body_b:?} overlap by {depth:.1e} m at the start: they have no contact with each other"
            )))
        }
        Error::Field { field, value, allowed, .. } if field.ends_with("shape.file") => {
            let is_it = |file: &Path| format!("{file:?}") == *value;
            let mut of = Vec::new();
            for link in &mut model.links {
                let n = link.geoms.len();
                link.geoms.retain(|geom| !matches!(&geom.shape, GeomShape::Mesh { file, .. } if is_it(file)));
                if link.geoms.len() < n {
                    of.push(format!("{:?}", link.name));
                }
            }
            // The mesh may have been taken out with another link's.
            let told = format!("not taken over: mesh {value} of {}: {allowed}", of.join(", "));
            Some((!of.is_empty()).then_some(told))
        }
        _ => None,
    }
}
