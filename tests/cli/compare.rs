//! `signorini compare`: its tables and figures, and inputs that it refuses.

use std::path::Path;
use std::process::{Command, Output};

/// A ball thrown flat on a plane, μ = 0.3.
const SCENE: &str = r#"format = 1
[simulation]
time_step = 0.01
duration = 0.4
[solver]
tolerance = 1e-8
[[friction]]
coefficient = 0.3
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "ball"
mass = 1
position = [0, 0, 0.1]
velocity = [2, 0, 0]
shape = { type = "sphere", radius = 0.1 }
"#;

fn compare(folder: &Path, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("scene.toml"), SCENE).expect("a writable folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
    command.current_dir(folder).args(["compare", "scene.toml", "--out", "found"]).args(arguments);
    command.env_remove("RUST_LOG").output().expect("started")
}

fn records(path: &Path) -> (csv::StringRecord, Vec<csv::StringRecord>) {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    let headers = reader.headers().expect("a header").clone();
    (headers, reader.records().map(|r| r.expect("a row")).collect())
}

#[test]
fn all_models_are_compared_with_the_reference() {
    let folder = tempfile::tempdir().expect("folder");
    let models = "implicit,stewart-trinkle,cone,compliant,auto,implicit";
    let output = compare(folder.path(), &["--formulations", models, "--time-steps", "0.02,0.01,0.005"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let found = folder.path().join("found");
    let (headers, rows) = records(&found.join("compare.csv"));
    assert_eq!(rows.len(), 5 * 3, "a model named twice runs once");
    figures_show_what_the_tables_say(&found, &[20, 40, 80]);
    let get = |model: &str, step: f64, column: &str| -> f64 {
        let index = headers.iter().position(|h| h == column).expect("a column");
        let row = rows.iter().find(|r| &r[0] == model && r[1].parse() == Ok(step)).expect("a row");
        row[index].parse().expect("a number")
    };
    // A ball on a plane: the polygon lies along the throw, so that both are the same first-order method.
    for model in ["implicit", "stewart-trinkle"] {
        let error = |h: f64| get(model, h, "final_position_error");
        // Errors against a reference of step 0.00125 itself: (h − 0.00125).
        let ratio = (error(0.02) / error(0.005)) / (0.01875 / 0.00375);
        assert!((ratio - 1.0).abs() < 0.1, "{model}: {ratio}");
        assert_eq!(get(model, 0.01, "red_steps"), 0.0);
    }
    // The ball rolls with 5/7 of its speed, and both models reach that: half of m v² (1 − 5/7) is lost.
    let lost = 0.5 * 4.0 * (1.0 - 5.0 / 7.0);
    assert!((get("implicit", 0.005, "energy_change") + lost).abs() < 1e-6);
    // The cone lifts the ball with μ v: it is that high after the first step at least.
    assert!(get("cone", 0.02, "position_error") > 0.02 * 0.3 * 2.0 * 0.6);
    assert!(get("cone", 0.02, "red_steps") > 0.0);
    // A rigid material gives way in the compliant model by as much as the step resolves, and in no other.
    assert!(get("compliant", 0.01, "penetration") > 1e-6);
    assert!(get("cone", 0.01, "penetration") < 1e-10);
    assert!(get("auto", 0.01, "position_error") < 1.1 * get("implicit", 0.01, "position_error"));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(table.lines().count(), 1 + 15 + 2, "{table}");
    assert!(table.contains("errors against implicit with h = 0.00125 s"), "{table}");
    let again = compare(folder.path(), &["--formulations", "cone"]);
    assert_eq!(again.status.code(), Some(2), "an existing folder is not replaced");
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("folder");
    let cases: [(&[&str], &str); 10] = [
        (&["--formulations", "implicit,lagrange"], "lagrange"),
        (&["--formulations", "lagrange"], "must be one of implicit, literal, stewart-trinkle, cone"),
        (&["--formulations", "implicit-euler"], "compliant, auto, staggered"),
        (&["--formulations", "cone", "--time-steps", "0.01,0"], "positive"),
        (&["--formulations", "cone", "--time-steps", "-0.01"], "positive"),
        (&["--formulations", "cone", "--time-steps", "nan"], "positive"),
        (&["--formulations", "cone", "--time-steps", "1.5"], "time step 1.5 s"),
        (&["--formulations", "cone", "--reference-time-step", "inf"], "positive"),
        (&["--formulations", "cone", "--time-steps", "1e-12"], "not tiny"),
        (&[], "--formulations"),
    ];
    for (arguments, word) in cases {
        let output = compare(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(word), "{arguments:?}: {message}");
        assert!(!folder.path().join("found").exists());
    }
}

/// The ball slides until t = 2 v/(7 μ g) and then rolls with 5/7 of its speed.
const EXACT: &str = "[[body]]\nname = \"ball\"\nposition = [\"2*min(t, T) - 0.5*0.3*9.81*min(t, T)^2 \
    + 10/7*max(t - T, 0)\", \"0\", \"0.1\"]\n";

fn exact() -> String {
    EXACT.replace('T', "(4/(7*0.3*9.81))")
}

#[test]
fn positions_are_compared_with_a_closed_form() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("exact.toml"), exact()).expect("written");
    let arguments =
        ["--formulations", "implicit,cone", "--time-steps", "0.02,0.005", "--closed-form", "exact.toml"];
    let output = compare(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut reader = csv::Reader::from_path(folder.path().join("found/compare.csv")).expect("a table");
    let headers = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
    let get = |row: usize, column: &str| -> f64 {
        let index = headers.iter().position(|h| h == column).expect("a column");
        rows[row][index].parse().expect("m")
    };
    let errors = [
        get(0, "final_position_error"),
        get(1, "final_position_error"),
        get(2, "position_error"),
        get(3, "position_error"),
    ];
    // The friction of a step acts in its whole step: x falls behind by h (v₀ − v)/2 = h v₀/7, at any step.
    for (error, h) in [(errors[0], 0.02), (errors[1], 0.005)] {
        assert!((error / (h * 2.0 / 7.0) - 1.0).abs() < 0.04, "{errors:?}");
    }
    // The lift by the cone does not go away with h.
    assert!(errors[2] > 3e-3 && errors[3] > 3e-3, "{errors:?}");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.contains("position errors against the closed form, energy against implicit"), "{table}");
}

