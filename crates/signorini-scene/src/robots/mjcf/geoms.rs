//! Geoms: shapes, masses and friction.

use super::super::model::{Geom, GeomShape, Inertia, Mask, Surface};
use super::super::xml::Element;
use super::document::Compiler;
use super::frames::{between_ends, pose_of};
use super::mesh::{self, Mesh};
use nalgebra::{Matrix3, Vector3};
use signorini_error::Result;
use std::collections::HashMap;
use std::f64::consts::PI;

/// Result of reading a geom.
#[derive(Debug)]
pub enum Read {
    /// A shape, and its mass about the frame of the body, if it is known.
    Geom(Geom, Option<Inertia>),
    /// A mesh.
    Mesh(Geom),
    /// The kind of geom, which has no counterpart here.
    Unknown(String),
}

/// Reads a geom, its defaults filled in.
///
/// # Errors
/// When a number is wrong.
pub fn read(element: &Element, compiler: &Compiler, meshes: &HashMap<String, Mesh>) -> Result<Read> {
    let kind = element.get("type").unwrap_or(if element.get("mesh").is_some() { "mesh" } else { "sphere" });
    let (mut pose, mut length) = (pose_of(element, compiler)?, None);
    if let Some((between, apart)) = between_ends(element)? {
        (pose, length) = (between, Some(apart));
    }
    let text = element.get("size").unwrap_or_default();
    let size = element.list("size", text)?;
    let need = |n: usize| match size.len() >= n && size[..n].iter().all(|s| *s > 0.0) {
        true => Ok(()),
        false => Err(element.fault("size", text, format!("a {kind} needs {n} positive numbers"))),
    };
    let shape = match kind {
        "sphere" => {
            need(1)?;
            GeomShape::Sphere { radius: size[0] }
        }
        "ellipsoid" | "box" => {
            need(if length.is_some() { 1 } else { 3 })?;
            let half = match length {
                Some(length) => [size[0], size.get(1).copied().unwrap_or(size[0]), 0.5 * length],
                None => [size[0], size[1], size[2]],
            };
            match kind {
                "box" => GeomShape::Box { half_extents: half },
                _ => GeomShape::Ellipsoid { semi_axes: half },
            }
        }
        "cylinder" | "capsule" => {
            need(if length.is_some() { 1 } else { 2 })?;
            let length = length.unwrap_or_else(|| 2.0 * size[1]);
            match kind {
                "cylinder" => GeomShape::Cylinder { radius: size[0], length },
                _ => GeomShape::Capsule { radius: size[0], length },
            }
        }
        "plane" => GeomShape::Plane,
        "mesh" => {
            let name = element.get("mesh").unwrap_or_default();
            match meshes.get(name) {
                Some(mesh) => match mesh.frame {
                    Some(frame) => {
                        pose = pose.compose(&frame);
                        mesh.shape(element)?
                    }
                    None => {
                        return Ok(Read::Unknown(format!(
                            "mesh {name:?}: refquat with a scale that differs by axis"
                        )));
                    }
                },
                None => return Ok(Read::Unknown(format!("mesh {name:?}: there is no such mesh"))),
            }
        }
        other => return Ok(Read::Unknown(format!("type {other:?}"))),
    };
    let (surface, mask) = (surface(element)?, mask(element)?);
    let name = element.get("name").map(str::to_owned);
    let geom = Geom { name, shape, pose, surface, mask, place: element.origin() };
    if kind == "mesh" {
        return Ok(Read::Mesh(geom));
    }
    let inertia = inertia(element, &geom.shape)?.map(|inertia| inertia.placed(&pose));
    Ok(Read::Geom(geom, inertia))
}

/// Mass and inertia of a geom that is a mesh, about the frame of the body; None of another.
///
/// # Errors
/// When they are not known.
pub fn mesh_inertia(
    element: &Element,
    compiler: &Compiler,
    meshes: &HashMap<String, Mesh>,
) -> Result<Option<Inertia>> {
    let name = element.get("mesh").filter(|_| element.get("type").is_none_or(|kind| kind == "mesh"));
    let Some(mesh) = name.and_then(|name| meshes.get(name)) else { return Ok(None) };
    let pose = pose_of(element, compiler)?;
    mesh::inertia(element, mesh).map(|inertia| Some(inertia.placed(&pose)))
}

fn surface(element: &Element) -> Result<Surface> {
    let text = element.get("friction").unwrap_or_default();
    let given = element.list("friction", text)?;
    let dimension = element.number("condim")?.unwrap_or(3.0);
    Ok(Surface {
        slide: given.first().copied().unwrap_or(1.0),
        torsion: given.get(1).copied().unwrap_or(0.005),
        rolling: given.get(2).copied().unwrap_or(0.0001),
        dimension: dimension as u8,
        own: None,
    })
}

