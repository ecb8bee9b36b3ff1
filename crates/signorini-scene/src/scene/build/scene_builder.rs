//! Scenes built in Rust.

use super::inlet_builder::weighted;
use super::{
    BodyBuilder, CouplingBuilder, InletBuilder, JointBuilder, Material, MeasureBuilder, OutletBuilder,
    SensorBuilder,
};
use crate::scene::body::BodyId;
use crate::scene::definition::Scene;
use crate::scene::file::{
    BodyEntry, ContainerEntry, CouplingEntry, ExcludeEntry, FillEntry, FillRegionEntry, ForceEntry,
    FrictionEllipsoid, FrictionEntry, ImpulseEntry, InletEntry, LoadOptions, Meshes, MotionEntry, MotorEntry,
    OutletEntry, PeriodicEntry, PressEntry, QuantityEntry, Report, SceneFile, SensorEntry, SpringEntry,
    WallEntry, place, resolve, resolve_with,
};
use crate::scene::friction::Friction;
use crate::scene::motion::{Motion, Trajectory};
use crate::settings::{Formulation, SolverSettings};
use signorini_error::Result;
use std::borrow::Cow;
use std::ops::Range;

/// A scene in the making. Setters return the builder; methods that add a body return its id.
///
/// ```
/// use signorini::{Body, Friction, Scene};
/// let mut scene = Scene::builder();
/// scene.time_step(0.01).duration(2.0).friction(Friction::coulomb(0.5));
/// scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
/// let brick = scene.body(Body::box_([0.1, 0.05, 0.03]).density(2000.0).at([0.0, 0.0, 0.03]));
/// let scene = scene.build()?;
/// assert_eq!(scene.bodies[brick.index()].name, "box-1");
/// # Ok::<(), signorini::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SceneBuilder {
    file: SceneFile,
    /// Bodies that are walls, by their ids.
    walls: Vec<(usize, WallEntry)>,
    options: LoadOptions,
}

impl Scene {
    /// An empty scene to add bodies to: a step of 0.01 s, a duration of 1 s, gravity of 9.81 m/s² against z,
    /// no friction.
    pub fn builder() -> SceneBuilder {
        let options = LoadOptions { allow_outside: true, ..LoadOptions::default() };
        SceneBuilder { file: SceneFile::empty(0.01, 1.0), walls: Vec::new(), options }
    }
}

impl SceneBuilder {
    /// Time step h (s, > 0). Default 0.01.
    pub fn time_step(&mut self, seconds: f64) -> &mut Self {
        self.file.simulation.time_step = seconds;
        self
    }

    /// Simulated time (s), at least one step. Default 1.
    /// `Simulation::run` ends there.
    pub fn duration(&mut self, seconds: f64) -> &mut Self {
        self.file.simulation.duration = seconds;
        self
    }

    /// Acceleration of gravity (m/s²), world. Default (0, 0, −9.81).
    pub fn gravity(&mut self, acceleration: impl Into<[f64; 3]>) -> &mut Self {
        self.file.simulation.gravity = acceleration.into();
        self
    }

    /// Makes the scene repeat itself along an axis (0 to 2 for x, y, z), with one period from `low` to `high`
    /// (m).
    pub fn periodic(&mut self, axis: usize, low: f64, high: f64) -> &mut Self {
        let mut spans = self.file.periodic.map_or([None; 3], |e| [e.x, e.y, e.z]);
        spans[axis.min(2)] = Some([low, high]);
        let [x, y, z] = spans;
        self.file.periodic = Some(PeriodicEntry { x, y, z });
        self
    }

    /// Seed of the random places of [`fill`](Self::fill) and of the solver's restarts. Default 0.
    pub fn seed(&mut self, seed: u64) -> &mut Self {
        self.file.simulation.seed = seed;
        self
    }

    /// The time-stepping model. Default [`Formulation::Implicit`].
    pub fn formulation(&mut self, formulation: Formulation) -> &mut Self {
        self.file.solver.formulation = formulation;
        self
    }

    /// A step is solved when its largest scaled residual is at most this. Default 1e-4; 1e-12 to 1e-1.
    pub fn tolerance(&mut self, tolerance: f64) -> &mut Self {
        self.file.solver.tolerance = tolerance;
        self
    }

