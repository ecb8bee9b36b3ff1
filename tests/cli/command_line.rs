//! The command line itself: help, guesses, short options, completions and manual pages, standard input.

use super::*;
use insta::assert_snapshot;
use std::io::Write;

/// All commands.
const COMMANDS: [&str; 23] = [
    "example",
    "check",
    "convert",
    "schema",
    "run",
    "resume",
    "inspect",
    "audit",
    "derivative",
    "view",
    "plot",
    "picture",
    "movie",
    "export",
    "sweep",
    "compare",
    "limit",
    "drop",
    "track",
    "fclib",
    "devices",
    "bench",
    "completions",
];
const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "powershell", "elvish"];

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Runs a command with a text on its standard input.
fn fed(mut command: Command, input: &[u8]) -> Output {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // A command that ends early reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn the_help_has_the_commands_in_groups() {
    let output = Bench::new(1, 1).call(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert_snapshot!(text(output.stdout), @r"
    Rigid bodies in frictional contact, solved to the accuracy asked for, with a referee for every step

    Usage: signorini [OPTIONS] <COMMAND>

    Scenes:
      example      List scenes that come with the program, or write one of them
      check        Validate a scene and summarise it; nothing is run, nothing is written
      convert      Write the scene of a model in MJCF or URDF
      schema       Print the JSON schema of scene files

    Runs:
      run          Run a scene and write its folder
      resume       Go on with a run that was stopped, killed or is to last longer, in its folder
      inspect      Tell what is in a checkpoint
      audit        Judge a finished run again from its files alone
      derivative   Compare derivatives of steps with differences of steps that are solved again

    Seeing a run:
      view         Make one HTML file that shows a finished run in a browser, without a network
      plot         Draw the figures of a finished run from its files, into DIR/plots (PNG and SVG)
      picture      Draw a finished run at a time (needs Chromium)
      movie        Make a film of a finished run (needs Chromium)
      export       Write a finished run for ParaView, as an animation, or as CSV files

    Many runs:
      sweep        Run a scene many times with other values, as a plan says, and make one table of the results
      compare      Run a scene under several models and time steps and compare them with a reference run
      limit        Search for the value of a field at which a scene collapses
      drop         Drop a body many times from random orientations and count its resting poses
      track        Run a part along a track from each of its resting poses and count how it comes out

    Solver and machine:
      fclib        Solve frictional-contact problems from files of the FCLIB collection (.hdf5), .fcp and .gp files
      devices      List graphics processors: limits, self-test, speed of copying
      bench        Measure how quick all cores are, and a graphics processor beside them

    This program:
      completions  Print the completions of a shell
      man          Print the manual page, or write one for each command
      help         Print this message, or the help of a command

    Options:
      -v, --verbose...  Tell more: a line for each step, how the solver went; twice: each of its iterations
      -h, --help        Print help
      -V, --version     Print version
    ");
}

#[test]
fn help_names_every_format_of_a_scene() {
    let bench = Bench::new(1, 1);
    for command in ["run", "check", "compare", "limit", "drop", "track"] {
        let help = text(bench.call(&[command, "--help"]).stdout);
        for format in ["TOML", "MJCF", "URDF", "standard input"] {
            assert!(help.contains(format), "{command}: {format} is not in:\n{help}");
        }
    }
}

#[test]
fn slips_of_the_pen_are_guessed() {
    let bench = Bench::new(1, 1);
    let meant = [
        ("rnu", "run"),
        ("chekc", "check"),
        ("Run", "run"),
        ("swep", "sweep"),
        ("completion", "completions"),
    ];
    for (word, command) in meant {
        let message = bench.expect(&[word], 2);
        assert!(
            message.contains(&format!("unrecognized subcommand '{word}'"))
                && message.contains(&format!("'{command}'")),
            "{message}"
        );
    }
    let message = bench.expect(&["dance"], 2);
    assert!(message.contains("'dance'") && !message.contains("similar"), "{message}");
    let message = bench.expect(&["run", "tops.toml", "--duratoin", "1"], 2);
    assert!(message.contains("'--duration'"), "{message}");
    let message = bench.expect(&["run", "tops.toml", "--audit", "evry"], 2);
    assert!(message.contains("'every'"), "{message}");
}

#[test]
fn short_options_do_as_long_ones() {
    let bench = Bench::new(1, 3);
    bench.expect(&["run", "tops.toml", "-o", "a", "-q", "-j", "1"], 0);
    bench.expect(&["run", "tops.toml", "-o", "a"], 2);
    let output = bench.call(&["run", "tops.toml", "-qfo", "a", "-j2"]);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    bench.expect(&["view", "a", "-o", "page.html"], 0);
    bench.expect(&["export", "a", "--csv", "-o", "out"], 0);
    bench.expect(&["export", "a", "--csv", "-o", "out"], 2);
    bench.expect(&["export", "a", "--csv", "-fo", "out"], 0);
    assert!(bench.path("page.html").exists() && bench.path("out/csv/bodies.csv").exists());
}

#[test]
fn verbose_tells_each_step() {
    let bench = Bench::new(1, 5);
    let steps = |output: Output| {
        let said = text(output.stderr);
        said.lines().filter(|line| line.starts_with("step ")).count()
    };
    assert_eq!(steps(bench.call(&["run", "tops.toml", "-o", "a", "-v"])), 5);
    assert_eq!(steps(bench.call(&["--verbose", "run", "tops.toml", "-o", "b"])), 5);
    assert!(steps(bench.call(&["run", "tops.toml", "-o", "c"])) < 5);
    let output = bench.call(&["run", "tops.toml", "-qvo", "d"]);
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn completions_know_every_command() {
    let bench = Bench::new(1, 1);
    let before = bench.listing();
    for shell in SHELLS {
        let output = bench.call(&["completions", shell]);
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}");
        let script = text(output.stdout);
        for word in COMMANDS.iter().chain(&["man", "duration", "formulation"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(bench.listing(), before);
    let message = bench.expect(&["completions", "csh"], 2);
    assert!(message.contains("csh") && message.contains("bash"), "{message}");
}

#[cfg(unix)]
#[test]
fn bash_reads_its_completions() {
    let bench = Bench::new(1, 1);
    let script = bench.call(&["completions", "bash"]).stdout;
    let mut bash = Command::new("bash");
    bash.arg("-n");
    let output = fed(bash, &script);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    // It completes: the shell asks the function for the words after `signorini comp`.
    let asked = [
        script.as_slice(),
        b"\nCOMP_WORDS=(signorini comp) COMP_CWORD=1\n_signorini signorini comp signorini\necho \"${COMPREPLY[@]}\"\n",
    ]
    .concat();
    let output = fed(Command::new("bash"), &asked);
    assert_eq!(text(output.stdout).trim(), "compare completions");
}

/// A manual page as text, without a warning; None where the system has no reader of manuals.
fn rendered(page: &Path) -> Option<String> {
    let mut man = Command::new("man");
    man.args(["--warnings=all", "--local-file"]).arg(page);
    man.env("MANWIDTH", "100").env("LC_ALL", "C.UTF-8").env("MANPAGER", "cat");
    let output = man.output().ok()?;
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    // Bold letters may be written twice, with a step back between.
    let mut shown = String::new();
    for c in text(output.stdout).chars() {
        match c {
            '\u{8}' => drop(shown.pop()),
            c => shown.push(c),
        }
    }
    Some(shown)
}

/// Requests of roff that pages may hold.
const REQUESTS: [&str; 11] = ["TH", "SH", "SS", "TP", "PP", "RS", "RE", "br", "ie", "el", "IP"];

fn check_roff(page: &str) {
    for line in page.lines().filter_map(|line| line.strip_prefix(['.', '\''])) {
        let request = line.split_whitespace().next().unwrap_or_default();
        assert!(REQUESTS.contains(&request), "{line}");
    }
    assert!(page.lines().any(|line| line.starts_with(".TH ")));
}

#[test]
fn the_manual_is_one_page_or_one_for_each_command() {
    let bench = Bench::new(1, 1);
    let output = bench.call(&["man"]);
    assert!(output.status.success() && output.stderr.is_empty());
    let page = text(output.stdout);
    check_roff(&page);
    fs::write(bench.path("whole.1"), &page).unwrap();
    let shown = rendered(&bench.path("whole.1"));
    for command in COMMANDS {
        let chapter = format!("SIGNORINI {}", command.to_uppercase());
        assert!(page.contains(&format!(".SH \"{chapter}\"")), "{chapter}");
        assert!(shown.as_ref().is_none_or(|shown| shown.lines().any(|line| line == chapter)), "{shown:?}");
    }
    let whole = ["--duration <T>", "-o, --out <DIR>", "SIGNORINI SWEEP TABLE"];
    assert!(shown.is_none_or(|shown| whole.iter().all(|word| shown.contains(word))));

    bench.expect(&["man", "--out", "pages/man1"], 0);
    for name in COMMANDS.map(|command| format!("signorini-{command}.1")).iter().map(String::as_str).chain([
        "signorini.1",
        "signorini-man.1",
        "signorini-sweep-table.1",
    ]) {
        let path = bench.path("pages/man1").join(name);
        check_roff(&fs::read_to_string(&path).unwrap());
        assert!(rendered(&path).is_none_or(|shown| shown.contains("SYNOPSIS")), "{name}");
    }
    assert_eq!(fs::read_dir(bench.path("pages/man1")).unwrap().count(), COMMANDS.len() + 4);
    // A file is no folder.
    bench.expect(&["man", "--out", "tops.toml"], 1);
}

#[test]
fn a_scene_comes_from_standard_input() {
    let bench = Bench::new(2, 10);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let scene = fs::read(bench.path("tops.toml")).unwrap();
    let output = fed(bench.command(&["run", "-"]), &scene);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let [file, input] = ["a", "out/stdin"].map(|run| fs::read(bench.path(run).join("bodies.csv")).unwrap());
    assert!(file == input);
    assert_eq!(summary(&bench.path("out/stdin"))["scene"], "<stdin>");
    assert_eq!(bench.call(&["audit", "out/stdin"]).status.code(), Some(0));
    let output = fed(bench.command(&["check", "-"]), &scene);
    assert!(text(output.stdout).starts_with("bodies      3 (2 moving, 1 fixed)"));
    // Files are those of the working folder.
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    fs::write(bench.path("tetra.obj"), mesh).unwrap();
    let with_mesh = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"part\"\n\
                     density = 1000\nshape = { type = \"mesh\", file = \"tetra.obj\" }\n";
    let output = fed(bench.command(&["check", "-"]), with_mesh.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_bad_scene_on_standard_input_is_told_with_its_line() {
    let bench = Bench::new(1, 3);
    let before = bench.listing();
    let cases: [(&[u8], &str); 5] = [
        (
            b"format = 1\n[simulation]\ntime_step = -1\nduration = 1\n",
            "<stdin>:3:13: simulation: time_step = -1",
        ),
        (b"format = 1\n[simulation\n", "<stdin>:2:"),
        (b"", "<stdin>: "),
        (b"<mujoco><worldbody/></mujoco>", "<stdin>: is XML; a model in MJCF or URDF is read from a file"),
        (b"\xff\xfe\x00", "<stdin>: stream did not contain valid UTF-8"),
    ];
    for (input, words) in cases {
        let output = fed(bench.command(&["run", "-"]), input);
        let message = text(output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(words), "{words} is not in: {message}");
        assert_eq!(bench.listing(), before);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_has_read_enough() {
    let bench = Bench::new(1, 3);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    for arguments in [
        &["completions", "bash"][..],
        &["man"],
        &["schema"],
        &["check", "tops.toml", "--json"],
        &["view", "a", "--out", "-"],
        &["--help"],
    ] {
        let mut child =
            bench.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}
