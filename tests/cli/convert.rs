//! `signorini convert`, and models in place of scene files.

use super::Bench;
use std::fs;

const PENDULUM: &str = r#"<mujoco>
  <worldbody>
    <body name="rod" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" margin="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
</mujoco>"#;

fn bench() -> Bench {
    let bench = Bench::new(1, 10);
    fs::write(bench.path("pendulum.xml"), PENDULUM).unwrap();
    bench
}

#[test]
fn a_model_and_its_scene_give_the_same_run() {
    let bench = bench();
    let notes = bench.expect(
        &["convert", "pendulum.xml", "pendulum.toml", "--joint", "hinge=0.3", "--duration", "0.02"],
        0,
    );
    assert!(
        notes.contains("pendulum.xml:4:7: not taken over: <joint> \"hinge\": margin = \"0.1\""),
        "{notes}"
    );
    let text = fs::read_to_string(bench.path("pendulum.toml")).unwrap();
    assert!(text.starts_with("# From pendulum.xml.\n"), "{text}");
    bench.expect(&["run", "pendulum.toml", "--out", "scene"], 0);
    bench.expect(&["convert", "pendulum.xml", "straight.toml", "--duration", "0.02"], 0);
    bench.expect(&["run", "straight.toml", "--out", "straight"], 0);
    bench.expect(&["run", "pendulum.xml", "--out", "model", "--duration", "0.02"], 0);
    let bodies = |folder: &str| fs::read(bench.path(folder).join("bodies.csv")).unwrap();
    assert_eq!(bodies("straight"), bodies("model"));
    assert_ne!(bodies("straight"), bodies("scene"));
    bench.expect(&["check", "pendulum.xml"], 0);
}

#[test]
fn refusals_write_nothing() {
    let bench = bench();
    fs::write(bench.path("there.toml"), "").unwrap();
    let before = bench.listing();
    let cases = [
        (&["convert", "pendulum.xml", "out.toml", "--strict"][..], "line 4: not taken over: <joint>"),
        (&["convert", "pendulum.xml", "there.toml"], "exists; replace it with --force"),
        (&["convert", "pendulum.xml", "out.toml", "--joint", "hinge"], "must be NAME=NUMBER"),
        (
            &["convert", "pendulum.xml", "out.toml", "--joint", "elbow=1"],
            "is no joint of the model, which has 1",
        ),
        (&["convert", "absent.xml", "out.toml"], "absent.xml"),
        (&["convert", "pendulum.xml", "out.toml", "--time-step", "-1"], "time_step"),
    ];
    for (arguments, expected) in cases {
        let message = bench.expect(arguments, 2);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert_eq!(bench.listing(), before);
    bench.expect(&["convert", "pendulum.xml", "there.toml", "--force"], 0);
    assert!(fs::read_to_string(bench.path("there.toml")).unwrap().contains("\"rod\""));
}
