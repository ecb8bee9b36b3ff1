//! Bodies that come in and bodies that leave, from a state alone.

use super::free_place::Surroundings;
use super::model;
use super::ports::Ports;
use crate::step::{ContactRecord, FlowEvent, FlowRecord};
use nalgebra::UnitQuaternion;
use signorini_error::Result;
use signorini_geometry::Pose;
use signorini_scene::scene::{Body, BodyId, Inlet, Outlet, Scene, State};

/// A state of a scene after a step.
#[derive(Debug, Clone, Copy)]
pub struct SceneAtStep<'a> {
    /// The scene, with the bodies that are inside.
    pub scene: &'a Scene,
    /// Poses and velocities of the bodies.
    pub state: &'a State,
    /// Number of steps taken.
    pub step: usize,
}

/// Returns the bodies that come when the next step is taken, of each inlet in its order; their ids start at
/// `first_id`. The events are added to `flow`.
pub fn bodies_due(
    now: SceneAtStep<'_>,
    first_id: usize,
    ports: &mut Ports,
    flow: &mut Vec<FlowRecord>,
) -> Vec<Body> {
    let SceneAtStep { scene, state, step } = now;
    let (t, h) = (step as f64 * scene.time_step, scene.time_step);
    let mut coming: Vec<Body> = Vec::new();
    for (port, (inlet, queue)) in scene.inlets.iter().zip(&mut ports.queues).enumerate() {
        let mut there: Option<Surroundings> = None;
        while let Some(since) = queue.due(inlet, t, h) {
            let there = there.get_or_insert_with(|| {
                let mut there = Surroundings::of(inlet, scene, state);
                coming.iter().for_each(|body| there.add(body));
                there
            });
            let (shape, scale) = inlet.draw(scene.seed, port, queue.next);
            let form = inlet.grains.form(shape, scale);
            let pose = there.find(inlet, &form, &mut Inlet::places(scene.seed, port, queue.next, step));
            let place = pose.unwrap_or(Pose::identity());
            let body = inlet.grains.body(inlet.body_name(queue.next), &form, place);
            let id = pose.map(|_| BodyId::new(first_id + coming.len()));
            let record = FlowRecord {
                event: if pose.is_some() { FlowEvent::In } else { FlowEvent::Wait },
                port,
                body: body.name.clone(),
                id,
                mass: body.mass,
                shape,
                scale,
                pose,
                velocity: pose.map(|_| body.velocity),
                since,
                contacts: 0,
                impulse: 0.0,
            };
            let Some(id) = id else {
                if !std::mem::replace(&mut queue.is_waiting, true) {
                    flow.push(record);
                }
                break;
            };
            flow.push(record);
            ports.entry_times.insert(id, t);
            queue.pass(body.mass);
            there.add(&body);
            coming.push(body);
        }
    }
    coming
}

/// Returns the record of a body that is in an outlet at the end of a step, without its id and the instant at
/// which it came; None of one that stays.
pub fn leaving_record(
    scene: &Scene,
    state: &State,
    contacts: &[ContactRecord],
    index: usize,
) -> Option<FlowRecord> {
    let (body, pose, velocity) = (&scene.bodies[index], state.poses[index], state.velocities[index]);
    let holds = |outlet: &Outlet| outlet.region.holds_image(&pose.position, scene.periodic.as_ref());
    let port = scene.outlets.iter().position(holds).filter(|_| !body.fixed)?;
    let own = contacts.iter().filter(|c| c.body_a == index || c.body_b == index);
    let loaded = own.filter(|c| c.pressing() > 0.0 && c.counts());
    let (contacts, impulse) = loaded.fold((0, 0.0), |(n, sum), c| (n + 1, sum + c.impulse().norm()));
    Some(FlowRecord {
        event: FlowEvent::Out,
        port,
        body: body.name.clone(),
        id: None,
        mass: body.mass,
        shape: 0,
        scale: 1.0,
        pose: Some(pose),
        velocity: Some(velocity),
        since: 0.0,
        contacts,
        impulse,
    })
}

/// Checks that the model of the scene can run every shape that an inlet may give.
///
/// # Errors
/// When it cannot (the error says why).
pub fn check_models(scene: &Scene) -> Result<()> {
    if scene.inlets.is_empty() {
        return Ok(());
    }
    let mut full = scene.clone();
    for inlet in &scene.inlets {
        let [low, high] = inlet.region.corners();
        let pose = Pose { position: (low + high) / 2.0, orientation: UnitQuaternion::identity() };
        for (k, (form, _)) in inlet.grains.shapes.iter().enumerate() {
            full.bodies.push(inlet.grains.body(inlet.body_name(k as u64), form, pose));
        }
    }
    model::stepper_for(&full).map(drop)
}
