//! Many copies of a scene, stepped together.

use crate::errors::{self, checked, refuse};
use crate::faults::compute;
use crate::mechanism;
use crate::records;
use crate::saved::SavedState;
use crate::scene::{Scene, quaternion};
use crate::workers::Workers;
use numpy::{
    PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use rayon::prelude::*;
use signorini::{Simulation, State};
use std::sync::{Mutex, MutexGuard};

/// Many copies of a scene, each in a state of its own, which one call steps over all cores.
///
/// Arrays have a row for each copy and in it one for each body, fixed ones included; they are copies and
/// never change. A copy takes the same steps as a `Simulation` of the scene, bit for bit, whatever `threads`
/// is. The referee judges no step unless `judge=True`.
///
/// Raises `InputError` when n is 0 or the scene's model cannot run it.
#[pyclass(frozen, module = "signorini")]
pub struct VectorSim {
    inner: Mutex<Worlds>,
}

/// The copies, their threads and the state that they start from, which the lock guards.
struct Worlds {
    simulations: Vec<Simulation>,
    workers: Workers,
    start: signorini::SavedState,
    /// Whether a step panicked.
    is_broken: bool,
}

impl Worlds {
    /// Copies of a list of numbers, or all.
    fn chosen(&self, copies: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        let n = self.simulations.len();
        let copies = copies.unwrap_or_else(|| (0..n).collect());
        match copies.iter().find(|copy| **copy >= n) {
            Some(none) => Err(refuse(format!("copy {none}"), format!("is none of the {n}"))),
            None => Ok(copies),
        }
    }

    /// A list of numbers of each copy, as long as those of the others.
    fn lists<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Simulation) -> Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let n = self.simulations.len();
        let numbers: Vec<f64> = self.simulations.iter().flat_map(of).collect();
        let length = numbers.len() / n;
        PyArray1::from_vec(py, numbers).reshape([n, length])
    }

    fn shape(&self, width: usize) -> [usize; 3] {
        [self.simulations.len(), self.simulations[0].state().poses.len(), width]
    }

    /// Numbers of each body of each copy.
    fn numbers<'py, const N: usize>(
        &self,
        py: Python<'py>,
        of: impl Fn(&State, usize) -> [f64; N],
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let shape = self.shape(N);
        let states = self.simulations.iter().map(Simulation::state);
        let numbers: Vec<f64> = states
            .flat_map(|state| (0..shape[1]).flat_map(|body| of(state, body)).collect::<Vec<_>>())
            .collect();
        PyArray1::from_vec(py, numbers).reshape(shape)
    }

    /// Rows of an argument, one for each copy, if it was given.
    fn rows<const N: usize>(
        &self,
        name: &str,
        array: Option<PyReadonlyArray3<'_, f64>>,
    ) -> PyResult<Option<Vec<Vec<[f64; N]>>>> {
        let Some(array) = array else { return Ok(None) };
        let shape = self.shape(N);
        if array.shape() != shape {
            return Err(refuse(format!("{name} of shape {:?}", array.shape()), format!("must be {shape:?}")));
        }
        let array = array.as_array();
        let row = |copy: usize, body: usize| std::array::from_fn(|i| array[[copy, body, i]]);
        let rows = |copy| (0..shape[1]).map(|body| row(copy, body)).collect();
        Ok(Some((0..shape[0]).map(rows).collect()))
    }
}

impl VectorSim {
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Worlds>> {
        let inner = self.inner.lock_py_attached(py).ok().filter(|inner| !inner.is_broken);
        inner.ok_or_else(|| {
            errors::internal("a step of these simulations failed: make them anew from their scene")
        })
    }
}

