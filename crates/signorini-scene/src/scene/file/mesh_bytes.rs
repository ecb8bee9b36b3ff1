//! Triangle meshes from the bytes of files.

use super::formats;
use super::triangles::Triangles;
use nalgebra::Vector3;
use std::io::Cursor;
use std::path::Path;

/// Header, count and one record of a binary .stl file (bytes).
const STL: (usize, usize, usize) = (80, 4, 50);

/// Whether files with this extension hold meshes.
pub fn is_mesh(extension: &str) -> bool {
    extension == "obj" || extension == "stl" || formats::is_known(extension)
}

/// Reads a closed mesh; `extension` is that of its format. The error describes the fault of the mesh.
pub fn read(bytes: &[u8], extension: &str) -> Result<Triangles, String> {
    closed(read_open(bytes, extension)?)
}

/// Reads a mesh that need not be closed.
pub fn read_open(bytes: &[u8], extension: &str) -> Result<Triangles, String> {
    let mut mesh = Triangles { points: Vec::new(), triangles: Vec::new() };
    for (_, object) in objects(bytes, extension)? {
        let first = mesh.points.len();
        mesh.points.extend(object.points);
        mesh.triangles.extend(object.triangles.into_iter().map(|t| t.map(|v| first + v)));
    }
    finite(mesh)
}

/// Reads the objects and groups of a mesh one by one, with their names.
pub fn read_objects(bytes: &[u8], extension: &str) -> Result<Vec<(String, Triangles)>, String> {
    let named = objects(bytes, extension)?.into_iter();
    let found: Vec<_> = named.filter(|(_, mesh)| !mesh.triangles.is_empty()).collect();
    if found.is_empty() {
        return Err("the file holds no faces".to_owned());
    }
    let each = found.into_iter().map(|(name, mesh)| match finite(mesh).and_then(closed) {
        Ok(mesh) => Ok((name, mesh)),
        Err(fault) => Err(format!("{name:?}: {fault}")),
    });
    each.collect()
}

fn objects(bytes: &[u8], extension: &str) -> Result<Vec<(String, Triangles)>, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    match extension {
        "obj" => read_obj(bytes),
        "stl" => Ok(vec![(String::new(), read_stl(bytes)?)]),
        other => formats::objects(bytes, other),
    }
}

fn finite(mesh: Triangles) -> Result<Triangles, String> {
    if mesh.triangles.is_empty() {
        return Err("the file holds no faces".to_owned());
    }
    if let Some(i) = mesh.points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(format!("vertex {} of the file is not finite", i + 1));
    }
    Ok(mesh)
}

fn closed(mesh: Triangles) -> Result<Triangles, String> {
    match mesh.n_open_sides() {
        0 => Ok(mesh),
        n => {
            Err(format!("the surface is not closed: {n} sides of faces have no partner (a truncated file?)"))
        }
    }
}

fn read_obj(bytes: &[u8]) -> Result<Vec<(String, Triangles)>, String> {
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..Default::default()
    };
    // Materials are of no interest.
    let no_material = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(bytes), &options, no_material)
        .map_err(|e| format!("is not a mesh in Wavefront .obj format ({e})"))?;
    let object = |model: tobj::Model| {
        let points = model.mesh.positions.chunks_exact(3).map(Vector3::from_column_slice).collect();
        let corners = model.mesh.indices.chunks_exact(3);
        let triangles = corners.map(|t| [0, 1, 2].map(|k| t[k] as usize)).collect();
        (model.name, Triangles { points, triangles })
    };
    Ok(models.into_iter().map(object).collect())
}

