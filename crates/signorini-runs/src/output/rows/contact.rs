//! `contacts.csv`.

use super::cell_text;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini::step::{Acting, ContactRecord, StepPhase};
use signorini_geometry::{Image, Touch};
use signorini_scene::scene::{ContactKind, Scene};
use std::borrow::Cow;

/// A row of `contacts.csv`: one near pair at the end of a step or substep, impulses of that (sub)step on body
/// B.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ContactRow<'a> {
    pub step: usize,
    pub time: f64,
    #[serde(with = "cell_text")]
    pub body_a: Cow<'a, str>,
    #[serde(with = "cell_text")]
    pub body_b: Cow<'a, str>,
    pub ecp_x: f64,
    pub ecp_y: f64,
    pub ecp_z: f64,
    pub nx: f64,
    pub ny: f64,
    pub nz: f64,
    pub gap: f64,
    pub normal_impulse: f64,
    pub friction_impulse_x: f64,
    pub friction_impulse_y: f64,
    pub friction_impulse_z: f64,
    pub torsional_impulse: f64,
    pub slip_speed: f64,
    pub state: Cow<'a, str>,
    #[serde(default)]
    pub substep_start: f64,
    #[serde(default = "whole")]
    pub substep_end: f64,
    #[serde(default = "point")]
    pub kind: Cow<'a, str>,
    #[serde(default = "one")]
    pub points: usize,
    #[serde(default = "one")]
    pub active_facets_a: usize,
    #[serde(default = "one")]
    pub active_facets_b: usize,
    // Columns of the staggered integrator.
    pub theta: Option<f64>,
    pub start_x: Option<f64>,
    pub start_y: Option<f64>,
    pub start_z: Option<f64>,
    pub start_nx: Option<f64>,
    pub start_ny: Option<f64>,
    pub start_nz: Option<f64>,
    pub slip_turn: Option<f64>,
    pub slip_turn_x: Option<f64>,
    pub slip_turn_y: Option<f64>,
    pub slip_turn_z: Option<f64>,
    pub last_slip_x: Option<f64>,
    pub last_slip_y: Option<f64>,
    pub last_slip_z: Option<f64>,
    #[serde(default)]
    pub part_a: usize,
    #[serde(default)]
    pub part_b: usize,
    pub torsional_radius: Option<f64>,
    #[serde(default = "step")]
    pub phase: Cow<'a, str>,
    // Columns of scenes that resist rolling only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_impulse_x: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_impulse_y: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_impulse_z: Option<f64>,
    // Column of scenes with cohesion only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohesion_impulse: Option<f64>,
    // Columns of periodic scenes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_x: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_y: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_z: Option<f64>,
}

/// Kind of contacts in old tables, which had points only.
fn point() -> Cow<'static, str> {
    Cow::Borrowed(ContactKind::Point.as_str())
}

fn one() -> usize {
    1
}

/// Phase of steps in old tables, which had one phase only.
fn step() -> Cow<'static, str> {
    Cow::Borrowed(StepPhase::Whole.as_str())
}

/// End of steps in old tables, in which no step was halved.
fn whole() -> f64 {
    1.0
}

impl<'a> ContactRow<'a> {
    /// Columns that all scenes have.
    const COMMON: usize = 42;

    /// Columns behind the others in the tables of periodic scenes.
    pub const OF_IMAGES: [&'static str; 3] = ["image_x", "image_y", "image_z"];

    /// Header of `contacts.csv` of a scene with rolling resistance and cohesion; other scenes lack the
    /// columns that they do not need.
    pub const COLUMNS: [&'static str; 46] = [
        "step",
        "time",
        "body_a",
        "body_b",
        "ecp_x",
        "ecp_y",
        "ecp_z",
        "nx",
        "ny",
        "nz",
        "gap",
        "normal_impulse",
        "friction_impulse_x",
        "friction_impulse_y",
        "friction_impulse_z",
        "torsional_impulse",
        "slip_speed",
        "state",
        "substep_start",
        "substep_end",
        "kind",
        "points",
        "active_facets_a",
        "active_facets_b",
        "theta",
        "start_x",
        "start_y",
        "start_z",
        "start_nx",
        "start_ny",
        "start_nz",
        "slip_turn",
        "slip_turn_x",
        "slip_turn_y",
        "slip_turn_z",
        "last_slip_x",
        "last_slip_y",
        "last_slip_z",
        "part_a",
        "part_b",
        "torsional_radius",
        "phase",
        "rolling_impulse_x",
        "rolling_impulse_y",
        "rolling_impulse_z",
        "cohesion_impulse",
    ];

    /// Header of the table of a scene.
    pub fn columns_of(scene: &Scene) -> Vec<&'static str> {
        let (common, more) = Self::COLUMNS.split_at(Self::COMMON);
        let (rolling, cohesion) = more.split_at(3);
        let mut columns = common.to_vec();
        if scene.friction.resists_rolling() {
            columns.extend(rolling);
        }
        if scene.friction.coheres() {
            columns.extend(cohesion);
        }
        if scene.periodic.is_some() {
            columns.extend(Self::OF_IMAGES);
        }
        columns
    }

