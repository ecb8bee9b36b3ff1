//! Joints that are guides: they let a body slide along a direction against one that stands, and no more. The
//! step in flat arrays knows such bodies by their mobility, without rows of joints.

use super::model::{Clock, JointModel};
use super::part::{JointStart, Part, Role};
use nalgebra::{Matrix6, Vector3, Vector6};
use signorini_geometry::Velocity;
use signorini_geometry::linkage::{LinkRow, Placement};
use signorini_scene::scene::Drive;

/// Equations of a prismatic joint that are distances, and that are angles.
const PRISMATIC: [usize; 2] = [2, 3];

/// How a guide lets a body move within a (sub)step.
#[derive(Debug, Clone, Copy)]
pub struct Guide {
    /// Unit direction in which the body slides, world axes.
    pub direction: Vector3<f64>,
    /// Impulse along it of the motors that give a force (N s).
    pub impulse: f64,
    /// Speed that is held (m/s), with the largest impulse that holds it (N s): ∞ where it is prescribed.
    pub hold: Option<[f64; 2]>,
    /// Velocity that takes up what the joint is off at the start.
    pub correction: Velocity,
}

/// Impulse of the motors that give a force (N s); speed that a motor holds (m/s) with its largest impulse
/// (N s).
struct Motors {
    impulse: f64,
    hold: Option<[f64; 2]>,
}

impl JointModel {
    /// Whether the joint is a guide that nothing drives but a prescribed motion, or motors that give a force
    /// or hold a speed.
    pub fn is_guide(&self) -> bool {
        let is_known = |drive: &Drive| match drive {
            Drive::Force { .. } => true,
            Drive::Velocity { damping, .. } => damping.is_none(),
            Drive::Position { .. } => false,
        };
        let is_prismatic = |part: &Part| {
            let angles = part.rows.iter().filter(|row| row.is_angle()).count();
            [part.rows.len() - angles, angles] == PRISMATIC
        };
        !self.parts.is_empty()
            && self.parts.iter().all(|part| match part.role {
                Role::Equations => is_prismatic(part),
                Role::Motor(i, m) => is_known(&self.motor(i, m).drive),
                Role::Motion(_) => true,
                _ => false,
            })
    }

    /// Rows of the equations of a guide, each with what it is off, and that of the slide.
    fn rows_of_guide(&self, at: &[Placement; 2]) -> [(LinkRow, f64); 6] {
        let mut rows = [(LinkRow::Length { anchors: self.anchors }, 0.0); 6];
        let equations = self.parts.iter().filter(|part| part.role == Role::Equations);
        for (to, row) in rows.iter_mut().zip(equations.flat_map(|part| &part.rows)) {
            *to = (row.row, row.row.value(at) - row.target);
        }
        if let [LinkRow::Along { direction: a, anchors }, LinkRow::Along { direction: b, .. }] =
            [rows[0].0, rows[1].0]
        {
            rows[5] = (LinkRow::Along { direction: a.cross(&b), anchors }, 0.0);
        }
        rows
    }

    /// The guide of the body on a side within a (sub)step.
    pub fn guide(&self, side: usize, start: &JointStart, clock: &Clock) -> Guide {
        let rows = self.rows_of_guide(&start.at);
        let off = Vector6::from(rows.map(|(_, off)| -off));
        let moved = gradients(&rows, side, &start.at).lu().solve(&off).unwrap_or_default();
        let correction = moved / clock.time_step;
        let Motors { impulse, hold } = self.motors(clock);
        let led = self.parts.iter().find_map(|part| match part.role {
            Role::Motion(i) => self.coordinates[i].target(clock.end_time),
            _ => None,
        });
        let led = led.map(|target| [(target - rows[5].0.value(&start.at)) / clock.time_step, f64::INFINITY]);
        Guide {
            direction: rows[5].0.gradient(&start.at)[side].linear,
            impulse,
            hold: led.or(hold),
            correction: Velocity {
                linear: correction.fixed_rows::<3>(0).into_owned(),
                angular: correction.fixed_rows::<3>(3).into_owned(),
            },
        }
    }

    /// The motors of a guide in a (sub)step.
    fn motors(&self, clock: &Clock) -> Motors {
        let (mut bounds, mut motors) = (Vec::new(), Motors { impulse: 0.0, hold: None });
        for part in &self.parts {
            let Role::Motor(i, m) = part.role else { continue };
            self.bounds(part, clock, &mut bounds);
            let [least, most] = bounds[0];
            match &self.motor(i, m).drive {
                Drive::Velocity { velocity, .. } => motors.hold = Some([velocity.at(clock.rate_time), most]),
                _ => motors.impulse += least,
            }
        }
        motors
    }

    /// Impulse of the motor that holds a speed among those of all rows (N s); 0 without one.
    pub fn holding_impulse(&self, all: &[f64]) -> f64 {
        let holds = |part: &Part| match part.role {
            Role::Motor(i, m) => matches!(self.motor(i, m).drive, Drive::Velocity { .. }),
            _ => false,
        };
        let mut rest = all.iter();
        let own = self.parts.iter().map(|part| (part, rest.by_ref().take(part.rows.len()).sum::<f64>()));
        own.filter(|(part, _)| holds(part)).map(|(_, impulse)| impulse).sum()
    }

    /// Writes the impulses of all rows that give the body on a side a force (N s) and a moment (N m s) at its
    /// centre of mass, but for what the motors cannot give along the guide.
    pub fn write_borne(
        &self,
        (side, end): (usize, &[Placement; 2]),
        [force, moment]: [Vector3<f64>; 2],
        clock: &Clock,
        out: &mut Vec<f64>,
    ) {
        let all = Vector6::from_iterator(force.iter().chain(moment.iter()).copied());
        let rows = self.rows_of_guide(end);
        let found = gradients(&rows, side, end).transpose().lu().solve(&all).unwrap_or_default();
        let along = found[5] - self.motors(clock).impulse;
        let (mut bounds, mut borne) = (Vec::new(), found.iter());
        out.clear();
        for part in &self.parts {
            if part.role == Role::Equations {
                out.extend(part.rows.iter().zip(&mut borne).map(|(row, x)| x / row.scale));
            } else {
                self.bounds(part, clock, &mut bounds);
                out.extend(bounds.iter().map(|[least, most]| along.max(*least).min(*most)));
            }
        }
    }
}

/// Gradients of rows with the pose of one side.
fn gradients(rows: &[(LinkRow, f64); 6], side: usize, at: &[Placement; 2]) -> Matrix6<f64> {
    let rows = rows.map(|(row, _)| {
        let gradient = row.gradient(at)[side];
        Vector6::from_iterator(gradient.linear.iter().chain(gradient.angular.iter()).copied()).transpose()
    });
    Matrix6::from_rows(&rows)
}
