//! Run as an animation in glTF 2.0 (`.glb`): <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>.
//!
//! The file has a node for each body, a mesh for each shape and colour, a channel for position and one for
//! orientation of each body that moves, and one for the size of those that come or leave, which is 0 while
//! they are absent. glTF has y upwards: a root node turns the scene's z to it.

use super::mesh::{Mesh, normal_at};
use super::recording::Recording;
use super::run_files::RunFiles;
use nalgebra::Vector3;
use serde_json::{Value, json};
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Shape};
use std::f64::consts::FRAC_1_SQRT_2;
use std::path::Path;

/// Linear RGB colours of bodies that move, taken in turn, and, the last, of bodies that do not.
const COLOURS: [[f64; 3]; 7] = [
    [0.093, 0.456, 0.815],
    [0.791, 0.347, 0.0],
    [0.0, 0.342, 0.171],
    [0.665, 0.112, 0.0],
    [0.604, 0.191, 0.386],
    [0.871, 0.776, 0.054],
    [0.45, 0.45, 0.47],
];
const FIXED: usize = COLOURS.len() - 1;
/// Component type of 32-bit floating-point numbers.
const FLOAT: u32 = 5126;
/// Component type of unsigned 32-bit integers.
const UNSIGNED_INT: u32 = 5125;
/// Buffer target of vertex attributes.
const ARRAY_BUFFER: u32 = 34962;
/// Buffer target of vertex indices.
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Length of the file's head (bytes): "glTF", the version and the length of the file.
const HEAD: usize = 12;

/// Size of a written glTF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GltfFile {
    /// Number of frames of the animation.
    pub frames: usize,
    /// Size of the file (bytes).
    pub bytes: usize,
}

/// Writes the run as one `.glb` file of at most about `most_frames` frames. Half-spaces are squares.
///
/// # Errors
/// When a file of the run cannot be read, or the file cannot be written.
pub fn write_gltf(run: &RunFiles, path: &Path, most_frames: usize) -> Result<GltfFile> {
    let recording = Recording::read(run, most_frames)?;
    let mut document = Document::default();
    document.bodies(run, &recording);
    let animation = document.animation(run, &recording);
    let bytes = document.file(run, animation);
    std::fs::write(path, &bytes).map_err(|source| Error::Io { path: path.to_owned(), source })?;
    Ok(GltfFile { frames: recording.steps.len(), bytes: bytes.len() })
}

#[derive(Default)]
struct Document {
    buffer: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// Meshes in the list: shape, colour and index.
    known: Vec<(Shape, usize, usize)>,
    /// Node of each body, by its id.
    body_nodes: Vec<usize>,
}

impl Document {
    fn bodies(&mut self, run: &RunFiles, recording: &Recording) {
        let identity = Pose::identity();
        for (i, body) in run.scene.bodies.iter().enumerate() {
            let slot = recording.moving.iter().position(|m| *m == i);
            let colour = slot.map_or(FIXED, |k| k % FIXED);
            let mut node = placed(&body.pose);
            node["name"] = json!(body.name);
            // Shapes are placed off the body's frame, which is the animated one: each gets a child node.
            let mut children = Vec::new();
            if let Some(surface) = &body.triangles {
                node["mesh"] = json!(self.mesh_of(&Mesh::of_surface(surface), None, colour));
            }
            if let Some(wall) = Mesh::of_bore(&run.scene, &run.scene.initial_state(), i) {
                node["mesh"] = json!(self.mesh_of(&wall, None, colour));
            }
            let is_drawn = body.triangles.is_some() || body.is_bore();
            let parts = if is_drawn { &[][..] } else { &body.parts };
            for (k, part) in parts.iter().enumerate() {
                let mesh = self.mesh(run, (i, k), colour);
                let is_plane = matches!(part.shape, Shape::HalfSpace { .. });
                if body.parts.len() == 1 && (part.pose == Pose::identity() || is_plane) {
                    node["mesh"] = json!(mesh);
                    continue;
                }
                let mut shape = placed(if is_plane { &identity } else { &part.pose });
                shape["mesh"] = json!(mesh);
                self.nodes.push(shape);
                children.push(self.nodes.len() - 1);
            }
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            self.nodes.push(node);
            self.body_nodes.push(self.nodes.len() - 1);
        }
    }

    /// Index of the mesh of a part of a body, in the shape's frame, or for a half-space in the body's.
    fn mesh(&mut self, run: &RunFiles, (body, part): (usize, usize), colour: usize) -> usize {
        let shape = &run.scene.bodies[body].parts[part].shape;
        if let Some((_, _, place)) = self.known.iter().find(|(s, c, _)| s == shape && *c == colour) {
            return *place;
        }
        let mesh = Mesh::of(shape).unwrap_or_else(|| {
            let world = super::vtk::placed_mesh(&run.scene, &run.scene.initial_state(), body, part);
            let pose = &run.scene.bodies[body].pose;
            let back = pose.orientation.inverse();
            world.placed(&Pose { position: back * -pose.position, orientation: back })
        });
        let place = self.mesh_of(&mesh, Some(shape), colour);
        // A half-space is as large as its scene asks: its mesh is not shared.
        if !matches!(shape, Shape::HalfSpace { .. }) {
            self.known.push((shape.clone(), colour, place));
        }
        place
    }

    /// Adds a mesh to the list and returns its index; `shape` is the one that it stands for.
    fn mesh_of(&mut self, mesh: &Mesh, shape: Option<&Shape>, colour: usize) -> usize {
        let (positions, normals) = flat(mesh, shape);
        let attributes = json!({
            "POSITION": self.vectors(&positions, true),
            "NORMAL": self.vectors(&normals, false),
        });
        let indices = self.indices(positions.len());
        self.meshes.push(json!({
            "primitives": [{ "attributes": attributes, "indices": indices, "material": colour }],
        }));
        self.meshes.len() - 1
    }

