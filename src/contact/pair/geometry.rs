//! Normal, frame, arms and gap of a pair at one pose.

use nalgebra::{Matrix3, Vector3};
use signorini_kernels::wrench::WrenchPoint;

/// Geometry of a pair at one pose. Arms run from the centres of mass to the closest points.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct PairGeometry {
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// First tangent.
    pub tangent_t: Vector3<f64>,
    /// Second tangent, n × t.
    pub tangent_o: Vector3<f64>,
    /// Arm of A (m).
    pub arm_a: Vector3<f64>,
    /// Arm of B (m).
    pub arm_b: Vector3<f64>,
    /// Signed distance (m).
    pub gap: f64,
    /// Vector Σ λ_k g_k n_k (m) of a manifold under load, from where its contact points act on A to where
    /// they act on B.
    #[serde(default)]
    pub across: Vector3<f64>,
    /// Alignment Σ p_k n_k·n / Σ p_k: 1 unless the contact points push along several normals, as at a corner
    /// on an edge. The pair's p_n is the sum along n, which bounds friction.
    pub alignment: f64,
    /// Mismatch |Tᵀ(a2 − a1)| (m) of the closest points along the plane, 0 once within
    /// [`CLOSEST_POINT_TOLERANCE`](crate::contact::tolerances::CLOSEST_POINT_TOLERANCE).
    pub mismatch: f64,
    pub(super) slope_a: Matrix3<f64>,
    pub(super) slope_b: Matrix3<f64>,
}

impl PairGeometry {
    /// Geometry of a single contact point with the frame n, t, the arms of A and B (m) and the gap (m),
    /// without derivatives.
    pub fn at_point([normal, tangent_t]: [Vector3<f64>; 2], arms: [Vector3<f64>; 2], gap: f64) -> Self {
        let ([arm_a, arm_b], tangent_o) = (arms, normal.cross(&tangent_t));
        Self { normal, tangent_t, tangent_o, arm_a, arm_b, gap, alignment: 1.0, ..Self::default() }
    }

    /// Point at which the friction wrench acts. The wrench of a manifold acts at one place of both bodies:
    /// its contact points may be further apart than the surfaces, and force and opposite force would turn the
    /// bodies.
    pub fn acting_point(&self) -> WrenchPoint<f64> {
        WrenchPoint { normal: self.normal, arms: [self.arm_a + self.across, self.arm_b] }
    }

    /// The equivalent contact point on the surfaces.
    pub fn wrench_point(&self) -> WrenchPoint<f64> {
        WrenchPoint { normal: self.normal, arms: [self.arm_a, self.arm_b] }
    }
}