    /// Makes the row of a contact; `time` is that of the end of the step.
    pub fn new(scene: &'a Scene, contact: &ContactRecord, step: usize, time: f64) -> Self {
        let rolling = scene.friction.resists_rolling().then_some(contact.rolling_impulse);
        let image = |axis: usize| scene.periodic.map(|_| f64::from(contact.image[axis]));
        Self {
            step,
            time: time - (1.0 - contact.span.end) * scene.time_step,
            body_a: Cow::Borrowed(&scene.bodies[contact.body_a].name),
            body_b: Cow::Borrowed(&scene.bodies[contact.body_b].name),
            ecp_x: contact.ecp.x,
            ecp_y: contact.ecp.y,
            ecp_z: contact.ecp.z,
            nx: contact.normal.x,
            ny: contact.normal.y,
            nz: contact.normal.z,
            gap: contact.gap,
            normal_impulse: contact.normal_impulse,
            friction_impulse_x: contact.friction_impulse.x,
            friction_impulse_y: contact.friction_impulse.y,
            friction_impulse_z: contact.friction_impulse.z,
            torsional_impulse: contact.torsional_impulse,
            slip_speed: contact.slip_speed,
            state: Cow::Borrowed(contact.state.as_str()),
            substep_start: contact.span.start,
            substep_end: contact.span.end,
            kind: Cow::Borrowed(contact.touch.kind.as_str()),
            points: contact.touch.points,
            active_facets_a: contact.touch.active_facets[0],
            active_facets_b: contact.touch.active_facets[1],
            theta: contact.acting.map(|a| a.theta),
            start_x: contact.acting.map(|a| a.point.x),
            start_y: contact.acting.map(|a| a.point.y),
            start_z: contact.acting.map(|a| a.point.z),
            start_nx: contact.acting.map(|a| a.normal.x),
            start_ny: contact.acting.map(|a| a.normal.y),
            start_nz: contact.acting.map(|a| a.normal.z),
            slip_turn: contact.acting.map(|a| a.turn.norm()),
            slip_turn_x: contact.acting.map(|a| a.turn.x),
            slip_turn_y: contact.acting.map(|a| a.turn.y),
            slip_turn_z: contact.acting.map(|a| a.turn.z),
            last_slip_x: contact.acting.map(|a| a.last_slip.x),
            last_slip_y: contact.acting.map(|a| a.last_slip.y),
            last_slip_z: contact.acting.map(|a| a.last_slip.z),
            part_a: contact.part_a,
            part_b: contact.part_b,
            torsional_radius: Some(contact.torsional_radius),
            phase: Cow::Borrowed(contact.phase.as_str()),
            rolling_impulse_x: rolling.map(|m| m.x),
            rolling_impulse_y: rolling.map(|m| m.y),
            rolling_impulse_z: rolling.map(|m| m.z),
            cohesion_impulse: scene.friction.coheres().then_some(contact.cohesion_impulse),
            image_x: image(0),
            image_y: image(1),
            image_z: image(2),
        }
    }

    /// Image of body B that is met; None when the columns hold no whole numbers.
    pub fn image(&self) -> Option<Image> {
        let mut image = [0; 3];
        for (n, told) in image.iter_mut().zip([self.image_x, self.image_y, self.image_z]) {
            let told = told.unwrap_or_default();
            *n = told as i32;
            if f64::from(*n) != told {
                return None;
            }
        }
        Some(image)
    }

    /// Touch of the contact; None when the kind is no such word.
    pub fn touch(&self) -> Option<Touch> {
        let kinds = [ContactKind::Point, ContactKind::Line, ContactKind::Surface];
        let kind = kinds.into_iter().find(|k| k.as_str() == self.kind)?;
        Some(Touch { kind, points: self.points, active_facets: [self.active_facets_a, self.active_facets_b] })
    }

    /// Geometry at which the impulses act, if not that of the end of the step.
    pub fn acting(&self) -> Option<Acting> {
        Some(Acting {
            theta: self.theta?,
            point: Vector3::new(self.start_x?, self.start_y?, self.start_z?),
            normal: Vector3::new(self.start_nx?, self.start_ny?, self.start_nz?),
            turn: Vector3::new(self.slip_turn_x?, self.slip_turn_y?, self.slip_turn_z?),
            // Old tables lack these columns.
            last_slip: [self.last_slip_x, self.last_slip_y, self.last_slip_z]
                .map(Option::unwrap_or_default)
                .into(),
        })
    }

    /// Couple of rolling resistance on body B (N m s).
    pub fn rolling_impulse(&self) -> Vector3<f64> {
        [self.rolling_impulse_x, self.rolling_impulse_y, self.rolling_impulse_z]
            .map(Option::unwrap_or_default)
            .into()
    }

    /// Whether the impulses of the row are those that changed the velocities of the bodies.
    pub fn counts(&self) -> bool {
        self.phase != StepPhase::Position.as_str()
    }

    /// Magnitude of the friction impulse (N s).
    pub fn friction_magnitude(&self) -> f64 {
        nalgebra::Vector3::new(self.friction_impulse_x, self.friction_impulse_y, self.friction_impulse_z)
            .norm()
    }
}
