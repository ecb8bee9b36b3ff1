//! Scenes in the making.

use crate::body::Body;
use crate::errors::{checked, refuse};
use crate::faults::compute;
use crate::joint::{Joint, Motion};
use crate::ports::{Inlet, Measure, Outlet};
use crate::scene::Scene;
use crate::settings;
use crate::values::table_of;
use nalgebra::Vector3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{BodyId, Coupling, Sensor};

/// On what a sensor measures: a joint by its name, or bodies.
#[derive(FromPyObject)]
enum Sensed {
    Joint(String),
    Bodies(Vec<usize>),
}

/// Coulomb friction of a pair of materials: `Friction.coulomb(0.5).with_torsion(0.01)`.
#[pyclass(frozen, module = "signorini")]
pub struct Friction {
    friction: signorini::Friction,
}

#[pymethods]
impl Friction {
    /// |friction| ≤ coefficient · normal force, the same in all directions; coefficient ≥ 0.
    #[staticmethod]
    fn coulomb(coefficient: f64) -> Self {
        Self { friction: signorini::Friction::coulomb(coefficient) }
    }

    /// Torsional friction about the normal too: at most coefficient · radius (m) times the normal force.
    fn with_torsion(&self, radius: f64) -> Self {
        Self { friction: self.friction.with_torsion(radius) }
    }

    /// A body that strikes with the normal speed u (m/s) leaves with coefficient · u, where u is more than
    /// `threshold`; coefficient 0 to 1. `law` is "newton", or "poisson" for impulses in place of velocities.
    #[pyo3(signature = (coefficient, threshold=0.0, law="newton"))]
    fn with_restitution(&self, coefficient: f64, threshold: f64, law: &str) -> PyResult<Self> {
        let law = match law {
            "newton" => signorini::ImpactLaw::Newton,
            "poisson" => signorini::ImpactLaw::Poisson,
            other => return Err(refuse(format!("law = {other:?}"), "\"newton\" or \"poisson\"")),
        };
        Ok(Self { friction: self.friction.with_restitution(coefficient, threshold).with_impact_law(law) })
    }

    /// Rolling resistance: a couple of at most length (m) times the normal force against rolling.
    fn with_rolling(&self, length: f64) -> Self {
        Self { friction: self.friction.with_rolling(length) }
    }

    /// Cohesion: bodies that touch pull each other with force (N).
    fn with_cohesion(&self, force: f64) -> Self {
        Self { friction: self.friction.with_cohesion(force) }
    }

    /// Mortar: faces that touch at time 0 stick together up to a tensile and a shear strength (Pa), by
    /// Mohr-Coulomb's law with the friction coefficient, until opening and slip have taken the fracture
    /// energy (J/m^2); 0 is brittle.
    #[pyo3(signature = (tensile_strength, shear_strength, fracture_energy=0.0))]
    fn with_mortar(&self, tensile_strength: f64, shear_strength: f64, fracture_energy: f64) -> Self {
        let mortar = signorini::Mortar { tensile_strength, shear_strength, fracture_energy };
        Self { friction: self.friction.with_mortar(mortar) }
    }

    /// Friction that differs with the direction: semi-axes e_t, e_o along and across the projection of
    /// `direction`, a vector in the body frame of the first of two materials.
    fn with_directions(&self, semi_axes: [f64; 2], direction: [f64; 3]) -> Self {
        Self { friction: self.friction.with_directions(semi_axes, direction) }
    }
}

/// Friction, or a coefficient.
#[derive(FromPyObject)]
enum FrictionOrNumber<'py> {
    Number(f64),
    Friction(PyRef<'py, Friction>),
}

impl FrictionOrNumber<'_> {
    fn friction(&self) -> signorini::Friction {
        match self {
            Self::Number(coefficient) => signorini::Friction::coulomb(*coefficient),
            Self::Friction(friction) => friction.friction,
        }
    }
}

/// A scene in the making, from `Scene.builder()`. Setters change the builder and return it; `body` returns
/// the id of the body, its row in all arrays.
#[pyclass(module = "signorini")]
pub struct SceneBuilder {
    builder: signorini::SceneBuilder,
    settings: signorini::SolverSettings,
}

type Itself<'py> = PyRefMut<'py, SceneBuilder>;

