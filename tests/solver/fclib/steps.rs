//! Steps of runs as problems in files: they come back with the velocities of the run.

use super::{number, outcomes};
use signorini_fclib::{Content, Impulses, Layout, read};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with a run in `run`.
struct Run(tempfile::TempDir);

impl Run {
    fn of(scene: &Path, options: &[&str]) -> Self {
        let run = Self(tempfile::tempdir().expect("folder"));
        let scene = scene.display().to_string();
        let output = run.call(&[&["run", &scene, "--out", "run", "--quiet"], options].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        run
    }

    fn call(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.args(arguments).current_dir(self.0.path()).output().expect("started")
    }

    fn export(&self, steps: &str) -> Vec<PathBuf> {
        let output = self.call(&["export", "run", "--fclib", steps, "--force"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let table = fs::read_to_string(self.path("run/export/fclib/problems.csv")).expect("the table");
        let names = table.lines().skip(1).filter_map(|line| line.split(',').next());
        names.map(|name| self.path("run/export/fclib").join(name)).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name)
}

/// Solves the files from a guess or from nothing; their layouts, each once, the largest difference from the
/// velocities of the run, and the largest residual of these.
fn come_back(files: &[PathBuf], options: &[&str]) -> (Vec<&'static str>, f64, f64) {
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let (found, code) = outcomes(options, &paths);
    assert_eq!(code, Some(0), "{found:?}");
    let mut layouts: Vec<_> = files
        .iter()
        .map(|path| match read(path).expect("a problem").content {
            Content::Cones(problem) => problem.layout.as_str(),
            _ => Layout::Plain.as_str(),
        })
        .collect();
    layouts.sort_unstable();
    layouts.dedup();
    let largest = |key: &str| found.iter().map(|one| number(one, key)).fold(0.0, f64::max);
    (layouts, largest("off_solution"), largest("solution_residual"))
}

/// Faces with torsion, joints with a motor, rolling beads, impacts, cohesion; run to 1e-10.
#[test]
fn steps_of_every_kind_come_back() {
    let cases = [
        ("stack", "0.2", Layout::Own),
        ("slider-crank", "0.1", Layout::Own),
        ("rolling-resistance", "0.1", Layout::Rolling),
        ("bouncing-balls", "0.6", Layout::Plain),
        ("cohesion", "0.1", Layout::Plain),
    ];
    for (name, duration, layout) in cases {
        let path = scene(&format!("seeds/{name}.toml"));
        let run = Run::of(&path, &["--duration", duration, "--tolerance", "1e-10"]);
        let files = run.export("all");
        assert!(files.len() >= 20, "{name}: {} files", files.len());
        let (found, off, own) = come_back(&files, &[]);
        assert_eq!(found, [layout.as_str()], "{name}");
        assert!(off < 1e-7 && own < 1e-9, "{name}: off by {off:e}, residual {own:e}");
        let phases: Vec<_> = files.iter().filter(|path| path.to_string_lossy().contains("impact")).collect();
        assert_eq!(phases.len(), usize::from(name == "bouncing-balls"), "{phases:?}");
    }
}

/// Steps that were taken in flat arrays, to 1e-3.
#[test]
fn steps_in_flat_arrays_come_back() {
    let run = Run::of(&scene("gallery/drum.toml"), &["--duration", "0.15"]);
    let steps = fs::read_to_string(run.path("run/steps.csv")).expect("the table");
    assert!(steps.lines().skip(61).any(|line| line.contains(",flat,")), "no step in flat arrays");
    let (found, off, own) = come_back(&run.export("61-75"), &["--guess"]);
    assert_eq!(found, [Layout::Plain.as_str()]);
    assert!(off < 0.1 && own < 1e-2, "off by {off:e}, residual {own:e}");
}

/// Parts of two boxes in a bowl: friction allows other velocities than those of the run, which a guess finds.
#[test]
fn of_several_solutions_a_guess_finds_that_of_the_run() {
    let run = Run::of(&scene("gallery/vibrating-track.toml"), &["--duration", "0.08"]);
    let files = run.export("145-155");
    let (found, off, own) = come_back(&files, &["--guess"]);
    assert_eq!(found, [Layout::Own.as_str()]);
    assert!(off < 1e-4 && own < 1e-4, "off by {off:e}, residual {own:e}");
    assert!(come_back(&files, &[]).1 > 0.01, "one solution: the test shows less than it says");
}

/// A run whose tables are those of another scene is refused, and leaves an earlier export alone.
#[test]
fn another_way_is_refused() {
    let run = Run::of(&scene("seeds/stack.toml"), &["--duration", "0.05"]);
    let first = run.export("1-3");
    assert_eq!(first.len(), 3);
    let table = run.path("run/scene.toml");
    let text = fs::read_to_string(&table).expect("the scene");
    fs::write(&table, text.replacen("-9.81", "-9.8", 1)).expect("written");
    let output = run.call(&["export", "run", "--fclib", "all", "--force"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("step 1 as FCLIB problem") && message.contains("another way"), "{message}");
    assert!(first.iter().all(|path| path.exists()) && !run.path("run/export/fclib.part").exists());
}

/// Files of our layout that say something impossible.
#[test]
fn impossible_cones_are_refused() {
    let run = Run::of(&scene("seeds/stack.toml"), &["--duration", "0.01"]);
    let file = read(&run.export("1")[0]).expect("a problem");
    let Content::Cones(problem) = file.content else { panic!("a problem of FCLIB") };
    type Change = fn(&mut signorini_fclib::ConeProblem);
    let cases: [(Change, &str); 8] = [
        (|p| p.cones[0].n_normal = 0, "signorini_global/cones/normal[0] = 0: must be 1 or more"),
        (|p| p.cones[0].n_normal += 1, "signorini_global/cones = "),
        (|p| p.cones[1].n_friction = 1, "signorini_global/cones/friction[1] = 1: must be 0, 2 or 3"),
        (|p| p.cones[1].bounded = true, "signorini_global/cones/bounded[1] = 1: must be 0"),
        (
            |p| p.cones[0].friction_coefficient = -0.5,
            "signorini_global/cones/mu[0] = -0.5: must be at least 0",
        ),
        (|p| p.bounds[2] = [1.0, 0.5], "signorini_global/vectors/low[2] = 1: must not be above high"),
        (|p| p.compliance[3] = f64::NAN, "signorini_global/vectors/compliance[3] = NaN: must be finite"),
        (
            |p| p.global.mass = p.global.mass.map(|m| -m),
            "signorini_global/M = another matrix: must be symmetric",
        ),
    ];
    for (change, words) in cases {
        let mut bad = problem.clone();
        change(&mut bad);
        let path = run.path("bad.hdf5");
        bad.write(&path, &Impulses::default(), "bad").expect("written");
        let error = read(&path).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Problems of our layout are solved by the production method alone, and leave as they came.
#[test]
fn our_layout_is_written_again() {
    let run = Run::of(&scene("seeds/stack.toml"), &["--duration", "0.02", "--tolerance", "1e-10"]);
    let from = run.export("2").remove(0);
    let to = run.path("again.hdf5");
    let (found, code) = outcomes(&["--export", &to.display().to_string()], &[&from]);
    assert_eq!(code, Some(0), "{found:?}");
    let [one, other] = [&from, &to].map(|path| read(path).expect("a problem"));
    let (Content::Cones(first), Content::Cones(second)) = (&one.content, &other.content) else {
        panic!("problems of FCLIB")
    };
    assert_eq!((&first.cones, &first.bounds), (&second.cones, &second.bounds));
    assert!(
        one.off_solution(other.impulses.solution.as_ref().expect("a solution")).is_some_and(|off| off < 1e-8)
    );
    let (found, code) = outcomes(&["--core", "apgd"], &[&from]);
    assert_eq!((code, found[0]["status"].as_str()), (Some(3), Some("not_applicable")));
}
