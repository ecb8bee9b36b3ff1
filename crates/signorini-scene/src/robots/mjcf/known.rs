//! Attributes and elements that are taken over or do not act on bodies and contacts; a note for every other
//! one.

use super::super::model::Model;
use super::super::xml::Element;

/// Sections whose entries are read elsewhere, or that say how to draw, store or measure.
const READ_ELSEWHERE: [&str; 11] = [
    "actuator",
    "compiler",
    "contact",
    "custom",
    "equality",
    "sensor",
    "size",
    "statistic",
    "tendon",
    "visual",
    "worldbody",
];

/// Attributes that name, draw or group.
const APPEARANCE_ATTRIBUTES: [&str; 8] =
    ["name", "class", "childclass", "rgba", "material", "group", "user", "castshadow"];

/// Attributes that are taken over or do not act, by tag.
const KNOWN_ATTRIBUTES: [(&str, &[&str]); 18] = [
    ("mujoco", &["model"]),
    (
        "compiler",
        &[
            "alignfree",
            "angle",
            "assetdir",
            "autolimits",
            "balanceinertia",
            "boundinertia",
            "boundmass",
            "convexhull",
            "coordinate",
            "discardvisual",
            "eulerseq",
            "fusestatic",
            "inertiafromgeom",
            "inertiagrouprange",
            "meshdir",
            "savecanonical",
            "savecompiled",
            "saveinertial",
            "settotalmass",
            "texturedir",
            "usethread",
        ],
    ),
    (
        "option",
        &[
            "apirate",
            "ccd_iterations",
            "ccd_tolerance",
            "cone",
            "gravity",
            "impratio",
            "integrator",
            "iterations",
            "jacobian",
            "ls_iterations",
            "ls_tolerance",
            "magnetic",
            "mpr_iterations",
            "mpr_tolerance",
            "noslip_iterations",
            "noslip_tolerance",
            // These count where the flag `override` is enabled, which is noted.
            "o_friction",
            "o_margin",
            "o_solimp",
            "o_solref",
            "sdf_initpoints",
            "sdf_iterations",
            "sleep_tolerance",
            "solver",
            "timestep",
            "tolerance",
        ],
    ),
    ("flag", &["contact", "gravity"]),
    (
        "mesh",
        &[
            "content_type",
            "face",
            "file",
            "inertia",
            "normal",
            "refpos",
            "refquat",
            "scale",
            "smoothnormal",
            "texcoord",
            "vertex",
        ],
    ),
    ("worldbody", &[]),
    ("body", &["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "sleep"]),
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
            "shellinertia",
            // These count where the options have a density or a viscosity, which is noted.
            "fluidcoef",
            "fluidshape",
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
    ("freejoint", &["align"]),
    ("equality joint", &["active", "joint1", "joint2", "polycoef"]),
    ("exclude", &["body1", "body2"]),
    ("pair", &["geom1", "geom2", "condim", "friction"]),
    ("connect", &["active", "anchor", "body1", "body2", "site1", "site2"]),
    ("weld", &["active", "anchor", "body1", "body2", "relpose", "site1", "site2"]),
    (
        "actuator",
        &[
            "joint",
            "jointinparent",
            "tendon",
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
            "lengthrange",
        ],
    ),
];

/// Elements that hold others which are read, or that do not act, in elements of a tag.
const KNOWN_ELEMENTS: [(&str, &[&str]); 4] = [
    ("compiler", &["lengthrange"]),
    ("option", &["flag"]),
    (
        "default",
        &[
            "adhesion",
            "camera",
            "cylinder",
            "damper",
            "dcmotor",
            "default",
            "equality",
            "general",
            "geom",
            "intvelocity",
            "joint",
            "light",
            "material",
            "mesh",
            "motor",
            "muscle",
            "orientation",
            "pair",
            "pid",
            "position",
            "site",
            "tendon",
            "texture",
            "velocity",
        ],
    ),
    ("asset", &["hfield", "material", "mesh", "model", "skin", "texture"]),
];

/// Flags that choose how MuJoCo computes, checks or measures.
const FLAGS_OF_COMPUTING: [&str; 17] = [
    "autoreset",
    "diagexact",
    "energy",
    "eulerdamp",
    "fwdinv",
    "invdiscrete",
    "ipc",
    "island",
    "midphase",
    "multiccd",
    "nativeccd",
    "refsafe",
    "sensor",
    "sleep",
    "speculative",
    "warmstart",
    "passive_parallel",
];

/// Notes attributes that are not taken over.
pub fn check(element: &Element, model: &mut Model) {
    check_as(&element.tag, element, model);
}

/// Notes attributes that are not taken over from an element that is listed under another tag, and elements in
/// it of which nothing is known.
pub fn check_as(tag: &str, element: &Element, model: &mut Model) {
    let taken = names_of(&KNOWN_ATTRIBUTES, tag);
    let is_known = |name: &str| APPEARANCE_ATTRIBUTES.contains(&name) || taken.contains(&name);
    let others: Vec<String> = element
        .attributes
        .iter()
        .filter(|(name, value)| !is_known(name) && !is_nothing(tag, name, value))
        .map(|(name, value)| format!("{name} = {value:?}"))
        .collect();
    if !others.is_empty() {
        let name = element.get("name").map_or_else(String::new, |name| format!("{name:?}: "));
        model.drop(element, format!("{name}{}", others.join(", ")));
    }
    if !["body", "frame", "worldbody", "mujoco"].contains(&tag) {
        check_elements(tag, element, model);
    }
}

fn names_of(table: &[(&str, &'static [&'static str])], tag: &str) -> &'static [&'static str] {
    table.iter().find(|(known, _)| *known == tag).map_or(&[][..], |(_, names)| names)
}

