//! Runs that were killed, stopped or are to last longer go on as if nothing had happened.

use super::signals::{send, wait_for_steps};
use super::*;
use signorini_scene::checkpoint::Checkpoint;
use std::process::Child;
use std::time::{Duration, Instant};

/// Whether a file is the same in two runs of one scene, as the guide says; those of a job are of one of them.
fn is_compared(name: &str) -> bool {
    let of_job = ["given.toml", "job.sh", "logs"];
    !["times.csv", "summary.json"].contains(&name) && !of_job.contains(&name) && !name.ends_with(".ckpt")
}

/// Both folders hold the same files, byte for byte, and the same summary but for times.
pub fn assert_same_run(one: &Path, other: &Path, what: &str) {
    let names = |folder: &Path| -> BTreeSet<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| is_compared(name)).collect()
    };
    assert_eq!(names(one), names(other), "{what}");
    for name in names(one) {
        let [a, b] = [one, other].map(|folder| fs::read(folder.join(&name)).unwrap());
        let at = a.iter().zip(&b).position(|(a, b)| a != b);
        assert!(a == b, "{what}: {name}: {} and {} bytes, first other at {at:?}", a.len(), b.len());
    }
    let [mut a, mut b] = [one, other].map(summary);
    for page in [&mut a, &mut b] {
        for field in ["wall_seconds", "solve_seconds", "write_seconds", "time_split", "seal", "scene"] {
            page[field] = serde_json::Value::Null;
        }
        page["referee"]["seconds"] = serde_json::Value::Null;
        page["referee"]["cost_share"] = serde_json::Value::Null;
    }
    assert_eq!(a, b, "{what}");
    assert_eq!(steps_of(&one.join("times.csv")), steps_of(&other.join("times.csv")), "{what}");
}

/// Numbers from a seed, below `most`.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    bench.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for the first checkpoint of a run. False when the run ended before.
fn wait_for_checkpoint(child: &mut Child, folder: &Path) -> bool {
    let start = Instant::now();
    while !folder.join("checkpoint-1.ckpt").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint");
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Kills a run at `kills` instants or fewer, each at most `most` milliseconds after its first checkpoint, and
/// resumes it after each. Returns the number of kills: 0 when the run ended before the first instant.
fn kill_and_resume(bench: &Bench, run: &[&str], kills: usize, most: u64, draws: &mut Draws) -> usize {
    let keep = ["--checkpoint", "10ms", "--quiet", "--threads"];
    let mut killed = 0;
    let mut child = start(bench, &[run, &keep, &["1"]].concat());
    while killed < kills && wait_for_checkpoint(&mut child, &bench.path("killed")) {
        std::thread::sleep(Duration::from_millis(draws.below(most)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
        let threads = if killed % 2 == 0 { "1" } else { "2" };
        child = start(bench, &[&["resume", "killed"][..], &keep, &[threads]].concat());
    }
    let ended = child.wait().unwrap();
    // A run killed after its last file is finished: there is nothing to go on with.
    let was_finished = ended.code() == Some(2) && bench.path("killed/summary.json").exists();
    assert!(ended.success() || was_finished, "{ended}");
    killed
}

/// Kills a run at `kills` instants or fewer, resuming it after each, and compares with a run that was let
/// alone. Returns the number of kills.
fn assert_goes_on_after_kills(scene: &str, duration: &str, kills: usize, seed: u64, format: &str) -> usize {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), scene).unwrap();
    let begin = Instant::now();
    let run = |out| ["run", "scene.toml", "--out", out, "--duration", duration, "--format", format];
    bench.expect(&[&run("whole")[..], &["--checkpoint", "off"]].concat(), 0);
    let mut most = (begin.elapsed().as_millis() as u64 * 2 / (kills as u64 + 1)).max(2);
    let mut draws = Draws(seed);
    let mut killed = kill_and_resume(&bench, &run("killed"), kills, most, &mut draws);
    // A run may end sooner than the one that was measured: then it is killed sooner.
    while killed == 0 && most > 1 {
        fs::remove_dir_all(bench.path("killed")).unwrap();
        most /= 2;
        killed = kill_and_resume(&bench, &run("killed"), kills, most, &mut draws);
    }
    assert!(killed > 0, "nothing was killed");
    assert_same_run(&bench.path("whole"), &bench.path("killed"), &format!("{killed} kills, seed {seed}"));
    let n_killed = killed;
    let [whole, killed] = ["whole", "killed"].map(|folder| bench.call(&["audit", folder]));
    assert_eq!((whole.status.code(), whole.stdout), (killed.status.code(), killed.stdout));
    n_killed
}

pub fn shipped(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(path)).unwrap()
}

#[test]
fn killed_piles_of_ellipsoids_go_on() {
    assert_goes_on_after_kills(&shipped("granular/ellipsoids-64.toml"), "0.6", 5, 1, "csv");
}

