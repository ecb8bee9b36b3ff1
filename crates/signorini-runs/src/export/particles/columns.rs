//! Columns that OVITO knows, of bodies of a state.

use crate::export::run_files::RunFiles;
use nalgebra::Vector3;
use signorini_error::Result;
use signorini_geometry::Shape;
use signorini_scene::scene::{Body, State};

/// Kinds of bodies, which OVITO calls types; their numbers begin with 1.
pub const KINDS: [&str; 6] = ["ellipsoid", "box", "cylinder", "polytope", "compound", "capsule"];

/// A body as OVITO draws it.
#[derive(Debug, Clone, PartialEq)]
pub struct Particle {
    /// Place in the scene.
    pub id: usize,
    /// Place in [`KINDS`].
    pub kind: usize,
    /// Centre of mass (m), in the box of a periodic scene.
    pub position: [f64; 3],
    /// Orientation of the frame of the shape: x, y, z, w.
    pub orientation: [f64; 4],
    /// Semi-axes, half extents, or radius, radius and length (m).
    pub axes: [f64; 3],
    /// Velocity of the centre of mass (m/s).
    pub velocity: [f64; 3],
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: [f64; 3],
    /// Mass (kg), 0 of a carried body.
    pub mass: f64,
}

impl Particle {
    /// Returns a body of a state.
    pub fn of(run: &RunFiles, state: &State, id: usize) -> Self {
        let body = &run.scene.bodies[id];
        let (pose, velocity) = (&state.poses[id], &state.velocities[id]);
        let place = run.scene.periodic.map_or(pose.position, |periodic| periodic.wrapped(&pose.position));
        let of_shape = pose.orientation * body.parts[0].pose.orientation;
        let turn = if body.parts.len() == 1 { of_shape } else { pose.orientation };
        let (kind, axes) = kind_and_axes(body);
        Self {
            id,
            kind,
            position: place.into(),
            orientation: [turn.i, turn.j, turn.k, turn.w],
            axes: axes.into(),
            velocity: velocity.linear.into(),
            angular_velocity: velocity.angular.into(),
            mass: if body.fixed { 0.0 } else { body.mass },
        }
    }
}

/// Kind of a body, and the numbers from which OVITO draws it. Of a polytope half its bounds, of several parts
/// three times the size.
fn kind_and_axes(body: &Body) -> (usize, Vector3<f64>) {
    let [part] = body.parts.as_slice() else { return (4, Vector3::repeat(body.size().unwrap_or(0.0))) };
    match &part.shape {
        Shape::Ellipsoid { semi_axes } => (0, *semi_axes),
        Shape::Cylinder { radius, half_length } => (2, Vector3::new(*radius, *radius, 2.0 * half_length)),
        Shape::Capsule { radius, half_length } => (5, Vector3::new(*radius, *radius, 2.0 * half_length)),
        Shape::Polytope(p) => match p.half_extents() {
            Some(half) => (1, half),
            None => {
                let corners = || p.vertices.iter().copied();
                let high = corners().reduce(|a, b| a.sup(&b)).unwrap_or_default();
                let low = corners().reduce(|a, b| a.inf(&b)).unwrap_or_default();
                (3, 0.5 * (high - low))
            }
        },
        Shape::HalfSpace { .. } => (4, Vector3::zeros()),
        Shape::Bore { .. } => (6, Vector3::zeros()),
    }
}

/// Bodies that move or are carried and are bounded, in the order of the scene.
pub fn drawn(run: &RunFiles) -> Vec<usize> {
    let mut moving = run.moving();
    moving.retain(|id| !run.scene.bodies[*id].has_half_space() && !run.scene.bodies[*id].is_bore());
    moving
}

/// Calls `visit` with step, time (s) and state of every `every`-th record.
pub fn each_wanted(
    run: &RunFiles,
    every: usize,
    mut visit: impl FnMut(usize, f64, &State) -> Result<()>,
) -> Result<usize> {
    let (mut count, mut wanted) = (0_usize, 0);
    run.each_frame(|step, time, state| {
        count += 1;
        if !(count - 1).is_multiple_of(every) {
            return Ok(());
        }
        wanted += 1;
        visit(step, time, state)
    })?;
    Ok(wanted)
}
