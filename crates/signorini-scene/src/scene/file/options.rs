//! Options of reading a scene file, and the scene that is read.

use super::written::FileEntries;
use crate::scene::definition::Scene;
use crate::settings::Formulation;

/// Options of reading a scene file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// Move bodies that overlap at the start apart (velocities untouched) instead of refusing the scene.
    pub separate: bool,
    /// Move bodies until the joints hold at the start instead of refusing the scene.
    pub assemble: bool,
    /// Take meshes from outside the scene's folder too.
    pub allow_outside: bool,
    /// Of models in MJCF and URDF: leave shapes of bodies that move out where they cannot be taken over,
    /// instead of refusing the model.
    pub allow_missing_shapes: bool,
    /// Values that replace the file's; checked like the file's.
    pub overrides: Overrides,
}

/// Values that replace those of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// `solver.formulation`.
    pub formulation: Option<Formulation>,
    /// `simulation.time_step` (s).
    pub time_step: Option<f64>,
    /// `simulation.duration` (s).
    pub duration: Option<f64>,
    /// `solver.tolerance`.
    pub tolerance: Option<f64>,
    /// `simulation.seed`.
    pub seed: Option<u64>,
}

/// A resolved scene with remarks about its file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The resolved scene.
    pub scene: Scene,
    /// Remarks: values that were normalised, pairs without friction, bodies moved apart.
    pub notes: Vec<String>,
    /// Words and entries of the file that the resolved scene has no more.
    pub written: FileEntries,
}