impl SceneBuilder {
    pub fn new() -> Self {
        Self { builder: signorini::Scene::builder(), settings: signorini::SolverSettings::default() }
    }
}

#[pymethods]
impl SceneBuilder {
    /// Time step (s, > 0). Default 0.01.
    fn time_step(mut slf: Itself<'_>, seconds: f64) -> Itself<'_> {
        slf.builder.time_step(seconds);
        slf
    }

    /// Simulated time (s), at least one step. Default 1.
    fn duration(mut slf: Itself<'_>, seconds: f64) -> Itself<'_> {
        slf.builder.duration(seconds);
        slf
    }

    /// Acceleration of gravity (m/s²), world. Default (0, 0, −9.81).
    fn gravity(mut slf: Itself<'_>, acceleration: [f64; 3]) -> Itself<'_> {
        slf.builder.gravity(acceleration);
        slf
    }

    /// Makes the scene repeat itself along an axis (0 to 2 for x, y, z), with one period from `low` to `high`
    /// (m). Raises `InputError` for other axes.
    fn periodic<'py>(mut slf: Itself<'py>, axis: usize, low: f64, high: f64) -> PyResult<Itself<'py>> {
        if axis > 2 {
            return Err(refuse(format!("periodic: axis = {axis}"), "must be 0, 1 or 2"));
        }
        slf.builder.periodic(axis, low, high);
        Ok(slf)
    }

    /// Seed of the random places of `fill` and of the solver's restarts. Default 0.
    fn seed(mut slf: Itself<'_>, seed: u64) -> Itself<'_> {
        slf.builder.seed(seed);
        slf
    }

    /// The time-stepping model: `implicit` (default), `cone`, `stewart-trinkle`, `compliant`, `auto`,
    /// `literal`. Raises `InputError` for other names.
    fn formulation<'py>(mut slf: Itself<'py>, name: &str) -> PyResult<Itself<'py>> {
        slf.settings.formulation = settings::formulation(name)?;
        Ok(slf)
    }

    /// A step is solved when its largest scaled residual is at most this. Default 1e-4.
    fn tolerance(mut slf: Itself<'_>, tolerance: f64) -> Itself<'_> {
        slf.settings.tolerance = tolerance;
        slf
    }

    /// All settings of the solver, with the names that `[solver]` of a scene file has; those that are not
    /// given are the default ones. Raises `InputError` for unknown names.
    #[pyo3(signature = (**fields))]
    fn solver<'py>(mut slf: Itself<'py>, fields: Option<&Bound<'py, PyDict>>) -> PyResult<Itself<'py>> {
        let fields = fields.map(|fields| table_of(fields, "solver.")).transpose()?;
        slf.settings = settings::solver(fields.unwrap_or_default())?;
        Ok(slf)
    }

    /// Makes a material known: its normal stiffness (N/m) and dissipation time (s) are for the `compliant`
    /// model. Once one is known, bodies may name no unknown ones.
    #[pyo3(signature = (name, stiffness = None, dissipation_time = 0.0))]
    fn material(
        mut slf: Itself<'_>,
        name: String,
        stiffness: Option<f64>,
        dissipation_time: f64,
    ) -> Itself<'_> {
        let material = signorini::Material::new(name).dissipation_time(dissipation_time);
        slf.builder.material(match stiffness {
            Some(stiffness) => material.stiffness(stiffness),
            None => material,
        });
        slf
    }

    /// Friction of all pairs of materials that have none of their own: a coefficient or a `Friction`.
    /// Default: none.
    fn friction<'py>(mut slf: Itself<'py>, friction: FrictionOrNumber<'_>) -> Itself<'py> {
        slf.builder.friction(friction.friction());
        slf
    }

