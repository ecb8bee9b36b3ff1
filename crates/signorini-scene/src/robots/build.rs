//! From a model to a scene.

use super::couplings;
use super::model::{Geom, GeomShape, Link, Model, ModelControl, ModelJoint, ModelJointKind, Surface};
use crate::scene::file::Meshes;
use crate::scene::{
    Axis, Body, BodyBuilder, BodyId, Control, Coordinate, Friction, Joint, JointBuilder, Material, Scene,
    SceneBuilder,
};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use signorini_error::Result;
use signorini_geometry::Pose;

/// Radius of the sphere that a link without shapes gets, as a fraction of its radius of gyration.
const STAND_IN_RADIUS: f64 = 0.05;

/// Time step of a model that has none (s).
const TIME_STEP: f64 = 0.002;
/// Duration of a run of a model (s).
const DURATION: f64 = 1.0;

/// The scene of a model, with meshes that may be known already.
///
/// # Errors
/// All faults that the checks of the scene find, by the names of the scene.
pub fn scene_of(model: &Model, meshes: &mut Meshes) -> Result<Scene> {
    let mut builder = Scene::builder();
    builder.time_step(model.time_step.unwrap_or(TIME_STEP)).duration(DURATION);
    if let Some(gravity) = model.gravity {
        builder.gravity(gravity);
    }
    let surfaces = surfaces_of(model);
    for (i, surface) in surfaces.iter().enumerate() {
        builder.material(Material::new(name_of(i)));
        for (j, other) in surfaces[..=i].iter().enumerate() {
            builder.friction_between(&name_of(j), &name_of(i), friction_of(model, surface, other));
        }
    }
    let material =
        |surface: &Surface| surfaces.iter().position(|s| s == surface).map_or_else(String::new, name_of);
    let ids: Vec<BodyId> = model.links.iter().map(|link| builder.body(body_of(link, &material))).collect();
    let world = world_of(model, &ids, &mut builder);
    for joint in &model.joints {
        let id = |link: Option<usize>| link.map_or(world, |link| Some(ids[link]));
        if let (Some(a), Some(b)) = (id(joint.links[0]), id(joint.links[1])) {
            builder.joint(joint_of(joint, a, b));
        }
    }
    for [a, b] in &model.excluded {
        builder.exclude(ids[*a], ids[*b]);
    }
    // Links between joints have no contact.
    let is_between = |link: usize| model.links[link].between.is_some();
    for b in 0..ids.len() {
        for a in (0..b).filter(|a| is_between(*a) || is_between(b)) {
            builder.exclude(ids[a], ids[b]);
        }
    }
    let mut scene = builder.build_with_meshes(meshes)?;
    finish(&mut scene, model);
    Ok(scene)
}

/// The surfaces that occur, in the order of their first occurrence.
fn surfaces_of(model: &Model) -> Vec<Surface> {
    let mut found: Vec<Surface> = Vec::new();
    for geom in model.links.iter().flat_map(|link| &link.geoms) {
        if !found.contains(&geom.surface) {
            found.push(geom.surface);
        }
    }
    if found.is_empty() {
        found.push(Surface::default());
    }
    found
}

fn name_of(surface: usize) -> String {
    format!("surface-{surface}")
}

/// Friction between two surfaces: that of a pair, if one names both geoms.
fn friction_of(model: &Model, a: &Surface, b: &Surface) -> Friction {
    let numbers = a.own.zip(b.own).map(|(a, b)| [a.min(b), a.max(b)]);
    let pair = model.pairs.iter().find(|pair| Some(pair.geoms) == numbers);
    pair.map_or_else(|| friction(a, b), |pair| friction(&pair.friction, &pair.friction))
}

/// Of two surfaces in contact the larger of each number counts, as in MJCF.
fn friction(a: &Surface, b: &Surface) -> Friction {
    let (slide, torsion) = (a.slide.max(b.slide), a.torsion.max(b.torsion));
    let dimension = a.dimension.max(b.dimension);
    let friction = match dimension {
        0..=2 => Friction::coulomb(0.0),
        3 => Friction::coulomb(slide),
        _ if slide > 0.0 => Friction::coulomb(slide).with_torsion(torsion / slide),
        _ => Friction::coulomb(0.0),
    };
    if dimension >= 6 { friction.with_rolling(a.rolling.max(b.rolling)) } else { friction }
}

fn body_of(link: &Link, material: &impl Fn(&Surface) -> String) -> BodyBuilder {
    // A fixed link keeps its frame; one that moves has it at its centre of mass.
    let center = if link.fixed { Vector3::zeros() } else { link.inertia.center };
    let mut parts: Vec<BodyBuilder> = Vec::new();
    for geom in &link.geoms {
        parts.push(shape_of(geom, &center, &material(&geom.surface)));
    }
    if let [Geom { shape: GeomShape::Plane, pose, surface, .. }] = &link.geoms[..] {
        let placed = link.pose.compose(pose);
        let normal = placed.orientation * Vector3::z();
        let plane = Body::half_space(normal, normal.dot(&placed.position));
        return plane.material(material(surface)).named(&link.name);
    }
    if parts.is_empty() {
        let mean = link.inertia.tensor.trace() / 3.0 / link.inertia.mass.max(f64::MIN_POSITIVE);
        let radius = if link.fixed { STAND_IN_RADIUS } else { STAND_IN_RADIUS * mean.sqrt() };
        parts.push(Body::sphere(radius).material(name_of(0)));
    }
    let body = Body::compound(parts).named(&link.name).material(name_of(0));
    let body = body.at(link.pose.point(&center)).orientation(link.pose.orientation);
    if link.fixed {
        return body.fixed();
    }
    body.mass(link.inertia.mass).inertia(entries(&link.inertia.tensor))
}

