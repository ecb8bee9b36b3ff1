//! `signorini export`: a state as triangles, and records for OVITO and NumPy. `python/tests/test_export.py`
//! reads the arrays with NumPy itself.

use super::view::{bodies, finished};
use super::{Bench, table};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

pub type Triangle = [Vector3<f64>; 3];

/// Volumes of the parts of the bodies that move, in the order of the scene.
const VOLUMES: [(&str, f64); 5] = [
    ("ball, red", 4.0 / 3.0 * PI * 0.001),
    ("can", PI * 0.0064 * 0.3),
    ("egg", 4.0 / 3.0 * PI * 0.15 * 0.1 * 0.06),
    ("arm", 8.0 * 0.15 * 0.03 * 0.03),
    ("dumbbell", 2.0 * 4.0 / 3.0 * PI * 0.001 + 8.0 * 0.04 * 0.05 * 0.04),
];

/// Triangles of a binary STL file, each with three numbers of its normal.
pub fn stl(path: &Path) -> Vec<(Vector3<f64>, Triangle)> {
    let file = fs::read(path).unwrap();
    let n = u32::from_le_bytes(file[80..84].try_into().unwrap()) as usize;
    assert_eq!(file.len(), 84 + 50 * n);
    assert!(!file.starts_with(b"solid"));
    let number = |at: usize| f64::from(f32::from_le_bytes(file[at..at + 4].try_into().unwrap()));
    let vector = |at: usize| Vector3::new(number(at), number(at + 4), number(at + 8));
    let at = |k: usize| 84 + 50 * k;
    (0..n).map(|k| (vector(at(k)), [1, 2, 3].map(|v| vector(at(k) + 12 * v)))).collect()
}

/// Triangles of an OBJ file, by object.
pub fn obj(path: &Path) -> BTreeMap<String, Vec<Triangle>> {
    let text = fs::read_to_string(path).unwrap();
    let (mut points, mut objects, mut name) =
        (Vec::new(), BTreeMap::<_, Vec<Triangle>>::new(), String::new());
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap();
        let numbers = || rest.split(' ').map(|x| x.parse::<f64>().unwrap());
        match word {
            "o" => name = rest.to_owned(),
            "v" => points.push(Vector3::from_iterator(numbers())),
            "f" => {
                let corners: Vec<usize> = numbers().map(|k| k as usize - 1).collect();
                objects.entry(name.clone()).or_default().push([0, 1, 2].map(|k| points[corners[k]]));
            }
            _ => assert_eq!(word, "#"),
        }
    }
    objects
}

pub fn volume(triangles: &[Triangle]) -> f64 {
    let o = triangles[0][0];
    triangles.iter().map(|[a, b, c]| (a - o).dot(&(b - o).cross(&(c - o)))).sum::<f64>() / 6.0
}

/// Asserts that each side of a triangle is that of one other triangle, which runs the other way: to the bit.
pub fn assert_closed(triangles: &[Triangle]) {
    let bits = |p: &Vector3<f64>| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    let mut sides = HashMap::new();
    for t in triangles {
        for k in 0..3 {
            *sides.entry((bits(&t[k]), bits(&t[(k + 1) % 3]))).or_insert(0) += 1;
        }
    }
    assert!(sides.iter().all(|((a, b), n)| sides.get(&(*b, *a)) == Some(n)), "the surface is open");
}

#[test]
fn solids_are_closed_and_have_their_volumes() {
    let bench = finished();
    bench.expect(&["export", "a", "--stl", "--obj", "--chord", "2e-5"], 0);
    let found = obj(&bench.path("a/export/bodies.obj"));
    assert_eq!(found.len(), 5);
    let mut whole = 0.0;
    for (name, exact) in VOLUMES {
        assert_closed(&found[name]);
        let relative = volume(&found[name]) / exact - 1.0;
        // Faces are exact, round shapes hold their triangles: 9/4 of the chord over the radius at most.
        let expected = if name == "arm" { -1e-13..1e-13 } else { -4.6e-4..-1e-5 };
        assert!(expected.contains(&relative), "{name}: {relative}");
        whole += exact;
    }
    let triangles = stl(&bench.path("a/export/bodies.stl"));
    assert_eq!(triangles.len(), found.values().map(Vec::len).sum::<usize>());
    // In single precision the volume stays, too.
    let all: Vec<Triangle> = triangles.into_iter().map(|(_, t)| t).collect();
    let exact: f64 = found.values().map(|triangles| volume(triangles)).sum();
    assert!((volume(&all) / exact - 1.0).abs() < 1e-8 && exact < whole);
}

