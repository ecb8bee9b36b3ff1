//! `signorini example`: scenes that come with the program.

use super::*;

/// The scenes of the repository are listed, with their first sentence.
#[test]
fn all_scenes_are_listed() {
    let output = Bench::new(1, 10).call(&["example"]);
    let listed = String::from_utf8(output.stdout).unwrap();
    for name in ["gallery/silo", "seeds/two-spheres", "seeds/bracket"] {
        assert!(listed.lines().any(|line| line.starts_with(name)), "{name} in {listed}");
    }
    assert!(listed.lines().all(|line| line.split_whitespace().count() > 2), "each has a sentence: {listed}");
}

/// A scene is written with its mesh, runs there, and is not replaced.
#[test]
fn an_example_is_written_and_runs() {
    let bench = Bench::new(1, 10);
    bench.expect(&["example", "bracket", "--out", "new"], 0);
    assert!(bench.path("new/bracket.obj").exists());
    bench.expect(&["run", "new/bracket.toml", "--duration", "0.01", "--out", "run"], 0);
    let message = bench.expect(&["example", "bracket", "--out", "new"], 2);
    assert!(message.contains("exists; --force replaces it"), "{message}");
    let message = bench.expect(&["example", "braket"], 2);
    assert!(message.contains("did you mean \"bracket\""), "{message}");
}
