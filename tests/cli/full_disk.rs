//! Folders that cannot be written: full, read-only, or gone.

// A skipped test says so.
#![allow(clippy::print_stderr)]

use super::resume::{assert_same_run, shipped};
use super::signals::wait_for_steps;
use super::*;
use std::process::Child;
use std::time::{Duration, Instant};

/// Runs a script in the bench's folder, in which `small` is a disk of its own with these options. None where
/// the system does not let us mount one.
fn on_small_disk(bench: &Bench, options: &str, script: &str) -> Option<Output> {
    fs::create_dir_all(bench.path("small")).unwrap();
    let mounted = |script: &str| {
        let program = env!("CARGO_BIN_EXE_signorini");
        let script = format!("mount -t tmpfs -o {options} none small || exit 77\nrun={program}\n{script}");
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &script]).current_dir(bench.folder.path());
        command.env("VK_DRIVER_FILES", "none").env("VK_ICD_FILENAMES", "none");
        command.output()
    };
    match mounted("exit 0") {
        Ok(output) if output.status.success() => mounted(script).ok(),
        _ => {
            eprintln!("skipped: no disk can be mounted here");
            None
        }
    }
}

/// On a disk of which so many bytes are taken the run ends with code 1 and names the file that could not be
/// written. The written files hold together, and the run goes on as if nothing had happened when there is
/// room again. Returns the messages; None where the system does not let us mount such a disk.
fn assert_goes_on_after_a_full_disk(format: &str, filler: usize) -> Option<String> {
    let bench = Bench::new(2, 1500);
    let script = format!(
        "head -c {filler} /dev/zero > small/filler
        $run run tops.toml --tolerance 1e-8 --out small/a --quiet --checkpoint 1ms --format {format}; echo code $?
        $run audit small/a --unfinished > small-audit; echo audit $?
        rm small/filler
        $run resume small/a --quiet; echo resumed $?
        cp -r small/a kept"
    );
    let output = on_small_disk(&bench, "size=2m", &script)?;
    let (said, message) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(
        said.split_whitespace().collect::<Vec<_>>().join(" "),
        "code 1 audit 0 resumed 0",
        "{format}, {filler} bytes taken: {message}{}",
        fs::read_to_string(bench.path("small-audit")).unwrap_or_default()
    );
    let error = message.lines().find(|line| line.starts_with("error: ")).expect("an error");
    let file = ["small/a/", "No space left"].iter().all(|part| error.contains(part));
    // The error may name the last checkpoint, where the rest of the tables still fits.
    let names = [".csv", "run.h5", ".ckpt", "summary.json"].iter().any(|part| error.contains(part));
    assert!(file && names, "{message}");
    bench.expect(&["run", "tops.toml", "--tolerance", "1e-8", "--out", "whole", "--format", format], 0);
    assert_same_run(&bench.path("whole"), &bench.path("kept"), &format!("{format}, {filler} bytes taken"));
    Some(message)
}

#[test]
fn runs_go_on_when_a_full_disk_has_room_again() {
    let full = [("csv", 1_300_000), ("hdf5", 1_510_000), ("hdf5", 1_720_000)];
    let said = full.map(|(format, filler)| assert_goes_on_after_a_full_disk(format, filler));
    // A checkpoint holds the rows that an HDF5 file has not taken: it fails first, and the run goes on.
    let warns = |said: &String| said.contains("warning: no checkpoint: small/a/checkpoint-");
    assert!(said.iter().all(Option::is_none) || said.iter().flatten().any(warns), "{said:?}");
}

