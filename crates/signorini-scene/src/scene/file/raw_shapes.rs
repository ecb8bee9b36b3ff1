//! Shapes as written in a scene file.
//!
//! The doc comments are the descriptions of the published JSON schema.

use super::raw_defaults::{one, staves};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shape in its own frame.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeEntry {
    /// { x : Σ (x_i / a_i)² ≤ 1 }.
    Ellipsoid {
        /// Semi-axes a (m), > 0.
        semi_axes: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius (m), > 0.
        radius: f64,
    },
    /// { x : |x_i| ≤ half_extents_i }.
    Box {
        /// Half lengths along the shape's x, y, z (m), > 0.
        half_extents: [f64; 3],
    },
    /// The convex hull of points, moved so that its centre of mass is at the origin of the shape frame.
    Polytope {
        /// Points (m), 4 to 100000, no two the same.
        vertices: Vec<[f64; 3]>,
    },
    /// A closed mesh as one convex shape or several, moved so that its centre of mass is at the origin of the
    /// shape frame (not as a part of a body).
    Mesh {
        /// An .obj, .stl, .ply, .dae, .glb, .gltf or .msh file, relative to the folder of the scene file.
        /// With `convex = "pieces"` also a folder of such files.
        file: String,
        /// Factor on the file's coordinates (m per unit), > 0; or one for each axis, not 0, where a negative
        /// one mirrors the mesh. Default: 1.
        #[serde(default)]
        scale: MeshScale,
        /// The convex shapes made of the mesh.
        #[serde(default, skip_serializing_if = "MeshConvex::is_hull")]
        convex: MeshConvex,
        /// With `convex = "decompose"`: voxels along the longest side, 16 to 400. Default: 64.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolution: Option<u32>,
        /// With `convex = "decompose"`: volume that a part may leave unfilled in its hull, over the volume of
        /// the hull of the whole mesh, 1e-4 to 1. Default: 0.01.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        concavity: Option<f64>,
    },
    /// { x : x² + y² ≤ radius², |z| ≤ length / 2 }.
    Cylinder {
        /// Radius (m), > 0.
        radius: f64,
        /// Length along the axis, z of the shape frame (m), > 0.
        length: f64,
    },
    /// All points within `radius` of a straight line along z of the shape frame, centred.
    Capsule {
        /// Radius (m), > 0.
        radius: f64,
        /// Length of the line: distance of the centres of the two ends (m), > 0.
        length: f64,
    },
    /// A hollow cylinder about z of the shape frame, centred and open at both ends, of flat staves. Its
    /// volume and that of its bore are those of the round ones.
    HollowCylinder {
        /// Outer radius (m), > 0.
        radius: f64,
        /// Radius of the bore (m), > 0, less than `radius`.
        inner_radius: f64,
        /// Length along the axis (m), > 0.
        length: f64,
        /// Staves around the axis, 3 to 360, each a part.
        #[serde(default = "staves")]
        facets: u32,
    },
    /// A surface of triangles, open or closed, as a solid of a thickness behind them. Of a body that is fixed
    /// or driven, not of a part.
    Surface {
        /// How thick the solid is (m), > 0. Less where other triangles lie behind.
        thickness: f64,
        /// A mesh file, relative to the folder of the scene file. Either this or `vertices` and `triangles`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Factor on coordinates (m per unit), > 0.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        scale: f64,
        /// Corners (m).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        vertices: Vec<[f64; 3]>,
        /// Three corners of each triangle, counted from 0, counter-clockwise seen from outside.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        triangles: Vec<[u32; 3]>,
    },
    /// { x : normal·x ≤ offset }. Always fixed.
    HalfSpace {
        /// Outer normal, out of the solid; only its direction counts.
        normal: [f64; 3],
        /// Signed distance of the plane from the origin along the normal (m).
        offset: f64,
    },
    /// { x : x² + y² ≥ radius² }: a smooth wall around bodies, about z of the shape frame, without end. Of a
    /// body that is fixed or driven, not of a part.
    Bore {
        /// Radius (m), > 0.
        radius: f64,
    },
}

/// Factors on the coordinates of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MeshScale {
    /// One for all axes.
    Even(f64),
    /// One for each axis.
    Each([f64; 3]),
}

impl Default for MeshScale {
    fn default() -> Self {
        Self::Even(1.0)
    }
}

impl From<f64> for MeshScale {
    fn from(scale: f64) -> Self {
        Self::Even(scale)
    }
}

impl From<[f64; 3]> for MeshScale {
    fn from(scale: [f64; 3]) -> Self {
        Self::Each(scale)
    }
}

/// Convex shapes made of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeshConvex {
    /// Its convex hull.
    #[default]
    Hull,
    /// Convex parts that fill it, found by V-HACD.
    Decompose,
    /// The convex hulls of the objects and groups of an .obj file, or of all meshes of a folder.
    Pieces,
}

impl MeshConvex {
    fn is_hull(&self) -> bool {
        *self == Self::Hull
    }
}

fn is_one(factor: &f64) -> bool {
    *factor == 1.0
}
