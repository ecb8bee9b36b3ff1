//! `signorini export`: the files for ParaView and glTF hold the numbers of the tables.
//! `python/tests/test_vtk.py` reads them with VTK itself.

use super::table;
use super::view::{bodies, contacts, finished};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Arrays of a `.vtp` file by name: 64-bit words, of names their bytes.
fn arrays(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = fs::read(path).unwrap();
    let marker = b"encoding=\"raw\">\n_";
    let start = file.windows(marker.len()).position(|w| w == marker).unwrap() + marker.len();
    let head = String::from_utf8(file[..start].to_vec()).unwrap();
    let field = |element: &str, name: &str| -> String {
        element.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let elements = head.lines().filter(|l| l.starts_with("<DataArray"));
    let read = |element: &str| {
        let at = start + field(element, "offset").parse::<usize>().unwrap();
        let length = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
        (field(element, "Name"), file[at + 8..at + 8 + length].to_vec())
    };
    elements.map(read).collect()
}

fn reals(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

fn wholes(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks(8).map(|c| i64::from_le_bytes(c.try_into().unwrap())).collect()
}

fn names(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
}

/// Files of a part with their times, of a `.pvd` file.
fn collection(path: &Path, part: &str) -> Vec<(f64, String)> {
    let text = fs::read_to_string(path).unwrap();
    let field = |line: &str, name: &str| {
        line.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let own = text.lines().filter(|l| l.contains(&format!("name=\"{part}\"")));
    own.map(|l| (field(l, "timestep").parse().unwrap(), field(l, "file"))).collect()
}

#[test]
fn paraview_gets_the_numbers_of_the_tables() {
    let bench = finished();
    bench.expect(&["export", "a", "--vtk", "--surfaces"], 0);
    let (folder, out) = (bench.path("a"), bench.path("a/export"));
    let written = bodies(&folder);
    let files = collection(&out.join("run.pvd"), "bodies");
    assert_eq!(files.len(), 101);
    let scene_order: Vec<String> =
        table(&folder.join("bodies.csv"))[1..8].iter().map(|r| r[2].clone()).collect();
    for (step, (time, file)) in files.iter().enumerate() {
        assert!((time - 0.004 * step as f64).abs() < 1e-12);
        let found = arrays(&out.join(file));
        let found_names = names(&found["name"]);
        assert_eq!(found_names, ["ball, red", "can", "egg", "arm", "dumbbell"]);
        let columns =
            [("Points", 0, 3), ("quaternion", 3, 4), ("velocity", 7, 3), ("angular_velocity", 10, 3)];
        for (name, from, n) in columns {
            let values = reals(&found[name]);
            for (i, body) in found_names.iter().enumerate() {
                // To the last bit.
                assert_eq!(
                    values[n * i..n * (i + 1)],
                    written[&(step, body.clone())][from..from + n],
                    "{name}"
                );
            }
        }
        assert_eq!(wholes(&found["shape"]), [0, 2, 0, 1, 5]);
        assert_eq!(reals(&found["semi_axes"])[3..6], [0.08, 0.08, 0.15]);
        assert_eq!(wholes(&found["connectivity"]), [0, 1, 2, 3, 4]);
        assert_eq!(wholes(&found["offsets"]), [1, 2, 3, 4, 5]);
    }
    let mut n_contacts = 0;
    let files = collection(&out.join("contacts.pvd"), "contacts");
    assert_eq!(files.len(), 101);
    for (step, (_, file)) in files.iter().enumerate() {
        let found = arrays(&out.join(file));
        let rows = contacts(&folder, step, &scene_order);
        let [a, b, part] = ["body_a", "body_b", "part_b"].map(|name| wholes(&found[name]));
        assert_eq!(a.len(), rows.len());
        for row in rows {
            let place = |name: &String| scene_order.iter().position(|n| n == name).unwrap() as i64;
            let said = |c: usize| row[c].parse::<f64>().unwrap();
            let own = [place(&row[2]), place(&row[3]), said(39) as i64];
            let i = (0..a.len()).find(|i| [a[*i], b[*i], part[*i]] == own).unwrap();
            for (name, from, n) in [
                ("Points", 4, 3),
                ("normal", 7, 3),
                ("gap", 10, 1),
                ("normal_impulse", 11, 1),
                ("friction_impulse", 12, 3),
            ] {
                let values = reals(&found[name]);
                assert!((0..n).all(|k| values[n * i + k] == said(from + k)), "{name} at step {step}");
            }
            let force = reals(&found["force"])[3 * i + 2];
            assert!((force - (said(9) * said(11) + said(14)) / 0.004).abs() < 1e-9 * force.abs() + 1e-12);
            n_contacts += 1;
        }
    }
    assert!(n_contacts > 100, "{n_contacts}");
}

#[test]
fn surfaces_have_the_bounds_of_the_bodies() {
    let bench = finished();
    bench.expect(&["export", "a", "--vtk", "--surfaces", "--every", "50", "--out", "b"], 0);
    let files = collection(&bench.path("b/surfaces.pvd"), "surfaces");
    assert_eq!(files.len(), 3);
    let found = arrays(&bench.path("b").join(&files[0].1));
    let (points, owners) = (reals(&found["Points"]), wholes(&found["id"]));
    let (corners, ends) = (wholes(&found["connectivity"]), wholes(&found["offsets"]));
    // At the start the bodies stand along the world's axes.
    let written = bodies(&bench.path("a"));
    for (id, name, axes) in [
        (2, "ball, red", [0.1, 0.1, 0.1]),
        (3, "can", [0.08, 0.08, 0.15]),
        (4, "egg", [0.15, 0.1, 0.06]),
        (5, "arm", [0.15, 0.03, 0.03]),
    ] {
        let centre = &written[&(0, name.to_owned())][..3];
        let mut reach = [0.0_f64; 3];
        for (cell, _) in owners.iter().enumerate().filter(|(_, owner)| **owner == id) {
            let from = if cell == 0 { 0 } else { ends[cell - 1] as usize };
            for corner in &corners[from..ends[cell] as usize] {
                for c in 0..3 {
                    reach[c] = reach[c].max((points[3 * *corner as usize + c] - centre[c]).abs());
                }
            }
        }
        assert!((0..3).all(|c| (reach[c] - axes[c]).abs() < 1e-12), "{name}: {reach:?}");
    }
    let fixed = arrays(&bench.path("b/fixed.vtp"));
    let ids = wholes(&fixed["id"]);
    assert_eq!((ids[0], ids.len()), (0, 7), "a square and the six faces of the post");
    assert!(reals(&fixed["Points"])[..12].chunks(3).all(|p| p[2].abs() < 1e-12), "the ground is level");
}

/// JSON and buffer of a `.glb` file.
fn glb(path: &Path) -> (Value, Vec<u8>) {
    let file = fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&file[..4], word(4), word(8)), (&b"glTF"[..], 2, file.len()));
    let length = word(12);
    assert_eq!((&file[16..20], &file[24 + length..28 + length]), (&b"JSON"[..], &b"BIN\0"[..]));
    let json = serde_json::from_slice(&file[20..20 + length]).unwrap();
    (json, file[28 + length..].to_vec())
}

#[test]
fn the_animation_moves_bodies_as_the_tables_say() {
    let bench = finished();
    bench.expect(&["export", "a", "--gltf"], 0);
    let (document, buffer) = glb(&bench.path("a/export/run.glb"));
    let floats = |accessor: &Value| -> Vec<f64> {
        let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [at, n] = ["byteOffset", "byteLength"].map(|f| view[f].as_u64().unwrap() as usize);
        buffer[at..at + n].chunks(4).map(|c| f64::from(f32::from_le_bytes(c.try_into().unwrap()))).collect()
    };
    let written = bodies(&bench.path("a"));
    let animation = &document["animations"][0];
    let mut n_seen = 0;
    for channel in animation["channels"].as_array().unwrap() {
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let node = &document["nodes"][channel["target"]["node"].as_u64().unwrap() as usize];
        let (times, values) = (floats(&sampler["input"]), floats(&sampler["output"]));
        assert_eq!(times.len(), 101);
        let n = values.len() / times.len();
        for (step, value) in values.chunks(n).enumerate() {
            let said = &written[&(step, node["name"].as_str().unwrap().to_owned())];
            let far = |said: &[f64]| (0..n).map(|c| (value[c] - said[c]).abs()).fold(0.0, f64::max);
            let difference = match channel["target"]["path"].as_str().unwrap() {
                "translation" => far(&said[..3]),
                _ => {
                    let q = [said[4], said[5], said[6], said[3]];
                    far(&q).min(far(&q.map(|x| -x)))
                }
            };
            assert!(difference < 1e-6, "step {step}: {difference}");
            n_seen += 1;
        }
    }
    assert_eq!(n_seen, 2 * 5 * 101);
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let bench = finished();
    let refused = |arguments: &[&str], part: &str| {
        let before = bench.listing();
        let message = bench.expect(&[["export"].as_slice(), arguments].concat(), 2);
        assert!(message.contains(part), "{message}");
        assert_eq!(bench.listing(), before, "{arguments:?} wrote something");
    };
    refused(&["a"], "--vtk");
    refused(&["a", "--gltf", "--surfaces"], "--vtk");
    refused(&["nowhere", "--vtk"], "scene.toml");
    bench.expect(&["export", "a", "--gltf", "--out", "b"], 0);
    refused(&["a", "--vtk", "--out", "b"], "--force");
    fs::write(bench.path("b/mine.txt"), "x").unwrap();
    bench.expect(&["export", "a", "--vtk", "--out", "b", "--force"], 0);
    assert!(bench.path("b/mine.txt").exists() && !bench.path("b/run.glb").exists());
}
