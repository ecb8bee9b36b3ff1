//! `[[bodies]]`: bodies from the rows of a table, and tables that are refused with line and column.

use signorini_scene::scene::{self, LoadOptions, Loaded, Scene};
use std::fs;
use tempfile::TempDir;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[friction]]\ncoefficient = 0.4\n\
                    [[material]]\nname = \"steel\"\n[[material]]\nname = \"glass\"\n\
                    [[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";
const TABLE: &str = "[[bodies]]\nname = \"grain\"\nfile = \"grains.csv\"\ndensity = 2500\nmaterial = \"glass\"\n\
                     shapes = [{ name = \"pebble\", shape = { type = \"ellipsoid\", semi_axes = [0.03, 0.02, 0.01] } },\n\
                     { name = \"peg\", parts = [{ shape = { type = \"sphere\", radius = 0.02 } },\n\
                     { position = [0, 0, 0.05], shape = { type = \"cylinder\", radius = 0.01, length = 0.06 } }] }]\n";

/// A folder with a scene and its table.
fn folder(table: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("grains.csv"), table).expect("a table");
    fs::write(folder.path().join("scene.toml"), format!("{HEAD}{TABLE}")).expect("a scene");
    folder
}

fn load(table: &str) -> signorini::Result<Loaded> {
    let folder = folder(table);
    scene::load(&folder.path().join("scene.toml"), &LoadOptions::default())
}

fn scene_of(table: &str) -> Scene {
    load(table).unwrap_or_else(|e| panic!("{e}")).scene
}

#[test]
fn a_row_is_a_body_as_it_is_written_one_by_one() {
    let found = scene_of(
        "# a comment\nx,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,shape,scale,material,body\n\
         0.1,0.2,1,0.6,0.8,0,0,1,2,3,4,5,6,pebble,2,steel,first\n\
         \n1, 0, 1, 1,0,0,0, 0,0,0, 0,0,0, pebble, 1, , \n",
    );
    let one_by_one = format!(
        "{HEAD}[[body]]\nname = \"first\"\ndensity = 2500\nmaterial = \"steel\"\nposition = [0.1, 0.2, 1]\n\
         orientation = [0.6, 0.8, 0, 0]\nvelocity = [1, 2, 3]\nangular_velocity = [4, 5, 6]\n\
         shape = {{ type = \"ellipsoid\", semi_axes = [0.06, 0.04, 0.02] }}\n\
         [[body]]\nname = \"grain-1\"\ndensity = 2500\nmaterial = \"glass\"\nposition = [1, 0, 1]\n\
         shape = {{ type = \"ellipsoid\", semi_axes = [0.03, 0.02, 0.01] }}\n"
    );
    let expected = scene::parse(&one_by_one, "scene.toml".as_ref(), &LoadOptions::default()).unwrap().scene;
    assert_eq!(found.bodies, expected.bodies);
    // The resolved scene needs no table.
    let again = scene::parse(&scene::to_toml(&found), "again".as_ref(), &LoadOptions::default());
    assert_eq!(again.expect("a scene").scene, found);
}

#[test]
fn a_body_of_several_parts_turns_about_their_centre_of_mass() {
    let scene = scene_of("x,y,z,shape,scale\n0,0,1,peg,1\n1,0,1,peg,2\n");
    let [one, two] = [1, 2].map(|id| &scene.bodies[id]);
    assert_eq!((one.parts.len(), two.parts.len()), (2, 2));
    assert!((two.mass / one.mass - 8.0).abs() < 1e-12 && (two.inertia / one.inertia[0])[0] > 31.9);
    assert_eq!(two.parts[1].pose.position, 2.0 * one.parts[1].pose.position);
}

#[test]
fn one_shape_needs_no_column() {
    let folder = folder("x,y,z\n0,0,1\n1,0,1\n");
    let text = fs::read_to_string(folder.path().join("scene.toml")).unwrap();
    let text = text.split(",\n{ name = \"peg\"").next().unwrap().to_owned() + "]\n";
    fs::write(folder.path().join("scene.toml"), text).unwrap();
    let scene = Scene::load(folder.path().join("scene.toml")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        scene.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(),
        ["floor", "grain-0", "grain-1"]
    );
}

#[test]
fn joints_and_measures_name_bodies_of_a_table() {
    let folder = folder("x,y,z,shape,body\n0,0,1,pebble,left\n1,0,1,pebble,right\n");
    let path = folder.path().join("scene.toml");
    let joint = "[[joint]]\nname = \"rod\"\ntype = \"distance\"\nbetween = [\"left\", \"right\"]\n\
                 anchors = [[0, 0, 0], [0, 0, 0]]\n";
    let text = fs::read_to_string(&path).unwrap() + joint;
    fs::write(&path, text).unwrap();
    let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.joints[0].bodies, [1, 2]);
}

