//! `signorini track`: a gap and a wiper, threads, going on, bad input.

use super::*;
use std::collections::BTreeMap;

/// A track along x, down which gravity pulls, with a gap of 30 mm at 0.1 m; parts lie on it at the origin.
fn scene(half_extents: [f64; 3], friction: f64, more: &str) -> String {
    let [a, b, c] = half_extents;
    format!(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 1.5\ngravity = [4.905, 0, -8.4957]\n\
         [[friction]]\ncoefficient = {friction}\n\
         [[body]]\nname = \"start\"\nfixed = true\nposition = [0, 0, -0.1]\n\
         shape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n\
         [[body]]\nname = \"part\"\ndensity = 1000\nposition = [0, 0, {c}]\n\
         shape = {{ type = \"box\", half_extents = [{a}, {b}, {c}] }}\n{more}"
    )
}

const BEHIND_A_GAP: &str = "[[body]]\nname = \"end\"\nfixed = true\nposition = [0.28, 0, -0.1]\n\
     shape = { type = \"box\", half_extents = [0.15, 0.1, 0.1] }\n";
/// No gap, and a bar across, 40 mm above the track.
const UNDER_A_BAR: &str = "[[body]]\nname = \"end\"\nfixed = true\nposition = [0.4, 0, -0.1]\n\
     shape = { type = \"box\", half_extents = [0.3, 0.1, 0.1] }\n\
     [[body]]\nname = \"bar\"\nfixed = true\nposition = [0.15, 0, 0.045]\n\
     shape = { type = \"box\", half_extents = [0.005, 0.1, 0.005] }\n";

/// Poses of a box as a drop test writes them: on its faces normal to x, y or z.
fn poses(half_extents: [f64; 3], axes: &[usize]) -> String {
    let mass = 8.0 * 1000.0 * half_extents.iter().product::<f64>();
    let mut text = "pose,count,share,low,high,height,vertical_inertia,down_x,down_y,down_z\n".to_owned();
    for (k, axis) in axes.iter().enumerate() {
        let others = (0..3).filter(|i| i != axis).map(|i| half_extents[i] * half_extents[i]);
        let inertia = mass / 3.0 * others.sum::<f64>();
        let down = [0, 1, 2].map(|i| if i == *axis { -1 } else { 0 });
        let share = 1.0 / axes.len() as f64;
        text += &format!(
            "{},10,{share:?},0,1,{:?},{inertia:?},{},{},{}\n",
            k + 1,
            half_extents[*axis],
            down[0],
            down[1],
            down[2]
        );
    }
    text
}

/// A track with a gap, and poses of a part on its face normal to z.
fn bench(half_extents: [f64; 3]) -> Bench {
    bench_of(scene(half_extents, 0.45, BEHIND_A_GAP), poses(half_extents, &[2]))
}

fn bench_of(scene: String, poses: String) -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("track.toml"), scene).unwrap();
    fs::write(bench.path("poses.csv"), poses).unwrap();
    bench
}

const LINE: [&str; 12] = [
    "track",
    "track.toml",
    "--from",
    "poses.csv",
    "--exit",
    "0.3,-inf,-0.05,inf,inf,inf",
    "--reject",
    "-inf,-inf,-inf,inf,inf,-0.06",
    "--up",
    "0,0,1",
    "--body",
    "part",
];

fn line<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&LINE[..], more].concat()
}

fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

fn result(bench: &Bench, out: &str) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(bench.path(out).join("track.json")).unwrap()).unwrap()
}

