//! Links without mass between several joints, which together are one joint of more degrees of freedom.

use super::model::{Model, ModelJoint, ModelJointKind};
use nalgebra::{DMatrix, Vector3};
use signorini_error::{Error, Result};

/// A motion that differs less from one of others is no motion of its own.
const SAME_MOTION: f64 = 1e-9;

/// Whether no joint of a chain moves its end as others together do, at their present positions.
pub fn are_independent(joints: &[ModelJoint]) -> bool {
    let around = joints.first().map_or_else(Vector3::zeros, |one| one.anchor);
    let reach =
        joints.iter().map(|one| (one.anchor - around).norm()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut ways = Vec::new();
    for one in joints {
        let turning = |axis: &Vector3<f64>| (*axis, (around - one.anchor).cross(axis) / reach * -1.0);
        match one.kind {
            ModelJointKind::Prismatic => ways.push((Vector3::zeros(), one.axis)),
            ModelJointKind::Revolute => ways.push(turning(&one.axis)),
            _ => ways.extend([Vector3::x(), Vector3::y(), Vector3::z()].iter().map(turning)),
        }
    }
    let entries = ways.iter().flat_map(|(turn, way)| turn.iter().chain(way.iter()).copied());
    let matrix = DMatrix::from_iterator(6, ways.len(), entries);
    ways.len() <= 6 && matrix.singular_values().min() > SAME_MOTION
}

/// Gives links without mass that stand between joints a trace of that of the link behind them; the links at
/// both ends have no contact.
///
/// # Errors
/// When another link that moves has no mass, or joints move a link in the same way.
pub fn fill_in(model: &mut Model) -> Result<()> {
    for first in 0..model.links.len() {
        let Some(before) = parent(model, first).filter(|_| is_bare(model, first)) else { continue };
        if model.joints[before].links[0].is_some_and(|parent| is_bare(model, parent)) {
            // The chain begins before this link.
            continue;
        }
        let mut chain = vec![model.joints[before].clone()];
        let (mut links, mut end) = (Vec::new(), first);
        while is_bare(model, end) {
            links.push(end);
            let mut behind = model.joints.iter().filter(|joint| joint.links[0] == Some(end));
            let (Some(joint), None) = (behind.next(), behind.next()) else { break };
            let Some(next) = joint.links[1] else { break };
            chain.push(joint.clone());
            end = next;
        }
        if is_bare(model, end) || !chain.iter().all(|joint| joint.kind.is_chained()) {
            // The check of masses refuses them.
            continue;
        }
        if !are_independent(&chain) {
            let message = "has no mass, and the joints around it move the link behind it in the same way";
            return Err(refusal(model, first, message));
        }
        links.iter().for_each(|link| model.links[*link].between = Some(end));
        model.excluded.extend(chain[0].links[0].map(|start| [start, end]));
    }
    check_masses(model)?;
    for link in 0..model.links.len() {
        if let Some(behind) = model.links[link].between {
            model.links[link].inertia = model.links[behind].inertia.trace_of();
        }
    }
    Ok(())
}

/// The joint that holds a link.
fn parent(model: &Model, link: usize) -> Option<usize> {
    model.joints.iter().position(|joint| joint.links[1] == Some(link))
}

/// Whether a link that moves has neither mass nor shape, and is not known to stand between joints.
fn is_bare(model: &Model, link: usize) -> bool {
    let link = &model.links[link];
    let has_inertia = link.inertia.mass != 0.0 || link.inertia.tensor.norm() > 0.0;
    !link.fixed && !has_inertia && link.geoms.is_empty() && link.between.is_none()
}

/// Refuses links without mass that move.
fn check_masses(model: &Model) -> Result<()> {
    let needs = |i: &usize| {
        let link = &model.links[*i];
        !link.fixed && link.between.is_none() && link.inertia.mass <= 0.0
    };
    let faults = (0..model.links.len()).filter(needs).map(|i| {
        refusal(
            model,
            i,
            "has no mass: a body that moves needs one, unless it has no shape and stands between one joint and one other",
        )
    });
    let faults: Vec<Error> = faults.collect();
    if faults.is_empty() { Ok(()) } else { Err(Error::all(faults)) }
}

fn refusal(model: &Model, link: usize, message: &str) -> Error {
    let link = &model.links[link];
    let (tag, place) = &link.place;
    place.refusal(&format!("<{tag}> {:?}: {message}", link.name))
}
