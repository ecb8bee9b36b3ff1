//! Friction between pairs of materials.

use nalgebra::Vector3;

/// The friction ellipsoid of a pair: (p_t/e_t)² + (p_o/e_o)² + (p_r/e_r)² ≤ μ² p_n²  [CBAT (4)].
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Friction {
    /// Friction coefficient μ (≥ 0).
    pub coefficient: f64,
    /// e_t, e_o (dimensionless, > 0) along the two tangents.
    pub tangential: [f64; 2],
    /// e_r (m, ≥ 0): 0 means no torsional friction.
    pub torsional: f64,
    /// For e_t ≠ e_o: the direction (unit, body frame of `direction_owner`'s material) whose projection
    /// on the contact plane is t. None when e_t = e_o.
    pub direction: Option<Vector3<f64>>,
    /// Which material's body carries `direction` (index into [`FrictionTable::materials`]).
    pub direction_owner: usize,
}

impl Friction {
    /// No friction.
    pub const NONE: Friction = Friction {
        coefficient: 0.0,
        tangential: [1.0, 1.0],
        torsional: 0.0,
        direction: None,
        direction_owner: 0,
    };
}

/// Friction for every pair of materials, already resolved: the most specific entry of the scene won.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FrictionTable {
    /// Names of the materials.
    pub materials: Vec<String>,
    /// `entries[a * materials.len() + b]`, symmetric.
    pub entries: Vec<Friction>,
}

impl FrictionTable {
    /// Friction between materials `a` and `b`.
    pub fn between(&self, a: usize, b: usize) -> &Friction {
        &self.entries[a * self.materials.len() + b]
    }
}