    /// All settings of the solver, formulation and tolerance among them.
    pub fn solver(&mut self, settings: SolverSettings) -> &mut Self {
        self.file.solver = settings;
        self
    }

    /// Makes a material known. Needed for soft materials only; once one is known, bodies may name no unknown
    /// ones.
    pub fn material(&mut self, material: Material) -> &mut Self {
        self.file.material.push(material.entry);
        self
    }

    /// Friction of all pairs of materials that have none of their own. Default: none.
    pub fn friction(&mut self, friction: Friction) -> &mut Self {
        self.file.friction.retain(|f| f.between.is_some());
        self.file.friction.push(entry_of(&friction, None));
        self
    }

    /// Friction between two materials, which may be the same.
    pub fn friction_between(&mut self, first: &str, second: &str, friction: Friction) -> &mut Self {
        self.file.friction.push(entry_of(&friction, Some([first.to_owned(), second.to_owned()])));
        self
    }

    /// Adds a body. Its id is its place in [`Scene::bodies`].
    pub fn body(&mut self, body: BodyBuilder) -> BodyId {
        let id = self.file.body.len();
        let name = body.name_or(id);
        self.walls.extend(body.wall.map(|wall| (id, wall)));
        self.file.body.push(BodyEntry { name, ..body.entry });
        BodyId::new(id)
    }

    /// Adds a box of fixed walls around a region (m), open at the top unless `lid`. Ids of walls follow those
    /// of the bodies.
    pub fn container(&mut self, low: impl Into<[f64; 3]>, high: impl Into<[f64; 3]>, lid: bool) -> &mut Self {
        self.file.container.push(ContainerEntry {
            name: format!("container-{}", self.file.container.len()),
            lid,
            size: None,
            position: None,
            min: Some(low.into()),
            max: Some(high.into()),
            material: crate::scene::file::DEFAULT_MATERIAL.to_owned(),
        });
        self
    }

    /// Adds `count` bodies at random places and orientations in a box along the world axes (m), apart
    /// from each other and all else. `body` gives their shape or parts, density, material, velocities and
    /// the first part of their names. Their ids follow those of bodies and walls.
    pub fn fill(
        &mut self,
        count: usize,
        body: BodyBuilder,
        low: impl Into<[f64; 3]>,
        high: impl Into<[f64; 3]>,
    ) -> &mut Self {
        let (min, max) = (Some(low.into()), Some(high.into()));
        self.fill_region(count, body, FillRegionEntry { min, max, ..FillRegionEntry::default() })
    }

    /// As [`SceneBuilder::fill`], in a cylinder: middle (m), axis of any length, radii of an inner cylinder
    /// that stays empty (m, ≥ 0) and of the outer one (m), length (m).
    pub fn fill_cylinder(
        &mut self,
        count: usize,
        body: BodyBuilder,
        middle: (impl Into<[f64; 3]>, impl Into<[f64; 3]>),
        [inner, outer]: [f64; 2],
        length: f64,
    ) -> &mut Self {
        let (center, axis) = (Some(middle.0.into()), Some(middle.1.into()));
        let (radius, length, inner_radius) = (Some(outer), Some(length), Some(inner));
        let region =
            FillRegionEntry { center, axis, radius, length, inner_radius, ..FillRegionEntry::default() };
        self.fill_region(count, body, region)
    }

    fn fill_region(&mut self, count: usize, body: BodyBuilder, region: FillRegionEntry) -> &mut Self {
        let e = body.entry;
        self.file.fill.push(FillEntry {
            name: named_or(e.name.clone(), "fill", self.file.fill.len()),
            count: count as u64,
            // A missing density is reported as a density of 0.
            density: e.density.or(e.parts.first().and_then(|part| part.density)).unwrap_or(0.0),
            material: e.material.clone(),
            random_orientations: true,
            velocity: e.velocity,
            angular_velocity: e.angular_velocity,
            clearance: None,
            region,
            shape: e.shape.clone().filter(|_| e.parts.is_empty()),
            shapes: if e.parts.is_empty() { Vec::new() } else { vec![weighted(e, 1.0)] },
            scale: None,
        });
        self
    }

