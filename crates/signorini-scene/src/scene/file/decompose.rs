//! Meshes as several convex solids.

use super::mesh_bytes;
use super::mesh_scale::mesh_scale;
use super::meshes::MeshFolder;
use super::part_overlaps::overlaps;
use super::raw_shapes::{MeshConvex, ShapeEntry};
use super::report::Check;
use super::triangles::Triangles;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use parry3d_f64::math::Vector3 as ParryVector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use signorini_geometry::hull::Hull;
use signorini_geometry::{Polytope, Pose, Shape};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Fewest and most voxels along the longest side of a mesh that is decomposed.
const RESOLUTION: (u32, u32) = (16, 400);
const DEFAULT_RESOLUTION: u32 = 64;
/// Least and largest concavity that may be left.
const CONCAVITY: (f64, f64) = (1e-4, 1.0);
const DEFAULT_CONCAVITY: f64 = 0.01;
/// Most triangles of a mesh that is decomposed.
const MAX_TRIANGLES: usize = 1_000_000;
/// Most parts of a mesh.
const MAX_PARTS: usize = 10_000;
/// A mesh that fills this fraction of its hull is convex.
const ALL_CONVEX: f64 = 1.0 - 1e-5;
/// A piece that fills less of its hull than this is not convex.
const CONVEX: f64 = 0.99;
/// A solid encloses more than the first and no more than the second of the volume of its hull.
const SOLID: (f64, f64) = (1e-9, 1.0 + 1e-3);
/// Fraction of a mesh that its parts may lack: where they lack more, the mesh crosses itself.
const MISSING: f64 = 0.02;
/// Parts of less than this fraction of the whole volume are left out: slivers between voxels.
const SMALLEST_PART: f64 = 1e-6;

/// A solid of several convex parts, with its mass properties at a density of 1 kg/m³.
#[derive(Debug, Clone)]
pub struct Decomposed {
    /// The parts, each about its centre of mass, with that centre in the frame of the mesh (m).
    pub shapes: Vec<(Shape, Vector3<f64>)>,
    /// Volume (m³).
    pub volume: f64,
    /// Centre of mass in the frame of the mesh (m).
    pub center: Vector3<f64>,
    /// Inertia tensor about the centre of mass (m⁵).
    pub inertia: Matrix3<f64>,
}

/// Whether a shape becomes several.
pub fn is_several(entry: &ShapeEntry) -> bool {
    use MeshConvex::{Decompose, Pieces};
    matches!(entry, ShapeEntry::HollowCylinder { .. } | ShapeEntry::Mesh { convex: Decompose | Pieces, .. })
}

/// The parts of a mesh that becomes several; `field` is where the shape stands. None after a fault.
pub fn decomposed(
    entry: &ShapeEntry,
    field: &str,
    meshes: &MeshFolder,
    check: &mut Check,
) -> Option<Decomposed> {
    let ShapeEntry::Mesh { file, scale, convex, resolution, concavity } = entry else { return None };
    let scale = mesh_scale(*scale, &format!("{field}.scale"), check);
    let fault = |check: &mut Check, allowed: String| {
        check.fault(&format!("{field}.file"), format!("{file:?}"), allowed);
        None
    };
    if *convex == MeshConvex::Pieces {
        return match meshes.objects(file) {
            Ok(objects) => {
                let scaled = |(name, mesh): (String, Triangles)| (name, mesh.scaled(&scale));
                let objects: Vec<_> = objects.into_iter().map(scaled).collect();
                of_pieces(&objects, field, check)
            }
            Err(allowed) => fault(check, allowed),
        };
    }
    let resolution = resolution.unwrap_or(DEFAULT_RESOLUTION);
    let concavity = concavity.unwrap_or(DEFAULT_CONCAVITY);
    if !(RESOLUTION.0..=RESOLUTION.1).contains(&resolution) {
        let allowed = format!("must be {} to {}", RESOLUTION.0, RESOLUTION.1);
        check.fault(&format!("{field}.resolution"), resolution, allowed);
        return None;
    }
    if !(CONCAVITY.0..=CONCAVITY.1).contains(&concavity) {
        let allowed = format!("must be {:e} to {}", CONCAVITY.0, CONCAVITY.1);
        check.fault(&format!("{field}.concavity"), format!("{concavity:?}"), allowed);
        return None;
    }
    let read = meshes.read(file).and_then(|(bytes, extension)| mesh_bytes::read(&bytes, &extension));
    let mesh = match read {
        Ok(found) if found.mesh.triangles.len() > MAX_TRIANGLES => {
            let n = found.mesh.triangles.len();
            return fault(check, format!("has {n} triangles; at most {MAX_TRIANGLES} are decomposed"));
        }
        Ok(found) => {
            if let Some(remark) = found.remark() {
                check.note(&format!("{field}.file"), format!("{file:?}: {remark}"));
            }
            found.mesh.scaled(&scale)
        }
        Err(allowed) => return fault(check, allowed),
    };
    let whole = Polytope::hull(&mesh.points).ok();
    if let Some(allowed) = whole.as_ref().and_then(|hull| no_solid(&mesh, hull)) {
        return fault(check, allowed);
    }
    // Voxels would cut a convex mesh, too.
    let convex = whole.filter(|hull| mesh.volume() >= ALL_CONVEX * hull.polytope.volume);
    let Some(hulls) = convex.map(|hull| vec![hull]).or_else(|| cut(&mesh, resolution, concavity)) else {
        return fault(check, "cannot be decomposed: give its pieces, or another resolution".to_owned());
    };
    let (volume, center, second) = mesh.moments();
    let found = Decomposed {
        shapes: hulls.into_iter().map(shape_of).collect(),
        volume,
        center,
        inertia: about(&second),
    };
    note(&found, file, field, check);
    Some(found)
}