    fn animation(&mut self, run: &RunFiles, recording: &Recording) -> Value {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        if recording.times.len() < 2 || recording.moving.is_empty() {
            return Value::Null;
        }
        let times = self.numbers(recording.times.iter().copied(), "SCALAR", true);
        for (slot, body) in recording.moving.iter().enumerate() {
            let node = self.body_nodes[*body];
            let samples = || recording.bodies.iter().map(move |frame| frame[slot]);
            let places = self.numbers(samples().flat_map(|s| [s[0], s[1], s[2]]), "VEC3", false);
            let turns = self.numbers(samples().flat_map(|s| [s[4], s[5], s[6], s[3]]), "VEC4", false);
            let mut outputs = vec![(places, "translation", "LINEAR"), (turns, "rotation", "LINEAR")];
            if run.came_and_left(*body).is_some() {
                let is_there = |step: &usize| if run.is_there(*body, *step) { [1.0; 3] } else { [0.0; 3] };
                let sizes = self.numbers(recording.steps.iter().flat_map(is_there), "VEC3", false);
                outputs.push((sizes, "scale", "STEP"));
            }
            for (output, path, interpolation) in outputs {
                samplers.push(json!({ "input": times, "output": output, "interpolation": interpolation }));
                let sampler = samplers.len() - 1;
                channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
            }
        }
        json!([{ "name": "run", "samplers": samplers, "channels": channels }])
    }

    /// Adds an accessor for corners of triangles.
    fn vectors(&mut self, list: &[Vector3<f64>], bounded: bool) -> usize {
        let place = self.numbers(list.iter().flat_map(|v| [v.x, v.y, v.z]), "VEC3", bounded);
        let view = self.views.len() - 1;
        self.views[view]["target"] = json!(ARRAY_BUFFER);
        place
    }

    /// Adds an accessor of f32, with bounds of each component if `bounded`.
    fn numbers(&mut self, list: impl Iterator<Item = f64>, kind: &str, bounded: bool) -> usize {
        let width = if kind == "SCALAR" { 1 } else { usize::from(kind.as_bytes()[3] - b'0') };
        let list: Vec<f32> = list.map(|x| x as f32).collect();
        let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut accessor = json!({
            "bufferView": self.view(&bytes),
            "componentType": FLOAT,
            "count": list.len() / width,
            "type": kind,
        });
        if bounded {
            let of = |c: usize| list.iter().skip(c).step_by(width).copied();
            let low: Vec<f32> = (0..width).map(|c| of(c).fold(f32::INFINITY, f32::min)).collect();
            let high: Vec<f32> = (0..width).map(|c| of(c).fold(f32::NEG_INFINITY, f32::max)).collect();
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn indices(&mut self, n: usize) -> usize {
        let bytes: Vec<u8> = (0..n as u32).flat_map(|i| i.to_le_bytes()).collect();
        let view = self.view(&bytes);
        self.views[view]["target"] = json!(ELEMENT_ARRAY_BUFFER);
        self.accessors
            .push(json!({ "bufferView": view, "componentType": UNSIGNED_INT, "count": n, "type": "SCALAR" }));
        self.accessors.len() - 1
    }

    /// Appends bytes to the buffer. All numbers have four bytes, so that views stay aligned.
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.buffer.len(), "byteLength": bytes.len() }));
        self.buffer.extend_from_slice(bytes);
        self.views.len() - 1
    }

    /// Assembles the file: head, JSON, buffer, each filled up to four bytes.
    fn file(mut self, run: &RunFiles, animation: Value) -> Vec<u8> {
        let root = json!({
            "name": "z upwards",
            "rotation": [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2],
            "children": self.body_nodes,
        });
        self.nodes.push(root);
        let material = |c: &[f64; 3]| {
            json!({ "pbrMetallicRoughness": {
                "baseColorFactor": [c[0], c[1], c[2], 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
            } })
        };
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("signorini ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [self.nodes.len() - 1] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": COLOURS.iter().map(material).collect::<Vec<Value>>(),
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.buffer.len() }],
            "extras": { "time_step": run.scene.time_step },
        });
        if !animation.is_null() {
            document["animations"] = animation;
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let length = HEAD + 8 + text.len() + 8 + self.buffer.len();
        let mut file = Vec::with_capacity(length);
        file.extend(b"glTF");
        file.extend(2_u32.to_le_bytes());
        file.extend((length as u32).to_le_bytes());
        for (kind, bytes) in [(b"JSON", text), (b"BIN\0", self.buffer)] {
            file.extend((bytes.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(bytes);
        }
        file
    }
}

fn placed(pose: &Pose) -> Value {
    let (p, q) = (&pose.position, pose.orientation.quaternion());
    json!({ "translation": p.as_slice(), "rotation": [q.i, q.j, q.k, q.w] })
}

/// Returns the triangles, each with its own corners, and their normals: of an ellipsoid those of its surface,
/// else those of the face.
fn flat(mesh: &Mesh, shape: Option<&Shape>) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for face in &mesh.faces {
        for k in 1..face.len() - 1 {
            let [a, b, c] = [face[0], face[k], face[k + 1]].map(|v| mesh.points[v]);
            let of_face = (b - a).cross(&(c - a)).normalize();
            for p in [a, b, c] {
                positions.push(p);
                normals.push(shape.and_then(|shape| normal_at(shape, &p)).unwrap_or(of_face));
            }
        }
    }
    (positions, normals)
}
