//! Scene of a mesh that is dropped: a floor, and the mesh above it.

use signorini_error::{Error, Result};
use signorini_scene::robots;
use signorini_scene::scene::{Body, Friction, LoadOptions, Scene, is_mesh};
use std::path::Path;

/// Density of the body (kg/m³): poses do not depend on it.
const DENSITY: f64 = 1000.0;
/// Friction coefficient between body and floor.
const FRICTION: f64 = 0.5;
/// Height at which the centre of mass begins above the floor, over the radius of the ball that holds the
/// body.
const HEIGHT: f64 = 3.0;
/// Time step over the time in which the body falls by its size.
const STEP: f64 = 0.04;
/// Duration over the time in which the body falls by its size.
const DURATION: f64 = 400.0;
/// Gravity (m/s²).
const GRAVITY: f64 = 9.81;

/// The scene of a file, with remarks: of a scene file or a model, or that of a mesh, in metres times `scale`,
/// that falls on a floor. Of a mesh the options' duration, tolerance and seed count.
///
/// # Errors
/// When the file is none of them, or a scale is given for another than a mesh.
pub fn scene_of_file(file: &Path, scale: f64, options: &LoadOptions) -> Result<(Scene, Vec<String>)> {
    let extension = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !extension.is_some_and(|extension| is_mesh(&extension)) {
        if scale != 1.0 {
            let allowed = "for meshes; a scene says how large its bodies are".to_owned();
            return Err(Error::Usage { what: "scale".to_owned(), allowed });
        }
        let loaded = robots::load(file, options)?;
        return Ok((loaded.scene, loaded.notes));
    }
    let (mut scene, notes) = scene_of_mesh(file, scale)?;
    let given = &options.overrides;
    scene.duration = given.duration.unwrap_or(scene.duration);
    scene.solver.tolerance = given.tolerance.unwrap_or(scene.solver.tolerance);
    scene.seed = given.seed.unwrap_or(scene.seed);
    scene.validate()?;
    Ok((scene, notes))
}

/// Makes a scene of the hull of a mesh file, in metres times `scale`, above a floor, with remarks about the
/// mesh.
///
/// # Errors
/// When the mesh cannot be read, or has no volume.
fn scene_of_mesh(file: &Path, scale: f64) -> Result<(Scene, Vec<String>)> {
    let name = file.file_stem().map_or_else(|| "part".into(), |stem| stem.to_string_lossy());
    let with = |height: f64, step: f64, duration: f64| {
        let mut scene = Scene::builder();
        scene.friction(Friction::coulomb(FRICTION)).time_step(step).duration(duration);
        scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0).named("floor"));
        scene.body(Body::mesh(file, scale).density(DENSITY).at([0.0, 0.0, height]).named(name.as_ref()));
        scene.build_with_notes()
    };
    if name == "floor" {
        let allowed = "another name than that of the floor".to_owned();
        return Err(Error::Usage { what: format!("drop {}", file.display()), allowed });
    }
    // The body is placed far up to find its size.
    let (measured, _) = with(1e6, 1e-3, 1e-3)?;
    let body = &measured.bodies[1];
    let fall = (2.0 * body.size().unwrap_or(1.0) / GRAVITY).sqrt();
    with(HEIGHT * body.bounding_radius(), rounded(STEP * fall), rounded(DURATION * fall))
}

/// Rounds to two digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}
