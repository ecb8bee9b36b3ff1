//! Removal of drivers' complaints about a missing desktop.
//!
//! Mesa's choice among devices asks Wayland first, whose library writes to stderr when `XDG_RUNTIME_DIR` is
//! not set. This is no fault: a server has no desktop. No setting silences it without changing which device
//! comes first.

#[cfg(unix)]
pub use capture::suppress_stderr;

/// Runs the work unchanged: no driver of these systems complains.
#[cfg(not(unix))]
pub fn suppress_stderr<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(unix)]
mod capture {
    use std::io::{PipeReader, Read, Write};
    use std::os::fd::OwnedFd;
    use std::thread::JoinHandle;

    /// Word by which the lines to leave out are known.
    const SUPPRESSED_WORD: &str = "XDG_RUNTIME_DIR";

    /// Searches devices without those lines on stderr; other lines follow when the work is done.
    pub fn suppress_stderr<T>(work: impl FnOnce() -> T) -> T {
        if std::env::var_os(SUPPRESSED_WORD).is_some() {
            return work();
        }
        let capture = Capture::start();
        let done = work();
        drop(capture);
        done
    }

    /// Captures stderr until the value is dropped.
    struct Capture {
        stderr: OwnedFd,
        reader: Option<JoinHandle<Vec<u8>>>,
    }

    impl Capture {
        /// Starts the capture; None where the system does not allow it.
        fn start() -> Option<Self> {
            let (reader, writer) = std::io::pipe().ok()?;
            let stderr = rustix::io::dup(std::io::stderr()).ok()?;
            rustix::stdio::dup2_stderr(&writer).ok()?;
            let read = |mut pipe: PipeReader| {
                let mut written = Vec::new();
                let _ = pipe.read_to_end(&mut written);
                written
            };
            Some(Self { stderr, reader: Some(std::thread::spawn(move || read(reader))) })
        }
    }

    impl Drop for Capture {
        fn drop(&mut self) {
            // This closes the last end that writes into the pipe.
            let _ = rustix::stdio::dup2_stderr(&self.stderr);
            let written = self.reader.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
            let text = String::from_utf8_lossy(&written);
            for line in text.lines().filter(|line| !line.contains(SUPPRESSED_WORD)) {
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }
}
