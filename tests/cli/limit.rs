//! `signorini limit`: the bracket, its runs, going on, bad input.

use super::*;

/// A block that slides on level ground when gravity tilts by more than atan 0.5.
const BLOCK: &str = "
format = 1
[simulation]
time_step = 0.01
duration = 0.5
[[friction]]
coefficient = 0.5
[[body]]
name = \"ground\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
[[body]]
name = \"block\"
density = 2000
position = [0, 0, 0.1]
shape = { type = \"box\", half_extents = [0.15, 0.1, 0.1] }
";
const TILT: [&str; 4] =
    ["--vary", "simulation.gravity[0]=9.81*sin(x)", "--vary", "simulation.gravity[2]=-9.81*cos(x)"];

fn bench() -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("block.toml"), BLOCK).unwrap();
    bench
}

fn line<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["limit", "block.toml"], &TILT[..], &["--between", "0.1", "0.9"], more].concat()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_bracket_and_its_runs_are_kept() {
    let bench = bench();
    let output = bench.call(&line(&["--to", "0.01", "--out", "a"]));
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let result = json(&bench.path("a/limit.json"));
    let number = |field: &str| result[field].as_f64().unwrap();
    let theory = 0.5_f64.atan();
    assert!(number("stands") < theory && number("collapses") > theory * (1.0 - 1e-6), "{result}");
    assert!(number("relative_width") <= 0.01 && (number("middle") - theory).abs() < 0.01 * theory);
    assert_eq!((&result["is_done"], &result["is_monotone"]), (&true.into(), &true.into()));
    assert!(told.contains("audit green") && told.contains("stands at"), "{told}");
    let trials = table(&bench.path("a/trials.csv"));
    assert_eq!(trials[0][..5].join(","), "trial,value,outcome,body,reached");
    assert_eq!(trials.len(), 1 + result["trials"].as_u64().unwrap() as usize);
    assert_eq!((&trials[1][1], &trials[2][1]), (&"0.1".to_owned(), &"0.9".to_owned()));
    for (name, outcome) in [("stands", "stands"), ("collapses", "collapses")] {
        let folder = format!("a/{name}");
        bench.expect(&["audit", &folder], 0);
        let record = json(&bench.path(&folder).join("trial.json"));
        assert_eq!((&record["trial"]["outcome"], &record["audit"]), (&outcome.into(), &"green".into()));
        assert_eq!(record["trial"]["value"], result[name]);
        // The run that collapses ends where it was decided.
        let steps = summary(&bench.path(&folder))["steps"].as_u64();
        assert_eq!(steps, record["trial"]["steps"].as_u64());
    }
    assert!(bench.path("a/limit.png").is_file() && bench.path("a/limit.svg").is_file());
    // The numbers do not depend on the threads.
    bench.expect(&line(&["--to", "0.01", "--out", "b", "-j", "1", "-q"]), 0);
    let [a, b] = ["a", "b"].map(|out| fs::read(bench.path(out).join("trials.csv")).unwrap());
    assert_eq!(a, b);
}

#[test]
fn trials_that_are_there_are_not_run_again() {
    let bench = bench();
    let output = bench.call(&line(&["--to", "0.05", "--out", "a", "--json"]));
    let first: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &first), (Some(0), &json(&bench.path("a/limit.json"))));
    // A trial that is read shows what the file says of it.
    let path = bench.path("a/trials.csv");
    let changed = fs::read_to_string(&path).unwrap().replacen("1,0.1,stands,block,", "1,0.1,stands,told,", 1);
    fs::write(&path, changed).unwrap();
    let old = fs::metadata(bench.path("a/stands/summary.json")).unwrap().modified().unwrap();
    let output = bench.call(&line(&["--to", "0.05", "--out", "a", "--points", "2"]));
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("trials there") && told.contains("told"), "{told}");
    let again = fs::metadata(bench.path("a/stands/summary.json")).unwrap().modified().unwrap();
    let narrower = json(&bench.path("a/limit.json"));
    assert!(narrower["stands"] != first["stands"] || again == old, "the run was made again");
    // Another scene has other trials.
    fs::write(bench.path("block.toml"), BLOCK.replace("0.5\n[[body]]", "0.7\n[[body]]")).unwrap();
    bench.expect(&line(&["--to", "0.05", "--out", "a", "-q"]), 0);
    let other = json(&bench.path("a/limit.json"));
    assert!((other["middle"].as_f64().unwrap() - 0.7_f64.atan()).abs() < 0.05, "{other}");
}

