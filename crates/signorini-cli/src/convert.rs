//! The command `signorini convert`.

use super::console::{print_error, print_line};
use super::exit::{Failure, SUCCESS};
use super::values;
use clap::Args;
use signorini_error::{Error, counted};
use signorini_scene::robots::{self, ModelOptions};
use signorini_scene::scene::LoadOptions;
use std::fs;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ConvertOptions {
    /// Model in MJCF (.xml) or URDF (.urdf)
    pub model: PathBuf,
    /// Scene file to write (TOML)
    pub out: PathBuf,
    /// Refuse parts that cannot be taken over, instead of listing them
    #[arg(long)]
    pub strict: bool,
    /// Take included files and meshes from outside the model's folder too
    #[arg(long)]
    pub allow_outside: bool,
    /// Leave out shapes of moving bodies that cannot be taken over
    #[arg(long)]
    pub allow_missing_shapes: bool,
    /// Position of a joint at the start (m or rad), again for each joint
    #[arg(long = "joint", value_name = "NAME=Q", value_parser = values::position)]
    pub joints: Vec<(String, f64)>,
    /// Let the root of a robot in URDF move freely; otherwise it is fixed
    #[arg(long)]
    pub free_root: bool,
    /// Simulated time in seconds, instead of 1
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub duration: Option<f64>,
    /// Time step in seconds, instead of the model's
    #[arg(long, alias = "step", value_name = "H", allow_hyphen_values = true)]
    pub time_step: Option<f64>,
    /// Replace the scene file
    #[arg(short, long)]
    pub force: bool,
}

/// Writes the scene of a model.
pub fn convert(options: &ConvertOptions) -> Result<u8, Failure> {
    if options.out.exists() && !options.force {
        let what = format!("scene file {}", options.out.display());
        return Err(Error::Usage { what, allowed: "exists; replace it with --force".to_owned() }.into());
    }
    let mut load = LoadOptions {
        allow_missing_shapes: options.allow_missing_shapes,
        allow_outside: options.allow_outside,
        ..LoadOptions::default()
    };
    load.overrides.duration = options.duration;
    load.overrides.time_step = options.time_step;
    let positions = options.joints.iter().cloned().collect();
    let (strict, free_root) = (options.strict, options.free_root);
    let loaded = robots::convert(&options.model, &ModelOptions { strict, positions, free_root, load })?;
    let written = fs::write(&options.out, robots::scene_text(&options.model, &loaded.scene));
    written.map_err(|source| Failure::Other(Error::Io { path: options.out.clone(), source }))?;
    loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    let (bodies, joints) = (loaded.scene.bodies.len(), loaded.scene.joints.len());
    let [bodies, joints] = [counted(bodies, "body"), counted(joints, "joint")];
    print_line(&format!("{}: {bodies}, {joints}", options.out.display()));
    Ok(SUCCESS)
}
