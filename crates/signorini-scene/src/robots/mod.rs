//! Robots and scenes of other formats as scenes: MJCF and URDF.
//!
//! A reader makes a `Model` of links, joints and notes about elements that have no counterpart; `build`
//! makes a scene of it by the builders that programs use.

mod adapt;
mod between;
mod build;
mod couplings;
mod faults;
mod mjcf;
mod model;
mod model_files;
mod urdf;
mod urdf_known;
mod xml;

pub use model::Note;

use crate::scene::file::Meshes;
use crate::scene::{self, LoadOptions, Loaded, Scene};
use model::{Model, ModelJoint, Positions};
use model_files::ModelFiles;
use signorini_error::{Error, Result};
use std::path::Path;

/// Options of reading a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelOptions {
    /// Refuse elements that cannot be taken over, instead of listing them.
    pub strict: bool,
    /// Positions of joints by name (m or rad); others are at their references.
    pub positions: Positions,
    /// The root of a robot in URDF moves freely. Otherwise it is fixed.
    pub free_root: bool,
    /// Values that replace those of the model.
    pub load: LoadOptions,
}

/// Formats beside our own, by the outermost element of the file.
const FORMATS: [(&str, &str); 2] = [("mujoco", "MJCF"), ("robot", "URDF")];

/// Stack of the thread that reads a model (bytes): 64 kB for each level of elements.
const STACK: usize = 64 << 20;

/// Whether a file is a model of another format, by its ending.
pub fn is_model(path: &Path) -> bool {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("xml" | "mjcf" | "urdf"))
}

/// Reads a scene file, or a model of another format by its ending.
///
/// # Errors
/// As of a scene file, or of a model.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded> {
    if !is_model(path) {
        return scene::load(path, options);
    }
    let options = ModelOptions { load: options.clone(), ..ModelOptions::default() };
    convert(path, &options)
}

/// Reads a model of another format. Elements that cannot be taken over are in the notes, each with its place.
///
/// # Errors
/// When a file cannot be read, a value is wrong, the mechanism is none that scenes can have, or, if strict,
/// when something cannot be taken over.
pub fn convert(path: &Path, options: &ModelOptions) -> Result<Loaded> {
    on_large_stack(path, || converted(&Source { path, text: None }, options))
}

/// Reads a model of another format from its text. `path` names it in messages, and its files are beside it.
///
/// # Errors
/// As of [`convert`].
pub fn convert_text(text: &str, path: &Path, options: &ModelOptions) -> Result<Loaded> {
    on_large_stack(path, || converted(&Source { path, text: Some(text) }, options))
}

/// The text of a scene file for a model.
pub fn scene_text(model: &Path, scene: &Scene) -> String {
    format!("# From {}.\n{}", model.display(), scene::to_toml(scene))
}

/// Runs a reader: elements in elements are followed by recursion.
fn on_large_stack<T: Send>(path: &Path, read: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let reader = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| {
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let reader = reader.spawn_scoped(scope, read).map_err(failed)?;
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A model: its path, and its text where that is not in the file.
struct Source<'a> {
    path: &'a Path,
    text: Option<&'a str>,
}

fn converted(source: &Source<'_>, options: &ModelOptions) -> Result<Loaded> {
    let path = source.path;
    let mut model = read(source, options, &options.positions)?;
    check_names(&model, path, &options.positions)?;
    let inside = adapt::positions_inside(&model, &options.positions);
    let mut all: Positions =
        inside.iter().chain(&options.positions).map(|(name, q)| (name.clone(), *q)).collect();
    let coupled = couplings::positions(&model, &options.positions, &all);
    all.extend(coupled.iter().map(|(name, q)| (name.clone(), *q)));
    if all.len() > options.positions.len() {
        model = read(source, options, &all)?;
    }
    let mut notes: Vec<String> =
        model.dropped.iter().map(|n| format!("{}: not taken over: {}", n.place, n.what)).collect();
    if options.strict && !notes.is_empty() {
        let fault = |note: &Note| note.place.refusal(&format!("not taken over: {}", note.what));
        return Err(Error::Many(model.dropped.iter().map(fault).collect()));
    }
    let missing: Vec<&Note> = model.dropped.iter().filter(|note| note.is_shape).collect();
    if !missing.is_empty() && !options.load.allow_missing_shapes {
        let fault = |note: &&Note| note.place.refusal(&format!("{}: {}", note.what, adapt::WITHOUT_SHAPE));
        return Err(Error::Many(missing.iter().map(fault).collect()));
    }
    let begin = |joint: &&ModelJoint| inside.contains_key(&joint.name) && !coupled.contains_key(&joint.name);
    notes.extend(model.joints.iter().filter(begin).map(|joint| {
        format!(
            "joint {:?}: the model begins outside its limits; here it begins at {}",
            joint.name, joint.position
        )
    }));
    let follow = |joint: &&ModelJoint| coupled.contains_key(&joint.name);
    notes.extend(model.joints.iter().filter(follow).map(|joint| {
        format!("joint {:?} follows another one, and begins at {}", joint.name, joint.position)
    }));
    notes.extend(adapt::take_limits_off(&mut model));
    between::fill_in(&mut model)?;
    // The names of meshes hold the folder of the model.
    let mut meshes = Meshes::beside(Path::new("scene"), true);
    let (built, about) = adapt::scene_of(&mut model, options.load.allow_missing_shapes, &mut meshes)?;
    notes.extend(about);
    let text = scene::to_toml(&built);
    let mut loaded = scene::parse(&text, path, &options.load).map_err(|e| faults::in_file(&model, e))?;
    notes.append(&mut loaded.notes);
    Ok(Loaded { notes, ..loaded })
}

fn read(source: &Source<'_>, options: &ModelOptions, positions: &Positions) -> Result<Model> {
    let path = source.path;
    let mut files = ModelFiles::beside(path, options.load.allow_outside);
    let root = match source.text {
        Some(text) => files.parse(text, path)?,
        None => files.read(path)?,
    };
    match root.tag.as_str() {
        "mujoco" if options.free_root => Err(Error::Usage {
            what: "free root".to_owned(),
            allowed: "only of robots in URDF: bodies in MJCF say themselves how they move".to_owned(),
        }),
        "mujoco" => mjcf::read(root, &mut files, positions),
        "robot" => urdf::read(&root, &files, positions, options.free_root),
        other => {
            let known = FORMATS.map(|(tag, name)| format!("<{tag}> ({name})")).join(" or ");
            let advice = if other == "sdf" { ": SDFormat is not read" } else { "" };
            let message = format!("the outermost element is <{other}>; models begin with {known}{advice}");
            Err(Error::Parse { file: path.to_owned(), message })
        }
    }
}

/// Refuses positions for joints that the model does not have.
fn check_names(model: &Model, path: &Path, positions: &Positions) -> Result<()> {
    let mut unknown: Vec<&String> =
        positions.keys().filter(|name| !model.joints.iter().any(|joint| joint.name == **name)).collect();
    unknown.sort_unstable();
    let Some(name) = unknown.first() else { return Ok(()) };
    Err(Error::Field {
        file: path.to_owned(),
        at: None,
        field: "joint".to_owned(),
        value: format!("{name:?}"),
        allowed: format!("is no joint of the model, which has {}", model.joints.len()),
    })
}
