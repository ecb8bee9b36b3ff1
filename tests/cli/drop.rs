//! `signorini drop`: poses of bodies whose poses are known, threads, bad input.

use super::*;
use std::collections::BTreeMap;

/// A box above a floor, in a scene with something else that moves.
const SCENE: &str = "
format = 1
[simulation]
time_step = 0.004
duration = 4
seed = 5
[[friction]]
coefficient = 0.5
[[body]]
name = \"floor\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
[[body]]
name = \"brick\"
density = 1000
position = [0, 0, 0.15]
shape = { type = \"box\", half_extents = [0.02, 0.04, 0.06] }
[[body]]
name = \"far\"
density = 1000
position = [9, 0, 0.1]
shape = { type = \"sphere\", radius = 0.1 }
";

fn bench() -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("brick.toml"), SCENE).unwrap();
    bench
}

fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The brick stands on one of its three kinds of faces, mostly on the largest.
#[test]
fn a_brick_comes_to_rest_on_its_faces() {
    let bench = bench();
    let arguments = ["drop", "brick.toml", "--body", "brick", "--count", "24", "--out", "a", "--quiet"];
    let output = bench.call(&[&arguments[..], &["--threads", "1"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let drops = rows(&bench.path("a/drops.csv"));
    assert_eq!(drops.len(), 24);
    for row in &drops {
        assert_eq!((row["end"].as_str(), row["unsolved_steps"].as_str()), ("rest", "0"), "{row:?}");
        let down = ["down_x", "down_y", "down_z"].map(|c| row[c].parse::<f64>().unwrap());
        let (face, cosine) = (0..3).map(|k| (k, down[k].abs())).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!(cosine > 1.0 - 1e-6, "not on a face: {row:?}");
        let height: f64 = row["height"].parse().unwrap();
        assert!((height - [0.02, 0.04, 0.06][face]).abs() < 1e-6, "{row:?}");
    }
    let poses = rows(&bench.path("a/poses.csv"));
    assert!(poses.len() <= 3, "{poses:?}");
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    let flat =
        poses.iter().find(|row| (number(row, "height") - 0.02).abs() < 1e-6).expect("the largest face");
    assert!(number(flat, "share") > 0.5, "{poses:?}");
    assert!(number(flat, "low") < number(flat, "share") && number(flat, "share") < number(flat, "high"));
    assert_eq!(poses.iter().map(|row| number(row, "count")).sum::<f64>(), 24.0);
    assert!(bench.path("a/poses.png").is_file() && bench.path("a/poses.svg").is_file());
    // Fewer of the same drops, on other threads.
    let output = bench.call(&[
        "drop",
        "a/scene.toml",
        "--body",
        "brick",
        "--count",
        "5",
        "--threads",
        "3",
        "--out",
        "b",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let [all, few] = ["a", "b"].map(|run| fs::read_to_string(bench.path(run).join("drops.csv")).unwrap());
    assert_eq!(few.lines().count(), 6);
    assert!(all.starts_with(&few), "{few}");
}

/// A test goes on in its folder, from a table that was torn too, with more drops; another test and fewer
/// drops are refused, and replaced with --force.
#[test]
fn a_test_goes_on_in_its_folder() {
    let bench = bench();
    let call = |out: &str, count: &str, more: &[&str]| {
        let head = ["drop", "brick.toml", "--body", "brick", "--spin", "3", "--out", out, "--count", count];
        let output = bench.call(&[&head[..], more].concat());
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code(), told)
    };
    let files = |out: &str| {
        ["scene.toml", "drops.csv", "poses.csv", "drop.json", "poses.svg"]
            .map(|name| fs::read(bench.path(out).join(name)).unwrap())
    };
    assert_eq!(call("a", "9", &[]).0, Some(0));
    assert_eq!(call("b", "4", &[]).0, Some(0));
    let table = fs::read(bench.path("b/drops.csv")).unwrap();
    fs::write(bench.path("b/drops.csv"), &table[..table.len() - 7]).unwrap();
    let (code, told) = call("b", "9", &[]);
    assert!(code == Some(0) && told.contains("9 drops of \"brick\", 3 of them there"), "{told}");
    assert_eq!(files("a"), files("b"));
    let before = files("b");
    for (count, more, allowed) in [
        ("9", &["--seed", "6"][..], "another drop test"),
        ("9", &["--speed", "1"], "another drop test"),
        ("8", &[], "9 drops of this test"),
    ] {
        let (code, told) = call("b", count, more);
        assert!(code == Some(2) && told.contains(allowed), "{more:?}: {told}");
        assert_eq!(files("b"), before);
    }
    let (code, told) = call("b", "2", &["--seed", "6", "--force"]);
    assert!(code == Some(0) && !told.contains("there"), "{told}");
    assert_eq!(rows(&bench.path("b/drops.csv")).len(), 2);
}

/// A cylinder and a hexagonal prism lie on an edge and a rim, or stand on one of their ends, as high as
/// geometry says.
#[test]
fn a_bolt_comes_to_rest_in_three_ways() {
    let bench = bench();
    fs::copy(support::runs::root().join("scenes/gallery/bolt.toml"), bench.path("bolt.toml")).unwrap();
    let output = bench.call(&["drop", "bolt.toml", "--count", "100", "--seed", "1", "--out", "b", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // Volumes of shank and head: π 25 · 16 and √3/2 · 16² · 6.4 mm³.
    let (shank, head) = (400.0 * std::f64::consts::PI, 0.5 * 3.0_f64.sqrt() * 256.0 * 6.4);
    let below = (8.0 * shank - 3.2 * head) / (shank + head);
    let heights = [(8.0 - 3.0 / 16.0 * below) / 1.0_f64.hypot(3.0 / 16.0), 6.4 + below, 16.0 - below];
    let mut found = [0; 3];
    for row in rows(&bench.path("b/drops.csv")) {
        let told = ["end", "unsolved_steps", "red_steps"].map(|c| row[c].as_str());
        assert_eq!(told, ["rest", "0", "0"], "{row:?}");
        let height = 1e3 * row["height"].parse::<f64>().unwrap();
        let pose = heights.iter().position(|h| (height - h).abs() < 1e-6).expect("a pose of a bolt");
        assert_eq!(row["pose"], (pose + 1).to_string(), "{row:?}");
        found[pose] += 1;
    }
    assert!(found[0] > 70 && found.iter().all(|n| *n > 0), "{found:?}");
}

/// A tetrahedron with one corner far out never stands on the face opposite of it, where its weight is off it.
#[test]
fn a_mesh_falls_on_a_floor_of_its_own() {
    let bench = bench();
    let mesh = "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(bench.path("corner.obj"), mesh).unwrap();
    let output = bench.call(&["drop", "corner.obj", "--scale", "1e-3", "--count", "6", "--seed", "2"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let folder = bench.path("out/corner-drop");
    for row in rows(&folder.join("drops.csv")) {
        assert_eq!(row["end"], "rest", "{row:?}");
        // Over a face beside the corner or over the one opposite of it.
        let height: f64 = row["height"].parse().unwrap();
        let heights = [2.5e-3, 2.5e-3 / 3.0_f64.sqrt()];
        assert!(heights.iter().any(|h| (height - h).abs() < 1e-8), "{row:?}");
    }
    let scene = fs::read_to_string(folder.join("scene.toml")).unwrap();
    assert!(scene.contains("name = \"corner\""), "{scene}");
}

#[test]
fn what_cannot_be_dropped_is_refused() {
    let bench = bench();
    let refused = |arguments: &[&str], text: &str| {
        let output = bench.call(&[&["drop", "brick.toml", "--out", "no"], arguments].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(text), "{arguments:?}: {told}");
        assert!(!bench.path("no").exists(), "{arguments:?}");
    };
    refused(&[], "name the body that is dropped");
    refused(&["--body", "floor"], "the body is fixed or driven");
    refused(&["--body", "brik"], "that move: brick, far");
    refused(&["--body", "brick", "--count", "0"], "from 1 to 1000000");
    refused(&["--body", "brick", "--spin", "-1"], "0 or more");
    refused(&["--body", "brick", "--scale", "2"], "for meshes");
    let low = SCENE.replace("[0, 0, 0.15]", "[0, 0, 0.061]");
    fs::write(bench.path("brick.toml"), low).unwrap();
    refused(&["--body", "brick", "--count", "40"], "overlap");
}
