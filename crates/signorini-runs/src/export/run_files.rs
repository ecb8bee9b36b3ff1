//! Folder of a run, read step by step.

use super::arrivals;
use crate::output::names;
use crate::output::rows::{BodyRow, StepRow};
use crate::output::table;
use nalgebra::{Quaternion, Unit, Vector3};
use serde::Deserialize;
use signorini::step::{ContactRecord, ContactState, StepPhase};
use signorini_error::{Error, Result};
use signorini_geometry::periodic::ITSELF;
use signorini_geometry::{ContactKind, Pose, Velocity};
use signorini_scene::scene::{self, LoadOptions, Scene, State};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Folder of a run. A run that was killed ends with its last whole step.
#[derive(Debug)]
pub struct RunFiles {
    /// Scene as resolved, with the bodies that came behind those of the start.
    pub scene: Scene,
    /// Steps at whose end each body was present.
    there: Vec<RangeInclusive<usize>>,
    folder: PathBuf,
    ids: HashMap<String, usize>,
}

/// Contact of a step: the fields of a row of `contacts.csv` that exports need. World axes, impulses on body
/// B.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Ids of bodies A and B.
    pub bodies: [usize; 2],
    /// Equivalent contact point, in the image of A (m).
    pub point: Vector3<f64>,
    /// Equivalent contact point in the image of B (m), different in a periodic scene if an image of B meets
    /// A.
    pub point_of_b: Vector3<f64>,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Signed distance (m).
    pub gap: f64,
    /// Normal impulse (N s).
    pub normal_impulse: f64,
    /// Tangential impulse (N s).
    pub friction_impulse: Vector3<f64>,
    /// Impulse about the normal (N m s).
    pub torsional_impulse: f64,
    /// Length of the scaled slip (m/s).
    pub slip_speed: f64,
    /// State: open, sticking or slipping.
    pub state: ContactState,
    /// Kind: point, line or surface.
    pub kind: ContactKind,
    /// Number of points of the manifold that touch.
    pub points: usize,
    /// Facets of A and of B on which the whole manifold lies.
    pub active_facets: [usize; 2],
    /// Indices of the parts of A and of B.
    pub parts: [usize; 2],
}

impl Contact {
    /// Converts a record of a step, with other ids of its bodies; in a periodic scene `shift` leads to B's
    /// image.
    pub fn of_record(record: &ContactRecord, bodies: [usize; 2], shift: Vector3<f64>) -> Self {
        Self {
            bodies,
            point: record.ecp,
            point_of_b: record.ecp - shift,
            normal: record.normal,
            gap: record.gap,
            normal_impulse: record.normal_impulse,
            friction_impulse: record.friction_impulse,
            torsional_impulse: record.torsional_impulse,
            slip_speed: record.slip_speed,
            state: record.state,
            kind: record.touch.kind,
            points: record.touch.points,
            active_facets: record.touch.active_facets,
            parts: [record.part_a, record.part_b],
        }
    }

    /// Impulse on body B, without torsion (N s).
    pub fn impulse(&self) -> Vector3<f64> {
        self.normal * self.normal_impulse + self.friction_impulse
    }
}

/// Columns of `contacts.csv` that exports need; the others are not parsed.
#[derive(Deserialize)]
struct Row {
    step: usize,
    body_a: String,
    body_b: String,
    ecp_x: f64,
    ecp_y: f64,
    ecp_z: f64,
    nx: f64,
    ny: f64,
    nz: f64,
    gap: f64,
    normal_impulse: f64,
    friction_impulse_x: f64,
    friction_impulse_y: f64,
    friction_impulse_z: f64,
    torsional_impulse: f64,
    slip_speed: f64,
    state: String,
    kind: String,
    points: usize,
    active_facets_a: usize,
    active_facets_b: usize,
    #[serde(default)]
    part_a: usize,
    #[serde(default)]
    part_b: usize,
    #[serde(default)]
    phase: String,
    image_x: Option<f64>,
    image_y: Option<f64>,
    image_z: Option<f64>,
}

