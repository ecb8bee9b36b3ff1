//! Job scripts for Slurm: tasks of drop and track tests make the tables of one process, and a job of a run
//! goes on where it was ended.

use super::resume::assert_same_run;
use super::*;

const SCENE: &str = "
format = 1
[simulation]
time_step = 0.004
duration = 2
seed = 5
[[friction]]
coefficient = 0.5
[[body]]
name = \"floor\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
[[body]]
name = \"the brick\"
density = 1000
position = [0, 0, 0.15]
shape = { type = \"box\", half_extents = [0.02, 0.04, 0.06] }
";

const REGIONS: &str = "format = 1\n[[region]]\nname = \"low\"\nkind = \"exit\"\nmin = [-inf, -inf, -inf]\n\
     max = [inf, inf, 0.1]\n";

fn bench() -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("brick.toml"), SCENE).unwrap();
    fs::write(bench.path("regions.toml"), REGIONS).unwrap();
    bench
}

/// Starts a script as Slurm does, from another folder: exit code and text.
fn start(script: &Path, task: Option<usize>) -> (Option<i32>, String) {
    let mut shell = Command::new("bash");
    shell.arg(script).current_dir("/").env("SLURM_CPUS_PER_TASK", "1");
    shell.env("MPIRUN", "mpirun -n 2 --oversubscribe --allow-run-as-root");
    task.map(|task| shell.env("SLURM_ARRAY_TASK_ID", task.to_string()));
    let output = shell.output().unwrap();
    (output.status.code(), [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap()).concat())
}

