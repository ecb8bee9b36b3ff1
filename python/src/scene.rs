//! Scenes.

use crate::arrays;
use crate::builder::SceneBuilder;
use crate::bytes;
use crate::errors::{checked, raise, renamed, without_place};
use crate::faults::compute;
use crate::motors;
use crate::settings::formulation;
use crate::surfaces;
use crate::values::{table_of, text_of};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use signorini::Mechanism;
use signorini::files::{self, LoadOptions, Loaded, ModelOptions};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A scene, everything that a run needs to know: bodies, joints, friction, loads and settings. Never changes.
///
/// Comes from a file (`Scene.load`), a text (`Scene.from_toml`), a dict with the fields of a scene file
/// (`Scene.from_dict`) or a builder (`Scene.builder`). Arrays have a row for each body, fixed ones included,
/// in the order of `names`.
#[pyclass(frozen, module = "signorini")]
pub struct Scene {
    pub scene: signorini::Scene,
    pub notes: Vec<String>,
}

/// Names of the options.
const OPTIONS: [&str; 9] = [
    "formulation",
    "time_step",
    "duration",
    "tolerance",
    "seed",
    "separate",
    "assemble",
    "allow_outside",
    "allow_missing_shapes",
];

/// Options of loading a scene, by keyword.
pub fn options_of(dict: Option<&Bound<'_, PyDict>>) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::default();
    for (key, value) in dict.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
        let overrides = &mut options.overrides;
        match key.extract::<String>()?.as_str() {
            "formulation" => overrides.formulation = Some(formulation(&value.extract::<String>()?)?),
            "time_step" => overrides.time_step = Some(value.extract()?),
            "step" => {
                renamed(value.py(), c"the option step is called time_step now")?;
                overrides.time_step = Some(value.extract()?);
            }
            "duration" => overrides.duration = Some(value.extract()?),
            "tolerance" => overrides.tolerance = Some(value.extract()?),
            "seed" => overrides.seed = Some(value.extract()?),
            "separate" => options.separate = value.extract()?,
            "assemble" => options.assemble = value.extract()?,
            "allow_outside" => options.allow_outside = value.extract()?,
            "allow_missing_shapes" => options.allow_missing_shapes = value.extract()?,
            other => {
                let message = format!("unexpected option {other:?}; there are {}", OPTIONS.join(", "));
                return Err(PyTypeError::new_err(message));
            }
        }
    }
    Ok(options)
}

impl Scene {
    pub fn new(scene: signorini::Scene) -> Self {
        Self { scene, notes: Vec::new() }
    }

    pub fn of(loaded: Loaded) -> Self {
        Self { scene: loaded.scene, notes: loaded.notes }
    }

    /// The scene of a model: of a file, or of a text.
    fn of_model(py: Python<'_>, model: &Path, path: &Path, options: ModelOptions) -> PyResult<Self> {
        let text = model.to_str().filter(|text| text.trim_start().starts_with('<'));
        let loaded = compute(py, || match text {
            Some(text) => files::convert_text(text, path, &options),
            None => files::convert(model, &options),
        });
        checked(loaded?).map(Self::of)
    }
}

#[pymethods]
impl Scene {
    /// Reads a scene file (TOML).
    ///
    /// Options replace values of the file and are checked like them: `formulation`, `time_step` (s),
    /// `duration` (s), `tolerance`, `seed`; `separate=True` moves bodies that overlap at the start apart,
    /// `assemble=True` moves bodies until their joints hold, `allow_outside=True` takes meshes from outside
    /// the scene's folder.
    ///
    /// Raises `InputError` with all faults of the file, `FileError` when it cannot be read.
    #[staticmethod]
    #[pyo3(signature = (path, **options))]
    fn load(py: Python<'_>, path: PathBuf, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = options_of(options)?;
        checked(compute(py, || files::load(&path, &options))?).map(Self::of)
    }

