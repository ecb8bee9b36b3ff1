//! Bodies and joints in the making.

use crate::errors::renamed;
use crate::settings;
use nalgebra::{Quaternion, UnitQuaternion};
use pyo3::prelude::*;
use signorini::{BodyBuilder, BodyId, JointBuilder, Motor};
use std::path::PathBuf;

/// A body in the making: `Body.sphere(0.1).density(1000.0).at([0, 0, 1])`.
///
/// `Body.sphere` and its sisters begin one; each method returns another body and leaves the first as it was.
/// `SceneBuilder.body` or `Simulation.add_body` takes it. A body that moves needs `density` or `mass`; all
/// else has a default: at rest at the origin, axes along the world's. Values are checked where the body is
/// taken. Lengths are in m, vectors in world axes.
#[pyclass(frozen, module = "signorini")]
pub struct Body {
    pub builder: BodyBuilder,
}

/// A rotation from a quaternion (w, x, y, z), whose length does not count.
pub fn rotation([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
}

impl Body {
    fn with(&self, change: impl FnOnce(BodyBuilder) -> BodyBuilder) -> Self {
        Self { builder: change(self.builder.clone()) }
    }
}

impl From<BodyBuilder> for Body {
    fn from(builder: BodyBuilder) -> Self {
        Self { builder }
    }
}

#[pymethods]
impl Body {
    /// A sphere of a radius (m, > 0).
    #[staticmethod]
    fn sphere(radius: f64) -> Self {
        signorini::Body::sphere(radius).into()
    }

    /// An ellipsoid with semi-axes (m, > 0) along x, y and z of the body.
    #[staticmethod]
    fn ellipsoid(semi_axes: [f64; 3]) -> Self {
        signorini::Body::ellipsoid(semi_axes).into()
    }

    /// A box with half its lengths (m, > 0) along x, y and z of the body.
    #[staticmethod]
    #[pyo3(name = "box")]
    fn box_(half_extents: [f64; 3]) -> Self {
        signorini::Body::box_(half_extents).into()
    }

    /// The name that `Body.box` had.
    #[staticmethod]
    fn cuboid(py: Python<'_>, half_extents: [f64; 3]) -> PyResult<Self> {
        renamed(py, c"Body.cuboid is called Body.box now")?;
        Ok(Self::box_(half_extents))
    }

    /// A solid cylinder of a radius and a length (m, > 0) about z of the body.
    #[staticmethod]
    fn cylinder(radius: f64, length: f64) -> Self {
        signorini::Body::cylinder(radius, length).into()
    }

    /// The convex hull of points (m), shape (n, 3), n ≥ 4. The body's origin is the hull's centre of mass.
    #[staticmethod]
    fn polytope(points: Vec<[f64; 3]>) -> Self {
        signorini::Body::polytope(points).into()
    }

    /// The convex hull of a closed mesh in a file (.obj, .stl, .ply, .dae, .glb, .gltf, .msh), its
    /// coordinates times `scale` (m per unit).
    #[staticmethod]
    #[pyo3(signature = (file, scale = 1.0))]
    fn mesh(file: PathBuf, scale: f64) -> Self {
        signorini::Body::mesh(file, scale).into()
    }

    /// A fixed surface of triangles, open or closed: corners (m), shape (n, 3), and rows of `corners` for
    /// each triangle, shape (m, 3), counter-clockwise seen from outside. It is a solid of a thickness (m, >
    /// 0) behind them.
    #[staticmethod]
    fn surface(corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>, thickness: f64) -> Self {
        signorini::Body::surface(corners, triangles, thickness).into()
    }

    /// A rigid body of several convex parts. Shape, material, place and turn of a part count, and its density
    /// or mass, which may be given for the whole body instead. The body's origin is its centre of mass; `at`
    /// and `orientation` of the body place the frame that the parts are given in.
    #[staticmethod]
    fn compound(parts: Vec<PyRef<'_, Self>>) -> Self {
        signorini::Body::compound(parts.iter().map(|part| part.builder.clone())).into()
    }

    /// The fixed half-space { x : normal · x ≤ offset }: `normal` points out of the solid, `offset` is the
    /// distance (m) of the plane from the origin along it.
    #[staticmethod]
    #[pyo3(signature = (normal = [0.0, 0.0, 1.0], offset = 0.0), text_signature = "(normal=(0, 0, 1), offset=0.0)")]
    fn half_space(normal: [f64; 3], offset: f64) -> Self {
        signorini::Body::half_space(normal, offset).into()
    }

    /// Unique name. Default: the kind of shape and the number of the body, such as `sphere-3`.
    fn named(&self, name: String) -> Self {
        self.with(|body| body.named(name))
    }

    /// Density (kg/m³, > 0): mass and inertia are those of the homogeneous shape.
    fn density(&self, density: f64) -> Self {
        self.with(|body| body.density(density))
    }

    /// Mass (kg, > 0); the inertia is that of the homogeneous shape, if `inertia` gives no other.
    fn mass(&self, mass: f64) -> Self {
        self.with(|body| body.mass(mass))
    }

    /// Inertia tensor about the centre of mass, body axes (kg m²): xx, yy, zz, xy, xz, yz.
    fn inertia(&self, entries: [f64; 6]) -> Self {
        self.with(|body| body.inertia(entries))
    }

    /// The name of the material. Default: `default`.
    fn material(&self, name: String) -> Self {
        self.with(|body| body.material(name))
    }

    /// Position of the centre of mass (m), world.
    fn at(&self, position: [f64; 3]) -> Self {
        self.with(|body| body.at(position))
    }

    /// Orientation as a quaternion (w, x, y, z) that takes body axes to world axes; its length does not
    /// count.
    fn orientation(&self, quaternion: [f64; 4]) -> Self {
        self.with(|body| body.orientation(rotation(quaternion)))
    }

    /// Rotates the body by an angle (rad) about an axis through the centre of mass, world, after its
    /// orientation so far.
    fn turned(&self, axis: [f64; 3], angle: f64) -> Self {
        self.with(|body| body.turned(axis, angle))
    }

    /// Velocity of the centre of mass (m/s), world.
    fn velocity(&self, velocity: [f64; 3]) -> Self {
        self.with(|body| body.velocity(velocity))
    }

    /// Angular velocity (rad/s), world axes.
    fn angular_velocity(&self, angular_velocity: [f64; 3]) -> Self {
        self.with(|body| body.angular_velocity(angular_velocity))
    }

    /// The body never moves, whatever pushes it.
    fn fixed(&self) -> Self {
        self.with(BodyBuilder::fixed)
    }

    /// Constant force at the centre of mass (N), world, besides gravity.
    fn force(&self, force: [f64; 3]) -> Self {
        self.with(|body| body.force(force))
    }

    /// Velocity with which the surface runs over the body, as that of a belt (m/s), in axes that turn with
    /// the body:
    /// friction sees it, nothing moves.
    fn surface_velocity(&self, velocity: [f64; 3]) -> Self {
        self.with(|body| body.surface_velocity(velocity))
    }

    /// Angular velocity with which the surface runs about the body's origin, as that of a turntable (rad/s).
    fn surface_angular_velocity(&self, angular_velocity: [f64; 3]) -> Self {
        self.with(|body| body.surface_angular_velocity(angular_velocity))
    }

    /// Constant torque (N m), world axes.
    fn torque(&self, torque: [f64; 3]) -> Self {
        self.with(|body| body.torque(torque))
    }

    /// Place of the shape in the body: origin (m) and quaternion of the shape's axes. A body whose shape is
    /// off its centre of mass needs mass and inertia.
    #[pyo3(signature = (origin, quaternion = [1.0, 0.0, 0.0, 0.0]), text_signature = "($self, origin, quaternion=(1, 0, 0, 0))")]
    fn shape_at(&self, origin: [f64; 3], quaternion: [f64; 4]) -> Self {
        self.with(|body| body.shape_at(origin, rotation(quaternion)))
    }
}

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

    /// Straight lines between samples at rising times (s); the first and the last value before and after.
    #[staticmethod]
    fn table(times: Vec<f64>, values: Vec<f64>) -> Self {
        Self { course: signorini::TimeFunction::Table { times, values } }
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
