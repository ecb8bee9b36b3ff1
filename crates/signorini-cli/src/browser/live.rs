//! The command `signorini view --serve`: a run shown while it goes.

use super::http::{Reply, Request, Signal, listen};
use crate::console::{print_error, print_line};
use crate::exit::{Failure, SUCCESS};
use signorini_error::Error;
use signorini_runs::export::{Page, PageOptions};
use signorini_runs::output::names;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two checks of the tables.
const PERIOD: Duration = Duration::from_millis(500);
/// Inverse of the part of the time that making pages may take.
const INVERSE_TIME_FRACTION: u32 = 4;

/// Serves the page of the run in `folder` on this machine until a signal ends the program.
pub fn serve(folder: &Path, port: u16, limits: &PageOptions) -> std::result::Result<u8, Failure> {
    // The length is read before the tables: rows written meanwhile then count as new.
    let mut length = length_of(folder);
    // A folder without a run is refused before anything is served.
    let first = Page::of(folder, limits)?;
    let data = Arc::new(Mutex::new(first.data));
    let signal = Arc::new(Signal::default());
    let (shown, events) = (Arc::clone(&data), Arc::clone(&signal));
    let answer = move |request: Request| match request.path.as_str() {
        "/" => Reply::Document("text/html; charset=utf-8", Page::live().into_bytes()),
        "/run" => {
            let data = shown.lock().unwrap_or_else(PoisonError::into_inner);
            Reply::Document("text/plain; charset=utf-8", data.clone().into_bytes())
        }
        "/events" => Reply::Events(Arc::clone(&events)),
        _ => Reply::Nothing(404),
    };
    let address = listen(port, &[], answer).map_err(|e| Error::Usage {
        what: format!("--port {port}"),
        allowed: format!("a free port of this machine ({e})"),
    })?;
    print_line(&format!("{address} shows {}; Ctrl-C ends it", folder.display()));
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::SeqCst))
        .unwrap_or_else(|e| print_error(&format!("warning: signals are not watched ({e})")));
    while !stop.load(Ordering::SeqCst) {
        thread::sleep(PERIOD);
        let now = length_of(folder);
        if now == length {
            continue;
        }
        let start = Instant::now();
        // Tables may be in the middle of being replaced: the next check will find them whole.
        if let Ok(page) = Page::of(folder, limits) {
            length = now;
            *data.lock().unwrap_or_else(PoisonError::into_inner) = page.data;
            signal.give();
        }
        thread::sleep(INVERSE_TIME_FRACTION * start.elapsed());
    }
    Ok(SUCCESS)
}

/// Length of the table that is written last in every step.
fn length_of(folder: &Path) -> Option<u64> {
    let length = |name: &str| std::fs::metadata(folder.join(name)).ok().map(|m| m.len());
    length(names::STEPS).or_else(|| length(names::HDF5))
}
