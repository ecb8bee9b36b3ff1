//! Simulations that several processes take through the same steps: for the command line, which an MPI library
//! starts several times.

use super::run::Simulation;
use signorini_ranks::Ranks;
use std::sync::Arc;

/// A run that several processes take together. A trait, because ranks are no part of the public face.
pub trait OnRanks {
    /// Has large islands solved together with the other ranks from now on. All ranks have the same
    /// simulation, and call the same functions of it; each gets the whole result, to the same bits as one
    /// process.
    fn use_ranks(&mut self, ranks: Arc<dyn Ranks>);

    /// The ranks in use.
    fn ranks(&self) -> Option<&Arc<dyn Ranks>>;
}

impl OnRanks for Simulation {
    fn use_ranks(&mut self, ranks: Arc<dyn Ranks>) {
        self.stepper.use_ranks(Some(Arc::clone(&ranks)));
        self.ranks = Some(ranks);
    }

    fn ranks(&self) -> Option<&Arc<dyn Ranks>> {
        self.ranks.as_ref()
    }
}
