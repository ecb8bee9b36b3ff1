//! Prescribed motion: bodies that follow functions of time, or poses, whatever pushes.

use super::acceleration::Acceleration;
use super::pose_course::PoseCourse;
use super::time_function::TimeFunction;
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::{Pose, Velocity};

/// Prescribed motion: a position, a velocity or an acceleration as a function of time.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Motion {
    /// The position: it has moved by function(t) − function(0) since time 0 (m or rad).
    Position(TimeFunction),
    /// The velocity (m/s or rad/s).
    Velocity(TimeFunction),
    /// The acceleration (m/s² or rad/s²), with a velocity at time 0.
    Acceleration(Acceleration),
}

impl Motion {
    /// Displacement since time 0 (m or rad).
    pub fn moved(&self, t: f64) -> f64 {
        match self {
            Motion::Position(function) => function.at(t) - function.at(0.0),
            Motion::Velocity(function) => function.integral(t),
            Motion::Acceleration(acceleration) => acceleration.moved(t),
        }
    }

    /// Its rate at time t (m/s or rad/s).
    pub fn rate(&self, t: f64) -> f64 {
        match self {
            Motion::Position(function) => function.rate(t),
            Motion::Velocity(function) => function.at(t),
            Motion::Acceleration(acceleration) => acceleration.velocity(t),
        }
    }
}

/// Line along or about which a body moves, or poses that it goes through.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Trajectory {
    /// Along a direction (unit).
    Along(Vector3<f64>),
    /// About the line through a point (m) along an axis (unit).
    About {
        /// Axis.
        axis: Vector3<f64>,
        /// Point.
        center: Vector3<f64>,
    },
    /// Through poses: at time t those of the course at the time to which its motion has come, relative to
    /// that at time 0. Translations and rotations are in world axes.
    Through(PoseCourse),
}

/// A motion of a body. Several of one body: translations add up, on top of at most one rotation.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BodyMotion {
    /// Body id. The body is `fixed`: forces do not move it.
    pub body: usize,
    /// Line, in world axes at time 0; it moves with `relative_to`.
    #[serde(rename = "path")]
    pub trajectory: Trajectory,
    /// Displacement or velocity along the line or about it.
    pub motion: Motion,
    /// The body that carries this one: it is fixed too, with or without motions of its own.
    pub relative_to: Option<usize>,
}

/// Carriers of carriers at most: deeper is a cycle.
const MAX_CARRIERS: usize = 64;

/// The place of a body with motions at time t, from its place at time 0. `start` are the poses of all bodies
/// at time 0.
pub fn pose_at(motions: &[BodyMotion], body: usize, start: impl Fn(usize) -> Pose, t: f64) -> Pose {
    carried(motions, body, &start, t, 0)
}

fn carried(
    motions: &[BodyMotion],
    body: usize,
    start: &impl Fn(usize) -> Pose,
    t: f64,
    depth: usize,
) -> Pose {
    let mut pose = start(body);
    let mut carrier = None;
    let own = motions.iter().filter(|m| m.body == body);
    // The rotation is about a line of time 0, so it comes first.
    for m in own.clone() {
        if let Trajectory::About { axis, center } = m.trajectory {
            let turn = UnitQuaternion::from_scaled_axis(axis * m.motion.moved(t));
            pose = Pose {
                position: center + turn * (pose.position - center),
                orientation: turn * pose.orientation,
            };
        }
    }
    for m in own {
        match &m.trajectory {
            Trajectory::Along(direction) => pose.position += direction * m.motion.moved(t),
            Trajectory::Through(course) => pose = course.moved(&pose, m.motion.moved(t)),
            Trajectory::About { .. } => (),
        }
        carrier = carrier.or(m.relative_to);
    }
    if let Some(carrier) = carrier.filter(|_| depth < MAX_CARRIERS) {
        let (before, now) = (start(carrier), carried(motions, carrier, start, t, depth + 1));
        let back = before.orientation.inverse();
        let inner =
            Pose { position: back * (pose.position - before.position), orientation: back * pose.orientation };
        pose = now.compose(&inner);
    }
    pose
}

/// The changes of the place of [`pose_at`] by one unit of the displacement of each motion that takes the body
/// along: its index, δc and δθ with R ← exp(δθ) R.
pub fn slopes_at(
    motions: &[BodyMotion],
    body: usize,
    start: impl Fn(usize) -> Pose,
    t: f64,
) -> Vec<(usize, Velocity)> {
    slopes(motions, body, &start, t, 0)
}

