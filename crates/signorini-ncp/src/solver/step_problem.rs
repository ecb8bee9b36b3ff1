//! Interface between the solver and the problem of one time step: a linearization that can be refreshed.

use crate::problem::ContactProblem;
use crate::solver::parameters::work::REFRESH_ROW;
use crate::solver::residual::Residual;

/// Message of the solver about the phase of its solve. A problem may ignore every hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// A stuck solve restarts: contact points that earlier refreshes excluded may carry load again.
    Restart,
    /// Whether sweeps are running. While they are, refreshes may exclude early the contact points that could
    /// not carry load at a solution: sweeps redistribute their load cheaply.
    Sweeping(bool),
}

/// Question of the solver about the linearization at hand.
#[derive(Debug)]
pub enum Query<'a> {
    /// Weight per cone of a negative slip of a normal row in the residual (s/m), beside its weight in the
    /// natural map. An empty answer means no weight.
    OverlapWeights(&'a mut Vec<f64>),
    /// Normal rows that could carry load at a solution nearby. All are true when asked.
    ActiveRows {
        /// Impulses at which the problem is linearized.
        impulse: &'a [f64],
        /// One flag per row, cleared for normal rows that could not carry load.
        active: &'a mut [bool],
    },
}

/// Problem of one time step whose geometry can be refreshed. A linear problem only evaluates its residual.
pub trait StepProblem {
    /// Problem as the last refresh linearized it.
    fn linearized(&self) -> &ContactProblem;

    /// Linearizes the problem at (v, x) and returns the true residual there. Shift rows of x become 0: the
    /// equivalent contact points are those of x now.
    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual;

    /// Takes the work of the refreshes since it was taken last (ns of a common core, see
    /// [`work`](crate::solver::parameters::work)); by default that of one.
    fn take_refresh_work(&mut self) -> u64 {
        REFRESH_ROW * self.linearized().n_rows() as u64
    }

    /// Moves (v, x) to the best iterate that was refreshed so far and linearizes the problem there with the
    /// contact points of that iterate. None if refreshes do not depend on the ones before; then nothing
    /// moves.
    fn return_to_best(&mut self, _v: &mut [f64], _x: &mut [f64]) -> Option<Residual> {
        None
    }

    /// Receives a message about the phase of the solve.
    fn hint(&mut self, _hint: Hint) {}

    /// Answers a question about the linearization. By default no overlap has a weight and all rows are
    /// active.
    fn answer(&self, query: Query<'_>) {
        if let Query::OverlapWeights(weights) = query {
            weights.clear();
        }
    }
}
