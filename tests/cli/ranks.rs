//! One scene on several processes that mpirun starts: the files of one process, byte for byte; faulty starts,
//! and a rank that dies. `tests/golden/ranks.rs` has more scenes, without MPI.

// A skipped test says so.
#![allow(clippy::print_stderr)]

/// A program without MPI refuses to run a scene several times; one rank says so.
#[cfg(not(feature = "mpi"))]
#[test]
fn a_program_without_mpi_refuses_several_ranks() {
    let bench = super::Bench::new(2, 10);
    let start = |size: &str, rank: &str| {
        let sized = [("OMPI_COMM_WORLD_SIZE", size), ("OMPI_COMM_WORLD_RANK", rank)];
        bench.command(&["run", "tops.toml"]).envs(sized).output().unwrap()
    };
    let [first, second] = ["0", "1"].map(|rank| start("3", rank));
    let said = String::from_utf8(first.stderr).unwrap();
    assert_eq!((first.status.code(), second.status.code()), (Some(2), Some(2)), "{said}");
    assert!(said.contains("3 ranks") && said.contains("signorini-cli/mpi"), "{said}");
    assert!(second.stderr.is_empty() && !bench.path("out").exists());
    assert_eq!(start("1", "0").status.code(), Some(0), "one rank is no several");
    eprintln!("skipped: runs on several ranks (built without the feature mpi)");
}

#[cfg(feature = "mpi")]
mod started {
    use super::super::resume::assert_same_run;
    use super::super::*;
    use std::process::Child;
    use std::time::{Duration, Instant};

    /// Command line of mpirun for one program on so many ranks.
    fn on(ranks: usize, arguments: &[&str]) -> Vec<String> {
        let program = env!("CARGO_BIN_EXE_signorini");
        let head = ["-n", &ranks.to_string(), program].map(str::to_owned);
        head.into_iter().chain(arguments.iter().map(|a| (*a).to_owned())).collect()
    }

    fn mpirun(bench: &Bench, line: &[String]) -> Command {
        let mut command = Command::new("mpirun");
        command.current_dir(bench.folder.path()).args(["--oversubscribe", "--allow-run-as-root"]).args(line);
        command.env("VK_DRIVER_FILES", "none").env("VK_ICD_FILENAMES", "none");
        command
    }

    /// Whether there is an mpirun; says so where there is none.
    fn has_mpirun() -> bool {
        let has = Command::new("mpirun").arg("--version").output().is_ok_and(|o| o.status.success());
        if !has {
            eprintln!("skipped: no mpirun");
        }
        has
    }

    /// Runs on ranks, expects `code`, returns what was said.
    fn expect(bench: &Bench, line: &[String], code: i32) -> String {
        let output = mpirun(bench, line).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert_eq!(output.status.code(), Some(code), "{line:?}: {said}");
        said
    }

    /// Bodies in a block that comes down on a floor, for `steps` steps.
    fn block([nx, ny, nz]: [usize; 3], shape: &str, steps: usize) -> String {
        let mut text = format!(
            "format = 1\n[simulation]\ntime_step = 0.005\nduration = {}\n[solver]\ntolerance = 1e-2\n[[friction]]\n\
             coefficient = 0.4\nellipsoid = {{ t = 1, o = 1, r = \"patch\" }}\n[[body]]\nname = \"floor\"\nshape = {{ \
             type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n",
            0.005 * steps as f64
        );
        for n in 0..nx * ny * nz {
            let [x, y, z] = [n % nx, n / nx % ny, n / (nx * ny)].map(|k| k as f64);
            text += &format!(
                "[[body]]\nname = \"{n}\"\nshape = {{ {shape} }}\ndensity = 1000\nposition = [{}, {}, {}]\nvelocity = \
                 [0.1, {}, -0.3]\n",
                0.2001 * x + 0.01 * (z % 2.0),
                0.1801 * y,
                0.0801 + 0.1601 * z,
                0.05 * (7.0 * n as f64).sin()
            );
        }
        text
    }

    const ELLIPSOID: &str = "type = \"ellipsoid\", semi_axes = [0.1, 0.09, 0.08]";
    const BOX: &str = "type = \"box\", half_extents = [0.1, 0.09, 0.08]";

