//! A built scene is the scene of a file that says the same.

use crate::scene::file::Meshes;
use crate::scene::{
    Axis, Body, BodyBuilder, Friction, Joint, LoadOptions, Material, Motion, Scene, TimeFunction, Trajectory,
    parse,
};
use crate::settings::Formulation;
use nalgebra::{UnitQuaternion, Vector3};

const BODIES: &str = r#"
[[material]]
name = "rubber"
stiffness = 1e6
dissipation_time = 1e-3
[[material]]
name = "steel"
[[material]]
name = "default"
[[friction]]
coefficient = 0.4
ellipsoid = { r = 0.01 }
[[friction]]
between = ["steel", "rubber"]
coefficient = 0.2
ellipsoid = { o = 0.5 }
direction = [1, 0, 0]
[[body]]
name = "ground"
material = "steel"
shape = { type = "half_space", normal = [0, 0, 1], offset = -0.5 }
[[body]]
name = "egg"
mass = 2
material = "rubber"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.2, 0.3] }
position = [0, 0, 1]
orientation = ORIENTATION
velocity = [1, 0, 0]
angular_velocity = [0, 3, 0]
force = [0, 1, 0]
torque = [0, 0, 0.1]
[[body]]
name = "tetrahedron"
density = 900
material = "steel"
position = [0.6, 0, 0.9]
shape = { type = "polytope", vertices = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]] }
[[container]]
name = "container-0"
min = [-1, -1, -0.4]
max = [1, 1, 4]
[[fill]]
name = "grain"
count = 20
density = 500
material = "rubber"
shape = { type = "cylinder", radius = 0.1, length = 0.1 }
region = { min = [-0.9, -0.9, 1.6], max = [0.9, 0.9, 3] }
"#;

const JOINTS: &str = r#"
[solver]
formulation = "compliant"
[[body]]
name = "box-0"
fixed = true
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
[[body]]
name = "box-1"
mass = 1
position = [0.7, 0, 0]
shape = { type = "box", half_extents = [0.5, 0.05, 0.05] }
[[body]]
name = "sphere-2"
mass = 1
position = [2, 0, 0]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "box-3"
mass = 1
position = [0, 2, 0]
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
[[joint]]
name = "hinge"
type = "revolute"
between = ["box-0", "box-1"]
anchor = [0.1, 0, 0]
axis = [0, 1, 0]
angle_limits = [-1, 2]
[[joint]]
name = "joint-1"
type = "distance"
between = ["box-1", "sphere-2"]
anchors = [[0.5, 0, 0], [0, 0, 0]]
collide = true
[[joint]]
name = "joint-2"
type = "prismatic"
between = ["box-0", "box-3"]
axis = [1, 0, 0]
[[motor]]
joint = "hinge"
velocity = { type = "constant", value = 0.5 }
largest_force = 20
[[motion]]
joint = "joint-2"
position = { type = "sine", amplitude = 0.1, frequency = 2 }
[[motion]]
body = "box-0"
direction = [0, 0, 1]
velocity = { type = "constant", value = 0.2 }
[[impulse]]
body = "sphere-2"
time = 0.5
linear = [1, 0, 0]
[[force]]
body = "box-1"
from = 0.1
to = 0.2
force = [0, 0, 3]
[[spring]]
between = ["box-0", "sphere-2"]
points = [[0, 0, 0], [0.1, 0, 0]]
stiffness = 50
damping = 0.5
"#;

fn from_file(text: &str) -> Scene {
    let text = format!("format = 1\n[simulation]\ntime_step = 0.005\nduration = 3\nseed = 7\n{text}");
    parse(&text, std::path::Path::new("file"), &LoadOptions::default()).expect("a scene").scene
}

#[test]
fn bodies_materials_and_fills_are_those_of_the_file() {
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(3.0).seed(7);
    scene.material(Material::new("rubber").stiffness(1e6).dissipation_time(1e-3));
    scene.material(Material::new("steel")).friction(Friction::coulomb(0.4).with_torsion(0.01));
    let slippery = Friction::coulomb(0.2).with_directions([1.0, 0.5], [1.0, 0.0, 0.0]);
    scene.friction_between("steel", "rubber", slippery);
    scene.body(Body::half_space([0.0, 0.0, 1.0], -0.5).material("steel").named("ground"));
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, 0.3));
    scene.body(
        Body::ellipsoid([0.1, 0.2, 0.3])
            .mass(2.0)
            .material("rubber")
            .at([0.0, 0.0, 1.0])
            .turned([0.0, 0.0, 2.0], 0.3)
            .velocity([1.0, 0.0, 0.0])
            .angular_velocity([0.0, 3.0, 0.0])
            .force([0.0, 1.0, 0.0])
            .torque([0.0, 0.0, 0.1])
            .named("egg"),
    );
    let corners = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]];
    scene.body(
        Body::polytope(corners).density(900.0).at([0.6, 0.0, 0.9]).named("tetrahedron").material("steel"),
    );
    scene.container([-1.0, -1.0, -0.4], [1.0, 1.0, 4.0], false);
    let grain = Body::cylinder(0.1, 0.1).density(500.0).material("rubber").named("grain");
    scene.fill(20, grain, [-0.9, -0.9, 1.6], [0.9, 0.9, 3.0]);
    let built = scene.build().expect("a scene");
    let q = turn.coords;
    let orientation = format!("[{:?}, {:?}, {:?}, {:?}]", q.w, q.x, q.y, q.z);
    let expected = from_file(&BODIES.replace("ORIENTATION", &orientation));
    assert_eq!(built, expected);
}

