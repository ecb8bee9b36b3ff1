//! Resting poses of a body: heights and inertias by which they are told apart.

use super::body::Body;
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::Pose;
use signorini_geometry::bounds::bounds;

/// Height of the centre of mass over the lowest point of a body (m).
pub fn height(body: &Body, pose: &Pose, up: &Vector3<f64>) -> f64 {
    // Of several rotations that take up to z any will do.
    let level = UnitQuaternion::rotation_between(up, &Vector3::z())
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    let turned = Pose { position: Vector3::zeros(), orientation: level * pose.orientation };
    let lowest = body.parts.iter().map(|part| bounds(&part.shape, &turned.compose(&part.pose)).0.z);
    -lowest.fold(f64::INFINITY, f64::min)
}

/// Moment of inertia about the vertical through the centre of mass (kg m²).
pub fn vertical_inertia(body: &Body, pose: &Pose, up: &Vector3<f64>) -> f64 {
    let up = pose.orientation.inverse() * up;
    up.dot(&(body.inertia * up))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    #[test]
    fn a_box_stands_as_high_as_its_half_extents_say() {
        let mut scene = Scene::builder();
        scene.body(Body::box_([0.1, 0.2, 0.3]).density(1000.0));
        let scene = scene.build().expect("a scene");
        let body = &scene.bodies[0];
        for (up, expected) in
            [(Vector3::z(), 0.3), (-Vector3::z(), 0.3), (Vector3::x(), 0.1), (-Vector3::y(), 0.2)]
        {
            assert!((height(body, &body.pose, &up) - expected).abs() < 1e-12, "{up:?}");
        }
        let edge = Vector3::new(1.0, 1.0, 0.0).normalize();
        assert!((height(body, &body.pose, &edge) - 0.3 / 2.0_f64.sqrt()).abs() < 1e-12);
    }
}
