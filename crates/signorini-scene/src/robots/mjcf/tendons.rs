//! Fixed tendons: sums of joint positions. Where all joints of a tendon follow one of them, its length is
//! that of this joint times a ratio, and an actuator does the work of one of this joint: couplings hand it
//! on.

use super::super::model::Model;
use super::super::xml::Element;
use signorini_error::Result;
use std::collections::HashMap;

/// Length of a tendon: `start` + `ratio` times the position of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tendon {
    /// The joint that all joints of the tendon follow.
    pub joint: usize,
    /// Length per position of the joint.
    pub ratio: f64,
    /// Length where the position is 0.
    pub start: f64,
}

/// Tendons by name, each its length, or why it has none.
pub type Tendons = HashMap<String, std::result::Result<Tendon, String>>;

/// Reads the fixed tendons of a model whose joints and couplings are known.
///
/// # Errors
/// When a number is wrong, or a joint is named that there is not.
pub fn read(root: &Element, model: &mut Model) -> Result<Tendons> {
    let mut found = Tendons::new();
    for element in root.all("tendon").flat_map(|section| &section.children) {
        if element.tag != "fixed" {
            model.drop(element, format!("of <tendon> {:?}", element.name()));
            continue;
        }
        for attribute in ["range", "stiffness", "damping", "frictionloss", "armature", "springlength"] {
            if element.get(attribute).is_some() {
                model.drop(element, format!("{:?}: {attribute}", element.name()));
            }
        }
        found.insert(element.name(), length(element, model)?);
    }
    Ok(found)
}

fn length(element: &Element, model: &Model) -> Result<std::result::Result<Tendon, String>> {
    let mut sum: Option<Tendon> = None;
    for part in element.all("joint") {
        let name = part.get("joint").unwrap_or_default();
        let place = model.joints.iter().position(|joint| joint.name == name && joint.driven().is_some());
        let place = place.ok_or_else(|| part.fault("joint", name, "there is no such hinge or slide"))?;
        let coefficient = part.number("coef")?.unwrap_or(1.0);
        let Some((joint, ratio, start)) = followed(place, model) else {
            return Ok(Err(format!("{name:?} follows another joint by a polynomial")));
        };
        let own = Tendon { joint, ratio: coefficient * ratio, start: coefficient * start };
        sum = Some(match sum {
            None => own,
            Some(sum) if sum.joint == joint => {
                Tendon { ratio: sum.ratio + own.ratio, start: sum.start + own.start, ..own }
            }
            Some(_) => return Ok(Err("its joints do not follow one of them".to_owned())),
        });
    }
    Ok(sum.ok_or_else(|| "it has no joints".to_owned()))
}

/// The joint that a joint follows in the end, and its position as ratio and start of the position of that
/// joint; None where a coupling is no straight line.
fn followed(joint: usize, model: &Model) -> Option<(usize, f64, f64)> {
    let (mut at, mut ratio, mut start) = (joint, 1.0, 0.0);
    // A chain of couplings is at most as long as there are couplings.
    for _ in 0..model.couplings.len() {
        let Some(coupling) = model.couplings.iter().find(|coupling| coupling.joints[0] == at) else { break };
        let [offset, slope, higher @ ..] = coupling.coefficients;
        if higher.iter().any(|c| *c != 0.0) {
            return None;
        }
        start += ratio * offset;
        ratio *= slope;
        at = coupling.joints[1];
    }
    Some((at, ratio, start))
}
