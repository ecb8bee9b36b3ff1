//! The columns of the tables, one struct per table: written and read through the same struct.
//! Units SI, vectors in world axes; `docs/guide/output.md` explains each column.

use crate::geometry::Touch;
use crate::scene::{ContactKind, Scene, State};
use crate::simulation::StepOutcome;
use crate::step::{Acting, ContactRecord};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A row of `bodies.csv`: pose of the body frame (origin: centre of mass) and velocity at the end of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct BodyRow<'a> {
    pub step: usize,
    pub time: f64,
    pub body: Cow<'a, str>,
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub qw: f64,
    pub qx: f64,
    pub qy: f64,
    pub qz: f64,
    pub vx: f64,
    pub vy: f64,
    pub vz: f64,
    pub wx: f64,
    pub wy: f64,
    pub wz: f64,
}

impl<'a> BodyRow<'a> {
    /// Header of `bodies.csv`.
    pub const COLUMNS: [&'static str; 16] =
        ["step", "time", "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];

    /// The row of body `i` in `state`.
    pub fn new(scene: &'a Scene, state: &State, i: usize, step: usize, time: f64) -> Self {
        let (pose, velocity) = (&state.poses[i], &state.velocities[i]);
        let q = pose.orientation.quaternion();
        Self {
            step,
            time,
            body: Cow::Borrowed(&scene.bodies[i].name),
            x: pose.position.x,
            y: pose.position.y,
            z: pose.position.z,
            qw: q.w,
            qx: q.i,
            qy: q.j,
            qz: q.k,
            vx: velocity.linear.x,
            vy: velocity.linear.y,
            vz: velocity.linear.z,
            wx: velocity.angular.x,
            wy: velocity.angular.y,
            wz: velocity.angular.z,
        }
    }
}

/// A row of `contacts.csv`: one near pair at the end of a step or substep, impulses of that (sub)step on body
/// B.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ContactRow<'a> {
    pub step: usize,
    pub time: f64,
    pub body_a: Cow<'a, str>,
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
    pub atoms: usize,
    #[serde(default = "one")]
    pub active_facets_a: usize,
    #[serde(default = "one")]
    pub active_facets_b: usize,
    // The staggered integrator.
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
}

/// Contacts were at points before there were patches.
fn point() -> Cow<'static, str> {
    Cow::Borrowed(ContactKind::Point.as_str())
}

fn one() -> usize {
    1
}

/// Steps ended as one before they could be halved.
fn whole() -> f64 {
    1.0
}

impl<'a> ContactRow<'a> {
    /// Header of `contacts.csv`.
    pub const COLUMNS: [&'static str; 38] = [
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
        "atoms",
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
    ];

    /// The row of a contact; `time` is that of the end of the step.
    pub fn new(scene: &'a Scene, contact: &ContactRecord, step: usize, time: f64) -> Self {
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
            atoms: contact.touch.points,
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
        }
    }

    /// What touches; None when the kind is no such word.
    pub fn touch(&self) -> Option<Touch> {
        let kinds = [ContactKind::Point, ContactKind::Line, ContactKind::Surface];
        let kind = kinds.into_iter().find(|k| k.as_str() == self.kind)?;
        Some(Touch { kind, points: self.atoms, active_facets: [self.active_facets_a, self.active_facets_b] })
    }

    /// Where the impulses act, if not at the end of the step.
    pub fn acting(&self) -> Option<Acting> {
        Some(Acting {
            theta: self.theta?,
            point: Vector3::new(self.start_x?, self.start_y?, self.start_z?),
            normal: Vector3::new(self.start_nx?, self.start_ny?, self.start_nz?),
            turn: Vector3::new(self.slip_turn_x?, self.slip_turn_y?, self.slip_turn_z?),
            // Files were without once.
            last_slip: [self.last_slip_x, self.last_slip_y, self.last_slip_z]
                .map(Option::unwrap_or_default)
                .into(),
        })
    }

    /// |friction impulse| (N s).
    pub fn friction_magnitude(&self) -> f64 {
        nalgebra::Vector3::new(self.friction_impulse_x, self.friction_impulse_y, self.friction_impulse_z)
            .norm()
    }
}

/// A row of `steps.csv`: how one step went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StepRow<'a> {
    pub step: usize,
    pub time: f64,
    pub contacts: usize,
    pub iterations: usize,
    pub factorizations: usize,
    pub residual: f64,
    pub momentum_residual: f64,
    pub complementarity_residual: f64,
    pub friction_residual: f64,
    pub min_gap: Option<f64>,
    pub kinetic_energy: f64,
    pub potential_energy: f64,
    pub wall_seconds: f64,
    pub status: Cow<'a, str>,
    pub relative_residual: f64,
    pub restarts: usize,
    pub islands: usize,
    pub referee: Cow<'a, str>,
    pub referee_seconds: f64,
    pub referee_momentum: Option<f64>,
    pub referee_complementarity: Option<f64>,
    pub referee_friction: Option<f64>,
    pub energy_created: Option<f64>,
    #[serde(default)]
    pub phase: Cow<'a, str>,
    #[serde(default)]
    pub substeps: usize,
    #[serde(default)]
    pub broad_seconds: f64,
    #[serde(default)]
    pub geometry_seconds: f64,
    #[serde(default)]
    pub assembly_seconds: f64,
    #[serde(default)]
    pub factor_seconds: f64,
    #[serde(default)]
    pub solve_seconds: f64,
    // The family of models.
    pub formulation: Option<Cow<'a, str>>,
    pub objective: Option<f64>,
    pub duality_gap: Option<f64>,
    pub gap_linearization: Option<f64>,
    pub cone_lift: Option<f64>,
    pub slip_direction: Option<f64>,
    pub switch: Option<Cow<'a, str>>,
}