#[test]
fn the_closed_form_shipped_belongs_to_its_scene() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let scene = root.join("seeds/sliding-to-rolling.toml");
    let scene = signorini_scene::scene::load(&scene, &Default::default()).expect("a scene").scene;
    let file = root.join("closed-forms/sliding-to-rolling.toml");
    let forms = signorini_runs::compare::closed_form::load(&file, &scene).expect("a closed form");
    assert!(
        (forms[0].position(0.5).x - (12.0 / 7.0 * 4.0 / 20.601 + 10.0 / 7.0 * (0.5 - 4.0 / 20.601))).abs()
            < 1e-12
    );
}

#[test]
fn closed_forms_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let with =
        |name: &str, x: &str| format!("[[body]]\nname = \"{name}\"\nposition = [\"{x}\", \"0\", \"0.1\"]\n");
    let cases = [
        (with("cup", "2*t"), ["body[0]: name = \"cup\"", "a body of the scene that moves"]),
        (with("ground", "2*t"), ["name = \"ground\"", "that moves"]),
        (with("ball", "2*"), ["position[0] = \"2*\"", "must be a formula in t"]),
        (with("ball", "2*s"), ["knows no [\"s\"]", "must be a formula in t"]),
        (with("ball", "1 + t"), ["position = [1.0, 0.0, 0.1]", "must be [0.0, 0.0, 0.1] at t = 0"]),
        (with("ball", "0.1 - sqrt(0.01 - t)"), ["none at t = 0.02", "from 0 to 0.4 s"]),
        (exact() + &exact(), ["body[1]: name = \"ball\"", "once"]),
        ("body = []\n".to_owned(), ["body", "at least one"]),
        (exact() + "speed = 3\n", ["speed", "unknown field"]),
    ];
    for (text, words) in cases {
        std::fs::write(folder.path().join("exact.toml"), &text).expect("written");
        let output = compare(folder.path(), &["--formulations", "cone", "--closed-form", "exact.toml"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}: {message}");
        for word in words.iter().chain(&["exact.toml"]) {
            assert!(message.contains(word), "{text}: {message} without {word}");
        }
        assert!(!folder.path().join("found").exists());
    }
    let output = compare(folder.path(), &["--formulations", "cone", "--closed-form", "none.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none.toml"));
}

