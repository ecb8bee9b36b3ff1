//! Words and entries of a scene file before they are resolved.

use super::raw::SceneFile;
use super::raw_grains::FillEntry;
use super::raw_shapes::ShapeEntry;
use super::raw_table::BodyTableEntry;

/// The words and entries of a scene file that a resolved scene has no more.
#[derive(Debug, Clone, Default)]
pub struct FileEntries {
    /// Type of the shape of each `[[body]]`, in their order.
    pub shapes: Vec<&'static str>,
    /// Containers: name and number of walls.
    pub containers: Vec<(String, usize)>,
    /// Drums, hoppers, heightfields and helices: kind and name.
    pub walls: Vec<(&'static str, String)>,
    /// Bowls: name, and where they drive parts, if they do.
    pub bowls: Vec<(String, Option<String>)>,
    /// Arches: name and number of stones.
    pub arches: Vec<(String, u32)>,
    /// Tables of bodies: name, file, and names of the shapes.
    pub tables: Vec<(String, String, Vec<String>)>,
    /// Fills.
    pub fills: Vec<WrittenFill>,
    /// Materials of each `[[friction]]`; None for the entry of all other pairs.
    pub friction: Vec<Option<[String; 2]>>,
}

/// A `[[fill]]`.
#[derive(Debug, Clone)]
pub struct WrittenFill {
    /// First part of the bodies' names, before their numbers.
    pub name: String,
    /// Number of bodies.
    pub count: usize,
    /// Types of the shapes.
    pub shapes: Vec<&'static str>,
}

impl FileEntries {
    /// The words and entries of a file.
    pub fn of(file: &SceneFile) -> Self {
        Self {
            shapes: file.body.iter().map(|body| body.shape.as_ref().map_or("compound", word)).collect(),
            containers: file.container.iter().map(|c| (c.name.clone(), if c.lid { 6 } else { 5 })).collect(),
            walls: walls(file).collect(),
            bowls: file.bowl.iter().map(|e| (e.name.clone(), e.conveying())).collect(),
            arches: file.arch.iter().map(|e| (e.name.clone(), e.stones)).collect(),
            tables: file.bodies.iter().map(table).collect(),
            fills: file.fill.iter().map(fill).collect(),
            friction: file.friction.iter().map(|f| f.between.clone()).collect(),
        }
    }
}

fn walls(file: &SceneFile) -> impl Iterator<Item = (&'static str, String)> + '_ {
    let drums = file.drum.iter().map(|e| ("drum", e.name.clone()));
    let hoppers = file.hopper.iter().map(|e| ("hopper", e.name.clone()));
    let heightfields = file.heightfield.iter().map(|e| ("heightfield", e.name.clone()));
    let helices = file.helix.iter().map(|e| ("helix", e.name.clone()));
    drums.chain(hoppers).chain(heightfields).chain(helices)
}

fn table(table: &BodyTableEntry) -> (String, String, Vec<String>) {
    let shapes = table.shapes.iter().map(|shape| shape.name.clone());
    (table.name.clone(), table.file.clone(), shapes.collect())
}

fn fill(fill: &FillEntry) -> WrittenFill {
    let listed = fill.shape.iter().chain(fill.shapes.iter().filter_map(|s| s.shape.as_ref()));
    WrittenFill {
        name: fill.name.clone(),
        count: usize::try_from(fill.count).unwrap_or(usize::MAX),
        shapes: listed.map(word).collect(),
    }
}

fn word(shape: &ShapeEntry) -> &'static str {
    match shape {
        ShapeEntry::Ellipsoid { .. } => "ellipsoid",
        ShapeEntry::Sphere { .. } => "sphere",
        ShapeEntry::Box { .. } => "box",
        ShapeEntry::Polytope { .. } => "polytope",
        ShapeEntry::Mesh { .. } => "mesh",
        ShapeEntry::Cylinder { .. } => "cylinder",
        ShapeEntry::Capsule { .. } => "capsule",
        ShapeEntry::HollowCylinder { .. } => "hollow_cylinder",
        ShapeEntry::Surface { .. } => "surface",
        ShapeEntry::HalfSpace { .. } => "half_space",
        ShapeEntry::Bore { .. } => "bore",
    }
}
