//! MJCF, the format of MuJoCo: <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.

mod actuators;
mod bodies;
mod document;
mod frames;
mod geom_pairs;
mod geoms;
mod joints;
mod known;
mod mesh;
mod pairs;
mod tendons;

use super::model::{Model, Positions};
use super::model_files::ModelFiles;
use super::xml::Element;
use bodies::Reader;
use document::{Compiler, Defaults, with_includes};
use mesh::Mesh;
use nalgebra::Vector3;
use signorini_error::Result;
use std::collections::HashMap;

/// Reads a model from its outermost element, its joints at the given positions.
///
/// # Errors
/// When a file cannot be read or a value is wrong, or the mechanism is none that scenes can have.
pub fn read(mut root: Element, files: &mut ModelFiles, positions: &Positions) -> Result<Model> {
    with_includes(&mut root, files, 0)?;
    let compiler = Compiler::of(&root)?;
    let defaults = Defaults::of(&root);
    let mut model =
        Model { gravity: Some(Vector3::new(0.0, 0.0, -9.81)), time_step: Some(0.002), ..Model::default() };
    for option in root.all("option") {
        model.gravity = option.numbers("gravity")?.map(Vector3::from).or(model.gravity);
        model.time_step = option.number("timestep")?.or(model.time_step);
        if option.all("flag").any(|flag| flag.get("gravity") == Some("disable")) {
            model.gravity = Some(Vector3::zeros());
        }
    }
    known::check_sections(&root, &mut model);
    let meshes = meshes_of(&root, files, &compiler, &defaults, &mut model)?;
    let mut reader =
        Reader::new(&compiler, &defaults, &meshes, (positions, geom_pairs::named(&root)), &mut model);
    for world in root.all("worldbody") {
        reader.read_world(world)?;
    }
    let names = reader.finish()?;
    pairs::read(&root, &defaults, &names, &mut model)?;
    let tendons = tendons::read(&root, &mut model)?;
    actuators::read(&root, &tendons, (&compiler, &defaults), &mut model)?;
    Ok(model)
}

fn meshes_of(
    root: &Element,
    files: &ModelFiles,
    compiler: &Compiler,
    defaults: &Defaults,
    model: &mut Model,
) -> Result<HashMap<String, Mesh>> {
    let mut meshes = HashMap::new();
    for element in root.all("asset").flat_map(|asset| asset.all("mesh")) {
        let element = defaults.complete(element, None)?;
        known::check(&element, model);
        meshes.extend(Mesh::read(&element, files, compiler)?);
    }
    Ok(meshes)
}
