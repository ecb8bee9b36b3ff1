//! Damaged files: with pieces cut out, doubled, or put in. A parser refuses such a file with an error or
//! takes it, and does not panic. Each find of a fuzzer belongs here as a case.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fs;
use support::fclib_files::{Fcp, Global};
use support::parsers;
use support::runs::root;

/// Pieces that parsers search for, or stumble over.
const WORDS: [&[u8]; 16] = [
    b"0",
    b"-1",
    b"1e308",
    b"nan",
    b"inf",
    b"4294967295",
    b"9223372036854775807",
    b"\0",
    b"\xff",
    b"\n",
    b"[",
    b"]",
    b"\"",
    b"{",
    b"= ",
    b"/",
];

/// A few damages at random places.
fn damaged(good: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..random.random_range(1..4) {
        let n = bytes.len();
        let at = random.random_range(0..=n);
        let length = random.random_range(0..=(n - at).min(40));
        match random.random_range(0..6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let doubled = bytes[at..at + length].to_vec();
                bytes.splice(at..at, doubled);
            }
            3 => {
                let word = WORDS[random.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            4 => bytes[at..at + length].reverse(),
            _ => bytes
                .get_mut(at..)
                .into_iter()
                .flatten()
                .take(1)
                .for_each(|b| *b ^= 1 << random.random_range(0..8)),
        }
    }
    bytes
}

/// Good files are taken; of the damaged ones some are refused.
fn throw(parser: fn(&[u8]) -> bool, good: &[Vec<u8>], n: usize) {
    let mut refused = 0;
    for (seed, file) in good.iter().enumerate() {
        assert!(parser(file), "good file {seed} is refused: {}", String::from_utf8_lossy(file));
        let mut random = Pcg64Mcg::seed_from_u64(seed as u64);
        for _ in 0..n {
            refused += usize::from(!parser(&damaged(file, &mut random)));
        }
    }
    assert!(refused > 0, "no damage was noticed");
}

/// Seed scenes that need no other file and have few bodies.
#[test]
fn scenes() {
    let names = ["two-spheres", "double-pendulum", "slope", "stack", "spinning-sphere"];
    let read = |name| fs::read(root().join(format!("scenes/seeds/{name}.toml"))).expect("a seed scene");
    throw(parsers::scene, &names.map(read), 400);
}

const OBJ: &str = "\
# a tetrahedron
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1/1 2/1 4/1
f 2//1 3//1 4//1
f -4 -1 -2
";

#[test]
fn obj_meshes() {
    throw(parsers::obj, &[OBJ.into()], 1000);
}

const TETRAHEDRON: [[[f32; 3]; 3]; 4] = {
    let (o, x, y, z) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    [[o, y, x], [o, x, z], [x, y, z], [o, z, y]]
};

#[test]
fn stl_meshes() {
    let mut text = String::from("solid part\n");
    let mut binary = vec![0; 80];
    binary.extend(4_u32.to_le_bytes());
    for triangle in TETRAHEDRON {
        text += "facet normal 0 0 0\nouter loop\n";
        binary.extend([0; 12]);
        for [x, y, z] in triangle {
            text += &format!("vertex {x} {y} {z}\n");
            binary.extend([x, y, z].iter().flat_map(|c| c.to_le_bytes()));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0; 2]);
    }
    text += "endsolid part\n";
    throw(parsers::stl, &[text.into(), binary], 1000);
}

#[test]
fn ply_meshes() {
    let head = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
             element face 4\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let corners = [[0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0_i32, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let mut text = head("ascii");
    let mut binary = head("binary_little_endian").into_bytes();
    for [x, y, z] in corners {
        text += &format!("{x} {y} {z}\n");
        binary.extend([x, y, z].iter().flat_map(|c| c.to_le_bytes()));
    }
    for [a, b, c] in faces {
        text += &format!("3 {a} {b} {c}\n");
        binary.push(3);
        binary.extend([a, b, c].iter().flat_map(|k| k.to_le_bytes()));
    }
    throw(parsers::ply, &[text.into(), binary], 1000);
}

const MJCF: &str = r#"<mujoco model="m">
  <option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1">
      <freejoint/>
      <geom type="box" size="0.1 0.2 0.3" density="1000"/>
      <body name="b" pos="0 0 0.5">
        <joint name="j" type="hinge" axis="0 1 0" range="-1 1"/>
        <geom type="capsule" size="0.05 0.1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"#;

const URDF: &str = r#"<robot name="r">
  <link name="base">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.3"/><geometry><box size="0.1 0.1 0.2"/></geometry></collision>
  </link>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"#;

#[test]
fn models() {
    throw(parsers::model, &[MJCF.into(), URDF.into()], 1000);
}

#[test]
fn checkpoints() {
    let mut scene = signorini::Scene::builder();
    scene.body(signorini::Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 1.0]));
    let simulation = signorini::Simulation::new(scene.build().expect("a scene")).expect("a simulation");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.ckpt");
    simulation.save().write(&path).expect("a checkpoint");
    throw(parsers::checkpoint, &[fs::read(&path).expect("a checkpoint")], 1000);
}

#[test]
fn problems_of_fclib() {
    let one = |x: f64| vec![vec![x, 0.0, 0.0], vec![0.0, x, 0.0], vec![0.0, 0.0, x]];
    let plain = Fcp::one_contact([2.0, 1.0, 1.0], [-2.0, 0.3, -0.1], 0.5);
    let global = Global { m: one(0.5), h: one(1.0), f: vec![1.0, 0.0, 0.0], w: vec![0.0; 3] };
    let both = Fcp { mu: vec![0.5], q: vec![2.0, 0.0, 0.0], w: one(2.0), global: Some(global) };
    throw(parsers::fcp, &[plain.bytes(), both.bytes()], 1000);
}