    /// A scene on one process and on ranks writes the same files.
    fn assert_same_files(bench: &Bench, scene: &str, options: &[&str], ranks: &[usize]) {
        let head = ["run", scene, "--quiet", "--threads", "1", "--out"];
        let run = |out: &'static str| [&head, &[out][..], options].concat();
        bench.expect(&run("one"), 0);
        for n in ranks {
            expect(bench, &on(*n, &run("many")), 0);
            assert_same_run(&bench.path("one"), &bench.path("many"), &format!("{scene} on {n} ranks"));
            fs::remove_dir_all(bench.path("many")).unwrap();
        }
        fs::remove_dir_all(bench.path("one")).unwrap();
    }

    /// Large islands, whose sweeps the ranks share, and the sum of what went between them.
    #[test]
    fn large_islands_give_the_same_files() {
        if !has_mpirun() {
            return;
        }
        let bench = Bench::new(0, 1);
        for (shape, size, ranks) in [(ELLIPSOID, [11, 11, 5], &[2, 3][..]), (BOX, [7, 7, 6], &[2])] {
            fs::write(bench.path("block.toml"), block(size, shape, 2)).unwrap();
            assert_same_files(&bench, "block.toml", &["--audit", "final"], ranks);
        }
        let said = expect(&bench, &on(2, &["run", "block.toml", "--out", "told"]), 0);
        assert_eq!(said.matches("2 ranks: ").count(), 1, "{said}");
        assert_eq!(said.matches("2 steps: 2 solved").count(), 1, "one rank speaks: {said}");
    }

