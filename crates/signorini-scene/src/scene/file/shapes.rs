//! Shapes, from the file's tables to [`Shape`], and the meshes that they name.

use super::decompose::{Decomposed, decomposed};
use super::hollow_cylinder::hollow_cylinder;
use super::mesh_bytes;
use super::mesh_scale::mesh_scale;
use super::meshes::MeshFolder;
use super::raw_shapes::{MeshScale, ShapeEntry};
use super::report::Check;
use super::triangles::Triangles;
use nalgebra::Vector3;
use signorini_geometry::hull::{HullFault, LARGEST_RATIO, MAX_CORNERS, Simplified, welded};
use signorini_geometry::{Polytope, Shape};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Shapes much larger or smaller than this are in the wrong unit.
pub const LENGTHS: (f64, f64) = (1e-9, 1e9);
/// A mesh that fills less of its hull than this is not convex.
const CONVEX: f64 = 1.0 - 1e-5;
/// A centre of mass farther from the origin of the given points than this fraction of the size is worth a
/// note.
const SHIFTED: f64 = 1e-9;
/// Vertices of a polytope nearer than this fraction of its radius are the same.
const SAME_VERTEX: f64 = 1e-9;

/// The meshes of a scene, each read once.
#[derive(Debug)]
pub struct Meshes {
    folder: MeshFolder,
    known: HashMap<(String, [u64; 3]), (Shape, Vector3<f64>)>,
    several: HashMap<String, Decomposed>,
    remarks: Vec<MeshRemark>,
}

/// A remark about the hull of a mesh file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshRemark {
    /// The file, as the scene names it.
    pub file: String,
    /// The remark, which begins with the file.
    pub text: String,
}

impl Meshes {
    /// Meshes in the folder of a scene file, or anywhere.
    pub fn beside(scene_file: &Path, allow_outside: bool) -> Self {
        let folder = MeshFolder::beside(scene_file, allow_outside);
        Self { folder, known: HashMap::new(), several: HashMap::new(), remarks: Vec::new() }
    }

    /// Remarks about the hulls so far, each once.
    pub fn remarks(&self) -> &[MeshRemark] {
        &self.remarks
    }

    /// The triangles of a mesh file, open or closed; the error describes the fault.
    pub fn triangles(&self, file: &str) -> Result<Triangles, String> {
        let (bytes, extension) = self.folder.read(file)?;
        mesh_bytes::read_open(&bytes, &extension)
    }

    /// A shape of several parts; `field` is where it stands. A mesh is decomposed once. None after a fault.
    pub fn decomposed(&mut self, entry: &ShapeEntry, field: &str, check: &mut Check) -> Option<Decomposed> {
        if let ShapeEntry::HollowCylinder { .. } = entry {
            let found = hollow_cylinder(entry, field, check)?;
            return has_proportions(&lengths(&found.shapes[0].0), field, check).then_some(found);
        }
        let key = format!("{entry:?}");
        if let Some(known) = self.several.get(&key) {
            return Some(known.clone());
        }
        let found = decomposed(entry, field, &self.folder, check)?;
        self.several.insert(key, found.clone());
        Some(found)
    }
}

/// Half lengths of a shape along its axes (m): those of the box with the same moments for a polytope.
fn lengths(shape: &Shape) -> Vector3<f64> {
    match shape {
        Shape::Ellipsoid { semi_axes } => *semi_axes,
        Shape::HalfSpace { .. } => Vector3::repeat(1.0),
        Shape::Bore { radius, .. } => Vector3::repeat(*radius),
        Shape::Polytope(polytope) => polytope.equivalent_box(),
        Shape::Cylinder { radius, half_length } | Shape::Capsule { radius, half_length } => {
            Vector3::new(*radius, *radius, *half_length)
        }
    }
}

/// Whether all lengths (m) of a shape, times `factor`, are within the range of sizes.
pub fn is_size(shape: &Shape, factor: f64) -> bool {
    let lengths = lengths(shape) * factor;
    lengths.min() >= LENGTHS.0 && lengths.max() <= LENGTHS.1
}

