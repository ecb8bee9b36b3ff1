//! Tables in HDF5: the same rows, read by all that read tables, and by h5py.

// A skipped test says so.
#![allow(clippy::print_stderr)]

use super::resume::{assert_same_run, shipped};
use super::*;
use signorini_scene::checkpoint::Checkpoint;
use std::time::{Duration, Instant};

/// A run of a shipped scene in both formats.
fn both(path: &str, duration: &str) -> Bench {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), shipped(path)).unwrap();
    for format in ["csv", "hdf5"] {
        bench.expect(&["run", "scene.toml", "--out", format, "--duration", duration, "--format", format], 0);
    }
    bench
}

#[test]
fn exported_tables_are_those_of_a_csv_run() {
    let scenes = [
        ("granular/ellipsoids-64.toml", "0.5"),
        ("seeds/slider-crank.toml", "0.5"),
        ("seeds/silo.toml", "0.3"),
    ];
    for (scene, duration) in scenes {
        let bench = both(scene, duration);
        assert!(!bench.path("hdf5/bodies.csv").exists());
        bench.expect(&["export", "hdf5", "--csv"], 0);
        assert_same_run(&bench.path("csv"), &bench.path("hdf5/export/csv"), scene);
        for folder in ["csv", "hdf5", "hdf5/export/csv"] {
            bench.expect(&["audit", folder], 0);
        }
        let length = |file: &str| fs::metadata(bench.path(file)).unwrap().len();
        let (csv, hdf5) = (length("csv/bodies.csv") + length("csv/contacts.csv"), length("hdf5/run.h5"));
        assert!(scene.starts_with("seeds") || 3 * hdf5 < csv, "{hdf5} and {csv} bytes");
    }
}

#[test]
fn what_reads_tables_reads_both_formats() {
    let bench = both("seeds/two-spheres.toml", "0.3");
    for folder in ["csv", "hdf5"] {
        bench.expect(&["plot", folder], 0);
        bench.expect(&["view", folder], 0);
        bench.expect(&["export", folder, "--vtk", "--gltf"], 0);
    }
    let data = |path: &str| fs::read(bench.path(path)).unwrap();
    for name in ["plots/energy.svg", "export/run.glb", "export/run.pvd"] {
        assert!(data(&format!("csv/{name}")) == data(&format!("hdf5/{name}")), "{name}");
    }
    // The page holds how long the run took, compressed.
    let [csv, hdf5] = ["csv", "hdf5"].map(|folder| data(&format!("{folder}/run.html")).len());
    assert!(csv.abs_diff(hdf5) < 100, "{csv} and {hdf5} bytes");
}

#[test]
fn a_killed_run_leaves_whole_rows() {
    for milliseconds in [300, 500, 700] {
        let bench = Bench::new(20, 100_000_000);
        let mut command = bench.command(&["run", "tops.toml", "--out", "a", "--format", "hdf5"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        // Until the first rows are written.
        while fs::metadata(bench.path("a/run.h5")).map_or(0, |m| m.len()) < 100_000 {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        bench.expect(&["audit", "a", "--unfinished"], 0);
        bench.expect(&["audit", "a"], 3);
        bench.expect(&["export", "a", "--csv"], 0);
        let steps = steps_of(&bench.path("a/export/csv/bodies.csv"));
        assert!(steps.len() >= 1024 && steps.len().is_multiple_of(1024), "{} rows", steps.len());
    }
}

/// Rows that waited when the run was killed are bound again with the others when the scene changes.
#[test]
fn a_killed_run_is_resumed_for_another_duration() {
    let bench = Bench::new(3, 100_000_000);
    let keep = ["--format", "hdf5", "--checkpoint", "20ms"];
    let run = [&["run", "tops.toml", "--out", "a"][..], &keep].concat();
    let mut child = bench.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while !bench.path("a/checkpoint-2.ckpt").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let steps = ["checkpoint-1.ckpt", "checkpoint-2.ckpt"]
        .map(|name| Checkpoint::read(&bench.path("a").join(name)).unwrap().head.step);
    // Nothing that is refused leaves a trace.
    let files = || fs::read_dir(bench.path("a")).unwrap().count();
    let before = files();
    bench.expect(&["resume", "a", "--duration", "0.001"], 2);
    assert_eq!(files(), before);
    let end = format!("{}", (steps[0].max(steps[1]) + 50) as f64 * STEP);
    bench.expect(&["resume", "a", "--duration", &end], 0);
    bench.expect(&["run", "tops.toml", "--out", "b", "--format", "hdf5", "--duration", &end], 0);
    assert_same_run(&bench.path("b"), &bench.path("a"), "killed");
    bench.expect(&["audit", "a"], 0);
}

/// Reads the file with h5py, where Python has it.
#[test]
fn h5py_reads_the_same_numbers() {
    let bench = both("seeds/two-spheres.toml", "0.3");
    let script = "
import csv, h5py, math, sys
with h5py.File('hdf5/run.h5') as f:
    for name in ['bodies', 'contacts', 'steps']:
        table = f[name]
        rows = list(csv.reader(open(f'csv/{name}.csv', encoding='utf8')))
        assert list(table.dtype.names) == rows[0], table.dtype.names
        assert len(table) == len(rows) - 1 > 0
        for record, row in zip(table[:], rows[1:]):
            for value, text in zip(record, row):
                if isinstance(value, bytes):
                    assert value.decode() == text, (value, text)
                elif text == '':
                    assert math.isnan(value)
                else:
                    assert float(value) == float(text), (value, text)
    assert f['bodies'].chunks and f['bodies'].compression == 'gzip' and f['bodies'].shuffle
print('ok')
";
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_h5py = Command::new(&python).args(["-c", "import h5py"]).output();
    if !has_h5py.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no h5py here");
        return;
    }
    let output =
        Command::new(&python).args(["-c", script]).current_dir(bench.folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