impl Row {
    /// Vector from B to its image that meets A (m).
    fn shift(&self, scene: &Scene) -> Option<Vector3<f64>> {
        let image = [self.image_x, self.image_y, self.image_z].map(|n| n.unwrap_or_default() as i32);
        scene.periodic.filter(|_| image != ITSELF).map(|periodic| periodic.shift(image))
    }
}

impl RunFiles {
    /// Opens the folder of a run and reads its scene.
    ///
    /// # Errors
    /// When `scene.toml` is missing or is no scene, or `flow.csv` does not fit the scene.
    pub fn open(folder: &Path) -> Result<Self> {
        let mut scene = scene::load(&folder.join(names::SCENE), &LoadOptions::default())?.scene;
        let there = arrivals::read(folder, &mut scene)?;
        let ids = scene.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
        Ok(Self { scene, there, folder: folder.to_owned(), ids })
    }

    /// Wraps a scene like that of a run, with the steps at whose end each body was present.
    pub(super) fn of_scene(scene: Scene, there: Vec<RangeInclusive<usize>>) -> Self {
        let ids = scene.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
        Self { scene, there, folder: PathBuf::new(), ids }
    }

    /// Whether a body was present at the end of a step.
    pub fn is_there(&self, body: usize, step: usize) -> bool {
        self.there[body].contains(&step)
    }

    /// First and last step at whose end a body was present; None for a body present from start to end.
    pub fn came_and_left(&self, body: usize) -> Option<[usize; 2]> {
        let there = &self.there[body];
        (*there != (0..=usize::MAX)).then(|| [*there.start(), *there.end()])
    }

    /// Ids of the bodies that can move or are carried: these have a pose in every frame in which they are
    /// present.
    pub fn moving(&self) -> Vec<usize> {
        let moves = |i: &usize| !self.scene.bodies[*i].fixed || self.scene.is_carried(*i);
        (0..self.scene.bodies.len()).filter(moves).collect()
    }