    /// Adds an inlet: bodies that come in during the run.
    pub fn inlet(&mut self, inlet: InletBuilder) -> &mut Self {
        let name = named_or(inlet.entry.name.clone(), "inlet", self.file.inlet.len());
        self.file.inlet.push(InletEntry { name, ..inlet.entry });
        self
    }

    /// Adds an outlet: bodies whose centres of mass are in it leave.
    pub fn outlet(&mut self, outlet: OutletBuilder) -> &mut Self {
        let name = named_or(outlet.entry.name.clone(), "outlet", self.file.outlet.len());
        self.file.outlet.push(OutletEntry { name, ..outlet.entry });
        self
    }

    /// Adds a measure, which a run writes into a table of its own.
    pub fn measure(&mut self, measure: MeasureBuilder) -> &mut Self {
        let mut entry = measure.entry;
        entry.name = named_or(entry.name, "measure", self.file.measure.len());
        if let Some(id) = measure.body {
            entry.quantity = QuantityEntry::Body { body: self.name(id) };
        }
        self.file.measure.push(entry);
        self
    }

    /// Adds a sensor of force and torque.
    pub fn sensor(&mut self, sensor: SensorBuilder) -> &mut Self {
        let name = named_or(sensor.entry.name.clone(), "sensor", self.file.sensor.len());
        let on = sensor.on.iter().map(|id| self.name(*id)).collect();
        let by = sensor.by.map(|by| by.iter().map(|id| self.name(*id)).collect());
        self.file.sensor.push(SensorEntry { name, on, by, ..sensor.entry });
        self
    }

    /// Adds a joint between two bodies.
    pub fn joint(&mut self, joint: JointBuilder) -> &mut Self {
        let mut entry = joint.entry;
        if entry.name.is_empty() {
            entry.name = format!("joint-{}", self.file.joint.len());
        }
        entry.between = joint.bodies.map(|id| self.name(id));
        let name = entry.name.clone();
        self.file.motor.extend(joint.motors.into_iter().map(|m| MotorEntry { joint: name.clone(), ..m }));
        let motions = joint.motions.into_iter();
        self.file.motion.extend(motions.map(|m| MotionEntry { joint: Some(name.clone()), ..m }));
        self.file.joint.push(entry);
        self
    }

    /// Lets a coordinate of a joint follow that of another one; both joints are named.
    pub fn coupling(&mut self, coupling: CouplingBuilder) -> &mut Self {
        let name = named_or(coupling.entry.name.clone(), "coupling", self.file.coupling.len());
        self.file.coupling.push(CouplingEntry { name, ..coupling.entry });
        self
    }

    /// Has a plate slide along a direction without turning, and press with a force (N) besides its weight:
    /// exactly that force at the end of each step. With a speed (m/s) it goes on no faster where nothing
    /// resists.
    pub fn press(
        &mut self,
        body: BodyId,
        direction: impl Into<[f64; 3]>,
        force: f64,
        speed: Option<f64>,
    ) -> &mut Self {
        let (body, direction) = (self.name(body), direction.into());
        self.file.press.push(PressEntry {
            body,
            direction,
            force: Some(force),
            stress: None,
            area: None,
            widths: None,
            speed,
        });
        self
    }

    /// Prescribes how a body moves along or about a line, whatever pushes it. Several motions of a body add
    /// up.
    pub fn motion(&mut self, body: BodyId, trajectory: Trajectory, motion: Motion) -> &mut Self {
        let mut entry = MotionEntry { body: Some(self.name(body)), ..MotionEntry::of(&motion) };
        entry.go(&trajectory);
        self.file.motion.push(entry);
        self
    }

    /// An impulse at the centre of mass (N s, world) in the step that holds a time (s, ≥ 0).
    pub fn impulse(&mut self, body: BodyId, time: f64, linear: impl Into<[f64; 3]>) -> &mut Self {
        self.file.impulse.push(ImpulseEntry {
            body: self.name(body),
            time: Some(time),
            when: None,
            linear: linear.into(),
            angular: [0.0; 3],
        });
        self
    }