impl StepRow<'_> {
    /// Header of `steps.csv`.
    pub const COLUMNS: [&'static str; 37] = [
        "step",
        "time",
        "contacts",
        "iterations",
        "factorizations",
        "residual",
        "momentum_residual",
        "complementarity_residual",
        "friction_residual",
        "min_gap",
        "kinetic_energy",
        "potential_energy",
        "wall_seconds",
        "status",
        "relative_residual",
        "restarts",
        "islands",
        "referee",
        "referee_seconds",
        "referee_momentum",
        "referee_complementarity",
        "referee_friction",
        "energy_created",
        "phase",
        "substeps",
        "broad_seconds",
        "geometry_seconds",
        "assembly_seconds",
        "factor_seconds",
        "solve_seconds",
        "formulation",
        "objective",
        "duality_gap",
        "gap_linearization",
        "cone_lift",
        "slip_direction",
        "switch",
    ];

    /// The row of a step with its energies (J) and its smallest gap (m, None: no pair is near).
    pub fn new(outcome: &StepOutcome, energies: [f64; 2], min_gap: Option<f64>) -> Self {
        let info = &outcome.info;
        Self {
            step: outcome.step,
            time: outcome.time,
            contacts: info.n_contacts,
            iterations: info.iterations,
            factorizations: info.factorizations,
            residual: info.residual.max(),
            momentum_residual: info.residual.momentum,
            complementarity_residual: info.residual.complementarity,
            friction_residual: info.residual.friction,
            min_gap,
            kinetic_energy: energies[0],
            potential_energy: energies[1],
            wall_seconds: outcome.solve_time.as_secs_f64(),
            status: Cow::Borrowed(info.status.as_str()),
            relative_residual: info.relative_residual,
            restarts: info.restarts,
            islands: info.n_islands,
            referee: Cow::Borrowed(match &outcome.verdict {
                Some(verdict) if verdict.green => "green",
                Some(_) => "red",
                None => "off",
            }),
            referee_seconds: outcome.verdict.map_or(0.0, |_| outcome.referee_time.as_secs_f64()),
            referee_momentum: outcome.verdict.map(|v| v.momentum),
            referee_complementarity: outcome.verdict.map(|v| v.complementarity),
            referee_friction: outcome.verdict.map(|v| v.friction),
            energy_created: outcome.verdict.map(|v| v.energy_created),
            phase: Cow::Borrowed(info.phase.as_str()),
            substeps: info.n_substeps,
            broad_seconds: info.broad_seconds,
            geometry_seconds: info.times.geometry,
            assembly_seconds: info.times.assembly,
            factor_seconds: info.times.factor,
            solve_seconds: info.times.solve,
            formulation: Some(Cow::Borrowed(info.formulation.as_str())),
            objective: info.conic.map(|c| c.objective),
            duality_gap: info.conic.map(|c| c.duality_gap),
            gap_linearization: outcome.advice.map(|a| a.gap_linearization),
            cone_lift: outcome.advice.map(|a| a.cone_lift),
            slip_direction: outcome.advice.map(|a| a.slip_direction),
            switch: info.switch.map(|s| Cow::Borrowed(s.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::joint_row::JointRow;
    use super::super::substep_row::SubstepRow;
    use super::*;
    use serde::de::DeserializeOwned;

    /// Reads a row of ones under `columns` and writes it with the header that serde derives.
    fn derived_header<R: Serialize + DeserializeOwned>(columns: &[&str]) -> String {
        let text = format!("{}\n{}\n", columns.join(","), vec!["1"; columns.len()].join(","));
        let row: R = csv::Reader::from_reader(text.as_bytes()).deserialize().next().unwrap().unwrap();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        text.lines().next().unwrap().to_owned()
    }

    #[test]
    fn headers_name_the_fields_in_their_order() {
        assert_eq!(derived_header::<BodyRow<'static>>(&BodyRow::COLUMNS), BodyRow::COLUMNS.join(","));
        assert_eq!(
            derived_header::<ContactRow<'static>>(&ContactRow::COLUMNS),
            ContactRow::COLUMNS.join(",")
        );
        assert_eq!(
            derived_header::<SubstepRow<'static>>(&SubstepRow::COLUMNS),
            SubstepRow::COLUMNS.join(",")
        );
        assert_eq!(derived_header::<JointRow<'static>>(&JointRow::COLUMNS), JointRow::COLUMNS.join(","));
        assert_eq!(derived_header::<StepRow<'static>>(&StepRow::COLUMNS), StepRow::COLUMNS.join(","));
    }
}
