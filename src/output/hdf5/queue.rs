//! Rows on their way to a file, taken by a thread of their own in the order in which they were pushed.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Texts that wait at most; then whoever pushes waits.
const LONGEST: usize = 64;

/// A queue with its thread, which ends with it, after the last text was taken.
#[derive(Debug)]
pub struct Queue {
    /// None while it ends.
    sender: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<Mutex<Option<io::Error>>>,
}

/// What the thread is told.
#[derive(Debug)]
enum Job {
    /// Rows of a table.
    Take(usize, Vec<u8>),
    /// Tell when all before is done.
    Answer(SyncSender<()>),
}

impl Queue {
    /// Starts the thread, which calls `take` with table and rows. After a failure it takes no more.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub fn start(take: impl FnMut(usize, Vec<u8>) -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(LONGEST);
        let failure = Arc::new(Mutex::new(None));
        let told = Arc::clone(&failure);
        let name = "tables".to_owned();
        let thread = std::thread::Builder::new().name(name).spawn(move || work(&receiver, take, &told))?;
        Ok(Self { sender: Some(sender), thread: Some(thread), failure })
    }

    /// Hands rows over.
    ///
    /// # Errors
    /// When earlier ones could not be taken.
    pub fn push(&self, table: usize, rows: Vec<u8>) -> io::Result<()> {
        self.check()?;
        self.send(Job::Take(table, rows))
    }

    /// Waits until everything is taken.
    ///
    /// # Errors
    /// When something could not be taken.
    pub fn settle(&self) -> io::Result<()> {
        let (sender, receiver) = sync_channel(1);
        self.send(Job::Answer(sender))?;
        receiver.recv().map_err(|_| gone())?;
        self.check()
    }

    fn send(&self, job: Job) -> io::Result<()> {
        let sender = self.sender.as_ref().ok_or_else(gone)?;
        sender.send(job).map_err(|_| gone())
    }

    /// The failure, as often as it is asked for.
    fn check(&self) -> io::Result<()> {
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(again(error)),
            None => Ok(()),
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // Whoever did not ask before does not want to know.
            let _ = thread.join();
        }
    }
}

fn work(
    receiver: &Receiver<Job>,
    mut take: impl FnMut(usize, Vec<u8>) -> io::Result<()>,
    failure: &Mutex<Option<io::Error>>,
) {
    let mut is_well = true;
    for job in receiver {
        match job {
            Job::Take(table, rows) if is_well => {
                if let Err(error) = take(table, rows) {
                    is_well = false;
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
            Job::Take(..) => {}
            // Nobody waits any more when this fails.
            Job::Answer(sender) => drop(sender.send(())),
        }
    }
}

/// The same error once more: the system's own where it is one.
fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

fn gone() -> io::Error {
    io::Error::other("the thread that writes the tables has ended")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn rows_are_taken_in_their_order() {
        let (sender, receiver) = channel();
        let queue = Queue::start(move |table, rows| {
            sender.send((table, rows)).map_err(|_| gone())?;
            Ok(())
        })
        .unwrap();
        for k in 0..200_u8 {
            queue.push(usize::from(k) % 3, vec![k]).unwrap();
        }
        queue.settle().unwrap();
        let found: Vec<(usize, Vec<u8>)> = receiver.try_iter().collect();
        assert_eq!(found, (0..200_u8).map(|k| (usize::from(k) % 3, vec![k])).collect::<Vec<_>>());
    }

    #[test]
    fn after_a_failure_nothing_is_taken_and_everybody_is_told() {
        let (sender, receiver) = channel();
        let queue = Queue::start(move |table, _| match table {
            1 => Err(io::Error::from_raw_os_error(28)),
            _ => sender.send(table).map_err(|_| gone()),
        })
        .unwrap();
        queue.push(0, Vec::new()).unwrap();
        queue.push(1, Vec::new()).unwrap();
        assert_eq!(queue.settle().unwrap_err().raw_os_error(), Some(28));
        assert_eq!(queue.push(2, Vec::new()).unwrap_err().raw_os_error(), Some(28));
        assert_eq!(queue.settle().unwrap_err().raw_os_error(), Some(28));
        drop(queue);
        assert_eq!(receiver.iter().collect::<Vec<usize>>(), [0]);
    }
}
