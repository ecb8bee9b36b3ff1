//! Friction of a scene file as serde reads it.

use crate::scene::friction::{ImpactLaw, Torsion};
use crate::scene::mortar::Mortar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[friction]]`: friction between two materials, or between all those that no other entry names.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionEntry {
    /// The two materials, in any order (the first one carries `direction`). Without it the entry is the
    /// default of every pair that has no entry of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[String; 2]>,
    /// Friction coefficient μ, ≥ 0.
    pub coefficient: f64,
    /// Semi-axes of the friction ellipsoid.
    #[serde(default)]
    pub ellipsoid: FrictionEllipsoid,
    /// Direction whose projection on the contact plane is t, in the body frame of the first material of
    /// `between`. Required when t ≠ o, refused otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Coefficient of restitution e, 0 to 1: a body that strikes with the normal velocity −u leaves with e u.
    /// Only for formulation "implicit" with integrator "implicit-euler" and gyroscopic "exact".
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restitution: f64,
    /// Law of impact: e relates velocities ("newton", the default) or impulses ("poisson").
    #[serde(default, skip_serializing_if = "is_newton")]
    pub restitution_law: ImpactLaw,
    /// Speed of approach (m/s), ≥ 0, up to which impacts are inelastic all the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restitution_threshold: f64,
    /// Rolling resistance, a length (m), ≥ 0: the couple against rolling is at most this length times the
    /// normal force. Only for formulation "implicit" with integrator "implicit-euler".
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rolling: f64,
    /// Cohesion, a force (N), ≥ 0, with which bodies that touch pull each other: of balls and ellipsoids on
    /// anything. Only for formulation "implicit" with integrator "implicit-euler", without impact phase.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cohesion: f64,
    /// Mortar between faces of boxes, polytopes and half-spaces that touch at time 0: they stick together
    /// until it breaks. Only for formulation "implicit" with integrator "implicit-euler", without impact
    /// phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mortar: Option<Mortar>,
}

fn is_newton(law: &ImpactLaw) -> bool {
    *law == ImpactLaw::Newton
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Semi-axes of the friction ellipsoid (F_t/t)² + (F_o/o)² + (M_r/r)² ≤ μ² F_n².
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrictionEllipsoid {
    /// Along t (dimensionless), > 0.
    pub t: f64,
    /// Along o = n × t (dimensionless), > 0.
    pub o: f64,
    /// About the normal: a length (m), ≥ 0, 0 means no torsional friction; or "patch", that of the line or
    /// surface where the bodies touch.
    pub r: TorsionEntry,
}

/// Semi-axis of the friction ellipsoid about the normal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TorsionEntry {
    /// A length (m), ≥ 0.
    Radius(f64),
    /// By what touches.
    Word(TorsionWord),
}

/// How e_r follows from a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TorsionWord {
    /// Uniform pressure on the line or surface where the bodies touch.
    Patch,
}

impl From<Torsion> for TorsionEntry {
    fn from(torsion: Torsion) -> Self {
        match torsion {
            Torsion::Radius(radius) => Self::Radius(radius),
            Torsion::Patch => Self::Word(TorsionWord::Patch),
        }
    }
}

impl Default for FrictionEllipsoid {
    fn default() -> Self {
        Self { t: 1.0, o: 1.0, r: TorsionEntry::Word(TorsionWord::Patch) }
    }
}
