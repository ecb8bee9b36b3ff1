//! Ranks that an MPI library started.

use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::CommunicatorCollectives;
use mpi::{Count, Threading, datatype::PartitionMut};
use signorini_error::{Error, Result};
use signorini_ranks::{Ranks, Traffic};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// This process as the MPI library knows it. All communication is over its world: sections of ranks change
/// from step to step.
#[derive(Debug)]
pub struct MpiRanks {
    rank: usize,
    size: usize,
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// Bytes of a rank that hands nothing out.
static NOTHING: [u8; 1] = [0];

/// Starts the MPI library; it ends when the universe is dropped.
///
/// # Errors
/// When it was started before, or cannot be called from threads in turn.
pub fn start() -> Result<(Universe, MpiRanks)> {
    let fault = |what: &str| Error::Usage {
        what: "the MPI library".to_owned(),
        allowed: format!("{what}; threads of a rank call it one after the other (MPI_THREAD_SERIALIZED)"),
    };
    let (universe, threading) =
        mpi::initialize_with_threading(Threading::Serialized).ok_or_else(|| fault("was started already"))?;
    if threading < Threading::Serialized {
        return Err(fault("must be one that threads may call"));
    }
    let world = universe.world();
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    Ok((universe, MpiRanks { rank, size, messages: AtomicU64::new(0), bytes: AtomicU64::new(0) }))
}

/// Ends all ranks at once, with an exit code.
pub fn abort(code: u8) -> ! {
    SimpleCommunicator::world().abort(code.into())
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(&self, group: Range<usize>, mine: &[u8], lengths: &[usize]) -> Vec<u8> {
        let n = lengths.iter().sum();
        if n == 0 {
            return Vec::new();
        }
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(mine.len() as u64, Ordering::Relaxed);
        let world = SimpleCommunicator::world();
        let mut all = vec![0; n];
        // An empty slice may have the address that tells Open MPI to take the bytes from elsewhere.
        let mine = if mine.is_empty() { &NOTHING[..0] } else { mine };
        if group.len() == self.size && self.size > 2 {
            let counts: Vec<Count> = lengths.iter().map(|length| *length as Count).collect();
            let starts: Vec<Count> = starts(lengths).map(|start| start as Count).collect();
            let mut parts = PartitionMut::new(&mut all[..], counts, &starts[..]);
            world.all_gather_varcount_into(mine, &mut parts);
            return all;
        }
        let mut parts: Vec<(usize, &mut [u8])> = Vec::with_capacity(lengths.len());
        let mut rest = &mut all[..];
        for (rank, length) in group.zip(lengths) {
            let (first, others) = rest.split_at_mut(*length);
            parts.push((rank, first));
            rest = others;
        }
        mpi::request::scope(|scope| {
            let mut sent = Vec::with_capacity(parts.len());
            for (rank, part) in &mut parts {
                if *rank == self.rank {
                    part.copy_from_slice(mine);
                } else if !mine.is_empty() {
                    sent.push(world.process_at_rank(*rank as i32).immediate_send(scope, mine));
                }
            }
            let others = parts.into_iter().filter(|(rank, part)| *rank != self.rank && !part.is_empty());
            for (rank, part) in others {
                world.process_at_rank(rank as i32).receive_into(part);
            }
            sent.into_iter().for_each(mpi::request::Request::wait_without_status);
        });
        all
    }

    fn traffic(&self) -> Traffic {
        Traffic { messages: self.messages.load(Ordering::Relaxed), bytes: self.bytes.load(Ordering::Relaxed) }
    }
}

/// Where the bytes of each rank start.
fn starts(lengths: &[usize]) -> impl Iterator<Item = usize> {
    lengths.iter().scan(0, |next, length| {
        let start = *next;
        *next += length;
        Some(start)
    })
}
