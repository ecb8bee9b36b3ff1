//! Models that are compared.

use serde::{Serialize, Serializer};
use signorini_scene::scene::Scene;
use signorini_scene::settings::{Formulation, Integrator};

/// Way to take a step: a formulation and its integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Formulation of the model.
    pub formulation: Formulation,
    /// Integrator of the model; only the implicit formulation has another one than implicit Euler.
    pub integrator: Integrator,
}

impl Model {
    /// Implicit formulation under the staggered integrator.
    pub const STAGGERED: Model =
        Model { formulation: Formulation::Implicit, integrator: Integrator::Staggered };

    /// Word on the command line and in `compare.csv`: that of the formulation, or `staggered`.
    pub fn as_str(self) -> &'static str {
        match self.integrator {
            Integrator::ImplicitEuler => self.formulation.as_str(),
            Integrator::Staggered => "staggered",
        }
    }
}

impl Model {
    /// Returns the model of a word, as of [`Self::as_str`].
    ///
    /// # Errors
    /// The words that are known.
    pub fn named(word: &str) -> std::result::Result<Self, String> {
        let all = || Formulation::ALL.into_iter().map(Self::from).chain([Self::STAGGERED]);
        all().find(|model| model.as_str() == word).ok_or_else(|| {
            format!("must be one of {}", all().map(Self::as_str).collect::<Vec<_>>().join(", "))
        })
    }

    /// Returns the model that a scene asks for.
    pub(super) fn of(scene: &Scene) -> Self {
        Self { formulation: scene.solver.formulation, integrator: scene.solver.integrator }
    }
}

impl From<Formulation> for Model {
    fn from(formulation: Formulation) -> Self {
        Self { formulation, integrator: Integrator::ImplicitEuler }
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