/// Files of a folder, without those of its job.
fn results(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let is_result = |name: &String| !["job.sh", "logs", "shares"].contains(&name.as_str());
    let mut names: Vec<String> = names.filter(|n| is_result(n) && !n.starts_with("given")).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

/// Tasks in whatever order, one of them twice, make the files of one process.
fn assert_tasks_make_the_same(bench: &Bench, command: &[&str]) {
    assert_eq!(bench.call(&[command, &["--out", "one"]].concat()).status.code(), Some(0));
    let told = bench.expect(&[command, &["--out", "some jobs", "--slurm", "3"]].concat(), 0);
    let script = bench.path("some jobs/job.sh");
    let text = fs::read_to_string(&script).unwrap();
    assert!(text.contains("#SBATCH --array=1-3\n") && text.contains("#SBATCH --requeue\n"), "{told}: {text}");
    // Nothing but the folder is needed.
    for name in ["brick.toml", "regions.toml"] {
        fs::rename(bench.path(name), bench.path(&format!("{name}.away"))).unwrap();
    }
    for task in [2, 1, 2] {
        let (code, told) = start(&script, Some(task));
        assert!(code == Some(0) && told.starts_with(&format!("share {task} of 3: ")), "{told}");
        assert_ne!(results(&bench.path("one")), results(&bench.path("some jobs")));
    }
    // A share that was torn goes on.
    let shares = fs::read_dir(bench.path("some jobs/shares")).unwrap().map(|e| e.unwrap().path());
    let share = shares.into_iter().find(|path| path.display().to_string().contains("-0001-of-0003")).unwrap();
    let rows = fs::read(&share).unwrap();
    fs::write(&share, &rows[..rows.len() - 9]).unwrap();
    for task in [3, 1] {
        assert_eq!(start(&script, Some(task)).0, Some(0));
    }
    assert_eq!(fs::read(&share).unwrap().len(), rows.len());
    assert_eq!(results(&bench.path("one")), results(&bench.path("some jobs")));
    for name in ["brick.toml", "regions.toml"] {
        fs::rename(bench.path(&format!("{name}.away")), bench.path(name)).unwrap();
    }
}

#[test]
fn tasks_of_a_drop_test_make_its_files() {
    let bench = bench();
    assert_tasks_make_the_same(&bench, &["drop", "brick.toml", "--count", "8", "--spin", "3", "--seed", "2"]);
}

#[test]
fn tasks_of_a_track_test_make_its_files() {
    let bench = bench();
    assert_eq!(bench.call(&["drop", "brick.toml", "--count", "8", "--out", "poses"]).status.code(), Some(0));
    let head = ["track", "brick.toml", "--from", "poses/poses.csv", "--regions", "regions.toml"];
    let rest = ["--yaws", "3", "--seeds", "2", "--up", "0,0,1", "--reject", "5,-inf,-inf,inf,inf,inf"];
    assert_tasks_make_the_same(&bench, &[&head[..], &rest].concat());
}

#[test]
fn shares_of_no_test_are_refused() {
    let bench = bench();
    for (line, told) in [
        (&["drop", "brick.toml", "--out", "no", "--share", "1/2"][..], "must be one that --slurm prepared"),
        (&["drop", "brick.toml", "--out", "no", "--share", "3/2"], "must be K/N with K from 1 to N"),
        (&["drop", "brick.toml", "--out", "no", "--share", "1/2", "--slurm", "2"], "cannot be used with"),
        (&["run", "brick.toml", "--out", "no", "--slurm", "0"], "0"),
        (&["run", "brick.toml", "--out", "no", "--slurm", "1", "--wall-limit", "1"], "cannot be used with"),
        (&["run", "none.toml", "--out", "no", "--slurm", "1"], "none.toml"),
    ] {
        let output = bench.call(line);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains(told), "{line:?}: {text}");
        assert!(!bench.path("no").exists(), "{line:?}");
    }
    #[cfg(not(feature = "mpi"))]
    {
        let output = bench.call(&["run", "brick.toml", "--out", "no", "--slurm", "2"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains("signorini-cli/mpi"), "{text}");
        assert!(!bench.path("no").exists());
    }
}

/// The job of a run writes the files of the run, goes on where it was killed, and finds it finished.
#[test]
fn the_job_of_a_run_makes_its_files_and_goes_on() {
    let bench = Bench::new(2, 400);
    let ranks = if cfg!(feature = "mpi") { "2" } else { "1" };
    let head = ["run", "tops.toml", "--every", "2", "--checkpoint", "1ms", "--out", "a job"];
    bench.expect(&[&head[..], &["--slurm", ranks]].concat(), 0);
    assert!(!bench.path("a job/bodies.csv").exists());
    // The chain has the path of the scene.
    let given = bench.path("a job/given.toml").canonicalize().unwrap().display().to_string();
    bench.expect(&["run", &given, "--every", "2", "--out", "one"], 0);
    let script = bench.path("a job/job.sh");
    let text = fs::read_to_string(&script).unwrap();
    assert!(text.contains(&format!("#SBATCH --ntasks={ranks}\n")) && text.contains("--requeue"), "{text}");
    fs::rename(bench.path("tops.toml"), bench.path("away.toml")).unwrap();
    // The script becomes the program: a kill ends it. mpirun would leave its ranks.
    if ranks == "1" {
        let mut killed = Command::new("bash").arg(&script).stderr(Stdio::null()).spawn().unwrap();
        let begin = std::time::Instant::now();
        while !bench.path("a job/checkpoint-2.ckpt").exists() {
            assert!(begin.elapsed().as_secs() < 60 && killed.try_wait().unwrap().is_none());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        killed.kill().unwrap();
        killed.wait().unwrap();
        let (code, told) = start(&script, None);
        assert!(code == Some(0) && told.contains("goes on after step"), "{told}");
        assert_same_run(&bench.path("one"), &bench.path("a job"), "a job that was killed");
    } else {
        assert_eq!(start(&script, None).0, Some(0));
        assert_same_run(&bench.path("one"), &bench.path("a job"), "a job");
    }
    assert_eq!(start(&script, None), (Some(0), String::new()), "it is finished");
    fs::rename(bench.path("away.toml"), bench.path("tops.toml")).unwrap();
    bench.expect(&[&head[..], &["--slurm", ranks, "--force"]].concat(), 0);
    let (code, told) = start(&script, None);
    assert!(code == Some(0) && told.contains("400 steps: 400 solved"), "{told}");
    assert_same_run(&bench.path("one"), &bench.path("a job"), "a job again");
}