/// Entries xx, yy, zz, xy, xz, yz of a tensor.
fn entries(t: &Matrix3<f64>) -> [f64; 6] {
    [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]]
}

/// The shape of a geom about a centre.
fn shape_of(geom: &Geom, center: &Vector3<f64>, material: &str) -> BodyBuilder {
    let part = match &geom.shape {
        GeomShape::Sphere { radius } => Body::sphere(*radius),
        GeomShape::Ellipsoid { semi_axes } => Body::ellipsoid(*semi_axes),
        GeomShape::Box { half_extents } => Body::box_(*half_extents),
        GeomShape::Cylinder { radius, length } => Body::cylinder(*radius, *length),
        GeomShape::Capsule { radius, length } => Body::capsule(*radius, *length),
        GeomShape::Mesh { file, scale } => Body::mesh(file, *scale),
        GeomShape::Hull { points } => Body::polytope(points.iter().copied()),
        GeomShape::Plane => Body::half_space([0.0, 0.0, 1.0], 0.0),
    };
    part.at(geom.pose.position - center).orientation(geom.pose.orientation).material(material)
}

/// The body that stands for the world where joints end at the world: without one, a sphere that touches
/// nothing.
fn world_of(model: &Model, ids: &[BodyId], builder: &mut SceneBuilder) -> Option<BodyId> {
    let joint = model.joints.iter().find(|joint| joint.links.contains(&None))?;
    let there = model.links.iter().position(|link| link.fixed);
    Some(there.map_or_else(
        || {
            let sphere =
                Body::sphere(STAND_IN_RADIUS).fixed().at(joint.anchor).named("world").material(name_of(0));
            let world = builder.body(sphere);
            ids.iter().for_each(|id| {
                builder.exclude(world, *id);
            });
            world
        },
        |link| ids[link],
    ))
}

fn joint_of(joint: &ModelJoint, a: BodyId, b: BodyId) -> JointBuilder {
    let built = match joint.kind {
        ModelJointKind::Fixed => Joint::fixed(a, b),
        ModelJointKind::Ball => Joint::ball(a, b, joint.anchor),
        ModelJointKind::Revolute => Joint::revolute(a, b, joint.anchor, joint.axis),
        ModelJointKind::Prismatic => Joint::prismatic(a, b, joint.axis),
        ModelJointKind::Cylindrical => Joint::cylindrical(a, b, joint.anchor, joint.axis),
        ModelJointKind::Universal { second } => {
            Joint::universal(a, b, joint.anchor, [joint.axis.into(), second.into()])
        }
        ModelJointKind::Planar => Joint::planar(a, b, joint.anchor, joint.axis),
    };
    let mut built = built.named(&joint.name);
    if joint.collide {
        built = built.collide();
    }
    built
}

/// Gives the joints of a scene limits and motors, and counts their coordinates as the model does.
fn finish(scene: &mut Scene, model: &Model) {
    let mut controls: Vec<(usize, Control)> = Vec::new();
    for (place, joint) in scene.joints.iter_mut().enumerate() {
        let Some(number) = model.joints.iter().position(|from| from.name == joint.name) else { continue };
        let from = &model.joints[number];
        let frame = &mut joint.frames[0];
        match from.driven() {
            Some(Axis::Angle) => {
                frame.orientation *= UnitQuaternion::from_scaled_axis(Vector3::z() * -from.position);
            }
            Some(_) => frame.position -= frame.orientation * Vector3::z() * from.position,
            None => {}
        }
        for (axis, limits) in [(Axis::Slide, from.slide_limits), (Axis::Angle, from.angle_limits)] {
            let is_driven = from.driven() == Some(axis);
            let motors = if is_driven { from.motors.clone() } else { Vec::new() };
            let armature = if is_driven { from.armature } else { 0.0 };
            if limits.is_some() || !motors.is_empty() || armature > 0.0 {
                let start = if is_driven { from.position } else { 0.0 };
                let of_motor = |motor: usize| {
                    let is_it = |c: &ModelControl| c.joint == number && c.motor == motors[motor].name;
                    let order = model.controls.iter().position(is_it)?;
                    let motor = [place, joint.coordinates.len(), motor];
                    Some((order, Control { motor, range: model.controls[order].range }))
                };
                controls.extend((0..motors.len()).filter_map(of_motor));
                joint.coordinates.push(Coordinate { axis, limits, motion: None, motors, armature, start });
            }
        }
    }
    controls.sort_by_key(|(order, _)| *order);
    scene.controls = controls.into_iter().map(|(_, control)| control).collect();
    couplings::add(scene, model);
}

/// The pose of a frame rotated about a line through a point.
pub fn turned(pose: &Pose, axis: &Vector3<f64>, anchor: &Vector3<f64>, angle: f64) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(axis * angle);
    Pose { position: anchor + turn * (pose.position - anchor), orientation: turn * pose.orientation }
}
