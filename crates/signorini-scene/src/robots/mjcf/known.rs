//! Attributes of each element that are taken over, those that do not matter here, and a note for every other
//! one.

use super::super::model::Model;
use super::super::xml::Element;

/// Sections that say how to draw, compute, measure or drive, and nothing of bodies and contacts.
const IGNORED_ELEMENTS: [&str; 13] = [
    "actuator",
    "asset",
    "compiler",
    "custom",
    "default",
    "extension",
    "option",
    "size",
    "statistic",
    "visual",
    "worldbody",
    "sensor",
    "contact",
];

/// Attributes that name, draw or group.
const APPEARANCE_ATTRIBUTES: [&str; 7] = ["name", "class", "childclass", "rgba", "material", "group", "user"];

/// Attributes that are taken over, by tag.
const KNOWN_ATTRIBUTES: [(&str, &[&str]); 8] = [
    (
        "option",
        &["gravity", "timestep", "integrator", "iterations", "solver", "tolerance", "cone", "jacobian"],
    ),
    ("body", &["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"]),
    ("frame", &["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"]),
    (
        "inertial",
        &["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "diaginertia", "fullinertia"],
    ),
    (
        "geom",
        &[
            "type",
            "size",
            "pos",
            "quat",
            "axisangle",
            "xyaxes",
            "zaxis",
            "euler",
            "fromto",
            "mesh",
            "mass",
            "density",
            "friction",
            "condim",
            "contype",
            "conaffinity",
        ],
    ),
    (
        "joint",
        &[
            "type",
            "pos",
            "axis",
            "range",
            "limited",
            "ref",
            "frictionloss",
            "stiffness",
            "springref",
            "damping",
            "armature",
        ],
    ),
    ("freejoint", &[]),
    (
        "actuator",
        &[
            "joint",
            "jointinparent",
            "gear",
            "kp",
            "kv",
            "gaintype",
            "gainprm",
            "biastype",
            "biasprm",
            "dyntype",
            "ctrlrange",
            "ctrllimited",
            "inheritrange",
            "forcerange",
            "forcelimited",
        ],
    ),
];

/// Notes attributes that are not taken over.
pub fn check(element: &Element, model: &mut Model) {
    check_as(&element.tag, element, model);
}

/// Notes attributes that are not taken over from an element that is listed under another tag.
pub fn check_as(tag: &str, element: &Element, model: &mut Model) {
    let taken = KNOWN_ATTRIBUTES.iter().find(|(known, _)| *known == tag).map_or(&[][..], |(_, names)| names);
    let is_known = |name: &str| APPEARANCE_ATTRIBUTES.contains(&name) || taken.contains(&name);
    let others: Vec<String> = element
        .attributes
        .iter()
        .filter(|(name, value)| !is_known(name) && !is_nothing(name, value))
        .map(|(name, value)| format!("{name} = {value:?}"))
        .collect();
    if !others.is_empty() {
        let name = element.get("name").map_or_else(String::new, |name| format!("{name:?}: "));
        model.drop(element, format!("{name}{}", others.join(", ")));
    }
}

/// Values that change nothing.
fn is_nothing(name: &str, value: &str) -> bool {
    let is_zero = || value.split_whitespace().all(|word| word.parse() == Ok(0.0));
    let counts = ["armature", "damping", "stiffness", "springref", "margin", "gap", "gravcomp", "priority"];
    (counts.contains(&name) && is_zero())
        || matches!((name, value), ("mocap" | "actuatorfrclimited", "false"))
}

/// Notes sections that are not taken over, each entry with its place.
pub fn check_sections(root: &Element, model: &mut Model) {
    for section in
        root.children.iter().filter(|s| !IGNORED_ELEMENTS.contains(&s.tag.as_str()) && s.tag != "equality")
    {
        for entry in &section.children {
            let name = entry.get("name").map_or_else(String::new, |name| format!(" {name:?}"));
            model.drop(entry, format!("of <{}>{name}", section.tag));
        }
    }
}
