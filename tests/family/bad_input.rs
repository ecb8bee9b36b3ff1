//! Settings out of range, and models that cannot run a scene.

use super::scene;
use signorini::simulation::Simulation;
use signorini_scene::scene::{LoadOptions, parse};
use signorini_scene::settings::{Formulation, LcpMethod};
use std::path::Path;

const BODIES: &str = r#"[[body]]
name = "post"
fixed = true
shape = { type = "sphere", radius = 1 }
[[body]]
name = "ball"
mass = 1
position = [0, 0, 3]
shape = { type = "sphere", radius = 1 }
"#;

fn refusal(tables: &str) -> String {
    let text = format!("format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n{tables}\n{BODIES}");
    match parse(&text, Path::new("scene"), &LoadOptions::default()) {
        Ok(_) => panic!("accepted: {tables}"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn each_fault_is_named_with_its_value_and_what_is_allowed() {
    let material = |line: &str| format!("[[material]]\nname = \"m\"\n{line}");
    let spring = |line: &str| format!("[[spring]]\nbetween = [\"post\", \"ball\"]\nstiffness = 1\n{line}");
    let cases = [
        ("[solver]\nformulation = \"lagrange\"".to_owned(), ["lagrange", "stewart-trinkle"]),
        ("[solver.compliant]\nscheme = \"leapfrog\"".to_owned(), ["leapfrog", "midpoint"]),
        ("[solver.compliant]\ntheta = [0.5, 1.1, 0.5]".to_owned(), ["[0.5, 1.1, 0.5]", "from 0 to 1"]),
        ("[solver.compliant]\ntheta = [nan, 1, 0.5]".to_owned(), ["NaN", "from 0 to 1"]),
        ("[solver.compliant]\ntheta = [0.5, 0.5, -1e-9]".to_owned(), ["-1e-9", "from 0 to 1"]),
        ("[solver.compliant]\ntheta = [0, inf, 1]".to_owned(), ["inf", "from 0 to 1"]),
        ("[solver.compliant]\ntheta = [0, 1]".to_owned(), ["theta", "a list of 3 numbers"]),
        ("[solver.compliant]\nfriction_regularization = 0".to_owned(), ["0.0", "1e-9 to 1"]),
        ("[solver.compliant]\nnear_rigid = -1".to_owned(), ["-1.0", "1e-3 to 100"]),
        ("[solver.stewart_trinkle]\ndirections = 7".to_owned(), ["7", "even"]),
        ("[solver.stewart_trinkle]\ndirections = 2".to_owned(), ["2", "from 4"]),
        ("[solver.stewart_trinkle]\nlargest_fallback = 5001".to_owned(), ["5001", "0 to 5000"]),
        ("[solver.cone]\nmethod = \"simplex\"".to_owned(), ["simplex", "apgd"]),
        ("[solver.auto]\ntolerance = nan".to_owned(), ["NaN", "1e-12 to 1"]),
        (material("stiffness = -5"), ["stiffness = -5.0", "> 0"]),
        (material("stiffness = nan"), ["stiffness = NaN", "> 0"]),
        (material("dissipation_time = -0.1"), ["dissipation_time = -0.1", "≥ 0"]),
        (material("dissipation_time = nan"), ["dissipation_time = NaN", "≥ 0"]),
        (spring("damping = -1"), ["damping = -1.0", "≥ 0"]),
        (spring("damping = nan"), ["damping = NaN", "≥ 0"]),
        (spring("").replace("= 1", "= -2"), ["stiffness = -2.0", "≥ 0"]),
        (spring("").replace("= 1", "= nan"), ["stiffness = NaN", "≥ 0"]),
        (spring("").replace("= 1", "= inf"), ["stiffness = inf", "≥ 0"]),
        (spring("rest_length = -1"), ["rest_length = -1.0", "≥ 0"]),
        (spring("rest_length = nan"), ["rest_length = NaN", "≥ 0"]),
        (spring("rest_length = inf"), ["rest_length = inf", "≥ 0"]),
        ("[[spring]]\nbetween = [\"post\", \"cup\"]\nstiffness = 1".to_owned(), ["cup", "no such body"]),
        ("[[spring]]\nbetween = [\"ball\", \"ball\"]\nstiffness = 1".to_owned(), ["ball", "two bodies"]),
    ];
    for (tables, words) in &cases {
        let message = refusal(tables);
        for word in words {
            assert!(message.contains(word), "{tables}\nsays\n{message}\nwithout {word}");
        }
    }
}

#[test]
fn lemke_says_that_it_has_no_joints() {
    let text = format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n{BODIES}\
         [[joint]]\nname = \"pin\"\ntype = \"ball\"\nbetween = [\"post\", \"ball\"]\nanchor = [0, 0, 1.5]\n"
    );
    let mut scene = scene(&text);
    scene.solver.stewart_trinkle.method = LcpMethod::Lemke;
    for (model, refused) in
        [(Formulation::StewartTrinkle, true), (Formulation::Auto, true), (Formulation::Cone, false)]
    {
        scene.solver.formulation = model;
        match Simulation::new(scene.clone()) {
            Ok(_) => assert!(!refused, "{model:?}"),
            Err(e) => {
                let message = e.to_string();
                assert!(refused && message.contains("lemke") && message.contains("joint"), "{message}");
            }
        }
    }
    scene.solver.formulation = Formulation::StewartTrinkle;
    scene.solver.stewart_trinkle.method = LcpMethod::Auto;
    assert!(Simulation::new(scene).is_ok());
}

#[test]
fn models_without_springs_say_so() {
    let text = format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n{BODIES}\
         [[spring]]\nbetween = [\"post\", \"ball\"]\nstiffness = 1\n"
    );
    let scene = scene(&text);
    for model in [
        Formulation::Implicit,
        Formulation::Literal,
        Formulation::StewartTrinkle,
        Formulation::Cone,
        Formulation::Auto,
    ] {
        let mut scene = scene.clone();
        scene.solver.formulation = model;
        let message = Simulation::new(scene).expect_err("refused").to_string();
        assert!(message.contains(model.as_str()) && message.contains("spring"), "{message}");
    }
}
