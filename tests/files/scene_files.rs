//! Scene files: the seeds parse, a resolved scene reads back bit for bit, fills are deterministic.

use nalgebra::Vector3;
use signorini_geometry::Shape;
use signorini_scene::scene::{self, LoadOptions, Overrides, Scene};
use std::fs;
use std::path::{Path, PathBuf};

fn parse(text: &str) -> scene::Loaded {
    scene::parse(text, Path::new("test.toml"), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// All scene files of the repository.
fn scene_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["scenes/seeds", "scenes/granular", "scenes/gallery"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).expect("folder of scenes") {
            found.push(entry.expect("entry").path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    found.sort();
    assert!(found.len() >= 8);
    found
}

/// Debug text distinguishes every two floats, −0 and 0 included.
fn assert_identical(a: &Scene, b: &Scene) {
    assert_eq!(a, b);
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn every_scene_of_the_repository_loads_without_remarks() {
    for path in scene_files() {
        let loaded = scene::load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(loaded.notes.is_empty(), "{}: {:?}", path.display(), loaded.notes);
        loaded.scene.validate().unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn resolved_scenes_read_back_bit_for_bit() {
    for path in scene_files() {
        let loaded = scene::load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let text = scene::to_toml(&loaded.scene);
        let again = parse(&text);
        assert_identical(&loaded.scene, &again.scene);
        assert_eq!(again.notes, Vec::<String>::new());
        assert_eq!(scene::to_toml(&again.scene), text);
    }
}

#[test]
fn fills_are_the_same_for_the_same_seed_only() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/granular/ellipsoids-64.toml");
    let load = |seed| {
        let overrides = Overrides { seed: Some(seed), ..Default::default() };
        scene::load(&path, &LoadOptions { overrides, ..Default::default() }).expect("a scene").scene
    };
    assert_identical(&load(7), &load(7));
    assert_ne!(load(7).bodies, load(8).bodies);
}

fn fill_scene(fill: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n[[friction]]\ncoefficient = 0\n\
         [[container]]\nname = \"box\"\nsize = [2, 2, 2]\nlid = true\n\
         [[body]]\nname = \"big\"\nfixed = true\nposition = [0, 0, 1]\n\
         shape = {{ type = \"sphere\", radius = 0.4 }}\n[[fill]]\nname = \"grain\"\ndensity = 1000\n\
         region = {{ min = [-1, -1, 0], max = [1, 1, 2] }}\n{fill}\n"
    )
}

/// Oracle: points on the surface of each body, put into the other bodies' inequality. Finds overlaps deeper
/// than the spacing of the points, 0.03 of the size.
fn surface_points_inside_others(scene: &Scene) -> usize {
    let axes_of = |b: &scene::Body| match b.parts[0].shape {
        Shape::Ellipsoid { semi_axes } => Some(semi_axes),
        _ => None,
    };
    let grains: Vec<_> = scene.bodies.iter().filter_map(|b| axes_of(b).map(|a| (b, a))).collect();
    let mut inside = 0;
    for (i, (a, axes)) in grains.iter().enumerate() {
        let near: Vec<_> = grains
            .iter()
            .enumerate()
            .filter(|(j, (b, other))| {
                i != *j && (b.pose.position - a.pose.position).norm() < axes.max() + other.max()
            })
            .collect();
        for k in 0..3000 {
            // Points of a spiral, evenly spread over the sphere.
            let z = 1.0 - 2.0 * (f64::from(k) + 0.5) / 3000.0;
            let (s, c) = (f64::from(k) * 2.399963229728653).sin_cos();
            let r = (1.0 - z * z).sqrt();
            let point = a.pose.point(&Vector3::new(r * c, r * s, z).component_mul(axes));
            inside += usize::from(point.x.abs().max(point.y.abs()).max((point.z - 1.0).abs()) > 1.0);
            for (_, (b, other)) in &near {
                let local = b.pose.orientation.inverse() * (point - b.pose.position);
                inside += usize::from(local.component_div(other).norm_squared() < 1.0);
            }
        }
    }
    inside
}

#[test]
fn fills_overlap_nothing() {
    let cases = [
        "count = 600\nshape = { type = \"ellipsoid\", semi_axes = [0.14, 0.10, 0.07] }",
        "count = 300\nshape = { type = \"ellipsoid\", semi_axes = [0.30, 0.03, 0.02] }",
        "count = 300\nshapes = [{ shape = { type = \"sphere\", radius = 0.1 } }, \
         { shape = { type = \"ellipsoid\", semi_axes = [0.2, 0.2, 0.02] }, weight = 2 }]\n\
         scale = { type = \"lognormal\", sigma = 0.4, min = 0.4, max = 1.5 }",
    ];
    for fill in cases {
        let scene = parse(&fill_scene(fill)).scene;
        assert_eq!(surface_points_inside_others(&scene), 0, "{fill}");
        // Positions fill the region on average.
        let grains = scene.bodies.iter().filter(|b| !b.fixed);
        let mean = grains.clone().map(|b| b.pose.position.z).sum::<f64>() / grains.count() as f64;
        assert!((mean - 1.0).abs() < 0.1, "{mean}");
    }
}

#[test]
fn random_orientations_are_uniform() {
    let fill = "count = 1000\nshape = { type = \"ellipsoid\", semi_axes = [0.03, 0.02, 0.01] }";
    let scene = parse(&fill_scene(fill)).scene;
    // For uniform rotations every entry of R has mean 0 and mean square 1/3; with 1000 draws the standard
    // deviations are 0.018 and 0.0094, the bounds five of them.
    for k in 0..9 {
        let entry = |b: &scene::Body| b.pose.rotation()[k];
        let grains: Vec<f64> = scene.bodies.iter().filter(|b| !b.fixed).map(entry).collect();
        let mean = grains.iter().sum::<f64>() / 1000.0;
        let square = grains.iter().map(|x| x * x).sum::<f64>() / 1000.0;
        assert!(mean.abs() < 0.09 && (square - 1.0 / 3.0).abs() < 0.047, "entry {k}: {mean} {square}");
    }
}

#[test]
fn ten_thousand_bodies_find_their_places() {
    // Each search has its own test that it is not quadratic; this one would take minutes.
    let fill = "count = 10000\nshape = { type = \"ellipsoid\", semi_axes = [0.04, 0.028, 0.02] }";
    assert_eq!(parse(&fill_scene(fill)).scene.bodies.len(), 10007);
}

#[test]
fn separating_moves_positions_only() {
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n[[friction]]\ncoefficient = 0\n";
    let mut text = text.to_string();
    text +=
        "[[body]]\nname = \"ground\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";
    for i in 0..5 {
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nmass = 1\nposition = [{}, 0.01, 0.04]\nvelocity = [{i}, 0, 0]\n\
             angular_velocity = [0, 1, 0]\nshape = {{ type = \"ellipsoid\", semi_axes = [0.1, 0.08, 0.05] }}\n",
            0.05 * f64::from(i)
        );
    }
    let path = Path::new("test.toml");
    assert!(scene::parse(&text, path, &LoadOptions::default()).is_err());
    let options = LoadOptions { separate: true, ..Default::default() };
    let loaded = scene::parse(&text, path, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(loaded.notes.len(), 1);
    assert!(loaded.notes[0].starts_with("5 bodies moved apart"), "{}", loaded.notes[0]);
    for (i, body) in loaded.scene.bodies.iter().skip(1).enumerate() {
        assert_eq!(body.velocity.linear, Vector3::new(i as f64, 0.0, 0.0));
        assert_eq!(body.pose.orientation, nalgebra::UnitQuaternion::identity());
        assert!(body.pose.position.z > 0.05 * (1.0 - 2e-4));
    }
    // The moved scene needs no moving again.
    assert_identical(&parse(&scene::to_toml(&loaded.scene)).scene, &loaded.scene);
}

#[test]
fn everything_that_a_file_can_say_is_kept() {
    let text = r#"
        format = 1
        [simulation]
        time_step = 0.1
        duration = 3
        gravity = [0.1, -0.2, 0.3]
        seed = 9223372036854775807
        [solver]
        formulation = "literal"
        tolerance = 1e-7
        [[friction]]
        coefficient = 0.7
        [[friction]]
        between = ["wood", "steel"]
        coefficient = 0.3
        ellipsoid = { t = 2, o = 0.5, r = 0.01 }
        direction = [0.3, 0.4, 0.5]
        [[friction]]
        between = ["wood", "ash"]
        coefficient = 0.1
        [[body]]
        name = "a"
        material = "steel"
        mass = 0.1
        inertia = [0.3, 0.3, 0.4, 0.01, 0.02, -0.03]
        shape_position = [0.1, -0.0, 0]
        shape_orientation = [0.9999, 0.01, 0, 0]
        orientation = [0.1, 0.7, 0.1, 0.7]
        position = [1e-300, 0.1, 1e5]
        velocity = [0.1, 0.2, 0.3]
        angular_velocity = [1, 2, 3]
        force = [4, 5, 6]
        torque = [7, 8, 9]
        shape = { type = "ellipsoid", semi_axes = [0.1, 0.2, 0.3] }
        [[body]]
        name = "b \" c"
        material = "wood"
        density = 700
        shape_orientation = [0.6, 0.8, 0, 0]
        shape = { type = "ellipsoid", semi_axes = [0.1, 0.2, 0.3] }
        [[body]]
        name = "wall"
        material = "ash"
        position = [0, 0, -3]
        orientation = [0.6, 0.8, 0, 0]
        shape = { type = "half_space", normal = [1, 1, 0], offset = -5 }
        [[impulse]]
        body = "a"
        time = 0.3
        linear = [1, 2, 3]
        angular = [4, 5, 6]
        [[force]]
        body = "a"
        from = 0.1
        to = 0.3
        force = [1, 2, 3]
        torque = [4, 5, 6]
    "#;
    let loaded = parse(text);
    let scene = &loaded.scene;
    assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
    assert!(loaded.notes[0].contains("body[0] \"a\": shape_orientation"), "{}", loaded.notes[0]);
    assert_eq!(scene.friction.materials, ["wood", "steel", "ash"]);
    let wooden = scene.friction.between(1, 0);
    assert_eq!((wooden.coefficient, wooden.tangential, wooden.torsional.of_point()), (0.3, [2.0, 0.5], 0.01));
    assert_eq!(wooden.direction_owner, 0);
    assert_eq!(scene.friction.between(2, 0).coefficient, 0.1);
    assert_eq!(scene.friction.between(2, 1).coefficient, 0.7);
    assert_eq!(scene.bodies[0].inertia[(1, 2)], -0.03);
    assert_eq!((scene.impulses[0].body, scene.forces[0].to), (0, 0.3));
    // The moments of the homogeneous ellipsoid, rotated by 2 acos(0.6) about x: c = −0.28, s = 0.96.
    let mass = 700.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.006;
    let (y, z) = (mass / 5.0 * 0.10, mass / 5.0 * 0.05);
    let inertia = &scene.bodies[1].inertia;
    assert!((scene.bodies[1].mass - mass).abs() < 1e-14);
    assert!((inertia[(1, 1)] - (0.28f64.powi(2) * y + 0.96f64.powi(2) * z)).abs() < 1e-14);
    assert!((inertia[(1, 2)] - (-0.28 * 0.96 * (y - z))).abs() < 1e-14);

    let text = scene::to_toml(scene);
    assert_identical(scene, &parse(&text).scene);
    assert!(!text.contains("density"));
}

#[test]
fn pairs_without_friction_are_noted_once() {
    let two = "[[body]]\nname = \"NAME\"\nmass = 1\nposition = [X, 0, 0]\nmaterial = \"NAME\"\n\
               shape = { type = \"sphere\", radius = 0.5 }\n";
    let head = "format = 1\n[simulation]\ntime_step = 0.1\nduration = 1\n";
    let bodies = two.replace("NAME", "a").replace('X', "0") + &two.replace("NAME", "b").replace('X', "2");
    let notes = parse(&format!("{head}{bodies}")).notes;
    assert_eq!(notes, ["no [[friction]] entry for \"a\" on \"b\": frictionless"]);
    let friction = "[[friction]]\nbetween = [\"b\", \"a\"]\ncoefficient = 0\n";
    assert_eq!(parse(&format!("{head}{friction}{bodies}")).notes, Vec::<String>::new());
}

#[test]
fn a_field_of_earlier_versions_leaves_a_note_and_no_trace() {
    let text = "format = 1\n[simulation]\ntime_step = 0.1\nduration = 1\n[solver]\ntolerance = 1e-4\nLINE\n\
                [[body]]\nname = \"a\"\nmass = 1_0.5\nshape = { type = \"sphere\", radius = 0.3 }\n";
    let without = parse(&text.replace("LINE", ""));
    assert_eq!(without.notes, Vec::<String>::new());
    for value in ["true", "false", "1e-3"] {
        let loaded = parse(&text.replace("LINE", &format!("relative_tolerance = {value}")));
        let note =
            "solver.relative_tolerance has no effect: the tolerance is always relative; remove the line";
        assert_eq!(loaded.notes, [note]);
        assert_identical(&without.scene, &loaded.scene);
    }
}

#[test]
fn hand_built_scenes_are_validated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/seeds/rolling-disc.toml");
    let good = scene::load(&path, &LoadOptions::default()).expect("a scene").scene;
    let mut heavy = good.clone();
    heavy.bodies[1].mass = f64::INFINITY;
    assert!(heavy.validate().is_err_and(|e| e.to_string().contains("bodies[1] \"disc\": mass = inf")));
    let mut lost = good.clone();
    lost.bodies[1].parts[0].material = 5;
    assert!(
        lost.validate().is_err_and(|e| e.to_string().contains("bodies[1] \"disc\": parts[0].material = 5"))
    );
}

#[test]
fn the_published_schema_is_the_generated_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scene-schema.json");
    let generated = scene::json_schema();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &generated).expect("written");
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == generated,
        "docs/scene-schema.json is out of date: run the test with UPDATE_SCHEMA=1"
    );
}

#[test]
fn every_setting_of_the_solver_is_explained() {
    let schema: serde_json::Value = serde_json::from_str(&scene::json_schema()).expect("JSON");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/scene-files.md"));
    let text = text.expect("docs/guide/scene-files.md");
    let solver = &schema["$defs"]["SolverSettings"]["properties"];
    let fields = solver.as_object().expect("$defs.SolverSettings.properties");
    assert!(fields.len() > 10, "{} parameters", fields.len());
    let missing: Vec<&String> = fields.keys().filter(|field| !text.contains(&format!("`{field}`"))).collect();
    assert!(missing.is_empty(), "docs/guide/scene-files.md lacks {missing:?}");
}
