//! Joints of a body: what it may do relative to its parent.

use super::super::build::turned;
use super::super::model::{ModelJoint, ModelJointKind, Positions};
use super::super::xml::Element;
use super::document::Compiler;
use crate::error::{Error, Result};
use crate::geometry::Pose;
use nalgebra::{Unit, Vector3};

/// Axes that differ by less are one.
const SAME_AXIS: f64 = 1e-9;

/// The joints of a body, also those in frames.
pub fn elements(body: &Element) -> impl Iterator<Item = &Element> {
    body.children.iter().filter(|child| child.tag == "joint" || child.tag == "freejoint")
}

/// What a body may do, and where it is.
pub struct Freedom {
    /// Its joint; the links are filled in by the caller.
    pub joint: Option<ModelJoint>,
    /// It moves freely.
    pub free: bool,
    /// Its frame in the world, joints at their positions.
    pub pose: Pose,
}

/// A hinge, a slide or a ball.
struct Single {
    kind: ModelJointKind,
    /// In the world, before this joint moves.
    anchor: Vector3<f64>,
    axis: Vector3<f64>,
    position: f64,
    limits: Option<[f64; 2]>,
    friction: f64,
    /// Stiffness, and the position without force.
    spring: (f64, f64),
    damping: f64,
}

impl Freedom {
    /// Reads the joints of a body whose frame is at `start` when they are at their references.
    ///
    /// # Errors
    /// When a value is wrong, or several joints make no joint that scenes have.
    pub fn of(
        body: &Element,
        elements: &[Element],
        compiler: &Compiler,
        start: &Pose,
        positions: &Positions,
    ) -> Result<Self> {
        let mut pose = *start;
        let is_free = |e: &Element| e.tag == "freejoint" || e.get("type") == Some("free");
        if elements.iter().any(is_free) {
            if elements.len() > 1 {
                return Err(body.refusal("a free joint goes with no other"));
            }
            return Ok(Self { joint: None, free: true, pose });
        }
        let mut singles = Vec::new();
        for element in elements {
            singles.push(read(element, compiler, &mut pose, positions)?);
        }
        let name = elements.first().map_or_else(String::new, Element::name);
        let joint = match &singles[..] {
            [] => None,
            [one] => Some(single(name, one)),
            [a, b] => Some(cylindrical(name, a, b).ok_or_else(|| several(body))?),
            _ => return Err(several(body)),
        };
        Ok(Self { joint, free: false, pose })
    }
}

fn several(body: &Element) -> Error {
    body.refusal("several joints between two bodies: only a slide and a hinge along one axis are read")
}

fn single(name: String, one: &Single) -> ModelJoint {
    let is_slide = one.kind == ModelJointKind::Prismatic;
    let mut joint = ModelJoint {
        name,
        kind: one.kind,
        links: [None, None],
        anchor: one.anchor,
        axis: one.axis,
        position: one.position,
        slide_limits: one.limits.filter(|_| is_slide),
        angle_limits: one.limits.filter(|_| !is_slide),
        motors: Vec::new(),
        collide: false,
    };
    if joint.driven().is_some() {
        joint.resist(one.friction, one.spring, one.damping);
    }
    joint
}

/// A slide and a hinge along one axis.
fn cylindrical(name: String, a: &Single, b: &Single) -> Option<ModelJoint> {
    let (slide, hinge) = match (a.kind, b.kind) {
        (ModelJointKind::Prismatic, ModelJointKind::Revolute) => (a, b),
        (ModelJointKind::Revolute, ModelJointKind::Prismatic) => (b, a),
        _ => return None,
    };
    let cosine = slide.axis.dot(&hinge.axis);
    let resists = |one: &Single| one.friction > 0.0 || one.spring.0 > 0.0 || one.damping > 0.0;
    if slide.axis.cross(&hinge.axis).norm() > SAME_AXIS || resists(slide) || resists(hinge) {
        return None;
    }
    // Both count from where they are.
    let from_here = |one: &Single| one.limits.map(|limits| limits.map(|end| end - one.position));
    let turn = |[low, high]: [f64; 2]| if cosine > 0.0 { [low, high] } else { [-high, -low] };
    Some(ModelJoint {
        name,
        kind: ModelJointKind::Cylindrical,
        links: [None, None],
        anchor: hinge.anchor,
        axis: hinge.axis,
        position: 0.0,
        slide_limits: from_here(slide).map(turn),
        angle_limits: from_here(hinge),
        motors: Vec::new(),
        collide: false,
    })
}

/// Reads a joint and moves the frame of the body to its position.
fn read(element: &Element, compiler: &Compiler, pose: &mut Pose, positions: &Positions) -> Result<Single> {
    let text = element.get("type").unwrap_or("hinge");
    let kind = match text {
        "hinge" => ModelJointKind::Revolute,
        "slide" => ModelJointKind::Prismatic,
        "ball" => ModelJointKind::Ball,
        other => return Err(element.fault("type", other, "must be free, ball, slide or hinge")),
    };
    let axis = Vector3::from(element.numbers("axis")?.unwrap_or([0.0, 0.0, 1.0]));
    let short = || element.fault("axis", element.get("axis").unwrap_or_default(), "has no length");
    let axis = pose.orientation * Unit::try_new(axis, 1e-14).ok_or_else(short)?.into_inner();
    let anchor = pose.point(&Vector3::from(element.numbers("pos")?.unwrap_or_default()));
    let scaled = |value: f64| if kind == ModelJointKind::Revolute { compiler.angle(value) } else { value };
    let reference = scaled(element.number("ref")?.unwrap_or(0.0));
    let position = positions.get(&element.name()).copied().unwrap_or(reference);
    let moved = position - reference;
    match kind {
        ModelJointKind::Revolute => *pose = turned(pose, &axis, &anchor, moved),
        ModelJointKind::Prismatic => pose.position += axis * moved,
        _ => {}
    }
    let range = element.numbers::<2>("range")?;
    let limited = match element.get("limited") {
        Some("true") => true,
        Some("false") => false,
        _ => compiler.autolimits && range.is_some(),
    };
    let limits = range.filter(|_| limited && kind != ModelJointKind::Ball);
    let limits = limits.map(|range| range.map(scaled));
    let number = |name: &str| Ok::<_, Error>(element.number(name)?.unwrap_or(0.0));
    let (friction, damping) = (number("frictionloss")?, number("damping")?);
    let spring = (number("stiffness")?, scaled(number("springref")?));
    Ok(Single { kind, anchor, axis, position, limits, friction, spring, damping })
}