    /// Friction between two materials, which may be the same.
    fn friction_between<'py>(
        mut slf: Itself<'py>,
        first: &str,
        second: &str,
        friction: FrictionOrNumber<'_>,
    ) -> Itself<'py> {
        slf.builder.friction_between(first, second, friction.friction());
        slf
    }

    /// Adds a body and returns its id.
    fn body(&mut self, body: &Body) -> usize {
        self.builder.body(body.builder.clone()).index()
    }

    /// Adds a box of fixed walls around a region (m), open at the top unless `lid`. Their ids follow those of
    /// the bodies.
    #[pyo3(signature = (low, high, lid = false))]
    fn container(mut slf: Itself<'_>, low: [f64; 3], high: [f64; 3], lid: bool) -> Itself<'_> {
        slf.builder.container(low, high, lid);
        slf
    }

    /// Adds `count` bodies like `body` at random places and orientations in a region (m), apart from each
    /// other and all else. Their ids follow those of bodies and walls.
    fn fill<'py>(
        mut slf: Itself<'py>,
        count: usize,
        body: &Body,
        low: [f64; 3],
        high: [f64; 3],
    ) -> Itself<'py> {
        slf.builder.fill(count, body.builder.clone(), low, high);
        slf
    }

    /// Adds `count` bodies like `body` as `fill` does, in a cylinder: middle (m), axis of any length,
    /// radii of an inner cylinder that stays empty (m, ≥ 0) and of the outer one (m), length (m).
    fn fill_cylinder<'py>(
        mut slf: Itself<'py>,
        count: usize,
        body: &Body,
        center: [f64; 3],
        axis: [f64; 3],
        radii: [f64; 2],
        length: f64,
    ) -> Itself<'py> {
        slf.builder.fill_cylinder(count, body.builder.clone(), (center, axis), radii, length);
        slf
    }

    /// Adds an inlet: bodies that come in during the run.
    fn inlet<'py>(mut slf: Itself<'py>, inlet: &Inlet) -> Itself<'py> {
        slf.builder.inlet(inlet.builder.clone());
        slf
    }

    /// Adds an outlet: bodies whose centres of mass are in it leave.
    fn outlet<'py>(mut slf: Itself<'py>, outlet: &Outlet) -> Itself<'py> {
        slf.builder.outlet(outlet.builder.clone());
        slf
    }

    /// Adds a measure, which `signorini.run` writes into a table of its own.
    fn measure<'py>(mut slf: Itself<'py>, measure: &Measure) -> Itself<'py> {
        slf.builder.measure(measure.builder.clone());
        slf
    }

    /// Adds a joint between two bodies.
    fn joint<'py>(mut slf: Itself<'py>, joint: &Joint) -> Itself<'py> {
        slf.builder.joint(joint.builder.clone());
        slf
    }

    /// Has a plate slide along a direction without turning, and press with a force (N) besides its weight:
    /// exactly that force at the end of each step. With a `speed` (m/s) it goes on no faster where nothing
    /// resists.
    #[pyo3(signature = (body, direction, force, *, speed = None))]
    fn press(
        mut slf: Itself<'_>,
        body: usize,
        direction: [f64; 3],
        force: f64,
        speed: Option<f64>,
    ) -> Itself<'_> {
        slf.builder.press(BodyId::new(body), direction, force, speed);
        slf
    }

    /// Prescribes how a body moves, whatever pushes it: along a direction, or about an axis through a center
    /// (m). Several motions of a body add up. Raises `InputError` unless either `along` or `about` is given.
    #[pyo3(signature = (body, motion, *, along = None, about = None, center = [0.0; 3]), text_signature = "($self, body, motion, *, along=None, about=None, center=(0, 0, 0))")]
    fn motion<'py>(
        mut slf: Itself<'py>,
        body: usize,
        motion: &Motion,
        along: Option<[f64; 3]>,
        about: Option<[f64; 3]>,
        center: [f64; 3],
    ) -> PyResult<Itself<'py>> {
        let path = match (along, about) {
            (Some(direction), None) => signorini::Trajectory::Along(direction.into()),
            (None, Some(axis)) => {
                signorini::Trajectory::About { axis: axis.into(), center: Vector3::from(center) }
            }
            _ => return Err(refuse("motion", "needs either along or about")),
        };
        slf.builder.motion(BodyId::new(body), path, motion.motion.clone());
        Ok(slf)
    }

    /// An impulse at the centre of mass (N s, world) in the step that holds a time (s, ≥ 0).
    fn impulse(mut slf: Itself<'_>, body: usize, time: f64, linear: [f64; 3]) -> Itself<'_> {
        slf.builder.impulse(BodyId::new(body), time, linear);
        slf
    }

    /// A force at the centre of mass (N, world) in every step that starts between two times (s).
    fn force(mut slf: Itself<'_>, body: usize, start: f64, end: f64, force: [f64; 3]) -> Itself<'_> {
        slf.builder.force(BodyId::new(body), start..end, force);
        slf
    }

    /// Excludes contact between two bodies, however deeply they overlap.
    fn exclude(mut slf: Itself<'_>, a: usize, b: usize) -> Itself<'_> {
        slf.builder.exclude(BodyId::new(a), BodyId::new(b));
        slf
    }

    /// Lets a coordinate of a joint follow that of another one, each given by the name of the joint and
    /// `"slide"` or `"angle"`: `ratio` is the change of the first over that of the second (1, m/rad,
    /// rad/m). `offset` is where the first is when the second is at 0, by default as both are at time 0;
    /// `higher` are coefficients of square, cube and fourth power.
    #[pyo3(signature = (coordinate, follows, ratio, offset=None, higher=Vec::new()))]
    fn coupling<'py>(
        mut slf: Itself<'py>,
        coordinate: (String, String),
        follows: (String, String),
        ratio: f64,
        offset: Option<f64>,
        higher: Vec<f64>,
    ) -> PyResult<Itself<'py>> {
        let [of, to] = [settings::axis(&coordinate.1)?, settings::axis(&follows.1)?];
        let coupling = Coupling::between((&coordinate.0, of), (&follows.0, to), ratio).higher(higher);
        let coupling = match offset {
            Some(offset) => coupling.offset(offset),
            None => coupling,
        };
        slf.builder.coupling(coupling);
        Ok(slf)
    }

    /// Tells force (N) and torque (N m) in each step: `of` is a joint's name, for its reaction on its body
    /// B, or bodies, for all contacts and joints on them, or for those from the bodies `by` alone. Axes are
    /// those of the world, or with `local` those of the joint or of the first body. `point` (m), in these
    /// axes, is what the torque belongs to: by default the anchor, or the centre of mass of the first body.
    #[pyo3(signature = (of, name=None, by=None, local=false, point=None))]
    fn sensor(
        mut slf: Itself<'_>,
        of: Sensed,
        name: Option<String>,
        by: Option<Vec<usize>>,
        local: bool,
        point: Option<[f64; 3]>,
    ) -> Itself<'_> {
        let ids = |bodies: Vec<usize>| bodies.into_iter().map(BodyId::new);
        let mut sensor = match of {
            Sensed::Joint(joint) => Sensor::of_joint(&joint),
            Sensed::Bodies(bodies) => Sensor::on(ids(bodies)),
        };
        sensor = name.into_iter().fold(sensor, |sensor, name| sensor.named(name));
        sensor = by.into_iter().fold(sensor, |sensor, by| sensor.by(ids(by)));
        sensor = if local { sensor.local() } else { sensor };
        slf.builder.sensor(point.into_iter().fold(sensor, |sensor, point| sensor.about(point)));
        slf
    }

    /// A spring of a stiffness (N/m) and a damping (N s/m) between points of two bodies, each in the frame of
    /// its body (m). Only for the `compliant` model.
    fn spring(
        mut slf: Itself<'_>,
        bodies: [usize; 2],
        points: [[f64; 3]; 2],
        stiffness: f64,
        damping: f64,
    ) -> Itself<'_> {
        slf.builder.spring(bodies.map(BodyId::new), points, stiffness, damping);
        slf
    }

    /// Moves bodies that overlap at the start apart, instead of refusing the scene.
    fn separate(mut slf: Itself<'_>) -> Itself<'_> {
        slf.builder.separate();
        slf
    }

    /// Moves bodies until the joints hold at the start, instead of refusing the scene.
    fn assemble(mut slf: Itself<'_>) -> Itself<'_> {
        slf.builder.assemble();
        slf
    }

    /// The scene: masses and inertia computed, random places drawn, all checked. Raises `InputError` with all
    /// faults.
    fn build(&mut self, py: Python<'_>) -> PyResult<Scene> {
        let Self { builder, settings } = self;
        builder.solver(settings.clone());
        let builder = &*builder;
        checked(compute(py, || builder.build_with_notes())?).map(|(scene, notes)| Scene { scene, notes })
    }
}
