//! The page in headless Chromium, where there is one: every tenth frame shows what the tables hold, bodies
//! are drawn where exact rays meet them, the pointer picks the body under it. Skips and says so without
//! Chromium; `CHROMIUM` names another program.

use super::super::Bench;
use super::{bodies, finished, table};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn chromium() -> Option<String> {
    let named = std::env::var("CHROMIUM").into_iter();
    let usual =
        ["chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"].map(str::to_owned);
    let runs = |program: &String| {
        let mut version = Command::new(program);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    named.chain(usual).find(runs)
}

/// Data of the tables for every tenth frame.
fn expected(folder: &Path) -> Value {
    let written = bodies(folder);
    let last = written.keys().map(|(step, _)| *step).max().expect("steps");
    let rows = table(&folder.join("contacts.csv"));
    let frames = (0..=last).step_by(10).map(|step| {
        let own = rows[1..].iter().filter(|row| row[0] == step.to_string());
        let pushes: Vec<f64> = own.clone().map(|row| row[11].parse().expect("a number")).collect();
        let parts = own.map(|row| [&row[2], &row[3], &row[38], &row[39]].map(String::as_str).join("|"));
        let parts: std::collections::BTreeSet<String> = parts.collect();
        let moving = written.range((step, String::new())..(step + 1, String::new()));
        let later = |name: &String| written.contains_key(&(last, name.clone()));
        let moving = moving.filter(|((_, name), _)| later(name));
        let numbers: serde_json::Map<String, Value> =
            moving.map(|((_, name), numbers)| (name.clone(), json!(numbers))).collect();
        json!({
            "frame": step,
            "step": step,
            "bodies": numbers,
            "contacts": pushes.len(),
            "push": pushes.iter().sum::<f64>(),
            "parts": parts,
        })
    });
    json!({ "frames": frames.collect::<Vec<Value>>() })
}

/// The page of the run in the folder `a` with checks in it, opened from disk. None without Chromium.
#[allow(clippy::print_stderr)] // a skipped test says so
fn checked(bench: &Bench) -> Option<Value> {
    let Some(program) = chromium() else {
        eprintln!("skipped: no Chromium (CHROMIUM names one)");
        return None;
    };
    bench.expect(&["view", "a"], 0);
    let html = fs::read_to_string(bench.path("a/run.html")).expect("the page");
    let data = expected(&bench.path("a"));
    let script = format!("<script>const EXPECTED = {data};\n{}</script>\n</body>", include_str!("checks.js"));
    let page = bench.path("checked.html");
    fs::write(&page, html.replacen("</body>", &script, 1)).expect("a page");
    let mut command = Command::new(program);
    command.args([
        "--headless=new",
        "--no-sandbox",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
    ]);
    command.args([
        "--window-size=640,560",
        "--virtual-time-budget=20000",
        "--enable-logging=stderr",
        "--dump-dom",
    ]);
    // The address names the colours and a light theme, as a user may.
    command.arg(format!("--user-data-dir={}", bench.path("profile").display()));
    command.arg(format!("file://{}#theme=light&colour=body", page.display()));
    let output = command.output().expect("Chromium runs");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let console: Vec<&str> = log.lines().filter(|line| line.contains(":CONSOLE")).collect();
    // The driver of the test machine may be slow, and says so.
    let console: Vec<&&str> = console.iter().filter(|line| !line.contains("GPU stall")).collect();
    assert!(console.is_empty(), "{console:#?}");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = dom.split_once("<pre id=\"checks\">").unwrap_or_else(|| panic!("no report\n{log}")).1;
    let report = report.split_once("</pre>").expect("an end").0;
    Some(
        serde_json::from_str(&report.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
            .expect(report),
    )
}

/// Holds a report to what a page promises; `size` (m) is that of the smallest body, `speed` the largest.
fn hold(report: &Value, size: f64, speed: f64, n_moving: u64) {
    let number = |name: &str| report[name].as_f64().expect("a number");
    assert_eq!(report["faults"], json!([]), "{report:#}");
    assert!(number("position") < size / 1e4 && number("drawn") < size / 1e4, "{report:#}");
    assert!(number("velocity") < 2e-3 * speed && number("push") < 5e-4, "{report:#}");
    assert!(number("hits") > 100.0 && number("wrong") <= 0.005 * number("hits"), "{report:#}");
    assert_eq!(report["keys"], true, "{report:#}");
    assert_eq!(report["touched"], 4, "{report:#}");
    assert!(number("framed") >= 0.95, "{report:#}");
    assert!(report["picked"].as_u64() >= Some(n_moving.div_ceil(2)), "{report:#}");
}

#[test]
fn round_and_flat_bodies_are_shown_as_the_tables_say() {
    if let Some(report) = checked(&finished()) {
        hold(&report, 0.05, 10.0, 5);
        assert!(report["parts"].as_u64() >= Some(1), "no part was picked: {report:#}");
    }
}

#[test]
fn seeds_are_shown_as_the_tables_say() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/seeds");
    for (name, duration, size, speed, n_moving) in
        [("arch", "0.2", 0.1, 1.0, 9), ("dominoes", "0.2", 0.003, 20.0, 20)]
    {
        let bench = Bench::new(0, 1);
        let scene = seeds.join(format!("{name}.toml"));
        let run = ["run", scene.to_str().expect("a path"), "--duration", duration, "--out", "a", "--quiet"];
        bench.expect(&run, 0);
        if let Some(report) = checked(&bench) {
            hold(&report, size, speed, n_moving);
        }
    }
}

/// Two balls, one of which goes out through a face and strikes the other there.
const ROUND_THE_BOX: &str = r#"
format = 1
[simulation]
time_step = 0.004
duration = 0.2
gravity = [0, 0, 0]
[periodic]
x = [-0.5, 0.5]
[[friction]]
coefficient = 0.4
[[body]]
name = "first"
mass = 1
position = [0.39, 0, 0]
velocity = [2, 0, 0]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "second"
mass = 1
position = [-0.4, 0, 0]
shape = { type = "sphere", radius = 0.1 }
"#;

#[test]
fn lines_of_a_periodic_scene_end_at_its_faces() {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("scene.toml"), ROUND_THE_BOX).expect("a scene");
    bench.expect(&["run", "scene.toml", "--out", "a", "--quiet"], 0);
    if let Some(report) = checked(&bench) {
        assert_eq!(report["faults"], json!([]), "{report:#}");
        assert!(report["rods"].as_u64() >= Some(2) && report["crossings"].as_u64() >= Some(1), "{report:#}");
    }
}

