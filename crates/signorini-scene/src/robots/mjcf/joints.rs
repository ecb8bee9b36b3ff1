//! Joints of a body: its motions relative to its parent.

use super::super::between::are_independent;
use super::super::build::turned;
use super::super::model::{ModelJoint, ModelJointKind, Positions};
use super::super::xml::Element;
use super::document::Compiler;
use nalgebra::{Unit, Vector3};
use signorini_error::{Error, Result};
use signorini_geometry::Pose;

/// Axes that differ by less are one.
const SAME_AXIS: f64 = 1e-9;
/// Axes whose volume is less are not independent.
const INDEPENDENT: f64 = 1e-3;

/// The joints of a body.
pub fn elements(body: &Element) -> impl Iterator<Item = &Element> {
    body.children.iter().filter(|child| child.tag == "joint" || child.tag == "freejoint")
}

/// Joints of a body, and its frame.
pub struct BodyJoints {
    /// Its joints, from the parent on; the links are filled in by the caller.
    pub joints: Vec<ModelJoint>,
    /// Frames in the world of the links between its joints, one fewer.
    pub between: Vec<Pose>,
    /// Whether the body moves freely.
    pub free: bool,
    /// Attributes of its joints that are not taken over, by the place of the joint in the list.
    pub lost: Vec<(usize, String)>,
    /// Its frame in the world, joints at their positions.
    pub pose: Pose,
}

/// A hinge, a slide or a ball.
struct SingleJoint {
    kind: ModelJointKind,
    /// In the world, before this joint moves.
    anchor: Vector3<f64>,
    axis: Vector3<f64>,
    position: f64,
    reference: f64,
    limits: Option<[f64; 2]>,
    friction: f64,
    /// Stiffness, and the position without force.
    spring: (f64, f64),
    damping: f64,
    armature: f64,
    /// Whether the joint has an actuator, or is coupled with another one.
    is_driven: bool,
}

impl BodyJoints {
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
            let lost = lost_of(elements, compiler)?;
            return Ok(Self { joints: Vec::new(), between: Vec::new(), free: true, lost, pose });
        }
        let mut singles = Vec::new();
        for element in elements {
            singles.push(read(element, compiler, &mut pose, positions)?);
        }
        let lost = lost_of(elements, compiler)?;
        let mut found = Self { joints: Vec::new(), between: Vec::new(), free: false, lost, pose };
        if singles.is_empty() {
            return Ok(found);
        }
        if let Some(one) = as_one(elements, &singles) {
            found.joints.push(one);
            return Ok(found);
        }
        found.joints.extend(elements.iter().zip(&singles).map(|(element, one)| single(element, one)));
        if !are_independent(&found.joints) {
            return Err(body.refusal("several joints that move the body in the same way"));
        }
        let frame = |one: &SingleJoint| Pose { position: one.anchor, orientation: pose.orientation };
        found.between = singles.iter().skip(1).map(frame).collect();
        Ok(found)
    }
}

/// Attributes of balls and free joints that act, which scenes have of hinges and slides only.
fn lost_of(elements: &[Element], compiler: &Compiler) -> Result<Vec<(usize, String)>> {
    let mut lost = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        let kind = element.get("type").unwrap_or(if element.tag == "joint" { "hinge" } else { "free" });
        if !["ball", "free"].contains(&kind) {
            continue;
        }
        let mut acting = Vec::new();
        for name in ["damping", "stiffness", "frictionloss", "armature"] {
            let acts = element.list(name, element.get(name).unwrap_or_default())?.iter().any(|x| *x != 0.0);
            acting.extend(acts.then_some(name));
        }
        if kind == "ball" && compiler.limits(element, "range", "limited")?.is_some() {
            acting.push("range");
        }
        let written = |name: &&str| format!("{name} = {:?}", element.get(name).unwrap_or_default());
        let written: Vec<String> = acting.iter().map(written).collect();
        if !written.is_empty() {
            lost.push((
                i,
                format!("{:?}: {}: only of hinges and slides", element.name(), written.join(", ")),
            ));
        }
    }
    Ok(lost)
}

/// Several joints as one, where nothing acts on them: by the motions that they leave free.
fn as_one(elements: &[Element], singles: &[SingleJoint]) -> Option<ModelJoint> {
    match singles {
        [_] => None,
        [a, b] if a.kind != b.kind => cylindrical(&elements[0], a, b),
        _ if singles.iter().any(SingleJoint::is_acted_on) => None,
        _ => combined(elements, singles),
    }
}

impl SingleJoint {
    /// Whether the joint has limits, an actuator, friction, a spring, a damper or an armature.
    fn is_acted_on(&self) -> bool {
        self.limits.is_some()
            || self.is_driven
            || self.friction > 0.0
            || self.spring.0 > 0.0
            || self.damping > 0.0
            || self.armature > 0.0
    }
}

