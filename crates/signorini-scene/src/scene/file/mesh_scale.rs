//! Factors on the coordinates of meshes.

use super::raw_shapes::MeshScale;
use super::report::Check;
use nalgebra::Vector3;

/// The factor along each axis of a mesh; a faulty one is 1.
pub fn mesh_scale(scale: MeshScale, field: &str, check: &mut Check) -> Vector3<f64> {
    match scale {
        MeshScale::Even(scale) => Vector3::repeat(check.positive(field, scale)),
        MeshScale::Each(scale) => {
            let is_good = |x: &f64| x.is_finite() && *x != 0.0;
            if scale.iter().all(is_good) {
                return Vector3::from(scale);
            }
            check.fault(field, format!("{scale:?}"), "must be finite numbers, none of them 0");
            Vector3::repeat(1.0)
        }
    }
}