/// A shape; `field` is its place. Points are moved so that the centre of mass is at the origin, which is
/// noted.
pub fn shape(entry: &ShapeEntry, field: &str, meshes: &mut Meshes, check: &mut Check) -> Shape {
    let n_read = meshes.known.len();
    let (shape, center) = shape_about_origin(entry, field, meshes, check);
    // A mesh that was read before was noted before.
    let is_new = !matches!(entry, ShapeEntry::Mesh { .. }) || meshes.known.len() > n_read;
    if is_new && center.norm() > SHIFTED * shape.size().unwrap_or(0.0) {
        let center = <[f64; 3]>::from(center);
        let remark = format!(
            "moved so that the centre of mass, {center:?} m in these coordinates, is the body's origin"
        );
        check.note(&point_field(entry, field), remark);
    }
    shape
}

/// Field that gives the points of a shape.
fn point_field(entry: &ShapeEntry, field: &str) -> String {
    let name = if matches!(entry, ShapeEntry::Mesh { .. }) { "file" } else { "vertices" };
    format!("{field}.{name}")
}

/// A shape about its centre of mass, and the place of this centre in the frame of the points (m).
pub fn shape_about_origin(
    entry: &ShapeEntry,
    field: &str,
    meshes: &mut Meshes,
    check: &mut Check,
) -> (Shape, Vector3<f64>) {
    let at_origin = |shape: Shape| (shape, Vector3::zeros());
    let (shape, center) = match entry {
        ShapeEntry::Ellipsoid { semi_axes } => {
            let semi_axes = check.positive_vector(&format!("{field}.semi_axes"), *semi_axes);
            at_origin(Shape::Ellipsoid { semi_axes })
        }
        ShapeEntry::Sphere { radius } => {
            let radius = check.positive(&format!("{field}.radius"), *radius);
            at_origin(Shape::Ellipsoid { semi_axes: Vector3::repeat(radius) })
        }
        ShapeEntry::HalfSpace { normal, offset } => {
            let normal = check.direction(&format!("{field}.normal"), *normal);
            let offset = check.finite(&format!("{field}.offset"), *offset);
            return at_origin(Shape::HalfSpace { normal, offset });
        }
        ShapeEntry::Bore { radius } => {
            at_origin(Shape::Bore { radius: check.positive(&format!("{field}.radius"), *radius), corner: 0 })
        }
        ShapeEntry::Box { half_extents } => {
            let half_extents = check.positive_vector(&format!("{field}.half_extents"), *half_extents);
            if !has_proportions(&half_extents, field, check) {
                return at_origin(stand_in());
            }
            at_origin(Shape::Polytope(Arc::new(Polytope::box_(half_extents))))
        }
        ShapeEntry::Polytope { vertices } => match polytope(vertices, field, check) {
            Some(found) => found,
            None => return at_origin(stand_in()),
        },
        ShapeEntry::Mesh { file, scale, .. } => match mesh(file, *scale, field, meshes, check) {
            Some(found) => found,
            None => return at_origin(stand_in()),
        },
        ShapeEntry::Surface { .. } => {
            check.fault(field, "surface", "a surface is the shape of a body that is fixed or driven");
            return at_origin(stand_in());
        }
        ShapeEntry::Capsule { radius, length } => at_origin(Shape::Capsule {
            radius: check.positive(&format!("{field}.radius"), *radius),
            half_length: check.positive(&format!("{field}.length"), *length) / 2.0,
        }),
        ShapeEntry::HollowCylinder { .. } => {
            check.fault(field, "hollow_cylinder", "must be one convex shape; this one is made of staves");
            return at_origin(stand_in());
        }
        ShapeEntry::Cylinder { radius, length } => at_origin(Shape::Cylinder {
            radius: check.positive(&format!("{field}.radius"), *radius),
            half_length: check.positive(&format!("{field}.length"), *length) / 2.0,
        }),
    };
    has_proportions(&lengths(&shape), field, check);
    (shape, center)
}

/// The stand-in of a faulty shape, with which the rest of the file is still checked.
pub fn stand_in() -> Shape {
    Shape::Ellipsoid { semi_axes: Vector3::repeat(1.0) }
}

