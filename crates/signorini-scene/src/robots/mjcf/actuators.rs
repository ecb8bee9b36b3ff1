//! `<actuator>`: motors of joints.

use super::super::model::Model;
use super::super::xml::Element;
use super::document::{Compiler, Defaults};
use super::known;
use crate::scene::{Drive, Motor};
use signorini_error::Result;

/// Actuators of joints whose force follows from control, position and rate; their defaults are common.
const KINDS: [&str; 4] = ["general", "motor", "position", "velocity"];

/// Reads the actuators into the joints of the model; controls are 0.
///
/// # Errors
/// When a number is wrong, or a class or joint is named that there is not.
pub fn read(root: &Element, compiler: &Compiler, defaults: &Defaults, model: &mut Model) -> Result<()> {
    for element in root.all("actuator").flat_map(|section| &section.children) {
        if !KINDS.contains(&element.tag.as_str()) {
            model.drop(element, format!("of <actuator> {:?}", element.name()));
            continue;
        }
        let mut tags = vec![element.tag.as_str()];
        tags.extend(KINDS.iter().filter(|kind| **kind != element.tag));
        let element = defaults.complete_as(&tags, element, None)?;
        known::check_as("actuator", &element, model);
        let Some(name) = element.get("joint").or_else(|| element.get("jointinparent")) else {
            model.drop(&element, format!("{:?}: only actuators of joints are taken over", element.name()));
            continue;
        };
        let name = name.to_owned();
        let Some(place) =
            model.joints.iter().position(|joint| joint.name == name && joint.driven().is_some())
        else {
            model.drop(&element, format!("{:?}: {name:?} is no hinge and no slide", element.name()));
            continue;
        };
        match drive(&element)? {
            Ok(drive) => {
                let largest_force = largest_force(&element, compiler, model)?;
                model.joints[place].motors.push(Motor { name: element.name(), drive, largest_force });
            }
            Err(why) => model.drop(&element, format!("{:?}: {why}", element.name())),
        }
    }
    Ok(())
}

/// First number of a list.
fn first(element: &Element, name: &str) -> Result<Option<f64>> {
    let text = element.get(name).unwrap_or_default();
    Ok(element.list(name, text)?.first().copied())
}

/// The drive of an actuator at control 0, or why it has none. With its gear g the force on the joint is
/// g (gain · control + b₀ + b₁ g q + b₂ g q̇).
fn drive(element: &Element) -> Result<std::result::Result<Drive, String>> {
    let number =
        |name: &str, default: f64| Ok::<_, signorini_error::Error>(element.number(name)?.unwrap_or(default));
    let gear = first(element, "gear")?.unwrap_or(1.0);
    let bias = match element.tag.as_str() {
        "motor" => [0.0; 3],
        "position" => [0.0, -number("kp", 1.0)?, -number("kv", 0.0)?],
        "velocity" => [0.0, 0.0, -number("kv", 1.0)?],
        _ => {
            for (name, known) in
                [("dyntype", &["none"][..]), ("gaintype", &["fixed"]), ("biastype", &["none", "affine"])]
            {
                let text = element.get(name).unwrap_or(known[0]);
                if !known.contains(&text) {
                    return Ok(Err(format!("{name} {text:?}")));
                }
            }
            let prm = element.list("biasprm", element.get("biasprm").unwrap_or_default())?;
            let is_affine = element.get("biastype") == Some("affine");
            [0, 1, 2].map(|i| if is_affine { prm.get(i).copied().unwrap_or(0.0) } else { 0.0 })
        }
    };
    let (force, stiffness, damping) = (gear * bias[0], -gear * gear * bias[1], -gear * gear * bias[2]);
    Ok(if stiffness < 0.0 || damping < 0.0 {
        Err("its force grows with the way it gives".to_owned())
    } else if stiffness > 0.0 {
        Ok(Drive::Position { position: (force / stiffness).into(), stiffness, damping })
    } else if damping > 0.0 {
        Ok(Drive::Velocity { velocity: (force / damping).into(), damping: Some(damping) })
    } else {
        Ok(Drive::Force { force: force.into() })
    })
}

/// The bound of its force on the joint; the larger one where bounds differ by direction, which is noted.
fn largest_force(element: &Element, compiler: &Compiler, model: &mut Model) -> Result<f64> {
    let range = element.numbers::<2>("forcerange")?;
    let is_limited = match element.get("forcelimited") {
        Some("true") => true,
        Some("false") => false,
        _ => compiler.autolimits,
    };
    let Some([low, high]) = range.filter(|[low, high]| is_limited && low < high) else {
        return Ok(f64::INFINITY);
    };
    if low != -high {
        model.drop(element, format!("{:?}: forcerange differs by direction", element.name()));
    }
    let gear = first(element, "gear")?.unwrap_or(1.0);
    Ok(f64::max(low.abs(), high.abs()) * gear.abs())
}
