//! Mesh files in the folder of a scene.

use super::gltf_buffers;
use super::limits::LONGEST_FILE;
use super::mesh_bytes::{self, is_mesh};
use super::scene_folder::SceneFolder;
use super::triangles::Triangles;
use signorini_error::{Error, read_regular};
use std::path::Path;

/// Folder of the meshes of a scene.
#[derive(Debug)]
pub struct MeshFolder {
    beside: SceneFolder,
}

impl MeshFolder {
    /// The folder of a scene file, or any.
    pub fn beside(scene_file: &Path, allow_outside: bool) -> Self {
        Self { beside: SceneFolder::new(scene_file, allow_outside) }
    }

    /// The objects of a mesh file, or the meshes of a folder in the order of their names; the error describes
    /// the fault.
    pub fn objects(&self, file: &str) -> Result<Vec<(String, Triangles)>, String> {
        let Some(names) = self.beside.names_in(file) else {
            let (bytes, extension) = self.read(file)?;
            return mesh_bytes::read_objects(&bytes, &extension);
        };
        let mut names = names?;
        names.retain(|name| is_mesh(&extension_of(Path::new(name))));
        if names.is_empty() {
            return Err("holds no mesh file (.obj, .stl, .ply, .dae, .glb, .gltf, .msh)".to_owned());
        }
        let mut found = Vec::new();
        for name in names {
            let path = Path::new(file).join(&name).to_string_lossy().into_owned();
            let told = |fault: String| format!("{name:?}: {fault}");
            let (bytes, extension) = self.read(&path).map_err(told)?;
            found.push((name.clone(), mesh_bytes::read(&bytes, &extension).map_err(told)?.mesh));
        }
        Ok(found)
    }

    /// The bytes of a mesh file and its extension; the error describes the fault of the name or the file.
    pub fn read(&self, file: &str) -> Result<(Vec<u8>, String), String> {
        let extension = extension_of(Path::new(file));
        if !is_mesh(&extension) {
            return Err("must be the name of an .obj, .stl, .ply, .dae, .glb, .gltf or .msh file".to_owned());
        }
        let bytes = self.bytes(file)?;
        if extension != "gltf" {
            return Ok((bytes, extension));
        }
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let buffer = |name: &str| self.bytes(&folder.join(name).to_string_lossy());
        Ok((gltf_buffers::put_in(bytes, buffer)?, extension))
    }

    fn bytes(&self, file: &str) -> Result<Vec<u8>, String> {
        let unreadable = |e: Error| match e {
            Error::Io { source, .. } => format!("cannot be read ({source})"),
            other => other.to_string(),
        };
        read_regular(&self.beside.find(file)?, LONGEST_FILE).map_err(unreadable)
    }
}

fn extension_of(name: &Path) -> String {
    name.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
