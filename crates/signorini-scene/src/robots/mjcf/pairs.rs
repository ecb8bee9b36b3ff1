//! Pairs of bodies: excluded contacts, connections, masks.

use super::super::model::{Model, ModelCoupling, ModelJoint, ModelJointKind};
use super::super::xml::Element;
use super::bodies::Names;
use super::document::Defaults;
use super::{geom_pairs, known};
use nalgebra::Vector3;
use signorini_error::Result;

/// Reads `<contact>` and `<equality>`, and finds the pairs of links that masks keep from each other.
///
/// # Errors
/// When a body is named that there is not.
pub fn read(root: &Element, defaults: &Defaults, names: &Names, model: &mut Model) -> Result<()> {
    for element in root.all("contact").flat_map(|section| &section.children) {
        match element.tag.as_str() {
            "exclude" => {
                known::check(element, model);
                let sides = [link(element, "body1", names)?, link(element, "body2", names)?];
                let [Some((a, _)), Some((b, _))] = sides else {
                    return Err(element.refusal("needs body1 and body2"));
                };
                let (first, second) = (links_of(a, names, model), links_of(b, names, model));
                for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))) {
                    exclude(model, a, b);
                }
            }
            "pair" => {}
            _ => model.drop(element, "of <contact>"),
        }
    }
    geom_pairs::read(root, defaults, model)?;
    for element in root.all("equality").flat_map(|section| &section.children) {
        let element = defaults.complete_as(&["equality"], element, None)?;
        if element.get("active") != Some("false") {
            equality(&element, names, model)?;
        }
    }
    let flags = root.all("option").flat_map(|option| option.all("flag"));
    let contact = flags.filter_map(|flag| flag.get("contact")).last();
    masks(model, contact == Some("disable"));
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

/// Adds the coupling of an equality of two joints.
fn couple(element: &Element, model: &mut Model) -> Result<()> {
    known::check_as("equality joint", element, model);
    let place = |attribute: &str| {
        let Some(name) = element.get(attribute) else { return Ok(None) };
        let found = model.joints.iter().position(|joint| joint.name == name && joint.driven().is_some());
        found.map(Some).ok_or_else(|| element.fault(attribute, name, "there is no such hinge or slide"))
    };
    let Some(of) = place("joint1")? else { return Err(element.refusal("needs joint1")) };
    let Some(to) = place("joint2")? else {
        model.drop(element, "of one joint");
        return Ok(());
    };
    let mut given = [0.0, 1.0, 0.0, 0.0, 0.0];
    let text = element.get("polycoef").unwrap_or_default();
    let written = element.list("polycoef", text)?;
    if written.len() > given.len() {
        return Err(element.fault("polycoef", text, "must be at most five numbers"));
    }
    given.iter_mut().zip(written).for_each(|(default, number)| *default = number);
    let [q0, followed0] = [of, to].map(|joint| model.joints[joint].reference);
    model.couplings.push(ModelCoupling {
        name: element.get("name").map_or_else(|| model.joints[of].name.clone(), str::to_owned),
        place: element.origin(),
        joints: [of, to],
        coefficients: ModelCoupling::about(&given, q0, followed0),
    });
    Ok(())
}

/// A connection is a ball joint, a weld a fixed one, an equality of two joints a coupling.
fn equality(element: &Element, names: &Names, model: &mut Model) -> Result<()> {
    let kind = match element.tag.as_str() {
        "connect" => ModelJointKind::Ball,
        "weld" => ModelJointKind::Fixed,
        "joint" => return couple(element, model),
        _ => {
            model.drop(element, "of <equality>");
            return Ok(());
        }
    };
    known::check(element, model);
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
        place: element.origin(),
        kind,
        links: if a.is_none() { [None, b] } else { [b, a] },
        anchor,
        axis: Vector3::z(),
        position: 0.0,
        reference: 0.0,
        slide_limits: None,
        angle_limits: None,
        motors: Vec::new(),
        armature: 0.0,
        collide: true,
    });
    Ok(())
}

/// Links of which no geom touches one of the other. Where some do and some do not, all do. None does where
/// contact is disabled.
fn masks(model: &mut Model, disabled: bool) {
    for b in 0..model.links.len() {
        for a in 0..b {
            let (first, second) = (&model.links[a], &model.links[b]);
            let are_bare = first.geoms.is_empty() || second.geoms.is_empty();
            if first.fixed && second.fixed || are_bare && !disabled {
                continue;
            }
            let meets =
                |g: &super::super::model::Geom| second.geoms.iter().any(|other| g.mask.meets(other.mask));
            let is_paired = || model.pairs.iter().any(|pair| pair.links == [a, b] || pair.links == [b, a]);
            if disabled || !first.geoms.iter().any(meets) && !is_paired() {
                exclude(model, a, b);
            }
        }
    }
}
