//! Joints in the making, with their motors and motions.

use crate::errors::refuse;
use crate::settings;
use pyo3::prelude::*;
use signorini::{BodyId, JointBuilder, Motor};

/// A joint in the making: `Joint.revolute(a, b, [0, 0, 1], [0, 1, 0]).limits("angle", -1, 1)`.
///
/// `a` and `b` are ids that `SceneBuilder.body` returned. Anchors (m) and axes are in world axes at time 0;
/// of an axis only the direction counts. Each method returns another joint. Two bodies that a joint connects
/// have no contact with each other, unless `collide` says so.
#[pyclass(frozen, module = "signorini")]
pub struct Joint {
    pub builder: JointBuilder,
}

impl Joint {
    fn with(&self, change: impl FnOnce(JointBuilder) -> JointBuilder) -> Self {
        Self { builder: change(self.builder.clone()) }
    }
}

impl From<JointBuilder> for Joint {
    fn from(builder: JointBuilder) -> Self {
        Self { builder }
    }
}

#[pymethods]
impl Joint {
    /// Holds B to A as they are at time 0.
    #[staticmethod]
    fn fixed(a: usize, b: usize) -> Self {
        signorini::Joint::fixed(BodyId::new(a), BodyId::new(b)).into()
    }

    /// Holds a point of A and a point of B together: all rotations are free.
    #[staticmethod]
    fn ball(a: usize, b: usize, anchor: [f64; 3]) -> Self {
        signorini::Joint::ball(BodyId::new(a), BodyId::new(b), anchor).into()
    }

    /// A hinge: rotation about an axis through an anchor is free.
    #[staticmethod]
    fn revolute(a: usize, b: usize, anchor: [f64; 3], axis: [f64; 3]) -> Self {
        signorini::Joint::revolute(BodyId::new(a), BodyId::new(b), anchor, axis).into()
    }

    /// A slider: translation along an axis is free.
    #[staticmethod]
    fn prismatic(a: usize, b: usize, axis: [f64; 3]) -> Self {
        signorini::Joint::prismatic(BodyId::new(a), BodyId::new(b), axis).into()
    }

    /// Translation along and rotation about an axis through an anchor are free.
    #[staticmethod]
    fn cylindrical(a: usize, b: usize, anchor: [f64; 3], axis: [f64; 3]) -> Self {
        signorini::Joint::cylindrical(BodyId::new(a), BodyId::new(b), anchor, axis).into()
    }

    /// Rotations about an axis that goes with A and a second one, at a right angle, that goes with B.
    #[staticmethod]
    fn universal(a: usize, b: usize, anchor: [f64; 3], axis: [f64; 3], second_axis: [f64; 3]) -> Self {
        let axes = [axis, second_axis];
        signorini::Joint::universal(BodyId::new(a), BodyId::new(b), anchor, axes).into()
    }

    /// B stays in a plane of A through an anchor: translations in it and rotation about its normal are free.
    #[staticmethod]
    fn planar(a: usize, b: usize, anchor: [f64; 3], normal: [f64; 3]) -> Self {
        signorini::Joint::planar(BodyId::new(a), BodyId::new(b), anchor, normal).into()
    }

    /// A massless rod between a point of A and a point of B, each in the frame of its body (m).
    #[staticmethod]
    fn distance(a: usize, b: usize, point_a: [f64; 3], point_b: [f64; 3]) -> Self {
        signorini::Joint::distance(BodyId::new(a), BodyId::new(b), point_a, point_b).into()
    }

    /// Unique name. Default: `joint-2` and the like.
    fn named(&self, name: String) -> Self {
        self.with(|joint| joint.named(name))
    }

    /// The two bodies may touch each other.
    fn collide(&self) -> Self {
        self.with(JointBuilder::collide)
    }

    /// Inertia of parts that move with a revolute or prismatic joint and are no bodies (kg m² or kg).
    fn armature(&self, inertia: f64) -> Self {
        self.with(|joint| joint.armature(inertia))
    }

    /// Lowest and highest value of a coordinate: `slide` or `length` (m), or `angle` (rad).
    fn limits(&self, coordinate: &str, low: f64, high: f64) -> PyResult<Self> {
        let axis = settings::axis(coordinate)?;
        Ok(self.with(|joint| joint.limits(axis, low, high)))
    }

    /// A motor that drives the rate of a coordinate (m/s or rad/s; a number or a `Course`) with at most a
    /// force (N) or torque (N m).
    fn motor(&self, coordinate: &str, rate: CourseOrNumber<'_>, largest_force: f64) -> PyResult<Self> {
        let axis = settings::axis(coordinate)?;
        Ok(self.with(|joint| joint.motor(axis, rate.course(), largest_force)))
    }

    /// A motor of any kind, `Drive.position(…)` and its sisters, with at most a force (N) or torque (N m).
    /// `Simulation.set_motor` sets its target by its name; default: that of the joint.
    #[pyo3(signature = (coordinate, drive, largest_force = None, name = ""))]
    fn drive(
        &self,
        coordinate: &str,
        drive: &Drive,
        largest_force: Option<f64>,
        name: &str,
    ) -> PyResult<Self> {
        let axis = settings::axis(coordinate)?;
        let largest_force = largest_force.unwrap_or(f64::INFINITY);
        let motor = Motor { name: name.to_owned(), drive: drive.drive.clone(), largest_force };
        Ok(self.with(|joint| joint.drive(axis, motor)))
    }