fn read_stl(bytes: &[u8]) -> Result<Triangles, String> {
    let (header, count, record) = STL;
    let is_text = bytes.starts_with(b"solid");
    let announced = bytes.get(header..header + count).and_then(|c| c.try_into().ok()).map(u32::from_le_bytes);
    let expected = announced.map(|n| (header + count) as u64 + record as u64 * u64::from(n));
    let text_or_binary = if expected == Some(bytes.len() as u64) {
        // Many programs begin the header of a binary file with "solid" too.
        [&[b' '; 80], &bytes[header..]].concat()
    } else if is_text {
        // The name of the solid may be missing or in any encoding.
        let rest = bytes.iter().position(|b| *b == b'\n').map_or(&[][..], |end| &bytes[end..]);
        [b"solid mesh", rest].concat()
    } else {
        return Err(match (announced, expected) {
            (Some(n), Some(length)) => format!(
                "is not a mesh in .stl format: a binary file of {n} triangles has {length} bytes, this one has {}",
                bytes.len()
            ),
            _ => "is not a mesh in .stl format: too short, and it does not begin with \"solid\"".to_owned(),
        });
    };
    let fault = |e: std::io::Error| format!("is not a mesh in .stl format ({e})");
    let read = stl_io::read_stl(&mut Cursor::new(&text_or_binary)).map_err(fault)?;
    if expected != Some(bytes.len() as u64) {
        let listed = text_or_binary.windows(8).filter(|w| w == b"endfacet").count();
        if listed != read.faces.len() {
            return Err(format!("holds {listed} triangles in several solids; put them into one"));
        }
    }
    let point = |v: &stl_io::Vertex| Vector3::from(v.0.map(f64::from));
    Ok(Triangles {
        points: read.vertices.iter().map(point).collect(),
        triangles: read.faces.iter().map(|face| face.vertices).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    const TETRAHEDRON: &str =
        "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

    #[test]
    fn obj_faces_of_any_kind_make_a_volume() {
        assert!((read(TETRAHEDRON.as_bytes(), "obj").expect("a mesh").volume() - 1.0 / 6.0).abs() < 1e-15);
        let cube = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\no top\n\
                    f -4 -3 -2 -1\nf 4 3 2 1\no sides\nf 1 2 6 5\nf 2/1 3/1 7/1 6/1\nf 3 4 8 7\nf 4 1 5 8\n";
        let cube = cube.replace("o top", "vt 0 0\no top");
        assert!((read(cube.as_bytes(), "obj").expect("a mesh").volume() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn moments_are_those_of_the_solid() {
        let cube = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 3\nv 2 0 3\nv 2 1 3\nv 0 1 3\nf 5 6 7 8\n\
                    f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
        let mesh = read(cube.as_bytes(), "obj").expect("a mesh");
        let (volume, center, second) = mesh.moments();
        assert!((volume - 6.0).abs() < 1e-14 && (center - Vector3::new(1.0, 0.5, 1.5)).norm() < 1e-14);
        let exact = Matrix3::from_diagonal(&Vector3::new(2.0, 0.5, 4.5));
        assert!((second - exact).norm() < 1e-13, "{second}");
        let turned =
            Triangles { triangles: mesh.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect(), ..mesh };
        assert!((turned.moments().2 - exact).norm() < 1e-13);
    }

    #[test]
    fn stl_is_read_as_text_and_as_binary_whatever_the_header() {
        let mesh = read(TETRAHEDRON.as_bytes(), "obj").expect("a mesh");
        let corner = |t: &[usize; 3], k: usize| mesh.points[t[k]];
        let mut text = "solid\n".to_owned();
        let mut binary = b"solid made by a program".to_vec();
        binary.resize(80, b' ');
        binary.extend(4u32.to_le_bytes());
        for t in &mesh.triangles {
            text += "facet normal 0 0 0\nouter loop\n";
            binary.extend([0u8; 12]);
            for p in (0..3).map(|k| corner(t, k)) {
                text += &format!("vertex {} {:e} {}\n", p.x, p.y, p.z);
                p.iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
            }
            text += "endloop\nendfacet\n";
            binary.extend([0u8; 2]);
        }
        text += "endsolid\n";
        for bytes in [text.as_bytes(), &binary] {
            let found = read(bytes, "stl").expect("a mesh");
            assert_eq!(found.triangles.len(), 4);
            assert!((found.volume() - 1.0 / 6.0).abs() < 1e-7);
            // Cut anywhere it is an error, and never a panic.
            let last = bytes.len() - "\nendsolid\n".len();
            for end in 0..=last {
                assert!(read(&bytes[..end], "stl").is_err(), "{end} of {}", bytes.len());
            }
        }
        assert!(read((text.clone() + &text).as_bytes(), "stl").is_err_and(|e| e.contains("several solids")));
    }
}
