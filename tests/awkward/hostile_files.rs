//! Files of every format with damages, numbers that announce too much among them. A reader takes such a file
//! or refuses it: it does not panic, takes little memory and little time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use support::fclib_files::{Fcp, Global, Gp};
use support::parsers;
use support::runs::root;

/// Variable of the environment with the number of mutants of each file, and the number without it.
const COUNT: (&str, u64) = ("MUTANTS", 25);
const LONGEST: Duration = Duration::from_secs(10);
/// Most memory of the whole process (kB).
const MOST_MEMORY: u64 = 1_000_000;
/// Texts in the place of numbers.
const NUMBERS: [&str; 10] =
    ["-1", "0", "1e308", "nan", "3", "65536", "2000000000", "4294967295", "9223372036854775807", "1e-320"];
/// Words that open and close things.
const WORDS: [&[u8]; 9] = [b"\0", b"\xff", b"\n", b"[[", b"\"", b"{", b"<a>", b"/>", b"\x1b]0;x\x07"];

/// A reader of a format, and whether it takes the bytes.
type Reader = fn(&[u8]) -> bool;

#[test]
fn no_mutant_panics_or_takes_much() {
    let count = std::env::var(COUNT.0).ok().and_then(|n| n.parse().ok()).unwrap_or(COUNT.1);
    for (format, reader, good) in files() {
        assert!(reader(&good), "the good {format} is refused");
        let mut refused = 0;
        for number in 0..count {
            let mutant = mutant(&good, &mut Pcg64Mcg::seed_from_u64(number));
            let start = Instant::now();
            let taken = catch_unwind(AssertUnwindSafe(|| reader(&mutant)));
            let taken = taken.unwrap_or_else(|_| panic!("mutant {number} of {format} panics"));
            assert!(start.elapsed() < LONGEST, "mutant {number} of {format}: {:?}", start.elapsed());
            refused += u64::from(!taken);
            if let Some(memory) = peak_memory() {
                assert!(memory < MOST_MEMORY, "mutant {number} of {format}: {memory} kB");
            }
        }
        assert!(refused > 0, "no damage of {format} was noticed");
    }
}

/// Largest memory of this process so far (kB), where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A few damages at random places.
fn mutant(good: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..=bytes.len());
        let length = random.random_range(0..=(bytes.len() - at).min(60));
        match random.random_range(0..8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let piece = bytes[at..at + length].repeat(random.random_range(1..200));
                bytes.splice(at..at, piece);
            }
            3 => {
                let word = WORDS[random.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            4 => bytes
                .get_mut(at..)
                .into_iter()
                .flatten()
                .take(1)
                .for_each(|b| *b ^= 1 << random.random_range(0..8)),
            5 => {
                // Little-endian counts.
                let large = [u64::MAX, 1 << 40, 1 << 31, 1 << 20, 0][random.random_range(0..5)].to_le_bytes();
                let width = [4, 8][random.random_range(0..2)];
                bytes.iter_mut().skip(at - at % 4).zip(large).take(width).for_each(|(b, new)| *b = new);
            }
            _ => replace_number(&mut bytes, at, NUMBERS[random.random_range(0..NUMBERS.len())]),
        }
    }
    bytes
}

/// Replaces the first number in digits at or after a place.
fn replace_number(bytes: &mut Vec<u8>, at: usize, by: &str) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|n| at + n) else { return };
    let is_part = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let end = bytes[start..].iter().position(|b| !is_part(b)).map_or(bytes.len(), |n| start + n);
    bytes.splice(start..end, by.bytes());
}

/// A good file of each format.
fn files() -> Vec<(&'static str, Reader, Vec<u8>)> {
    let scene = |name| fs::read(root().join(format!("scenes/seeds/{name}.toml"))).expect("a seed scene");
    vec![
        ("scene", parsers::scene as Reader, scene("two-spheres")),
        ("scene with joints", parsers::scene, scene("double-pendulum")),
        ("obj", parsers::obj, OBJ.into()),
        ("text stl", parsers::stl, stl(true)),
        ("binary stl", parsers::stl, stl(false)),
        ("text ply", parsers::ply, ply("ascii")),
        ("binary ply", parsers::ply, ply("binary_little_endian")),
        ("msh", parsers::msh, msh()),
        ("dae", parsers::dae, dae()),
        ("glb", parsers::glb, gltf(true)),
        ("gltf", parsers::gltf, gltf(false)),
        ("MJCF", parsers::model, MJCF.into()),
        ("URDF", parsers::model, URDF.into()),
        ("checkpoint", parsers::checkpoint, checkpoint()),
        ("fcp", parsers::fcp, problem().bytes()),
        ("HDF5", parsers::fcp, hdf5()),
        ("gp", parsers::gp, packing()),
    ]
}

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
const OBJ: &str =
    "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -4 -1 -2\n";
