//! `check --json`: the same findings for other programs.

use super::*;
use serde_json::{Value, json};

/// Checks a scene of this text; the document and the exit code.
fn checked(bench: &Bench, name: &str, text: &str) -> (Value, Option<i32>) {
    fs::write(bench.path(name), text).unwrap();
    let before = bench.listing();
    let output = bench.call(&["check", name, "--json"]);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(bench.listing(), before);
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

#[test]
fn a_good_scene_is_counted() {
    let bench = Bench::new(1, 1);
    let (document, code) = checked(&bench, "good.toml", &scene(2, 10));
    assert_eq!(code, Some(0));
    let expected = json!({
        "format": 1, "file": "good.toml", "valid": true, "faults": [],
        "notes": ["no [[friction]] entry for \"default\" on \"default\": frictionless"],
        "scene": {
            "bodies": 3, "moving": 2, "driven": 0, "joints": 0, "inlets": 0, "outlets": 0, "measures": 0,
            "steps": 10, "time_step": 0.001, "duration": 0.01, "seed": 0, "formulation": "implicit",
            "integrator": "implicit-euler", "tolerance": 1e-4,
        },
    });
    assert_eq!(document, expected);
}

#[test]
fn each_fault_has_its_place() {
    let bench = Bench::new(1, 1);
    let text =
        scene(1, 10).replace("time_step = 0.001", "time_step = -0.001").replace("mass = 1.5", "mass = 0");
    let (document, code) = checked(&bench, "bad.toml", &text);
    assert_eq!((code, &document["valid"], &document["scene"]), (Some(2), &json!(false), &Value::Null));
    let faults = document["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 2, "{document:#}");
    let expected = json!({
        "kind": "field", "file": "bad.toml", "line": 3, "column": 13, "field": "simulation: time_step",
        "value": "-0.001", "allowed": "must be a finite number > 0 (1e-15 to 1e15)",
        "message": "bad.toml:3:13: simulation: time_step = -0.001: must be a finite number > 0 (1e-15 to 1e15)",
    });
    assert_eq!(faults[0], expected);
    let (line, field) = (&faults[1]["line"], &faults[1]["field"]);
    assert_eq!((line, field), (&json!(13), &json!("body[1] \"top, 0\": mass")));
}

#[test]
fn faults_of_every_kind_are_told() {
    let bench = Bench::new(1, 1);
    let body = "[[body]]\nname = \"ball 2\"\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n";
    let two = format!("{}{body}position = [0, 0, 100.05]\n", scene(1, 10));
    let missing_mesh =
        two.replace("type = \"sphere\", radius = 0.1 }\nmass", "type = \"mesh\", file = \"no.obj\" }\nmass");
    let cases = [
        ("syntax.toml", "format = 1\n[simulation\n".to_owned(), "syntax", 2),
        ("format.toml", "format = 7\n".to_owned(), "file", 0),
        ("overlap.toml", two.clone(), "overlap", 0),
        ("unknown.toml", two.replace("[[body]]", "[[bodi]]"), "field", 5),
        ("mesh.toml", missing_mesh.replace("radius = 0.1 }", "radius = \"x\" }"), "field", 0),
        ("model.xml", "<sdf/>".to_owned(), "file", 0),
    ];
    for (name, text, kind, line) in cases {
        let (document, code) = checked(&bench, name, &text);
        assert_eq!(code, Some(2), "{name}: {document:#}");
        let fault = &document["faults"][0];
        assert_eq!(fault["kind"], kind, "{name}: {document:#}");
        assert_eq!(fault["file"], name);
        if line > 0 {
            assert_eq!(fault["line"], line, "{name}: {document:#}");
        }
        assert!(fault["message"].as_str().unwrap().starts_with(name), "{name}: {document:#}");
    }
    let output = bench.call(&["check", "absent.toml", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &document["faults"][0]["kind"]), (Some(2), &json!("io")));
    // A wrong option is no finding about the scene.
    let output = bench.call(&["check", "tops.toml", "--json", "--time-step", "x"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}