#[test]
fn killed_piles_of_cubes_go_on() {
    assert_goes_on_after_kills(&shipped("granular/cubes-64.toml"), "0.5", 5, 2, "csv");
}

#[test]
fn killed_mechanisms_go_on() {
    assert_goes_on_after_kills(&shipped("seeds/slider-crank.toml"), "1", 5, 3, "csv");
}

#[test]
fn killed_runs_with_inlets_go_on() {
    assert_goes_on_after_kills(&shipped("seeds/silo.toml"), "0.4", 5, 7, "csv");
    assert_goes_on_after_kills(&shipped("seeds/silo.toml"), "0.4", 3, 8, "hdf5");
}

/// Ellipsoids that the staggered integrator moves.
fn staggered() -> String {
    let scene = shipped("granular/ellipsoids-64.toml");
    assert!(!scene.contains("[solver]"));
    scene.replacen("[simulation]", "[solver]\nintegrator = \"staggered\"\n[simulation]", 1)
}

#[test]
fn a_killed_run_of_a_periodic_box_goes_on() {
    assert_goes_on_after_kills(&shipped("seeds/chute.toml"), "0.08", 4, 9, "csv");
    assert_goes_on_after_kills(&shipped("seeds/chute.toml"), "0.06", 2, 10, "hdf5");
}

#[test]
fn killed_staggered_runs_go_on() {
    assert_goes_on_after_kills(&staggered(), "0.5", 5, 4, "csv");
}

/// Twenty kills of each kind of scene in each format; each second one is resumed on two threads.
#[test]
#[ignore = "minutes: 200 kills"]
fn runs_go_on_after_twenty_kills() {
    let scenes = [
        (shipped("granular/ellipsoids-64.toml"), "0.6"),
        (shipped("granular/cubes-64.toml"), "0.5"),
        (shipped("seeds/slider-crank.toml"), "0.7"),
        (shipped("seeds/silo.toml"), "0.4"),
        (staggered(), "0.5"),
    ];
    for (scene, duration) in &scenes {
        for format in ["csv", "hdf5"] {
            let (mut killed, mut seed) = (0, 100);
            while killed < 20 {
                killed += assert_goes_on_after_kills(scene, duration, 20 - killed, seed, format);
                seed += 1;
            }
        }
    }
}

#[test]
fn killed_runs_with_hdf5_tables_go_on() {
    assert_goes_on_after_kills(&shipped("granular/ellipsoids-64.toml"), "0.6", 5, 5, "hdf5");
    assert_goes_on_after_kills(&shipped("seeds/slider-crank.toml"), "1", 5, 6, "hdf5");
}

#[test]
fn a_run_that_is_to_last_longer_is_that_of_the_longer_scene() {
    let bench = Bench::new(2, 100);
    for (every, format) in [("1", "csv"), ("7", "csv"), ("1", "hdf5"), ("7", "hdf5")] {
        let out = format!("short-{every}-{format}");
        let run = |out: &str, duration: &str| {
            let rest = ["--duration", duration, "--every", every, "--format", format];
            bench.expect(&[&["run", "tops.toml", "--out", out][..], &rest].concat(), 0)
        };
        run(&out, "0.03");
        let message = bench.expect(&["resume", &out], 2);
        assert!(message.contains("goes on with a longer --duration"), "{message}");
        for duration in ["0.05", "0.1"] {
            bench.expect(&["resume", &out, "--duration", duration], 0);
            let whole = format!("whole-{every}-{format}-{duration}");
            run(&whole, duration);
            assert_same_run(&bench.path(&whole), &bench.path(&out), &whole);
        }
        bench.expect(&["audit", &out, "--thinned"], 0);
        let message = bench.expect(&["resume", &out, "--duration", "0.02"], 2);
        assert!(message.contains("--duration 0.02: the run is at 0.1 s"), "{message}");
    }
}

/// A run without its summary, as a kill between the last checkpoint and the summary leaves it, is finished.
#[test]
fn a_run_that_lacks_nothing_but_its_summary_is_finished() {
    let bench = Bench::new(2, 20);
    for format in ["csv", "hdf5"] {
        let [whole, killed] = ["whole", "killed"].map(|name| format!("{name}-{format}"));
        for out in [&whole, &killed] {
            bench.expect(&["run", "tops.toml", "--out", out, "--every", "7", "--format", format], 0);
        }
        fs::remove_file(bench.path(&killed).join("summary.json")).unwrap();
        let message = bench.expect(&["resume", &killed, "--duration", "0.01"], 2);
        assert!(message.contains("goes on with a longer --duration"), "{message}");
        bench.expect(&["resume", &killed], 0);
        assert_same_run(&bench.path(&whole), &bench.path(&killed), format);
        bench.expect(&["resume", &killed], 2);
    }
}

