//! Messages and leftovers of commands in cases that are rare, and easily told wrongly.

use super::*;

const INLET: &str = r#"
format = 1
[simulation]
time_step = 0.005
duration = 0.6
[[friction]]
coefficient = 0.3
[[body]]
name = "floor"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[inlet]]
name = "grain"
rate = 20
total = 3
density = 1000
region = { type = "box", min = [-0.1, -0.1, 0.06], max = [0.1, 0.1, 0.2] }
shape = { type = "sphere", radius = 0.05 }
"#;

fn said(output: Output) -> String {
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn bodies_that_come_in_are_told_counted_and_drawn_with_their_friction() {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("inlet.toml"), INLET).unwrap();
    let text = said(bench.call(&["check", "inlet.toml"]));
    assert!(text.contains("mass        0 kg at the start\n"), "{text}");
    assert!(!text.lines().any(|line| line.trim() == "sizes"), "{text}");
    assert!(text.contains("0.1 m across"), "{text}");
    assert!(text.contains("default / default: μ = 0.3"), "{text}");
    bench.expect(&["run", "inlet.toml", "--out", "a"], 0);
    assert_eq!(summary(&bench.path("a"))["bodies"], 4);
    bench.expect(&["audit", "a"], 0);
    bench.expect(&["plot", "a"], 0);
    let figure = fs::read_to_string(bench.path("a/plots/contact_forces_1.svg")).unwrap();
    assert!(figure.contains("μ = 0.3") && !figure.contains("μ = 0<"), "{figure}");
}

#[test]
fn one_is_one_and_not_many() {
    let bench = Bench::new(1, 1);
    let lone = fs::read_to_string(bench.path("tops.toml")).unwrap();
    let post = lone.split("[[body]]").nth(1).unwrap();
    fs::write(bench.path("lone.toml"), lone.replace(&format!("[[body]]{post}"), "")).unwrap();
    let text = said(bench.call(&["run", "lone.toml", "--out", "a"]));
    assert!(text.starts_with("1 body, 1 step, writing a\n") && text.contains("\n1 step: 1 solved"), "{text}");
    let text = said(bench.call(&["inspect", "a/checkpoint-1.ckpt"]));
    assert!(text.contains("scene          1 step, 0 joints"), "{text}");
}

#[test]
fn a_thinned_run_is_judged_in_part() {
    let bench = Bench::new(1, 20);
    bench.expect(&["run", "tops.toml", "--out", "a", "--every", "5"], 0);
    let output = bench.call(&["audit", "a"]);
    assert_eq!(output.status.code(), Some(3));
    let text = said(output);
    assert!(text.trim_end().ends_with("verdict       judged in part"), "{text}");
    let text = said(bench.call(&["audit", "a", "--thinned"]));
    assert!(text.trim_end().ends_with("verdict       green"), "{text}");
    let path = bench.path("a/bodies.csv");
    let table = fs::read_to_string(&path).unwrap();
    fs::write(&path, table.replacen(",5", ",6", 1)).unwrap();
    let text = said(bench.call(&["audit", "a"]));
    assert!(text.trim_end().ends_with("verdict       red"), "{text}");
}

#[test]
fn a_refused_export_leaves_everything_as_it_was() {
    let bench = Bench::new(1, 2);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let before = bench.listing();
    let message = bench.expect(&["export", "a", "--fclib", "1"], 2);
    assert!(message.contains("step 1 as FCLIB problem: has no contacts"), "{message}");
    bench.expect(&["export", "a", "--fclib", "7", "--out", "new/folder"], 2);
    assert_eq!(bench.listing(), before);
    bench.expect(&["export", "a", "--gltf"], 0);
    let before = bench.listing();
    bench.expect(&["export", "a", "--fclib", "1", "--force"], 2);
    assert_eq!(bench.listing(), before);
}

#[test]
fn a_page_goes_to_standard_output_on_request() {
    let bench = Bench::new(1, 2);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let before = bench.listing();
    let output = bench.call(&["view", "a", "--out", "-"]);
    assert!(output.status.success() && bench.listing() == before);
    bench.expect(&["view", "a"], 0);
    assert!(output.stdout == fs::read(bench.path("a/run.html")).unwrap());
}

#[test]
fn a_drop_says_that_it_takes_the_hull() {
    let bench = Bench::new(1, 1);
    // A cube with a pit of a quarter of its height.
    let pit = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0.5 0.75\n\
               f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n";
    fs::write(bench.path("pit.obj"), pit).unwrap();
    let output = bench.call(&["drop", "pit.obj", "--count", "1", "--duration", "0.1", "--out", "a"]);
    let text = said(output);
    assert!(
        text.contains("\"pit.obj\" is not convex: its convex hull is used, of which it fills 0.9167"),
        "{text}"
    );
    assert!(text.contains("1 drop of \"pit\""), "{text}");
}