/// Cylinders to 1e-6 by their chord, and a hollow body of flat parts exactly.
#[test]
fn a_small_chord_gives_the_volume_to_a_millionth() {
    let bench = Bench::new(1, 1);
    let wall = |at: &str, half: &str| {
        format!("{{ shape = {{ type = \"box\", half_extents = [{half}] }}, position = [{at}] }}")
    };
    let walls = [
        wall("0.09, 0, 0", "0.01, 0.1, 0.1"),
        wall("-0.09, 0, 0", "0.01, 0.1, 0.1"),
        wall("0, 0.09, 0", "0.08, 0.01, 0.1"),
        wall("0, -0.09, 0", "0.08, 0.01, 0.1"),
    ];
    let scene = format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"can\"\nmass = 1\n\
         orientation = [0.6, 0.8, 0, 0]\nshape = {{ type = \"cylinder\", radius = 0.05, length = 0.2 }}\n\
         [[body]]\nname = \"tube\"\nmass = 1\nposition = [1, 0, 0]\nangular_velocity = [1, 2, 3]\nparts = [{}]\n",
        walls.join(", ")
    );
    fs::write(bench.path("two.toml"), scene).unwrap();
    bench.expect(&["run", "two.toml", "--out", "a"], 0);
    bench.expect(&["export", "a", "--obj", "--chord", "3e-8"], 0);
    let found = obj(&bench.path("a/export/bodies.obj"));
    let exact = PI * 0.05 * 0.05 * 0.2;
    let relative = volume(&found["can"]) / exact - 1.0;
    assert!((-1e-6..-1e-7).contains(&relative), "{relative}");
    let tube = 0.2 * (0.2 * 0.2 - 0.16 * 0.16);
    assert!((volume(&found["tube"]) / tube - 1.0).abs() < 1e-13);
    found.values().for_each(|triangles| assert_closed(triangles));
}

#[test]
pub fn volumes_are_kept_at_any_chord() {
    let bench = finished();
    bench.expect(&["export", "a", "--obj", "--chord", "0.01", "--keep-volume", "--per-body"], 0);
    for (name, exact) in VOLUMES {
        let file = name.replace([',', ' '], "_");
        let found = obj(&bench.path(&format!("a/export/obj/{file}.obj")));
        assert!((volume(&found[name]) / exact - 1.0).abs() < 1e-12, "{name}");
        assert_closed(&found[name]);
    }
}

/// Bodies are where the tables say, at the time that is asked for: no corner is outside, and each shape is
/// reached along its axes.
#[test]
fn bodies_are_where_they_were() {
    let bench = finished();
    let written = bodies(&bench.path("a"));
    for (arguments, step) in [(vec![], 100), (vec!["--time", "0.2"], 50), (vec!["--time", "0.2039"], 50)] {
        let fixed = ["export", "a", "--obj", "--stl", "--force", "--per-body"];
        bench.expect(&[fixed.as_slice(), arguments.as_slice()].concat(), 0);
        for (name, axes) in [
            ("ball, red", [0.1, 0.1, 0.1]),
            ("can", [0.08, 0.08, 0.15]),
            ("egg", [0.15, 0.1, 0.06]),
            ("arm", [0.15, 0.03, 0.03]),
        ] {
            let said = &written[&(step, name.to_owned())];
            let turn = UnitQuaternion::new_unchecked(Quaternion::new(said[3], said[4], said[5], said[6]));
            let centre = Vector3::new(said[0], said[1], said[2]);
            let file = name.replace([',', ' '], "_");
            let triangles = &obj(&bench.path(&format!("a/export/obj/{file}.obj")))[name];
            let mut reach = Vector3::<f64>::zeros();
            for p in triangles.iter().flatten() {
                reach = reach.sup(&(turn.inverse() * (p - centre)).abs());
            }
            assert!((reach - Vector3::from(axes)).norm() < 1e-12, "{name} at {step}: {reach:?}");
            let single = stl(&bench.path(&format!("a/export/stl/{file}.stl")));
            for ((normal, corners), exact) in single.iter().zip(triangles) {
                assert!((0..3).all(|k| (corners[k] - exact[k]).norm() < 1e-6));
                let across = (exact[1] - exact[0]).cross(&(exact[2] - exact[0])).normalize();
                assert!((normal - across).norm() < 1e-6);
            }
        }
    }
}

