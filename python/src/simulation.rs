//! A run in progress.

use crate::arrays;
use crate::errors::{self, checked, refuse};
use crate::faults::compute;
use crate::film::{self, Pixels};
use crate::inner::{Inner, Key};
use crate::measured;
use crate::mechanism;
use crate::motors::{self, Targets};
use crate::outcome::{StepOutcome, Verdict};
use crate::ports::Measure;
use crate::problems;
use crate::records;
use crate::saved::SavedState;
use crate::scene::{Scene, quaternion};
use crate::steps::Steps;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use signorini::BodyId;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// A run in progress: it can be stepped, pushed, read, saved and restored.
///
/// `threads` gives it so many worker threads of its own (1 to 1024); without, all simulations of the process
/// use one per core together. Results do not depend on it. `judge=False` leaves the referee out.
///
/// Bodies are named by their id (an int, valid until the body is removed) or their name. Arrays have a row
/// for each body, fixed ones included, in the order of `names`, and are copies: they never change when the
/// simulation goes on. Any thread may use a simulation; while one steps, the others wait. Other threads of
/// Python run while a step is computed.
///
/// Raises `InputError` when the scene's model cannot run it.
#[pyclass(frozen, module = "signorini", weakref)]
pub struct Simulation {
    inner: Mutex<Inner>,
}

impl Simulation {
    pub fn with(inner: signorini::Simulation, threads: Option<usize>) -> PyResult<Self> {
        Ok(Self { inner: Mutex::new(Inner::new(inner, threads)?) })
    }

