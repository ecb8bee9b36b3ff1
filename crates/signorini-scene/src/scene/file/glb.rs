//! Triangles from the bytes of .glb and .gltf files.

use super::triangles::Triangles;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::mesh::Mode;
use gltf::{Accessor, Gltf, Node, Primitive, Semantic};
use nalgebra::{Matrix4, Point3};
use std::borrow::Cow;
use std::collections::HashSet;

/// Deepest tree of nodes.
const MAX_DEPTH: usize = 64;
/// Most corners of the triangles of all nodes: a mesh may hang on many.
const MAX_CORNERS: usize = 8_000_000;

/// The meshes of a file's scene with their names, in the frame of the scene.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Triangles)>, String> {
    let file = Gltf::from_slice(bytes).map_err(|e| format!("is not a mesh in glTF format ({e})"))?;
    let blob = file.blob.as_deref();
    let buffers = file.buffers().map(|buffer| match buffer.source() {
        gltf::buffer::Source::Bin => {
            blob.map(Cow::Borrowed).ok_or_else(|| "lacks its binary part".to_owned())
        }
        gltf::buffer::Source::Uri(uri) => embedded(uri).map(Cow::Owned),
    });
    let buffers = buffers.collect::<Result<Vec<_>, String>>()?;
    let scene = file.default_scene().or_else(|| file.scenes().next());
    let mut reader =
        Reader { buffers, length: bytes.len(), seen: HashSet::new(), n_corners: 0, found: Vec::new() };
    for node in scene.iter().flat_map(gltf::Scene::nodes) {
        reader.add_node(&node, &Matrix4::identity(), MAX_DEPTH)?;
    }
    Ok(reader.found)
}

fn embedded(uri: &str) -> Result<Vec<u8>, String> {
    let data = uri.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let Some((_, data)) = data else {
        return Err(format!("keeps its numbers at {uri:?}, which is no file beside it"));
    };
    STANDARD.decode(data).map_err(|e| format!("has a buffer that is not base64 ({e})"))
}

struct Reader<'a> {
    buffers: Vec<Cow<'a, [u8]>>,
    /// Bytes of the file.
    length: usize,
    /// Nodes that were read.
    seen: HashSet<usize>,
    n_corners: usize,
    found: Vec<(String, Triangles)>,
}

impl Reader<'_> {
    /// Adds the triangles of a node and those below it.
    fn add_node(&mut self, node: &Node<'_>, above: &Matrix4<f64>, depth: usize) -> Result<(), String> {
        // A node that hangs on several may be there more often than anyone can count.
        if !self.seen.insert(node.index()) {
            return Err(format!("node {} hangs on two nodes: nodes must be a tree", node.index()));
        }
        if depth == 0 {
            return Err(format!(
                "node {}: nodes hang on each other more than {MAX_DEPTH} deep",
                node.index()
            ));
        }
        let own = node.transform().matrix();
        let frame = above * Matrix4::from_fn(|row, column| f64::from(own[column][row]));
        if let Some(mesh) = node.mesh() {
            let mut all = Triangles { points: Vec::new(), triangles: Vec::new() };
            for primitive in mesh.primitives() {
                self.add_primitive(&primitive, &frame, &mut all)?;
            }
            let name = node.name().or(mesh.name()).unwrap_or_default();
            self.found.push((name.to_owned(), all));
        }
        node.children().try_for_each(|child| self.add_node(&child, &frame, depth - 1))
    }

    fn add_primitive(
        &mut self,
        primitive: &Primitive<'_>,
        frame: &Matrix4<f64>,
        all: &mut Triangles,
    ) -> Result<(), String> {
        let mode = primitive.mode();
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let places = primitive.get(&Semantic::Positions);
        for accessor in places.iter().chain(&primitive.indices()) {
            self.check_count(accessor)?;
        }
        let reader = primitive.reader(|buffer| self.buffers.get(buffer.index()).map(|bytes| &**bytes));
        let Some(positions) = reader.read_positions() else { return Ok(()) };
        let first = all.points.len();
        let placed = |p: [f32; 3]| frame.transform_point(&Point3::from(p.map(f64::from))).coords;
        all.points.extend(positions.map(placed));
        let corners: Vec<usize> = match reader.read_indices() {
            Some(indices) => indices.into_u32().map(|v| first + v as usize).collect(),
            None => (first..all.points.len()).collect(),
        };
        // A reflection inverts the order of the corners of triangles.
        let is_turned = frame.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let triangle = |t: &[usize]| if is_turned { [t[0], t[2], t[1]] } else { [t[0], t[1], t[2]] };
        all.triangles.extend(triangles_of(mode, &corners).iter().map(|t| triangle(t)));
        Ok(())
    }

    /// Checks the number of items of an accessor, which need not stand in the file: where it says nothing
    /// else they are zero.
    fn check_count(&mut self, accessor: &Accessor<'_>) -> Result<(), String> {
        let (index, count) = (accessor.index(), accessor.count());
        if count > self.length {
            let length = self.length;
            return Err(format!("accessor {index}: {count} items are announced in a file of {length} bytes"));
        }
        self.n_corners += count;
        if self.n_corners > MAX_CORNERS {
            return Err(format!("has more than {MAX_CORNERS} corners, its copies of meshes included"));
        }
        Ok(())
    }
}

/// The triangles of a list of corners. Every other one of a strip is turned round; strips that hang together
/// by a repeated corner have triangles without area there, which are left out.
fn triangles_of(mode: Mode, corners: &[usize]) -> Vec<[usize; 3]> {
    let is_triangle = |t: &[usize; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    match mode {
        Mode::TriangleStrip => {
            let at = |(i, t): (usize, &[usize])| match i % 2 {
                0 => [t[0], t[1], t[2]],
                _ => [t[0], t[2], t[1]],
            };
            corners.windows(3).enumerate().map(at).filter(is_triangle).collect()
        }
        Mode::TriangleFan => {
            let rim = corners.get(1..).unwrap_or_default();
            rim.windows(2).map(|t| [t[0], t[1], corners[0]]).filter(is_triangle).collect()
        }
        _ => corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    }
}