    /// Prescribes how a coordinate moves, whatever force that takes: `Motion.position(…)` or
    /// `Motion.velocity(…)`.
    fn motion(&self, coordinate: &str, motion: &Motion) -> PyResult<Self> {
        let axis = settings::axis(coordinate)?;
        Ok(self.with(|joint| joint.motion(axis, motion.motion.clone())))
    }
}

/// A number as a function of time.
#[pyclass(frozen, module = "signorini")]
pub struct Course {
    course: signorini::TimeFunction,
}

#[pymethods]
impl Course {
    /// A number that is always the same.
    #[staticmethod]
    fn constant(value: f64) -> Self {
        Self { course: signorini::TimeFunction::Constant { value } }
    }

    /// offset + amplitude sin(2π frequency t + phase): frequency in Hz, phase in rad.
    #[staticmethod]
    #[pyo3(signature = (amplitude, frequency, phase = 0.0, offset = 0.0))]
    fn sine(amplitude: f64, frequency: f64, phase: f64, offset: f64) -> Self {
        Self { course: signorini::TimeFunction::Sine { amplitude, frequency, phase, offset } }
    }

    /// Samples at rising times (s); the first and the last value before and after. Between them straight
    /// lines, of second order in the gaps, or with `"cubic"` cubics through the four nearest samples, of
    /// fourth order. Raises `InputError` for another word.
    #[staticmethod]
    #[pyo3(signature = (times, values, interpolation = "linear"))]
    fn table(times: Vec<f64>, values: Vec<f64>, interpolation: &str) -> PyResult<Self> {
        let course = match interpolation {
            "linear" => signorini::TimeFunction::Table { times, values },
            "cubic" => signorini::TimeFunction::Cubic { times, values },
            _ => {
                let what = format!("interpolation = {interpolation:?}");
                return Err(refuse(what, "must be \"linear\" or \"cubic\""));
            }
        };
        Ok(Self { course })
    }
}

/// A course, or one number at all times.
#[derive(FromPyObject)]
pub enum CourseOrNumber<'py> {
    Number(f64),
    Course(PyRef<'py, Course>),
}

impl CourseOrNumber<'_> {
    fn course(&self) -> signorini::TimeFunction {
        match self {
            Self::Number(value) => (*value).into(),
            Self::Course(course) => course.course.clone(),
        }
    }
}

/// A prescribed motion: the course of a position or of a velocity.
#[pyclass(frozen, module = "signorini")]
pub struct Motion {
    pub motion: signorini::Motion,
}

#[pymethods]
impl Motion {
    /// A motion by course(t) − course(0) since time 0 (m or rad).
    #[staticmethod]
    fn position(course: CourseOrNumber<'_>) -> Self {
        Self { motion: signorini::Motion::Position(course.course()) }
    }

    /// A motion with this velocity (m/s or rad/s).
    #[staticmethod]
    fn velocity(course: CourseOrNumber<'_>) -> Self {
        Self { motion: signorini::Motion::Velocity(course.course()) }
    }

    /// The acceleration (m/s² or rad/s²) over time, and the velocity at time 0 (m/s or rad/s). It is
    /// integrated twice, exactly; before and after a table it is zero.
    #[staticmethod]
    #[pyo3(signature = (course, start_velocity = 0.0))]
    fn acceleration(course: CourseOrNumber<'_>, start_velocity: f64) -> Self {
        let acceleration = signorini::Acceleration::new(course.course(), start_velocity);
        Self { motion: signorini::Motion::Acceleration(acceleration) }
    }
}

/// The law by which a motor acts. Targets are numbers or `Course`s.
#[pyclass(frozen, module = "signorini")]
pub struct Drive {
    drive: signorini::Drive,
}

#[pymethods]
impl Drive {
    /// A motor that reaches a rate (m/s or rad/s) exactly, or by the force damping · (rate − present rate) (N
    /// s/m or N m s/rad).
    #[staticmethod]
    #[pyo3(signature = (rate, damping = None))]
    fn velocity(rate: CourseOrNumber<'_>, damping: Option<f64>) -> Self {
        Self { drive: signorini::Drive::Velocity { velocity: rate.course(), damping } }
    }

    /// A motor that goes to a position (m or rad) as a spring and a damper would: stiffness (N/m or N m/rad),
    /// damping (N s/m or N m s/rad).
    #[staticmethod]
    #[pyo3(signature = (position, stiffness, damping = 0.0))]
    fn position(position: CourseOrNumber<'_>, stiffness: f64, damping: f64) -> Self {
        Self { drive: signorini::Drive::Position { position: position.course(), stiffness, damping } }
    }

    /// A motor that gives a force (N) or a torque (N m).
    #[staticmethod]
    fn force(force: CourseOrNumber<'_>) -> Self {
        Self { drive: signorini::Drive::Force { force: force.course() } }
    }
}
