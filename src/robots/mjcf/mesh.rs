//! Meshes, and their mass and inertia by the rules of MuJoCo.

use super::super::model::Inertia;
use super::super::xml::Element;
use crate::error::{Error, Result};
use crate::scene::file::mesh_bytes;
use nalgebra::{Matrix3, Vector3};
use std::fs;
use std::path::PathBuf;

/// A mesh asset: its file, and its scale where that is one number.
#[derive(Debug, Clone)]
pub struct Mesh {
    pub file: PathBuf,
    pub scale: Option<f64>,
    /// Along each axis.
    pub scales: [f64; 3],
    /// How its mass is computed.
    pub inertia: Option<String>,
    /// Whether its frame is another than that of the file.
    pub is_moved: bool,
}

/// Corners of a triangle.
type Corners = [Vector3<f64>; 3];

/// Mass and inertia of a geom that is a mesh, in its own frame.
///
/// # Errors
/// When the file cannot be read, or its mass is computed in a way that is not followed here.
pub fn inertia(element: &Element, mesh: &Mesh) -> Result<Inertia> {
    if element.number("mass")? == Some(0.0) {
        return Ok(Inertia::none());
    }
    let ending = mesh.file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let is_signed = match mesh.inertia.as_deref() {
        None | Some("legacy") => false,
        Some("exact") => true,
        Some(_) => return Err(refusal(element)),
    };
    if mesh.is_moved || !matches!(ending.as_str(), "obj" | "stl" | "msh") {
        return Err(refusal(element));
    }
    let bytes = fs::read(&mesh.file).map_err(|source| Error::Io { path: mesh.file.clone(), source })?;
    let message = |message: String| Error::Parse { file: mesh.file.clone(), message };
    let read = mesh_bytes::read_open(&bytes, &ending).map_err(message)?;
    // MuJoCo keeps corners in single precision.
    let scale = Vector3::from(mesh.scales);
    let points: Vec<_> =
        read.points.iter().map(|p| p.map(|x| f64::from(x as f32)).component_mul(&scale)).collect();
    let corners: Vec<Corners> = read.triangles.iter().map(|t| t.map(|k| points[k])).collect();
    let unit = solid(&corners, is_signed);
    if !(unit.mass > 0.0 && unit.tensor.iter().all(|x| x.is_finite())) {
        return Err(element.refusal("its mesh has no volume: give its body <inertial>"));
    }
    let density = element.number("density")?.unwrap_or(1000.0);
    let mass = element.number("mass")?.unwrap_or(density * unit.mass);
    Ok(Inertia { mass, center: unit.center, tensor: unit.tensor * (mass / unit.mass) })
}

fn refusal(element: &Element) -> Error {
    element.refusal(
        "masses of meshes are computed of .obj, .stl and .msh files without refpos and refquat, with inertia legacy \
         or exact: give its body <inertial>",
    )
}

/// The solid of density 1 behind triangles: tetrahedra between them and the middle of their areas, whose
/// volumes count with their signs or, as in MuJoCo without `inertia = "exact"`, without.
fn solid(triangles: &[Corners], is_signed: bool) -> Inertia {
    let area = |[a, b, c]: &Corners| (b - a).cross(&(c - a)).norm();
    let whole: f64 = triangles.iter().map(area).sum();
    let middle =
        triangles.iter().map(|t| (t[0] + t[1] + t[2]) * (area(t) / 3.0)).sum::<Vector3<f64>>() / whole;
    let about = |origin: Vector3<f64>| {
        triangles.iter().map(move |t| {
            let [a, b, c] = t.map(|p| p - origin);
            let six = a.dot(&b.cross(&c));
            ([a, b, c], if is_signed { six } else { six.abs() } / 6.0)
        })
    };
    let (mut volume, mut first) = (0.0, Vector3::zeros());
    for ([a, b, c], part) in about(middle) {
        volume += part;
        first += (a + b + c) * (0.25 * part);
    }
    let center = middle + first / volume;
    // Without signs the volumes of another apex are others: these are the ones that count.
    let (mut volume, mut second) = (0.0, Matrix3::zeros());
    for ([a, b, c], part) in about(center) {
        volume += part;
        let sum = a + b + c;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += (sum * sum.transpose() + squares) * (part / 20.0);
    }
    // Whichever way the triangles run.
    let second: Matrix3<f64> = second * volume.signum();
    Inertia { mass: volume.abs(), center, tensor: Matrix3::identity() * second.trace() - second }
}
