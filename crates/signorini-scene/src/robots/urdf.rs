//! URDF, the format of ROS: <https://wiki.ros.org/urdf/XML>.

use super::build::turned;
use super::model::{
    Geom, GeomShape, Inertia, Link, Mask, Model, ModelControl, ModelCoupling, ModelJoint, ModelJointKind,
    Positions, Surface,
};
use super::model_files::{MAX_DEPTH, ModelFiles};
use super::urdf_known;
use super::xml::Element;
use crate::scene::{Drive, Motor, is_mesh};
use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3};
use signorini_error::{Error, Result};
use signorini_geometry::Pose;
use std::collections::HashMap;
use std::path::PathBuf;

/// Most joints between the root of a robot and a link.
const MAX_CHAIN: usize = MAX_DEPTH;

/// Reads a robot from its outermost element, its joints at the given positions. Its root moves freely or not
/// at all.
///
/// # Errors
/// When a file cannot be read or a value is wrong, or the links are no tree.
pub fn read(root: &Element, files: &ModelFiles, positions: &Positions, free_root: bool) -> Result<Model> {
    if root.attributes.iter().any(|(_, value)| value.contains("${"))
        || root.children.iter().any(|c| c.tag == "macro")
    {
        return Err(root.refusal("has macros: run `xacro` over the file first"));
    }
    let mut model = Model::default();
    urdf_known::check(root, &mut model);
    let links: HashMap<String, &Element> = root.all("link").map(|link| (link.name(), link)).collect();
    let mut children: HashMap<&str, Vec<&Element>> = HashMap::new();
    let mut is_child: HashMap<&str, &Element> = HashMap::new();
    for joint in root.all("joint") {
        let (parent, child) = (end(joint, "parent", &links)?, end(joint, "child", &links)?);
        children.entry(parent).or_default().push(joint);
        if is_child.insert(child, joint).is_some() {
            return Err(joint.refusal("its child has two parents: links must be a tree"));
        }
    }
    let mut roots = root.all("link").filter(|link| !is_child.contains_key(link.name().as_str()));
    let Some(first) = roots.next() else { return Err(root.refusal("no link is the root")) };
    if let Some(second) = roots.next() {
        return Err(second.refusal(&format!("is a second root beside {:?}", first.name())));
    }
    let mut tree = Tree { links, children, files, positions, model };
    tree.model.links.push(link(first, Pose::identity(), !free_root));
    tree.fill(first, 0, &Pose::identity())?;
    tree.descend(&first.name(), 0, &Pose::identity(), MAX_CHAIN)?;
    tree.model.controls = controls(root, &tree.model);
    couple(root, &mut tree.model)?;
    Ok(tree.model)
}

/// The motors that efforts give, in the order of the file.
fn controls(root: &Element, model: &Model) -> Vec<ModelControl> {
    let of_joint = |element: &Element| {
        let name = element.name();
        let joint = model.joints.iter().position(|joint| joint.name == name)?;
        let has_motor = model.joints[joint].motors.iter().any(|motor| motor.name == name);
        has_motor.then_some(ModelControl { motor: name, joint, range: None })
    };
    root.all("joint").filter_map(of_joint).collect()
}

/// Adds the couplings of mimic joints.
fn couple(root: &Element, model: &mut Model) -> Result<()> {
    for joint in root.all("joint") {
        let Some(mimic) = joint.child("mimic") else { continue };
        let place = |name: &str| model.joints.iter().position(|joint| joint.name == name);
        let Some(of) = place(&joint.name()) else { continue };
        let leader = mimic.get("joint").unwrap_or_default();
        if !root.all("joint").any(|joint| joint.name() == leader) {
            return Err(mimic.fault("joint", leader, "there is no such joint"));
        }
        let is_coupled = |joint: usize| model.joints[joint].driven().is_some();
        match place(leader) {
            Some(to) if is_coupled(of) && is_coupled(to) => {
                let number =
                    |name: &str, default: f64| Ok::<_, Error>(mimic.number(name)?.unwrap_or(default));
                let line = [number("offset", 0.0)?, number("multiplier", 1.0)?];
                model.couplings.push(ModelCoupling {
                    name: joint.name(),
                    place: mimic.origin(),
                    joints: [of, to],
                    coefficients: ModelCoupling::about(&line, 0.0, 0.0),
                });
            }
            _ => {
                let kinds = "only of revolute, continuous and prismatic joints";
                model.drop(mimic, format!("of {:?}: joint = {leader:?}: {kinds}", joint.name()));
            }
        }
    }
    Ok(())
}

