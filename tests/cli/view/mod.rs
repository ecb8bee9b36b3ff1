//! `signorini view`: the page stands alone, holds the numbers of the tables, and works in a browser.

mod browser;
mod decoded;
mod served;

use super::{Bench, table};
use decoded::{Decoded, float};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A little of everything: round and flat bodies, one off the ground for good, one turning on a joint, one of
/// several parts.
const SCENE: &str = r#"
format = 1
[simulation]
time_step = 0.004
duration = 0.4
[[friction]]
coefficient = 0.4
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "post </script><b>"
fixed = true
position = [0, 0.6, 0.3]
shape = { type = "box", half_extents = [0.05, 0.05, 0.3] }
[[body]]
name = "ball, red"
mass = 1
position = [0, 0, 0.15]
velocity = [0.7, 0, 0]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "can"
mass = 1
position = [0.5, 0, 0.2]
angular_velocity = [0, 1, 8]
shape = { type = "cylinder", radius = 0.08, length = 0.3 }
[[body]]
name = "egg"
mass = 0.5
position = [-0.5, 0, 0.3]
angular_velocity = [3, 2, 1]
shape = { type = "ellipsoid", semi_axes = [0.15, 0.1, 0.06] }
[[body]]
name = "arm"
mass = 1
position = [0.2, 0.6, 0.5]
shape = { type = "box", half_extents = [0.15, 0.03, 0.03] }
[[body]]
name = "dumbbell"
position = [0.95, 0, 0.1]
angular_velocity = [0, 0, 2]
parts = [
    { shape = { type = "sphere", radius = 0.1 }, position = [0, -0.15, 0], mass = 1 },
    { shape = { type = "box", half_extents = [0.04, 0.05, 0.04] }, mass = 0.5 },
    { shape = { type = "sphere", radius = 0.1 }, position = [0, 0.15, 0], mass = 1 },
]
[[joint]]
name = "pin"
type = "revolute"
between = ["post </script><b>", "arm"]
anchor = [0.05, 0.6, 0.5]
axis = [0, 1, 0]
"#;

/// A finished run in the folder `a`.
pub fn finished() -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("scene.toml"), SCENE).unwrap();
    bench.expect(&["run", "scene.toml", "--out", "a", "--quiet"], 0);
    bench
}

fn page(bench: &Bench, arguments: &[&str]) -> String {
    bench.expect(&[["view", "a"].as_slice(), arguments].concat(), 0);
    fs::read_to_string(bench.path("a/run.html")).unwrap()
}

/// The numbers of `bodies.csv`, by step and name.
pub fn bodies(path: &Path) -> BTreeMap<(usize, String), Vec<f64>> {
    let rows = table(&path.join("bodies.csv"));
    let number = |text: &String| text.parse::<f64>().unwrap();
    rows[1..]
        .iter()
        .map(|row| ((row[0].parse().unwrap(), row[2].clone()), row[3..16].iter().map(number).collect()))
        .collect()
}

/// Rows of a step of `contacts.csv`, sorted by the places of their bodies in the scene.
pub fn contacts(path: &Path, step: usize, order: &[String]) -> Vec<Vec<String>> {
    let place = |name: &String| order.iter().position(|n| n == name).unwrap();
    let rows = table(&path.join("contacts.csv"));
    let mut rows: Vec<Vec<String>> = rows.into_iter().filter(|row| row[0] == step.to_string()).collect();
    rows.sort_by_key(|row| (place(&row[2]), place(&row[3])));
    rows
}

#[test]
fn the_page_stands_alone() {
    let html = page(&finished(), &[]);
    assert!(html.len() < 1_500_000, "{} bytes", html.len());
    // Markup that could fetch something: the page has none, and the browser would refuse.
    for door in [" src=", "href=\"", "<link", "@import", "url(", "importScripts", "<iframe", "WebSocket"] {
        assert!(!html.contains(door), "{door}");
    }
    assert!(html.contains("default-src 'none'; script-src 'unsafe-inline'"), "no policy against requests");
    // Names from the scene end no script.
    assert!(!html.contains("post <"), "a name is in the page as text");
}

