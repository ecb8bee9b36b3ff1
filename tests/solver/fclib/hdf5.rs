//! FCLIB's own files, written by h5py in the published layout (`files/write.py`), and files that we write.

use super::known_answers::{assert_near, solved};
use super::{fclib, number, outcomes};
use signorini_fclib::{Content, FcpProblem, Impulses, read, write};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::fclib_files::{Fcp, save};

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/solver/fclib/files")
}

fn matrices(path: &Path) -> (FcpProblem, Impulses) {
    let file = read(path).unwrap_or_else(|e| panic!("{e}"));
    let Content::Fcp(problem) = file.content else { panic!("no matrices in {}", path.display()) };
    (*problem, file.impulses)
}

/// One contact that sticks, one that slides.
const IMPULSES: [f64; 6] = [1.0, -0.3, 0.1, 1.0, -0.3, -0.4];

#[test]
fn local_problems_are_read_in_all_forms_of_a_matrix() {
    for form in ["columns", "rows", "triplets", "dense"] {
        let path = files().join(format!("local-{form}.hdf5"));
        let (problem, impulses) = matrices(&path);
        assert_eq!(problem.friction_coefficient, [0.5; 2], "{form}");
        assert_eq!(problem.free_slip, [-2.0, 0.3, -0.1, -2.0, 3.0, 4.0], "{form}");
        let diagonal = [2.0, 1.0, 1.0, 2.0, 1.0, 1.0];
        for (i, d) in diagonal.into_iter().enumerate() {
            for j in 0..6 {
                let found = problem.delassus.get(i, j).copied().unwrap_or(0.0);
                assert_eq!(found, if i == j { d } else { 0.0 }, "{form}: W[{i}, {j}]");
            }
        }
        assert_eq!(impulses.guesses, [vec![0.0; 6], IMPULSES.to_vec()], "{form}");
        assert_eq!(impulses.solution, Some(IMPULSES.to_vec()), "{form}");
        assert_near(&solved(&path).0.impulse, &IMPULSES);
    }
}

#[test]
fn a_global_problem_is_reduced_and_solved() {
    let path = files().join("global.hdf5");
    let (problem, impulses) = matrices(&path);
    assert_eq!(impulses, Impulses::default());
    // 1/m along the normal, 1/m + r²/I along the tangents.
    for (i, w) in [1.0 / 3.0, 1.0 / 3.0 + 1.0 / 1.2, 1.0 / 3.0 + 1.0 / 1.2].into_iter().enumerate() {
        assert!((problem.delassus.get(i, i).expect("an entry") - w).abs() < 1e-14);
    }
    assert_near(&problem.free_slip, &[-2.0, 1.0, 0.5]);
    assert_near(&solved(&path).0.impulse, &[6.0, -6.0 / 7.0, -3.0 / 7.0]);
}

#[test]
fn the_command_solves_and_writes_what_it_reads_again() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["local-columns", "global"] {
        let (from, to) = (files().join(format!("{name}.hdf5")), folder.path().join(format!("{name}.hdf5")));
        let (first, code) = outcomes(&["--export", &to.display().to_string()], &[&from]);
        assert_eq!(code, Some(0), "{first:?}");
        let (one, other) = (matrices(&from), matrices(&to));
        assert_eq!(one.0.delassus.to_dense(), other.0.delassus.to_dense());
        assert_eq!(one.0.free_slip, other.0.free_slip);
        assert_eq!(one.0.global.is_some(), other.0.global.is_some());
        assert_eq!(one.1.guesses, other.1.guesses);
        let solution = other.1.solution.expect("a solution");
        if let Some(known) = one.1.solution {
            assert_near(&solution, &known);
        }
        // From its own solution nothing is left to do.
        let (problem, _) = matrices(&to);
        let guessed = folder.path().join(format!("{name}-guessed.hdf5"));
        let impulses = Impulses { guesses: vec![solution], solution: None };
        write(&guessed, &problem, &impulses, "guessed").expect("written");
        let (again, code) = outcomes(&["--guess"], &[&guessed]);
        assert_eq!((code, number(&again[0], "iterations")), (Some(0), 0.0));
        // A file that is already there is not replaced.
        let refused = fclib(&["--export", &to.display().to_string()], &[&from]);
        assert_eq!(refused.status.code(), Some(2));
    }
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let whole = std::fs::read(files().join("local-rows.hdf5")).expect("the file");
    let refused = |name: &str, bytes: &[u8]| {
        let path = save(folder.path(), name, bytes);
        let error = read(&path).expect_err("refused").to_string();
        assert!(error.contains(name), "{error}");
        error
    };
    for length in [8, 100, whole.len() / 2, whole.len() - 1] {
        let error = refused("short.hdf5", &whole[..length]);
        assert!(length < 100 || error.contains("cut off"), "{length}: {error}");
    }
    let mut file = hdf5_pure::FileBuilder::new();
    file.create_dataset("x").with_f64_data(&[1.0]);
    let error = refused("other.hdf5", &file.finish().expect("a file"));
    assert!(error.contains("fclib_local"), "{error}");
}

