//! Worker threads of a simulation.

use crate::errors::refuse;
use pyo3::PyResult;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::process;
use std::sync::OnceLock;

/// The process that loaded the module. Its children have none of its threads.
static PARENT: OnceLock<u32> = OnceLock::new();

/// Stores the id of the process that loads the module.
pub fn remember_process() {
    PARENT.get_or_init(process::id);
}

/// Threads on which a simulation computes: those that all simulations of the process use, or its own.
pub struct Workers {
    /// Number of own threads, if it has some.
    own: Option<usize>,
    /// The threads, and the process that started them.
    pool: Option<(u32, ThreadPool)>,
}

impl Workers {
    /// So many threads of its own, or those of all simulations.
    ///
    /// # Errors
    /// When the number is not 1 to 1024, or the system cannot start them.
    pub fn new(own: Option<usize>) -> PyResult<Self> {
        let mut workers = Self { own, pool: None };
        if let Some(n) = own {
            if !(1..=1024).contains(&n) {
                return Err(refuse(format!("threads = {n}"), "must be 1 to 1024"));
            }
            workers.start()?;
        }
        Ok(workers)
    }

    /// Computes on the threads.
    ///
    /// # Errors
    /// When a process that was forked cannot start threads of its own.
    pub fn run<T: Send>(&mut self, compute: impl FnOnce() -> T + Send) -> PyResult<T> {
        let here = process::id();
        if self.own.is_none() && PARENT.get() == Some(&here) {
            return Ok(compute());
        }
        if self.pool.as_ref().is_none_or(|(starter, _)| *starter != here) {
            self.start()?;
        }
        Ok(match &self.pool {
            Some((_, pool)) => pool.install(compute),
            None => compute(),
        })
    }

    fn start(&mut self) -> PyResult<()> {
        self.abandon();
        let builder = ThreadPoolBuilder::new().num_threads(self.own.unwrap_or(0));
        let n = self.own.map_or("one per core".to_owned(), |n| n.to_string());
        let told = |e| refuse(format!("threads = {n}"), format!("a number that the system can start ({e})"));
        self.pool = Some((process::id(), builder.build().map_err(told)?));
        Ok(())
    }

    /// Lets go of threads of another process, which do not exist in this one: to end them would wait for
    /// them.
    fn abandon(&mut self) {
        if self.pool.as_ref().is_some_and(|(starter, _)| *starter != process::id()) {
            std::mem::forget(self.pool.take());
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.abandon();
    }
}
