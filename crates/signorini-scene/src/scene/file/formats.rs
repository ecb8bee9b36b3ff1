//! Meshes from the bytes of .ply, .dae, .glb, .gltf and .msh files.

use super::triangles::Triangles;
use super::{collada, glb, ply};
use nalgebra::Vector3;
use signorini_error::without_panic;

type Objects = Vec<(String, Triangles)>;

/// Whether files with this extension are read here.
pub fn is_known(extension: &str) -> bool {
    matches!(extension, "ply" | "dae" | "glb" | "gltf" | "msh")
}

/// The objects of a mesh with their names; `extension` is one of those known. The error describes the fault.
pub fn objects(bytes: &[u8], extension: &str) -> Result<Objects, String> {
    // Asserts of readers about files that no one foresaw are errors to us.
    let read = without_panic(|| match extension {
        "ply" => ply::read(bytes).map(|mesh| vec![(String::new(), mesh)]),
        "dae" => collada::read(bytes),
        "msh" => msh(bytes),
        _ => glb::read(bytes),
    });
    let found =
        read.unwrap_or_else(|panic| Err(format!("is not a mesh in .{extension} format ({panic})")))?;
    for (_, mesh) in &found {
        if mesh.triangles.iter().flatten().any(|v| *v >= mesh.points.len()) {
            return Err("has a face with a corner that is not among the vertices".to_owned());
        }
    }
    Ok(found)
}

/// MuJoCo's own format: four numbers, of vertices, normals, texture coordinates and faces; then three, three
/// and two f32 of each, and three i32.
fn msh(bytes: &[u8]) -> Result<Objects, String> {
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).and_then(|word| <[u8; 4]>::try_from(word).ok());
    let count = |k: usize| word(k).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok());
    let [Some(points), Some(normals), Some(textures), Some(faces)] = [0, 1, 2, 3].map(count) else {
        return Err(
            "is not a mesh in .msh format: too short, or with a negative number of something".to_owned()
        );
    };
    let last = 4 + 3 * points + 3 * normals + 2 * textures;
    if bytes.len() != 4 * (last + 3 * faces) {
        let due = 4 * (last + 3 * faces);
        let found = bytes.len();
        return Err(format!(
            "is not a mesh in .msh format: {points} vertices and {faces} faces take {due} bytes, it has {found}"
        ));
    }
    let number = |k: usize| f64::from(word(k).map_or(f32::NAN, f32::from_le_bytes));
    let point = |i: usize| Vector3::from([0, 1, 2].map(|k| number(4 + 3 * i + k)));
    let triangle = |i: usize| [0, 1, 2].map(|k| count(last + 3 * i + k).unwrap_or(usize::MAX));
    let mesh =
        Triangles { points: (0..points).map(point).collect(), triangles: (0..faces).map(triangle).collect() };
    Ok(vec![(String::new(), mesh)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    fn ply(format: &str) -> Vec<u8> {
        let mut bytes = format!(
            "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\n\
             property double y\nproperty float z\nproperty uchar red\nelement face 4\n\
             property list uchar uint vertex_indices\nend_header\n"
        )
        .into_bytes();
        for [x, y, z] in CORNERS {
            if format == "ascii" {
                bytes.extend(format!("{x} {y} {z} 7\n").bytes());
            } else {
                bytes.extend(x.to_le_bytes());
                bytes.extend(f64::from(y).to_le_bytes());
                bytes.extend(z.to_le_bytes());
                bytes.push(7);
            }
        }
        for [a, b, c] in FACES {
            if format == "ascii" {
                bytes.extend(format!("3 {a} {b} {c}\n").bytes());
            } else {
                bytes.push(3);
                [a, b, c].iter().for_each(|v| bytes.extend(u32::from(*v).to_le_bytes()));
            }
        }
        bytes
    }

    fn dae() -> Vec<u8> {
        let list = |of: &[String]| of.join(" ");
        let numbers = list(&CORNERS.iter().flatten().map(|x| format!("{x}")).collect::<Vec<_>>());
        let corners = list(&FACES.iter().flatten().map(|v| format!("{v}")).collect::<Vec<_>>());
        format!(
            r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
            <asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
            <library_geometries><geometry id="g" name="part"><mesh>
            <source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common>
            <accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
            <param name="Z" type="float"/></accessor></technique_common></source>
            <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
            <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
            </mesh></geometry></library_geometries>
            <library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"/></node>
            </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"##
        )
        .into_bytes()
    }

    fn msh() -> Vec<u8> {
        let mut bytes: Vec<u8> = [4i32, 1, 1, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.extend(CORNERS.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0.5f32; 5].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(FACES.iter().flatten().flat_map(|v| i32::from(*v as i16).to_le_bytes()));
        bytes
    }

    /// A node that mirrors and moves the mesh; the numbers in the file itself, or behind it.
    fn gltf(is_binary: bool) -> Vec<u8> {
        let mut data: Vec<u8> = CORNERS.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        data.extend(FACES.iter().flatten().flat_map(|v| v.to_le_bytes()));
        let uri = format!(", \"uri\": \"data:application/octet-stream;base64,{}\"", STANDARD.encode(&data));
        let json = format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"mesh": 0, "name": "part", "scale": [-1, 1, 1], "translation": [5, 0, 0]}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 1]}},
            {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 48}},
            {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
            "buffers": [{{"byteLength": 72{}}}]}}"#,
            if is_binary { "" } else { &uri }
        );
        if !is_binary {
            return json.into_bytes();
        }
        let mut json = json.into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let whole = (12 + 8 + json.len() + 8 + data.len()) as u32;
        let mut bytes = b"glTF".to_vec();
        [2, whole, json.len() as u32].iter().for_each(|n: &u32| bytes.extend(n.to_le_bytes()));
        bytes.extend(b"JSON");
        bytes.extend(json);
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_tetrahedron_is_the_same_in_every_format() {
        let files = [
            (ply("ascii"), "ply"),
            (ply("binary_little_endian"), "ply"),
            (dae(), "dae"),
            (msh(), "msh"),
            (gltf(true), "glb"),
            (gltf(false), "gltf"),
        ];
        for (bytes, extension) in files {
            let found = objects(&bytes, extension).unwrap_or_else(|e| panic!("{extension}: {e}"));
            let [(_, mesh)] = found.as_slice() else { panic!("{extension}: {} objects", found.len()) };
            assert_eq!((mesh.triangles.len(), mesh.n_open_sides()), (4, 0), "{extension}");
            assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-6, "{extension}");
            let is_outward = |t: &[usize; 3]| {
                let [a, b, c] = t.map(|v| mesh.points[v]);
                let middle = mesh.points.iter().sum::<Vector3<f64>>() / mesh.points.len() as f64;
                (b - a).cross(&(c - a)).dot(&(a - middle)) > 0.0
            };
            assert!(mesh.triangles.iter().all(is_outward), "{extension}: {mesh:?}");
            // Cut anywhere it is an error or has fewer faces, and never a panic.
            for end in (0..bytes.len() - 1).step_by(7) {
                if let Ok(found) = objects(&bytes[..end], extension) {
                    assert!(
                        found.iter().map(|o| o.1.triangles.len()).sum::<usize>() < 4,
                        "{extension}: {end}"
                    );
                }
            }
        }
        let elsewhere =
            String::from_utf8(gltf(false)).expect("text").replace("data:application", "numbers.bin?");
        assert!(objects(elsewhere.as_bytes(), "gltf").is_err_and(|e| e.contains("no file beside it")));
    }
}