const MJCF: &str = r#"<mujoco><compiler angle="degree"/><default><geom density="500"/></default>
<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/>
<body name="b" pos="0 0 0.5"><joint name="j" axis="0 1 0" range="-30 30"/><geom type="mesh" mesh="m"/></body>
</body></worldbody></mujoco>"#;
const URDF: &str = r#"<robot name="r"><link name="base"/><link name="arm">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 0.3"/><geometry><box size="0.1 0.1 0.2"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;

fn le(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn stl(is_text: bool) -> Vec<u8> {
    let mut text = "solid part\n".to_owned();
    let mut binary = vec![0; 80];
    binary.extend(4_u32.to_le_bytes());
    for face in FACES {
        text += "facet normal 0 0 0\nouter loop\n";
        binary.extend([0; 12]);
        for [x, y, z] in face.map(|v| CORNERS[usize::from(v)]) {
            text += &format!("vertex {x} {y} {z}\n");
            binary.extend(le([x, y, z]));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0; 2]);
    }
    text += "endsolid part\n";
    if is_text { text.into() } else { binary }
}

fn ply(format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    for [x, y, z] in CORNERS {
        bytes.extend(if format == "ascii" { format!("{x} {y} {z}\n").into() } else { le([x, y, z]) });
    }
    for [a, b, c] in FACES {
        bytes.extend(if format == "ascii" { format!("3 {a} {b} {c}\n").into_bytes() } else { vec![3] });
        let binary = [a, b, c].into_iter().filter(|_| format != "ascii");
        bytes.extend(binary.flat_map(|v| i32::from(v).to_le_bytes()));
    }
    bytes
}

fn msh() -> Vec<u8> {
    let mut bytes: Vec<u8> = [4i32, 0, 0, 4].into_iter().flat_map(i32::to_le_bytes).collect();
    bytes.extend(le(CORNERS.into_iter().flatten()));
    bytes.extend(FACES.into_iter().flatten().flat_map(|v| i32::from(v).to_le_bytes()));
    bytes
}

fn dae() -> Vec<u8> {
    let list = |of: Vec<String>| of.join(" ");
    let numbers = list(CORNERS.iter().flatten().map(f32::to_string).collect());
    let corners = list(FACES.iter().flatten().map(u16::to_string).collect());
    format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
        <library_geometries><geometry id="g" name="part"><mesh>
        <source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common>
        <accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
        <polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 3 3 3</vcount>
        <p>{corners}</p></polylist></mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"/></node>
        </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"##
    )
    .into_bytes()
}

fn gltf(is_binary: bool) -> Vec<u8> {
    let mut data = le(CORNERS.into_iter().flatten());
    data.extend(FACES.into_iter().flatten().flat_map(u16::to_le_bytes));
    let uri = format!(", \"uri\": \"data:application/octet-stream;base64,{}\"", STANDARD.encode(&data));
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"children": [1]}}, {{"mesh": 0, "name": "part"}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
        "min": [0, 0, 0], "max": [1, 1, 1]}},
        {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
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
    bytes.extend([b"JSON", json.as_slice(), &(data.len() as u32).to_le_bytes(), b"BIN\0", &data].concat());
    bytes
}

fn checkpoint() -> Vec<u8> {
    let mut scene = signorini::Scene::builder();
    scene.body(signorini::Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 1.0]));
    let simulation = signorini::Simulation::new(scene.build().expect("a scene")).expect("a simulation");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.ckpt");
    simulation.save().write(&path).expect("a checkpoint");
    fs::read(&path).expect("a checkpoint")
}

fn problem() -> Fcp {
    let one = |x: f64| vec![vec![x, 0.0, 0.0], vec![0.0, x, 0.0], vec![0.0, 0.0, x]];
    let global = Global { m: one(0.5), h: one(1.0), f: vec![1.0, 0.0, 0.0], w: vec![0.0; 3] };
    Fcp { mu: vec![0.5], q: vec![2.0, 0.0, 0.0], w: one(2.0), global: Some(global) }
}

fn hdf5() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name| folder.path().join(name);
    fs::write(path("a.fcp"), problem().bytes()).expect("a writable folder");
    let signorini_fclib::Content::Fcp(read) =
        signorini_fclib::read(&path("a.fcp")).expect("a problem").content
    else {
        panic!("another format");
    };
    let impulses = signorini_fclib::Impulses { guesses: vec![vec![0.0; 3]], solution: Some(vec![0.0; 3]) };
    signorini_fclib::write(&path("a.hdf5"), &read, &impulses, "a problem").expect("a writable folder");
    fs::read(path("a.hdf5")).expect("a problem")
}

fn packing() -> Vec<u8> {
    Gp::sphere_on_plane(1.0, [1.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5).bytes()
}