#[test]
fn the_page_holds_the_numbers_of_the_tables() {
    let bench = finished();
    let found = Decoded::new(&page(&bench, &[]));
    let folder = bench.path("a");
    assert_eq!(found.header["frames"]["steps"].as_array().unwrap().len(), 101);
    let quantum = found.header["quantum"].as_f64().unwrap();
    assert!(quantum < 4e-6, "{quantum}");
    let written = bodies(&folder);
    let names = found.moving();
    assert_eq!(names, ["ball, red", "can", "egg", "arm", "dumbbell"]);
    for ((step, name), numbers) in &written {
        let Some(slot) = names.iter().position(|n| n == name) else { continue };
        let sample = found.sample(slot, *step);
        let same = if (0..4).map(|c| sample[3 + c] * numbers[3 + c]).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        for c in 0..13 {
            let (mut shown, said) = (sample[c], numbers[c]);
            let allowed = match c {
                0..3 => 0.5001 * quantum,
                3..7 => 0.5001 / 4095.0,
                _ => said.abs() * 2e-3 + 1e-7,
            };
            if (3..7).contains(&c) {
                shown *= same;
            }
            assert!((shown - said).abs() <= allowed, "step {step}, {name}, {c}: {shown}, not {said}");
        }
    }
    let order = found.names();
    let (mut n_loaded, mut n_of_parts) = (0, 0);
    for step in 1..=100 {
        let rows = contacts(&folder, step, &order);
        let shown = found.contacts(step);
        assert_eq!(shown.len(), rows.len(), "step {step}");
        for (integers, row) in shown.iter().zip(rows) {
            let said = |c: usize| row[c].parse::<f64>().unwrap();
            assert_eq!([&order[integers[0] as usize], &order[integers[1] as usize]], [&row[2], &row[3]]);
            for (k, c) in [(5, 7), (6, 8), (7, 9)] {
                assert!((f64::from(integers[k]) / 8191.0 - said(c)).abs() < 1e-4, "normal at step {step}");
            }
            let digits = [(9, 11, 13), (10, 12, 13), (11, 13, 13), (12, 14, 13), (8, 10, 15), (14, 16, 15)];
            for (k, c, dropped) in digits {
                let shown = float(integers[k], dropped);
                let allowed = if dropped == 13 { 5e-4 } else { 2e-3 } * said(c).abs() + 1e-7;
                assert!((shown - said(c)).abs() <= allowed, "{c} at step {step}: {row:?}");
            }
            let state = ["open", "stick", "slip"][(integers[15] & 3) as usize];
            let kind = ["point", "line", "surface"][(integers[15] >> 2 & 3) as usize];
            assert_eq!((state, kind), (row[17].as_str(), row[20].as_str()));
            assert_eq!([integers[16] & 0x7fff, integers[16] >> 15], [said(38) as i32, said(39) as i32]);
            n_loaded += usize::from(said(11) > 0.0);
            n_of_parts += usize::from(said(39) > 0.0);
        }
    }
    assert!(n_loaded > 50 && n_of_parts > 50, "{n_loaded} loaded contacts, {n_of_parts} of further parts");
}

#[test]
fn long_runs_are_thinned_to_the_last_frame() {
    let bench = finished();
    let found = Decoded::new(&page(&bench, &["--frames", "12"]));
    let steps: Vec<u64> =
        found.header["frames"]["steps"].as_array().unwrap().iter().map(|s| s.as_u64().unwrap()).collect();
    assert_eq!(steps, [0, 16, 32, 48, 64, 80, 96, 100]);
    // Steps of the chart are all there.
    assert_eq!(found.header["steps"].as_u64(), Some(100));
    let numbers = &bodies(&bench.path("a"))[&(96, "can".to_owned())];
    assert!((found.sample(1, 6)[0] - numbers[0]).abs() < 3e-6);
}

#[test]
fn a_killed_run_is_shown_up_to_its_last_whole_step() {
    let bench = finished();
    let path = bench.path("a/bodies.csv");
    let text = fs::read_to_string(&path).unwrap();
    // Three of the five bodies of the last step are there, and half of a line.
    let lines: Vec<&str> = text.lines().collect();
    let cut = lines[..lines.len() - 2].join("\n") + "\n100,0.4,eg";
    fs::write(&path, cut).unwrap();
    fs::remove_file(bench.path("a/summary.json")).unwrap();
    let found = Decoded::new(&page(&bench, &[]));
    assert_eq!(found.header["frames"]["steps"].as_array().unwrap().last().unwrap().as_u64(), Some(99));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let bench = finished();
    let before = bench.listing();
    let message = bench.expect(&["view", "nowhere"], 2);
    assert!(message.contains("nowhere") && message.contains("scene.toml"), "{message}");
    let message = bench.expect(&["view", "a", "--frames", "1"], 2);
    assert!(message.contains("2..=1000000"), "{message}");
    let message = bench.expect(&["view", "a", "--size", "nan"], 2);
    assert!(message.contains("from 1 to 1000"), "{message}");
    let path = bench.path("a/bodies.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("egg", "leg")).unwrap();
    let message = bench.expect(&["view", "a"], 2);
    assert!(message.contains("bodies.csv") && message.contains("\"leg\""), "{message}");
    assert_eq!(bench.listing(), before, "something was written");
    fs::write(&path, text).unwrap();
    let message = bench.expect(&["view", "a", "--out", "no/such/folder.html"], 1);
    assert!(message.contains("no/such/folder.html"), "{message}");
}
