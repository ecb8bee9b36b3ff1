//! A wish from outside that the steps in progress end.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Has every solve of this process end soon, with its best iterate, as at its time limit.
pub fn request_stop() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Whether solves should end.
pub fn is_stop_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
