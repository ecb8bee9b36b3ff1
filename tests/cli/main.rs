//! The command line, driven as a user would: exit codes, files, signals. The scenes are bodies in free
//! flight, which every formulation solves.

mod audit;
mod check_json;
mod command_line;
mod compare;
mod convert;
mod derivative;
mod drop;
mod example;
mod export;
mod export_bodies;
mod export_hollow;
mod family;
mod flow;
#[cfg(unix)]
mod full_disk;
mod gallery;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(unix)]
mod hdf5;
#[cfg(unix)]
mod hostile;
mod joints;
mod limit;
mod machine;
mod measures;
mod measures_by_body;
mod measures_of_grains;
mod meshes;
mod old_names;
mod periodic;
#[cfg(unix)]
mod ranks;
#[cfg(unix)]
mod resume;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod slurm;
#[cfg(unix)]
mod small_truths;
#[cfg(unix)]
mod sweep;
mod texts;
mod track;
mod tumbled;
mod view;
mod wear;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const STEP: f64 = 0.001;

/// A scene of tumbling bodies far apart, one with a comma in its name, and a fixed one.
fn scene(n_bodies: usize, n_steps: usize) -> String {
    let mut text =
        format!("format = 1\n[simulation]\ntime_step = {STEP}\nduration = {}\n", n_steps as f64 * STEP);
    text += "[[body]]\nname = \"post\"\nshape = { type = \"sphere\", radius = 0.1 }\nfixed = true\nposition = [0, 50, 0]\n";
    for i in 0..n_bodies {
        text += &format!(
            "[[body]]\nname = \"top, {i}\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.1, 0.2, 0.3] }}\n\
             mass = 1.5\nposition = [{}, 0, 100]\nvelocity = [0.1, 0.2, 3]\nangular_velocity = [0.01, 5, 0.{i}]\n",
            3 * i
        );
    }
    text
}

/// A folder with `scene.toml` in it; runs start there.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new(n_bodies: usize, n_steps: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tops.toml"), scene(n_bodies, n_steps)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.current_dir(self.folder.path()).args(arguments).env_remove("RUST_LOG");
        // No driver: no device.
        command.env("VK_DRIVER_FILES", "none").env("VK_ICD_FILENAMES", "none");
        command
    }

    fn call(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs, expects `code`, returns stderr.
    fn expect(&self, arguments: &[&str], code: i32) -> String {
        let output = self.call(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        stderr
    }

    /// Everything in the folder, by path.
    fn listing(&self) -> BTreeSet<PathBuf> {
        fn visit(folder: &Path, found: &mut BTreeSet<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    visit(&path, found);
                }
                found.insert(path);
            }
        }
        let mut found = BTreeSet::new();
        visit(self.folder.path(), &mut found);
        found
    }
}

