//! Derivatives of a step.

use crate::arrays;
use crate::changes::{Given, Sized};
use crate::errors::refuse;
use crate::faults::compute;
use crate::outcome::StepOutcome;
use crate::simulation::Simulation;
use numpy::{AllowTypeChange, PyArray1, PyArray4, PyArrayDyn, PyArrayLike2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{BodyTangent, Change};
use std::sync::Mutex;

/// Entries of a change of a body's state.
const STATE: usize = BodyTangent::LEN;
/// Entries of an impulse or a force: linear, angular.
const WRENCH: usize = 6;
/// Columns of a matrix that are made at a time.
const COLUMNS: usize = 64;

/// Matrices A and B of a step.
type Matrices<'py> = (Bound<'py, PyArray4<f64>>, Bound<'py, PyArray4<f64>>);

/// The derivative of one step, by the implicit function theorem at its solution (theory §17).
///
/// The change of a body's state is a row of 12 numbers in world axes: δc (m) of the centre of mass, δθ (rad)
/// with R ← exp(δθ) R, δv (m/s), δω (rad/s). Arrays have a row for each body, fixed ones included, in the
/// order of `Simulation.names`.
#[pyclass(frozen, module = "signorini")]
pub struct StepDerivatives {
    inner: Mutex<signorini::StepDerivatives>,
    bodies: Vec<Sized>,
    /// Motors, joints, courses and motions.
    counts: [usize; 4],
}

impl StepDerivatives {
    pub fn new(inner: signorini::StepDerivatives, scene: &signorini::Scene) -> Self {
        let bodies = scene.bodies.iter();
        let bodies = bodies.map(|body| Sized { name: body.name.clone(), has_sizes: body.sizes().is_some() });
        let bodies = bodies.collect();
        let courses = scene.courses().count();
        let counts = [scene.controls.len(), scene.joints.len(), courses, scene.motions.len()];
        Self { inner: Mutex::new(inner), bodies, counts }
    }

    /// Works with the derivatives while other threads of Python run.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut signorini::StepDerivatives) -> T + Send,
    ) -> PyResult<T> {
        compute(py, || work(&mut self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }
}

#[pymethods]
impl StepDerivatives {
    /// The changes of all states at the end of the step, shape (n, 12), to first order, by changes of what it
    /// depends on: `start` (n, 12) of the states at its start, `impulse` (n, 6) N s at the centre of mass and
    /// N m s that act once, at its start, `force` (n, 6) N and N m over the step, `mass` (n,) kg with the
    /// inertia unchanged, `inertia` (n, 6) kg m² of xx, yy, zz, xy, xz, yz about the centre of mass, body
    /// axes, mass unchanged, `centre` (n, 3) m of the centre of mass against shapes and joints, body axes,
    /// the start being that of the centre, `size` (n, 3) m of the semi-axes of ellipsoids and the half
    /// extents of boxes, mass and inertia unchanged, `gravity` (3,) m/s², `friction` and `restitution` of
    /// every coefficient above 0, `motor` (m,) of the targets of motors, in the order of `scene.motor_names`,
    /// `joint` (j, 2, 6) of the anchor (m) and a turn (rad) of each joint in its bodies A and B, in their
    /// axes, in the order of `scene.joint_names`, `course` (c,) m or rad of the prescribed motions of
    /// coordinates of joints, `motion` (p,) m or rad, or s of one through poses, of the prescribed motions of
    /// bodies, `scene.motion_count`, in the order of the scene, `time_step` s, and `time` s at its start. 0
    /// for fixed bodies, and for those without a derivative (`obstacles`). Where
    /// a change has one axis more, in front, it is of so many directions, and so is the result, shape (k, n,
    /// 12): each has the bits that it has alone, in a fraction of the time. Raises `InputError` where an
    /// array has another shape.
    #[pyo3(signature = (**changes))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        changes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let n = self.bodies.len();
        let given = Given::of(changes, &self.bodies, self.counts)?;
        let ends = self.with(py, |derivatives| derivatives.apply_all(&given.changes))?;
        let rows: Vec<f64> =
            ends.iter().flatten().flat_map(|end| <[f64; STATE]>::from(end.to_vector())).collect();
        let shape = if given.is_one { vec![n, STATE] } else { vec![ends.len(), n, STATE] };
        PyArray1::from_vec(py, rows).reshape(shape)
    }

    /// The gradients of a function of the states at the end, whose gradient with them is given, shape (n,
    /// 12): a dict of all names of `apply` in their shapes, whose transposed map this is.
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        gradient: PyArrayLike2<'py, f64, AllowTypeChange>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (gradient, shape) = (gradient.as_array(), [self.bodies.len(), STATE]);
        if gradient.shape() != shape {
            let allowed = format!("must have shape {shape:?}");
            return Err(refuse(format!("gradient of shape {:?}", gradient.shape()), allowed));
        }
        let numbers: Vec<f64> = gradient.iter().copied().collect();
        let rows = numbers.as_chunks::<STATE>().0.iter();
        let gradient: Vec<_> = rows.map(|row| BodyTangent::from_vector(&(*row).into())).collect();
        let change = self.with(py, |derivatives| derivatives.adjoint(&gradient))?;
        let out = PyDict::new(py);
        let start = change.start.iter().map(|tangent| <[f64; STATE]>::from(tangent.to_vector()));
        out.set_item("start", arrays::rows(py, start)?)?;
        for (name, pushes) in [("impulse", &change.impulse), ("force", &change.force)] {
            let rows = pushes.iter().map(|[p, l]| [p.x, p.y, p.z, l.x, l.y, l.z]);
            out.set_item(name, arrays::rows(py, rows)?)?;
        }
        out.set_item("mass", PyArray1::from_vec(py, change.mass))?;
        let inertia = change.inertia.iter().map(|row| <[f64; WRENCH]>::from(*row));
        out.set_item("inertia", arrays::rows(py, inertia)?)?;
        let centre = change.centre.iter().map(|row| <[f64; 3]>::from(*row));
        out.set_item("centre", arrays::rows(py, centre)?)?;
        out.set_item("size", arrays::rows(py, change.size.iter().map(|size| <[f64; 3]>::from(*size)))?)?;
        out.set_item("gravity", PyArray1::from_slice(py, change.gravity.as_slice()))?;
        out.set_item("friction", change.friction)?;
        out.set_item("restitution", change.restitution)?;
        out.set_item("motor", PyArray1::from_vec(py, change.motor))?;
        let places = change.joint.iter().flatten().flat_map(|place| [place.anchor, place.turn]);
        let places = places.flat_map(<[f64; 3]>::from).collect();
        out.set_item("joint", PyArray1::from_vec(py, places).reshape([change.joint.len(), 2, WRENCH])?)?;
        out.set_item("course", PyArray1::from_vec(py, change.course))?;
        out.set_item("motion", PyArray1::from_vec(py, change.motion))?;
        out.set_item("time_step", change.time_step)?;
        out.set_item("time", change.time)?;
        Ok(out)
    }

    /// The matrices A, shape (n, 12, n, 12), and B, shape (n, 12, n, 6), of
    /// δend[i] = Σ A[i, :, j] δstart[j] + B[i, :, j] δimpulse[j], or of δforce[j] with `force=True`.
    #[pyo3(signature = (*, force = false))]
    fn matrices<'py>(&self, py: Python<'py>, force: bool) -> PyResult<Matrices<'py>> {
        let n = self.bodies.len();
        let pushed = if force { Column::Force } else { Column::Impulse };
        let [a, b] =
            self.with(py, |derivatives| [Column::Start, pushed].map(|of| matrix(derivatives, n, of)))?;
        let shaped =
            |values: Vec<f64>, width: usize| PyArray1::from_vec(py, values).reshape([n, STATE, n, width]);
        Ok((shaped(a, STATE)?, shaped(b, WRENCH)?))
    }

    /// Pairs of names of bodies whose contact or joint is on a border of its status: derivatives are
    /// one-sided there.
    #[getter]
    fn borders(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let name = |id: usize| self.bodies[id].name.clone();
        self.with(py, |derivatives| derivatives.borders().map(|[a, b]| (name(a), name(b))).collect())
    }

    /// Share of the last change, or gradient, that contacts which hold contradict; rounding (below 1e-9)
    /// where there is a derivative. Bodies that are overconstrained have none with
    /// their poses.
    #[getter]
    fn contradiction(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |derivatives| derivatives.contradiction())
    }

    /// Why islands of bodies have no derivatives; empty where all have.
    #[getter]
    fn obstacles(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |derivatives| derivatives.obstacles().map(|obstacle| obstacle.to_string()).collect())
    }
}

