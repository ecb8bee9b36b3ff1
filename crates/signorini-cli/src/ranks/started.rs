//! Variables by which launchers of MPI programs tell each process its place.

use std::env;

/// Number of processes: Open MPI, and all others that use PMI (MPICH, Intel, Cray, Slurm).
const SIZES: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
/// Number of this process, from 0.
#[cfg(not(feature = "mpi"))]
const RANKS: [&str; 2] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"];
/// Number of processes on this machine.
const LOCAL_SIZES: [&str; 2] = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];

fn number(names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| env::var(name).ok()?.parse().ok())
}

/// Number of processes that the launcher started, 1 without a launcher.
pub fn number_of_ranks() -> usize {
    number(&SIZES).unwrap_or(1)
}

/// Whether this is the first of them.
#[cfg(not(feature = "mpi"))]
pub fn is_first() -> bool {
    number(&RANKS).unwrap_or(0) == 0
}

/// Number of worker threads of one of several processes on a machine: all of them together have a thread for
/// each core.
pub fn threads_of_rank() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all = number(&LOCAL_SIZES).unwrap_or(1).max(1);
    u16::try_from((cores / all).max(1)).unwrap_or(u16::MAX)
}