fn link(element: &Element, pose: Pose, fixed: bool) -> Link {
    let (name, place) = (element.name(), element.origin());
    Link { name, place, pose, inertia: Inertia::none(), geoms: Vec::new(), fixed, between: None }
}

/// The name of the link at an end of a joint.
fn end<'a>(joint: &'a Element, which: &str, links: &HashMap<String, &Element>) -> Result<&'a str> {
    let element = joint.child(which).ok_or_else(|| joint.refusal(&format!("needs a <{which}>")))?;
    let name = element.get("link").unwrap_or_default();
    if links.contains_key(name) {
        Ok(name)
    } else {
        Err(element.fault("link", name, "there is no such link"))
    }
}

struct Tree<'a> {
    links: HashMap<String, &'a Element>,
    children: HashMap<&'a str, Vec<&'a Element>>,
    files: &'a ModelFiles,
    positions: &'a Positions,
    model: Model,
}

impl<'a> Tree<'a> {
    /// Reads the tree of links that hangs on a link, whose frame is at a pose of the world.
    fn descend(&mut self, name: &str, around: usize, pose: &Pose, left: usize) -> Result<()> {
        for joint in self.children.get(name).cloned().unwrap_or_default() {
            if left == 0 {
                return Err(joint.refusal(&format!("more than {MAX_CHAIN} joints hang on each other")));
            }
            let child = end(joint, "child", &self.links)?.to_owned();
            let start = pose.compose(&origin(joint)?);
            let (found, placed) = read_joint(joint, &start, self.positions, &mut self.model)?;
            let inner = match found {
                Found::Welded => around,
                Found::Free | Found::Joint(_) => {
                    self.model.links.push(link(self.links[&child], placed, false));
                    self.model.links.len() - 1
                }
            };
            if let Found::Joint(joint) = found {
                self.model.joints.push(ModelJoint { links: [Some(around), Some(inner)], ..*joint });
            }
            let element = self.links[&child];
            self.fill(element, inner, &placed)?;
            self.descend(&child, inner, &placed, left - 1)?;
        }
        Ok(())
    }

    /// Adds mass and shapes of a link of the file to one of the model.
    fn fill(&mut self, element: &Element, link: usize, pose: &Pose) -> Result<()> {
        urdf_known::check(element, &mut self.model);
        let frame = self.model.links[link].pose;
        let back = frame.orientation.inverse();
        let place =
            Pose { position: back * (pose.position - frame.position), orientation: back * pose.orientation };
        if let Some(inertial) = element.child("inertial") {
            let inertia = read_inertia(inertial, &element.name())?.placed(&place);
            let target = &mut self.model.links[link];
            target.inertia = target.inertia.with(&inertia);
        }
        for collision in element.all("collision") {
            let Some(geometry) = collision.child("geometry") else {
                return Err(collision.refusal(&format!("of {:?} needs a <geometry>", element.name())));
            };
            let pose = place.compose(&origin(collision)?);
            match self.shape(geometry)? {
                Some(shape) => {
                    let surface = Surface::default();
                    let (mask, place) = (Mask::ALL, collision.origin());
                    let geom = Geom { name: None, shape, pose, surface, mask, place };
                    self.model.links[link].geoms.push(geom);
                }
                None => {
                    let kind = geometry.children.first().map_or("nothing", |child| child.tag.as_str());
                    let file = geometry.children.first().and_then(|c| c.get("filename")).unwrap_or_default();
                    self.model.drop_shape(collision, link, format!("of {:?}: {kind} {file}", element.name()));
                }
            }
        }
        Ok(())
    }

