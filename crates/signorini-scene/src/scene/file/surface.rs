//! Surfaces of triangles, from the file's tables to the parts of a body.

use super::mended::Mended;
use super::part_properties::PartProperties;
use super::raw::BodyEntry;
use super::raw_defaults::no_rotation;
use super::raw_shapes::ShapeEntry;
use super::report::Check;
use super::shapes::{LENGTHS, Meshes};
use super::triangles::Triangles;
use crate::scene::body::Part;
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::hull::LARGEST_RATIO;
use signorini_geometry::surface::{Cells, Repairs, SurfaceFault};
use signorini_geometry::{Pose, Shape, Surface};
use std::sync::Arc;

/// Most triangles of a surface: a gigabyte of memory for each hundred thousand.
const MAX_TRIANGLES: usize = 500_000;

/// A surface and the cells behind its triangles.
pub struct Triangulated {
    /// The surface.
    pub surface: Arc<Surface>,
    /// Its cells.
    pub parts: Vec<Part>,
}

/// Points and triangles as they were read, before a surface is made of them.
struct RawSurface {
    points: Vec<Vector3<f64>>,
    triangles: Vec<[usize; 3]>,
    /// Number of triangles that were there before, left out already.
    repeated: usize,
    /// The field that gives the points and triangles, and its value.
    field: &'static str,
    value: String,
}

/// The surface of a body. None after a fault.
pub fn triangulated(
    e: &BodyEntry,
    shape: &ShapeEntry,
    properties: &PartProperties,
    meshes: &Meshes,
    check: &mut Check,
) -> Option<Triangulated> {
    let ShapeEntry::Surface { thickness, .. } = shape else { return None };
    for (field, given) in [
        ("shape_position", e.shape_position != [0.0; 3]),
        ("shape_orientation", e.shape_orientation != no_rotation()),
    ] {
        if given {
            check.fault(field, "given", "the triangles of a surface are given in the frame of the body");
        }
    }
    let thickness = check.positive("shape.thickness", *thickness);
    let given = given(shape, meshes, check)?;
    let field = format!("shape.{}", given.field);
    let fault = |check: &mut Check, fault: SurfaceFault| {
        check.fault(&field, &given.value, fault.to_string());
    };
    let made = Surface::new(&given.points, &given.triangles, thickness);
    let (surface, numbers, repairs) = made.map_err(|error| fault(check, error)).ok()?;
    if !is_of_a_size(&surface, check) {
        return None;
    }
    let cells = surface.cells().map_err(|error| fault(check, error.numbered(&numbers))).ok()?;
    let repairs = Repairs { repeated: repairs.repeated + given.repeated, ..repairs };
    remarks(&field, &surface, &cells, repairs, check);
    let part = |(polytope, position)| Part {
        shape: Shape::Polytope(Arc::new(polytope)),
        pose: Pose { position, orientation: UnitQuaternion::identity() },
        material: properties.material,
        surface: properties.surface,
    };
    let parts = cells.solids.into_iter().map(part).collect();
    Some(Triangulated { surface: Arc::new(surface), parts })
}

fn given(shape: &ShapeEntry, meshes: &Meshes, check: &mut Check) -> Option<RawSurface> {
    let ShapeEntry::Surface { file, scale, vertices, triangles, .. } = shape else { return None };
    let scale = check.positive("shape.scale", *scale);
    let is_listed = !vertices.is_empty() || !triangles.is_empty();
    let found = match (file, is_listed) {
        (Some(file), false) => match meshes.triangles(file) {
            Ok(mesh) => {
                let is_small = mesh.triangles.len() <= MAX_TRIANGLES;
                let found = if is_small { mesh.mended() } else { Mended { mesh, repeated: 0, turned: 0 } };
                let repeated = found.repeated;
                if let Some(remark) = found.remark().filter(|_| found.turned > 0) {
                    check.note("shape.file", format!("{file:?}: {remark}"));
                }
                let Triangles { points, triangles } = found.mesh.scaled(&Vector3::repeat(scale));
                RawSurface { points, triangles, repeated, field: "file", value: format!("{file:?}") }
            }
            Err(allowed) => {
                check.fault("shape.file", format!("{file:?}"), allowed);
                return None;
            }
        },
        (None, true) => RawSurface {
            points: vertices.iter().map(|v| Vector3::from(*v) * scale).collect(),
            triangles: triangles.iter().map(|t| t.map(|v| v as usize)).collect(),
            repeated: 0,
            field: "triangles",
            value: format!("{} triangles", triangles.len()),
        },
        (file, _) => {
            let value = if file.is_some() { "given" } else { "absent" };
            check.fault("shape.file", value, "give either a file or both vertices and triangles");
            return None;
        }
    };
    if found.triangles.len() > MAX_TRIANGLES {
        let allowed = format!("has {} triangles; at most {MAX_TRIANGLES} are taken", found.triangles.len());
        check.fault(&format!("shape.{}", found.field), found.value, allowed);
        return None;
    }
    Some(found)
}

/// Whether all lengths are such that double precision can take them.
fn is_of_a_size(surface: &Surface, check: &mut Check) -> bool {
    let sides = surface.triangles.iter().flat_map(|t| {
        [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (surface.points[t[b]] - surface.points[t[a]]).norm())
    });
    let longest = sides.fold(0.0, f64::max);
    let farthest = surface.points.iter().map(|p| p.amax()).fold(0.0, f64::max);
    if longest < LENGTHS.0 || farthest > LENGTHS.1 {
        let value = format!("sides up to {longest:e} m, corners up to {farthest:e} m away");
        check.fault("shape", value, format!("lengths must be {:e} to {:e} m", LENGTHS.0, LENGTHS.1));
        return false;
    }
    if surface.thickness * LARGEST_RATIO < longest {
        let allowed = format!("must be the longest side, {longest:e} m, over {LARGEST_RATIO:e} or more");
        check.fault("shape.thickness", format!("{:?}", surface.thickness), allowed);
        return false;
    }
    true
}

/// Notes repairs and thin cells of a surface, which a user would not expect.
fn remarks(field: &str, surface: &Surface, cells: &Cells, repairs: Repairs, check: &mut Check) {
    let Repairs { flat, repeated } = repairs;
    if flat + repeated > 0 {
        let remark =
            format!("{flat} triangles without an area and {repeated} that were there before were left out");
        check.note(field, remark);
    }
    let (n, least) = cells.thinner;
    if n > 0 {
        let remark = format!(
            "behind {n} of {} triangles the solid is less thick than {} m, down to {:.3e} m: others lie close behind",
            surface.triangles.len(),
            surface.thickness,
            least * surface.thickness
        );
        check.note("shape.thickness", remark);
    }
}
