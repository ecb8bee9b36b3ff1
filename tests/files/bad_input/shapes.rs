//! Faulty boxes, polytopes, meshes and cylinders.

use super::{HEAD, POSITIVE, run, shape};
use signorini_scene::scene::{self, LoadOptions};
use std::fs;
use std::path::{Path, PathBuf};

const VERTICES: &str = "body[0] \"ball\": shape.vertices";
const FILE: &str = "body[0] \"ball\": shape.file";
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

fn polytope(vertices: &str) -> String {
    shape(&format!("type = \"polytope\", vertices = {vertices}"))
}

#[test]
fn boxes_and_cylinders() {
    let half = |numbers: &str| shape(&format!("type = \"box\", half_extents = {numbers}"));
    let can = |radius: &str, length: &str| {
        shape(&format!("type = \"cylinder\", radius = {radius}, length = {length}"))
    };
    let (field, whole) = ("body[0] \"ball\": shape.half_extents", "body[0] \"ball\": shape");
    let (radius, length) = ("body[0] \"ball\": shape.radius", "body[0] \"ball\": shape.length");
    run(&[
        ("box without height", half("[1, 1, 0]"), field, &["[1.0, 1.0, 0.0]", "three finite numbers > 0"]),
        ("negative box", half("[1, -1, 1]"), field, &["[1.0, -1.0, 1.0]", "> 0"]),
        ("box not a number", half("[nan, 1, 1]"), field, &["NaN", "> 0"]),
        ("infinite box", half("[inf, 1, 1]"), field, &["inf", "> 0"]),
        ("two lengths", half("[1, 1]"), field, &["[1, 1]", "3 numbers"]),
        ("a sheet", half("[1, 1, 1e-5]"), whole, &["[1.0, 1.0, 1e-5]", "1e4 times"]),
        ("a tiny box", half("[1e-10, 1e-10, 1e-10]"), whole, &["1e-9 to 1e9 m"]),
        ("cylinder without length", can("1", "0"), length, &["0.0", POSITIVE]),
        ("cylinder of negative length", can("1", "-1"), length, &["-1.0", POSITIVE]),
        ("length not a number", can("1", "nan"), length, &["NaN", POSITIVE]),
        ("infinite length", can("1", "inf"), length, &["inf", POSITIVE]),
        ("cylinder without radius", can("0", "1"), radius, &["0.0", POSITIVE]),
        ("cylinder of negative radius", can("-2", "1"), radius, &["-2.0", POSITIVE]),
        ("radius not a number", can("nan", "1"), radius, &["NaN", POSITIVE]),
        ("a wire", can("1e-5", "1"), whole, &["[1e-5, 1e-5, 0.5]", "1e4 times"]),
        ("a coin of the wrong unit", can("1e10", "1e10"), whole, &["1e-9 to 1e9 m"]),
        ("bore without radius", shape("type = \"bore\", radius = 0"), radius, &["0.0", POSITIVE]),
        (
            "a bore that moves",
            shape("type = \"bore\", radius = 1"),
            "body[0] \"ball\": mass",
            &["a bore has none"],
        ),
        (
            "no length",
            shape("type = \"cylinder\", radius = 1"),
            "body[0] \"ball\": shape.length",
            &["absent"],
        ),
    ]);
}

#[test]
fn polytopes() {
    let third = "body[0] \"ball\": shape.vertices[3]";
    let many: Vec<String> = (0..100_001).map(|i| format!("[{i}, 0, 0]")).collect();
    let ball: Vec<String> = (0..3000)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 3000.0;
            let (s, c) = (2.4 * f64::from(k)).sin_cos();
            let r = (1.0 - z * z).sqrt();
            format!("[{:?}, {:?}, {z:?}]", r * c, r * s)
        })
        .collect();
    run(&[
        ("no points", polytope("[]"), VERTICES, &["0 vertices", "at least 4"]),
        ("one point", polytope("[[1, 2, 3]]"), VERTICES, &["1 vertices", "at least 4"]),
        ("a triangle", polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0]]"), VERTICES, &["at least 4"]),
        (
            "four points in a plane",
            polytope("[[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]]"),
            VERTICES,
            &["4 vertices", "lie in a plane"],
        ),
        (
            "a slanted plane",
            polytope("[[0.1, 0.2, 0.3], [1.1, 0, 1.1], [0, 1.3, 1.3], [0.7, 0.7, 1.4], [0.3, 0.6, 0.9]]"),
            VERTICES,
            &["5 vertices", "lie in a plane"],
        ),
        (
            "on a line",
            polytope("[[0, 0, 0], [1, 2, 3], [2, 4, 6], [-1, -2, -3], [0.3, 0.6, 0.9]]"),
            VERTICES,
            &["lie on a line"],
        ),
        (
            "the same point twice",
            polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]"),
            third,
            &["[0.0, 0.0, 0.0]", "the same as vertices[0]"],
        ),
        (
            "nearly the same point twice",
            polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1e-12, 0], [0, 0, 1]]"),
            third,
            &["1e-12", "the same as vertices[1]"],
        ),
        (
            "all the same",
            polytope("[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]"),
            "body[0] \"ball\": shape.vertices[1]",
            &["the same as vertices[0]"],
        ),
        (
            "not a number",
            polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, nan, 1]]"),
            third,
            &["[0.0, NaN, 1.0]", "three finite numbers"],
        ),
        ("infinite", polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -inf]]"), third, &["-inf"]),
        ("out of range", polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1e300]]"), third, &["1e300"]),
        (
            "a sheet",
            polytope("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-5]]"),
            VERTICES,
            &["m long", "m thin", "1e4"],
        ),
        ("two coordinates", polytope("[[0, 0], [1, 0], [0, 1]]"), "", &["vertices", "3"]),
        (
            "an absurd count",
            polytope(&format!("[{}]", many.join(","))),
            VERTICES,
            &["100001", "at most 100000"],
        ),
        (
            "too many corners",
            polytope(&format!("[{}]", ball.join(","))),
            VERTICES,
            &["3000 corners", "at most 2000"],
        ),
    ]);
}

