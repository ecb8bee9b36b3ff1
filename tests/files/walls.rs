//! Drums, hoppers, heightfields, helices, bowls and arches: their shapes, and inputs that are refused.

use signorini_geometry::Shape;
use signorini_geometry::mass_properties::volume;
use signorini_scene::scene::{self, Body, LoadOptions, Scene};
use std::path::Path;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[friction]]\ncoefficient = 0.4\n\
                    [[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.05 }\nmass = 1\n\
                    position = [0, 0, 5]\n";

fn parse(text: &str) -> signorini::Result<Scene> {
    scene::parse(&format!("{HEAD}{text}"), Path::new("walls.toml"), &LoadOptions::default()).map(|l| l.scene)
}

fn wall(text: &str) -> Body {
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let written = scene::to_toml(&scene);
    let again = scene::parse(&written, Path::new("again"), &LoadOptions::default()).expect("a scene").scene;
    assert_eq!(again, scene);
    scene.bodies[1].clone()
}

fn volumes(body: &Body) -> Vec<f64> {
    let of = |shape: &Shape| volume(shape).expect("bounded");
    body.parts.iter().map(|part| of(&part.shape)).collect()
}

#[test]
fn a_drum_is_a_prism_less_another() {
    let drum = wall("[[drum]]\nname = \"d\"\nradius = 0.5\nlength = 0.6\nthickness = 0.1\nfacets = 48\n");
    assert!(drum.fixed && drum.name == "d" && drum.parts.len() == 50);
    let each = volumes(&drum);
    let polygon = |r: f64| 24.0 * r * r * (std::f64::consts::TAU / 48.0).sin();
    let around: f64 = each[..48].iter().sum();
    assert!((around - 0.6 * (polygon(0.6) - polygon(0.5))).abs() < 1e-12, "{around}");
    assert!(each[48..].iter().all(|end| (end - 0.1 * polygon(0.6)).abs() < 1e-12), "{each:?}");
    let open =
        "[[drum]]\nname = \"d\"\nradius = 0.5\nlength = 0.6\nthickness = 0.1\nfacets = 5\nends = false\n";
    assert_eq!(wall(open).parts.len(), 5);
}

#[test]
fn a_hopper_is_a_frustum_less_another() {
    let text = "[[hopper]]\nname = \"h\"\ntop = [1, 0.8]\nbottom = [0.2, 0.1]\nheight = 0.7\nthickness = 0.05\n\
                position = [0, 0, -0.2]\n";
    let frustum = |out: f64| {
        let [a, b, c, d] = [1.0, 0.8, 0.2, 0.1].map(|x: f64| x + 2.0 * out);
        let middle = 0.25 * (a + c) * (b + d);
        0.7 / 6.0 * (a * b + 4.0 * middle + c * d)
    };
    let hopper = wall(text);
    let found: f64 = volumes(&hopper).iter().sum();
    assert!((found - (frustum(0.05) - frustum(0.0))).abs() < 1e-12, "{found}");
    assert_eq!(wall(&format!("{text}closed = true\n")).parts.len(), 5);
}

#[test]
fn a_heightfield_is_a_solid_under_its_triangles() {
    let text = "[[heightfield]]\nname = \"f\"\nsize = [2, 1]\nthickness = 0.3\n\
                heights = [[0, 0.1, 0], [0.05, 0, 0.1], [0, 0, -0.1]]\n";
    let field = wall(text);
    assert_eq!(field.parts.len(), 8);
    // Triangles (a, b, c), (a, c, d) and (a, b, d), (b, c, d) by turns, on cells of 1 m × 0.5 m.
    let h = [[0.0, 0.1, 0.0], [0.05, 0.0, 0.1], [0.0, 0.0, -0.1]];
    let mut exact = 0.0;
    for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let [a, b, c, d] = [h[j][i], h[j][i + 1], h[j + 1][i + 1], h[j + 1][i]];
        let shared = if (i + j) % 2 == 0 { a + c } else { b + d };
        exact += 0.25 * (a + b + c + d + shared) / 3.0;
    }
    let found: f64 = volumes(&field).iter().sum();
    assert!((found - exact - 2.0 * 0.4).abs() < 1e-12, "{found}");
}

