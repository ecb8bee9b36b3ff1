//! A queue of jobs for a thread of its own, which does them in order.

use signorini_error::{Error, Result};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A queue with its thread, which ends with the queue, after the last job was done.
#[derive(Debug)]
pub struct JobQueue<J> {
    shared: Arc<Shared<J>>,
    thread: Option<JoinHandle<()>>,
    /// Largest weight of the waiting jobs; with more, `push` waits.
    most: usize,
}

#[derive(Debug)]
struct Shared<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<J> {
    /// Jobs with their weights.
    waiting: VecDeque<(J, usize)>,
    /// Weight of the waiting jobs and the one in progress.
    weight: usize,
    is_busy: bool,
    is_ending: bool,
    /// First error.
    failure: Option<Error>,
}

impl<J: Send + 'static> JobQueue<J> {
    /// Starts the thread, which calls `take` with each job. After a failure it takes no more.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub fn start(most: usize, take: impl FnMut(J) -> Result<()> + Send + 'static) -> Result<Self> {
        let state =
            State { waiting: VecDeque::new(), weight: 0, is_busy: false, is_ending: false, failure: None };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("tables".to_owned());
        let thread = thread.spawn(move || of_thread.work(take));
        let thread = thread.map_err(|source| Error::Io { path: PathBuf::from("tables"), source })?;
        Ok(Self { shared, thread: Some(thread), most })
    }

    /// Adds a job, and waits while too many others wait.
    ///
    /// # Errors
    /// When an earlier job failed.
    pub fn push(&self, job: J, weight: usize) -> Result<()> {
        let mut state = self.shared.wait_until(|state| {
            state.failure.is_some() || state.weight == 0 || state.weight + weight <= self.most
        });
        state.check()?;
        state.waiting.push_back((job, weight));
        state.weight += weight;
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Waits until all jobs are done.
    ///
    /// # Errors
    /// When a job failed.
    pub fn drain(&self) -> Result<()> {
        let is_done = |state: &State<J>| state.waiting.is_empty() && !state.is_busy;
        self.shared.wait_until(|state| state.failure.is_some() || is_done(state)).check()
    }
}

impl<J> Drop for JobQueue<J> {
    fn drop(&mut self) {
        self.shared.lock().is_ending = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // An error that was not asked for before is dropped.
            let _ = thread.join();
        }
    }
}

impl<J> State<J> {
    /// Returns the failure, any number of times.
    fn check(&self) -> Result<()> {
        self.failure.as_ref().map_or(Ok(()), |error| Err(copy_of(error)))
    }
}

impl<J> Shared<J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the state is such, and returns it.
    fn wait_until(&self, is_so: impl Fn(&State<J>) -> bool) -> MutexGuard<'_, State<J>> {
        let held = self.changed.wait_while(self.lock(), |state| !is_so(state));
        held.unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut take: impl FnMut(J) -> Result<()>) {
        loop {
            let mut state = self.wait_until(|state| state.is_ending || !state.waiting.is_empty());
            let Some((job, weight)) = state.waiting.pop_front() else { return };
            let is_well = state.failure.is_none();
            state.is_busy = true;
            drop(state);
            let mut in_hand = JobGuard { shared: self, weight, outcome: Err(gone()) };
            in_hand.outcome = if is_well { take(job) } else { Ok(()) };
        }
    }
}

/// A job in progress. If it panics, waiting callers are told all the same.
struct JobGuard<'a, J> {
    shared: &'a Shared<J>,
    weight: usize,
    outcome: Result<()>,
}

impl<J> Drop for JobGuard<'_, J> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_busy = false;
        state.weight -= self.weight;
        if let Err(error) = std::mem::replace(&mut self.outcome, Ok(())) {
            state.failure.get_or_insert(error);
        }
        self.shared.changed.notify_all();
    }
}

/// Copies an error: the system's own where it is one.
fn copy_of(error: &Error) -> Error {
    match error {
        Error::Io { path, source } => {
            let source = match source.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(source.kind(), source.to_string()),
            };
            Error::Io { path: path.clone(), source }
        }
        other => Error::Io { path: PathBuf::from("tables"), source: io::Error::other(other.to_string()) },
    }
}

fn gone() -> Error {
    let source = io::Error::other("the thread that writes the tables has ended");
    Error::Io { path: PathBuf::from("tables"), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn jobs_are_done_in_their_order() {
        let (sender, receiver) = channel();
        let job_queue = JobQueue::start(3, move |job| {
            sender.send(job).map_err(|_| gone())?;
            Ok(())
        })
        .unwrap();
        for k in 0..200_u8 {
            job_queue.push(k, 1).unwrap();
        }
        job_queue.drain().unwrap();
        assert_eq!(receiver.try_iter().collect::<Vec<u8>>(), (0..200_u8).collect::<Vec<_>>());
        // Jobs that wait when the queue ends are done too.
        job_queue.push(7, 1).unwrap();
        drop(job_queue);
        assert_eq!(receiver.iter().collect::<Vec<u8>>(), [7]);
    }

    #[test]
    fn whoever_pushes_too_much_waits() {
        let (go, wait) = channel();
        let job_queue = JobQueue::start(10, move |()| wait.recv().map_err(|_| gone())).unwrap();
        // The first job is taken, however heavy; of the others as many wait as are allowed.
        job_queue.push((), 100).unwrap();
        std::thread::scope(|scope| {
            let pushed = scope.spawn(|| job_queue.push((), 6).and_then(|()| job_queue.push((), 4)));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!pushed.is_finished());
            go.send(()).unwrap();
            pushed.join().unwrap().unwrap();
            let pushed = scope.spawn(|| job_queue.push((), 1));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!pushed.is_finished());
            (0..3).for_each(|_| go.send(()).unwrap());
            pushed.join().unwrap().unwrap();
        });
        job_queue.drain().unwrap();
    }

    #[test]
    fn after_a_failure_nothing_is_done_and_everybody_is_told() {
        let (sender, receiver) = channel();
        let full = |_| Error::Io { path: PathBuf::from("t.csv"), source: io::Error::from_raw_os_error(28) };
        let job_queue = JobQueue::start(100, move |job| match job {
            1 => Err(full(())),
            _ => sender.send(job).map_err(|_| gone()),
        })
        .unwrap();
        let is_full = |outcome: Result<()>| {
            let Err(Error::Io { path, source }) = outcome else { return false };
            path == std::path::Path::new("t.csv") && source.raw_os_error() == Some(28)
        };
        job_queue.push(0, 1).unwrap();
        job_queue.push(1, 1).unwrap();
        assert!(is_full(job_queue.drain()));
        assert!(is_full(job_queue.push(2, 1)));
        assert!(is_full(job_queue.drain()));
        drop(job_queue);
        assert_eq!(receiver.iter().collect::<Vec<usize>>(), [0]);
    }

    #[test]
    fn a_thread_that_panics_leaves_nobody_waiting() {
        let job_queue = JobQueue::start(1, |job: usize| {
            assert!(job == 0, "as it is meant");
            Ok(())
        })
        .unwrap();
        job_queue.push(0, 1).unwrap();
        job_queue.push(1, 1).unwrap();
        assert!(job_queue.drain().unwrap_err().to_string().contains("has ended"));
    }
}