/// Balls in a box of walls, and one that falls past it for ever.
const BEHIND_WALLS: &str = r#"
format = 1
[simulation]
step = 0.01
duration = 2
[[friction]]
coefficient = 0.4
[[body]]
name = "box"
fixed = true
parts = [
    { shape = { type = "box", half_extents = [0.5, 0.5, 0.05] }, position = [0, 0, -0.05] },
    { shape = { type = "box", half_extents = [0.05, 0.5, 0.3] }, position = [0.45, 0, 0.3] },
    { shape = { type = "box", half_extents = [0.05, 0.5, 0.3] }, position = [-0.45, 0, 0.3] },
    { shape = { type = "box", half_extents = [0.4, 0.05, 0.3] }, position = [0, 0.45, 0.3] },
    { shape = { type = "box", half_extents = [0.4, 0.05, 0.3] }, position = [0, -0.45, 0.3] },
]
[[body]]
name = "near"
mass = 1
position = [0.2, -0.25, 0.15]
shape = { type = "sphere", radius = 0.15 }
[[body]]
name = "far"
mass = 1
position = [-0.2, 0.2, 0.15]
shape = { type = "sphere", radius = 0.15 }
[[body]]
name = "lost"
mass = 1
position = [2, 0, 0]
shape = { type = "sphere", radius = 0.15 }
"#;

#[test]
fn what_walls_hide_is_seen_and_what_falls_away_does_not_make_it_small() {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("scene.toml"), BEHIND_WALLS).expect("a scene");
    bench.expect(&["run", "scene.toml", "--out", "a", "--quiet"], 0);
    if let Some(report) = checked(&bench) {
        assert_eq!(report["faults"], json!([]), "{report:#}");
        let number = |name: &str| report[name].as_f64().expect("a number");
        assert_eq!(number("framed"), 1.0, "{report:#}");
        // Of the balls' middles: a radius more on each side.
        assert!(number("filled") > 0.2, "{report:#}");
        // The wall is grey, the ball behind it is not.
        assert!(number("throughGlass") > 40.0, "{report:#}");
    }
}
