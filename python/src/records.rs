//! Contacts, joints and sensors as structured arrays. The fields stand in `signorini.dtypes`, in the same
//! order.

use crate::arrays::Records;
use nalgebra::Vector3;
use pyo3::prelude::*;
use signorini::mechanism::of_joints;
use signorini::{ContactRecord, JointRecord, Span};

/// Letters of the longest word of a field.
const WORD: usize = 7;
/// Letters of the longest word of a phase.
const PHASE: usize = 11;

/// Contacts as `CONTACT`, or as `COPY_CONTACT` with the number of a copy before each.
#[derive(Default)]
pub struct Contacts(Records);

impl Contacts {
    /// Adds contacts of a simulation, or of a copy of it.
    pub fn add<'a>(&mut self, contacts: impl Iterator<Item = &'a ContactRecord>, copy: Option<usize>) {
        let rows = &mut self.0;
        for c in contacts {
            copy.map(|copy| rows.whole(copy));
            rows.whole(c.body_a).whole(c.body_b).whole(c.part_a).whole(c.part_b);
            rows.numbers(&c.ecp).numbers(&c.normal).number(c.gap);
            rows.number(c.normal_impulse).numbers(&c.friction_impulse).number(c.torsional_impulse);
            rows.number(c.torsional_radius).numbers(&c.rolling_impulse);
            rows.number(c.cohesion_impulse);
            rows.number(c.slip_speed).word(c.state.as_str(), WORD);
            rows.word(c.touch.kind.as_str(), WORD).whole(c.touch.points);
            rows.number(c.span.start).number(c.span.end).word(c.phase.as_str(), PHASE).small(&c.image);
        }
    }

    /// The array of the type of that name.
    pub fn array<'py>(self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        self.0.array(py, kind)
    }
}

/// Joints of a simulation, as `JOINT`.
pub fn joints(simulation: &signorini::Simulation) -> Records {
    let mut rows = Joints::default();
    rows.add(simulation, None);
    rows.0
}

/// Joints as `JOINT`, or as `COPY_JOINT`.
#[derive(Default)]
pub struct Joints(Records);

impl Joints {
    /// Adds the joints of a simulation, or of a copy of it.
    pub fn add(&mut self, simulation: &signorini::Simulation, copy: Option<usize>) {
        let rows = &mut self.0;
        let now = of_joints(simulation.scene(), simulation.state());
        for j in joint_records(simulation) {
            copy.map(|copy| rows.whole(copy));
            rows.whole(j.joint).numbers(&j.point).numbers(&j.force).numbers(&j.torque).numbers(&j.error);
            let now = now[j.joint].map(|pair| pair.unwrap_or((f64::NAN, f64::NAN)));
            rows.numbers(&now.map(|(coordinate, _)| coordinate)).numbers(&now.map(|(_, rate)| rate));
            rows.numbers(&j.motion).numbers(&j.motor).numbers(&j.limit);
            rows.numbers(&j.coupling).number(j.turns as f64).numbers(&j.damage);
            rows.number(j.span.start).number(j.span.end);
        }
    }

    /// The array of the type of that name.
    pub fn array<'py>(self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        self.0.array(py, kind)
    }
}

/// The joints at the end of the last step; before the first one, joints that nothing has acted on.
fn joint_records(simulation: &signorini::Simulation) -> Vec<JointRecord> {
    let (scene, state, records) = (simulation.scene(), simulation.state(), simulation.joints());
    if records.len() == scene.joints.len() {
        return records.to_vec();
    }
    let blank = |(place, joint): (usize, &signorini::Joint)| {
        let poses = joint.bodies.map(|body| &state.poses[body]);
        JointRecord {
            point: poses[1].point(&joint.frames[1].position),
            error: joint.violation(poses),
            ..JointRecord::new(place, Span::WHOLE)
        }
    };
    scene.joints.iter().enumerate().map(blank).collect()
}

/// Readings of the sensors of a simulation, as `SENSOR`.
pub fn sensors(simulation: &signorini::Simulation) -> Records {
    let mut rows = Records::default();
    for (place, found) in simulation.sensors().into_iter().enumerate() {
        let nothing = Vector3::repeat(f64::NAN);
        let [force, torque] = found.map_or([nothing; 2], |found| [found.force, found.torque]);
        rows.whole(place).numbers(&force).numbers(&torque);
    }
    rows
}