#[test]
fn an_interrupted_run_goes_on() {
    for signal in ["-INT", "-TERM"] {
        let bench = Bench::new(2, 100_000_000);
        let child = start(&bench, &["run", "tops.toml", "--out", "a", "--every", "7"]);
        wait_for_steps(&bench);
        send(signal, &child);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
        let done = summary(&bench.path("a"))["steps"].as_u64().unwrap();
        let end = format!("{}", (done + 20) as f64 * STEP);
        bench.expect(&["resume", "a", "--duration", &end], 0);
        bench.expect(&["run", "tops.toml", "--out", "b", "--every", "7", "--duration", &end], 0);
        assert_same_run(&bench.path("b"), &bench.path("a"), signal);
    }
}

#[test]
fn a_signal_asks_for_a_checkpoint() {
    let bench = Bench::new(2, 100_000_000);
    let mut child = start(&bench, &["run", "tops.toml", "--out", "a"]);
    wait_for_steps(&bench);
    assert!(!bench.path("a/checkpoint-1.ckpt").exists());
    send("-USR1", &child);
    assert!(wait_for_checkpoint(&mut child, &bench.path("a")));
    assert!(child.try_wait().unwrap().is_none(), "the run goes on");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(Checkpoint::read(&bench.path("a/checkpoint-1.ckpt")).is_ok());
}

/// A killed run with two checkpoints, whose newer one is returned first.
fn killed() -> (Bench, [String; 2]) {
    let bench = Bench::new(2, 100_000_000);
    let mut child = start(&bench, &["run", "tops.toml", "--out", "a", "--checkpoint", "5ms"]);
    let start = Instant::now();
    while !bench.path("a/checkpoint-2.ckpt").exists() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut names = ["checkpoint-1.ckpt", "checkpoint-2.ckpt"].map(str::to_owned);
    names.sort_by_key(|name| Checkpoint::read(&bench.path("a").join(name)).unwrap().head.step);
    names.reverse();
    (bench, names)
}

fn step_of(bench: &Bench, name: &str) -> usize {
    Checkpoint::read(&bench.path("a").join(name)).unwrap().head.step
}

#[test]
fn of_two_checkpoints_the_whole_one_is_taken() {
    for damage in ["flip", "cut", "empty", "foreign"] {
        let (bench, [newer, older]) = killed();
        let end = format!("{}", (step_of(&bench, &newer) + 10) as f64 * STEP);
        let path = bench.path("a").join(&newer);
        let mut bytes = fs::read(&path).unwrap();
        match damage {
            "flip" => {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 4;
            }
            "cut" => bytes.truncate(bytes.len() - 1),
            "empty" => bytes.clear(),
            _ => bytes = b"PNG".to_vec(),
        }
        fs::write(&path, &bytes).unwrap();
        let message = bench.expect(&["resume", "a", "--duration", &end], 0);
        assert!(message.contains(&newer) && !message.contains(&older), "{damage}: {message}");
        bench.expect(&["run", "tops.toml", "--out", "b", "--duration", &end], 0);
        assert_same_run(&bench.path("b"), &bench.path("a"), damage);
        let message = bench.expect(&["inspect", &format!("a/{newer}")], 0);
        assert!(message.is_empty(), "the damaged one was replaced: {message}");
    }
}

