//! Meshes, and their mass and inertia by the rules of MuJoCo.

use super::super::model::{GeomShape, Inertia};
use super::super::model_files::ModelFiles;
use super::super::xml::Element;
use super::document::Compiler;
use crate::scene::file::limits::LONGEST_FILE;
use crate::scene::file::mesh_bytes;
use nalgebra::{Matrix3, Quaternion, Unit, Vector3};
use signorini_error::{Error, Result, read_regular};
use signorini_geometry::{Polytope, Pose};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// A mesh asset.
#[derive(Debug, Clone)]
pub struct Mesh {
    source: Source,
    /// Scale along each axis.
    scale: Vector3<f64>,
    /// How its mass is computed.
    inertia: Option<String>,
    /// The frame of the scaled file in that of the mesh; None where the scale makes it oblique.
    pub frame: Option<Pose>,
    /// The corners and triangles of a file, once they are read.
    read: OnceCell<Facets>,
}

/// Source of the corners and triangles of a mesh.
#[derive(Debug, Clone)]
enum Source {
    /// A file, or the fault of its name: one that nothing uses may be missing.
    File(std::result::Result<PathBuf, (String, String)>),
    /// The model itself.
    Here(Facets),
}

/// Corners, in the single precision in which MuJoCo keeps them, and triangles of them.
#[derive(Debug, Clone)]
struct Facets {
    points: Vec<Vector3<f64>>,
    triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// Reads an asset, its defaults filled in; None where it is made by a rule.
    ///
    /// # Errors
    /// When a number is wrong, or corners have no hull.
    pub fn read(
        element: &Element,
        files: &ModelFiles,
        compiler: &Compiler,
    ) -> Result<Option<(String, Self)>> {
        let (stem, source) = match (element.get("file"), element.get("vertex")) {
            (Some(file), _) => {
                let name = compiler.meshes.join(file).to_string_lossy().into_owned();
                let found = files.find(&name).map_err(|fault| (name, fault));
                (Path::new(file).file_stem(), Source::File(found))
            }
            (None, Some(corners)) => (None, Source::Here(written(element, corners)?)),
            (None, None) => return Ok(None),
        };
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
        let name = element.get("name").map(str::to_owned).or(stem).unwrap_or_default();
        let scale = Vector3::from(element.numbers("scale")?.unwrap_or([1.0; 3]));
        let inertia = element.get("inertia").map(str::to_owned);
        let frame = frame_of(element, &scale)?;
        Ok(Some((name, Self { source, scale, inertia, frame, read: OnceCell::new() })))
    }

    /// The hull as a shape of a geom.
    ///
    /// # Errors
    /// When the file is not there, or is outside the folder of the model.
    pub fn shape(&self, element: &Element) -> Result<GeomShape> {
        Ok(match &self.source {
            Source::File(found) => {
                GeomShape::Mesh { file: path_of(found, element)?.to_owned(), scale: self.scale.into() }
            }
            Source::Here(facets) => {
                let points = facets.points.iter().map(|p| p.component_mul(&self.scale).into()).collect();
                GeomShape::Hull { points }
            }
        })
    }
}

/// Corners p of the file are S Rᵀ (p − r) of the mesh, with the scale S, `refpos` r and the rotation R of
/// `refquat`.
fn frame_of(element: &Element, scale: &Vector3<f64>) -> Result<Option<Pose>> {
    let away = Vector3::from(element.numbers("refpos")?.unwrap_or_default());
    let [w, x, y, z] = element.numbers("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
    let Some(turn) = Unit::try_new(Quaternion::new(w, x, y, z), 0.0) else {
        return Err(element.fault("refquat", element.get("refquat").unwrap_or_default(), "has no length"));
    };
    let back = turn.inverse();
    let is_oblique = scale.max() != scale.min() && back.angle() != 0.0;
    let position = -(back * away).component_mul(scale);
    Ok((!is_oblique).then_some(Pose { position, orientation: back }))
}

fn path_of<'a>(
    found: &'a std::result::Result<PathBuf, (String, String)>,
    element: &Element,
) -> Result<&'a Path> {
    found.as_deref().map_err(|(name, fault)| element.fault("mesh", name, fault))
}

