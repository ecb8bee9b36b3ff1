//! Signals, kills and full disks: computed steps stay.

use super::*;
use signorini_runs::output::table::whole_length;
use std::process::Child;
use std::time::{Duration, Instant};

const FOR_EVER: usize = 100_000_000;

fn start(bench: &Bench) -> Child {
    bench
        .command(&["run", "tops.toml", "--out", "a"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the run has written some steps.
pub fn wait_for_steps(bench: &Bench) {
    let start = Instant::now();
    let path = bench.path("a/steps.csv");
    while fs::metadata(&path).map_or(0, |m| m.len()) < 3000 {
        assert!(start.elapsed() < Duration::from_secs(60), "the run wrote no steps");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn send(signal: &str, child: &Child) {
    // The shell's own kill: a small machine has no other.
    let script = format!("kill {signal} {}", child.id());
    let status = Command::new("sh").args(["-c", &script]).status().unwrap();
    assert!(status.success());
}

/// Steps in steps.csv, which must be 1, 2, 3, ...
fn n_consecutive_steps(folder: &Path) -> usize {
    let steps = steps_of(&folder.join("steps.csv"));
    assert_eq!(steps, (1..=steps.len()).collect::<Vec<_>>());
    steps.len()
}

#[test]
fn an_interrupted_run_writes_what_there_is() {
    for signal in ["-INT", "-TERM"] {
        let bench = Bench::new(2, FOR_EVER);
        let begin = Instant::now();
        let child = start(&bench);
        wait_for_steps(&bench);
        if signal == "-INT" {
            // Long enough for a progress line.
            std::thread::sleep(Duration::from_millis(1200));
        }
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(output.status.code(), Some(130), "{signal}");
        let folder = bench.path("a");
        let n_steps = n_consecutive_steps(&folder);
        let bodies = steps_of(&folder.join("bodies.csv"));
        assert_eq!(bodies.len(), 3 + 2 * n_steps, "every finished step has its bodies");
        assert_eq!(bodies[bodies.len() - 1], n_steps);
        assert_eq!(summary(&folder)["exit_reason"], "interrupted");
        assert_eq!(summary(&folder)["steps"], n_steps);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let n_lines = stderr.lines().filter(|l| l.contains("steps/s")).count();
        assert!(n_lines as f64 <= seconds, "{n_lines} progress lines in {seconds} s");
        assert!(signal != "-INT" || n_lines >= 1, "no progress line: {stderr}");
    }
}

/// The rows of so many bodies take a while to write, and the signal comes before them.
#[test]
fn a_run_interrupted_while_its_folder_is_made_has_a_summary() {
    let bench = Bench::new(2000, FOR_EVER);
    let child = start(&bench);
    let begin = Instant::now();
    while !bench.path("a/chain.csv").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the run made no folder");
        std::thread::sleep(Duration::from_micros(100));
    }
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    let folder = bench.path("a");
    assert_eq!(summary(&folder)["exit_reason"], "interrupted");
    assert_eq!(summary(&folder)["steps"], n_consecutive_steps(&folder));
    let end = format!("{}", (n_consecutive_steps(&folder) + 1) as f64 * STEP);
    bench.expect(&["resume", "a", "--duration", &end, "--quiet"], 0);
}

/// A limit on the size of files stands for a full disk.
#[test]
fn a_full_disk_exits_1_and_leaves_whole_tables() {
    let bench = Bench::new(2, 100_000);
    let script = format!(
        "trap '' XFSZ; ulimit -f 40; exec {} run tops.toml --out a --quiet",
        env!("CARGO_BIN_EXE_signorini")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(bench.folder.path()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("bodies.csv"), "{message}");
    let folder = bench.path("a");
    assert!(n_consecutive_steps(&folder) > 10);
    assert!(steps_of(&folder.join("bodies.csv")).len() > 20);
    assert!(fs::read(folder.join("bodies.csv")).unwrap().ends_with(b"\n"));
}

/// The operating system copies a write page by page and heeds a kill between two of them: the one place where
/// a file may end in mid-row is a page's end.
fn drop_torn_row(path: &Path) {
    let (whole, length) = (whole_length(path).unwrap(), fs::metadata(path).unwrap().len());
    if whole < length {
        assert_eq!(length % 4096, 0, "{} ends in mid-row", path.display());
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(whole).unwrap();
    }
}

#[test]
fn a_killed_run_leaves_whole_tables() {
    for _ in 0..5 {
        let bench = Bench::new(2, FOR_EVER);
        let mut child = start(&bench);
        wait_for_steps(&bench);
        send("-KILL", &child);
        assert_eq!(child.wait().unwrap().code(), None);
        bench.expect(&["plot", "a"], 0);
        let folder = bench.path("a");
        // The files of the stopped run hold together, and its chain says so.
        bench.expect(&["audit", "a"], 3);
        bench.expect(&["audit", "a", "--unfinished"], 0);
        for name in ["bodies.csv", "contacts.csv", "steps.csv"] {
            drop_torn_row(&folder.join(name));
        }
        let n_steps = n_consecutive_steps(&folder);
        // A row of steps.csv comes last in its step.
        let bodies = steps_of(&folder.join("bodies.csv"));
        assert!(bodies.iter().filter(|&&s| (1..=n_steps).contains(&s)).count() == 2 * n_steps);
        table(&folder.join("contacts.csv"));
        assert!(!folder.join("summary.json").exists());
        bench.expect(&["run", "tops.toml", "--out", "a", "--force", "--duration", "0.01"], 0);
    }
}

#[test]
fn a_second_run_into_the_folder_of_a_run_that_goes_on_is_refused() {
    let bench = Bench::new(2, FOR_EVER);
    let mut child = start(&bench);
    wait_for_steps(&bench);
    for arguments in [&["run", "tops.toml", "--out", "a"][..], &["run", "tops.toml", "--out", "a", "--force"]]
    {
        let message = bench.expect(arguments, 2);
        assert!(message.contains("output folder a: another run is writing into it"), "{message}");
    }
    let report = bench.call(&["audit", "a", "--unfinished"]);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("the run is going on") && report.contains("verdict       green"), "{report}");
    let before = fs::metadata(bench.path("a/steps.csv")).unwrap().len();
    assert!(before > 3000, "the refused run took rows away");
    send("-KILL", &child);
    child.wait().unwrap();
    // The lock of a dead process is none.
    bench.expect(&["run", "tops.toml", "--out", "a", "--force", "--duration", "0.01"], 0);
    bench.expect(&["audit", "a"], 0);
}
