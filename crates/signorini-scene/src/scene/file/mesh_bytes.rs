//! Triangle meshes from the bytes of files.

use super::mended::Mended;
use super::triangles::Triangles;
use super::{formats, obj, stl};

/// Whether files with this extension hold meshes.
pub fn is_mesh(extension: &str) -> bool {
    extension == "obj" || extension == "stl" || formats::is_known(extension)
}

/// Reads a closed mesh, mended if need be; `extension` is that of its format. The error describes the fault
/// of the mesh.
pub fn read(bytes: &[u8], extension: &str) -> Result<Mended, String> {
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

/// Reads the objects, groups and solids of a mesh one by one, with their names.
pub fn read_objects(bytes: &[u8], extension: &str) -> Result<Vec<(String, Triangles)>, String> {
    let named = objects(bytes, extension)?.into_iter();
    let found: Vec<_> = named.filter(|(_, mesh)| !mesh.triangles.is_empty()).collect();
    if found.is_empty() {
        return Err("the file holds no faces".to_owned());
    }
    let each = found.into_iter().map(|(name, mesh)| match finite(mesh).and_then(closed) {
        Ok(found) => Ok((name, found.mesh)),
        Err(fault) => Err(format!("{name:?}: {fault}")),
    });
    each.collect()
}

fn objects(bytes: &[u8], extension: &str) -> Result<Vec<(String, Triangles)>, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    match extension {
        "obj" => obj::read(bytes),
        "stl" => stl::read(bytes),
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

fn closed(mesh: Triangles) -> Result<Mended, String> {
    let mended = mesh.mended();
    match mended.mesh.n_open_sides() {
        0 => Ok(mended),
        n => {
            Err(format!("the surface is not closed: {n} sides of faces have no partner (a truncated file?)"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    const TETRAHEDRON: &str =
        "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

    #[test]
    fn obj_faces_of_any_kind_make_a_volume() {
        assert!(
            (read(TETRAHEDRON.as_bytes(), "obj").expect("a mesh").mesh.volume() - 1.0 / 6.0).abs() < 1e-15
        );
        let cube = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\no top\n\
                    f -4 -3 -2 -1\nf 4 3 2 1\no sides\nf 1 2 6 5\nf 2/1 3/1 7/1 6/1\nf 3 4 8 7\nf 4 1 5 8\n";
        let cube = cube.replace("o top", "vt 0 0\no top");
        assert!((read(cube.as_bytes(), "obj").expect("a mesh").mesh.volume() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn moments_are_those_of_the_solid() {
        let cube = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 3\nv 2 0 3\nv 2 1 3\nv 0 1 3\nf 5 6 7 8\n\
                    f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
        let mesh = read(cube.as_bytes(), "obj").expect("a mesh").mesh;
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
        let mesh = read(TETRAHEDRON.as_bytes(), "obj").expect("a mesh").mesh;
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
            let found = read(bytes, "stl").expect("a mesh").mesh;
            assert_eq!(found.triangles.len(), 4);
            assert!((found.volume() - 1.0 / 6.0).abs() < 1e-7);
            // Cut anywhere it is an error, and never a panic.
            let last = bytes.len() - "\nendsolid\n".len();
            for end in 0..=last {
                assert!(read(&bytes[..end], "stl").is_err(), "{end} of {}", bytes.len());
            }
        }
        // Several solids are as many objects; together they are the mesh.
        let two = text.replace("solid\n", "solid first one\n") + &text.replace("vertex", "vertex 9");
        let two = two.replace("vertex 9 ", "vertex 9.").replace("endsolid first one", "endsolid");
        let found = read_objects(two.as_bytes(), "stl").expect("two solids");
        assert!(found.len() == 2 && found[0].0 == "first one");
        assert!((read(two.as_bytes(), "stl").expect("a mesh").mesh.triangles.len()) == 8);
    }

    /// Dialects of .stl and .obj files that common readers take.
    #[test]
    fn dialects_are_the_same_mesh() {
        let facets = |mesh: &Triangles| {
            let facet = |t: &[usize; 3]| {
                let vertex = |v: &usize| {
                    format!("vertex {} {} {}\n", mesh.points[*v].x, mesh.points[*v].y, mesh.points[*v].z)
                };
                format!(
                    "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n",
                    t.iter().map(vertex).collect::<String>()
                )
            };
            mesh.triangles.iter().map(facet).collect::<String>()
        };
        let mesh = read(TETRAHEDRON.as_bytes(), "obj").expect("a mesh").mesh;
        let text = format!("solid some name\n{}endsolid some name\n", facets(&mesh));
        let half = text.find("facet").and_then(|at| text[at + 1..].find("\nfacet").map(|next| at + next + 2));
        let half = half.expect("two facets");
        let texts = [
            text.replace("endsolid", "end solid"),
            text.to_uppercase(),
            format!("\u{feff}{text}"),
            format!("\n\n \t\n{text}"),
            text.replacen("0 0 0", "nan nan nan", 1),
            text.replacen(" normal 0 0 0", "", 1),
            text.replace('\n', "\r\n"),
            text.replacen("solid some name\n", "solid some name\ncolor 1 0 0\n", 1),
            format!("{}endsolid\nsolid other\n{}", &text[..half], &text[half..]),
            text.replacen("vertex", "vertex  ", 3),
        ];
        let mut binary = [b' '; 80].to_vec();
        binary.extend(4u32.to_le_bytes());
        for t in &mesh.triangles {
            binary.extend([f32::NAN; 3].iter().flat_map(|x| x.to_le_bytes()));
            t.iter()
                .flat_map(|v| mesh.points[*v].iter())
                .for_each(|x| binary.extend((*x as f32).to_le_bytes()));
            binary.extend([0; 2]);
        }
        binary.extend(b"written by a program");
        let obj = [
            format!("usemtl\n{TETRAHEDRON}l 1 2 3\np 1\n"),
            format!("vt 0.5\nvn nan 0 0\n{}", TETRAHEDRON.replace("f 1 3 2", "f 1/1 3/1 \\\n 2/1")),
            format!("\u{feff}# made\n\n{}", TETRAHEDRON.replace('\n', "\r\n")),
            TETRAHEDRON
                .replace("v 1 0 0", "v 1 0 0 0.5 0.5 0.5")
                .replace("f 1 4 3", "f -4 -1//1 -2//1 # end"),
            TETRAHEDRON.replace("f 1 4 3", "s off\ncstype bezier\nf 1 4 3"),
        ];
        let files = texts.iter().map(|text| (text.as_bytes(), "stl")).chain([(binary.as_slice(), "stl")]);
        for (bytes, ending) in files.chain(obj.iter().map(|text| (text.as_bytes(), "obj"))) {
            let found = read(bytes, ending);
            let found = found.unwrap_or_else(|e| panic!("{e}:\n{}", String::from_utf8_lossy(bytes))).mesh;
            assert_eq!(found.triangles.len(), 4, "{}", String::from_utf8_lossy(bytes));
            assert!((found.volume() - 1.0 / 6.0).abs() < 1e-7);
        }
        for (bad, said) in [
            (text.replacen("endfacet", "", 1), "\"endfacet\" is expected, it has \"facet\""),
            (text.replacen("vertex", "", 1), "line 4: three \"vertex\""),
            (
                text.replacen("endloop", "", 4),
                "line 8: three \"vertex\" and \"endloop\" are expected, it has \"endfacet\"",
            ),
            (text.replace("endsolid some name\n", ""), "the file ends"),
            (text.replacen("vertex 0", "vertex x", 1), "line 4: a number is expected, it has \"x\""),
        ] {
            let fault = read(bad.as_bytes(), "stl").expect_err("refused");
            assert!(fault.contains(said), "{fault}\n{bad}");
        }
    }
}
