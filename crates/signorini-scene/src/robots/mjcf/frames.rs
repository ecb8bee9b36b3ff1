//! Places and orientations as MJCF gives them.

use super::super::xml::Element;
use super::document::{Compiler, ORIENTATIONS};
use nalgebra::{Matrix3, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};
use signorini_error::Result;
use signorini_geometry::Pose;

/// Shorter vectors have no direction.
const NO_LENGTH: f64 = 1e-14;

/// The pose of an element in the frame around it.
///
/// # Errors
/// When a number is wrong, or an axis has no length.
pub fn pose_of(element: &Element, compiler: &Compiler) -> Result<Pose> {
    let position = Vector3::from(element.numbers("pos")?.unwrap_or_default());
    Ok(Pose { position, orientation: orientation_of(element, compiler)?.unwrap_or_default() })
}

/// The orientation that an element gives, in whichever way.
///
/// # Errors
/// As [`pose_of`].
pub fn orientation_of(element: &Element, compiler: &Compiler) -> Result<Option<UnitQuaternion<f64>>> {
    let Some(way) = ORIENTATIONS.into_iter().find(|way| element.get(way).is_some()) else { return Ok(None) };
    let text = element.get(way).unwrap_or_default();
    let short = || element.fault(way, text, "a vector has no length");
    let unit = |v: Vector3<f64>| Unit::try_new(v, NO_LENGTH).ok_or_else(short);
    Ok(Some(match way {
        "quat" => {
            let [w, x, y, z] = element.parsed(way, text)?;
            let q = Quaternion::new(w, x, y, z);
            Unit::try_new(q, NO_LENGTH).ok_or_else(short)?
        }
        "axisangle" => {
            let [x, y, z, angle] = element.parsed(way, text)?;
            UnitQuaternion::from_axis_angle(&unit(Vector3::new(x, y, z))?, compiler.angle(angle))
        }
        "xyaxes" => {
            let n: [f64; 6] = element.parsed(way, text)?;
            let x = unit(Vector3::new(n[0], n[1], n[2]))?.into_inner();
            let y = Vector3::new(n[3], n[4], n[5]);
            let y = unit(y - x * x.dot(&y))?.into_inner();
            let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
        }
        "zaxis" => z_towards(&unit(Vector3::from(element.parsed::<3>(way, text)?))?),
        _ => {
            let angles: [f64; 3] = element.parsed(way, text)?;
            let mut q = UnitQuaternion::identity();
            for (letter, angle) in compiler.euler.iter().zip(angles) {
                let axis = match letter.to_ascii_lowercase() {
                    'x' => Vector3::x_axis(),
                    'y' => Vector3::y_axis(),
                    _ => Vector3::z_axis(),
                };
                let turn = UnitQuaternion::from_axis_angle(&axis, compiler.angle(angle));
                q = if letter.is_lowercase() { q * turn } else { turn * q };
            }
            q
        }
    }))
}

/// The smallest rotation that takes z to a direction.
pub fn z_towards(direction: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let z = Vector3::z_axis();
    let axis = z.cross(direction);
    match Unit::try_new(axis, NO_LENGTH) {
        Some(unit) => UnitQuaternion::from_axis_angle(&unit, axis.norm().atan2(z.dot(direction))),
        None if direction.z > 0.0 => UnitQuaternion::identity(),
        None => UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI),
    }
}

/// The end points of `fromto` as a pose, z from the second to the first, and their distance.
///
/// # Errors
/// As [`pose_of`].
pub fn between_ends(element: &Element) -> Result<Option<(Pose, f64)>> {
    let Some(n) = element.numbers::<6>("fromto")? else { return Ok(None) };
    let (from, to) = (Vector3::new(n[0], n[1], n[2]), Vector3::new(n[3], n[4], n[5]));
    let text = element.get("fromto").unwrap_or_default();
    let axis = Unit::try_new(from - to, NO_LENGTH);
    let axis = axis.ok_or_else(|| element.fault("fromto", text, "the ends are one point"))?;
    let pose = Pose { position: (from + to) * 0.5, orientation: z_towards(&axis) };
    Ok(Some((pose, (from - to).norm())))
}
