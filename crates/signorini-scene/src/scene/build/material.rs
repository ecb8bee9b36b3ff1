//! Materials: names that bodies and friction refer to, and how soft they are.

use crate::scene::file::MaterialEntry;
use crate::scene::friction::{Friction, ImpactLaw, Restitution, Torsion};
use crate::scene::mortar::Mortar;
use nalgebra::Vector3;

/// A material. Friction and impact of two materials are a [`Friction`], given by
/// [`SceneBuilder::friction_between`](super::SceneBuilder::friction_between).
#[derive(Debug, Clone)]
#[must_use]
pub struct Material {
    pub(super) entry: MaterialEntry,
}

impl Material {
    /// A rigid material with a unique name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { entry: MaterialEntry { name: name.into(), stiffness: None, dissipation_time: 0.0 } }
    }

    /// Normal stiffness k of a contact (N/m, > 0), for
    /// [`Formulation::Compliant`](crate::settings::Formulation::Compliant). Two materials in contact act in
    /// series.
    pub fn stiffness(mut self, stiffness: f64) -> Self {
        self.entry.stiffness = Some(stiffness);
        self
    }

    /// Dissipation time τ_d (s, ≥ 0), for
    /// [`Formulation::Compliant`](crate::settings::Formulation::Compliant): the normal force is k (−gap − τ_d
    /// v_n), if positive.
    pub fn dissipation_time(mut self, seconds: f64) -> Self {
        self.entry.dissipation_time = seconds;
        self
    }
}

impl Friction {
    /// Coulomb's law with friction coefficient μ (≥ 0): |friction| ≤ μ · normal force, the same in all
    /// directions, and the torsion of the line or surface where bodies touch ([`Torsion::Patch`]).
    pub fn coulomb(coefficient: f64) -> Self {
        Self { coefficient, torsional: Torsion::Patch, ..Self::NONE }
    }

    /// Torsional friction about the normal: at most μ e_r times the normal force (N m), with e_r = `radius`
    /// (m, ≥ 0) at every kind of contact.
    #[must_use]
    pub fn with_torsion(mut self, radius: f64) -> Self {
        self.torsional = Torsion::Radius(radius);
        self
    }

    /// Newton's law of impact: a body that strikes with the normal speed u leaves with `coefficient` (0 to 1)
    /// times u, where u is more than `threshold` (m/s, ≥ 0).
    #[must_use]
    pub fn with_restitution(mut self, coefficient: f64, threshold: f64) -> Self {
        self.restitution = Restitution { coefficient, threshold, ..self.restitution };
        self
    }

    /// The law of impact: e relates velocities (Newton's law, the default), or impulses (Poisson's law).
    #[must_use]
    pub fn with_impact_law(mut self, law: ImpactLaw) -> Self {
        self.restitution.law = law;
        self
    }

    /// Rolling resistance: a couple of at most `length` (m, ≥ 0) times the normal force about axes in the
    /// contact plane, against rolling.
    #[must_use]
    pub fn with_rolling(mut self, length: f64) -> Self {
        self.rolling = length;
        self
    }

    /// Cohesion: bodies that touch pull each other with `force` (N, ≥ 0).
    #[must_use]
    pub fn with_cohesion(mut self, force: f64) -> Self {
        self.cohesion = force;
        self
    }

    /// Mortar: faces of boxes, polytopes and half-spaces that touch at time 0 stick together until it breaks.
    #[must_use]
    pub fn with_mortar(mut self, mortar: Mortar) -> Self {
        self.mortar = Some(mortar);
        self
    }

    /// Friction that differs with the direction: at most μ e_t along t and μ e_o across it, times the normal
    /// force. `t` is the projection on the contact plane of `direction`, a vector in the body frame of the
    /// first of the two materials. Only for a pair of materials, not for the default.
    #[must_use]
    pub fn with_directions(mut self, semi_axes: [f64; 2], direction: impl Into<[f64; 3]>) -> Self {
        self.tangential = semi_axes;
        self.direction = Some(Vector3::from(direction.into()));
        self
    }
}
