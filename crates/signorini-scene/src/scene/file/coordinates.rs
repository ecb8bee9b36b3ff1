//! The coordinate of a joint that a motor, a motion or a limit names.

use super::named::Named;
use super::raw_joints::CoordinateName;
use super::report::Check;
use crate::scene::joint::{Axis, Coordinate, Joint, placement};

/// The coordinate of a joint, added if nothing acted on it before.
pub fn coordinate<'a>(joint: &'a mut Joint, axis: Axis, named: &Named<'_>) -> &'a mut Coordinate {
    let place = match joint.coordinates.iter().position(|c| c.axis == axis) {
        Some(place) => place,
        None => {
            let poses = joint.bodies.map(|id| placement(&named.bodies[id].pose));
            let start = joint.coordinate_row(axis).value(&poses);
            joint.coordinates.push(Coordinate {
                axis,
                limits: None,
                motion: None,
                motors: Vec::new(),
                armature: 0.0,
                start,
            });
            joint.coordinates.len() - 1
        }
    };
    &mut joint.coordinates[place]
}

/// The coordinate that an entry names in a field.
pub fn axis_of(
    name: Option<CoordinateName>,
    joint: &Joint,
    field: &str,
    check: &mut Check<'_>,
) -> Option<Axis> {
    let axes = joint.kind.axes();
    let known: Vec<&str> = axes.iter().map(|a| a.as_str()).collect();
    let Some(name) = name else {
        if axes.len() != 1 {
            let allowed = if axes.is_empty() {
                format!("a {} joint has no coordinate that could be driven", joint.kind.as_str())
            } else {
                format!("required: one of {known:?}")
            };
            check.fault(field, "absent", allowed);
        }
        return (axes.len() == 1).then(|| axes[0]);
    };
    let axis = match name {
        CoordinateName::Slide => Axis::Slide,
        CoordinateName::Angle => Axis::Angle,
        CoordinateName::Length => Axis::Length,
    };
    if !axes.contains(&axis) {
        let allowed = format!("a {} joint has {known:?}", joint.kind.as_str());
        check.fault(field, format!("{:?}", axis.as_str()), allowed);
        return None;
    }
    Some(axis)
}

/// The file's word for a coordinate.
pub fn name_of(axis: Axis) -> CoordinateName {
    match axis {
        Axis::Slide => CoordinateName::Slide,
        Axis::Angle => CoordinateName::Angle,
        Axis::Length => CoordinateName::Length,
    }
}
