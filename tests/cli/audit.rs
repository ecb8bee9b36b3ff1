//! `signorini audit`: finished runs judged again from their files, whole, thinned and tampered with.

use super::{Bench, table};
use std::fs;
use std::path::Path;

const SLIDE: &str = "format = 1
[simulation]
time_step = 0.005
duration = 0.1
[[friction]]
coefficient = 0.3
[[body]]
name = \"ground\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
[[body]]
name = \"ball\"
shape = { type = \"sphere\", radius = 0.1 }
mass = 1
position = [0, 0, 0.1]
velocity = [2, 0, 0]
";

/// A finished run of a ball that slides on a plane, in the folder `a`.
fn finished(arguments: &[&str]) -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("slide.toml"), SLIDE).unwrap();
    let run = ["run", "slide.toml", "--out", "a"];
    bench.expect(&[run.as_slice(), arguments].concat(), 0);
    bench
}

/// Audits the folder `a`, expects `code`, returns the report.
fn audit(bench: &Bench, code: i32) -> String {
    audit_with(bench, &[], code)
}

fn audit_with(bench: &Bench, options: &[&str], code: i32) -> String {
    let output = bench.call(&[&["audit", "a"], options].concat());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Adds `change` to a number in the row of `step` (the last body or contact of it).
fn tamper(path: &Path, step: usize, column: &str, change: f64) {
    let mut rows = table(path);
    let at = rows[0].iter().position(|c| c == column).unwrap();
    let row = rows.iter().rposition(|r| r[0] == step.to_string()).unwrap();
    rows[row][at] = format!("{:?}", rows[row][at].parse::<f64>().unwrap() + change);
    let mut writer = csv::Writer::from_path(path).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
}

#[test]
fn a_finished_run_is_green_again() {
    let bench = finished(&[]);
    let before = bench.listing();
    let report = audit(&bench, 0);
    assert!(report.contains("green         20 of 20"), "{report}");
    assert!(report.trim_end().ends_with("verdict       green"), "{report}");
    assert_eq!(bench.listing(), before, "an audit writes nothing");
}

/// A layer of balls that slide and spin without friction, in flat arrays: there is no slip to tell.
#[test]
fn a_layer_without_friction_is_green_again() {
    let mut scene =
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.05\n[solver]\ntolerance = 1e-2\n\
                     [[friction]]\ncoefficient = 0\nellipsoid = { r = 0.01 }\n[[body]]\nname = \"ground\"\n\
                     shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n"
            .to_string();
    for i in 0..64 {
        scene += &format!(
            "[[body]]\nname = \"ball{i}\"\ndensity = 1000\nshape = {{ type = \"sphere\", radius = 0.05 }}\n\
             position = [{}, {}, 0.05]\nvelocity = [{}, 0, 0]\nangular_velocity = [0, 0, {i}]\n",
            0.1 * f64::from(i % 8),
            0.1 * f64::from(i / 8),
            0.01 * f64::from(i % 3),
        );
    }
    let bench = Bench::new(0, 1);
    fs::write(bench.path("layer.toml"), scene).unwrap();
    bench.expect(&["run", "layer.toml", "--out", "a"], 0);
    let steps = table(&bench.path("a/steps.csv"));
    let phase = steps[0].iter().position(|column| column == "phase").unwrap();
    assert!(steps.iter().any(|row| row[phase] == "flat"));
    audit(&bench, 0);
}

#[test]
fn a_tampered_contact_is_red() {
    for (column, change) in [("normal_impulse", 1e-5), ("friction_impulse_x", 1e-5), ("gap", 1e-4)] {
        let bench = finished(&[]);
        tamper(&bench.path("a/contacts.csv"), 7, column, change);
        let report = audit(&bench, 3);
        assert!(report.contains("red           step 7:"), "{column}: {report}");
        assert!(report.contains("green         19 of 20"), "{column}: {report}");
        assert!(report.trim_end().ends_with("verdict       red"), "{column}: {report}");
    }
}

#[test]
fn a_tampered_body_is_red() {
    for (column, change) in [("z", -1e-6), ("vx", 1e-5), ("wy", 1e-4)] {
        let bench = finished(&[]);
        tamper(&bench.path("a/bodies.csv"), 7, column, change);
        let report = audit(&bench, 3);
        assert!(report.contains("red           step 7:"), "{column}: {report}");
        assert!(report.trim_end().ends_with("verdict       red"), "{column}: {report}");
    }
}

#[test]
fn a_thinned_run_is_judged_as_far_as_it_goes() {
    let bench = finished(&["--every", "5"]);
    let report = audit(&bench, 3);
    assert!(report.contains("thinned       not every step was judged in full; --thinned"), "{report}");
    let report = audit_with(&bench, &["--thinned"], 0);
    assert!(report.contains("judged        0 in full, 4 without the state before"), "{report}");
    assert!(report.contains("0 % of the steps in full, 20 % by contact law"), "{report}");
    tamper(&bench.path("a/bodies.csv"), 10, "z", -1e-6);
    let report = audit_with(&bench, &["--thinned"], 3);
    assert!(report.contains("red           step 10:"), "{report}");
}

#[test]
fn a_looser_tolerance_afterwards_is_noticed() {
    let bench = finished(&[]);
    let path = bench.path("a/scene.toml");
    let scene = fs::read_to_string(&path).unwrap();
    assert!(scene.contains("tolerance = 0.0001"), "{scene}");
    fs::write(&path, scene.replace("tolerance = 0.0001", "tolerance = 1e-2")).unwrap();
    let report = audit(&bench, 3);
    assert!(report.contains("chain.csv: step 0: scene.toml or rows of this step"), "{report}");
    assert!(report.contains("summary.json: tolerance = 0.0001, the tables give 0.01"), "{report}");
}

#[test]
fn a_folder_without_a_run_is_bad_input() {
    let bench = finished(&[]);
    let missing = bench.expect(&["audit", "nowhere"], 2);
    assert!(missing.contains("nowhere"), "{missing}");
    fs::remove_file(bench.path("a/contacts.csv")).unwrap();
    let incomplete = bench.expect(&["audit", "a"], 2);
    assert!(incomplete.contains("contacts.csv"), "{incomplete}");
}