/// Notes elements of which nothing is known.
fn check_elements(tag: &str, element: &Element, model: &mut Model) {
    let known = names_of(&KNOWN_ELEMENTS, tag);
    for child in element.children.iter().filter(|child| !known.contains(&child.tag.as_str())) {
        let name = child.get("name").map_or_else(String::new, |name| format!(" {name:?}"));
        model.drop(child, format!("in <{}>{name}", element.tag));
    }
}

/// Values that change nothing.
fn is_nothing(tag: &str, name: &str, value: &str) -> bool {
    if tag == "flag" {
        let default = if name == "override" { "disable" } else { "enable" };
        return FLAGS_OF_COMPUTING.contains(&name) || value == default;
    }
    let is_zero = || value.split_whitespace().all(|word| word.parse() == Ok(0.0));
    let counts = [
        "actuatorgroupdisable",
        "adhesion",
        "armature",
        "damping",
        "delay",
        "density",
        "gap",
        "gravcomp",
        "margin",
        "priority",
        "springref",
        "stiffness",
        "surfacevel",
        "viscosity",
        "wind",
    ];
    (counts.contains(&name) && is_zero())
        || matches!(
            (name, value),
            ("mocap" | "actuatorfrclimited" | "actuatorgravcomp" | "strippath" | "fitaabb", "false")
                | ("torquescale", "1")
        )
}

/// Notes what is not taken over of settings, default classes and assets, and the entries of other sections,
/// each with its place.
pub fn check_sections(root: &Element, model: &mut Model) {
    check(root, model);
    for section in &root.children {
        match section.tag.as_str() {
            "compiler" => check(section, model),
            "option" => {
                check(section, model);
                section.all("flag").for_each(|flag| check(flag, model));
            }
            "default" => check_defaults(section, model),
            "asset" => check_elements("asset", section, model),
            "worldbody" => check(section, model),
            tag if READ_ELSEWHERE.contains(&tag) => {}
            _ => check_elements(&section.tag, section, model),
        }
    }
}

/// Attributes in default classes count where elements take them; here elements of which nothing is known.
fn check_defaults(class: &Element, model: &mut Model) {
    check_elements("default", class, model);
    class.all("default").for_each(|inner| check_defaults(inner, model));
}