#[pymethods]
impl VectorSim {
    #[new]
    #[pyo3(signature = (scene, n, *, threads = None, judge = false))]
    fn new(py: Python<'_>, scene: &Scene, n: usize, threads: Option<usize>, judge: bool) -> PyResult<Self> {
        if n == 0 {
            return Err(refuse("n = 0".to_owned(), "must be 1 or more"));
        }
        let scene = scene.scene.clone();
        let first = checked(compute(py, || Simulation::new(scene))?)?;
        let start = first.save();
        let copies = (0..n).map(|_| {
            let mut copy = checked(Simulation::from_saved(start.clone()))?;
            copy.judge_steps(judge);
            Ok(copy)
        });
        let simulations = copies.collect::<PyResult<Vec<_>>>()?;
        let inner = Worlds { simulations, workers: Workers::new(threads)?, start, is_broken: false };
        Ok(Self { inner: Mutex::new(inner) })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.simulations.len())
    }

    /// Takes so many steps in every copy. Whether all of them were solved, and found good where steps are
    /// judged: shape (n,), bool.
    #[pyo3(signature = (steps = 1))]
    fn step<'py>(&self, py: Python<'py>, steps: usize) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mut inner = self.lock(py)?;
        let Worlds { simulations, workers, is_broken, .. } = &mut *inner;
        let take = |simulation: &mut Simulation| {
            // All steps are taken, also after one that was not good.
            (0..steps).fold(true, |good, _| simulation.advance().is_good() & good)
        };
        // A panic leaves it so.
        *is_broken = true;
        let all = || simulations.par_iter_mut().map(take).collect::<Vec<bool>>();
        let good = compute(py, || workers.run(all))?;
        *is_broken = false;
        Ok(PyArray1::from_vec(py, good?))
    }

    /// Puts copies back to the start of the scene: those of a list of numbers, or all.
    #[pyo3(signature = (copies = None))]
    fn reset(&self, py: Python<'_>, copies: Option<Vec<usize>>) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        for copy in inner.chosen(copies)? {
            let start = inner.start.clone();
            checked(inner.simulations[copy].restore(start))?;
        }
        Ok(())
    }

    /// The copies as data, each of which goes on with the same bits: those of a list of numbers, or all. A
    /// `Simulation` can be made of one of them by `Simulation.from_saved`.
    #[pyo3(signature = (copies = None))]
    fn save(&self, py: Python<'_>, copies: Option<Vec<usize>>) -> PyResult<Vec<SavedState>> {
        let inner = self.lock(py)?;
        let copies = inner.chosen(copies)?;
        Ok(copies.into_iter().map(|copy| SavedState { saved: inner.simulations[copy].save() }).collect())
    }

    /// Puts copies into saved states, one for each of a list of numbers, or for all. A state may go into
    /// several copies, and may come from a `Simulation` with as many bodies, joints and motors. Raises
    /// `InputError` when there are not as many states as copies, or one has others; nothing has changed then.
    #[pyo3(signature = (saved, copies = None))]
    fn restore(
        &self,
        py: Python<'_>,
        saved: Vec<PyRef<'_, SavedState>>,
        copies: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let copies = inner.chosen(copies)?;
        if saved.len() != copies.len() {
            let allowed = format!("must be {}, one for each copy", copies.len());
            return Err(refuse(format!("{} saved states", saved.len()), allowed));
        }
        let sizes = |s: &signorini::Scene| [s.bodies.len(), s.joints.len(), s.controls.len()];
        let here = sizes(inner.start.scene());
        for state in &saved {
            let found = sizes(state.saved.scene());
            if found != here {
                let text = |[bodies, joints, motors]: [usize; 3]| {
                    format!("{bodies} bodies, {joints} joints and {motors} motors")
                };
                return Err(refuse(
                    format!("a saved state of {}", text(found)),
                    format!("must be of {}", text(here)),
                ));
            }
        }
        for (copy, state) in copies.into_iter().zip(saved) {
            checked(inner.simulations[copy].restore(state.saved.clone()))?;
        }
        Ok(())
    }

    /// Contacts of all copies at the end of their last steps: a structured array of `dtypes.COPY_CONTACT`,
    /// one row for each near pair, with the number of the copy first, by which the rows are in order. Other
    /// fields as of `Simulation.contacts`.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = records::Contacts::default();
        for (copy, simulation) in self.lock(py)?.simulations.iter().enumerate() {
            rows.add(simulation.contacts().iter(), Some(copy));
        }
        rows.array(py, "COPY_CONTACT")
    }

    /// Joints of all copies, shape (n, joints): a structured array of `dtypes.COPY_JOINT`. Fields as of
    /// `Simulation.joints`.
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = records::Joints::default();
        let inner = self.lock(py)?;
        for (copy, simulation) in inner.simulations.iter().enumerate() {
            rows.add(simulation, Some(copy));
        }
        let shape = (inner.simulations.len(), inner.start.scene().joints.len());
        rows.array(py, "COPY_JOINT")?.call_method1("reshape", (shape,))
    }

    /// Coordinates of the mechanism of each copy, shape (n, nq), as of `Simulation.q`.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.lock(py)?.lists(py, mechanism::coordinates)
    }

    /// Rates of the coordinates of each copy, shape (n, nv), as of `Simulation.qdot`.
    #[getter]
    fn qdot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.lock(py)?.lists(py, mechanism::rates)
    }

    /// Gives the mechanism of each copy coordinates, shape (n, nq), and rates, shape (n, nv), as
    /// `Simulation.set_q`. Raises `InputError` with the copy; those before it have theirs then.
    #[pyo3(signature = (q, qdot = None))]
    fn set_q(
        &self,
        py: Python<'_>,
        q: PyReadonlyArray2<'_, f64>,
        qdot: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let n = inner.simulations.len();
        for (name, array) in [("q", Some(&q)), ("qdot", qdot.as_ref())] {
            if let Some(array) = array.filter(|array| array.shape()[0] != n) {
                let what = format!("{name} of shape {:?}", array.shape());
                return Err(refuse(what, format!("must have {n} rows")));
            }
        }
        for (copy, simulation) in inner.simulations.iter_mut().enumerate() {
            let row = |array: &PyReadonlyArray2<'_, f64>| array.as_array().row(copy).to_vec();
            mechanism::set(simulation, &row(&q), qdot.as_ref().map(row).as_deref())?;
        }
        Ok(())
    }

    /// Times of the copies (s), shape (n,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let times = self.lock(py)?.simulations.iter().map(Simulation::time).collect();
        Ok(PyArray1::from_vec(py, times))
    }

    /// Names of the bodies, in the order of the arrays.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = self.lock(py)?;
        Ok(inner.simulations[0].scene().bodies.iter().map(|body| body.name.clone()).collect())
    }

    /// Positions of the centres of mass, world (m), shape (n, bodies, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.lock(py)?.numbers(py, |state, body| state.poses[body].position.into())
    }

    /// Orientations as unit quaternions (w, x, y, z), shape (n, bodies, 4).
    #[getter]
    fn quaternions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.lock(py)?.numbers(py, |state, body| quaternion(&state.poses[body]))
    }

    /// Velocities of the centres of mass, world (m/s), shape (n, bodies, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.lock(py)?.numbers(py, |state, body| state.velocities[body].linear.into())
    }

    /// Angular velocities, world axes (rad/s), shape (n, bodies, 3).
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.lock(py)?.numbers(py, |state, body| state.velocities[body].angular.into())
    }

    /// Gives the bodies of all copies a state, now; arguments that are None leave their numbers as they are.
    /// Shapes are those of the arrays that are read. Raises `InputError` as `Simulation.set_state`, with the
    /// copy; those before it have theirs then.
    #[pyo3(signature = (positions = None, quaternions = None, velocities = None, angular_velocities = None))]
    fn set_state(
        &self,
        py: Python<'_>,
        positions: Option<PyReadonlyArray3<'_, f64>>,
        quaternions: Option<PyReadonlyArray3<'_, f64>>,
        velocities: Option<PyReadonlyArray3<'_, f64>>,
        angular_velocities: Option<PyReadonlyArray3<'_, f64>>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let positions = inner.rows::<3>("positions", positions)?;
        let quaternions = inner.rows::<4>("quaternions", quaternions)?;
        let velocities = inner.rows::<3>("velocities", velocities)?;
        let angular = inner.rows::<3>("angular_velocities", angular_velocities)?;
        for (copy, simulation) in inner.simulations.iter_mut().enumerate() {
            let mut state = simulation.state().clone();
            for body in 0..state.poses.len() {
                let (pose, speed) = (&mut state.poses[body], &mut state.velocities[body]);
                if let Some(rows) = &positions {
                    pose.position = rows[copy][body].into();
                }
                // A quaternion that equals the present one leaves it, to the last bit.
                if let Some(rows) = quaternions.as_ref().filter(|rows| rows[copy][body] != quaternion(pose)) {
                    pose.orientation = crate::body::rotation(rows[copy][body]);
                }
                if let Some(rows) = &velocities {
                    speed.linear = rows[copy][body].into();
                }
                if let Some(rows) = &angular {
                    speed.angular = rows[copy][body].into();
                }
            }
            if let Err(error) = simulation.set_state(&state) {
                return Err(refuse(format!("copy {copy}"), error.to_string()));
            }
        }
        Ok(())
    }

    /// Tells the motors of every copy their velocities, positions or forces, shape (n, motors), in the order
    /// of `scene.motor_names`, until they are told again. Raises `InputError` when the shape is another or a
    /// value is not finite.
    fn set_motors(&self, py: Python<'_>, values: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let shape = [inner.simulations.len(), inner.simulations[0].motors().count()];
        if values.shape() != shape {
            return Err(refuse(
                format!("values of shape {:?}", values.shape()),
                format!("must be {shape:?}"),
            ));
        }
        let values = values.as_array();
        for (simulation, row) in inner.simulations.iter_mut().zip(values.rows()) {
            checked(simulation.set_motors(&row.to_vec()))?;
        }
        Ok(())
    }

    /// Lets forces (N) at the centres of mass, world axes, act on the bodies of every copy, shape (n, bodies,
    /// 3), until they are set again. They replace the bodies' own constant forces and torques, not gravity.
    /// Raises `InputError` when the shape is another, a fixed body gets a force, or a value is not finite.
    fn set_forces(&self, py: Python<'_>, forces: PyReadonlyArray3<'_, f64>) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let rows = inner.rows::<3>("forces", Some(forces))?.unwrap_or_default();
        for (simulation, rows) in inner.simulations.iter_mut().zip(rows) {
            for (id, force) in simulation.body_ids().to_vec().into_iter().zip(rows) {
                let is_fixed = simulation.index_of(id).is_ok_and(|i| simulation.scene().bodies[i].fixed);
                if !is_fixed || force != [0.0; 3] {
                    checked(simulation.set_force(id, force, [0.0; 3]))?;
                }
            }
        }
        Ok(())
    }
}