    /// Scenes of the program of all kinds: inlets and outlets, drives, restitution, periodic boxes.
    #[test]
    fn scenes_of_all_kinds_give_the_same_files() {
        if !has_mpirun() {
            return;
        }
        let bench = Bench::new(0, 1);
        let scenes = [
            ("seeds/silo.toml", "0.2"),
            ("seeds/chute.toml", "0.02"),
            ("seeds/feeder.toml", "0.05"),
            ("seeds/bouncing-balls.toml", "0.1"),
            ("gallery/drum.toml", "0.01"),
        ];
        for (scene, duration) in scenes {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene);
            assert_same_files(&bench, &path.display().to_string(), &["--duration", duration], &[2]);
        }
    }

    /// Processes below one, and their ranks.
    fn ranks_of(launcher: &Child) -> Vec<(u32, usize)> {
        let processes =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let found = processes.filter_map(|id| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()?;
            let text = fs::read(format!("/proc/{id}/environ")).ok()?;
            let word =
                text.split(|byte| *byte == 0).find_map(|word| word.strip_prefix(b"OMPI_COMM_WORLD_RANK="))?;
            let rank = String::from_utf8_lossy(word).parse().ok()?;
            (parent == launcher.id()).then_some((id.parse().ok()?, rank))
        });
        found.collect()
    }

    /// A rank that is killed ends the run; the folder goes on from its checkpoint on another number of ranks,
    /// as if nothing had happened.
    #[test]
    fn a_rank_that_dies_ends_the_run_and_the_folder_resumes() {
        if !has_mpirun() {
            return;
        }
        let bench = Bench::new(0, 1);
        fs::write(bench.path("block.toml"), block([7, 7, 6], ELLIPSOID, 30)).unwrap();
        bench.expect(&["run", "block.toml", "--out", "one", "--quiet", "--audit", "off"], 0);
        for (victim, goes_on) in [(1, 3), (0, 1)] {
            let line =
                on(2, &["run", "block.toml", "--out", "killed", "--audit", "off", "--checkpoint", "1ms"]);
            let mut run = mpirun(&bench, &line);
            let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let start = Instant::now();
            while !bench.path("killed/checkpoint-2.ckpt").exists() {
                assert!(start.elapsed() < Duration::from_secs(60) && run.try_wait().unwrap().is_none());
                std::thread::sleep(Duration::from_millis(1));
            }
            let ranks = ranks_of(&run);
            let (id, _) = ranks.iter().find(|(_, rank)| *rank == victim).expect("a rank");
            assert!(Command::new("sh").args(["-c", &format!("kill -9 {id}")]).status().unwrap().success());
            let output = run.wait_with_output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_ne!(output.status.code(), Some(0), "{said}");
            assert!(said.contains(&format!("rank {victim}")), "mpirun tells which: {said}");
            assert!(victim == 0 || said.contains("signorini resume"), "{said}");
            assert!(!bench.path("killed/summary.json").exists(), "it was not over");
            expect(&bench, &on(goes_on, &["resume", "killed", "--quiet"]), 0);
            assert_same_run(&bench.path("one"), &bench.path("killed"), "after a kill");
            fs::remove_dir_all(bench.path("killed")).unwrap();
        }
    }

    /// Starts that would not give one run are refused by all ranks: one line, exit code 2, nothing written.
    #[test]
    fn faulty_starts_are_refused() {
        if !has_mpirun() {
            return;
        }
        let bench = Bench::new(2, 10);
        fs::write(bench.path("other.toml"), scene(3, 10)).unwrap();
        fs::write(bench.path("wrong.toml"), "format = 1\n").unwrap();
        let program = env!("CARGO_BIN_EXE_signorini");
        let mut bytes = fs::read(program).unwrap();
        bytes.push(0);
        fs::write(bench.path("signorini"), bytes).unwrap();
        fs::set_permissions(bench.path("signorini"), fs::metadata(program).unwrap().permissions()).unwrap();
        fs::create_dir(bench.path("taken")).unwrap();
        fs::write(bench.path("taken/file"), "").unwrap();
        let run = |more: &[&'static str]| [&["run", "tops.toml", "--out", "out"], more].concat();
        let two = |first: Vec<&str>, second: Vec<&str>, of: &str| {
            let mut line = on(1, &first);
            line.push(":".to_owned());
            line.extend(on(1, &second));
            let at = line.len() - second.len() - 1;
            line[at] = of.to_owned();
            line
        };
        let own = bench.path("signorini").display().to_string();
        let other = vec!["run", "other.toml", "--out", "out"];
        let missing = vec!["run", "none.toml", "--out", "out"];
        let faults = [
            (two(run(&[]), other, program), "scene of rank 1"),
            (two(run(&[]), run(&["--every", "2"]), program), "options of rank 1"),
            (two(run(&[]), run(&["--tolerance", "1e-3"]), program), "scene of rank 1"),
            (two(run(&[]), run(&["--duration", "0.1"]), program), "scene of rank 1"),
            (two(run(&[]), run(&[]), &own), "program of rank 1"),
            (two(run(&[]), missing.clone(), program), "rank 1 of 2"),
            (two(missing, run(&[]), program), "none.toml"),
            (two(run(&[]), run(&["--wall-limit", "1"]), program), "rank 1 of 2"),
            (on(2, &run(&["--wall-limit", "1"])), "--wall-limit 1"),
            (on(2, &run(&["--backend", "gpu"])), "--backend gpu"),
            (on(2, &["run", "wrong.toml", "--out", "out"]), "wrong.toml"),
            (on(2, &["run", "none.toml", "--out", "out"]), "none.toml"),
            (on(2, &["run", "tops.toml", "--out", "taken"]), "taken"),
            (on(2, &run(&["--time-step", "-1"])), "time"),
            (on(2, &["resume", "nowhere"]), "nowhere"),
            (on(3, &["resume", "taken"]), "taken"),
        ];
        for (line, told) in faults {
            let said = expect(&bench, &line, 2);
            let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
            assert_eq!(lines.len(), 1, "{line:?}: {said}");
            assert!(said.contains(told), "{line:?} lacks {told:?}: {said}");
            assert!(!bench.path("out").exists(), "{line:?}");
        }
    }

    /// Other commands run as often as they are started, and one rank is no several.
    #[test]
    fn one_rank_runs_as_without_mpirun() {
        if !has_mpirun() {
            return;
        }
        let bench = Bench::new(2, 10);
        let said = expect(&bench, &on(1, &["run", "tops.toml", "--out", "out"]), 0);
        assert!(said.contains("10 steps: 10 solved") && !said.contains("ranks"), "{said}");
        let said = expect(&bench, &on(2, &["check", "tops.toml"]), 0);
        assert_eq!(said.matches("steps       10").count(), 2, "{said}");
    }
}
