//! Elements and attributes of URDF that are taken over or do not act on bodies and contacts; a note for every
//! other one.

use super::model::Model;
use super::xml::Element;

/// A tag with attributes of it.
type Attributes = (&'static str, &'static [&'static str]);

/// Elements of a tag, each with its attributes, that are taken over or do not act. What is in `visual` and
/// `material` is drawn, what is in `calibration` is measured; `velocity` bounds what a controller asks for.
const KNOWN: [(&str, &[Attributes]); 7] = [
    (
        "robot",
        &[
            ("link", &["name", "type"]),
            ("joint", &["name", "type"]),
            ("material", &["name"]),
            ("gazebo", &["reference"]),
        ],
    ),
    ("link", &[("visual", &["name"]), ("inertial", &[]), ("collision", &["name"])]),
    ("inertial", &[("origin", &["xyz", "rpy"]), ("mass", &["value"]), ("inertia", &MOMENTS)]),
    ("collision", &[("origin", &["xyz", "rpy"]), ("geometry", &[])]),
    (
        "geometry",
        &[
            ("box", &["size"]),
            ("capsule", &["radius", "length"]),
            ("cylinder", &["radius", "length"]),
            ("mesh", &["filename", "scale"]),
            ("sphere", &["radius"]),
        ],
    ),
    (
        "joint",
        &[
            ("origin", &["xyz", "rpy"]),
            ("parent", &["link"]),
            ("child", &["link"]),
            ("axis", &["xyz"]),
            ("limit", &["lower", "upper", "effort", "velocity"]),
            ("dynamics", &["friction", "damping"]),
            ("mimic", &["joint", "multiplier", "offset"]),
            ("calibration", &["rising", "falling", "reference_position"]),
        ],
    ),
    // Elements for Gazebo that draw, measure or load programs.
    (
        "gazebo",
        &[
            ("material", &[]),
            ("plugin", &["name", "filename"]),
            ("sensor", &["name", "type"]),
            ("visual", &[]),
        ],
    ),
];

/// Entries of the tensor of inertia.
const MOMENTS: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

/// Elements whose own elements are checked with them.
const FOLLOWED: [&str; 4] = ["inertial", "collision", "geometry", "gazebo"];

/// Elements in which each element counts once.
const SINGLE: [&str; 5] = ["link", "joint", "inertial", "collision", "geometry"];

/// Elements of fixed joints that act on joints that move only.
const OF_MOTION: [&str; 6] = ["axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"];

/// Notes elements in a robot, a link or a joint, and attributes of theirs, that are not taken over.
pub fn check(element: &Element, model: &mut Model) {
    let is_fixed = element.tag == "joint" && element.get("type") == Some("fixed");
    let known = KNOWN.iter().find(|(tag, _)| *tag == element.tag).map_or(&[][..], |(_, elements)| elements);
    for (k, child) in element.children.iter().enumerate() {
        if SINGLE.contains(&element.tag.as_str()) && is_repeated(element, k) {
            model.drop(child, format!("{}: the first one counts", of(element)));
            continue;
        }
        if is_fixed && OF_MOTION.contains(&child.tag.as_str()) {
            continue;
        }
        let Some((_, attributes)) = known.iter().find(|(tag, _)| *tag == child.tag) else {
            let written = written(child, &[]);
            model.drop(child, format!("{}{written}", of(element)));
            continue;
        };
        let others = written(child, attributes);
        if !others.is_empty() {
            model.drop(child, format!("{}{others}", of(element)));
        }
        if FOLLOWED.contains(&child.tag.as_str()) {
            check(child, model);
        }
    }
}

/// Whether an element stands where only the first of its kind counts; all shapes of a geometry are one kind.
fn is_repeated(element: &Element, k: usize) -> bool {
    let child = &element.children[k];
    let may_repeat = ["visual", "collision"].contains(&child.tag.as_str());
    let is_same = |other: &Element| other.tag == child.tag || element.tag == "geometry";
    !may_repeat && element.children[..k].iter().any(is_same)
}

/// The element around one, for a note.
fn of(element: &Element) -> String {
    match element.get("name").or(element.get("reference")) {
        Some(name) => format!("of {name:?}"),
        None => format!("in <{}>", element.tag),
    }
}

/// Attributes that are not among the known ones, and are not 0.
fn written(element: &Element, known: &[&str]) -> String {
    let is_zero = |value: &str| value.split_whitespace().all(|word| word.parse() == Ok(0.0));
    let is_other = |(name, value): &&(String, String)| !known.contains(&name.as_str()) && !is_zero(value);
    let others = element.attributes.iter().filter(is_other);
    let others: Vec<String> = others.map(|(name, value)| format!("{name} = {value:?}")).collect();
    if others.is_empty() { String::new() } else { format!(": {}", others.join(", ")) }
}
