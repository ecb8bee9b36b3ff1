//! Courses and poses from tables (CSV): the motion that they give, and tables that are refused.

use signorini_scene::scene::{self, LoadOptions, Motion, Scene, TimeFunction, Trajectory};
use std::f64::consts::TAU;
use std::fs;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n\
                    [[body]]\nname = \"table\"\nshape = { type = \"box\", half_extents = [1, 1, 0.1] }\n\
                    [[body]]\nname = \"far\"\nmass = 1\nposition = [9, 9, 9]\nshape = { type = \"sphere\", radius = 0.1 }\n\
                    [[motion]]\nbody = \"table\"\n";

/// Loads a scene with this motion beside a table.
fn load(motion: &str, table: &str) -> signorini::Result<Scene> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("quake.csv"), table).expect("a table");
    fs::write(folder.path().join("scene.toml"), format!("{HEAD}{motion}\n")).expect("a scene");
    Ok(scene::load(&folder.path().join("scene.toml"), &LoadOptions::default())?.scene)
}

fn read(motion: &str, table: &str) -> Scene {
    let scene = load(motion, table).unwrap_or_else(|e| panic!("{e}"));
    // The resolved scene needs no table.
    let again = scene::parse(&scene::to_toml(&scene), "again".as_ref(), &LoadOptions::default());
    assert_eq!(again.expect("a scene").scene, scene);
    scene
}

/// A sine of acceleration, written at 100 Hz as multiples of g, gives the displacement of theory: straight
/// lines to (2π f Δ)²/12, cubics to 11/720 (2π f Δ)⁴ of the velocity.
#[test]
fn a_recorded_sine_gives_the_displacement_of_theory() {
    let (amplitude, frequency, g) = (0.2, 2.0, 9.81);
    let rate = TAU * frequency;
    let mut table = "# a record\ntime, up, east\n".to_owned();
    for k in 0..=300 {
        let t = 0.01 * f64::from(k);
        table += &format!("{t}, 0, {}\n", amplitude * (rate * t).sin());
    }
    let lacking = (rate * 0.01).powi(2) / 12.0;
    for (more, most) in [("", 1.1 * lacking), (", interpolation = \"cubic\"", 2.5 * lacking * lacking)] {
        let motion = format!(
            "direction = [0, 1, 0]\nstart_velocity = {:?}\n\
             acceleration = {{ type = \"table\", file = \"quake.csv\", column = \"east\", factor = 9.81{more} }}",
            -amplitude * g / rate
        );
        let scene = read(&motion, &table);
        let reach = amplitude * g / (rate * rate);
        let mut worst = 0.0_f64;
        for k in 0..300 {
            let t = 0.01 * f64::from(k) + 0.003;
            let exact = -reach * (rate * t).sin();
            let error = (scene.prescribed_pose(0, t).position.y - exact).abs();
            worst = worst.max(error / (reach * (1.0 + rate * t)));
        }
        assert!(worst < most && worst > 0.05 * most, "{more}: {worst}, at most {most}");
    }
}

#[test]
fn a_table_of_displacements_has_one_column_beside_the_times() {
    let scene = read(
        "direction = [0, 0, 1]\nposition = { type = \"table\", file = \"quake.csv\" }",
        "d,time\n1,0\n3,2\n",
    );
    let Motion::Position(TimeFunction::Table { times, values }) = &scene.motions[0].motion else { panic!() };
    assert_eq!((times.as_slice(), values.as_slice()), ([0.0, 2.0].as_slice(), [1.0, 3.0].as_slice()));
    assert!((scene.prescribed_pose(0, 1.0).position.z - 1.0).abs() < 1e-15);
}

#[test]
fn poses_have_the_columns_of_the_table_of_bodies() {
    let poses = "poses = { file = \"quake.csv\" }";
    let scene =
        read(poses, "step,time,body,x,y,z,qw,qx,qy,qz\n0,0,a,1,2,3,1,0,0,0\n1,1,a,2,2,3,0.6,0.8,0,0\n");
    let Trajectory::Through(course) = &scene.motions[0].trajectory else { panic!() };
    assert_eq!(course.times, [0.0, 1.0]);
    let pose = scene.prescribed_pose(0, 1.0);
    assert!((pose.position.x - 1.0).abs() < 1e-15 && (pose.orientation.i - 0.8).abs() < 1e-12);
    let scene = read(poses, "time,x,y,z\n0,0,0,0\n1,0,0,1\n");
    assert_eq!(scene.prescribed_pose(0, 0.5).position.z, 0.5);
}

