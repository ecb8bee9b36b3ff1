//! The commands `signorini picture` and `signorini movie`: the page of `view`, drawn by headless Chromium.

use super::chromium::Chromium;
use super::http::{Reply, Request, listen};
use crate::console::{print_error, print_line};
use crate::exit::{Failure, INTERRUPTED, SUCCESS};
use crate::values;
use clap::Args;
use signorini_error::Error;
use signorini_runs::export::{Page, PageOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longest time that a browser may take to show anything.
const START: Duration = Duration::from_secs(120);
/// Paths at which the page tells how it went.
const POSTS: [&str; 3] = ["/result", "/fault", "/progress"];
/// Most frames of a film: the page holds them all.
const MAX_FRAMES: usize = 20_000;

#[derive(Debug, Args)]
pub struct PictureOptions {
    /// Folder of a run
    pub dir: PathBuf,
    /// Time in seconds; the last frame at or before it is shown
    #[arg(long, value_name = "T", value_parser = values::time, allow_hyphen_values = true)]
    pub time: f64,
    /// File to write (PNG)
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub look: LookOptions,
}

#[derive(Debug, Args)]
pub struct MovieOptions {
    /// Folder of a run
    pub dir: PathBuf,
    /// File to write (WebM) [default: DIR/run.webm]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Simulated seconds for each second of the film
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = values::speed, allow_hyphen_values = true)]
    pub speed: f64,
    /// Pictures a second
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=120), allow_hyphen_values = true)]
    pub fps: u32,
    #[command(flatten)]
    pub look: LookOptions,
}

/// Appearance of the picture.
#[derive(Debug, Args)]
pub struct LookOptions {
    /// Width and height in pixels, each 16 to 8192
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = values::pixels)]
    pub size: [u32; 2],
    /// Settings of the page in the words of its address: colour=speed&show=arrows,points&view=front
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub look: String,
}

/// Draws a run at a time.
pub fn picture(options: &PictureOptions) -> Result<u8, Failure> {
    let limits = PageOptions { frames: MAX_FRAMES, size: usize::MAX };
    let wanted = format!("deliver=picture&t={}", options.time);
    let bytes = delivered(&Page::of(&options.dir, &limits)?, &options.look, &wanted)?;
    write(&options.out, bytes)
}

/// Makes the film of a run.
pub fn movie(options: &MovieOptions) -> Result<u8, Failure> {
    let limits = PageOptions { frames: MAX_FRAMES, size: usize::MAX };
    let wanted = format!("deliver=film&fps={}&speed={}", options.fps, options.speed);
    let bytes = delivered(&Page::of(&options.dir, &limits)?, &options.look, &wanted)?;
    write(&options.out.clone().unwrap_or_else(|| options.dir.join("run.webm")), bytes)
}

/// Writes the delivered bytes, if any.
fn write(path: &Path, bytes: Option<Vec<u8>>) -> Result<u8, Failure> {
    let Some(bytes) = bytes else { return Ok(INTERRUPTED) };
    std::fs::write(path, &bytes)
        .map_err(|source| Failure::Other(Error::Io { path: path.to_owned(), source }))?;
    print_line(&format!("{}: {:.2} MB", path.display(), bytes.len() as f64 / 1e6));
    Ok(SUCCESS)
}

/// Returns the bytes that the page sends back when it is asked to deliver something. None when a signal came
/// first.
fn delivered(page: &Page, look: &LookOptions, wanted: &str) -> Result<Option<Vec<u8>>, Failure> {
    let (sender, receiver) = channel::<Request>();
    let html = page.html().into_bytes();
    let answer = move |request: Request| match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => Reply::Document("text/html; charset=utf-8", html.clone()),
        ("POST", _) => {
            // This fails when nobody waits any more.
            let _ = sender.send(request);
            Reply::Document("text/plain", Vec::new())
        }
        _ => Reply::Nothing(404),
    };
    let other = |what: &str| {
        let source = std::io::Error::other(what.to_owned());
        Failure::Other(Error::Io { path: "the browser".into(), source })
    };
    let address =
        listen(0, &POSTS, answer).map_err(|e| other(&format!("no port of this machine is free ({e})")))?;
    let [width, height] = look.size;
    let words = look.look.replace([' ', '"'], "");
    let address = format!("{address}#bare=1&theme=light&{words}&width={width}&height={height}&{wanted}");
    // The browser ends with the program.
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::SeqCst))
        .unwrap_or_else(|e| print_error(&format!("warning: signals are not watched ({e})")));
    let mut browser = Chromium::open(&address, look.size)?;
    let mut alive = Instant::now();
    loop {
        match receiver.recv_timeout(Duration::from_millis(200)) {
            Ok(request) if request.path == "/result" => return Ok(Some(request.body)),
            Ok(request) if request.path == "/fault" => {
                return Err(other(&String::from_utf8_lossy(&request.body)));
            }
            _ if stop.load(Ordering::SeqCst) => return Ok(None),
            Ok(_) => alive = Instant::now(),
            Err(RecvTimeoutError::Disconnected) => return Err(other("went away")),
            Err(RecvTimeoutError::Timeout) if browser.has_ended() => return Err(other("ended by itself")),
            Err(RecvTimeoutError::Timeout) if alive.elapsed() > START => {
                return Err(other("shows nothing after two minutes"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