/// A folder with a scene's folder in it, and the shape that a mesh in the latter gives.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        fs::create_dir(folder.path().join("scene")).expect("folder");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("scene").join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("written");
    }

    /// Asserts that a scene with this mesh is refused, with these fragments in the message.
    fn refuses(&self, file: &str, fragments: &[&str]) {
        let text = shape(&format!("type = \"mesh\", file = {file:?}")).replace("\\0", "\\u0000");
        let scene_file = self.path("bad.toml");
        let message = match scene::parse(&text, &scene_file, &LoadOptions::default()) {
            Ok(_) => panic!("{file} was taken"),
            Err(error) => error.to_string(),
        };
        let start = format!("{}:8:33: {FILE} = {file:?}: ", scene_file.display());
        assert!(message.starts_with(&start), "{message}");
        assert!(fragments.iter().all(|f| message.contains(f)), "{fragments:?} in\n{message}");
    }
}

#[test]
fn names_of_meshes() {
    let bench = Bench::new();
    bench.write("part.obj", TETRAHEDRON);
    bench.write("part.3ds", TETRAHEDRON);
    bench.write("part", TETRAHEDRON);
    fs::create_dir(bench.path("folder.obj")).expect("folder");
    fs::write(bench.folder.path().join("outer.obj"), TETRAHEDRON).expect("written");
    bench.refuses("absent.obj", &["cannot be read (", "o such file"]);
    bench.refuses("", &[".obj, .stl, .ply"]);
    bench.refuses("part", &[".gltf or .msh file"]);
    bench.refuses("part.3ds", &[".gltf or .msh file"]);
    bench.refuses("folder.obj", &["is not a regular file"]);
    bench.refuses("nul\0.obj", &["cannot be read ("]);
    let outside = &["outside the scene's folder", "--allow-outside"];
    bench.refuses("../outer.obj", outside);
    bench.refuses("../absent.obj", outside);
    bench.refuses("../scene/part.obj", outside);
    bench.refuses("folder.obj/../../outer.obj", outside);
    bench.refuses(&bench.path("part.obj").display().to_string(), outside);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(bench.folder.path().join("outer.obj"), bench.path("link.obj"))
            .expect("link");
        bench.refuses("link.obj", outside);
        std::os::unix::fs::symlink(bench.folder.path(), bench.path("up")).expect("link");
        bench.refuses("up/outer.obj", outside);
        // A link within the folder is as good as the file.
        std::os::unix::fs::symlink("part.obj", bench.path("inner.obj")).expect("link");
        let text = shape("type = \"mesh\", file = \"inner.obj\"");
        assert!(scene::parse(&text, &bench.path("good.toml"), &LoadOptions::default()).is_ok());
    }
}