/// Where the summary does not fit, there is none: the written files hold together, and the run goes on.
#[test]
fn a_summary_that_does_not_fit_is_not_left_in_part() {
    let bench = Bench::new(2, 3);
    // Pages of 4 kB that are free: from room for everything to room for nothing.
    let script = "for free in $(seq 32 -1 1); do
            head -c $((256 * 1024 - 4096 * free)) /dev/zero > small/filler
            $run run tops.toml --out small/a --quiet 2> said
            $run audit small/a --unfinished > small-audit 2>&1; audit=$?
            rm small/filler
            # Without room for the checkpoint before it there is nothing to go on from.
            if grep -q 'small/a/summary.json' said && [ -f small/a/checkpoint-1.ckpt ]; then
                ls small/a/summary* 2> /dev/null
                $run resume small/a --quiet; resumed=$?
                $run audit small/a > small-audit 2>&1; echo $audit $resumed $?
            fi
            rm -r small/a
        done";
    let Some(output) = on_small_disk(&bench, "size=256k", script) else { return };
    let (said, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!said.is_empty(), "the summary always fits, or nothing does: {message}");
    assert!(said.lines().all(|line| line == "0 0 0"), "{said}{message}");
}

/// Of a run whose tables fit and whose checkpoint does not.
#[test]
fn a_last_checkpoint_that_does_not_fit_is_an_error_and_the_run_is_whole() {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("scene.toml"), shipped("seeds/dumbbell.toml")).unwrap();
    // Shells count in units of 512 or of 1024 bytes.
    let script = format!(
        "trap '' XFSZ; (ulimit -f 1; head -c 900 /dev/zero > probe 2> /dev/null)
        if [ $(wc -c < probe) -eq 512 ]; then ulimit -f 10; else ulimit -f 5; fi
        exec {} run scene.toml --duration 0.005 --out a --quiet",
        env!("CARGO_BIN_EXE_signorini")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(bench.folder.path()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("a/checkpoint-1.ckpt: File too large"), "{message}");
    assert!(!bench.path("a/checkpoint-1.ckpt").exists() && !bench.path("a/checkpoint-1.ckpt.new").exists());
    assert_eq!(summary(&bench.path("a"))["steps"], 5);
    bench.expect(&["audit", "a"], 0);
}

#[test]
fn into_a_read_only_folder_nothing_is_run() {
    let bench = Bench::new(2, 100);
    let script = "$run run tops.toml --out small/a --quiet; echo code $?";
    let Some(output) = on_small_disk(&bench, "ro", script) else { return };
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "code 2", "{message}");
    assert!(message.contains("small/a") && message.contains("Read-only"), "{message}");
}

fn start(bench: &Bench) -> Child {
    let mut command = bench.command(&["run", "tops.toml", "--out", "a", "--quiet"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn assert_ends_with_1(mut child: Child) {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not notice");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("output folder a: was removed or replaced"), "{message}");
}

#[test]
fn a_folder_that_is_removed_ends_the_run() {
    let bench = Bench::new(2, 100_000_000);
    let child = start(&bench);
    wait_for_steps(&bench);
    fs::remove_dir_all(bench.path("a")).unwrap();
    assert_ends_with_1(child);
    assert!(!bench.path("a").exists(), "nothing is written where the folder was");
}

#[test]
fn a_folder_that_is_moved_away_keeps_what_was_written() {
    let bench = Bench::new(2, 100_000_000);
    let child = start(&bench);
    wait_for_steps(&bench);
    fs::rename(bench.path("a"), bench.path("b")).unwrap();
    assert_ends_with_1(child);
    bench.expect(&["audit", "b", "--unfinished"], 0);
}

/// A run that cannot begin leaves nothing for which the next would be refused.
#[test]
fn a_run_that_does_not_fit_at_the_start_leaves_nothing() {
    let bench = Bench::new(2, 3);
    let script = "for format in csv hdf5; do for free in 0 1 2 3; do
            head -c $((128 * 1024 - 4096 * free)) /dev/zero > small/filler 2> /dev/null
            $run run tops.toml --out small/new/a --quiet --format $format 2> said; echo code $? $(ls small)
            grep -v 'No space left' said
            rm -rf small/*
        done; done";
    let Some(output) = on_small_disk(&bench, "size=128k", script) else { return };
    let (said, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let refused = said.lines().filter(|line| *line == "code 2 filler").count();
    // Where the first files fit, the run begins and fails later, with its files left to go on from.
    let begun = said.lines().filter(|line| line.starts_with("code 1 filler")).count();
    assert!(refused >= 2 && refused + begun == said.lines().count(), "{said}{message}");
}