/// μ, sizes and indices that say something impossible.
#[test]
fn impossible_numbers_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let refused = |change: &dyn Fn(&mut FcpProblem), words: &str| {
        let fcp = save(
            folder.path(),
            "good.fcp",
            &Fcp::one_contact([2.0, 1.0, 1.0], [-1.0, 0.5, 0.0], 0.5).bytes(),
        );
        let mut problem = matrices(&fcp).0;
        change(&mut problem);
        let path = folder.path().join("bad.hdf5");
        write(&path, &problem, &Impulses::default(), "bad").expect("written");
        let error = read(&path).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(&|p| p.friction_coefficient[0] = -0.1, "fclib_local/vectors/mu[0] = -0.1");
    refused(&|p| p.free_slip[1] = f64::NAN, "fclib_local/vectors/q[1] = NaN");
    refused(&|p| p.free_slip.truncate(2), "q = 2 numbers: must be 3");
    refused(&|p| p.friction_coefficient.push(0.5), "mu = 2 numbers: must be 1");
}

/// h5py finds the data of FCLIB's layout in our files.
#[test]
fn h5py_reads_what_we_write() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !Command::new(&python).args(["-c", "import h5py"]).output().is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: no h5py here");
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let out = folder.path().join("out.hdf5");
    assert_eq!(
        outcomes(&["--export", &out.display().to_string()], &[&files().join("global.hdf5")]).1,
        Some(0)
    );
    let script = "
import h5py, numpy as np, sys
with h5py.File(sys.argv[1]) as f:
    g = f['fclib_global']
    assert g['spacedim'][0] == 3
    def dense(m):
        assert m['nz'][0] == -1 and m['nzmax'][0] == len(m['x'])
        a = np.zeros((m['m'][0], m['n'][0]))
        for j in range(a.shape[1]):
            for k in range(m['p'][j], m['p'][j + 1]):
                a[m['i'][k], j] = m['x'][k]
        return a
    M, H, r = dense(g['M']), dense(g['H']), f['solution/r'][:]
    assert abs(r - [6, -6 / 7, -3 / 7]).max() < 1e-8, r
    v = np.linalg.solve(M, H @ r + g['vectors/f'][:])
    assert abs(v - f['solution/v'][:]).max() < 1e-12
    assert abs(H.T @ v + g['vectors/w'][:] - f['solution/u'][:]).max() < 1e-12
    assert list(g['vectors/mu'][:]) == [0.5]
";
    let output = Command::new(&python).args(["-c", script]).arg(&out).output().expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Two balls, one of which slides, between a floor and a wall.
const SCENE: &str = r#"
format = 1
[simulation]
time_step = 0.005
duration = 0.2
[solver]
tolerance = 1e-11
[[friction]]
coefficient = 0.3
[[body]]
name = "floor"
fixed = true
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "slider"
mass = 2
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
velocity = [2, 0, 0]
[[body]]
name = "rester"
mass = 1
shape = { type = "ellipsoid", semi_axes = [0.2, 0.1, 0.1] }
position = [0.3, 0.02, 0.1]
"#;

#[test]
fn a_step_of_a_run_is_a_problem_that_its_impulses_solve() {
    let folder = tempfile::tempdir().expect("folder");
    let scene = save(folder.path(), "scene.toml", SCENE.as_bytes());
    let run = folder.path().join("run");
    let call = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.args(arguments).current_dir(folder.path()).output().expect("started")
    };
    let output = call(&["run", &scene.display().to_string(), "--out", "run", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut has_slid = false;
    for step in [1, 5, 20, 40] {
        let output = call(&["export", "run", "--fclib", &step.to_string(), "--force"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let path = run.join(format!("export/fclib/step-{step}.hdf5"));
        let file = read(&path).expect("a problem");
        let recorded = file.impulses.solution.clone().expect("a solution");
        let residual = file.reduced.residual(&recorded);
        assert!(residual.scaled < 1e-9, "step {step}: {residual:?}");
        let (outcome, code) = outcomes(&[], &[&path]);
        assert_eq!(code, Some(0), "{outcome:?}");
        let friction: Vec<f64> = recorded.chunks(3).map(|r| r[1].hypot(r[2]) / r[0]).collect();
        has_slid |= friction.iter().any(|share| (share - 0.3).abs() < 1e-6);
    }
    assert!(has_slid, "all contacts stick: the test shows less than it says");
    for (step, word) in [("0", "must be a step K"), ("99", "steps 1 to 40"), ("8-4", "must be a step K")] {
        let output = call(&["export", "run", "--fclib", step, "--force"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(word), "{output:?}");
    }
}