    /// Waits for the thread that computes, while other threads of Python go on.
    pub fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        let inner = self.inner.lock_py_attached(py).ok().filter(|inner| !inner.is_broken);
        inner.ok_or_else(|| errors::internal("a step of this simulation failed: make it anew from its scene"))
    }

    /// The step with which a run to a time (s) ends, or to the end of the scene's duration.
    pub fn last_step(&self, py: Python<'_>, until: Option<f64>) -> PyResult<usize> {
        let inner = self.lock(py)?;
        let scene = inner.simulation.scene();
        match until {
            Some(time) if !time.is_finite() => Err(refuse(format!("until = {time}"), "must be finite")),
            Some(time) => Ok((time / scene.time_step).round().max(0.0) as usize),
            None => Ok(scene.n_steps()),
        }
    }

    pub fn advance(&self, py: Python<'_>) -> PyResult<signorini::StepOutcome> {
        let mut inner = self.lock(py)?;
        let inner = &mut *inner;
        compute(py, || inner.advance())?
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, *, threads = None, judge = true))]
    fn new(py: Python<'_>, scene: &Scene, threads: Option<usize>, judge: bool) -> PyResult<Self> {
        let scene = scene.scene.clone();
        let mut simulation = checked(compute(py, || signorini::Simulation::new(scene))?)?;
        simulation.judge_steps(judge);
        Self::with(simulation, threads)
    }

    /// Takes one step and returns its outcome.
    fn step(&self, py: Python<'_>) -> PyResult<StepOutcome> {
        self.advance(py).map(Into::into)
    }

    /// Steps to a time (s), rounded to whole steps, or to the end of the scene's duration: an iterator that
    /// takes a step when it is asked for the next outcome. Ctrl-C ends it after the step in progress; the
    /// simulation can go on from there.
    #[pyo3(signature = (until = None))]
    fn run(slf: Bound<'_, Self>, py: Python<'_>, until: Option<f64>) -> PyResult<Steps> {
        let last = slf.get().last_step(py, until)?;
        Ok(Steps { simulation: slf.unbind(), last })
    }

    /// Has the referee judge every step from now on, or none.
    fn judge_steps(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.lock(py)?.simulation.judge_steps(on);
        Ok(())
    }

    /// Outcome of the last step; None before the first.
    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Option<StepOutcome>> {
        Ok(self.lock(py)?.last.map(Into::into))
    }

    /// The referee's account of the last step; None before the first, or when it was not asked.
    #[getter]
    fn verdict(&self, py: Python<'_>) -> PyResult<Option<Verdict>> {
        Ok(self.lock(py)?.last.and_then(|outcome| outcome.verdict).map(Into::into))
    }

    /// Steps taken so far.
    #[getter]
    fn step_index(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.simulation.step_index())
    }

    /// Time of the current state (s).
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.time())
    }

    /// The scene as it is now: with bodies that came, without those that went.
    #[getter]
    fn scene(&self, py: Python<'_>) -> PyResult<Scene> {
        Ok(Scene::new(self.lock(py)?.simulation.scene().clone()))
    }

    /// Names of the bodies, in the order of the arrays.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.lock(py)?.simulation.scene().bodies.iter().map(|body| body.name.clone()).collect())
    }

    /// Ids of the bodies, in the order of the arrays.
    #[getter]
    fn ids(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        Ok(self.lock(py)?.simulation.body_ids().iter().map(|id| id.index()).collect())
    }

    /// The row of a body in the arrays. Raises `InputError` when there is no such body.
    fn index_of(&self, py: Python<'_>, body: Key) -> PyResult<usize> {
        let inner = self.lock(py)?;
        let id = inner.find(&body)?;
        checked(inner.simulation.index_of(id))
    }

    /// The id of the body of a name. Raises `InputError` when there is no such body.
    fn body_named(&self, py: Python<'_>, name: String) -> PyResult<usize> {
        self.lock(py)?.find(&Key::Name(name)).map(BodyId::index)
    }

    /// Positions of the centres of mass, world (m): a copy, shape (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::vectors(py, self.lock(py)?.simulation.state().poses.iter().map(|pose| pose.position))
    }

    /// Positions of the centres of mass in the periodic box (m); those of `positions` where there is none: a
    /// copy, shape (n, 3).
    #[getter]
    fn wrapped_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock(py)?;
        let periodic = inner.simulation.scene().periodic;
        let places = inner.simulation.state().poses.iter().map(|pose| pose.position);
        arrays::vectors(py, places.map(|place| periodic.map_or(place, |periodic| periodic.wrapped(&place))))
    }

    /// Orientations as unit quaternions (w, x, y, z) from body to world axes: a copy, shape (n, 4).
    #[getter]
    fn quaternions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::rows(py, self.lock(py)?.simulation.state().poses.iter().map(quaternion))
    }

    /// Velocities of the centres of mass, world (m/s): a copy, shape (n, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::vectors(py, self.lock(py)?.simulation.state().velocities.iter().map(|v| v.linear))
    }

    /// Angular velocities, world axes (rad/s): a copy, shape (n, 3).
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::vectors(py, self.lock(py)?.simulation.state().velocities.iter().map(|v| v.angular))
    }

    /// Position (m), shape (3,), and quaternion (w, x, y, z), shape (4,), of a body, world.
    #[allow(clippy::type_complexity)]
    fn pose<'py>(
        &self,
        py: Python<'py>,
        body: Key,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let inner = self.lock(py)?;
        let pose = checked(inner.simulation.pose(inner.find(&body)?))?;
        let position = PyArray1::from_slice(py, pose.position.as_slice());
        Ok((position, PyArray1::from_slice(py, &quaternion(&pose))))
    }

    /// Velocity of the centre of mass (m/s) and angular velocity (rad/s) of a body, world axes, each of shape
    /// (3,).
    #[allow(clippy::type_complexity)]
    fn velocity<'py>(
        &self,
        py: Python<'py>,
        body: Key,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let inner = self.lock(py)?;
        let velocity = checked(inner.simulation.velocity(inner.find(&body)?))?;
        let linear = PyArray1::from_slice(py, velocity.linear.as_slice());
        Ok((linear, PyArray1::from_slice(py, velocity.angular.as_slice())))
    }

    /// Contacts at the end of the last step: a structured array of `dtypes.CONTACT`, one row for each near
    /// pair, or for those of a body. `body_a` and `body_b` are rows of the arrays; the normal points from A
    /// into B; impulses (N s) are those of the step on B, world axes.
    #[pyo3(signature = (body = None))]
    fn contacts<'py>(&self, py: Python<'py>, body: Option<Key>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock(py)?;
        let index_of = |body: Key| checked(inner.simulation.index_of(inner.find(&body)?));
        let index = body.map(index_of).transpose()?;
        let is_of = |c: &&signorini::ContactRecord| index.is_none_or(|i| c.body_a == i || c.body_b == i);
        let mut rows = records::Contacts::default();
        rows.add(inner.simulation.contacts().iter().filter(is_of), None);
        rows.array(py, "CONTACT")
    }

    /// Joints: a structured array of `dtypes.JOINT` with a row for each, in the order of `scene.joint_names`.
    /// Coordinates and rates are those of now; impulses (N s, N m s) are those of the last step on body B,
    /// world axes. Pairs hold the value of the slide or length, and that of the angle.
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records::joints(&self.lock(py)?.simulation).array(py, "JOINT")
    }

    /// Sensors of the scene: a structured array of `dtypes.SENSOR`; NaN of one whose first body has left.
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records::sensors(&self.lock(py)?.simulation).array(py, "SENSOR")
    }

    /// The rows of a measure as of the last step alone: a dict of its columns, arrays of numbers (NaN where
    /// there is none) and lists of names. Raises `InputError` when a field of the measure is not allowed.
    fn measure<'py>(&self, py: Python<'py>, measure: &Measure) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        measured::columns(py, &self.lock(py)?.simulation, measure)
    }

    /// Has the steps solved by a method of one's own from now on, or by the solver again (None). `method`
    /// gets a `problems.Problem` and returns impulses by rows, or None when it gives up; several threads may
    /// call it, and it may not use this simulation. Raises `InputError` unless the formulation is `implicit`.
    fn solve_with(&self, py: Python<'_>, method: Option<Py<PyAny>>) -> PyResult<()> {
        problems::solve_with(&mut *self.lock(py)?, method)
    }

    /// The problems of the next step, linearized at its start: a list of `problems.Problem`, one for each
    /// group of bodies that touch or that joints connect. Raises `InputError` as `solve_with` does.
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        problems::of_next_step(py, &mut *self.lock(py)?)
    }

    /// Coordinates of the mechanism that the joints make, shape (nq,), named by `scene.q_names`: of each tree
    /// of bodies that is not held by fixed ones, position (m) and quaternion (w, x, y, z) of its first body,
    /// world; then those of the joints (m, rad within ±π, quaternions of ball joints). A joint that closes a
    /// loop has none: `scene.loop_joints`.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, mechanism::coordinates(&self.lock(py)?.simulation)))
    }

    /// Rates of the coordinates, shape (nv,), named by `scene.qdot_names`: of free first bodies velocity
    /// (m/s) and angular velocity (rad/s), world axes; of joints m/s and rad/s, of a ball joint the angular
    /// velocity of B relative to A in the axes of A's frame of the joint.
    #[getter]
    fn qdot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, mechanism::rates(&self.lock(py)?.simulation)))
    }

    /// Puts the bodies that joints connect where the coordinates are `q`, shape (nq,), with the rates `qdot`,
    /// shape (nv,), now; without rates their velocities stay. Joints that close loops do not count. Raises
    /// `InputError` when a shape is another or a number is not finite; nothing has changed then.
    #[pyo3(signature = (q, qdot = None))]
    fn set_q(&self, py: Python<'_>, q: Vec<f64>, qdot: Option<Vec<f64>>) -> PyResult<()> {
        mechanism::set(&mut self.lock(py)?.simulation, &q, qdot.as_deref())
    }

    /// Mass matrix M of the mechanism, shape (nv, nv): ½ q̇ᵀ M q̇ is the kinetic energy of the bodies that
    /// joints connect. M = Σ m J_vᵀ J_v + J_ωᵀ I J_ω over the bodies, with the Jacobians of their centres of
    /// mass, and the armature of joints on the diagonal (kg, kg m, kg m²). Loops count as cut open.
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        mechanism::mass_matrix(py, &self.lock(py)?.simulation)
    }

    /// Jacobians of a point that moves with a body, each of shape (3, nv): velocity of the point (m/s) and
    /// angular velocity of the body (rad/s), world axes, are their products with q̇. `point` is in the world
    /// (m); default: the centre of mass. Raises `InputError` when there is no such body.
    #[pyo3(signature = (body, point = None))]
    #[allow(clippy::type_complexity)]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        body: Key,
        point: Option<[f64; 3]>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        let inner = self.lock(py)?;
        let body = checked(inner.simulation.index_of(inner.find(&body)?))?;
        mechanism::jacobian(py, &inner.simulation, body, point)
    }

    /// Derivative with q̇ of the equations of the joints that close loops, shape (m, nv): its product with q̇
    /// is 0 where the loops stay closed. Rows are displacements (m) and sines of angles, joint by joint in
    /// the order of `scene.loop_joints`.
    fn loop_jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        mechanism::loop_jacobian(py, &self.lock(py)?.simulation)
    }

    /// Kinetic energy of the bodies that can move (J).
    #[getter]
    fn kinetic_energy(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.kinetic_energy())
    }

    /// Potential energy of gravity, zero at the world's origin, and of the springs (J).
    #[getter]
    fn potential_energy(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.potential_energy())
    }

    /// Kinetic and potential energy (J).
    #[getter]
    fn energy(&self, py: Python<'_>) -> PyResult<f64> {
        let inner = self.lock(py)?;
        Ok(inner.simulation.kinetic_energy() + inner.simulation.potential_energy())
    }

    /// Pushes a body in the next step: a linear impulse (N s) at its centre of mass and an angular one (N m
    /// s), world axes. Impulses of several calls add up. Raises `InputError` when there is no such body, it
    /// cannot move, or a number is not finite.
    #[pyo3(signature = (body, linear, angular = [0.0; 3]), text_signature = "($self, body, linear, angular=(0, 0, 0))")]
    fn apply_impulse(&self, py: Python<'_>, body: Key, linear: [f64; 3], angular: [f64; 3]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.find(&body)?;
        checked(inner.simulation.apply_impulse(id, linear, angular))
    }

    /// Lets a force (N) at the centre of mass and a torque (N m) act on a body, world axes, from the next
    /// step on until they are set again. They replace the body's own constant force and torque, not gravity.
    /// Raises as `apply_impulse`.
    #[pyo3(signature = (body, force, torque = [0.0; 3]), text_signature = "($self, body, force, torque=(0, 0, 0))")]
    fn set_force(&self, py: Python<'_>, body: Key, force: [f64; 3], torque: [f64; 3]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.find(&body)?;
        checked(inner.simulation.set_force(id, force, torque))
    }

    /// Tells a motor its rate (m/s or rad/s), position (m or rad) or force (N or N m), whichever it has, for
    /// every step from the next one on until it is told again. Raises `InputError` when there is no such
    /// motor or the value is not finite.
    fn set_motor(&self, py: Python<'_>, motor: &str, value: f64) -> PyResult<()> {
        checked(self.lock(py)?.simulation.set_motor(motor, value))
    }

    /// Tells all motors, in the order of `scene.motor_names`, or those of a dict by name. Raises as
    /// `set_motor`; nothing has changed then.
    fn set_motors(&self, py: Python<'_>, values: Targets) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        values.tell(&mut inner.simulation)
    }

    /// Values that the motors are told now (m/s, rad/s, m, rad, N or N m), in the order of
    /// `scene.motor_names`, shape (m,).
    #[getter]
    fn motor_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let inner = self.lock(py)?;
        Ok(PyArray1::from_vec(py, motors::values(&inner.simulation)))
    }

    /// Gives a body another velocity (m/s) and angular velocity (rad/s), world axes, now. Raises as
    /// `apply_impulse`.
    #[pyo3(signature = (body, linear, angular = [0.0; 3]), text_signature = "($self, body, linear, angular=(0, 0, 0))")]
    fn set_velocity(&self, py: Python<'_>, body: Key, linear: [f64; 3], angular: [f64; 3]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.find(&body)?;
        checked(inner.simulation.set_velocity(id, linear, angular))
    }

    /// Puts a body somewhere else, now: position (m) and quaternion (w, x, y, z), world. Its velocity stays.
    /// The next step takes up overlaps that this makes. Raises `InputError` when there is no such body, its
    /// motion is prescribed, or a number is not finite.
    #[pyo3(signature = (body, position, quaternion = [1.0, 0.0, 0.0, 0.0]), text_signature = "($self, body, position, quaternion=(1, 0, 0, 0))")]
    fn set_pose(&self, py: Python<'_>, body: Key, position: [f64; 3], quaternion: [f64; 4]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.find(&body)?;
        let orientation = crate::body::rotation(quaternion);
        checked(inner.simulation.set_pose(id, signorini::Pose { position: position.into(), orientation }))
    }

    /// Gives all bodies a state, now; arguments that are None leave their numbers as they are. Each argument
    /// has a row for each body: positions (m), shape (n, 3); quaternions (w, x, y, z), shape (n, 4);
    /// velocities (m/s) and angular velocities (rad/s), shape (n, 3). Bodies whose pose changes meet their
    /// contacts for the first time. Raises `InputError` when a number of rows is not n, a fixed body gets a
    /// velocity, a body whose motion is prescribed another pose, or a number is not finite; nothing has
    /// changed then.
    #[pyo3(signature = (positions = None, quaternions = None, velocities = None, angular_velocities = None))]
    fn set_state(
        &self,
        py: Python<'_>,
        positions: Option<Vec<[f64; 3]>>,
        quaternions: Option<Vec<[f64; 4]>>,
        velocities: Option<Vec<[f64; 3]>>,
        angular_velocities: Option<Vec<[f64; 3]>>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        inner.set_state((positions, quaternions), (velocities, angular_velocities))
    }

    /// Adds a body now and returns its id. It may name the materials of the scene only. Raises `InputError`
    /// when a value is not allowed or the body overlaps another.
    fn add_body(&self, py: Python<'_>, body: &crate::body::Body) -> PyResult<usize> {
        let mut inner = self.lock(py)?;
        checked(inner.simulation.add_body(body.builder.clone())).map(BodyId::index)
    }

    /// Removes a body now, with its joints, springs, motions and loads. Bodies behind it move up by one row;
    /// ids stay. Raises `InputError` when there is no such body, or another moves relative to it.
    fn remove_body(&self, py: Python<'_>, body: Key) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.find(&body)?;
        checked(inner.simulation.remove_body(id)).map(drop)
    }

    /// The simulation as data, from which it goes on with the same bits.
    fn save(&self, py: Python<'_>) -> PyResult<SavedState> {
        Ok(SavedState { saved: self.lock(py)?.simulation.save() })
    }

    /// Restores the state that a simulation was saved in. Raises `InputError` when the data contradict
    /// themselves; nothing has changed then.
    fn restore(&self, py: Python<'_>, saved: &SavedState) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        inner.last = None;
        checked(inner.simulation.restore(saved.saved.clone()))
    }

    /// A simulation that goes on from a saved state. Arguments and errors as of the class.
    #[staticmethod]
    #[pyo3(signature = (saved, *, threads = None, judge = true))]
    fn from_saved(py: Python<'_>, saved: &SavedState, threads: Option<usize>, judge: bool) -> PyResult<Self> {
        let saved = saved.saved.clone();
        let mut simulation = checked(compute(py, || signorini::Simulation::from_saved(saved))?)?;
        simulation.judge_steps(judge);
        Self::with(simulation, threads)
    }

    /// Draws the bodies as they are, with shadows: red, green and blue, shape (height, width, 3), uint8.
    /// `size` is width and height in pixels; `eye` the direction in which the eye is, world.
    #[pyo3(signature = (size = (900, 600), eye = [0.6, -1.0, 0.5]), text_signature = "($self, size=(900, 600), eye=(0.6, -1.0, 0.5))")]
    fn picture<'py>(&self, py: Python<'py>, size: (u32, u32), eye: [f64; 3]) -> PyResult<Pixels<'py>> {
        film::picture(py, &mut *self.lock(py)?, size, eye)
    }

    /// Draws the bodies as they are, with shadows, into a PNG file. `size` is width and height in pixels;
    /// `eye` the direction in which the eye is, world. Raises `FileError` when it cannot be written.
    #[pyo3(signature = (path, size = (900, 600), eye = [0.6, -1.0, 0.5]), text_signature = "($self, path, size=(900, 600), eye=(0.6, -1.0, 0.5))")]
    fn save_picture(&self, py: Python<'_>, path: PathBuf, size: (u32, u32), eye: [f64; 3]) -> PyResult<()> {
        film::save_picture(py, &mut *self.lock(py)?, (path, size), eye)
    }

    /// A page for any browser with the state as it is and the contacts of the last step, or, with `until`,
    /// with the steps from here to that time (s), which are taken first. At most so many frames and bytes.
    /// Ctrl-C ends it after the step in progress.
    #[pyo3(signature = (until = None, *, frames = 2001, size = 25e6))]
    fn page(&self, py: Python<'_>, until: Option<f64>, frames: usize, size: f64) -> PyResult<String> {
        film::page(py, self, until, frames, size)
    }

    /// Shows `page`: in the notebook where there is one, `height` pixels high, else in a browser, from a file
    /// whose path is returned.
    #[pyo3(signature = (until = None, *, frames = 500, size = 8e6, height = 600))]
    fn show<'py>(
        &self,
        py: Python<'py>,
        until: Option<f64>,
        frames: usize,
        size: f64,
        height: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let page = film::page(py, self, until, frames, size)?;
        py.import("signorini.shown")?.call_method1("show", (page, py.None(), height))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (SavedState,))> {
        Ok((py.get_type::<Self>().getattr("from_saved")?, (self.save(py)?,)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let inner = self.lock(py)?;
        let (n, step) = (inner.simulation.scene().bodies.len(), inner.simulation.step_index());
        Ok(format!("<signorini.Simulation: {n} bodies, {step} steps, t = {:?} s>", inner.simulation.time()))
    }
}
