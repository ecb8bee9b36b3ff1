//! The problem of one time step as the solver sees it: a linearization that can be refreshed.

use crate::problem::ContactProblem;
use crate::solver::residual::Residual;
use signorini_kernels::device_pairs::PairsOnDevice;

/// A problem whose geometry can be refreshed. Linear problems only evaluate their residual.
pub trait StepProblem {
    /// The problem linearized at the last refresh.
    fn linearized(&self) -> &ContactProblem;
    /// Freezes the problem at (v, x) and returns the true residual there. Shift rows of x become 0: the
    /// equivalent contact points are those of x now.
    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual;
    /// Moves (v, x) to the best iterate that it was refreshed at and freezes the problem there as it was
    /// then. None where what a refresh finds does not depend on those before: then nothing is kept.
    fn return_to_best(&mut self, _v: &mut [f64], _x: &mut [f64]) -> Option<Residual> {
        None
    }
    /// A solve that was stuck starts again: what earlier refreshes have ruled out may count again.
    fn start_again(&mut self) {}
    /// The problem, and its contacts if a device holds them. Where the device is exact, the problem lacks
    /// their rows.
    fn parts(&mut self) -> (&ContactProblem, PairsOnDevice<'_>) {
        (self.linearized(), None)
    }
    /// Whether refreshes rule out from afar what could not bear at a solution: while sweeps go on, which take
    /// up cheaply what others bear instead.
    fn rule_out_early(&mut self, _early: bool) {}
    /// Clears `bears` for the normal rows that could not bear at a solution nearby, where the problem is
    /// linearized with impulses x.
    fn mark_idle(&self, _x: &[f64], _bears: &mut [bool]) {}
    /// Per cone: what a negative slip of a normal row counts in the residual (s/m), beside what it does in
    /// the natural map; empty: nothing.
    fn overlap_weights(&self, weights: &mut Vec<f64>) {
        weights.clear();
    }
    /// Refreshes fetch the rows of pairs on a device from now on.
    fn fetch_rows(&mut self) {}
    /// Refreshes leave the rows of pairs on a device there from now on.
    fn leave_rows(&mut self) {}
}