#[test]
fn where_no_checkpoint_is_whole_nothing_changes() {
    let (bench, [newer, older]) = killed();
    for name in [&newer, &older] {
        let path = bench.path("a").join(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes.pop();
        fs::write(&path, &bytes).unwrap();
    }
    let before = read_all(&bench.path("a"));
    let message = bench.expect(&["resume", "a"], 2);
    assert!(message.contains(&newer) && message.contains(&older), "{message}");
    let message = bench.expect(&["inspect", &format!("a/{newer}")], 2);
    assert!(message.contains("cut off or damaged"), "{message}");
    assert_eq!(read_all(&bench.path("a")), before);
    let message = bench.expect(&["resume", "."], 2);
    assert!(message.contains("has no checkpoint"), "{message}");
}

fn read_all(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn tables_that_are_not_those_of_the_checkpoint_are_refused() {
    let (bench, [newer, older]) = killed();
    let whole = read_all(&bench.path("a"));
    for name in ["bodies.csv", "contacts.csv", "steps.csv", "chain.csv", "scene.toml"] {
        let path = bench.path("a").join(name);
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.iter().position(|b| b.is_ascii_digit()).unwrap_or(0);
        bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
        fs::write(&path, &bytes).unwrap();
        let message = bench.expect(&["resume", "a"], 2);
        for part in [name, newer.as_str(), older.as_str()] {
            assert!(message.contains(part), "{name}: {message}");
        }
        for (path, bytes) in &whole {
            fs::write(path, bytes).unwrap();
        }
    }
    // Rows that the checkpoint does not know are taken away; rows that it knows must be there.
    let path = bench.path("a/bodies.csv");
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
    let message = bench.expect(&["resume", "a"], 2);
    assert!(message.contains("bodies.csv") && message.contains("fewer"), "{message}, {newer}, {older}");
}

#[test]
fn checkpoints_of_another_scene_are_refused() {
    let (bench, [newer, older]) = killed();
    fs::write(bench.path("one.toml"), scene(1, 20)).unwrap();
    bench.expect(&["run", "one.toml", "--out", "one"], 0);
    for name in [&newer, &older] {
        fs::copy(bench.path("one/checkpoint-1.ckpt"), bench.path("a").join(name)).unwrap();
    }
    let before = read_all(&bench.path("a"));
    for duration in [None, Some(["--duration", "1"])] {
        let arguments = ["resume", "a"].into_iter().chain(duration.into_iter().flatten());
        let message = bench.expect(&arguments.collect::<Vec<_>>(), 2);
        for name in [&newer, &older] {
            assert!(message.contains(&format!("{name}: is of another scene")), "{message}");
        }
        assert_eq!(read_all(&bench.path("a")), before);
    }
}

#[test]
fn a_second_resume_is_refused_while_the_first_goes_on() {
    let (bench, _) = killed();
    let mut child = start(&bench, &["resume", "a"]);
    let steps = || fs::metadata(bench.path("a/steps.csv")).map_or(0, |m| m.len());
    let before = steps();
    while steps() <= before {
        std::thread::sleep(Duration::from_millis(5));
    }
    let message = bench.expect(&["resume", "a"], 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(message.contains("another run is writing into it"), "{message}");
}

#[test]
fn from_another_version_poses_and_velocities_are_taken() {
    let bench = Bench::new(2, 40);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let path = bench.path("a/checkpoint-1.ckpt");
    let mut checkpoint = Checkpoint::read(&path).unwrap();
    checkpoint.head.version = "0.0.1".to_owned();
    checkpoint.memory = b"nothing that this version reads".to_vec();
    checkpoint.write(&path).unwrap();
    let message = bench.expect(&["resume", "a", "--duration", "0.06"], 0);
    assert!(message.contains("another version (0.0.1, memory 1)"), "{message}");
    // Bodies in free flight have no impulses of the last step.
    bench.expect(&["run", "tops.toml", "--out", "b", "--duration", "0.06"], 0);
    assert_same_run(&bench.path("b"), &bench.path("a"), "another version");
}

#[test]
fn another_scene_begins_at_a_checkpoint() {
    let bench = Bench::new(2, 40);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    fs::copy(bench.path("a/checkpoint-1.ckpt"), bench.path("end.ckpt")).unwrap();
    let three = scene(3, 10).replacen("[simulation]", "[start]\nfrom = \"end.ckpt\"\n[simulation]", 1);
    fs::write(bench.path("three.toml"), three).unwrap();
    let message = bench.expect(&["run", "three.toml", "--out", "b"], 0);
    assert!(message.contains("2 bodies begin as they were at 0.04 s of that run"), "{message}");
    assert!(message.contains("does not know \"top, 2\""), "{message}");
    let (end, begin) = (table(&bench.path("a/bodies.csv")), table(&bench.path("b/bodies.csv")));
    for name in ["top, 0", "top, 1"] {
        let last = end.iter().rfind(|row| row[2] == name).unwrap();
        let first = begin.iter().find(|row| row[2] == name).unwrap();
        assert_eq!(first[0], "0");
        assert_eq!(first[3..], last[3..], "{name}");
    }
    // The scene that the run wrote needs the checkpoint no more.
    fs::remove_file(bench.path("end.ckpt")).unwrap();
    bench.expect(&["run", "b/scene.toml", "--out", "c"], 0);
    for name in ["bodies.csv", "contacts.csv", "steps.csv"] {
        let [one, other] = ["b", "c"].map(|folder| fs::read(bench.path(folder).join(name)).unwrap());
        assert!(one == other, "{name}");
    }
    let message = bench.expect(&["check", "three.toml"], 2);
    assert!(message.contains("start: from = \"end.ckpt\": cannot be read"), "{message}");
    fs::write(bench.path("end.ckpt"), "no").unwrap();
    let message = bench.expect(&["check", "three.toml"], 2);
    assert!(message.contains("is not a checkpoint"), "{message}");
}

#[test]
fn inspect_tells_what_is_in_a_checkpoint() {
    let bench = Bench::new(2, 40);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let output = bench.call(&["inspect", "a/checkpoint-1.ckpt"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["after step     40, t = 0.04 s", "bodies         3", "top, 1", "bit for bit"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
