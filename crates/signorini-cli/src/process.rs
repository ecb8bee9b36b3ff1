//! The process: its worker threads, and the signals it gets.

use super::console::print_error;
use super::exit::INTERRUPTED;
use signorini_error::{Error, Result};
use signorini_ncp::solver::request_stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time that a signal waits for the step in progress before the step is given up.
const GRACE: Duration = Duration::from_millis(500);

/// Sets the number of worker threads.
pub fn use_threads(threads: Option<u16>) -> Result<()> {
    let Some(n) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global().map_err(|e| Error::Usage {
        what: format!("--threads {n}"),
        allowed: format!("a number of threads that the system can start ({e})"),
    })
}

/// Returns a flag that SIGINT, SIGTERM and SIGHUP raise. The run stops after the step in progress, which is
/// given up if it takes longer than [`GRACE`]; a second signal ends the process at once.
pub fn watch_signals(quiet: bool) -> Arc<AtomicBool> {
    watch(move || {
        if !quiet {
            print_error("stopping after the step in progress; a second signal stops at once");
        }
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            request_stop();
        });
    })
}

/// As [`watch_signals`], of one of several ranks, which gives no step up: the others would go on with it. A
/// launcher sends a signal also where another rank has ended; no step is finished then.
pub fn watch_signals_of_rank() -> Arc<AtomicBool> {
    watch(|| {
        print_error(
            "stopping: after the step in progress, or at once if a rank has ended; signorini resume goes on from \
             the last checkpoint",
        );
    })
}

/// Returns a flag that signals raise; the first one also calls a function.
fn watch(at_first: impl Fn() + Send + 'static) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let outcome = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED.into());
        }
        at_first();
    });
    if let Err(e) = outcome {
        print_error(&format!("warning: signals are not watched ({e}): an interrupted run has no summary"));
    }
    flag
}