/// Two or three hinges through one point, or two slides and a hinge across both, without the loads on each.
fn combined(elements: &[Element], singles: &[SingleJoint]) -> Option<ModelJoint> {
    let is = |one: &&SingleJoint, kind| one.kind == kind;
    let hinges: Vec<&SingleJoint> = singles.iter().filter(|one| is(one, ModelJointKind::Revolute)).collect();
    let slides: Vec<&SingleJoint> = singles.iter().filter(|one| is(one, ModelJointKind::Prismatic)).collect();
    let at_one_point = || hinges.iter().all(|h| (h.anchor - hinges[0].anchor).norm() <= SAME_AXIS);
    let (kind, first) = match (&hinges[..], &slides[..]) {
        ([a, b], []) if at_one_point() && a.axis.dot(&b.axis).abs() <= SAME_AXIS => {
            (ModelJointKind::Universal { second: b.axis }, a)
        }
        ([a, b, c], []) if at_one_point() && a.axis.cross(&b.axis).dot(&c.axis).abs() > INDEPENDENT => {
            (ModelJointKind::Ball, a)
        }
        ([hinge], [a, b]) => {
            let normal = a.axis.cross(&b.axis);
            let is_across = normal.norm() > INDEPENDENT && hinge.axis.cross(&normal).norm() <= SAME_AXIS;
            is_across.then_some((ModelJointKind::Planar, hinge))?
        }
        _ => return None,
    };
    Some(ModelJoint {
        name: elements.iter().map(Element::name).collect::<Vec<_>>().join(" + "),
        place: elements[0].origin(),
        kind,
        links: [None, None],
        anchor: first.anchor,
        axis: first.axis,
        position: 0.0,
        reference: 0.0,
        slide_limits: None,
        angle_limits: None,
        motors: Vec::new(),
        armature: 0.0,
        collide: false,
    })
}

fn single(element: &Element, one: &SingleJoint) -> ModelJoint {
    let is_slide = one.kind == ModelJointKind::Prismatic;
    let mut joint = ModelJoint {
        name: element.name(),
        place: element.origin(),
        kind: one.kind,
        links: [None, None],
        anchor: one.anchor,
        axis: one.axis,
        position: one.position,
        reference: one.reference,
        slide_limits: one.limits.filter(|_| is_slide),
        angle_limits: one.limits.filter(|_| !is_slide),
        motors: Vec::new(),
        armature: 0.0,
        collide: false,
    };
    if joint.driven().is_some() {
        joint.resist(one.friction, one.spring, one.damping);
        joint.armature = one.armature;
    }
    joint
}

/// A slide and a hinge along one axis, on which nothing but limits acts.
fn cylindrical(element: &Element, a: &SingleJoint, b: &SingleJoint) -> Option<ModelJoint> {
    let (slide, hinge) = match (a.kind, b.kind) {
        (ModelJointKind::Prismatic, ModelJointKind::Revolute) => (a, b),
        (ModelJointKind::Revolute, ModelJointKind::Prismatic) => (b, a),
        _ => return None,
    };
    let cosine = slide.axis.dot(&hinge.axis);
    let resists = |one: &SingleJoint| SingleJoint { limits: None, ..*one }.is_acted_on();
    if slide.axis.cross(&hinge.axis).norm() > SAME_AXIS || resists(slide) || resists(hinge) {
        return None;
    }
    // Both coordinates count from their present values.
    let from_here = |one: &SingleJoint| one.limits.map(|limits| limits.map(|end| end - one.position));
    let turn = |[low, high]: [f64; 2]| if cosine > 0.0 { [low, high] } else { [-high, -low] };
    Some(ModelJoint {
        name: element.name(),
        place: element.origin(),
        kind: ModelJointKind::Cylindrical,
        links: [None, None],
        anchor: hinge.anchor,
        axis: hinge.axis,
        position: 0.0,
        reference: 0.0,
        slide_limits: from_here(slide).map(turn),
        angle_limits: from_here(hinge),
        motors: Vec::new(),
        armature: 0.0,
        collide: false,
    })
}

/// Reads a joint and moves the frame of the body to its position.
fn read(
    element: &Element,
    compiler: &Compiler,
    pose: &mut Pose,
    positions: &Positions,
) -> Result<SingleJoint> {
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
    let limits = compiler.limits(element, "range", "limited")?.filter(|_| kind != ModelJointKind::Ball);
    let limits = limits.map(|range| range.map(scaled));
    let number = |name: &str| Ok::<_, Error>(element.number(name)?.unwrap_or(0.0));
    let (friction, damping) = (number("frictionloss")?, number("damping")?);
    let armature = number("armature")?;
    if armature < 0.0 {
        return Err(element.fault("armature", element.get("armature").unwrap_or_default(), "must be ≥ 0"));
    }
    let spring = (number("stiffness")?, scaled(number("springref")?));
    let is_driven = compiler.driven.contains(&element.name());
    Ok(SingleJoint {
        kind,
        anchor,
        axis,
        position,
        reference,
        limits,
        friction,
        spring,
        damping,
        armature,
        is_driven,
    })
}