/// Bits by which a geom touches others.
///
/// # Errors
/// When a number is wrong.
pub fn mask(element: &Element) -> Result<Mask> {
    let bits = |name: &str| Ok(element.number(name)?.map_or(1, |bits| bits as i64 as u32));
    Ok(Mask { kind: bits("contype")?, affinity: bits("conaffinity")? })
}

/// Mass and inertia of a geom in its own frame, solid or, with `shellinertia`, all at its surface; None of a
/// surface without a formula.
fn inertia(element: &Element, shape: &GeomShape) -> Result<Option<Inertia>> {
    let density = element.not_negative("density")?.unwrap_or(1000.0);
    let given = element.not_negative("mass")?;
    let is_shell = element.get("shellinertia") == Some("true");
    let size = if is_shell { area_and_moments(shape) } else { Some(volume_and_moments(shape)) };
    let of_size = |(size, unit): (f64, Vector3<f64>)| {
        let mass = given.unwrap_or(density * size);
        Inertia { mass, center: Vector3::zeros(), tensor: Matrix3::from_diagonal(&(unit * mass)) }
    };
    let is_nothing = given == Some(0.0) || given.is_none() && density == 0.0;
    Ok(if is_nothing { Some(Inertia::none()) } else { size.map(of_size) })
}

/// Area (m²) of a closed surface, and its principal moments of inertia over the mass (m²); None where they
/// are no elementary functions.
fn area_and_moments(shape: &GeomShape) -> Option<(f64, Vector3<f64>)> {
    // Means of x², y² and z² over the surface.
    let from_squares = |[x, y, z]: [f64; 3]| Vector3::new(y + z, x + z, x + y);
    match shape {
        GeomShape::Sphere { radius: r } => {
            let square = r * r / 3.0;
            Some((4.0 * PI * r * r, from_squares([square; 3])))
        }
        GeomShape::Box { half_extents: [a, b, c] } => {
            let faces = [b * c, a * c, a * b];
            let whole: f64 = faces.iter().sum();
            let squares = [(a, 0), (b, 1), (c, 2)]
                .map(|(half, k): (&f64, usize)| half * half * (faces[k] + (whole - faces[k]) / 3.0) / whole);
            Some((8.0 * whole, from_squares(squares)))
        }
        GeomShape::Cylinder { radius: r, length: l } => {
            let (side, ends) = (2.0 * PI * r * l, 2.0 * PI * r * r);
            let area = side + ends;
            let across = (side + 0.5 * ends) * r * r / (2.0 * area);
            let along = (side / 12.0 + ends / 4.0) * l * l / area;
            Some((area, from_squares([across, across, along])))
        }
        GeomShape::Capsule { radius: r, length: l } => {
            let (side, ball, half) = (2.0 * PI * r * l, 4.0 * PI * r * r, 0.5 * l);
            let area = side + ball;
            let across = (side * r * r / 2.0 + ball * r * r / 3.0) / area;
            let along = (side * l * l / 12.0 + ball * (r * r / 3.0 + half * half + half * r)) / area;
            Some((area, from_squares([across, across, along])))
        }
        GeomShape::Plane => Some((0.0, Vector3::zeros())),
        GeomShape::Ellipsoid { .. } | GeomShape::Mesh { .. } | GeomShape::Hull { .. } => None,
    }
}

/// Volume (m³), and principal moments of inertia over the mass (m²).
fn volume_and_moments(shape: &GeomShape) -> (f64, Vector3<f64>) {
    let from_squares = |[x, y, z]: [f64; 3], part: f64| Vector3::new(y + z, x + z, x + y) * part;
    match shape {
        GeomShape::Sphere { radius: r } => (4.0 / 3.0 * PI * r.powi(3), Vector3::repeat(0.4 * r * r)),
        GeomShape::Ellipsoid { semi_axes: a } => {
            (4.0 / 3.0 * PI * a[0] * a[1] * a[2], from_squares(a.map(|a| a * a), 0.2))
        }
        GeomShape::Box { half_extents: a } => {
            (8.0 * a[0] * a[1] * a[2], from_squares(a.map(|a| a * a), 1.0 / 3.0))
        }
        GeomShape::Cylinder { radius: r, length: l } => {
            let across = (3.0 * r * r + l * l) / 12.0;
            (PI * r * r * l, Vector3::new(across, across, 0.5 * r * r))
        }
        GeomShape::Capsule { radius: r, length: l } => {
            // A cylinder and two half balls, whose centres of mass are 3/8 r off their plane.
            let (ball, tube) = (4.0 / 3.0 * PI * r.powi(3), PI * r * r * l);
            let along = 0.5 * tube * r * r + 0.4 * ball * r * r;
            let half = 0.5 * l;
            let across =
                tube * (3.0 * r * r + l * l) / 12.0 + ball * (0.4 * r * r + half * half + 0.75 * r * half);
            let volume = ball + tube;
            (volume, Vector3::new(across, across, along) / volume)
        }
        GeomShape::Mesh { .. } | GeomShape::Hull { .. } | GeomShape::Plane => (0.0, Vector3::zeros()),
    }
}
