//! Records of runs under the other models: objective, gap and indicators per step, and when and why `auto`
//! switched.

use super::{Bench, table};
use std::path::{Path, PathBuf};

/// Slides until t = 2 v₀/(7 μ g) = 0.194 s and rolls from then on; h = 1 ms, 1 kg.
fn sliding_to_rolling() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/seeds/sliding-to-rolling.toml")
}

/// Terminal of a run under a model, and a column of its `steps.csv` as a function of the step.
fn run(model: &str) -> (String, impl Fn(&str, usize) -> String) {
    let bench = Bench::new(1, 1);
    let scene = sliding_to_rolling();
    let scene = scene.to_string_lossy();
    let output =
        bench.call(&["run", &scene, "--formulation", model, "--tolerance", "1e-8", "--out", "found"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = table(&bench.path("found/steps.csv"));
    let get = move |column: &str, step: usize| {
        let place = rows[0].iter().position(|name| name == column).unwrap();
        rows[step][place].clone()
    };
    (String::from_utf8_lossy(&output.stdout).into_owned(), get)
}

#[test]
fn the_cone_reports_objective_gap_and_residual() {
    let (_, get) = run("cone");
    let number = |column: &str, step: usize| get(column, step).parse::<f64>().unwrap();
    for step in 300..=500 {
        // At rest on its normal: min ½ p²/m − g h p.
        let expected = -0.5 * (9.81e-3_f64).powi(2);
        let found = number("objective", step);
        assert!((found / expected - 1.0).abs() < 1e-8, "step {step}: {found} instead of {expected}");
        assert!(number("duality_gap", step).abs() < 1e-6 * expected.abs(), "step {step}");
        assert!(number("residual", step) <= 1e-8, "step {step}");
    }
    let (_, get) = run("implicit");
    assert_eq!((get("objective", 300), get("duality_gap", 300)), (String::new(), String::new()));
}

#[test]
fn auto_records_when_and_why_it_switched() {
    let (terminal, get) = run("auto");
    assert_eq!((&*get("formulation", 1), &*get("switch", 1)), ("stewart-trinkle", "cone_lift"));
    // Lift that the cone would have made: h μ v/r.
    let lift: f64 = get("cone_lift", 1).parse().unwrap();
    assert!((lift - 1e-3 * 0.3 * 2.0 / 0.1).abs() < 1e-4, "{lift}");
    let switches: Vec<usize> = (1..=500).filter(|step| !get("switch", *step).is_empty()).collect();
    assert_eq!(switches.len(), 2, "{switches:?}");
    // Rolling, and ten quiet steps since.
    let back = switches[1];
    assert!((195..=215).contains(&back), "{back}");
    assert_eq!((&*get("formulation", back), &*get("switch", back)), ("cone", "cheaper"));
    assert_eq!((&*get("formulation", back - 1), &*get("formulation", 500)), ("stewart-trinkle", "cone"));
    for line in [
        "auto: \"stewart-trinkle\" from step 1: cone_lift".to_owned(),
        format!("auto: \"cone\" from step {back}: cheaper"),
    ] {
        assert!(terminal.contains(&line), "{terminal}");
    }
}

/// Bodies on a plane under `auto`.
fn under_auto(settings: &str, coefficient: f64, bodies: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.4\n\
         [solver]\nformulation = \"auto\"\n{settings}\n[[friction]]\ncoefficient = {coefficient}\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{bodies}"
    )
}

#[test]
fn every_reason_of_a_switch_is_recorded() {
    let ball = |more: &str| {
        format!(
            "[[body]]\nname = \"ball\"\nmass = 2\nshape = {{ type = \"sphere\", radius = 0.1 }}\n{more}\n"
        )
    };
    let tolerance = "[solver.auto]\ntolerance = 1e-5\npatience = 5\n";
    // Along a corner of the polygon, pushed aside from 0.1 s on.
    let pushed = ball(
        "inertia = [1e9, 1e9, 1e9, 0, 0, 0]\nposition = [0, 0, 0.1]\nvelocity = [0, 2, 0]\n\
         [[force]]\nbody = \"ball\"\nfrom = 0.0999\nto = 0.2\nforce = [8, 0, 0]",
    );
    // Over another ball, and off it.
    let hill = "[[body]]\nname = \"hill\"\nfixed = true\nposition = [0, 0, 3]\nshape = { type = \"sphere\", radius = 1 }\n";
    let over = format!("{hill}{}", ball("position = [0, 0, 4.1]\nvelocity = [3, 0, 0]"));
    let boxed = "[[body]]\nname = \"box\"\nmass = 2\nposition = [0, 0, 0.1]\nvelocity = [0.1, 0.05, 0]\n\
        shape = { type = \"box\", half_extents = [0.2, 0.15, 0.1] }\n";
    let one = "[solver.auto]\ntolerance = 1\n[solver.cone]\nmethod = \"apgd\"\napgd_iterations = 1\n";
    let cases = [
        (
            under_auto(tolerance, 0.3, &pushed),
            vec!["1 stewart-trinkle cone_lift", " implicit slip_direction"],
        ),
        (under_auto(tolerance, 0.0, &over), vec!["1 implicit gap_linearization", " cone cheaper"]),
        (under_auto(one, 0.3, boxed), vec!["1 stewart-trinkle unsolved"]),
    ];
    for (k, (text, expected)) in cases.iter().enumerate() {
        let bench = Bench::new(1, 1);
        std::fs::write(bench.path("scene.toml"), text).unwrap();
        let output = bench.call(&["run", "scene.toml", "--out", "found"]);
        assert_eq!(output.status.code(), Some(0), "{k}: {}", String::from_utf8_lossy(&output.stderr));
        let terminal = String::from_utf8_lossy(&output.stdout).into_owned();
        let rows = table(&bench.path("found/steps.csv"));
        let column = |name: &str| rows[0].iter().position(|n| n == name).unwrap();
        let [step, model, reason] = ["step", "formulation", "switch"].map(column);
        let switched: Vec<&Vec<String>> = rows[1..].iter().filter(|r| !r[reason].is_empty()).collect();
        assert!(switched.len() >= expected.len(), "{k}: {switched:?}");
        for (row, expected) in switched.iter().zip(expected) {
            let found = format!("{} {} {}", row[step], row[model], row[reason]);
            assert!(found.ends_with(expected), "{k}: {found:?} is not {expected:?}");
        }
        for row in &switched {
            let line = format!("auto: \"{}\" from step {}: {}", row[model], row[step], row[reason]);
            assert!(terminal.contains(&line), "{k}: {line}\n{terminal}");
        }
        // The model of a step changes only where a reason stands.
        let mut before = "cone";
        for row in &rows[1..] {
            assert_eq!(row[model] != before, !row[reason].is_empty(), "{k}: {row:?}");
            before = &row[model];
        }
    }
}
