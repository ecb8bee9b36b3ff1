//! The parsers that take bytes from outside, as one function each: they may refuse their input, and
//! must neither panic nor hang. Fuzz targets call them, and so does a test with damaged files.

use signorini_scene::checkpoint::Checkpoint;
use signorini_scene::robots;
use signorini_scene::scene::{LoadOptions, parse};
use std::fs;
use std::path::PathBuf;

/// A scene file. Whether it was accepted.
pub fn scene(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    parse(text, &folder().join("scene.toml"), &LoadOptions::default()).is_ok()
}

/// A mesh in Wavefront .obj format.
pub fn obj(bytes: &[u8]) -> bool {
    mesh(bytes, "obj")
}

/// A mesh in .stl format, text or binary.
pub fn stl(bytes: &[u8]) -> bool {
    mesh(bytes, "stl")
}

/// A mesh in .ply format, text or binary.
pub fn ply(bytes: &[u8]) -> bool {
    mesh(bytes, "ply")
}

/// A mesh in COLLADA format.
pub fn dae(bytes: &[u8]) -> bool {
    mesh(bytes, "dae")
}

/// A mesh in glTF format, binary.
pub fn glb(bytes: &[u8]) -> bool {
    mesh(bytes, "glb")
}

/// A mesh in glTF format, as text.
pub fn gltf(bytes: &[u8]) -> bool {
    mesh(bytes, "gltf")
}

/// A mesh in MuJoCo's own format.
pub fn msh(bytes: &[u8]) -> bool {
    mesh(bytes, "msh")
}

/// A model in MJCF or URDF.
pub fn model(bytes: &[u8]) -> bool {
    let path = folder().join("model.xml");
    fs::write(&path, bytes).expect("a writable folder");
    robots::convert(&path, &robots::ModelOptions::default()).is_ok()
}

/// A checkpoint.
pub fn checkpoint(bytes: &[u8]) -> bool {
    let path = folder().join("a.ckpt");
    fs::write(&path, bytes).expect("a writable folder");
    Checkpoint::read(&path).is_ok()
}

/// A frictional-contact problem in .fcp format or in the HDF5 of FCLIB.
pub fn fcp(bytes: &[u8]) -> bool {
    problem(bytes, "fcp")
}

/// A packing in .gp format.
pub fn gp(bytes: &[u8]) -> bool {
    problem(bytes, "gp")
}

fn problem(bytes: &[u8], extension: &str) -> bool {
    let path = folder().join(format!("problem.{extension}"));
    fs::write(&path, bytes).expect("a writable folder");
    signorini_fclib::read(&path).is_ok()
}

/// A scene whose only body has the mesh as its shape.
fn mesh(bytes: &[u8], extension: &str) -> bool {
    let file = format!("mesh.{extension}");
    fs::write(folder().join(&file), bytes).expect("a writable folder");
    let text = format!(
        r#"
format = 1
[simulation]
time_step = 0.01
duration = 1
[[body]]
name = "part"
density = 1
shape = {{ type = "mesh", file = "{file}" }}
"#
    );
    scene(text.as_bytes())
}

/// A folder for the files of this thread.
fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: PathBuf = {
            let name = format!("signorini-{}-{:?}", std::process::id(), std::thread::current().id());
            let folder = std::env::temp_dir().join(name.replace(['(', ')'], ""));
            fs::create_dir_all(&folder).expect("a temporary folder");
            folder
        };
    }
    FOLDER.with(Clone::clone)
}