#[test]
fn a_frame_moves_with_what_it_carries() {
    let bench = bench();
    // A block on a plate that accelerates: x is its acceleration over g.
    let plate = BLOCK.replace(
        "[[body]]\nname = \"block\"",
        "[[motion]]\nbody = \"ground\"\ndirection = [1, 0, 0]\n\
         velocity = { type = \"table\", times = [0, 1], values = [0, 1] }\n[[body]]\nname = \"block\"",
    );
    fs::write(bench.path("plate.toml"), plate).unwrap();
    let run = |more: &[&str]| {
        let vary = ["limit", "plate.toml", "--vary", "motion[0].velocity.values[1]=9.81*x", "--between"];
        let output =
            bench.call(&[&vary[..], &["0.1", "2", "--to", "0.02", "-o", "p", "--json"], more].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), told, serde_json::from_slice::<serde_json::Value>(&output.stdout).ok())
    };
    let (code, told, _) = run(&[]);
    assert!(code == Some(2) && told.contains("both collapse"), "{told}");
    let (code, told, result) = run(&["--frame", "ground"]);
    assert_eq!(code, Some(0), "{told}");
    let middle = result.unwrap()["middle"].as_f64().unwrap();
    assert!((middle - 0.5).abs() < 0.02, "{middle}");
}

#[test]
fn what_has_no_limit_is_refused() {
    let bench = bench();
    let refused = |arguments: &[&str], text: &str| {
        let told = bench.expect(&[&["limit", "block.toml", "--out", "no"], arguments].concat(), 2);
        assert!(told.contains(text), "{arguments:?}: {told}");
        assert!(!bench.path("no").exists(), "{arguments:?}");
    };
    let friction = ["--vary", "friction[0].coefficient", "--between", "0.1", "0.9"];
    refused(&["--between", "0", "1"], "--vary");
    refused(&friction[..2], "--between");
    refused(&["--vary", "friction[0.coefficient", "--between", "0", "1"], "a [ is not closed");
    refused(&["--vary", "friction[0].coefficient=t", "--between", "0", "1"], "must be a formula in x");
    refused(&["--vary", "friction[1].coefficient", "--between", "0", "1"], "has 1 entries");
    refused(&["--vary", "body.block.sharpness", "--between", "0", "1"], "sharpness");
    refused(
        &["--vary", "friction[0].coefficient", "--between", "-1", "1"],
        "limit: at -1.0: block.toml: friction[0]",
    );
    refused(&["--vary", "friction[0].coefficient", "--between", "nan", "1"], "must be a number");
    refused(&["--vary", "friction[0].coefficient", "--between", "1", "1"], "must be two finite numbers");
    let with = |more: &[&'static str], text: &str| refused(&[&friction[..], more].concat(), text);
    with(&[], "one must stand and the other collapse; both stand");
    with(&["--to", "0"], "above 0 and below 1");
    with(&["--points", "0"], "from 1 to 1000");
    with(&["--bound", "-1"], "must be a positive number");
    with(&["--body", "blok"], "error: limit: body \"blok\": no such body; that move: block");
    with(&["--body", "ground"], "is fixed, driven, or the frame");
    with(&["--frame", "moon"], "frame \"moon\": no such body");
    with(&["--criterion", "luck"], "possible values: way, speed, acceleration");
    with(&["--after", "-1"], "must be a number, 0 or more");
    with(&["--after", "0.5"], "before the end of the run at 0.5 s");
    with(&["--after", "0.1", "--criterion", "acceleration"], "after 0.1 s: accelerations are those of");
    fs::create_dir(bench.path("full")).unwrap();
    fs::write(bench.path("full/notes.txt"), "mine").unwrap();
    let told = bench.expect(&line(&["--out", "full"]), 2);
    assert!(told.contains("holds no limit"), "{told}");
    assert_eq!(fs::read_dir(bench.path("full")).unwrap().count(), 1);
}
