//! Options that many commands share.

use clap::Args;
use signorini_scene::scene::{LoadOptions, Overrides};

/// Options that override the scene file in every command that runs it. The loader checks the values, as it
/// checks the file's.
#[derive(Debug, Args)]
pub struct SceneOptions {
    /// Simulated time in seconds, instead of the scene's
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub duration: Option<f64>,
    /// Scaled residual at which a step counts as solved, 1e-12 to 1e-1, instead of the scene's
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Seed of the scene's generators and the solver's restarts, instead of the scene's
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Move bodies that overlap at the start apart first, instead of refusing the scene
    #[arg(long)]
    pub separate: bool,
    /// Move bodies until their joints hold at the start
    #[arg(long)]
    pub assemble: bool,
}

impl SceneOptions {
    /// Returns the options in the form of the loader.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            separate: self.separate,
            assemble: self.assemble,
            overrides: Overrides {
                duration: self.duration,
                tolerance: self.tolerance,
                seed: self.seed,
                ..Overrides::default()
            },
            ..LoadOptions::default()
        }
    }
}