/// A small part falls through the gap, a long one that lies along the track gets over it.
#[test]
fn a_gap_rejects_what_is_too_short() {
    let small = bench([0.005, 0.004, 0.003]);
    small.expect(&line(&["--yaws", "4", "--seeds", "1", "-o", "a", "-q"]), 0);
    let found = result(&small, "a");
    assert_eq!((&found["exits"], &found["rejected"], &found["stuck"]), (&0.into(), &4.into(), &0.into()));
    assert_eq!(found["rejected_share"]["share"], 1.0);
    assert_eq!(found["regions"]["reject-1"], 4);
    // Sectors of 45° about 22.5°, 67.5°, …: along the track the part is longer than two gaps.
    let long = bench([0.05, 0.004, 0.003]);
    long.expect(&line(&["--yaws", "8", "--seeds", "1", "-o", "a", "-q"]), 0);
    let found = rows(&long.path("a/trials.csv"));
    for row in &found {
        let yaw: f64 = row["yaw"].parse().unwrap();
        let across = yaw.to_radians().sin().abs();
        let expected = if across < 0.7 { "exit" } else { "reject" };
        if !(0.6..0.97).contains(&across) {
            assert_eq!(row["end"], expected, "{row:?}");
        }
        assert_eq!((&row["unsolved_steps"], &row["red_steps"]), (&"0".to_owned(), &"0".to_owned()));
        assert_eq!(row["steps"], row["judged_steps"]);
    }
    assert!(found.iter().any(|row| row["end"] == "exit" && row["end_pose"] == "1"), "{found:?}");
    let certificate = &result(&long, "a")["certificate"];
    assert_eq!((&certificate["every_step_judged"], &certificate["red"]), (&true.into(), &0.into()));
    assert!(certificate["steps"].as_u64().unwrap() > 100);
}

/// A bar lets a part pass that lies, and lays down one that stands.
#[test]
fn a_wiper_lays_a_standing_part_down() {
    let half_extents = [0.03, 0.012, 0.008];
    let bench = bench_of(scene(half_extents, 0.1, UNDER_A_BAR), poses(half_extents, &[2, 0, 1]));
    let exit = ["--exit", "0.55,-inf,-0.05,inf,inf,inf"];
    let line = [&LINE[..4], &exit, &LINE[8..]].concat();
    let output = bench.call(&[&line[..], &["--yaws", "4", "--seeds", "2", "--out", "a", "-j", "2"]].concat());
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let trials = rows(&bench.path("a/trials.csv"));
    assert_eq!(trials.len(), 3 * 4 * 2);
    for row in trials.iter().filter(|row| row["end"] == "exit") {
        assert_ne!(row["end_pose"], "2", "what passes lies: {row:?}");
    }
    let matrix = rows(&bench.path("a/matrix.csv"));
    assert_eq!(matrix.len(), 3 * 6);
    let count = |from: &str, to: &str| {
        let row = matrix.iter().find(|row| row["from"] == from && row["to"] == to).unwrap();
        row["count"].parse::<usize>().unwrap()
    };
    assert_eq!((count("1", "1"), count("3", "3")), (8, 8), "what lies passes: {matrix:?}");
    assert!(count("2", "1") + count("2", "3") > 0 && count("2", "2") == 0, "{matrix:?}");
    let share: f64 =
        matrix.iter().filter(|row| row["from"] == "2").map(|row| row["share"].parse::<f64>().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-12);
    let yaws = rows(&bench.path("a/yaws.csv"));
    let passed: usize = yaws.iter().map(|row| row["count"].parse::<usize>().unwrap()).sum();
    assert_eq!(passed, trials.iter().filter(|row| row["end"] == "exit").count());
    assert!(bench.path("a/track.png").is_file() && bench.path("a/track.svg").is_file());
    assert!(told.contains("throughput") && told.contains("0 red, 0 unsolved"), "{told}");
}

#[test]
fn trials_go_on_and_are_the_same_on_any_threads() {
    let bench = bench([0.05, 0.004, 0.003]);
    let options = ["--yaws", "3", "--seeds", "2", "--speed", "0.05", "-q"];
    let run = |out: &str, threads: &str, code: i32| {
        bench.expect(&line(&[&options[..], &["-o", out, "-j", threads]].concat()), code)
    };
    run("a", "1", 0);
    let whole = fs::read_to_string(bench.path("a/trials.csv")).unwrap();
    run("b", "2", 0);
    assert_eq!(whole, fs::read_to_string(bench.path("b/trials.csv")).unwrap());
    // A test that was killed has a part of its trials, and perhaps half a row; one of them is changed here to
    // show that it is not taken again.
    let lines: Vec<&str> = whole.lines().collect();
    let part = format!("{}\n{}\n{}\n4,1,2", lines[0], lines[1].replace("exit", "stuck"), lines[2]);
    fs::write(bench.path("b/trials.csv"), part).unwrap();
    run("b", "2", 0);
    let again = fs::read_to_string(bench.path("b/trials.csv")).unwrap();
    assert_eq!(again, whole.replacen(lines[1], &lines[1].replace("exit", "stuck"), 1));
    // Another test does not mix with it.
    let told = bench.expect(&line(&["--yaws", "2", "-o", "b", "-q"]), 2);
    assert!(told.contains("holds another track test"), "{told}");
    assert_eq!(again, fs::read_to_string(bench.path("b/trials.csv")).unwrap());
    bench.expect(&line(&["--yaws", "2", "--seeds", "1", "-o", "b", "-q", "--force"]), 0);
    assert_eq!(rows(&bench.path("b/trials.csv")).len(), 2);
}