    /// Reads a scene from the text of a scene file. `path` names it in messages, and meshes are beside it.
    /// Options as of `load`.
    #[staticmethod]
    #[pyo3(signature = (text, path = PathBuf::from("scene"), **options), text_signature = "(text, path='scene', **options)")]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        path: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options_of(options)?;
        checked(compute(py, || files::parse(text, &path, &options))?).map(Self::of)
    }

    /// A scene from a dict with the fields of a scene file; `format` may be left out. Numbers, texts, lists
    /// and arrays of NumPy are values; None stands for a field that is not there. `path` names the scene in
    /// messages, and meshes are beside it. Options as of `load`.
    #[staticmethod]
    #[pyo3(signature = (fields, path = PathBuf::from("scene"), **options), text_signature = "(fields, path='scene', **options)")]
    fn from_dict(
        py: Python<'_>,
        fields: &Bound<'_, PyDict>,
        path: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options_of(options)?;
        let mut table = table_of(fields, "")?;
        table.entry("format").or_insert(toml::Value::Integer(1));
        let text = text_of(&table)?;
        let loaded = compute(py, || files::parse(&text, &path, &options))?;
        loaded.map(Self::of).map_err(|error| raise(without_place(error)))
    }

    /// A scene from a model in MJCF, the format of MuJoCo: the path of a file, or the text itself (it begins
    /// with `<`), whose meshes and included files are beside `path`, in the current folder by default.
    /// `joints` are positions of joints at the start by name (m or rad), of the others as the model says.
    /// Elements that cannot be taken over stand in `notes` with their places; `strict=True` raises
    /// `InputError` instead. Options as of `load`. Raises `InputError` when the model is none that scenes can
    /// have, `FileError` when a file cannot be read.
    #[staticmethod]
    #[pyo3(signature = (model, joints = None, strict = false, *, path = PathBuf::from("model"), **options), text_signature = "(model, joints=None, strict=False, *, path='model', **options)")]
    fn from_mjcf(
        py: Python<'_>,
        model: PathBuf,
        joints: Option<HashMap<String, f64>>,
        strict: bool,
        path: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (positions, load) = (joints.unwrap_or_default(), options_of(options)?);
        Self::of_model(py, &model, &path, ModelOptions { strict, positions, free_root: false, load })
    }

    /// A scene from a robot in URDF, whose root is fixed, or moves freely with `free_root=True`. Other
    /// arguments as of `from_mjcf`.
    #[staticmethod]
    #[pyo3(signature = (model, joints = None, strict = false, free_root = false, *, path = PathBuf::from("model"), **options), text_signature = "(model, joints=None, strict=False, free_root=False, *, path='model', **options)")]
    fn from_urdf(
        py: Python<'_>,
        model: PathBuf,
        joints: Option<HashMap<String, f64>>,
        strict: bool,
        free_root: bool,
        path: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (positions, load) = (joints.unwrap_or_default(), options_of(options)?);
        Self::of_model(py, &model, &path, ModelOptions { strict, positions, free_root, load })
    }

    /// An empty `SceneBuilder`: a step of 0.01 s, a duration of 1 s, gravity of 9.81 m/s² against z, no
    /// friction.
    #[staticmethod]
    fn builder() -> SceneBuilder {
        SceneBuilder::new()
    }

    /// The JSON schema of scene files, as a text.
    #[staticmethod]
    fn json_schema() -> String {
        files::json_schema()
    }

    /// The scene as the text of a scene file: fills expanded, defaults filled in.
    fn to_toml(&self) -> String {
        files::to_toml(&self.scene)
    }

    /// Writes the scene as a scene file. Raises `FileError` when it cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let written = std::fs::write(&path, self.to_toml());
        written.map_err(|source| raise(signorini::Error::Io { path, source }))
    }

    /// Remarks of the reader: values that were normalised, pairs without friction, bodies moved apart.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Names of the bodies.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.scene.bodies.iter().map(|body| body.name.clone()).collect()
    }

    /// Names of the joints.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.scene.joints.iter().map(|joint| joint.name.clone()).collect()
    }

    /// Names of the sensors.
    #[getter]
    fn sensor_names(&self) -> Vec<String> {
        self.scene.sensors.iter().map(|sensor| sensor.name.clone()).collect()
    }

    /// Names of the motors that are set between steps, in the order of the file.
    #[getter]
    fn motor_names(&self) -> Vec<String> {
        self.scene.controls.iter().map(|control| self.scene.controlled(control).name.clone()).collect()
    }

    /// Number of coordinates of joints that have a prescribed motion.
    #[getter]
    fn course_count(&self) -> usize {
        self.scene.courses().count()
    }

    /// Number of prescribed motions of bodies.
    #[getter]
    fn motion_count(&self) -> usize {
        self.scene.motions.len()
    }

    /// Least and largest value of each motor of `motor_names`, shape (m, 2); infinite where nothing bounds
    /// it.
    #[getter]
    fn motor_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let any = [f64::NEG_INFINITY, f64::INFINITY];
        let ends: Vec<f64> = self.scene.controls.iter().flat_map(|c| c.range.unwrap_or(any)).collect();
        let n = self.scene.controls.len();
        PyArray1::from_vec(py, ends).reshape([n, 2])
    }

    /// Quantity that each motor of `motor_names` is told: `velocity`, `position` or `force`.
    #[getter]
    fn motor_drives(&self) -> Vec<&'static str> {
        self.scene.controls.iter().map(|c| motors::word(&self.scene.controlled(c).drive)).collect()
    }

    /// Joints of the motors of `motor_names`, as places in `joint_names`, shape (m,).
    #[getter]
    fn motor_joints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.scene.controls.iter().map(|control| control.motor[0] as i64))
    }

    /// Kinds of the joints: `revolute`, `prismatic`, …
    #[getter]
    fn joint_kinds(&self) -> Vec<&'static str> {
        self.scene.joints.iter().map(|joint| joint.kind.as_str()).collect()
    }

    /// Names of the entries of `Simulation.q`: the joint, with the coordinate where it has several.
    #[getter]
    fn q_names(&self) -> Vec<String> {
        Mechanism::of(&self.scene).coordinate_names()
    }

    /// Names of the entries of `Simulation.qdot`.
    #[getter]
    fn qdot_names(&self) -> Vec<String> {
        Mechanism::of(&self.scene).rate_names()
    }

    /// Joints that close loops of the mechanism, as places in `joint_names`, shape (k,): those whose bodies
    /// joints before them connect already, and distance joints. They have no entry in q.
    #[getter]
    fn loop_joints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, Mechanism::of(&self.scene).loops().iter().map(|joint| *joint as i64))
    }

    /// Bodies A and B of the joints, as rows of the arrays, shape (m, 2).
    #[getter]
    fn joint_bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let ends: Vec<i64> = self.scene.joints.iter().flat_map(|j| j.bodies.map(|id| id as i64)).collect();
        let n = self.scene.joints.len();
        PyArray1::from_vec(py, ends).reshape([n, 2])
    }

    /// Anchors of the joints on body B at time 0, world (m), shape (m, 3).
    #[getter]
    fn joint_anchors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let place = |j: &signorini::Joint| self.scene.bodies[j.bodies[1]].pose.compose(&j.frames[1]);
        arrays::vectors(py, self.scene.joints.iter().map(|joint| place(joint).position))
    }

    /// Axes of the joints at time 0, world, unit, shape (m, 3); of ball and fixed joints without a meaning.
    #[getter]
    fn joint_axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let place = |j: &signorini::Joint| self.scene.bodies[j.bodies[1]].pose.compose(&j.frames[1]);
        let axis = |joint| place(joint).orientation * nalgebra::Vector3::z();
        arrays::vectors(py, self.scene.joints.iter().map(axis))
    }

    /// Whether each body never moves by forces, shape (n,), bool.
    #[getter]
    fn fixed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.scene.bodies.iter().map(|body| body.fixed))
    }

    /// Masses (kg), shape (n,).
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.scene.bodies.iter().map(|body| body.mass))
    }

    /// Inertia tensors about the centres of mass, body axes (kg m²), shape (n, 3, 3).
    #[getter]
    fn inertias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        arrays::matrices(py, self.scene.bodies.iter().map(|body| body.inertia))
    }

    /// Positions of the centres of mass at time 0, world (m), shape (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::vectors(py, self.scene.bodies.iter().map(|body| body.pose.position))
    }

    /// Orientations at time 0 as unit quaternions (w, x, y, z), shape (n, 4).
    #[getter]
    fn quaternions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::rows(py, self.scene.bodies.iter().map(|body| quaternion(&body.pose)))
    }

    /// Time step (s).
    #[getter]
    fn time_step(&self) -> f64 {
        self.scene.time_step
    }

    /// Simulated time (s).
    #[getter]
    fn duration(&self) -> f64 {
        self.scene.duration
    }

    /// Steps of a run.
    #[getter]
    fn n_steps(&self) -> usize {
        self.scene.n_steps()
    }

    /// Gravity (m/s²), world, shape (3,).
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.scene.gravity.as_slice())
    }

    /// Seed of the generators and of the solver's restarts.
    #[getter]
    fn seed(&self) -> u64 {
        self.scene.seed
    }

    /// Scaled residual at which a step counts as solved.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.scene.solver.tolerance
    }

    /// The time-stepping model: `implicit`, `cone`, …
    #[getter]
    fn formulation(&self) -> &'static str {
        self.scene.solver.formulation.as_str()
    }

    /// The surface of each body in its frame, about its centre of mass: corners (m) and outward normals, both
    /// of shape (corners, 3), and triangles, shape (triangles, 3). A half-space is a square about the bodies
    /// at time 0.
    fn surfaces<'py>(&self, py: Python<'py>) -> PyResult<Vec<surfaces::Surface<'py>>> {
        surfaces::of_scene(py, &self.scene)
    }

    /// The scene as bytes, which this version reads back with every bit.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes::write(py, &self.scene)
    }

    /// The scene that `to_bytes` wrote. Raises `InputError` for other bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        bytes::read(bytes, "scene").map(Self::new)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __len__(&self) -> usize {
        self.scene.bodies.len()
    }

    fn __repr__(&self) -> String {
        let (scene, n) = (&self.scene, self.scene.bodies.len());
        format!("<signorini.Scene: {n} bodies, {} steps of {:?} s>", scene.n_steps(), scene.time_step)
    }
}

/// The orientation of a pose as (w, x, y, z).
pub fn quaternion(pose: &signorini::Pose) -> [f64; 4] {
    let q = pose.orientation.quaternion();
    [q.w, q.i, q.j, q.k]
}
