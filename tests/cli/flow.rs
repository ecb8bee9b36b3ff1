//! Runs in which bodies come and leave: their tables, audits, exports and messages.

use super::*;
use signorini_kernels::math::ExactSum;
use std::collections::BTreeMap;

const SCENE: &str = r#"
format = 1
[simulation]
time_step = 0.005
duration = 1
seed = 2
[[friction]]
coefficient = 0.3
[[body]]
name = "floor"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "first"
density = 1000
shape = { type = "sphere", radius = 0.05 }
position = [0.3, 0, 0.05]
[[inlet]]
name = "grain"
rate = 30
total = 12
density = 1000
velocity = [1.5, 0, -1]
region = { type = "box", min = [-0.06, -0.06, 0.05], max = [0.06, 0.06, 0.2] }
shape = { type = "ellipsoid", semi_axes = [0.05, 0.04, 0.03] }
scale = { type = "uniform", min = 0.8, max = 1 }
[[outlet]]
name = "end"
region = { type = "half_space", normal = [-1, 0, 0], offset = -0.5 }
"#;

/// A finished run, one folder for each way to write it.
fn finished() -> Bench {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), SCENE).unwrap();
    bench.expect(&["run", "scene.toml", "--out", "a"], 0);
    bench.expect(&["run", "scene.toml", "--out", "thin", "--every", "7"], 0);
    bench
}

/// Rows of `flow.csv`: step, event, body, mass.
fn flow(folder: &Path) -> Vec<(usize, String, String, f64)> {
    let rows = table(&folder.join("flow.csv"));
    assert_eq!(rows[0][..6].join(","), "step,time,event,gate,body,mass");
    let row = |r: &Vec<String>| (r[0].parse().unwrap(), r[2].clone(), r[4].clone(), r[5].parse().unwrap());
    rows[1..].iter().map(row).collect()
}

/// Bodies with a row in `bodies.csv`, by step.
fn bodies(folder: &Path) -> BTreeMap<usize, BTreeSet<String>> {
    let mut found = BTreeMap::<usize, BTreeSet<String>>::new();
    for row in &table(&folder.join("bodies.csv"))[1..] {
        assert!(found.entry(row[0].parse().unwrap()).or_default().insert(row[2].clone()), "{row:?}");
    }
    found
}

#[test]
fn tables_tell_who_is_there_and_the_sums_are_exact() {
    let bench = finished();
    for folder in ["a", "thin"] {
        let events = flow(&bench.path(folder));
        let mut inside: BTreeSet<String> = ["first".to_owned()].into();
        let mut mass = ExactSum::default();
        let resolved = fs::read_to_string(bench.path(folder).join("scene.toml")).unwrap();
        let masses = resolved.lines().filter_map(|line| line.strip_prefix("mass = "));
        masses.for_each(|first| mass.add(first.parse().unwrap()));
        let there = bodies(&bench.path(folder));
        for step in 1..=200 {
            for (_, event, body, m) in events.iter().filter(|e| e.0 == step && e.1 == "in") {
                assert!(inside.insert(body.clone()), "{event} {body}");
                mass.add(*m);
            }
            if let Some(listed) = there.get(&step) {
                assert_eq!(listed, &inside, "{folder}: step {step}");
            }
            for (_, _, body, m) in events.iter().filter(|e| e.0 == step && e.1 == "out") {
                assert!(inside.remove(body), "{body}");
                mass.add(-m);
            }
        }
        let page = summary(&bench.path(folder));
        let flow = &page["flow"];
        assert_eq!(flow["inlets"][0]["bodies"], 12);
        assert!(flow["outlets"][0]["bodies"].as_u64().unwrap() > 3, "{flow}");
        assert_eq!(flow["bodies_inside"], inside.len());
        // The reader of JSON rounds the last bit.
        let text = fs::read_to_string(bench.path(folder).join("summary.json")).unwrap();
        let expected = format!("\"mass_inside\": {:?}\n", mass.value());
        assert!(text.contains(&expected), "{expected} in {text}");
    }
    assert_eq!(flow(&bench.path("a")), flow(&bench.path("thin")), "events are never thinned");
}

#[test]
fn audits_follow_bodies_that_come_and_leave() {
    let bench = finished();
    bench.expect(&["audit", "a"], 0);
    bench.expect(&["audit", "thin"], 3);
    bench.expect(&["audit", "thin", "--thinned"], 0);
    // Another mass of a body that came: the chain shows it, and so does the generator.
    let path = bench.path("a/flow.csv");
    let text = fs::read_to_string(&path).unwrap();
    let row = text.lines().nth(1).unwrap();
    let mut fields: Vec<String> = row.split(',').map(str::to_owned).collect();
    fields[5] = format!("{}", fields[5].parse::<f64>().unwrap() * 1.01);
    fs::write(&path, text.replacen(row, &fields.join(","), 1)).unwrap();
    let output = bench.call(&["audit", "a"]);
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{report}");
    assert!(report.contains("flow.csv: step 1: \"grain-0\" of shape 0"), "{report}");
}

#[test]
fn exports_show_bodies_while_they_are_there() {
    let bench = finished();
    bench.expect(&["export", "a", "--vtk", "--gltf"], 0);
    bench.expect(&["view", "a"], 0);
    bench.expect(&["plot", "a"], 0);
    let there = bodies(&bench.path("a"));
    let moving = |step: usize| there[&step].iter().filter(|name| *name != "floor").count();
    for step in [0, 1, 50, 100, 150, 200] {
        let file = fs::read(bench.path(&format!("a/export/bodies_{step:07}.vtp"))).unwrap();
        let expected = format!("NumberOfPoints=\"{}\"", moving(step));
        let has = file.windows(expected.len()).any(|w| w == expected.as_bytes());
        assert!(has, "step {step}: {expected}");
    }
    let file = fs::read(bench.path("a/export/run.glb")).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&file[20..20 + length]).unwrap();
    let channels = document["animations"][0]["channels"].as_array().unwrap();
    let of = |path: &str| channels.iter().filter(|c| c["target"]["path"] == path).count();
    assert_eq!([of("translation"), of("rotation")], [13, 13]);
    assert!((12..=13).contains(&of("scale")), "{}", of("scale"));
}

#[test]
fn an_inlet_that_waits_says_so() {
    let bench = Bench::new(1, 1);
    let text =
        SCENE.replace("rate = 30", "rate = 300").replace("velocity = [1.5, 0, -1]", "velocity = [0, 0, 0]");
    fs::write(bench.path("scene.toml"), text.replace("duration = 1", "duration = 0.2")).unwrap();
    let output = bench.call(&["run", "scene.toml", "--out", "a"]);
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{err}");
    assert!(err.contains("warning: inlet \"grain\" waits for room: its next body was due at"), "{err}");
    assert!(out.contains("waited for room"), "{out}");
    assert!(flow(&bench.path("a")).iter().any(|(_, event, ..)| event == "wait"));
    bench.expect(&["audit", "a"], 0);
}

#[test]
fn check_lists_inlets_and_outlets() {
    let bench = finished();
    let text = String::from_utf8(bench.call(&["check", "scene.toml"]).stdout).unwrap();
    assert!(text.contains("\"grain\": 30 bodies/s in a box from 0 s, 12 in all"), "{text}");
    assert!(text.contains("\"end\": (-1, 0, 0)·x ≤ -0.5 m"), "{text}");
}