    /// Calls `visit` with step, time (s) and state of every recorded step, step 0 included. An absent body
    /// has the pose at which it comes, or at which it left. A last step whose bodies are not all recorded is
    /// left out.
    ///
    /// # Errors
    /// When `bodies.csv` cannot be read, names a body that the scene lacks, or lacks a body in the middle;
    /// and the errors of `visit`.
    pub fn each_frame(&self, mut visit: impl FnMut(usize, f64, &State) -> Result<()>) -> Result<()> {
        let path = self.folder.join(names::BODIES);
        let mut state = self.scene.initial_state();
        let moving = self.moving();
        let n_moving = |step: usize| moving.iter().filter(|body| self.is_there(**body, step)).count();
        let (mut open, mut n_seen): (Option<(usize, f64)>, usize) = (None, 0);
        let mut failure = Ok(());
        table::read(&path, |row: BodyRow<'static>| {
            if failure.is_err() {
                return;
            }
            if let Some((step, time)) = open.filter(|(step, _)| *step != row.step) {
                failure = match n_seen < n_moving(step) {
                    true => Err(fault(&path, step, "a body is missing")),
                    false => visit(step, time, &state),
                };
                n_seen = 0;
            }
            open = Some((row.step, row.time));
            match self.ids.get(&*row.body) {
                Some(&i) => {
                    (state.poses[i], state.velocities[i]) = pose_and_velocity(&row);
                    n_seen += 1;
                }
                None => failure = Err(unknown_body(&path, row.step, &row.body)),
            }
        })?;
        failure?;
        match open.filter(|(step, _)| n_seen >= n_moving(*step)) {
            Some((step, time)) => visit(step, time, &state),
            None => Ok(()),
        }
    }

    /// Calls `visit` with every step of `contacts.csv` that has contacts and is wanted, and its contacts in
    /// the order of the file.
    ///
    /// When `contacts.csv` cannot be read or names a body that the scene lacks; and the errors of `visit`.
    /// When `contacts.csv` cannot be read or names a body that the scene lacks; and what `visit` returns.
    pub fn each_contact_step(
        &self,
        wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, &[Contact]) -> Result<()>,
    ) -> Result<()> {
        let path = self.folder.join(names::CONTACTS);
        let mut contacts: Vec<Contact> = Vec::new();
        let mut open = None;
        let mut failure = Ok(());
        table::read(&path, |row: Row| {
            if failure.is_err() {
                return;
            }
            if let Some(step) = open.filter(|step| *step != row.step && !contacts.is_empty()) {
                failure = visit(step, &contacts);
                contacts.clear();
            }
            open = Some(row.step);
            if wanted(row.step) && row.phase != StepPhase::Position.as_str() {
                match self.contact(&path, &row) {
                    Ok(contact) => contacts.push(contact),
                    Err(error) => failure = Err(error),
                }
            }
        })?;
        failure?;
        match open.filter(|_| !contacts.is_empty()) {
            Some(step) => visit(step, &contacts),
            None => Ok(()),
        }
    }

    /// Calls `visit` with every row of `steps.csv`.
    ///
    /// # Errors
    /// When `steps.csv` cannot be read.
    pub fn each_step(&self, visit: impl FnMut(StepRow<'static>)) -> Result<()> {
        table::read(&self.folder.join(names::STEPS), visit)
    }

    fn contact(&self, path: &Path, row: &Row) -> Result<Contact> {
        let id = |name: &str| self.ids.get(name).copied().ok_or_else(|| unknown_body(path, row.step, name));
        let state = [ContactState::Open, ContactState::Stick, ContactState::Slip];
        let kind = [ContactKind::Point, ContactKind::Line, ContactKind::Surface];
        let known =
            |what: &str, value: &str| fault(path, row.step, &format!("{what} {value:?} is not known"));
        let point = Vector3::new(row.ecp_x, row.ecp_y, row.ecp_z);
        Ok(Contact {
            bodies: [id(&row.body_a)?, id(&row.body_b)?],
            point,
            point_of_b: row.shift(&self.scene).map_or(point, |shift| point - shift),
            normal: Vector3::new(row.nx, row.ny, row.nz),
            gap: row.gap,
            normal_impulse: row.normal_impulse,
            friction_impulse: Vector3::new(
                row.friction_impulse_x,
                row.friction_impulse_y,
                row.friction_impulse_z,
            ),
            torsional_impulse: row.torsional_impulse,
            slip_speed: row.slip_speed,
            state: *state
                .iter()
                .find(|s| s.as_str() == row.state)
                .ok_or_else(|| known("state", &row.state))?,
            kind: *kind.iter().find(|k| k.as_str() == row.kind).ok_or_else(|| known("kind", &row.kind))?,
            points: row.points,
            active_facets: [row.active_facets_a, row.active_facets_b],
            parts: [row.part_a, row.part_b],
        })
    }
}

fn pose_and_velocity(row: &BodyRow<'_>) -> (Pose, Velocity) {
    // The quaternion is kept as written: renormalising would move the last bit.
    let orientation = Unit::new_unchecked(Quaternion::new(row.qw, row.qx, row.qy, row.qz));
    let linear = Vector3::new(row.vx, row.vy, row.vz);
    let angular = Vector3::new(row.wx, row.wy, row.wz);
    (Pose { position: Vector3::new(row.x, row.y, row.z), orientation }, Velocity { linear, angular })
}

fn fault(path: &Path, step: usize, message: &str) -> Error {
    Error::Parse { file: path.to_owned(), message: format!("step {step}: {message}") }
}

fn unknown_body(path: &Path, step: usize, name: &str) -> Error {
    fault(path, step, &format!("body {name:?} is not in {}", names::SCENE))
}
