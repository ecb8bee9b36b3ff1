//! From a resolved [`Scene`] back to the file's tables, everything explicit.

use super::couplings::couplings_of;
use super::joints::joints_of;
use super::limits::FORMAT;
use super::measures::measures_of;
use super::motions::motions_of;
use super::motors::motors_of;
use super::periodic;
use super::ports::{inlets_of, outlets_of};
use super::raw::{
    BodyEntry, ConditionEntry, ExcludeEntry, ForceEntry, ImpulseEntry, MaterialEntry, PartEntry, SceneFile,
    SimulationEntry,
};
use super::raw_defaults::no_rotation;
use super::raw_friction::{FrictionEllipsoid, FrictionEntry};
use super::sensors::sensors_of;
use super::servos::servos_of;
use super::springs::springs_of;
use super::write_shape::{quaternion_of, shape_of, surface_of_triangles};
use crate::scene::body::{Body, Part};
use crate::scene::definition::Scene;
use crate::scene::friction::FrictionTable;
use crate::scene::load::Condition;
use crate::scene::spring::Compliance;
use signorini_geometry::Velocity;

/// The resolved scene as TOML: fills expanded, defaults filled in. Read again, the text gives the same scene,
/// bit for bit.
pub fn to_toml(scene: &Scene) -> String {
    // Serialising plain tables of numbers and strings cannot fail.
    toml::to_string(&file_of(scene)).unwrap_or_default()
}

/// The file that resolves to `scene`.
pub fn file_of(scene: &Scene) -> SceneFile {
    let body_name = |id: usize| scene.bodies[id].name.clone();
    SceneFile {
        format: FORMAT,
        simulation: SimulationEntry {
            time_step: scene.time_step,
            duration: scene.duration,
            gravity: scene.gravity.into(),
            seed: scene.seed,
        },
        solver: scene.solver.clone(),
        start: None,
        periodic: scene.periodic.as_ref().map(periodic::entry_of),
        material: scene.friction.materials.iter().enumerate().map(|m| material_of(scene, m)).collect(),
        friction: friction_of(&scene.friction),
        body: scene.bodies.iter().map(|b| body_of(b, &scene.friction)).collect(),
        bodies: Vec::new(),
        drum: Vec::new(),
        hopper: Vec::new(),
        heightfield: Vec::new(),
        press: Vec::new(),
        helix: Vec::new(),
        bowl: Vec::new(),
        arch: Vec::new(),
        container: Vec::new(),
        fill: Vec::new(),
        inlet: inlets_of(scene),
        outlet: outlets_of(scene),
        measure: measures_of(scene),
        sensor: sensors_of(scene),
        impulse: scene
            .impulses
            .iter()
            .map(|p| ImpulseEntry {
                body: body_name(p.body),
                time: (p.when.is_none() || p.time > 0.0).then_some(p.time),
                when: p.when.as_ref().map(|when| match when {
                    Condition::AngularVelocity { axis, reaches } => {
                        ConditionEntry::AngularVelocity { axis: (*axis).into(), reaches: *reaches }
                    }
                    Condition::Contact { kind } => ConditionEntry::Contact { kind: *kind },
                }),
                linear: p.linear.into(),
                angular: p.angular.into(),
            })
            .collect(),
        force: scene
            .forces
            .iter()
            .map(|f| ForceEntry {
                body: body_name(f.body),
                from: f.from,
                to: f.to,
                force: f.force.into(),
                torque: f.torque.into(),
            })
            .collect(),
        spring: springs_of(scene),
        exclude: scene.excluded.iter().map(|pair| ExcludeEntry { between: pair.map(body_name) }).collect(),
        joint: joints_of(scene),
        coupling: couplings_of(scene),
        motor: motors_of(scene),
        servo: servos_of(scene),
        motion: motions_of(scene),
    }
}

fn material_of(scene: &Scene, (index, name): (usize, &String)) -> MaterialEntry {
    let soft = scene.compliance.get(index).copied().unwrap_or(Compliance::RIGID);
    MaterialEntry {
        name: name.clone(),
        stiffness: soft.stiffness.is_finite().then_some(soft.stiffness),
        dissipation_time: soft.dissipation_time,
    }
}

fn friction_of(table: &FrictionTable) -> Vec<FrictionEntry> {
    let n = table.materials.len();
    let pairs = (0..n).flat_map(|a| (a..n).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| {
            let f = table.between(a, b);
            // The owner of the direction stands first.
            let (first, second) = if f.direction_owner == b { (b, a) } else { (a, b) };
            FrictionEntry {
                between: Some([table.materials[first].clone(), table.materials[second].clone()]),
                coefficient: f.coefficient,
                ellipsoid: FrictionEllipsoid {
                    t: f.tangential[0],
                    o: f.tangential[1],
                    r: f.torsional.into(),
                },
                direction: f.direction.map(Into::into),
                restitution: f.restitution.coefficient,
                restitution_law: f.restitution.law,
                restitution_threshold: f.restitution.threshold,
                rolling: f.rolling,
                cohesion: f.cohesion,
                mortar: f.mortar,
            }
        })
        .collect()
}

fn body_of(body: &Body, table: &FrictionTable) -> BodyEntry {
    // A fixed body needs no mass, and one that was given none holds 0.
    let has_mass = !body.fixed || body.mass != 0.0;
    let (i, first) = (&body.inertia, &body.parts[0]);
    let is_surface = body.triangles.is_some();
    let is_alone = body.parts.len() == 1 || is_surface || body.is_bore();
    let part_of = |part: &Part| PartEntry {
        mass: None,
        density: None,
        material: Some(table.materials[part.material].clone()),
        position: part.pose.position.into(),
        orientation: quaternion_of(&part.pose.orientation),
        surface_velocity: surface_of(part.surface.as_ref())[0],
        surface_angular_velocity: surface_of(part.surface.as_ref())[1],
        shape: shape_of(&part.shape),
    };
    let of_body = surface_of(first.surface.as_ref().filter(|_| is_alone));
    BodyEntry {
        name: body.name.clone(),
        fixed: Some(body.fixed),
        mass: has_mass.then_some(body.mass),
        density: None,
        inertia: has_mass.then_some([i.m11, i.m22, i.m33, i.m12, i.m13, i.m23]),
        material: table.materials[first.material].clone(),
        position: body.pose.position.into(),
        orientation: quaternion_of(&body.pose.orientation),
        velocity: body.velocity.linear.into(),
        angular_velocity: body.velocity.angular.into(),
        force: body.force.into(),
        torque: body.torque.into(),
        surface_velocity: of_body[0],
        surface_angular_velocity: of_body[1],
        shape_position: if is_alone && !is_surface { first.pose.position.into() } else { [0.0; 3] },
        shape_orientation: if is_alone && !is_surface {
            quaternion_of(&first.pose.orientation)
        } else {
            no_rotation()
        },
        shape: match &body.triangles {
            Some(surface) => Some(surface_of_triangles(surface)),
            None => is_alone.then(|| shape_of(&first.shape)),
        },
        parts: if is_alone { Vec::new() } else { body.parts.iter().map(part_of).collect() },
    }
}

/// Linear and angular surface velocity, where there is one.
fn surface_of(surface: Option<&Velocity>) -> [Option<[f64; 3]>; 2] {
    [surface.map(|v| v.linear.into()), surface.map(|v| v.angular.into())]
}
