//! `signorini sweep`: plans, cases in parallel, idempotence, kills, poisoned cases, Slurm.

use super::*;

/// Two masses times two speeds times two seeds, of which one mass is refused.
const PLAN: &str = "
format = 1
scene = \"ball.toml\"
[[vary]]
field = \"body.ball.mass\"
name = \"mass\"
values = [1.0, -1.0]
[[vary]]
field = \"body.ball.velocity[0]\"
from = 0.5
to = 2.0
count = 2
[[vary]]
field = \"simulation.seed\"
seeds = 2
first = 7
[[result]]
name = \"way\"
table = \"bodies\"
column = \"x\"
where = { body = \"ball\" }
reduce = \"last\"
[[result]]
name = \"sticks\"
table = \"contacts\"
column = \"gap\"
where = { state = \"stick\" }
reduce = \"count\"
";

const BALL: &str = "
format = 1
[simulation]
time_step = 0.01
duration = 0.2
[[friction]]
coefficient = 0.5
[[body]]
name = \"ground\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
[[body]]
name = \"ball\"
mass = 2
position = [0, 0, 0.1]
velocity = [0, 0, 0]
shape = { type = \"sphere\", radius = 0.1 }
";

fn bench(plan: &str) -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("ball.toml"), BALL).unwrap();
    fs::write(bench.path("plan.toml"), plan).unwrap();
    bench
}

/// The table of the sweep in `out`, by the command line.
fn table_of(bench: &Bench, out: &str) -> String {
    let output = bench.call(&["sweep", "table", out]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn records(bench: &Bench, out: &str) -> Vec<Vec<String>> {
    let path = bench.path("table.csv");
    fs::write(&path, table_of(bench, out)).unwrap();
    table(&path)
}

#[test]
fn each_case_is_a_row_whatever_became_of_it() {
    let bench = bench(PLAN);
    let told = bench.expect(&["sweep", "plan.toml", "--out", "a", "--jobs", "2"], 3);
    assert!(told.contains("case 8 of 8: refused: "), "{told}");
    let rows = records(&bench, "a");
    assert_eq!(
        rows[0].join(","),
        "case,mass,body.ball.velocity[0],simulation.seed,outcome,message,steps,solved_steps,halved_steps,\
         unsolved_steps,red_steps,worst_residual,min_gap,way,sticks"
    );
    assert_eq!(rows.len(), 9);
    let values: Vec<String> = rows[1..].iter().map(|row| row[1..4].join(" ")).collect();
    let expected = [
        "1.0 0.5 7",
        "1.0 0.5 8",
        "1.0 2.0 7",
        "1.0 2.0 8",
        "-1.0 0.5 7",
        "-1.0 0.5 8",
        "-1.0 2.0 7",
        "-1.0 2.0 8",
    ];
    assert_eq!(values, expected);
    for row in &rows[1..5] {
        assert_eq!(row[4..11].join(","), "completed,,20,20,0,0,0", "{row:?}");
    }
    for row in &rows[5..] {
        assert_eq!(row[4], "refused");
        assert!(row[5].contains("mass = -1.0"), "{row:?}");
        assert!(row[6..].iter().all(String::is_empty));
    }
    // A ball of 0.5 m/s rolls after 0.03 s, one of 2 m/s does not within 0.1 s.
    let way = |row: usize| rows[row][13].parse::<f64>().unwrap();
    let slides = |v: f64| v * 0.2 - 0.5 * 0.5 * 9.81 * 0.04;
    assert!((way(3) - slides(2.0)).abs() < 0.03 && way(3) > slides(2.0), "{}", way(3));
    assert!((way(1) - 0.5 * 5.0 / 7.0 * 0.2).abs() < 0.01, "{}", way(1));
    assert!(rows[1][14].parse::<f64>().unwrap() > rows[3][14].parse::<f64>().unwrap());
    let bodies = table(&bench.path("a/cases/0003/bodies.csv"));
    assert_eq!(rows[3][13], bodies.last().unwrap()[3]);
}

#[test]
fn measures_of_the_scene_are_columns_too() {
    let bench = bench(
        "format = 1\nscene = \"ball.toml\"\n[[vary]]\nfield = \"body.ball.velocity[0]\"\nvalues = [0.0, 2.0]\n\
         [[result]]\nname = \"energy\"\ntable = \"measure-energy\"\ncolumn = \"kinetic\"\nreduce = \"first\"\n",
    );
    let measure = "[[measure]]\nname = \"energy\"\nquantity = { type = \"energy\" }\n";
    fs::write(bench.path("ball.toml"), format!("{BALL}{measure}")).unwrap();
    bench.expect(&["sweep", "plan.toml", "--out", "a"], 0);
    let rows = records(&bench, "a");
    let energy = |row: usize| rows[row].last().unwrap().parse::<f64>().unwrap();
    assert_eq!(rows[0].last().unwrap(), "energy");
    // A body of 2 kg at 2 m/s, less the energy that friction takes in the first step.
    assert!(energy(1).abs() < 1e-12 && (3.5..4.0).contains(&energy(2)), "{rows:?}");
}

#[test]
fn a_finished_case_is_left_and_a_killed_one_is_run_again() {
    let bench = bench(PLAN);
    let sweep = ["sweep", "plan.toml", "--out", "a", "--jobs", "2"];
    bench.expect(&sweep, 3);
    let whole = table_of(&bench, "a");
    let time = |case: &str| {
        fs::metadata(bench.path(&format!("a/cases/{case}/bodies.csv"))).unwrap().modified().unwrap()
    };
    let before = [time("0001"), time("0002")];
    // As a kill leaves it: rows, and no record.
    fs::remove_file(bench.path("a/cases/0002/case.json")).unwrap();
    fs::remove_file(bench.path("a/cases/0002/summary.json")).unwrap();
    let told = bench.call(&["sweep", "table", "a"]);
    assert!(String::from_utf8(told.stdout).unwrap().contains("2,1.0,0.5,8,missing,,"));
    let output = bench.call(&sweep);
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("8 cases: 4 completed, 4 refused, 7 found finished")
    );
    assert_eq!(time("0001"), before[0]);
    assert_ne!(time("0002"), before[1]);
    assert_eq!(table_of(&bench, "a"), whole);
    // Another scene: the cases that finished were others.
    fs::write(bench.path("ball.toml"), BALL.replace("coefficient = 0.5", "coefficient = 0.1")).unwrap();
    bench.expect(&sweep, 3);
    assert_ne!(time("0001"), before[0]);
    assert_ne!(table_of(&bench, "a"), whole);
}

#[cfg(target_os = "linux")]
#[test]
fn a_case_that_is_killed_takes_no_other_along() {
    let bench = bench(PLAN);
    // The first case runs for ever.
    fs::write(
        bench.path("plan.toml"),
        "
format = 1
scene = \"ball.toml\"
[[vary]]
field = \"simulation.duration\"
values = [100000.0, 0.1, 0.2]
",
    )
    .unwrap();
    let sweep = bench
        .command(&["sweep", "plan.toml", "--out", "a", "--jobs", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = std::time::Instant::now();
    while ["0002", "0003"].iter().any(|case| !bench.path(&format!("a/cases/{case}/case.json")).exists()) {
        assert!(begin.elapsed().as_secs() < 60, "the other cases do not finish");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // The child that runs the first case.
    let script = "for t in /proc/$0/task/*; do kill -9 $(cat $t/children); done 2>/dev/null; true";
    Command::new("sh").args(["-c", script, &sweep.id().to_string()]).status().unwrap();
    let output = sweep.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("case 1 of 3: not finished (signal: 9"), "{told}");
    let rows = records(&bench, "a");
    assert_eq!([&rows[1][2], &rows[2][2], &rows[3][2]], ["missing", "completed", "completed"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_case_goes_on_from_its_checkpoint() {
    let bench = bench(
        "format = 1\nscene = \"ball.toml\"\n[[vary]]\nfield = \"simulation.duration\"\nvalues = [60.0]\n",
    );
    let case = |out: &'static str| ["sweep", "plan.toml", "--out", out, "--case", "1", "--checkpoint", "5ms"];
    let mut first = bench.command(&case("a")).stdout(Stdio::null()).spawn().unwrap();
    let begin = std::time::Instant::now();
    while !bench.path("a/cases/0001/checkpoint-2.ckpt").exists() {
        assert!(begin.elapsed().as_secs() < 60, "there is no checkpoint");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(!bench.path("a/cases/0001/case.json").exists());
    let told = |out| {
        let output = bench.call(&case(out));
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = told("a");
    assert!(text.starts_with("case 1 of 1: completed, from step "), "{text}");
    assert_eq!(told("b"), "case 1 of 1: completed\n");
    for name in ["bodies.csv", "contacts.csv", "steps.csv", "chain.csv", "case.json"] {
        let read = |out: &str| fs::read(bench.path(&format!("{out}/cases/0001/{name}"))).unwrap();
        assert!(read("a") == read("b"), "{name}");
    }
    assert!(!bench.path("a/cases/0001/checkpoint-1.ckpt").exists());
}

#[test]
fn slurm_tasks_make_the_same_table() {
    let bench = bench(PLAN);
    bench.expect(&["sweep", "plan.toml", "--out", "a"], 3);
    let output = bench.call(&["sweep", "plan.toml", "--out", "b b", "--slurm"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(!bench.path("b b/cases").exists());
    let script = fs::read_to_string(bench.path("b b/job.sh")).unwrap();
    assert!(script.contains("#SBATCH --array=1-8\n") && script.contains("#SBATCH --requeue\n"), "{script}");
    for task in 1..=8 {
        let mut shell = Command::new("bash");
        shell
            .arg(bench.path("b b/job.sh"))
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .env("SLURM_CPUS_PER_TASK", "2");
        let code = shell.output().unwrap().status.code();
        assert_eq!(code, Some(if task > 4 { 3 } else { 0 }));
    }
    assert_eq!(table_of(&bench, "a"), table_of(&bench, "b b"));
}

#[test]
fn latin_hypercubes_and_ranges() {
    let plan = "
format = 1
scene = \"ball.toml\"
latin = { samples = 5, seed = 3 }
[[vary]]
field = [\"body.ball.position[2]\", \"body.ball.shape.radius\"]
name = \"radius\"
from = 0.1
to = 0.2
[[vary]]
field = \"friction[0].coefficient\"
from = 0.01
to = 1.0
spacing = \"log\"
[[vary]]
field = \"simulation.time_step\"
values = [0.01, 0.02]
";
    let bench = bench(plan);
    let output = bench.call(&["sweep", "cases", "plan.toml"]);
    fs::write(bench.path("cases.csv"), output.stdout).unwrap();
    let rows = table(&bench.path("cases.csv"));
    assert_eq!(rows[0], ["case", "radius", "friction[0].coefficient", "simulation.time_step"]);
    assert_eq!(rows.len(), 11);
    let column = |k: usize| rows[1..].iter().map(|row| row[k].parse::<f64>().unwrap()).collect::<Vec<_>>();
    let slices = |values: Vec<f64>| {
        let mut slices: Vec<usize> = values.into_iter().map(|part| (part * 5.0) as usize).collect();
        slices.sort_unstable();
        slices
    };
    let each = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4];
    assert_eq!(slices(column(1).iter().map(|r| (r - 0.1) / 0.1).collect()), each);
    assert_eq!(slices(column(2).iter().map(|mu| mu.log10() / 2.0 + 1.0).collect()), each);
    bench.expect(&["sweep", "plan.toml", "--out", "a", "--quiet"], 0);
    let scene = fs::read_to_string(bench.path("a/cases/0001/scene.toml")).unwrap();
    assert!(scene.contains(&format!("position = [0.0, 0.0, {}]", rows[1][1])), "{scene}");
    assert!(scene.contains(&format!("semi_axes = [{0}, {0}, {0}]", rows[1][1])), "{scene}");
}

#[test]
fn wrong_plans_are_refused_before_anything_is_written() {
    let bench = bench(PLAN);
    let fault = |plan: &str| {
        fs::write(bench.path("plan.toml"), plan).unwrap();
        let told = bench.expect(&["sweep", "plan.toml", "--out", "a"], 2);
        assert!(!bench.path("a").exists());
        told
    };
    let vary = |entry: &str| format!("format = 1\nscene = \"ball.toml\"\n[[vary]]\n{entry}\n");
    let cases = [
        (PLAN.replace("format = 1", "format = 2"), "plan.toml: format = 2: must be 1"),
        (PLAN.replace("ball.toml", "bal.toml"), "bal.toml: No such file"),
        (PLAN.replace("field", "feild"), "unknown field `feild`"),
        (
            vary("field = \"body.bal.mass\"\nvalues = [1]"),
            "body.bal.mass = 1: none of the 2 entries of body is named \"bal\"",
        ),
        (
            vary("field = \"simulation..seed\"\nvalues = [1]"),
            "vary[0]: field = \"simulation..seed\" (a name is missing): must be a path",
        ),
        (vary("field = \"simulation.time_step\"\nvalues = []"), "needs either values"),
        (vary("field = \"simulation.time_step\"\nfrom = 0.1"), "needs either values"),
        (vary("field = \"simulation.time_step\"\nfrom = 0.1\nto = 1"), "latin = none: needs samples"),
        (
            vary("field = \"simulation.time_step\"\nfrom = 0.0\nto = 1\ncount = 3\nspacing = \"log\""),
            "above zero with spacing",
        ),
        (
            vary(
                "field = \"simulation.seed\"\nseeds = 1000\n[[vary]]\nfield = \"simulation.time_step\"\nfrom = 0.1\nto = 1\ncount = 100000",
            ),
            "100000000 cases: must be at most 1000000",
        ),
        (
            PLAN.replace("table = \"bodies\"", "table = \"body\""),
            "result[0]: table = \"body\": must be bodies, contacts, joints, steps, flow, or measure-NAME of the scene",
        ),
        (
            PLAN.replace("name = \"way\"", "name = \"mass\""),
            "result[0]: name = \"mass\": is a column of the table already",
        ),
    ];
    for (plan, expected) in cases {
        let told = fault(&plan);
        assert!(told.contains(expected), "{expected}: {told}");
    }
    fs::write(bench.path("plan.toml"), PLAN).unwrap();
    let told = bench.expect(&["sweep", "plan.toml", "--out", "a", "--case", "9"], 2);
    assert!(told.contains("--case 9: must be 1 to 8"), "{told}");
    let told = bench.expect(&["sweep", "table", "none"], 2);
    assert!(told.contains("none/plan.toml"), "{told}");
}