    /// A force at the centre of mass (N, world) in every step that starts in a window of time (s).
    pub fn force(&mut self, body: BodyId, window: Range<f64>, force: impl Into<[f64; 3]>) -> &mut Self {
        self.file.force.push(ForceEntry {
            body: self.name(body),
            from: window.start,
            to: window.end,
            force: force.into(),
            torque: [0.0; 3],
        });
        self
    }

    /// Two bodies that have no contact with each other, however deeply they overlap.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) -> &mut Self {
        let between = [a, b].map(|id| self.name(id));
        self.file.exclude.push(ExcludeEntry { between });
        self
    }

    /// A spring of a stiffness (N/m, ≥ 0) and a damping (N s/m, ≥ 0) between points of two bodies, each in
    /// the frame of its body (m). Its force is zero at the length it has at time 0. Only for
    /// [`Formulation::Compliant`].
    pub fn spring(
        &mut self,
        bodies: [BodyId; 2],
        points: [[f64; 3]; 2],
        stiffness: f64,
        damping: f64,
    ) -> &mut Self {
        let between = bodies.map(|id| self.name(id));
        self.file.spring.push(SpringEntry { between, points, stiffness, damping, rest_length: None });
        self
    }

    /// Moves bodies that overlap at the start apart, instead of refusing the scene.
    pub fn separate(&mut self) -> &mut Self {
        self.options.separate = true;
        self
    }

    /// Moves bodies until the joints hold at the start, instead of refusing the scene.
    pub fn assemble(&mut self) -> &mut Self {
        self.options.assemble = true;
        self
    }

    /// The scene: masses and inertia computed, random places drawn, all checked.
    ///
    /// # Errors
    /// All faults, each with body and field.
    pub fn build(&self) -> Result<Scene> {
        self.build_with_notes().map(|(scene, _)| scene)
    }

    /// The scene, and remarks about it.
    ///
    /// # Errors
    /// All faults that the checks of a scene file find.
    pub fn build_with_notes(&self) -> Result<(Scene, Vec<String>)> {
        let mut report = Report::new(std::path::Path::new("scene"));
        let file = self.file_with_walls(&mut report)?;
        let scene = resolve(&file, &self.options, &mut report)?;
        Ok((scene, report.notes))
    }

    /// The scene, with meshes that may be known already, which then hold the remarks about them.
    pub(crate) fn build_with_meshes(&self, meshes: &mut Meshes) -> Result<Scene> {
        let mut report = Report::new(std::path::Path::new("scene"));
        let file = self.file_with_walls(&mut report)?;
        resolve_with(&file, &self.options, meshes, &mut report)
    }

    /// The file in which the bodies that are walls have their parts.
    fn file_with_walls(&self, report: &mut Report) -> Result<Cow<'_, SceneFile>> {
        let mut file = Cow::Borrowed(&self.file);
        for (id, wall) in &self.walls {
            let body = self.file.body[*id].clone();
            let mut check = report.at(place::entry("body", *id, &body.name));
            if let Some(made) = wall.put_into(body, &mut check) {
                file.to_mut().body[*id] = made;
            }
        }
        report.stop_if_faulty()?;
        Ok(file)
    }

    fn name(&self, id: BodyId) -> String {
        // An id of another scene is reported as an unknown name.
        self.file.body.get(id.index()).map_or_else(|| format!("#{}", id.index()), |b| b.name.clone())
    }
}

/// The name, or one of a kind and a number.
fn named_or(name: String, kind: &str, number: usize) -> String {
    if name.is_empty() { format!("{kind}-{number}") } else { name }
}

fn entry_of(friction: &Friction, between: Option<[String; 2]>) -> FrictionEntry {
    FrictionEntry {
        between,
        coefficient: friction.coefficient,
        ellipsoid: FrictionEllipsoid {
            t: friction.tangential[0],
            o: friction.tangential[1],
            r: friction.torsional.into(),
        },
        direction: friction.direction.map(Into::into),
        restitution: friction.restitution.coefficient,
        restitution_law: friction.restitution.law,
        restitution_threshold: friction.restitution.threshold,
        rolling: friction.rolling,
        cohesion: friction.cohesion,
        mortar: friction.mortar,
    }
}
