//! Names of earlier versions: they are read, and told on standard error.

use super::*;

fn old_scene() -> String {
    scene(1, 10).replace("time_step =", "step =")
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_time_step_of_a_scene_was_called_step() {
    let bench = Bench::new(1, 10);
    fs::write(bench.path("old.toml"), old_scene()).unwrap();
    bench.expect(&["run", "tops.toml", "--out", "new", "-q"], 0);
    let output = bench.call(&["run", "old.toml", "--out", "old"]);
    assert_eq!(output.status.code(), Some(0));
    let note = "note: old.toml:3:1: simulation.step is called simulation.time_step now\n";
    assert!(said(&output).contains(note), "{}", said(&output));
    let [new, old] = ["new", "old"].map(|run| fs::read(bench.path(run).join("bodies.csv")).unwrap());
    assert!(new == old);
    assert!(fs::read_to_string(bench.path("old/scene.toml")).unwrap().contains("\ntime_step = 0.001\n"));
    let output = bench.call(&["run", "old.toml", "--out", "quiet", "--quiet"]);
    assert_eq!(said(&output), "");
    // Faults stand where they are, and both names are one too many.
    let bad = old_scene().replace("step = 0.001", "step = -1").replace("mass = 1.5", "mass = 0");
    fs::write(bench.path("bad.toml"), bad).unwrap();
    let message = bench.expect(&["check", "bad.toml"], 2);
    assert!(
        message.contains("bad.toml:3:8: simulation: time_step = -1") && message.contains("bad.toml:13:8: ")
    );
    let both = old_scene().replace("step = 0.001", "step = 0.001\ntime_step = 0.001");
    fs::write(bench.path("both.toml"), both).unwrap();
    let message = bench.expect(&["check", "both.toml"], 2);
    assert!(message.contains("both.toml:3:1: simulation: step = 0.001: no such field"), "{message}");
}

#[test]
fn options_of_time_steps_were_called_steps() {
    let bench = Bench::new(1, 10);
    let output = bench.call(&["run", "tops.toml", "--step", "0.002", "--out", "a"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).contains("note: --step is called --time-step now\n"), "{}", said(&output));
    assert_eq!(summary(&bench.path("a"))["time_step"], 0.002);
    let output = bench.call(&["run", "tops.toml", "--step=0.002", "-qo", "quiet"]);
    assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
    let output = bench.call(&[
        "compare",
        "tops.toml",
        "--formulations=cone",
        "--steps=0.002,0.001",
        "--reference-step=0.001",
        "--out",
        "b",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for note in ["--steps is called --time-steps now", "--reference-step is called --reference-time-step now"]
    {
        assert!(said(&output).contains(note), "{}", said(&output));
    }
    let output = bench.call(&["run", "tops.toml", "--time-step", "0.002", "--out", "c"]);
    assert!(!said(&output).contains("is called"), "{}", said(&output));
}

#[test]
fn results_of_a_plan_were_called_measures() {
    let bench = Bench::new(1, 10);
    fs::write(bench.path("old.toml"), old_scene()).unwrap();
    let plan = "format = 1\nscene = \"old.toml\"\n[[vary]]\nfield = \"simulation.step\"\nvalues = [0.001, 0.002]\n\
                [[measure]]\nname = \"way\"\ntable = \"bodies\"\ncolumn = \"x\"\nreduce = \"last\"\n";
    fs::write(bench.path("plan.toml"), plan).unwrap();
    let output = bench.call(&["sweep", "plan.toml", "--out", "a"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for note in [
        "note: plan.toml: [[measure]] of a plan is called [[result]] now\n",
        "note: plan.toml: simulation.step is called simulation.time_step now\n",
        "old.toml:3:1: simulation.step is called simulation.time_step now\n",
    ] {
        assert!(said(&output).contains(note), "{note} is not in: {}", said(&output));
    }
    let output = bench.call(&["sweep", "table", "a"]);
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(
        found.starts_with("case,simulation.step,") && found.lines().next().unwrap().ends_with(",way"),
        "{found}"
    );
    let both =
        plan.to_owned() + "[[result]]\nname = \"b\"\ntable = \"bodies\"\ncolumn = \"x\"\nreduce = \"last\"\n";
    fs::write(bench.path("plan.toml"), both).unwrap();
    let message = bench.expect(&["sweep", "plan.toml", "--out", "b"], 2);
    assert!(message.contains("duplicate field `result`"), "{message}");
}