/// Records of a CSV file, header first; a row with another number of fields is an error.
fn table(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn steps_of(path: &Path) -> Vec<usize> {
    table(path)[1..].iter().map(|row| row[0].parse().unwrap()).collect()
}

fn summary(folder: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn a_solved_run_exits_0_and_writes_its_files() {
    let bench = Bench::new(2, 40);
    bench.expect(&["run", "tops.toml"], 0);
    let out = bench.path("out/tops");
    let names: BTreeSet<String> =
        fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let expected = [
        "bodies.csv",
        "chain.csv",
        "checkpoint-1.ckpt",
        "contacts.csv",
        "scene.toml",
        "steps.csv",
        "summary.json",
        "times.csv",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    let header = |name: &str| table(&out.join(name))[0].join(",");
    assert_eq!(header("bodies.csv"), "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
    assert_eq!(
        header("contacts.csv"),
        "step,time,body_a,body_b,ecp_x,ecp_y,ecp_z,nx,ny,nz,gap,normal_impulse,friction_impulse_x,\
         friction_impulse_y,friction_impulse_z,torsional_impulse,slip_speed,state,substep_start,substep_end,\
         kind,points,active_facets_a,active_facets_b,theta,start_x,start_y,start_z,start_nx,start_ny,start_nz,slip_turn,slip_turn_x,slip_turn_y,slip_turn_z,\
         last_slip_x,last_slip_y,last_slip_z,part_a,part_b,\
         torsional_radius,phase"
    );
    assert_eq!(
        header("steps.csv"),
        "step,time,contacts,iterations,sweeps,factorizations,residual,momentum_residual,complementarity_residual,\
         friction_residual,min_gap,kinetic_energy,potential_energy,status,restarts,\
         islands,referee,referee_momentum,referee_complementarity,referee_friction,energy_created,\
         phase,substeps,formulation,objective,duality_gap,gap_linearization,cone_lift,slip_direction,switch,work"
    );
    // Three bodies at the start, the two that move afterwards.
    let bodies = table(&out.join("bodies.csv"));
    assert_eq!(bodies.len(), 1 + 3 + 2 * 40);
    assert_eq!(bodies[1][2], "post");
    assert_eq!(bodies[3][2], "top, 1");
    assert_eq!(steps_of(&out.join("steps.csv")), (1..=40).collect::<Vec<_>>());
    let summary = summary(&out);
    assert_eq!(summary["steps"], 40);
    assert_eq!(summary["solved_steps"], 40);
    assert_eq!(summary["unsolved_steps"], 0);
    assert_eq!(summary["halved_steps"], 0);
    let split = summary["time_split"].as_object().unwrap();
    let split: f64 = split.values().map(|seconds| seconds.as_f64().unwrap()).sum();
    let whole = summary["solve_seconds"].as_f64().unwrap();
    // Not compared: waking threads may take longer than the work, and their work may add up to more than
    // passed.
    assert!(split > 0.0 && whole > 0.0, "{split} of {whole} s");
    assert_eq!(summary["exit_reason"], "completed");
    assert_eq!(summary["scene"], "tops.toml");
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    let resolved = fs::read_to_string(out.join("scene.toml")).unwrap();
    let first = resolved.lines().next().unwrap();
    assert!(
        first.starts_with('#') && first.contains(env!("CARGO_PKG_VERSION")) && first.contains("seed 0"),
        "{first}"
    );
}

#[test]
fn the_resolved_scene_gives_the_same_run() {
    let bench = Bench::new(2, 30);
    bench.expect(&["run", "tops.toml", "--out", "a", "--duration", "0.02", "--seed", "7"], 0);
    bench.expect(&["run", "a/scene.toml", "--out", "b"], 0);
    assert_eq!(fs::read(bench.path("a/bodies.csv")).unwrap(), fs::read(bench.path("b/bodies.csv")).unwrap());
    assert_eq!(summary(&bench.path("b"))["seed"], 7);
    assert_eq!(summary(&bench.path("b"))["steps"], 20);
}

#[test]
fn bodies_are_bit_exact() {
    let bench = Bench::new(2, 25);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let loaded = signorini_scene::scene::load(&bench.path("tops.toml"), &Default::default()).unwrap();
    let mut simulation = signorini::simulation::Simulation::new(loaded.scene).unwrap();
    for _ in 0..25 {
        simulation.advance();
    }
    let rows = table(&bench.path("a/bodies.csv"));
    let row: Vec<f64> = rows[rows.len() - 1][3..].iter().map(|x| x.parse().unwrap()).collect();
    let (pose, velocity) = (simulation.state().poses[2], simulation.state().velocities[2]);
    let q = pose.orientation.quaternion();
    let expected = [
        pose.position.as_slice(),
        &[q.w, q.i, q.j, q.k],
        velocity.linear.as_slice(),
        velocity.angular.as_slice(),
    ]
    .concat();
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&row), bits(&expected));
}

#[test]
fn thread_counts_give_the_same_bits() {
    let bench = Bench::new(8, 60);
    bench.expect(&["run", "tops.toml", "--out", "one", "--threads", "1"], 0);
    bench.expect(&["run", "tops.toml", "--out", "two", "--threads", "2"], 0);
    for file in ["bodies.csv", "contacts.csv"] {
        let [one, two] = ["one", "two"].map(|run| fs::read(bench.path(run).join(file)).unwrap());
        assert!(one == two, "{file} differs");
    }
}

#[test]
fn an_existing_run_is_refused_without_force() {
    let bench = Bench::new(1, 10);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    fs::write(bench.path("a/mine.txt"), "keep").unwrap();
    fs::create_dir(bench.path("a/plots")).unwrap();
    fs::write(bench.path("a/plots/energy.png"), "stale").unwrap();
    let before = fs::read(bench.path("a/summary.json")).unwrap();
    let message = bench.expect(&["run", "tops.toml", "--out", "a"], 2);
    assert!(message.contains("not empty") && message.contains("--force"), "{message}");
    assert_eq!(fs::read(bench.path("a/summary.json")).unwrap(), before);
    bench.expect(&["run", "tops.toml", "--out", "a", "--force", "--duration", "0.005"], 0);
    assert_eq!(steps_of(&bench.path("a/steps.csv")), [1, 2, 3, 4, 5]);
    assert_eq!(fs::read_to_string(bench.path("a/mine.txt")).unwrap(), "keep");
    assert!(!bench.path("a/plots/energy.png").exists(), "figure of the replaced run");
    // An empty folder is as good as none.
    fs::create_dir(bench.path("empty")).unwrap();
    bench.expect(&["run", "tops.toml", "--out", "empty"], 0);
}

#[test]
fn a_run_never_replaces_its_own_scene() {
    let bench = Bench::new(1, 10);
    fs::create_dir(bench.path("a")).unwrap();
    fs::write(bench.path("a/scene.toml"), scene(1, 10)).unwrap();
    bench.expect(&["run", "a/scene.toml", "--out", "a", "--force"], 2);
    assert_eq!(fs::read_to_string(bench.path("a/scene.toml")).unwrap(), scene(1, 10));
}

#[test]
fn bad_values_exit_2_and_write_nothing() {
    let bench = Bench::new(1, 10);
    fs::write(bench.path("broken.toml"), "format = 1\n[simulation\n").unwrap();
    fs::write(bench.path("unknown.toml"), scene(1, 10) + "colour = 3\n").unwrap();
    fs::write(bench.path("file"), "").unwrap();
    let before = bench.listing();
    let options: &[&[&str]] = &[
        &["--formulation", "magic"],
        &["--time-step", "0"],
        &["--time-step", "-0.001"],
        &["--time-step", "NaN"],
        &["--time-step", "inf"],
        &["--time-step", "1e-300"],
        &["--time-step", "fast"],
        &["--duration", "-1"],
        &["--duration", "nan"],
        &["--duration", "1e300"],
        &["--tolerance", "0"],
        &["--tolerance", "-1e-8"],
        &["--tolerance", "1"],
        &["--tolerance", "NaN"],
        &["--threads", "0"],
        &["--threads", "-2"],
        &["--threads", "100000"],
        &["--threads", "two"],
        &["--seed", "-1"],
        &["--seed", "1.5"],
        &["--backend", "gpu"],
        &["--backend", "abacus"],
        &["--every", "0"],
        &["--every", "-3"],
        &["--every", "x"],
        &["--audit", "maybe"],
        &["--out", ""],
        &["--out", "file"],
        &["--out", "file/below"],
        &["--unknown"],
    ];
    for option in options {
        let arguments = [&["run", "tops.toml"], *option].concat();
        let message = bench.expect(&arguments, 2);
        assert!(message.contains("error"), "{arguments:?}: {message}");
        // The message names the fault: the option or the value's field.
        let name = option[0].trim_start_matches('-');
        let name = if name == "out" && option[1].starts_with("file") { "file" } else { name };
        let field = name.replace('-', "_");
        assert!(
            message.contains(name) || message.contains(&field),
            "{arguments:?} is not named in: {message}"
        );
        assert_eq!(bench.listing(), before, "{arguments:?} wrote something");
    }
    for scene in ["missing.toml", "broken.toml", "unknown.toml", "."] {
        let message = bench.expect(&["run", scene], 2);
        assert!(message.contains(scene), "{scene} is not named in: {message}");
        bench.expect(&["check", scene], 2);
        assert_eq!(bench.listing(), before, "{scene} wrote something");
    }
    for arguments in
        [&["run"][..], &["check"], &["plot"], &["plot", "missing"], &["plot", "file"], &["dance"], &[]]
    {
        bench.expect(arguments, 2);
        assert_eq!(bench.listing(), before, "{arguments:?} wrote something");
    }
}

#[test]
fn every_thins_bodies_but_not_steps() {
    let bench = Bench::new(2, 25);
    bench.expect(&["run", "tops.toml", "--out", "all"], 0);
    bench.expect(&["run", "tops.toml", "--out", "some", "--every", "10"], 0);
    assert_eq!(steps_of(&bench.path("some/bodies.csv")), [0, 0, 0, 10, 10, 20, 20, 25, 25]);
    assert_eq!(steps_of(&bench.path("some/steps.csv")), (1..=25).collect::<Vec<_>>());
    let kept = table(&bench.path("some/bodies.csv"));
    let all = table(&bench.path("all/bodies.csv"));
    assert!(kept.iter().all(|row| all.contains(row)), "thinning changed a row");
}

#[test]
fn steps_above_the_tolerance_exit_3() {
    let bench = Bench::new(1, 1);
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/seeds/two-spheres.toml");
    let starved = fs::read_to_string(seed).unwrap() + "\n[solver]\nmax_iterations = 1\n";
    fs::write(bench.path("starved.toml"), starved).unwrap();
    let message = bench.expect(&["run", "starved.toml", "--duration", "0.1", "--quiet"], 3);
    let summary = summary(&bench.path("out/starved"));
    let n_unsolved = summary["unsolved_steps"].as_u64().unwrap();
    assert!(n_unsolved > 0, "{summary}");
    assert!(message.contains(&format!("{n_unsolved} of 10 steps are above the tolerance")), "{message}");
    assert!(summary["worst_residual"].as_f64().unwrap() > 1e-8);
    assert_eq!(summary["exit_reason"], "completed");
}

#[test]
fn quiet_is_silent_and_loud_is_not() {
    let bench = Bench::new(1, 10);
    let output = bench.call(&["run", "tops.toml", "--out", "a", "--quiet"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    let output = bench.call(&["run", "tops.toml", "--out", "b"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("10 steps: 10 solved; referee: 10 green"));
}

#[test]
fn the_referee_judges_what_is_asked() {
    let bench = Bench::new(1, 10);
    let column = |run: &str, name: &str| -> Vec<String> {
        let rows = table(&bench.path(run).join("steps.csv"));
        let place = rows[0].iter().position(|column| column == name).expect("a column");
        rows[1..].iter().map(|row| row[place].clone()).collect()
    };
    let verdicts = |run: &str| column(run, "referee");
    bench.expect(&["run", "tops.toml", "--out", "every"], 0);
    assert_eq!(verdicts("every"), ["green"; 10]);
    bench.expect(&["run", "tops.toml", "--out", "final", "--audit", "final"], 0);
    let judged = verdicts("final");
    assert!(judged[..9].iter().all(|word| word == "off") && judged[9] == "green", "{judged:?}");
    bench.expect(&["run", "tops.toml", "--out", "off", "--audit", "off"], 0);
    assert_eq!(verdicts("off"), ["off"; 10]);
    assert_eq!(summary(&bench.path("final"))["referee"]["green"], 1);
    assert_eq!(summary(&bench.path("off"))["referee"]["off"], 10);
    // Energies do not depend on the backend that computes them, up to rounding.
    let energy = |run: &str| column(run, "kinetic_energy")[9].parse::<f64>().unwrap();
    assert!(
        (energy("every") - energy("off")).abs() <= 1e-12 * energy("off"),
        "{} {}",
        energy("every"),
        energy("off")
    );
}

#[test]
fn check_and_schema_write_nothing() {
    let bench = Bench::new(2, 10);
    let before = bench.listing();
    let output = bench.call(&["check", "tops.toml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    for part in ["3 (2 moving, 1 fixed)", "ellipsoid", "10 of 0.001 s", "3 kg"] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    let output = bench.call(&["schema"]);
    assert_eq!(output.status.code(), Some(0));
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
    assert_eq!(bench.listing(), before);
}

#[test]
fn plot_draws_png_and_svg_from_the_folder_alone() {
    let bench = Bench::new(2, 50);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    fs::rename(bench.path("a"), bench.path("moved")).unwrap();
    fs::remove_file(bench.path("tops.toml")).unwrap();
    bench.expect(&["plot", "moved"], 0);
    for stem in ["energy", "velocity", "convergence"] {
        let png = fs::read(bench.path(&format!("moved/plots/{stem}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5000, "{stem}.png");
        let svg = fs::read_to_string(bench.path(&format!("moved/plots/{stem}.svg"))).unwrap();
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{stem}.svg");
        assert!(svg.contains("time (s)") && svg.contains("<polyline"), "{stem}.svg has no curve");
    }
}