#[test]
fn regions_may_stand_in_a_file() {
    let bench = bench([0.05, 0.004, 0.003]);
    let text = "format = 1\n[[region]]\nname = \"bin\"\nkind = \"exit\"\nup = [0, 0, 1]\n\
        min = [0.3, -inf, -0.05]\nmax = [inf, inf, inf]\n\
        [[region]]\nname = \"hole\"\nkind = \"reject\"\nmin = [-inf, -inf, -inf]\nmax = [inf, inf, -0.06]\n";
    fs::write(bench.path("regions.toml"), text).unwrap();
    let line = ["track", "track.toml", "--from", "poses.csv", "--regions", "regions.toml", "--up", "0,0,1"];
    let rest = ["--yaws", "2", "--seeds", "1", "-o", "a", "--json"];
    let output = bench.call(&[&line[..], &rest].concat());
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &found), (Some(0), &result(&bench, "a")));
    let names: Vec<&String> = found["regions"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["bin", "hole"]);
}

#[test]
fn what_is_no_track_test_is_refused() {
    let bench = bench([0.05, 0.004, 0.003]);
    let refused = |arguments: &[&str], text: &str| {
        let told = bench.expect(&[arguments, &["--out", "no"]].concat(), 2);
        assert!(told.contains(text), "{arguments:?}: {told}");
        assert!(!bench.path("no").exists(), "{arguments:?}");
    };
    let without = |word: &str| -> Vec<&str> {
        let at = LINE.iter().position(|w| *w == word).unwrap();
        LINE.iter().enumerate().filter(|(i, _)| *i != at && *i != at + 1).map(|(_, w)| *w).collect()
    };
    refused(&without("--from"), "--from");
    refused(&without("--exit"), "--regions");
    refused(&line(&["--yaws", "0"]), "from 1 to");
    refused(&line(&["--seeds", "x"]), "from 1 to");
    refused(&line(&["--speed", "-1"]), "0 or more");
    refused(&line(&["--exit", "0,0,0,1,1"]), "must be X0,Y0,Z0,X1,Y1,Z1");
    refused(&line(&["--yaws", "3600", "--seeds", "1000"]), "must be at most 1000000");
    refused(&line(&["--regions", "none.toml"]), "none.toml");
    refused(&[&without("--body")[..], &["--body", "prt"]].concat(), "no such body; that move: part");
    refused(&[&without("--body")[..], &["--body", "end"]].concat(), "fixed or driven");
    refused(&[&without("--up")[..], &["--up", "0,0,0"]].concat(), "must be a direction");
    refused(&[&without("--from")[..], &["--from", "none.csv"]].concat(), "none.csv");
    fs::write(bench.path("other.csv"), poses([0.05, 0.004, 0.006], &[2])).unwrap();
    refused(
        &[&without("--from")[..], &["--from", "other.csv"]].concat(),
        "of another body, scale or density",
    );
    fs::write(bench.path("other.csv"), poses([0.04, 0.004, 0.003], &[2])).unwrap();
    refused(&[&without("--from")[..], &["--from", "other.csv"]].concat(), "vertical inertia");
    fs::write(bench.path("other.csv"), "a,b\n1,2\n").unwrap();
    refused(&[&without("--from")[..], &["--from", "other.csv"]].concat(), "other.csv");
    fs::write(bench.path("other.csv"), poses([0.05, 0.004, 0.003], &[])).unwrap();
    refused(&[&without("--from")[..], &["--from", "other.csv"]].concat(), "0 poses");
    // A wall beside the part: it overlaps when it lies across.
    let wall = "[[body]]\nname = \"wall\"\nfixed = true\nposition = [0, 0.03, 0.05]\n\
         shape = { type = \"box\", half_extents = [0.1, 0.01, 0.05] }\n";
    fs::write(bench.path("track.toml"), scene([0.05, 0.004, 0.003], 0.45, wall)).unwrap();
    refused(&LINE, "overlap");
}