#[test]
fn scenes_that_a_model_cannot_run_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("folder");
    let spring = "[[body]]\nname = \"post\"\nfixed = true\nposition = [0, 0, 3]\n\
        shape = { type = \"sphere\", radius = 0.1 }\n\
        [[spring]]\nbetween = [\"post\", \"ball\"]\nstiffness = 10\n";
    let joint = "[[body]]\nname = \"crate\"\nmass = 1\nposition = [0, 0, 3]\n\
        shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }\n\
        [[joint]]\nname = \"rope\"\ntype = \"distance\"\nbetween = [\"ball\", \"crate\"]\n";
    let cases = [
        (spring.to_owned(), "compliant,cone", vec!["\"cone\" with [[spring]]", "it has no springs"]),
        (spring.to_owned(), "implicit", vec!["\"implicit\" with [[spring]]", "use \"compliant\""]),
        (
            format!("{joint}[solver.stewart_trinkle]\nmethod = \"lemke\"\n"),
            "implicit,stewart-trinkle",
            vec!["stewart-trinkle", "[[joint]]", "Lemke's method has no joints"],
        ),
        (
            "[solver.compliant]\ntheta = [0, 2, 1]\n".to_owned(),
            "compliant",
            vec!["theta", "2.0", "from 0 to 1"],
        ),
        (
            "[[material]]\nname = \"rubber\"\nstiffness = -1\ndissipation_time = nan\n".to_owned(),
            "compliant",
            vec!["stiffness = -1.0", "> 0", "dissipation_time = NaN", "≥ 0"],
        ),
        (
            "[solver.stewart_trinkle]\ndirections = 9\n".to_owned(),
            "stewart-trinkle",
            vec!["stewart_trinkle.directions", "9", "even number from 4 to 1000"],
        ),
    ];
    for (tables, models, words) in cases {
        std::fs::write(folder.path().join("scene.toml"), format!("{SCENE}{tables}")).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.current_dir(folder.path()).args(["compare", "scene.toml", "--out", "found"]);
        let output = command.args(["--formulations", models]).output().expect("started");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{models}: {message}");
        for word in words {
            assert!(message.contains(word), "{models}: {message} without {word}");
        }
        assert!(!folder.path().join("found").exists(), "{models}");
    }
}