/// Half a turn of a track of constant radius: as many triangles as were asked for, as long and as wide.
#[test]
fn a_helix_is_a_track_with_a_wall() {
    let text = "[[helix]]\nname = \"t\"\nradii = [0.2, 0.2]\npitch = 0.06\nturns = 0.5\nwidth = 0.05\n\
                facets = 200\nthickness = 0.004\n";
    let track = wall(text);
    assert!(track.fixed && track.kind() == "surface" && track.parts.len() == 200);
    let length = (std::f64::consts::PI * 0.2).hypot(0.03);
    let found: f64 = volumes(&track).iter().sum();
    assert!((found / (length * 0.05 * 0.004) - 1.0).abs() < 5e-3, "{found}");
    let up = |body: &Body| {
        let surface = body.triangles.as_ref().expect("triangles");
        surface.triangles.iter().all(|t| {
            let [a, b, c] = t.map(|v| surface.points[v]);
            let n = (b - a).cross(&(c - a)).normalize();
            // Track, or wall.
            n.z > 0.9 || n.z.abs() < 1e-9 && n.dot(&a) < 0.0
        })
    };
    let walled = wall(&format!("{text}wall = 0.02\ntilt = 0.2\nclockwise = true\n"));
    assert!(walled.parts.len() == 400 && up(&walled) && up(&track));
    let surface = walled.triangles.as_ref().expect("triangles");
    assert!(
        surface.points.iter().all(|p| p.y < 1e-12) && track.parts.iter().all(|p| p.pose.position.y > -1e-3)
    );
}

const BOWL: &str = "[[bowl]]\nname = \"b\"\nradius = 0.2\nwidth = 0.05\npitch = 0.04\nturns = 1.5\ntilt = 0.1\nfacets = 60\n\
                    thickness = 0.01\nexit = 0.1\ndrive = { frequency = 50, amplitude = 2e-4, angle = 0.4 }\n";

