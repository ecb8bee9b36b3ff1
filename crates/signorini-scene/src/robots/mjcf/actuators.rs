//! `<actuator>`: motors of joints.

use super::super::model::{Model, ModelControl, ModelJoint};
use super::super::xml::Element;
use super::document::{Compiler, Defaults};
use super::known;
use super::tendons::{Tendon, Tendons};
use crate::scene::{Drive, Motor};
use signorini_error::Result;

/// Actuators of joints whose force follows from control, position and rate; their defaults are common.
const KINDS: [&str; 4] = ["general", "motor", "position", "velocity"];

/// Reads the actuators into the joints of the model; controls are 0.
///
/// # Errors
/// When a number is wrong, or a class, joint or tendon is named that there is not.
pub fn read(
    root: &Element,
    tendons: &Tendons,
    (compiler, defaults): (&Compiler, &Defaults),
    model: &mut Model,
) -> Result<()> {
    for element in root.all("actuator").flat_map(|section| &section.children) {
        if !KINDS.contains(&element.tag.as_str()) {
            model.drop(element, format!("of <actuator> {:?}", element.name()));
            continue;
        }
        let mut tags = vec![element.tag.as_str()];
        tags.extend(KINDS.iter().filter(|kind| **kind != element.tag));
        let element = defaults.complete_as(&tags, element, None)?;
        known::check_as("actuator", &element, model);
        let held = match held(&element, tendons, model)? {
            Ok(held) => held,
            Err(why) => {
                model.drop(&element, format!("{:?}: {why}", element.name()));
                continue;
            }
        };
        let place = held.joint;
        match law(&element, &held)? {
            Ok(law) => {
                let largest_force = largest_force(&element, compiler, &law, model)?;
                let range = control_range(&element, compiler, &model.joints[place])?;
                let name = element.name();
                let range = range.map(|controls| law.values(controls));
                model.controls.push(ModelControl { motor: name.clone(), joint: place, range });
                let drive = law.drive(range);
                model.joints[place].motors.push(Motor { name, drive, largest_force });
            }
            Err(why) => model.drop(&element, format!("{:?}: {why}", element.name())),
        }
    }
    Ok(())
}

/// Length on which an actuator acts, as it follows from the position of a joint; or why it cannot be taken
/// over.
fn held(element: &Element, tendons: &Tendons, model: &Model) -> Result<std::result::Result<Tendon, String>> {
    if let Some(name) = element.get("tendon") {
        let Some(tendon) = tendons.get(name) else {
            return Ok(Err(format!("{name:?} is no fixed tendon")));
        };
        return Ok(tendon.clone().map_err(|why| format!("tendon {name:?}: {why}")));
    }
    let Some(name) = element.get("joint").or_else(|| element.get("jointinparent")) else {
        return Ok(Err("only actuators of joints and fixed tendons are taken over".to_owned()));
    };
    let place = model.joints.iter().position(|joint| joint.name == name && joint.driven().is_some());
    Ok(place
        .map(|joint| Tendon { joint, ratio: 1.0, start: 0.0 })
        .ok_or_else(|| format!("{name:?} is no hinge and no slide")))
}

/// First number of a list.
fn first(element: &Element, name: &str) -> Result<Option<f64>> {
    let text = element.get(name).unwrap_or_default();
    Ok(element.list(name, text)?.first().copied())
}

/// Force of an actuator on its joint, with its gear g, of a tendon times its ratio:
/// g (gain · control + b₀ + b₁ g q + b₂ g q̇).
struct Law {
    gear: f64,
    gain: f64,
    bias: [f64; 3],
}

impl Law {
    fn stiffness(&self) -> f64 {
        -self.gear * self.gear * self.bias[1]
    }

    fn damping(&self) -> f64 {
        -self.gear * self.gear * self.bias[2]
    }

    /// The position, rate or force that a control asks for.
    fn value(&self, control: f64) -> f64 {
        let force = self.gear * (self.gain * control + self.bias[0]);
        match (self.stiffness(), self.damping()) {
            (k, _) if k > 0.0 => force / k,
            (_, c) if c > 0.0 => force / c,
            _ => force,
        }
    }

    /// Least and largest position, rate or force of a range of controls.
    fn values(&self, controls: [f64; 2]) -> [f64; 2] {
        let [a, b] = controls.map(|control| self.value(control) + 0.0);
        [a.min(b), a.max(b)]
    }

    /// The drive at control 0, or at the control next to it that is allowed.
    fn drive(&self, range: Option<[f64; 2]>) -> Drive {
        let value = range.map_or(self.value(0.0), |[low, high]| self.value(0.0).clamp(low, high));
        let (stiffness, damping) = (self.stiffness(), self.damping());
        if stiffness > 0.0 {
            Drive::Position { position: value.into(), stiffness, damping }
        } else if damping > 0.0 {
            Drive::Velocity { velocity: value.into(), damping: Some(damping) }
        } else {
            Drive::Force { force: value.into() }
        }
    }
}

/// The law of an actuator, or why scenes have none of the kind.
fn law(element: &Element, held: &Tendon) -> Result<std::result::Result<Law, String>> {
    let number =
        |name: &str, default: f64| Ok::<_, signorini_error::Error>(element.number(name)?.unwrap_or(default));
    let gear = first(element, "gear")?.unwrap_or(1.0);
    let (gain, bias) = match element.tag.as_str() {
        "motor" => (1.0, [0.0; 3]),
        "position" => {
            let kp = number("kp", 1.0)?;
            (kp, [0.0, -kp, -number("kv", 0.0)?])
        }
        "velocity" => {
            let kv = number("kv", 1.0)?;
            (kv, [0.0, 0.0, -kv])
        }
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
            let bias = [0, 1, 2].map(|i| if is_affine { prm.get(i).copied().unwrap_or(0.0) } else { 0.0 });
            (first(element, "gainprm")?.unwrap_or(1.0), bias)
        }
    };
    // Where the joint is at 0 the length is that of the tendon there.
    let bias = [bias[0] + bias[1] * gear * held.start, bias[1], bias[2]];
    let law = Law { gear: gear * held.ratio, gain, bias };
    Ok(if law.stiffness() < 0.0 || law.damping() < 0.0 {
        Err("its force grows with the way it gives".to_owned())
    } else {
        Ok(law)
    })
}

/// The controls that an actuator takes: its `ctrlrange`, or with `inheritrange` that part of the range of its
/// joint, about its middle.
fn control_range(element: &Element, compiler: &Compiler, joint: &ModelJoint) -> Result<Option<[f64; 2]>> {
    let part = element.number("inheritrange")?.unwrap_or(0.0);
    if part > 0.0 {
        let limits = joint.slide_limits.or(joint.angle_limits);
        let about = |[low, high]: [f64; 2]| {
            let (middle, half) = (0.5 * (low + high), 0.5 * part * (high - low));
            [middle - half, middle + half]
        };
        return Ok(limits.map(about));
    }
    let range = compiler.limits(element, "ctrlrange", "ctrllimited")?;
    Ok(range.filter(|[low, high]| low < high))
}

/// The bound of its force on the joint; the larger one where bounds differ by direction, which is noted.
fn largest_force(element: &Element, compiler: &Compiler, law: &Law, model: &mut Model) -> Result<f64> {
    let range = compiler.limits(element, "forcerange", "forcelimited")?;
    let Some([low, high]) = range.filter(|[low, high]| low < high) else {
        return Ok(f64::INFINITY);
    };
    if low != -high {
        model.drop(element, format!("{:?}: forcerange differs by direction", element.name()));
    }
    Ok(f64::max(low.abs(), high.abs()) * law.gear.abs())
}