/// Whether the (half) lengths are of a size and a proportion that double precision can take.
fn has_proportions(lengths: &Vector3<f64>, field: &str, check: &mut Check) -> bool {
    let value = || format!("{:?}", <[f64; 3]>::from(*lengths));
    if lengths.min() < LENGTHS.0 || lengths.max() > LENGTHS.1 {
        check.fault(field, value(), format!("lengths must be {:e} to {:e} m", LENGTHS.0, LENGTHS.1));
        return false;
    }
    // A hull that was accepted is not refused for the rounding of its moments.
    if lengths.max() > 1.01 * LARGEST_RATIO * lengths.min() {
        check.fault(field, value(), format!("no semi-axis may exceed {LARGEST_RATIO:e} times another"));
        return false;
    }
    true
}

fn polytope(vertices: &[[f64; 3]], field: &str, check: &mut Check) -> Option<(Shape, Vector3<f64>)> {
    let field = format!("{field}.vertices");
    let points: Vec<Vector3<f64>> = vertices.iter().map(|v| Vector3::from(*v)).collect();
    if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.abs() <= LENGTHS.1)) {
        let allowed = format!("must be three finite numbers (magnitude at most {:e})", LENGTHS.1);
        check.fault(&format!("{field}[{i}]"), format!("{:?}", vertices[i]), allowed);
        return None;
    }
    let first = points.first().copied().unwrap_or_default();
    let (low, high) = points.iter().fold((first, first), |(l, h), p| (l.inf(p), h.sup(p)));
    let same = welded(&points, SAME_VERTEX * (high - low).norm() / 2.0);
    if let Some((i, first)) = same.into_iter().enumerate().find(|(i, first)| i != first) {
        let allowed = format!("must differ from the others; it is the same as vertices[{first}]");
        check.fault(&format!("{field}[{i}]"), format!("{:?}", vertices[i]), allowed);
        return None;
    }
    let hull = Polytope::hull(&points);
    let value = format!("{} vertices", points.len());
    let hull = hull.map_err(|fault: HullFault| check.fault(&field, value, fault.to_string())).ok()?;
    let dropped = points.len() - hull.corners.len();
    if dropped > 0 {
        check.note(
            &field,
            format!("{dropped} of {} are not corners of the hull and were dropped", points.len()),
        );
    }
    Some((Shape::Polytope(Arc::new(hull.polytope)), hull.center_of_mass))
}

fn mesh(
    file: &str,
    scale: MeshScale,
    field: &str,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Option<(Shape, Vector3<f64>)> {
    let scale = mesh_scale(scale, &format!("{field}.scale"), check);
    let key = (file.to_owned(), [scale.x, scale.y, scale.z].map(f64::to_bits));
    if let Some(known) = meshes.known.get(&key) {
        return Some(known.clone());
    }
    let field = format!("{field}.file");
    let mesh = match meshes.triangles(file) {
        Ok(mesh) => mesh.scaled(&scale).mended(),
        Err(allowed) => {
            check.fault(&field, format!("{file:?}"), allowed);
            return None;
        }
    };
    let mut remarks: Vec<String> =
        mesh.remark().into_iter().map(|what| format!("{file:?}: {what}")).collect();
    let mesh = mesh.mesh;
    let found = Polytope::hull_of_any(&mesh.points);
    let found = found.map_err(|fault| check.fault(&field, format!("{file:?}"), fault.to_string()));
    let Simplified { hull, distance } = found.ok()?;
    if distance > 0.0 {
        remarks.push(format!(
            "{file:?}: the convex hull has more than {MAX_CORNERS} corners or faces that hardly differ: that of {} of \
             its corners is used, outside of which the others are by at most {distance:.2e} m",
            hull.corners.len()
        ));
    }
    let n_open = mesh.n_open_sides();
    let filled = mesh.volume() / hull.polytope.volume;
    if n_open > 0 {
        remarks.push(format!(
            "{file:?} is not closed ({n_open} sides of faces have no partner): its convex hull is used, solid"
        ));
    } else if filled < CONVEX && distance == 0.0 {
        remarks
            .push(format!("{file:?} is not convex: its convex hull is used, of which it fills {filled:.4}"));
    }
    for text in remarks {
        check.note(&field, &text);
        meshes.remarks.push(MeshRemark { file: file.to_owned(), text });
    }
    let found = (Shape::Polytope(Arc::new(hull.polytope)), hull.center_of_mass);
    meshes.known.insert(key, found.clone());
    Some(found)
}