/// The mesh of an asset with corners; its triangles are those of the hull where it has no faces.
fn written(element: &Element, corners: &str) -> Result<Facets> {
    let numbers = element.list("vertex", corners)?;
    if numbers.len() % 3 != 0 {
        return Err(element.refusal("vertex: must be three numbers for each corner"));
    }
    let points: Vec<_> = numbers.chunks_exact(3).map(|p| single(&Vector3::new(p[0], p[1], p[2]))).collect();
    let triangles = match element.get("face") {
        Some(text) => faces(element, text, points.len())?,
        None => {
            let hull =
                Polytope::hull(&points).map_err(|fault| element.refusal(&format!("vertex: {fault}")))?;
            let fan = |face: &[usize]| {
                let corners: Vec<_> = face.iter().map(|v| hull.corners[*v]).collect();
                (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]).collect::<Vec<_>>()
            };
            hull.polytope.faces.iter().flat_map(|face| fan(&face.vertices)).collect()
        }
    };
    Ok(Facets { points, triangles })
}

fn single(point: &Vector3<f64>) -> Vector3<f64> {
    point.map(|x| f64::from(x as f32))
}

fn faces(element: &Element, text: &str, n_points: usize) -> Result<Vec<[usize; 3]>> {
    let numbers = element.list("face", text)?;
    let is_corner = |x: &f64| x.fract() == 0.0 && (0.0..n_points as f64).contains(x);
    if numbers.len() % 3 != 0 || !numbers.iter().all(is_corner) {
        return Err(element.refusal("face: must be three numbers of corners, from 0, for each triangle"));
    }
    Ok(numbers.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|x| x as usize)).collect())
}

/// Corners of a triangle.
type Corners = [Vector3<f64>; 3];

/// Mass and inertia of a geom that is a mesh, in its own frame.
///
/// # Errors
/// When the file cannot be read, or its mass is computed in a way that is not followed here.
pub fn inertia(element: &Element, mesh: &Mesh) -> Result<Inertia> {
    if element.not_negative("mass")? == Some(0.0) {
        return Ok(Inertia::none());
    }
    if element.get("shellinertia") == Some("true") {
        return Err(refusal(element));
    }
    let is_signed = match mesh.inertia.as_deref() {
        None | Some("legacy") => false,
        Some("exact") => true,
        Some(_) => return Err(refusal(element)),
    };
    let Some(frame) = mesh.frame else { return Err(refusal(element)) };
    let facets = match &mesh.source {
        Source::File(found) => match mesh.read.get() {
            Some(facets) => facets,
            None => {
                let facets = from_file(element, path_of(found, element)?)?;
                mesh.read.get_or_init(|| facets)
            }
        },
        Source::Here(facets) => facets,
    };
    let points: Vec<_> = facets.points.iter().map(|p| p.component_mul(&mesh.scale)).collect();
    let corners: Vec<Corners> = facets.triangles.iter().map(|t| t.map(|k| points[k])).collect();
    let unit = solid(&corners, is_signed);
    if !(unit.mass > 0.0 && unit.tensor.iter().all(|x| x.is_finite())) {
        return Err(element.refusal("its mesh has no volume: give its body <inertial>"));
    }
    let density = element.not_negative("density")?.unwrap_or(1000.0);
    let mass = element.number("mass")?.unwrap_or(density * unit.mass);
    let inertia = Inertia { mass, center: unit.center, tensor: unit.tensor * (mass / unit.mass) };
    Ok(inertia.placed(&frame))
}

fn from_file(element: &Element, file: &Path) -> Result<Facets> {
    let ending = file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if !matches!(ending.as_str(), "obj" | "stl" | "msh") {
        return Err(refusal(element));
    }
    let bytes = read_regular(file, LONGEST_FILE)?;
    let message = |message: String| Error::Parse { file: file.to_owned(), message };
    let read = mesh_bytes::read_open(&bytes, &ending).map_err(message)?;
    Ok(Facets { points: read.points.iter().map(single).collect(), triangles: read.triangles })
}

fn refusal(element: &Element) -> Error {
    element.refusal(
        "masses of meshes are computed of corners in the model and of .obj, .stl and .msh files, without \
         shellinertia, with inertia legacy or exact: give its body <inertial>",
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
    // Without signs the volumes depend on the apex: those of this apex count.
    let (mut volume, mut second) = (0.0, Matrix3::zeros());
    for ([a, b, c], part) in about(center) {
        volume += part;
        let sum = a + b + c;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += (sum * sum.transpose() + squares) * (part / 20.0);
    }
    // The sign depends on the way the triangles run.
    let second: Matrix3<f64> = second * volume.signum();
    Inertia { mass: volume.abs(), center, tensor: Matrix3::identity() * second.trace() - second }
}