#[test]
fn faults_of_courses_are_told() {
    let table = "direction = [1, 0, 0]\nacceleration = { type = \"table\", file = \"quake.csv\" }";
    let column =
        "direction = [1, 0, 0]\nposition = { type = \"table\", file = \"quake.csv\", column = \"b\" }";
    let poses = "poses = { file = \"quake.csv\" }";
    let inline = |more: &str| {
        format!(
            "direction = [1, 0, 0]\nacceleration = {{ type = \"table\", times = [0, 1], values = [0, 1] }}\n{more}"
        )
    };
    let cases = [
        (table, "", "quake.csv: has the columns ; say with `column` which one is meant"),
        (table, "time,a\n", "quake.csv: has no rows"),
        (table, "t,a\n0,1\n", "quake.csv: has the columns t, a; say with `column` which one is meant"),
        (table, "time,a,b\n0,1,2\n", "quake.csv: has the columns time, a, b; say with `column`"),
        (table, "t\n0\n", "quake.csv: has no column \"time\"; its columns: t"),
        (column, "time,a\n0,1\n", "quake.csv: has no column \"b\"; its columns: time, a"),
        (table, "time,a\n0,1\n0.1,x\n", "quake.csv:3:5: row 1: a = \"x\": must be a number"),
        (table, "time,a\n0,1\n0.1,nan\n", "quake.csv:3:5: row 1: a = NaN: must be a finite number"),
        (
            table,
            "time,a\n0,1\n0.2,1\n0.1,1\n",
            "quake.csv:4:1: row 2: time = 0.1: must rise from each row to the next: 0.2 is before it",
        ),
        (table, "time,a\n0,1\n0.1\n", "quake.csv:3:1: 1 fields, where the header has 2"),
        (poses, "time,x,y\n0,1,2\n", "quake.csv: has no column \"z\""),
        (poses, "time,x,y,z,qw\n0,1,2,3,1\n", "quake.csv: has no column \"qx\""),
        (
            poses,
            "time,x,y,z,qw,qx,qy,qz\n0,1,2,3,1,1,0,0\n",
            "quake.csv:2:9: row 0: qw = [1.0, 1.0, 0.0, 0.0]: must be a unit quaternion",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"table\", file = \"none.csv\" }",
            "",
            "motion[0] \"table\": position.file = \"none.csv\": cannot be read",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"table\", file = \"../quake.csv\" }",
            "",
            "position.file = \"../quake.csv\": is outside the scene's folder",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"table\", file = \"quake.csv\", times = [0], values = [1] }",
            "time,a\n0,1\n",
            "position.file = \"quake.csv\": give either `file` or `times` and `values`",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"table\", times = [0], values = [1], column = \"a\" }",
            "",
            "position.column = \"a\": only together with `file`",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"table\" }",
            "",
            "position.times = 0 times, 0 values: must be as many times as values",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"constant\", value = 1 }\nend_at_rest = true",
            "",
            "end_at_rest = given: only together with acceleration",
        ),
        (
            "direction = [1, 0, 0]\nposition = { type = \"constant\", value = 1 }\nstart_velocity = 1",
            "",
            "start_velocity = given: only together with acceleration",
        ),
        (
            "direction = [1, 0, 0]\nacceleration = { type = \"constant\", value = 1 }\nend_at_rest = true",
            "",
            "end_at_rest = true: only a table has an end",
        ),
        (
            "direction = [1, 0, 0]\nacceleration = { type = \"table\", times = [-1, 0], values = [1, 1] }\nend_at_rest = true",
            "",
            "end_at_rest = true: the table must go on after time 0",
        ),
        (
            "poses = { times = [0, 1], positions = [[0, 0, 0]] }",
            "",
            "poses.times = 2 times, 1 positions, 0 orientations: must be as many",
        ),
        (
            "poses = { times = [1, 0], positions = [[0, 0, 0], [0, 0, 0]] }",
            "",
            "poses.times = 0.0 after 1.0: must rise",
        ),
        (
            "direction = [1, 0, 0]\nposes = { times = [0], positions = [[0, 0, 0]] }",
            "",
            "direction = given: poses need none",
        ),
    ];
    for (motion, table, expected) in cases {
        let told = load(motion, table).expect_err(motion).to_string();
        assert!(told.contains(expected), "expected {expected}\n     got {told}");
    }
    let two = inline("[[motion]]\nbody = \"table\"\nposes = { times = [0], positions = [[0, 0, 0]] }");
    let told = load(&two, "").expect_err("two motions").to_string();
    assert!(told.contains("poses = given: a body that goes through poses has no other motion"), "{told}");
    let told =
        load(&inline("position = { type = \"constant\", value = 1 }"), "").expect_err("two").to_string();
    assert!(told.contains("give either position, velocity, acceleration or poses"), "{told}");
    // A fault is told once.
    assert_eq!(
        load(table, "time,a\nx,1\n").expect_err("a word").to_string().matches("must be a number").count(),
        1
    );
}