/// The cause of the columns of a matrix.
#[derive(Clone, Copy)]
enum Column {
    Start,
    Impulse,
    Force,
}

/// The matrix of changes at the end by those of the states at the start, or of impulses or forces, row by
/// row.
fn matrix(derivatives: &mut signorini::StepDerivatives, n: usize, of: Column) -> Vec<f64> {
    let width = if matches!(of, Column::Start) { STATE } else { WRENCH };
    let mut out = vec![0.0; n * STATE * n * width];
    let unit = |column: usize| {
        let (j, k) = (column / width, column % width);
        let mut change = Change::none(n);
        match of {
            Column::Start => {
                let mut unit = change.start[j].to_vector();
                unit[k] = 1.0;
                change.start[j] = BodyTangent::from_vector(&unit);
            }
            Column::Impulse => change.impulse[j][k / 3][k % 3] = 1.0,
            Column::Force => change.force[j][k / 3][k % 3] = 1.0,
        }
        change
    };
    let columns: Vec<usize> = (0..n * width).collect();
    for some in columns.chunks(COLUMNS) {
        let changes: Vec<_> = some.iter().map(|column| unit(*column)).collect();
        for (column, end) in some.iter().zip(derivatives.apply_all(&changes)) {
            let rows = end.iter().flat_map(|body| <[f64; STATE]>::from(body.to_vector()));
            rows.enumerate().for_each(|(row, value)| out[row * n * width + column] = value);
        }
    }
    out
}

#[pymethods]
impl Simulation {
    /// Takes one step, solved to 1e-10 at least, and returns its outcome and its derivatives. Raises
    /// `InputError` when the formulation of the scene has none: only `implicit` has.
    fn step_with_derivatives(&self, py: Python<'_>) -> PyResult<(StepOutcome, StepDerivatives)> {
        let mut inner = self.lock(py)?;
        let inner = &mut *inner;
        let (outcome, derivatives) = compute(py, || inner.advance_with_derivatives())??;
        Ok((outcome.into(), StepDerivatives::new(derivatives, inner.simulation.scene())))
    }

    /// The matrices A, shape (n, 12, n, 12), and B, shape (n, 12, n, 6), of the next step, which is not
    /// taken: δend[i] = Σ A[i, :, j] δstart[j] + B[i, :, j] δimpulse[j], as in `StepDerivatives`. Errors as
    /// of `step_with_derivatives`.
    fn linearize<'py>(&self, py: Python<'py>) -> PyResult<Matrices<'py>> {
        let mut inner = self.lock(py)?;
        let inner = &mut *inner;
        let (derivatives, scene) = compute(py, || inner.next_derivatives())??;
        StepDerivatives::new(derivatives, &scene).matrices(py, false)
    }
}