/// The track begins on the floor without a step and ends in a level piece along its way; the wall stands on
/// the rim of the floor. Both vibrate along one line, and where parts go is told.
#[test]
fn a_bowl_is_a_track_over_a_floor() {
    for clockwise in [false, true] {
        let text = format!("{HEAD}{BOWL}clockwise = {clockwise}\nposition = [1, 2, 3]\n");
        let loaded =
            scene::parse(&text, Path::new("bowl"), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let scene = loaded.scene;
        let written = scene::to_toml(&scene);
        let again = scene::parse(&written, Path::new("again"), &LoadOptions::default()).expect("a scene");
        assert_eq!(again.scene, scene);
        let [track, floor] = &scene.bodies[1..] else { panic!("two bodies") };
        assert_eq!([&*track.name, &*floor.name], ["b", "b.floor"]);
        let points = |body: &Body| {
            let surface = body.triangles.as_ref().expect("triangles");
            let at =
                |p: &nalgebra::Vector3<f64>| body.pose.position + p - nalgebra::Vector3::new(1.0, 2.0, 3.0);
            (surface.points.iter().map(at).collect::<Vec<_>>(), surface.triangles.clone())
        };
        let ((on_track, _), (on_floor, triangles)) = (points(track), points(floor));
        let middle = 0.2 * 0.1_f64.tan();
        assert!(on_floor[0].norm() > 0.0 && (on_floor[0].z - middle).abs() < 1e-12, "{}", on_floor[0]);
        let height = |p: &nalgebra::Vector3<f64>| middle * (1.0 - p.xy().norm() / 0.2);
        let flush = |p: &nalgebra::Vector3<f64>| (p.z - height(p)).abs() < 1e-12 && p.y.abs() < 1e-12;
        assert!(on_track[..2].iter().all(flush), "{:?}", &on_track[..2]);
        let way = on_track[on_track.len() - 3] - on_track[on_track.len() - 6];
        let along = if clockwise { 0.1 } else { -0.1 };
        assert!((way - nalgebra::Vector3::new(0.0, along, 0.0)).norm() < 1e-12, "{way}");
        for [a, b, c] in triangles.iter().map(|t| t.map(|v| on_floor[v])) {
            let n = (b - a).cross(&(c - a)).normalize();
            assert!(n.z > 0.9 || n.z.abs() < 1e-9 && n.dot(&a) < 0.0, "{n}");
        }
        assert_eq!(scene.motions.len(), 4);
        let pose = |t: f64| scene.prescribed_pose(1, t);
        // A quarter of a period: the middle of the track has moved by the amplitude along its line.
        let (turn, rise) = (pose(0.005).orientation, pose(0.005).position.z - pose(0.0).position.z);
        let radius = 0.2 - 0.025 * 0.1_f64.cos();
        let turned = turn.scaled_axis().z * if clockwise { -1.0 } else { 1.0 };
        assert!((turned - 2e-4 * 0.4_f64.cos() / radius).abs() < 1e-12, "{turned}");
        assert!((rise - 2e-4 * 0.4_f64.sin()).abs() < 1e-12, "{rise}");
        let way = if clockwise { "track, clockwise" } else { "track, counter-clockwise" };
        let told = loaded.written.bowls[0].1.as_deref().expect("it is driven");
        assert!(told.contains("go up the track") && told.contains(way), "{told}");
        assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
    }
}

const ARCH: &str =
    "[[arch]]\nname = \"a\"\nradius = 2\nthickness = 0.3\ndepth = 0.5\nstones = 6\ndensity = 1000\n";

/// Stones between flat joints are wedges; each half mirrors the other.
#[test]
fn an_arch_is_of_wedges_on_blocks() {
    let scene =
        parse(&format!("{ARCH}angle = 2.4\nposition = [0, 0, 1]\n")).unwrap_or_else(|e| panic!("{e}"));
    let written = scene::to_toml(&scene);
    let again = scene::parse(&written, Path::new("again"), &LoadOptions::default()).expect("a scene").scene;
    assert_eq!(again, scene);
    let names: Vec<&str> = scene.bodies[1..].iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["a-0", "a-1", "a-2", "a-3", "a-4", "a-5", "a.left", "a.right"]);
    let area = 0.4_f64.sin() * 2.0 * 0.3;
    for (k, stone) in scene.bodies[1..7].iter().enumerate() {
        assert!(!stone.fixed && (stone.mass / (1000.0 * 0.5 * area) - 1.0).abs() < 1e-12, "{}", stone.mass);
        let mirrored = &scene.bodies[6 - k].pose.position;
        let [x, y, z]: [f64; 3] = stone.pose.position.into();
        assert!((mirrored.x + x).abs() < 4e-15 && (mirrored.z - z).abs() < 4e-15, "{mirrored:?}, {x} {z}");
        assert!(y.abs() < 1e-15 && (x.atan2(z - 1.0) - 0.4 * (k as f64 - 2.5)).abs() < 1e-12, "{x} {z}");
    }
    for block in &scene.bodies[7..] {
        let [volume] = volumes(block)[..] else { panic!("one part") };
        assert!(block.fixed && (volume / (0.6 * 0.3 * 0.8) - 1.0).abs() < 1e-12, "{volume}");
    }
    let bare = parse(&format!("{ARCH}springers = false\n")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(bare.bodies.len(), 7);
    // Blocks and stones may be driven.
    let motion = |body: &str| {
        parse(&format!(
            "{ARCH}[[motion]]\nbody = \"{body}\"\ndirection = [1, 0, 0]\n\
             velocity = {{ type = \"constant\", value = 2.0 }}\n"
        ))
    };
    for (id, name) in [(7, "a.left"), (1, "a-0")] {
        let scene = motion(name).expect("a scene");
        assert!(scene.is_carried(id) && scene.bodies[id].fixed, "{name}");
    }
}

#[test]
fn walls_are_driven_and_named_as_bodies_are() {
    let text = "[[drum]]\nname = \"d\"\nradius = 0.5\nlength = 0.6\nthickness = 0.1\nfacets = 12\n\
                orientation = [0.7071067811865476, 0.7071067811865475, 0, 0]\n\
                [[motion]]\nbody = \"d\"\naxis = [0, 1, 0]\nvelocity = { type = \"constant\", value = 2.0 }\n";
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert!(scene.is_carried(1) && scene.bodies[1].fixed);
}

#[test]
fn bad_walls_are_refused() {
    let drum = "[[drum]]\nname = \"d\"\nradius = 0.5\nlength = 0.6\nthickness = 0.1\nfacets = 48\n";
    let field = "[[heightfield]]\nname = \"f\"\nsize = [2, 1]\nthickness = 0.3\nheights = [[0, 0], [0, 0]]\n";
    let helix = "[[helix]]\nname = \"t\"\nradii = [0.2, 0.2]\npitch = 0.06\nturns = 1\nwidth = 0.05\nfacets = 36\n\
                 thickness = 0.01\n";
    for (text, field, said) in [
        (drum.replace("0.5", "-0.5"), "drum[0] \"d\": radius", "> 0"),
        (drum.replace("48", "2"), "drum[0] \"d\": facets", "3 to 360"),
        (drum.replace("\"d\"", "\"ball\""), "drum[0] \"ball\": name", "unique"),
        (drum.replace("facets", "sides"), "drum[0] \"d\": sides", "no such field"),
        (
            field.replace("[0, 0], [0, 0]", "[0, 0], [0, 0, 1]"),
            "heightfield[0] \"f\": heights",
            "same length",
        ),
        (field.replace("[0, 0], [0, 0]", "[0, nan], [0, 0]"), "heightfield[0] \"f\": heights", "NaN"),
        (field.replace("thickness = 0.3", "thickness = 0"), "heightfield[0] \"f\": thickness", "> 0"),
        (helix.replace("turns = 1", "turns = 0"), "helix[0] \"t\": turns", "> 0"),
        (helix.replace("turns = 1", "turns = 101"), "helix[0] \"t\": turns", "at most 100"),
        (helix.replace("facets = 36", "facets = 2"), "helix[0] \"t\": facets", "3 to 720"),
        (helix.replace("width = 0.05", "width = 0.5"), "helix[0] \"t\": width", "hole in the middle"),
        (helix.replace("facets", "tilt = 2\nfacets"), "helix[0] \"t\": tilt", "1.2 rad"),
        (BOWL.replace("0.2\n", "-0.2\n"), "bowl[0] \"b\": radius", "> 0"),
        (BOWL.replace("width = 0.05", "width = 0.25"), "bowl[0] \"b\": width", "0.2 m along"),
        (BOWL.replace("1.5", "0.5"), "bowl[0] \"b\": turns", "1 to 100"),
        (BOWL.replace("tilt = 0.1", "tilt = -0.1"), "bowl[0] \"b\": tilt", "0 to 1.2"),
        (BOWL.replace("= 60", "= 7"), "bowl[0] \"b\": facets", "8 to 720"),
        (BOWL.replace("= 0.01", "= 0.04"), "bowl[0] \"b\": thickness", "half of the pitch"),
        (BOWL.replace("exit = 0.1", "exit = -1"), "bowl[0] \"b\": exit", "≥ 0"),
        (BOWL.replace("= 50", "= 0"), "bowl[0] \"b\": drive.frequency", "> 0"),
        (BOWL.replace("2e-4", "nan"), "bowl[0] \"b\": drive.amplitude", "> 0"),
        (BOWL.replace("angle = 0.4", "angle = 3.2"), "bowl[0] \"b\": drive.angle", "0 to π"),
        (BOWL.replace("angle", "phase"), "bowl[0] \"b\": drive.phase", "no such field"),
        (ARCH.replace("= 6", "= 1"), "arch[0] \"a\": stones", "2 to 1000"),
        (ARCH.replace("0.3", "4"), "arch[0] \"a\": thickness", "twice the radius"),
        (ARCH.replace("0.5", "0"), "arch[0] \"a\": depth", "> 0"),
        (ARCH.replace("= 6", "= 2\nangle = 3.2"), "arch[0] \"a\": angle", "π/2"),
        (ARCH.replace("= 6", "= 9\nangle = 6.3"), "arch[0] \"a\": angle", "2π"),
        (ARCH.replace("1000", "nan"), "arch[0] \"a\": density", "> 0"),
        (format!("{ARCH}{ARCH}"), "arch[1] \"a-0\": name", "unique"),
        (ARCH.replace("depth", "length"), "arch[0] \"a\": length", "no such field"),
        (
            "[[hopper]]\nname = \"h\"\ntop = [1, 0]\nbottom = [1, 1]\nheight = 1\nthickness = 1\n".to_owned(),
            "hopper[0] \"h\": top",
            "> 0",
        ),
    ] {
        let error = parse(&text).expect_err("refused").to_string();
        assert!(error.contains(&format!("{field} = ")) && error.contains(said), "{text}\n{error}");
    }
}
