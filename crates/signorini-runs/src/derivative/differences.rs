//! Derivatives by differences of steps that are solved again: central ones of several sizes, extrapolated,
//! with their own error bars.

use super::direction::{Direction, NOTHING, Scales};
use nalgebra::{UnitQuaternion, Vector3};

use signorini::simulation::{SavedState, Simulation};
use signorini::step::BodyTangent;
use signorini_error::Result;
use signorini_kernels::math::larger;
use signorini_scene::scene::{Motion, Scene, State, TimeFunction};

/// Largest change of the state at the end that is made, in units of the scene, and largest one of what it
/// follows from, in units of the direction. What is left of the solves' residuals counts over the former.
const LARGEST: f64 = 1e-4;
const LARGEST_CAUSE: f64 = 1e-2;
/// From one change to the next smaller one.
const RATIO: f64 = 4.0;
/// Number of changes.
const SIZES: i32 = 6;
/// Difference of the slopes on both sides, over the larger one, above which there is a kink between them.
const KINK: f64 = 0.02;

/// Steps from a saved state.
#[derive(Debug, Clone, Copy)]
pub struct Differences<'a> {
    /// State before the first step.
    pub saved: &'a SavedState,
    /// Number of steps.
    pub steps: usize,
    /// End of the unchanged steps.
    pub end: &'a State,
}

impl Differences<'_> {
    /// Changes at the end for one unit of a direction, which are about of a size, and how far two
    /// extrapolations differ: those of the sizes that agree best, which two may do by chance. What is left of
    /// the solves' residuals counts over the size: by how much smaller sizes differ, over the ratio of the
    /// sizes, is an error of theirs, too. Infinite where the slopes on both sides differ at every size.
    ///
    /// # Errors
    /// When a changed state is none.
    pub fn along(
        &self,
        direction: &Direction,
        scales: &Scales,
        size: f64,
    ) -> Result<(Vec<BodyTangent>, f64)> {
        let largest = LARGEST / size.clamp(LARGEST / LARGEST_CAUSE, 1.0);
        let (mut central, mut kinks) = (Vec::new(), Vec::new());
        for k in 0..SIZES {
            let by = largest * RATIO.powi(-k);
            let (up, down) = (self.end_of(direction, by)?, self.end_of(direction, -by)?);
            central.push(combined(&up, 0.5 / by, &down, -0.5 / by));
            let bend = scales.largest(&combined(&up, 1.0, &down, 1.0));
            kinks.push(bend > KINK * scales.largest(&up).max(scales.largest(&down)).max(NOTHING * by));
        }
        let square = RATIO * RATIO;
        let mut extrapolated: Vec<Vec<BodyTangent>> = central
            .windows(2)
            .map(|pair| combined(&pair[1], square / (square - 1.0), &pair[0], -1.0 / (square - 1.0)))
            .collect();
        let (mut best, mut bar, mut noise) = ((f64::INFINITY, 0), f64::INFINITY, 0.0);
        for (k, pair) in extrapolated.windows(2).enumerate().rev().filter(|(k, _)| !kinks[*k]) {
            let apart = scales.apart(&pair[0], &pair[1]);
            noise = larger(apart, noise / RATIO);
            if apart <= best.0 {
                (best, bar) = ((apart, k + 1), noise);
            }
        }
        Ok((extrapolated.swap_remove(best.1), bar))
    }

    /// Changes at the end from a start that is changed by so many units of a direction.
    fn end_of(&self, direction: &Direction, by: f64) -> Result<Vec<BodyTangent>> {
        let mut saved = self.saved.clone();
        saved.change_scene(|scene| {
            scene.gravity += direction.each.gravity * by;
            for entry in &mut scene.friction.entries {
                let friction = if entry.coefficient > 0.0 { direction.each.friction } else { 0.0 };
                entry.coefficient += friction * by;
                let restitution = &mut entry.restitution.coefficient;
                *restitution += if *restitution > 0.0 { direction.each.restitution * by } else { 0.0 };
            }
            for (control, change) in scene.controls.clone().iter().zip(&direction.each.motor) {
                let target = scene.controlled(control).drive.target().at(0.0);
                scene.set_control(control, target + change * by);
            }
            change_bodies(scene, direction, by);
            move_motions(scene, direction, by, self.steps);
            let loads = direction.each.mass.iter().zip(&direction.each.force);
            for (body, (mass, [force, torque])) in scene.bodies.iter_mut().zip(loads) {
                body.mass += mass * by;
                body.force += force * by;
                body.torque += torque * by;
            }
            for (body, change) in scene.bodies.iter_mut().zip(&direction.each.size) {
                if let Some(sizes) = body.sizes().filter(|_| *change != Vector3::zeros()) {
                    body.resize(sizes + change * by);
                }
            }
        });
        let mut simulation = Simulation::from_saved(saved)?;
        simulation.judge_steps(false);
        let mut state = simulation.state().clone();
        for (id, change) in direction.each.start.iter().enumerate() {
            let (pose, velocity) = (&mut state.poses[id], &mut state.velocities[id]);
            pose.position += change.position * by;
            pose.orientation = UnitQuaternion::from_scaled_axis(change.rotation * by) * pose.orientation;
            velocity.linear += change.velocity * by;
            velocity.angular += change.spin * by;
        }
        simulation.set_state(&state)?;
        for _ in 0..self.steps {
            simulation.advance();
        }
        Ok(difference(simulation.state(), self.end))
    }
}