fn slopes(
    motions: &[BodyMotion],
    body: usize,
    start: &impl Fn(usize) -> Pose,
    t: f64,
    depth: usize,
) -> Vec<(usize, Velocity)> {
    let (mut found, mut carrier, mut turned) = (Vec::new(), None, start(body).position);
    for (m, own) in motions.iter().enumerate().filter(|(_, m)| m.body == body) {
        let displaced = own.motion.moved(t);
        let slope = match &own.trajectory {
            Trajectory::About { axis, center } => {
                turned = center + UnitQuaternion::from_scaled_axis(axis * displaced) * (turned - center);
                Velocity { linear: axis.cross(&(turned - center)), angular: *axis }
            }
            Trajectory::Along(direction) => Velocity { linear: *direction, angular: Vector3::zeros() },
            Trajectory::Through(course) => course.rate(displaced),
        };
        found.push((m, slope));
        carrier = carrier.or(own.relative_to);
    }
    let Some(carrier) = carrier.filter(|_| depth < MAX_CARRIERS) else { return found };
    let (before, now) = (start(carrier), carried(motions, carrier, start, t, depth + 1));
    let turn = now.orientation * before.orientation.inverse();
    for (_, own) in &mut found {
        *own = Velocity { linear: turn * own.linear, angular: turn * own.angular };
    }
    let arm = carried(motions, body, start, t, depth).position - now.position;
    let of_carrier = slopes(motions, carrier, start, t, depth + 1);
    found.extend(of_carrier.into_iter().map(|(m, slope)| (m, slope.about(&arm))));
    found
}

/// The constant velocity that takes one pose to another in `time_step` seconds: c⁺ = c + h v, R⁺ = exp(h ω)
/// R.
pub fn velocity_between(from: &Pose, to: &Pose, time_step: f64) -> Velocity {
    Velocity {
        linear: (to.position - from.position) / time_step,
        angular: (to.orientation * from.orientation.inverse()).scaled_axis() / time_step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slopes are those of differences, through turns, translations, poses and carriers.
    #[test]
    fn slopes_are_derivatives_of_places() {
        let rates = |value: f64| Motion::Velocity(TimeFunction::Constant { value });
        let of =
            |body, trajectory, relative_to| BodyMotion { body, trajectory, motion: rates(0.7), relative_to };
        let turn = |x: f64, y: f64| UnitQuaternion::from_scaled_axis(Vector3::new(x, y, 0.4));
        let course = PoseCourse {
            times: vec![0.0, 0.5, 1.0],
            positions: vec![Vector3::zeros(), Vector3::new(0.2, 0.1, 0.4), Vector3::x()],
            orientations: vec![turn(0.1, 0.0), turn(0.5, -0.3), turn(-0.2, 0.6)],
        };
        let about = Trajectory::About { axis: Vector3::z(), center: Vector3::new(0.3, -0.2, 0.0) };
        let motions = [
            of(0, Trajectory::Along(Vector3::x()), Some(1)),
            of(0, about, Some(1)),
            of(0, Trajectory::Along(Vector3::new(0.0, 0.6, 0.8)), Some(1)),
            of(1, Trajectory::About { axis: Vector3::x(), center: Vector3::new(0.1, 0.5, -0.6) }, Some(2)),
            of(2, Trajectory::Through(course), None),
        ];
        let start =
            |i: usize| Pose { position: Vector3::x() * (i as f64 + 1.0), orientation: turn(0.3, i as f64) };
        let (t, step) = (0.9, 1e-6);
        let slopes = slopes_at(&motions, 0, start, t);
        let mut named: Vec<usize> = slopes.iter().map(|(m, _)| *m).collect();
        named.sort_unstable();
        assert_eq!(named, [0, 1, 2, 3, 4]);
        for (m, slope) in slopes {
            let [up, down] = [step, -step].map(|by| {
                let mut changed = motions.clone();
                changed[m].motion = rates(0.7 + by / t);
                pose_at(&changed, 0, start, t)
            });
            let found = velocity_between(&down, &up, 2.0 * step);
            assert!((found.linear - slope.linear).norm() < 1e-8, "{m}: {found:?}, not {slope:?}");
            assert!((found.angular - slope.angular).norm() < 1e-8, "{m}: {found:?}, not {slope:?}");
        }
    }

    #[test]
    fn a_carried_body_moves_with_its_carrier() {
        let about = |body, relative_to| BodyMotion {
            body,
            trajectory: Trajectory::About { axis: Vector3::z(), center: Vector3::zeros() },
            motion: Motion::Velocity(TimeFunction::Constant { value: 1.0 }),
            relative_to,
        };
        let start = |i: usize| Pose { position: Vector3::x() * (i as f64 + 1.0), ..Pose::identity() };
        let pose = pose_at(&[about(0, None), about(1, Some(0))], 1, start, 0.5);
        // Both turn by 0.5 rad about the same line.
        assert!((pose.position - Vector3::new(1.0_f64.cos(), 1.0_f64.sin(), 0.0) * 2.0).norm() < 1e-15);
        assert!((pose.orientation.angle() - 1.0).abs() < 1e-15);
        let v = velocity_between(&start(1), &pose, 0.5);
        let again = start(1).advanced(&v, 0.5);
        assert!((again.position - pose.position).norm() < 1e-15);
        assert!(again.orientation.angle_to(&pose.orientation) < 1e-14);
    }
}