    /// The shape of a geometry; None of a geometry that scenes do not have.
    fn shape(&self, geometry: &Element) -> Result<Option<GeomShape>> {
        let Some(shape) = geometry.children.first() else { return Ok(None) };
        let need = |name: &str| {
            let number = shape.number(name)?.ok_or_else(|| shape.refusal(&format!("needs {name}")))?;
            match number > 0.0 {
                true => Ok(number),
                false => Err(shape.fault(name, shape.get(name).unwrap_or_default(), "must be > 0")),
            }
        };
        Ok(match shape.tag.as_str() {
            "sphere" => Some(GeomShape::Sphere { radius: need("radius")? }),
            "cylinder" => Some(GeomShape::Cylinder { radius: need("radius")?, length: need("length")? }),
            "capsule" => Some(GeomShape::Capsule { radius: need("radius")?, length: need("length")? }),
            "box" => {
                let size = shape.numbers::<3>("size")?.ok_or_else(|| shape.refusal("needs size"))?;
                if !size.iter().all(|length| *length > 0.0) {
                    return Err(shape.fault("size", shape.get("size").unwrap_or_default(), "must be > 0"));
                }
                Some(GeomShape::Box { half_extents: size.map(|length| 0.5 * length) })
            }
            "mesh" => {
                let scale = shape.numbers("scale")?.unwrap_or([1.0; 3]);
                let name = shape.get("filename").unwrap_or_default();
                let file =
                    self.mesh(name).transpose().map_err(|fault| shape.fault("filename", name, fault))?;
                file.map(|file| GeomShape::Mesh { file, scale })
            }
            _ => None,
        })
    }

    /// The file of a mesh that can be read: beside the robot, or in a package around it; None where there is
    /// none. The error describes the fault of the name or the file.
    fn mesh(&self, name: &str) -> Option<std::result::Result<PathBuf, String>> {
        let ending = name.rsplit('.').next()?.to_ascii_lowercase();
        if !is_mesh(&ending) {
            return None;
        }
        let Some(inner) = name.strip_prefix("package://") else {
            let name = name.strip_prefix("file://").unwrap_or(name);
            return self.files.has(name).then(|| self.files.find(name));
        };
        self.files.find_in_package(inner)
    }
}

/// `<origin xyz rpy>`: rotation about the fixed axes x, y, z in this order.
fn origin(element: &Element) -> Result<Pose> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::identity()) };
    let [roll, pitch, yaw] = origin.numbers("rpy")?.unwrap_or_default();
    let position = Vector3::from(origin.numbers("xyz")?.unwrap_or_default());
    Ok(Pose { position, orientation: UnitQuaternion::from_euler_angles(roll, pitch, yaw) })
}

/// The inertia of a link.
fn read_inertia(element: &Element, link: &str) -> Result<Inertia> {
    let number = |element: &Element, name: &str| Ok::<_, Error>(element.number(name)?.unwrap_or(0.0));
    let mass = element.child("mass").map_or(Ok(0.0), |mass| number(mass, "value"))?;
    if let Some(given) = element.child("mass").filter(|_| mass < 0.0) {
        let text = given.get("value").unwrap_or_default();
        return Err(given.fault("value", text, format!("the mass of link {link:?} must be ≥ 0")));
    }
    let pose = origin(element)?;
    let mut tensor = Matrix3::zeros();
    if let Some(inertia) = element.child("inertia") {
        let entry = |name| number(inertia, name);
        let (xx, yy, zz) = (entry("ixx")?, entry("iyy")?, entry("izz")?);
        let (xy, xz, yz) = (entry("ixy")?, entry("ixz")?, entry("iyz")?);
        tensor = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    }
    let axes = pose.orientation.to_rotation_matrix();
    Ok(Inertia { mass, center: pose.position, tensor: axes * tensor * axes.inverse() })
}