/// The reason why a mesh is no solid; None of a solid.
fn no_solid(mesh: &Triangles, hull: &Hull) -> Option<String> {
    let filled = mesh.volume() / hull.polytope.volume;
    if filled <= SOLID.0 {
        return Some("encloses no volume: it is flat, or crosses itself".to_owned());
    }
    let allowed = "at most all of it: the mesh crosses itself, or is there twice";
    (filled > SOLID.1).then(|| format!("encloses {filled:.4} of the volume of its convex hull, {allowed}"))
}

/// V-HACD's parts as hulls of the mesh within them.
fn cut(mesh: &Triangles, resolution: u32, concavity: f64) -> Option<Vec<Hull>> {
    let points: Vec<ParryVector> = mesh.points.iter().map(|p| ParryVector::new(p.x, p.y, p.z)).collect();
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v as u32)).collect();
    let parameters = VHACDParameters { resolution, concavity, ..VHACDParameters::default() };
    // Asserts of V-HACD about its own voxels are errors to us.
    let clouds = catch_unwind(AssertUnwindSafe(|| {
        let parts = VHACD::decompose(&parameters, &points, &triangles, true);
        parts.compute_primitive_intersections(&points, &triangles)
    }));
    let clouds = clouds.ok()?;
    let least = SMALLEST_PART * mesh.volume();
    let hull = |cloud: &Vec<ParryVector>| {
        let points: Vec<Vector3<f64>> = cloud.iter().map(|p| Vector3::new(p.x, p.y, p.z)).collect();
        Polytope::hull(&points).ok().filter(|hull| hull.polytope.volume > least)
    };
    let hulls: Vec<Hull> = clouds.iter().filter_map(hull).collect();
    (!hulls.is_empty() && hulls.len() <= MAX_PARTS).then_some(hulls)
}

/// Hulls of pieces that another program made.
fn of_pieces(objects: &[(String, Triangles)], field: &str, check: &mut Check) -> Option<Decomposed> {
    let at = format!("{field}.file");
    if objects.len() > MAX_PARTS {
        check.fault(&at, format!("{} pieces", objects.len()), format!("at most {MAX_PARTS}"));
        return None;
    }
    let (mut shapes, mut volume, mut first) = (Vec::new(), 0.0, Vector3::zeros());
    for (name, mesh) in objects {
        let hull = Polytope::hull(&mesh.points)
            .map_err(|fault| check.fault(&at, format!("piece {name:?}"), fault.to_string()))
            .ok()?;
        let filled = mesh.volume() / hull.polytope.volume;
        if !(CONVEX..=SOLID.1).contains(&filled) {
            let allowed = format!(
                "fills {filled:.4} of its convex hull, {CONVEX} to 1 are asked: pieces are convex and do not \
                 cross themselves"
            );
            check.fault(&at, format!("piece {name:?}"), allowed);
            return None;
        }
        volume += hull.polytope.volume;
        first += hull.center_of_mass * hull.polytope.volume;
        shapes.push(shape_of(hull));
    }
    note_overlaps(objects, &shapes, &at, check);
    let center = first / volume;
    let mut second = Matrix3::zeros();
    for (shape, at) in &shapes {
        let Shape::Polytope(p) = shape else { continue };
        let arm = at - center;
        second += p.second_moment + arm * arm.transpose() * p.volume;
    }
    Some(Decomposed { shapes, volume, center, inertia: about(&second) })
}

/// Notes the deepest of the overlaps between pieces.
fn note_overlaps(
    objects: &[(String, Triangles)],
    shapes: &[(Shape, Vector3<f64>)],
    field: &str,
    check: &mut Check,
) {
    let at = |position: &Vector3<f64>| Pose { position: *position, orientation: UnitQuaternion::identity() };
    let parts: Vec<(usize, &Shape, Pose)> =
        shapes.iter().enumerate().map(|(i, (shape, place))| (i, shape, at(place))).collect();
    let found = overlaps(&parts);
    let Some(deepest) = found.iter().max_by(|a, b| a.depth.total_cmp(&b.depth)) else { return };
    let [later, earlier] = deepest.of.map(|i| &objects[i].0);
    let remark = format!(
        "{} pairs of pieces overlap, {later:?} and {earlier:?} by {:e} m: what both fill is weighed twice unless \
         the body gives mass and inertia",
        found.len(),
        deepest.depth
    );
    check.note(field, remark);
}

/// A hull as a part of a solid.
pub fn shape_of(hull: Hull) -> (Shape, Vector3<f64>) {
    (Shape::Polytope(Arc::new(hull.polytope)), hull.center_of_mass)
}

/// Inertia tensor of a solid with second moments S: tr S · 1 − S.
fn about(second: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(second.trace()) - second
}

/// Notes how many parts there are, and how much more they fill than the mesh does.
fn note(found: &Decomposed, file: &str, field: &str, check: &mut Check) {
    let parts = found.shapes.iter().filter_map(|(shape, _)| match shape {
        Shape::Polytope(p) => Some(p.volume),
        _ => None,
    });
    let excess = 100.0 * (parts.sum::<f64>() / found.volume - 1.0);
    let crossing = if excess < -100.0 * MISSING {
        ": the mesh crosses itself, or holds parts in others, and what is inside twice is weighed twice"
    } else {
        ""
    };
    let remark = format!(
        "{file:?} becomes {} convex parts, whose volumes together are {excess:+.2} % off that of the mesh{crossing}",
        found.shapes.len()
    );
    check.note(&format!("{field}.file"), remark);
}
