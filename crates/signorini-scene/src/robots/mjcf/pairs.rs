//! Pairs of bodies: excluded contacts, connections, masks.

use super::super::model::{Model, ModelJoint, ModelJointKind};
use super::super::xml::Element;
use super::bodies::Names;
use nalgebra::Vector3;
use signorini_error::Result;

/// Reads `<contact>` and `<equality>`, and finds the pairs of links that masks keep from each other.
///
/// # Errors
/// When a body is named that there is not.
pub fn read(root: &Element, names: &Names, model: &mut Model) -> Result<()> {
    for element in root.all("contact").flat_map(|section| &section.children) {
        match element.tag.as_str() {
            "exclude" => {
                let sides = [link(element, "body1", names)?, link(element, "body2", names)?];
                let [Some((a, _)), Some((b, _))] = sides else { continue };
                let (first, second) = (links_of(a, names, model), links_of(b, names, model));
                for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))) {
                    exclude(model, a, b);
                }
            }
            _ => model.drop(element, "of <contact>"),
        }
    }
    for element in root.all("equality").flat_map(|section| &section.children) {
        if element.get("active") != Some("false") {
            equality(element, names, model)?;
        }
    }
    masks(model);
    Ok(())
}

type Found = Option<(Option<usize>, signorini_geometry::Pose)>;

fn link(element: &Element, attribute: &str, names: &Names) -> Result<Found> {
    let Some(name) = element.get(attribute) else { return Ok(None) };
    let found = names.get(name).copied();
    found.map(Some).ok_or_else(|| element.fault(attribute, name, "there is no such body"))
}

/// The link of a body; of the world its geoms, which are links without bodies.
fn links_of(body: Option<usize>, names: &Names, model: &Model) -> Vec<usize> {
    let is_of_body = |link: usize| names.values().any(|(of, _)| *of == Some(link));
    match body {
        Some(link) => vec![link],
        None => (0..model.links.len()).filter(|l| model.links[*l].fixed && !is_of_body(*l)).collect(),
    }
}

fn exclude(model: &mut Model, a: usize, b: usize) {
    let pair = [a.min(b), a.max(b)];
    if a != b && !model.excluded.contains(&pair) {
        model.excluded.push(pair);
    }
}

/// A connection is a ball joint, a weld a fixed one.
fn equality(element: &Element, names: &Names, model: &mut Model) -> Result<()> {
    let kind = match element.tag.as_str() {
        "connect" => ModelJointKind::Ball,
        "weld" => ModelJointKind::Fixed,
        _ => {
            model.drop(element, "of <equality>");
            return Ok(());
        }
    };
    let Some((a, pose)) = link(element, "body1", names)? else {
        model.drop(element, "between sites");
        return Ok(());
    };
    let b = link(element, "body2", names)?.and_then(|(link, _)| link);
    if element.get("relpose").is_some() {
        model.drop(element, "relpose: the bodies are held as they are at the start");
    }
    let anchor = pose.point(&Vector3::from(element.numbers("anchor")?.unwrap_or_default()));
    model.joints.push(ModelJoint {
        name: element.name(),
        kind,
        links: if a.is_none() { [None, b] } else { [b, a] },
        anchor,
        axis: Vector3::z(),
        position: 0.0,
        slide_limits: None,
        angle_limits: None,
        motors: Vec::new(),
        armature: 0.0,
        collide: true,
    });
    Ok(())
}

/// Links of which no geom touches one of the other. Where some do and some do not, all do.
fn masks(model: &mut Model) {
    for b in 0..model.links.len() {
        for a in 0..b {
            let (first, second) = (&model.links[a], &model.links[b]);
            if first.fixed && second.fixed || first.geoms.is_empty() || second.geoms.is_empty() {
                continue;
            }
            let meets =
                |g: &super::super::model::Geom| second.geoms.iter().any(|other| g.mask.meets(other.mask));
            if !first.geoms.iter().any(meets) {
                exclude(model, a, b);
            }
        }
    }
}
