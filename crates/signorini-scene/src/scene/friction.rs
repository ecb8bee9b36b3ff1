//! Friction between pairs of materials.

use super::mortar::Mortar;
use nalgebra::Vector3;

/// e_r, the length (m) that torsional friction about the normal acts on at most: p_r ≤ μ p_n e_r.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Torsion {
    /// One length at every contact (m, ≥ 0); 0 means no torsional friction.
    Radius(f64),
    /// The length for a uniform pressure on the line or surface where the bodies touch, about the equivalent
    /// contact point x_c (theory §2.6):
    /// ```text
    /// e_r = ∫ |x − x_c| dA / A,   on a line ∫ |x − x_c| ds / s,   0 at a point
    /// ```
    Patch,
}

impl Torsion {
    /// No torsional friction.
    pub const NONE: Torsion = Torsion::Radius(0.0);

    /// e_r where it is one length at every contact (m), else that of a point contact, 0.
    pub fn of_point(self) -> f64 {
        match self {
            Torsion::Radius(radius) => radius,
            Torsion::Patch => 0.0,
        }
    }
}

/// The friction ellipsoid of a pair: (p_t/e_t)² + (p_o/e_o)² + (p_r/e_r)² ≤ μ² p_n²  [CBAT (4)].
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Friction {
    /// Friction coefficient μ (≥ 0).
    pub coefficient: f64,
    /// e_t, e_o (dimensionless, > 0) along the two tangents.
    pub tangential: [f64; 2],
    /// e_r: torsional friction about the normal.
    pub torsional: Torsion,
    /// For e_t ≠ e_o: the direction (unit, body frame of `direction_owner`'s material) whose projection
    /// on the contact plane is t. None when e_t = e_o.
    pub direction: Option<Vector3<f64>>,
    /// Which material's body carries `direction` (index into [`FrictionTable::materials`]).
    pub direction_owner: usize,
    /// The law by which bodies rebound.
    pub restitution: Restitution,
    /// Rolling resistance (m, ≥ 0): the couple about the tangents is at most this length times p_n, against
    /// the rolling velocity (theory §14).
    #[serde(default)]
    pub rolling: f64,
    /// Cohesion F_c (N, ≥ 0): bodies that touch at the start of a step pull each other with this force
    /// (theory §15).
    #[serde(default)]
    pub cohesion: f64,
    /// Mortar of faces that touch at time 0 (theory §15.4).
    #[serde(default)]
    pub mortar: Option<Mortar>,
}

/// Quantities that the coefficient of restitution e relates (theory §13).
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ImpactLaw {
    /// Newton's law, of velocities: 0 ≤ P_n ⊥ u⁺ + e u⁻ ≥ 0.
    #[default]
    Newton,
    /// Poisson's law, of impulses: 0 ≤ P_c ⊥ u_c ≥ 0 in a compression, then 0 ≤ P_e − e P_c ⊥ u⁺ ≥ 0.
    Poisson,
}

/// The law of impact at a contact point that closes with the normal velocity u⁻ < 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Restitution {
    /// e, in [0, 1].
    pub coefficient: f64,
    /// The speed of approach from which it counts (m/s, ≥ 0).
    pub threshold: f64,
    /// The law of impact: whether e relates velocities or impulses.
    #[serde(default)]
    pub law: ImpactLaw,
}

impl Friction {
    /// No friction.
    pub const NONE: Friction = Friction {
        coefficient: 0.0,
        tangential: [1.0, 1.0],
        torsional: Torsion::NONE,
        direction: None,
        direction_owner: 0,
        restitution: Restitution { coefficient: 0.0, threshold: 0.0, law: ImpactLaw::Newton },
        rolling: 0.0,
        cohesion: 0.0,
        mortar: None,
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
    /// Whether any pair of materials rebounds.
    pub fn rebounds(&self) -> bool {
        self.entries.iter().any(|entry| entry.restitution.coefficient > 0.0)
    }

    /// Whether any pair of materials resists rolling.
    pub fn resists_rolling(&self) -> bool {
        self.entries.iter().any(|entry| entry.rolling > 0.0)
    }

    /// Whether any pair of materials sticks together.
    pub fn coheres(&self) -> bool {
        self.entries.iter().any(|entry| entry.cohesion > 0.0)
    }

    /// Whether faces of any pair of materials have mortar.
    pub fn has_mortar(&self) -> bool {
        self.entries.iter().any(|entry| entry.mortar.is_some())
    }

    /// Friction between materials `a` and `b`.
    pub fn between(&self, a: usize, b: usize) -> &Friction {
        &self.entries[a * self.materials.len() + b]
    }
}