#[test]
fn joints_motions_and_loads_are_those_of_the_file() {
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(3.0).seed(7).formulation(Formulation::Compliant);
    let post = scene.body(Body::box_([0.1; 3]).fixed());
    let arm = scene.body(Body::box_([0.5, 0.05, 0.05]).mass(1.0).at([0.7, 0.0, 0.0]));
    let bob = scene.body(Body::sphere(0.1).mass(1.0).at([2.0, 0.0, 0.0]));
    let cart = scene.body(Body::box_([0.1; 3]).mass(1.0).at([0.0, 2.0, 0.0]));
    let hinge = Joint::revolute(post, arm, [0.1, 0.0, 0.0], [0.0, 1.0, 0.0]);
    scene.joint(hinge.limits(Axis::Angle, -1.0, 2.0).motor(Axis::Angle, 0.5, 20.0).named("hinge"));
    scene.joint(Joint::distance(arm, bob, [0.5, 0.0, 0.0], [0.0; 3]).collide());
    let sine = TimeFunction::Sine { amplitude: 0.1, frequency: 2.0, phase: 0.0, offset: 0.0 };
    let slider = Joint::prismatic(post, cart, [1.0, 0.0, 0.0]);
    scene.joint(slider.motion(Axis::Slide, Motion::Position(sine)));
    scene.motion(post, Trajectory::Along(Vector3::z()), Motion::Velocity(TimeFunction::from(0.2)));
    scene.impulse(bob, 0.5, [1.0, 0.0, 0.0]).force(arm, 0.1..0.2, [0.0, 0.0, 3.0]);
    scene.spring([post, bob], [[0.0; 3], [0.1, 0.0, 0.0]], 50.0, 0.5);
    let expected = from_file(JOINTS);
    assert_eq!(scene.build().expect("a scene"), expected);
}

#[test]
fn faults_name_the_body_and_the_field() {
    let fault = |body: BodyBuilder| {
        let mut scene = Scene::builder();
        scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
        scene.body(body);
        scene.build().expect_err("a bad scene").to_string()
    };
    let text = fault(Body::sphere(0.1).at([0.0, 0.0, 1.0]).named("ball"));
    assert_eq!(text, "scene: body[1] \"ball\": mass = absent: a moving body needs mass or density");
    let text = fault(Body::box_([0.1, 0.0, 0.1]).density(1000.0).at([0.0, 0.0, 1.0]));
    assert!(text.starts_with("scene: body[1] \"box-1\": shape.half_extents = [0.1, 0.0, 0.1]"), "{text}");
    let text = fault(Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 1.0]).material("stone").fixed());
    assert!(text.contains("needs at least one body that is not fixed"), "{text}");
}

#[test]
fn a_compound_is_that_of_a_file() {
    let text = r#"
format = 1
[simulation]
time_step = 0.01
duration = 1.0
[[friction]]
coefficient = 0.3
[[body]]
name = "dumbbell"
position = [0, 0, 1]
velocity = [1, 0, 0]
parts = [
  { shape = { type = "cylinder", radius = 0.02, length = 0.4 }, density = 2700, material = "wood" },
  { shape = { type = "sphere", radius = 0.05 }, density = 7800, position = [0, 0, -0.25] },
  { shape = { type = "sphere", radius = 0.05 }, density = 7800, position = [0, 0, 0.25] },
]
"#;
    let file = parse(text, std::path::Path::new("dumbbell"), &LoadOptions::default()).expect("a scene").scene;
    let mut scene = Scene::builder();
    scene.friction(Friction::coulomb(0.3));
    let rod = Body::cylinder(0.02, 0.4).density(2700.0).material("wood");
    let ends = [-0.25, 0.25].map(|z| Body::sphere(0.05).density(7800.0).at([0.0, 0.0, z]));
    let parts = [rod].into_iter().chain(ends);
    scene.body(Body::compound(parts).at([0.0, 0.0, 1.0]).velocity([1.0, 0.0, 0.0]).named("dumbbell"));
    assert_eq!(scene.build().expect("a scene"), file);
}

/// A mesh that is known is not read again: its file may be gone.
#[test]
fn known_meshes_are_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("corner.obj");
    std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n").expect("a file");
    let mut scene = Scene::builder();
    scene.body(Body::mesh(&file, 1.0).density(1000.0));
    scene.body(Body::mesh(&file, 1.0).density(1000.0).at([3.0, 0.0, 0.0]));
    let mut meshes = Meshes::beside(std::path::Path::new("scene"), true);
    let first = scene.build_with_meshes(&mut meshes).expect("a scene");
    std::fs::remove_file(&file).expect("gone");
    assert_eq!(scene.build_with_meshes(&mut meshes).expect("a scene"), first);
    let [remark] = meshes.remarks() else { panic!("{:?}", meshes.remarks()) };
    assert!(remark.text.contains("is not closed") && remark.file == file.to_string_lossy());
    assert!(scene.build().is_err());
}