/// Result of reading a joint.
enum Found {
    Welded,
    Free,
    Joint(Box<ModelJoint>),
}

/// Reads a joint whose frame is at `start`, and the frame of its child at the position of the joint.
fn read_joint(
    joint: &Element,
    start: &Pose,
    positions: &Positions,
    model: &mut Model,
) -> Result<(Found, Pose)> {
    urdf_known::check(joint, model);
    let text = joint.get("type").unwrap_or_default();
    let (kind, is_limited) = match text {
        "fixed" => return Ok((Found::Welded, *start)),
        "floating" => return Ok((Found::Free, *start)),
        "revolute" => (ModelJointKind::Revolute, true),
        "continuous" => (ModelJointKind::Revolute, false),
        "prismatic" => (ModelJointKind::Prismatic, true),
        "spherical" => (ModelJointKind::Ball, false),
        "planar" => (ModelJointKind::Planar, false),
        other => {
            let allowed = "must be fixed, floating, planar, revolute, continuous, prismatic or spherical";
            return Err(joint.fault("type", other, allowed));
        }
    };
    let given = joint.child("axis").map(|axis| axis.numbers("xyz")).transpose()?.flatten();
    let axis = Unit::try_new(Vector3::from(given.unwrap_or([1.0, 0.0, 0.0])), 1e-14);
    let axis = start.orientation * axis.ok_or_else(|| joint.refusal("its axis has no length"))?.into_inner();
    let position = positions.get(&joint.name()).copied().unwrap_or(0.0);
    let mut placed = *start;
    match kind {
        ModelJointKind::Revolute => placed = turned(start, &axis, &start.position, position),
        ModelJointKind::Prismatic => placed.position += axis * position,
        _ => {}
    }
    let limits = match joint.child("limit").filter(|_| is_limited) {
        Some(limit) => Some([limit.number("lower")?.unwrap_or(0.0), limit.number("upper")?.unwrap_or(0.0)]),
        None => None,
    };
    let is_slide = kind == ModelJointKind::Prismatic;
    let found = ModelJoint {
        name: joint.name(),
        place: joint.origin(),
        kind,
        links: [None, None],
        anchor: start.position,
        axis,
        position,
        reference: 0.0,
        slide_limits: limits.filter(|_| is_slide),
        angle_limits: limits.filter(|_| !is_slide),
        motors: Vec::new(),
        armature: 0.0,
        collide: false,
    };
    Ok((Found::Joint(Box::new(driven(joint, found, model)?)), placed))
}

/// The joint with its friction and its damper, and a motor bounded by its effort.
fn driven(joint: &Element, mut found: ModelJoint, model: &mut Model) -> Result<ModelJoint> {
    let number = |child: &str, name: &str| {
        let number = joint.child(child).map(|element| element.not_negative(name)).transpose()?.flatten();
        Ok::<_, Error>(number.unwrap_or(0.0))
    };
    let effort = number("limit", "effort")?;
    let (friction, damping) = (number("dynamics", "friction")?, number("dynamics", "damping")?);
    if found.driven().is_none() {
        for (child, name, value) in [
            ("limit", "effort", effort),
            ("dynamics", "friction", friction),
            ("dynamics", "damping", damping),
        ] {
            if let Some(element) = joint.child(child).filter(|_| value > 0.0) {
                let kinds = "only of revolute, continuous and prismatic joints";
                model.drop(element, format!("of {:?}: {name} = {value:?}: {kinds}", joint.name()));
            }
        }
        return Ok(found);
    }
    if effort > 0.0 {
        let drive = Drive::Force { force: 0.0.into() };
        found.motors.push(Motor { name: found.name.clone(), drive, largest_force: effort });
    }
    found.resist(friction, (0.0, 0.0), damping);
    Ok(found)
}
