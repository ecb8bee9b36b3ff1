//! Contacts and joints as structured arrays. The fields stand in `signorini.dtypes`, in the same order.

use crate::arrays::Records;
use pyo3::prelude::*;
use signorini::{ContactRecord, JointRecord};

/// Letters of the longest word of a field.
const WORD: usize = 7;
/// Letters of the longest word of a phase.
const PHASE: usize = 11;

/// Contacts as `CONTACT`.
pub fn contacts<'py, 'a>(
    py: Python<'py>,
    contacts: impl Iterator<Item = &'a ContactRecord>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut rows = Records::default();
    for c in contacts {
        rows.whole(c.body_a).whole(c.body_b).whole(c.part_a).whole(c.part_b);
        rows.numbers(&c.ecp).numbers(&c.normal).number(c.gap);
        rows.number(c.normal_impulse).numbers(&c.friction_impulse).number(c.torsional_impulse);
        rows.number(c.torsional_radius).numbers(&c.rolling_impulse);
        rows.number(c.cohesion_impulse);
        rows.number(c.slip_speed).word(c.state.as_str(), WORD);
        rows.word(c.touch.kind.as_str(), WORD).whole(c.touch.points);
        rows.number(c.span.start).number(c.span.end).word(c.phase.as_str(), PHASE).small(&c.image);
    }
    rows.array(py, "CONTACT")
}

/// Joints as `JOINT`.
pub fn joints<'py>(py: Python<'py>, joints: &[JointRecord]) -> PyResult<Bound<'py, PyAny>> {
    let mut rows = Records::default();
    for j in joints {
        rows.whole(j.joint).numbers(&j.point).numbers(&j.force).numbers(&j.torque).numbers(&j.error);
        rows.numbers(&j.coordinate.map(|c| c.unwrap_or(f64::NAN)));
        rows.numbers(&j.motion).numbers(&j.motor).numbers(&j.limit);
        rows.number(j.span.start).number(j.span.end);
    }
    rows.array(py, "JOINT")
}