#[test]
fn faults_of_a_table_have_line_and_column() {
    let cases = [
        ("", "grains.csv:1:1: x = absent: the table needs this column"),
        ("x,y,z,shape\n", "grains.csv: has no rows"),
        ("x,y,shape\n0,0,pebble\n", "grains.csv:1:1: z = absent: the table needs this column"),
        (
            "x,y,z,shpe\n",
            "grains.csv:1:7: column = \"shpe\": no such column (did you mean \"shape\"?); known: x, y, z",
        ),
        ("x,y,z,x\n", "grains.csv:1:7: column = \"x\": must be unique"),
        ("x,y,z,shape,qw,qx\n", "grains.csv:1:1: qy = absent: the columns qw, qx, qy, qz stand together"),
        ("x,y,z,shape\n0,0,pebble\n", "grains.csv:2:1: 3 fields, where the header has 4"),
        (
            "x,y,z,shape\n0,0,1,pebble\n0,one,1,pebble\n",
            "grains.csv:3:3: row 1: y = \"one\": must be a number",
        ),
        ("x,y,z,shape\n0,0,,pebble\n", "grains.csv:2:5: row 0: z = \"\": must be a number"),
        ("x,y,z,shape\n0,0,inf,pebble\n", "grains.csv:2:5: row 0: z = inf: must be a finite number"),
        (
            "# note\n\nx,y,z,shape\n\n# note\n0,0,nan,pebble\n",
            "grains.csv:6:5: row 0: z = NaN: must be a finite number",
        ),
        (
            "x,y,z,shape\n0,0,1,peble\n",
            "grains.csv:2:7: row 0: shape = \"peble\": no such shape (did you mean \"pebble\"?); known: \"pebble\", \"peg\"",
        ),
        (
            "x,y,z\n0,0,1\n",
            "grains.csv:2:1: row 0: shape = absent: must name one of the shapes, which are several",
        ),
        (
            "x,y,z,shape,scale\n0,0,1,pebble,0\n",
            "grains.csv:2:14: row 0: scale = 0.0: must be a finite number > 0",
        ),
        (
            "x,y,z,shape,scale\n0,0,1,pebble,1e12\n",
            "grains.csv:2:14: row 0: scale = 1000000000000.0: lengths",
        ),
        (
            "x,y,z,shape,material\n0,0,1,\"pebble\",wood\n",
            "grains.csv:2:16: row 0: material = \"wood\": no such material; known: \"steel\", \"glass\"",
        ),
        (
            "x,y,z,qw,qx,qy,qz,shape\n0,0,1,2,0,0,0,pebble\n",
            "grains.csv:2:7: row 0: qw = [2.0, 0.0, 0.0, 0.0]: must be a unit quaternion",
        ),
        (
            "x,y,z,shape,body\n0,0,1,pebble,a\n1,0,1,pebble,a\n",
            "grains.csv:3:14: row 1: body = \"a\": must be unique",
        ),
        (
            "x,y,z,shape,body\n0,0,1,pebble,floor\n",
            "scene.toml:15:8: bodies[0] \"grain\": name = \"floor\": must be unique among the bodies",
        ),
        ("x,y,z,shape\n0,0,1,pebble\n0,0,1,pebble\n", "bodies \"grain-0\" and \"grain-1\" overlap"),
        ("x,y,z,shape\n0,0,1,\u{fffd}\n", "row 0: shape = \"\u{fffd}\": no such shape"),
    ];
    for (table, expected) in cases {
        let told = load(table).expect_err(table).to_string();
        assert!(told.contains(expected), "expected {expected}\n     got {told}");
    }
    // All rows at fault are told at once, up to twenty.
    let rows: String = (0..30).map(|_| "0,x,1,none\n").collect();
    let told = load(&format!("x,y,z,shape\n{rows}")).expect_err("faults").to_string();
    assert_eq!(told.lines().count(), 40, "{told}");
}

#[test]
fn tables_that_cannot_be_read_are_refused() {
    let folder = folder("x,y,z,shape\n0,0,1,pebble\n");
    let path = folder.path().join("scene.toml");
    let text = fs::read_to_string(&path).unwrap();
    let told = |file: &str| {
        fs::write(&path, text.replace("grains.csv", file)).unwrap();
        Scene::load(&path).expect_err(file).to_string()
    };
    assert!(told("none.csv").contains("bodies[0] \"grain\": file = \"none.csv\": cannot be read"));
    assert!(told("../grains.csv").contains("is outside the scene's folder"));
    assert!(told(".").contains("file = \".\": "));
    fs::write(folder.path().join("bytes.csv"), b"x,y,z,shape\n0,0,1,\xff\n").unwrap();
    assert!(told("bytes.csv").contains("bytes.csv:2:1: is not UTF-8 text"));
}

#[test]
fn ten_thousand_bodies_are_read() {
    let mut table = "x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,shape,scale\n".to_owned();
    for k in 0..10_000 {
        let [x, y, z] = [k % 20, k / 20 % 20, k / 400].map(|i| 0.1 * f64::from(i) + 0.05);
        let scale = 0.8 + 0.00002 * f64::from(k);
        table += &format!("{x},{y},{z},0.6,0.8,0,0,0,0,-1,0,0,0,pebble,{scale}\n");
    }
    let folder = folder(&table);
    let scene = Scene::load(folder.path().join("scene.toml")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.bodies.len(), 10_001);
}
