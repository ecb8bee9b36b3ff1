//! `view --serve`, `picture` and `movie`.

use super::browser::chromium;
use super::decoded::Decoded;
use super::{Bench, finished};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A program that serves a run; it ends with the test.
struct Served {
    child: Child,
    host: String,
}

impl Served {
    fn start(bench: &Bench) -> Self {
        let mut command = bench.command(&["view", "a", "--serve"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let host = line.split("http://").nth(1).expect(&line).split('/').next().unwrap().to_owned();
        Self { child, host }
    }

    fn ask(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host).unwrap();
        stream
    }

    fn text(&self, path: &str) -> String {
        let mut text = String::new();
        self.ask(path).read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {text}");
        text
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn last_step(page: &str) -> u64 {
    let found = Decoded::new(page);
    found.header["frames"]["steps"].as_array().unwrap().last().unwrap().as_u64().unwrap()
}

#[test]
fn a_run_is_shown_while_it_goes() {
    let bench = finished();
    // The run as it was at step 60.
    let whole = ["bodies.csv", "contacts.csv", "steps.csv"].map(|name| {
        let path = bench.path("a").join(name);
        let text = fs::read_to_string(&path).unwrap();
        let early =
            |line: &&str| line.split(',').next().unwrap().parse::<usize>().is_ok_and(|step| step <= 60);
        let head = text.lines().next().unwrap();
        let kept: Vec<&str> = std::iter::once(head).chain(text.lines().filter(early)).collect();
        fs::write(&path, kept.join("\n") + "\n").unwrap();
        (path, text)
    });
    let served = Served::start(&bench);
    assert!(served.text("/").contains("id=\"run-live\""));
    assert_eq!(last_step(&served.text("/run")), 60);
    let mut events = BufReader::new(served.ask("/events")).lines().map(Result::unwrap);
    assert!(events.any(|line| line == "data: 0"));
    // The run goes on: steps last, as a run writes them.
    for (path, text) in whole {
        fs::write(path, text).unwrap();
    }
    assert!(events.any(|line| line == "data: 1"), "no event tells of the new steps");
    assert_eq!(last_step(&served.text("/run")), 100);
}

#[test]
fn without_a_browser_there_is_no_picture_and_a_clear_error() {
    let bench = finished();
    let before = bench.listing();
    for arguments in
        [["picture", "a", "--time", "0.1", "--out", "x.png"].as_slice(), &["movie", "a", "--out", "x.webm"]]
    {
        let output = bench.command(arguments).env("CHROMIUM", "no-such-program").output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("Chromium") && message.contains("no-such-program"), "{message}");
    }
    assert_eq!(bench.listing(), before, "something was written");
    for (arguments, part) in [
        (["picture", "a", "--time", "-1", "--out", "x.png"].as_slice(), "0 or more"),
        (&["picture", "a", "--time", "0", "--out", "x.png", "--size", "9x9"], "16 to 8192"),
        (&["movie", "a", "--speed", "0"], "1e-6 to 1e6"),
    ] {
        let message = bench.expect(arguments, 2);
        assert!(message.contains(part), "{message}");
    }
}

/// No browser that was started for a picture is left, nor its profile.
fn assert_no_browser(folder: &Path) {
    let names = |folder: &Path| {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<String>>()
    };
    assert!(!names(folder).iter().any(|name| name.starts_with("signorini-browser")));
    if !Path::new("/proc/self/cmdline").exists() {
        return;
    }
    let of_folder = |process: &String| {
        let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(folder.to_str().unwrap())
    };
    let left: Vec<String> = names(Path::new("/proc")).into_iter().filter(of_folder).collect();
    assert_eq!(left, Vec::<String>::new(), "processes of a browser");
}

#[test]
#[allow(clippy::print_stderr)] // a skipped test says so
fn pictures_and_films_are_made_where_there_is_a_browser() {
    let Some(program) = chromium() else {
        eprintln!("skipped: no Chromium (CHROMIUM names one)");
        return;
    };
    let bench = finished();
    // As some systems have it: a script that starts the browser and waits.
    let script = bench.path("browser.sh");
    fs::write(&script, format!("#!/bin/sh\n{program} \"$@\"\n")).unwrap();
    Command::new("chmod").arg("+x").arg(&script).status().unwrap();
    let draw = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        let output = command.env("CHROMIUM", &script).env("TMPDIR", bench.path("")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_no_browser(&bench.path(""));
    };
    let arguments =
        ["picture", "a", "--time", "0.2", "--out", "x.png", "--size", "320x200", "--look", "show=points"];
    draw(&arguments);
    let mut reader =
        png::Decoder::new(BufReader::new(fs::File::open(bench.path("x.png")).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (320, 200));
    let colours: std::collections::BTreeSet<&[u8]> = pixels.chunks(info.line_size / 320).collect();
    assert!(colours.len() > 100, "{} colours: nothing is drawn", colours.len());
    draw(&["movie", "a", "--fps", "10", "--size", "160x120", "--out", "x.webm"]);
    let film = fs::read(bench.path("x.webm")).unwrap();
    assert_eq!(film[..4], [0x1a, 0x45, 0xdf, 0xa3], "no EBML, the head of WebM");
    assert!(film.windows(5).any(|w| w == b"V_VP9") && film.len() > 1000, "{} bytes", film.len());
}
