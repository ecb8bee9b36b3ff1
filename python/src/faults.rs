//! Panics of the program, which become exceptions, and signals during long computations.

use crate::errors;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How long signals may wait for a computation.
const PATIENCE: Duration = Duration::from_millis(50);

/// Text of the last panic, with its place.
static TOLD: Mutex<Option<String>> = Mutex::new(None);

/// Has panics of this library print nothing: the exception says what there is to say.
pub fn keep_quiet() {
    set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let place = panic.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let text = format!("{}{place}", signorini_error::text_of(panic.payload()));
        if let Ok(mut told) = TOLD.lock() {
            *told = Some(text);
        }
    }));
}

/// The exception of a panic.
fn fault() -> PyErr {
    let told = TOLD.lock().ok().and_then(|mut told| told.take());
    errors::internal(&told.unwrap_or_else(|| "a panic without a word".to_owned()))
}

/// Computes something while other threads of Python run. A panic becomes an `InternalError`.
///
/// # Errors
/// When it panics.
pub fn compute<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|_| fault())
}

/// Computes something on another thread, while this one watches for signals: Ctrl-C raises the flag that the
/// computation is given. The result, and whether a signal came.
///
/// # Errors
/// When it panics.
pub fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<(T, PyResult<()>)> {
    let stops = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (done, waiting) = mpsc::channel();
        let stops = &stops;
        let worker = scope.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(stops)));
            // The other side waits until it hears, or until this end is gone.
            let _ = done.send(());
            outcome
        });
        let mut stopped = Ok(());
        let waiting = Mutex::new(waiting);
        while let Err(RecvTimeoutError::Timeout) = py.detach(|| match waiting.lock() {
            Ok(waiting) => waiting.recv_timeout(PATIENCE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        }) {
            if stopped.is_ok() {
                stopped = py.check_signals();
                stops.store(stopped.is_err(), Ordering::SeqCst);
            }
        }
        let outcome = py.detach(|| worker.join().ok().and_then(Result::ok));
        outcome.map(|value| (value, stopped)).ok_or_else(fault)
    })
}

/// Panics with a text: for the test that a panic becomes an exception.
#[pyfunction]
pub fn _panic(py: Python<'_>, text: &str) -> PyResult<()> {
    compute(py, || panic!("{text}"))
}
