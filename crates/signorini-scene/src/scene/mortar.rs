//! Mortar between faces: its strengths, and those of one face (theory §15.4).

/// Strengths of mortar between two materials: Mohr–Coulomb's law with a tension cut-off.
#[derive(
    Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema, Default,
)]
#[serde(deny_unknown_fields)]
pub struct Mortar {
    /// Tensile strength f_t (Pa), ≥ 0, at most `shear_strength` over the friction coefficient.
    #[serde(default)]
    pub tensile_strength: f64,
    /// Shear strength without pressure, the cohesion c of Mohr–Coulomb's law (Pa), > 0.
    pub shear_strength: f64,
    /// Fracture energy G_f (J/m²), ≥ 0: work of opening and slip at which mortar breaks; 0 is brittle.
    #[serde(default)]
    pub fracture_energy: f64,
}

/// Mortar of one face, as its joint has it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MortarFace {
    /// Area of the face A (m²).
    pub area: f64,
    /// Mean distance of the face from its centre (m): e_r of its torsion.
    pub radius: f64,
    /// Friction coefficient μ.
    pub coefficient: f64,
    /// Largest pull f_t A (N).
    pub tension: f64,
    /// Largest shear force without normal force, c A (N).
    pub shear: f64,
    /// Work of opening and slip at which the mortar breaks (J).
    pub energy: f64,
}

impl MortarFace {
    /// Work (J) that an opening and a slip take (m), with all strengths acting. Without tensile strength an
    /// opening counts as a slip does: it takes nothing, but mortar that is open holds no shear.
    pub fn work(&self, opening: f64, slip: f64) -> f64 {
        let pull = if self.tension > 0.0 { self.tension } else { self.shear };
        pull * opening.max(0.0) + self.shear * slip
    }

    /// Force (N) that, added to the normal force, makes Coulomb's bound that of Mohr and Coulomb: c A / μ.
    pub fn apex(&self) -> f64 {
        self.shear / self.coefficient
    }
}