#[test]
fn contents_of_meshes() {
    let bench = Bench::new();
    let cases: &[(&str, &[u8], &[&str])] = &[
        ("empty.obj", b"", &["the file is empty"]),
        ("empty.stl", b"", &["the file is empty"]),
        ("comment.obj", b"# nothing\n", &["holds no faces"]),
        ("cloud.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", &["holds no faces"]),
        ("cut_number.obj", b"v 0 0 0\nv 1 0 0\nv 0 1", &["Wavefront .obj", "line 3", "three numbers"]),
        ("missing.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n", &["Wavefront .obj", "line 3", "here 1 to 2"]),
        ("text.obj", b"f a b c\n", &["Wavefront .obj"]),
        ("nan.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n", &["vertex 1", "not finite"]),
        (
            "flat.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 3 2 1\nf 2 4 3\nf 3 4 2\n",
            &["lie in a plane"],
        ),
        ("point.obj", b"v 1 1 1\nv 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\nf 2 3 4\n", &["all points coincide"]),
        ("text.stl", b"just a text", &["not a mesh in .stl format", "too short"]),
        (
            "cut.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nver",
            &["not a mesh in .stl format"],
        ),
        ("none.stl", b"solid a\nendsolid a\n", &["holds no faces"]),
        (
            "nan.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\n",
            &["not a mesh in .stl format"],
        ),
        ("binary.stl", &[0; 83], &["not a mesh in .stl format"]),
    ];
    for (name, bytes, fragments) in cases {
        bench.write(name, bytes);
        bench.refuses(name, fragments);
    }
    // A binary file that announces more than it holds: four thousand million triangles, and one byte too few.
    let mut binary = vec![b' '; 80];
    binary.extend(u32::MAX.to_le_bytes());
    bench.write("absurd.stl", &binary);
    bench.refuses("absurd.stl", &["4294967295 triangles", "this one has 84"]);
    binary[80..].copy_from_slice(&1u32.to_le_bytes());
    binary.extend([0; 49]);
    bench.write("short.stl", &binary);
    bench.refuses("short.stl", &["1 triangles has 134 bytes, this one has 133"]);
    binary.push(0);
    bench.write("point.stl", &binary);
    bench.refuses("point.stl", &["at least 4"]);
    // The length is checked before anything is read.
    let huge = fs::File::create(bench.path("huge.stl")).expect("created");
    huge.set_len(1 << 33).expect("a sparse file");
    bench.refuses("huge.stl", &["8589934592 bytes", "at most 67108864"]);
}

#[test]
fn scales_of_meshes() {
    let bench = Bench::new();
    bench.write("part.obj", TETRAHEDRON);
    let load = |scale: &str| {
        let text = shape(&format!("type = \"mesh\", file = \"part.obj\", scale = {scale}"));
        scene::parse(&text, &bench.path("bad.toml"), &LoadOptions::default())
    };
    for (scale, fragment) in [("0", "0.0"), ("-1", "-1.0"), ("nan", "NaN"), ("inf", "inf")] {
        let message = load(scale).expect_err("a bad scale").to_string();
        let field = format!("body[0] \"ball\": shape.scale = {fragment}: {POSITIVE}");
        assert!(message.contains(&field), "{message}");
    }
    assert!(load("1e-12").expect_err("tiny").to_string().contains("1e-9 to 1e9 m"));
    assert!(load("1e-3").is_ok());
}

#[test]
fn any_bytes_are_refused_without_a_panic() {
    let bench = Bench::new();
    // A small generator of its own: bytes that look like the formats, cut and mixed.
    let pieces: [&[u8]; 12] = [
        b"solid x\n",
        b"facet normal 0 0 1\n",
        b"outer loop\n",
        b"vertex 1 2 3\n",
        b"endloop\n",
        b"endfacet\n",
        b"endsolid\n",
        b"v 1 2 3\n",
        b"f 1 2 3\n",
        b"f -1 -2 -9\n",
        b"f 1//2 2/1/1 3\n",
        &[0xff, 0, 0x80, b'\n'],
    ];
    let mut state = 1u64;
    for round in 0..300 {
        let mut bytes = Vec::new();
        for _ in 0..round % 40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
        }
        for name in ["any.obj", "any.stl"] {
            bench.write(name, &bytes);
            bench.refuses(name, &[]);
        }
    }
}

#[test]
fn fills_check_their_shapes_too() {
    let fill = |shape: &str, scale: &str| {
        format!(
            "{HEAD}[[fill]]\nname = \"g\"\ncount = 3\ndensity = 1000\nshape = {{ {shape} }}\n{scale}\n\
             region = {{ min = [0, 0, 0], max = [9, 9, 9] }}\n"
        )
    };
    let flat = "type = \"polytope\", vertices = [[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]]";
    run(&[
        ("flat", fill(flat, ""), "fill[0] \"g\": shape.vertices", &["lie in a plane"]),
        (
            "no length",
            fill("type = \"cylinder\", radius = 1, length = 0", ""),
            "fill[0] \"g\": shape.length",
            &[POSITIVE],
        ),
        (
            "grown too large",
            fill(
                "type = \"box\", half_extents = [1, 1, 1]",
                "scale = { type = \"uniform\", min = 1, max = 1e12 }",
            ),
            "fill[0] \"g\": scale",
            &["1e-9 to 1e9 m"],
        ),
        (
            "a mesh that is not there",
            fill("type = \"mesh\", file = \"absent.obj\"", ""),
            "fill[0] \"g\": shape.file",
            &["\"absent.obj\"", "cannot be read"],
        ),
    ]);
    assert!(!Path::new("absent.obj").exists());
}