/// The table of a comparison: a number of a model by column.
fn compared(scene: &Path, arguments: &[&str]) -> (String, impl Fn(&str, &str) -> f64) {
    let folder = tempfile::tempdir().expect("folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
    command.current_dir(folder.path()).arg("compare").arg(scene).args(["--out", "found"]).args(arguments);
    let output = command.env_remove("RUST_LOG").output().expect("started");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["work_precision.png", "over_time.svg"] {
        assert!(folder.path().join("found/plots").join(name).is_file(), "{name}");
    }
    let mut reader = csv::Reader::from_path(folder.path().join("found/compare.csv")).expect("a table");
    let headers = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
    let get = move |model: &str, column: &str| {
        let index = headers.iter().position(|h| h == column).expect("a column");
        rows.iter().find(|r| &r[0] == model).expect("a row")[index].parse().expect("a number")
    };
    (String::from_utf8_lossy(&output.stdout).into_owned(), get)
}

const ALL: &str = "implicit,stewart-trinkle,cone,compliant,auto";

#[test]
fn joints_are_compared() {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/seeds/double-pendulum.toml");
    let (_, get) = compared(&scene, &["--formulations", ALL, "--duration", "0.4"]);
    for model in ALL.split(',') {
        // All of first order, at a quarter of a swing.
        let error = get(model, "position_error");
        assert!(error > 1e-3 && error < 0.02, "{model}: {error}");
        assert_eq!(get(model, "unsolved_steps"), 0.0, "{model}");
    }
    assert_eq!(get("implicit", "red_steps"), 0.0);
}

/// Both integrators of the implicit model beside the others, and how fast the part is conveyed: 16.98 mm/s
/// and no more than 10 mm/s for each ms of h, as the point mass in `tests/joints/feeder.rs` has it.
#[test]
fn transport_and_integrators_are_compared() {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/seeds/feeder.toml");
    let models = "implicit,staggered,stewart-trinkle,cone,compliant";
    let arguments = ["--formulations", models, "--time-steps", "0.001", "--reference-time-step", "0.001"];
    let (table, get) = compared(&scene, &arguments);
    assert!(table.lines().any(|l| l.starts_with("staggered ")), "{table}");
    let speed = |model: &str| get(model, "transport_speed");
    assert!((speed("implicit") - 0.023953).abs() < 1e-6, "{} m/s", speed("implicit"));
    for model in ["staggered", "stewart-trinkle"] {
        assert!((speed(model) / speed("implicit") - 1.0).abs() < 1e-6, "{model}: {} m/s", speed(model));
    }
    for model in ["cone", "compliant"] {
        let more = speed(model) - speed("implicit");
        assert!((1e-5..3e-3).contains(&more.abs()), "{model}, which rides higher: {} m/s", speed(model));
    }
    for model in models.split(',') {
        assert_eq!(get(model, "unsolved_steps"), 0.0, "{model}");
        let exact = ["implicit", "staggered", "stewart-trinkle"].contains(&model);
        assert_eq!(get(model, "red_steps") == 0.0, exact, "{model}");
    }
}

#[test]
fn polytopes_are_compared_with_the_impulses_that_wait_for_their_contacts() {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/seeds/tumbling-cube.toml");
    let (_, get) = compared(&scene, &["--formulations", ALL, "--duration", "0.8"]);
    for model in ALL.split(',') {
        // A model whose impulses do not come is 1.9 m off, and 100 J short.
        let (error, energy) = (get(model, "position_error"), get(model, "final_energy_error"));
        assert!(error < 1.8 && energy < 10.0, "{model}: {error} m, {energy} J");
        assert_eq!(get(model, "unsolved_steps"), 0.0, "{model}");
    }
    assert!(get("implicit", "position_error") < 0.1);
}

#[test]
fn springs_are_compared_with_the_midpoint_rule() {
    let folder = tempfile::tempdir().expect("folder");
    let scene = folder.path().join("scene.toml");
    // A body on a spring, and another that lies on the ground.
    let spring = "[[body]]\nname = \"post\"\nfixed = true\nposition = [0, 5, 3]\n\
        shape = { type = \"sphere\", radius = 0.1 }\n\
        [[body]]\nname = \"bob\"\nmass = 1\nposition = [0, 5, 2]\nshape = { type = \"sphere\", radius = 0.1 }\n\
        [[spring]]\nbetween = [\"post\", \"bob\"]\nstiffness = 100\nrest_length = 1\n";
    std::fs::write(&scene, format!("{SCENE}{spring}")).expect("written");
    let (table, get) = compared(&scene, &["--formulations", "compliant", "--time-steps", "0.01,0.005"]);
    assert!(table.contains("errors against compliant with h = 0.00125 s"), "{table}");
    // z = −(g/ω²)(1 − cos ω t), to first order: the lag of the scheme is h g/2 t at most.
    let error = get("compliant", "position_error");
    assert!(error > 1e-4 && error < 0.05, "{error}");
}

/// Colours of the curves: implicit, Stewart–Trinkle, cone, compliant, auto, and the reference.
const COLOURS: [(u8, u8, u8); 6] =
    [(0, 0, 0), (0, 114, 178), (213, 94, 0), (0, 158, 115), (230, 159, 0), (150, 150, 150)];

/// Places (pixels) of the curves of a colour in an SVG, by polyline.
fn polylines(svg: &str, colour: (u8, u8, u8)) -> Vec<Vec<(f64, f64)>> {
    let stroke = format!("stroke=\"#{:02X}{:02X}{:02X}\"", colour.0, colour.1, colour.2);
    let of_colour =
        svg.split("<polyline").skip(1).filter(|p| p.split("/>").next().is_some_and(|p| p.contains(&stroke)));
    of_colour
        .map(|p| {
            let points = p.split("points=\"").nth(1).and_then(|p| p.split('"').next()).expect("points");
            let place = |p: &str| {
                let (x, y) = p.split_once(',').expect("x,y");
                (x.parse().expect("pixels"), y.parse().expect("pixels"))
            };
            points.split_whitespace().map(place).collect()
        })
        .collect()
}

/// Pixels of a PNG of each colour.
fn pixels(path: &Path, colours: &[(u8, u8, u8)]) -> Vec<usize> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a figure"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    assert!(info.width >= 900 && info.height >= 700, "{info:?}");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    let count = |c: &(u8, u8, u8)| bytes.chunks_exact(3).filter(|p| **p == [c.0, c.1, c.2]).count();
    colours.iter().map(count).collect()
}