/// Changes the length of the step, and inertias, centres of mass and the places of joints.
fn change_bodies(scene: &mut Scene, direction: &Direction, by: f64) {
    let each = &direction.each;
    scene.time_step += each.time_step * by;
    for (id, body) in scene.bodies.iter_mut().enumerate() {
        body.add_inertia(&(each.inertia[id] * by));
        body.parts.iter_mut().for_each(|part| part.pose.position -= each.centre[id] * by);
    }
    let courses: Vec<_> = scene.courses().collect();
    for ([joint, i], course) in courses.into_iter().zip(&each.course) {
        scene.joints[joint].coordinates[i].start += course * by;
    }
    for (k, joint) in scene.joints.iter_mut().enumerate() {
        for (side, id) in joint.bodies.into_iter().enumerate() {
            let frame = &mut joint.frames[side];
            frame.position -= each.centre[id] * by;
            let Some(place) = each.joint.get(k).map(|places| places[side]) else { continue };
            frame.position += place.anchor * by;
            frame.orientation = UnitQuaternion::from_scaled_axis(place.turn * by) * frame.orientation;
        }
    }
}

/// Moves where motions of bodies lead these at the ends of the steps.
fn move_motions(scene: &mut Scene, direction: &Direction, by: f64, steps: usize) {
    let h = scene.time_step;
    for (own, change) in scene.motions.iter_mut().zip(&direction.each.motion) {
        let times: Vec<f64> = (1..=steps).map(|k| (direction.first + k) as f64 * h).collect();
        let led = times.iter().map(|time| own.motion.moved(*time) + change * by);
        let values = std::iter::once(0.0).chain(led).collect();
        let times = std::iter::once(0.0).chain(times.iter().copied()).collect();
        own.motion = Motion::Position(TimeFunction::Table { times, values });
    }
}

/// The tangent from one state to another.
fn difference(to: &State, from: &State) -> Vec<BodyTangent> {
    let of = |id: usize| BodyTangent {
        position: to.poses[id].position - from.poses[id].position,
        rotation: (to.poses[id].orientation * from.poses[id].orientation.inverse()).scaled_axis(),
        velocity: to.velocities[id].linear - from.velocities[id].linear,
        spin: to.velocities[id].angular - from.velocities[id].angular,
    };
    (0..to.poses.len()).map(of).collect()
}

fn combined(a: &[BodyTangent], alpha: f64, b: &[BodyTangent], beta: f64) -> Vec<BodyTangent> {
    let of = |(a, b): (&BodyTangent, &BodyTangent)| {
        BodyTangent::from_vector(&(a.to_vector() * alpha + b.to_vector() * beta))
    };
    a.iter().zip(b).map(of).collect()
}
