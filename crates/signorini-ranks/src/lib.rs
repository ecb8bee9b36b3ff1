//! Processes that solve one scene together, as an MPI library starts them: who they are, and how they hand
//! bytes to each other. No transport is here; the command line has that of MPI.
//!
//! All ranks make the same calls in the same order. What they hand each other is put in order by rank, never
//! by the time at which it comes.

mod message;
mod traffic;

pub use message::{Incoming, Outgoing};
pub use traffic::Traffic;

use std::fmt::Debug;
use std::ops::Range;

/// Processes that solve one scene together.
pub trait Ranks: Debug + Send + Sync {
    /// Number of this process, from 0.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn size(&self) -> usize;

    /// Hands the bytes of each rank of a group of consecutive ranks to all of the group, which this one is
    /// in; returns them in the order of ranks. All know the lengths already: `lengths[k]` is that of rank
    /// `group.start + k`.
    fn exchange(&self, group: Range<usize>, mine: &[u8], lengths: &[usize]) -> Vec<u8>;

    /// Messages and bytes that this rank has handed out.
    fn traffic(&self) -> Traffic;
}

/// Hands bytes whose lengths others don't know to all ranks; returns those of each rank.
pub fn gather(ranks: &dyn Ranks, mine: &[u8]) -> Vec<Vec<u8>> {
    const LENGTH: usize = size_of::<u64>();
    let mut length = Outgoing::default();
    length.u64s(&[mine.len() as u64]);
    let all = ranks.exchange(0..ranks.size(), length.bytes(), &vec![LENGTH; ranks.size()]);
    let mut incoming = Incoming::new(&all);
    let lengths: Vec<usize> = (0..ranks.size()).map(|_| incoming.u64s::<1>()[0] as usize).collect();
    let all = ranks.exchange(0..ranks.size(), mine, &lengths);
    let mut rest = &all[..];
    let next = |length: &usize| {
        let (first, others) = rest.split_at(*length);
        rest = others;
        first.to_vec()
    };
    lengths.iter().map(next).collect()
}

/// Whether any rank says so.
pub fn any(ranks: &dyn Ranks, mine: bool) -> bool {
    let all = ranks.exchange(0..ranks.size(), &[u8::from(mine)], &vec![1; ranks.size()]);
    all.into_iter().any(|flag| flag != 0)
}