/// Mass of the body of `again.toml` (kg), and what is said about it.
fn read_again(bench: &Bench) -> (f64, String) {
    let notes = bench.expect(&["run", "again.toml", "--out", "r", "--force"], 0);
    let scene = fs::read_to_string(bench.path("r/scene.toml")).unwrap();
    let mass = scene.lines().find_map(|line| line.strip_prefix("mass = ")).unwrap();
    (mass.parse().unwrap(), notes)
}

/// Our own reader takes the files back: each body of a merged file is a closed piece, and its mass is that of
/// the shape.
#[test]
fn our_reader_takes_the_files_back() {
    let bench = finished();
    for (option, folder) in [("--ply", "ply"), ("--obj", "obj"), ("--stl", "stl")] {
        let arguments = ["export", "a", option, "--per-body", "--keep-volume", "--chord", "5e-4"];
        bench.expect(&[arguments.as_slice(), &["--out", "b"]].concat(), 0);
        bench.expect(&["export", "a", option, "--out", "c"], 0);
        assert!(bench.path(&format!("c/bodies.{folder}")).exists());
        for (name, exact) in [VOLUMES[1], VOLUMES[2], VOLUMES[3]] {
            let text = format!(
                "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"x\"\n\
                 density = 1000\nshape = {{ type = \"mesh\", file = \"b/{folder}/{name}.{folder}\" }}\n"
            );
            fs::write(bench.path("again.toml"), text).unwrap();
            let (mass, notes) = read_again(&bench);
            assert!((mass / (1000.0 * exact) - 1.0).abs() < 3e-6, "{option} {name}: {mass}");
            assert!(!notes.contains("open") && !notes.contains("fills"), "{option} {name}: {notes}");
        }
        fs::remove_dir_all(bench.path("b")).unwrap();
        fs::remove_dir_all(bench.path("c")).unwrap();
    }
    // As pieces: each must be closed.
    bench.expect(&["export", "a", "--stl", "--text", "--keep-volume", "--chord", "1e-3", "--out", "b"], 0);
    let text = fs::read_to_string(bench.path("b/bodies.stl")).unwrap();
    assert!(text.starts_with("solid ball, red\n") && text.ends_with("endsolid dumbbell\n"));
    let text = text.split_inclusive("endsolid egg\n").next().unwrap();
    fs::write(bench.path("three.stl"), text).unwrap();
    let scene = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"x\"\n\
                 density = 1000\nshape = { type = \"mesh\", file = \"three.stl\", convex = \"pieces\" }\n";
    fs::write(bench.path("again.toml"), scene).unwrap();
    let exact: f64 = VOLUMES[..3].iter().map(|(_, volume)| 1000.0 * volume).sum();
    let (mass, notes) = read_again(&bench);
    assert!((mass / exact - 1.0).abs() < 1e-6, "{mass}, {exact}: {notes}");
}