/// Every model has its curve in every panel, with a dot per step length, or a point per step, where the
/// tables have it.
fn figures_show_what_the_tables_say(found: &Path, n_steps: &[usize]) {
    let plots = found.join("plots");
    let models = ["implicit", "stewart-trinkle", "cone", "compliant", "auto"];
    let visible = pixels(&plots.join("work_precision.png"), &COLOURS[..5]);
    assert!(visible.iter().all(|n| *n > 500), "{visible:?}");
    let visible = pixels(&plots.join("over_time.png"), &COLOURS);
    assert!(visible[..5].iter().all(|n| *n > 300), "{visible:?}");
    // A line one pixel wide lies between pixels and mixes with the colours below; in the legend it does not.
    assert!(visible[5] > 20, "{visible:?}");
    let svg = std::fs::read_to_string(plots.join("work_precision.svg")).expect("a figure");
    for colour in &COLOURS[..5] {
        let fill = format!("fill=\"#{:02X}{:02X}{:02X}\"", colour.0, colour.1, colour.2);
        let dots =
            svg.split("<circle").skip(1).filter(|c| c.split("/>").next().is_some_and(|c| c.contains(&fill)));
        assert_eq!(dots.count(), 4 * n_steps.len(), "{colour:?}: four panels");
    }
    let svg = std::fs::read_to_string(plots.join("over_time.svg")).expect("a figure");
    let panel = |line: &[(f64, f64)]| ((line[0].1 - 44.0) / 330.0) as usize;
    for colour in &COLOURS[..5] {
        for k in 0..5 {
            let lines: Vec<_> = polylines(&svg, *colour).into_iter().filter(|l| panel(l) == k).collect();
            let xs = || lines.iter().flatten().map(|p| p.0);
            // From the first step to the last, over most of the width.
            let span = xs().fold(0.0, f64::max) - xs().fold(f64::INFINITY, f64::min);
            assert!(span > 700.0, "{colour:?}, panel {k}: {span} pixels");
        }
    }
    let (_, rows) = records(&found.join("over_time.csv"));
    assert_eq!(rows.len(), models.len() * n_steps.iter().sum::<usize>());
    let number = |row: &csv::StringRecord, k: usize| -> f64 { row[k].parse().expect("a number") };
    let (_, compared) = records(&found.join("compare.csv"));
    for of_run in &compared {
        let trace: Vec<_> = rows.iter().filter(|r| r[0] == of_run[0] && r[1] == of_run[1]).collect();
        assert_eq!(trace.len().to_string(), of_run[2]);
        let end = number(trace[trace.len() - 1], 2);
        assert!((end - 0.4).abs() < 1e-12, "{of_run:?} ends at {end}");
        let largest = |k: usize| trace.iter().map(|r| number(r, k)).fold(0.0, f64::max);
        // Position error, penetration, friction violation, energy error; the drift ends as the change of
        // energy.
        for (k, column) in [(3, 5), (4, 7), (5, 8), (6, 10)] {
            assert_eq!(largest(k), number(of_run, column), "{of_run:?}");
        }
        assert_eq!(number(trace[trace.len() - 1], 7), number(of_run, 12), "{of_run:?}");
    }
    // The curve drawn last hides nothing of itself: place against value.
    let finest =
        compared.iter().filter(|r| &r[0] == "auto").map(|r| number(r, 1)).fold(f64::INFINITY, f64::min);
    let drift: Vec<f64> =
        rows.iter().filter(|r| &r[0] == "auto" && number(r, 1) == finest).map(|r| number(r, 7)).collect();
    let lines: Vec<_> = polylines(&svg, COLOURS[4]).into_iter().filter(|l| panel(l) == 4).collect();
    assert_eq!((lines.len(), lines[0].len()), (1, drift.len()), "one point per step");
    let (first, last) = (lines[0][0].1, lines[0][drift.len() - 1].1);
    let scale = (last - first) / (drift[drift.len() - 1] - drift[0]);
    for (point, drift_now) in lines[0].iter().zip(&drift) {
        let place = first + scale * (drift_now - drift[0]);
        assert!((point.1 - place).abs() < 1.6, "{point:?} is not at {place}");
    }
    let reference = polylines(&svg, COLOURS[5]);
    assert_eq!((reference.len(), reference[0].len(), panel(&reference[0])), (1, drift.len() + 1, 4));
}