#[test]
fn fixed_bodies_are_written_on_request() {
    let bench = finished();
    let output = bench.call(&["export", "a", "--stl", "--per-body", "--fixed"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("6 bodies at 0.4 s") && said.contains("1 unbounded body left out"), "{said}");
    let names: BTreeSet<String> = fs::read_dir(bench.path("a/export/stl"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected =
        ["arm.stl", "ball__red.stl", "can.stl", "dumbbell.stl", "egg.stl", "post___script__b_.stl"];
    assert_eq!(names, expected.map(str::to_owned).into());
    // A later export replaces the files of bodies too.
    bench.expect(&["export", "a", "--stl", "--per-body", "--force"], 0);
    assert_eq!(fs::read_dir(bench.path("a/export/stl")).unwrap().count(), 5);
}

/// Rows of each record of the two files for OVITO, by the id in the scene.
fn particles(text: &str, is_dump: bool) -> Vec<BTreeMap<usize, Vec<String>>> {
    let (mut records, mut lines) = (Vec::new(), text.lines().peekable());
    while lines.peek().is_some() {
        let mut head = |n: usize| lines.by_ref().take(n).last().unwrap().to_owned();
        let n: usize = if is_dump { head(6).parse().unwrap() } else { head(1).parse().unwrap() };
        head(if is_dump { 5 } else { 1 });
        let row = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            match is_dump {
                true => (words[0].parse::<usize>().unwrap() - 1, words[2..].to_vec()),
                false => {
                    let rest = [&words[..4], &words[5..]].concat();
                    (words[4].parse().unwrap(), rest)
                }
            }
        };
        records.push(lines.by_ref().take(n).map(row).collect());
    }
    records
}

#[test]
fn ovito_gets_the_numbers_of_the_tables() {
    let bench = finished();
    bench.expect(&["export", "a", "--xyz", "--lammps", "--every", "50"], 0);
    let written = bodies(&bench.path("a"));
    for (file, is_dump, factor) in [("run.xyz", false, 1.0), ("run.lammpstrj", true, 2.0)] {
        let text = fs::read_to_string(bench.path("a/export").join(file)).unwrap();
        let records = particles(&text, is_dump);
        assert_eq!(records.len(), 3);
        for (k, record) in records.iter().enumerate() {
            for (id, name, kind, axes) in [
                (2, "ball, red", "ellipsoid", [0.1, 0.1, 0.1]),
                // OVITO takes the whole length of a cylinder.
                (3, "can", "cylinder", [0.08, 0.08, 0.3]),
                (4, "egg", "ellipsoid", [0.15, 0.1, 0.06]),
                (5, "arm", "box", [0.15, 0.03, 0.03]),
            ] {
                let row = &record[&id];
                let numbers: Vec<f64> = row[1..].iter().map(|x| x.parse().unwrap()).collect();
                let said = &written[&(50 * k, name.to_owned())];
                assert_eq!(row[0], kind);
                assert_eq!(numbers[..3], said[..3]);
                assert_eq!(numbers[3..7], [said[4], said[5], said[6], said[3]], "x y z w");
                assert_eq!(numbers[7..10], axes.map(|a| factor * a));
                assert_eq!(numbers[10..16], said[7..13]);
            }
            assert_eq!((record.len(), record[&6][0].as_str()), (5, "compound"));
        }
        assert!(text.contains("0.4") && text.contains("200"), "times and steps");
    }
}

/// Names, head and numbers of the arrays of an archive that is stored without compression.
fn npz(path: &Path) -> BTreeMap<String, (String, Vec<u8>)> {
    let file = fs::read(path).unwrap();
    let word = |at: usize, n: usize| file[at..at + n].iter().rev().fold(0, |x, b| 256 * x + usize::from(*b));
    let (mut at, mut arrays) = (0, BTreeMap::new());
    // Entries of the directory at the end: name, size, and where the entry begins.
    let end = file.windows(4).rposition(|w| w == b"PK\x05\x06").unwrap();
    let mut entry = word(end + 16, 4);
    for _ in 0..word(end + 10, 2) {
        assert_eq!((&file[entry..entry + 4], word(entry + 10, 2)), (&b"PK\x01\x02"[..], 0));
        let name = String::from_utf8(file[entry + 46..entry + 46 + word(entry + 28, 2)].to_vec()).unwrap();
        let (size, from) = (word(entry + 24, 4), word(entry + 42, 4));
        let data = from + 30 + word(from + 26, 2) + word(from + 28, 2);
        let array = &file[data..data + size];
        assert_eq!(&array[..8], b"\x93NUMPY\x01\x00");
        let head = usize::from(array[8]) + 256 * usize::from(array[9]);
        assert_eq!((10 + head) % 64, 0);
        let text = String::from_utf8(array[10..10 + head].to_vec()).unwrap();
        arrays.insert(name.trim_end_matches(".npy").to_owned(), (text, array[10 + head..].to_vec()));
        at = entry + 46 + word(entry + 28, 2) + word(entry + 30, 2) + word(entry + 32, 2);
        entry = at;
    }
    assert!(at > 0);
    arrays
}

#[test]
fn arrays_hold_the_numbers_of_the_tables() {
    let bench = finished();
    bench.expect(&["export", "a", "--npz"], 0);
    let arrays = npz(&bench.path("a/export/run.npz"));
    let reals = |name: &str| -> Vec<f64> {
        arrays[name].1.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
    };
    let names = ["angular_velocity", "id", "name", "position", "quaternion", "step", "time", "velocity"];
    assert_eq!(arrays.keys().map(String::as_str).collect::<Vec<_>>(), names);
    assert!(arrays["quaternion"].0.contains("'shape': (101, 5, 4, )"), "{}", arrays["quaternion"].0);
    assert!(arrays["name"].0.contains("'<U9'"));
    let written = bodies(&bench.path("a"));
    for step in [0, 37, 100] {
        for (slot, (name, _)) in VOLUMES.iter().enumerate() {
            let said = &written[&(step, (*name).to_owned())];
            for (array, from, n) in
                [("position", 0, 3), ("quaternion", 3, 4), ("velocity", 7, 3), ("angular_velocity", 10, 3)]
            {
                let at = n * (5 * step + slot);
                assert_eq!(reals(array)[at..at + n], said[from..from + n], "{array}");
            }
        }
        assert!((reals("time")[step] - 0.004 * step as f64).abs() < 1e-12);
    }
}

#[test]
fn bodies_that_come_and_leave_are_there_while_they_are() {
    let bench = Bench::new(1, 1);
    let scene = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.5\ngravity = [0, 0, -9.81]\n\
                 [[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
                 [[inlet]]\nname = \"grain\"\nrate = 20\ntotal = 4\ndensity = 1000\n\
                 shape = { type = \"sphere\", radius = 0.02 }\n\
                 region = { type = \"box\", min = [0, 0, 1], max = [0.3, 0.3, 1.2] }\n";
    fs::write(bench.path("rain.toml"), scene).unwrap();
    bench.expect(&["run", "rain.toml", "--out", "a"], 0);
    bench.expect(&["export", "a", "--xyz", "--npz", "--stl"], 0);
    let flow = table(&bench.path("a/flow.csv"));
    assert!(flow.len() > 3, "{flow:?}");
    let text = fs::read_to_string(bench.path("a/export/run.xyz")).unwrap();
    let counts: Vec<usize> = particles(&text, false).iter().map(BTreeMap::len).collect();
    assert!(counts[0] < 2 && *counts.last().unwrap() == 4, "{counts:?}");
    let arrays = npz(&bench.path("a/export/run.npz"));
    let missing = arrays["time"].1.len() / 8 * 4 - counts.iter().sum::<usize>();
    let values = arrays["position"].1.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap()));
    assert_eq!(values.filter(|x| x.is_nan()).count(), 3 * missing);
    assert!(missing > 0);
    // Nobody was there at the start.
    let message = bench.expect(&["export", "a", "--stl", "--time", "0", "--force"], 2);
    assert!(message.contains("bodies at 0 s") && message.contains("--fixed"), "{message}");
    assert!(bench.path("a/export/bodies.stl").exists(), "what was there is kept");
}

#[test]
fn bad_requests_write_nothing() {
    let bench = finished();
    let refused = |arguments: &[&str], part: &str| {
        let before = bench.listing();
        let message = bench.expect(&[["export", "a"].as_slice(), arguments].concat(), 2);
        assert!(message.contains(part), "{message}");
        assert_eq!(bench.listing(), before, "{arguments:?} wrote something");
    };
    refused(&["--stl", "--chord", "0"], "must be a positive number of metres");
    refused(&["--stl", "--chord", "-1"], "must be a positive number of metres");
    refused(&["--stl", "--chord", "1e-12"], "at most are 2e7");
    refused(&["--stl", "--time", "-1"], "0 or more");
    refused(&["--npz", "--time", "1"], "--stl");
    refused(&["--ply", "--text"], "--stl");
    refused(&["--xyz", "--every", "0"], "0");
    let nowhere = fs::read(bench.path("a/bodies.csv")).unwrap();
    fs::write(bench.path("a/bodies.csv"), nowhere.split(|b| *b == b'\n').next().unwrap()).unwrap();
    refused(&["--obj"], "records of the run");
}
