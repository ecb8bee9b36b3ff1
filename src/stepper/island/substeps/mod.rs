//! Substeps, the last measure against failure: the step of an island that was not solved, or whose solution
//! fails the energy check, is redone in two substeps of h/2, and each substep that fails too in two of its
//! own half, down to `max_halvings` levels.
//!
//! A substep is a step of its own, with geometry at its end, forces over its length and units of its own;
//! impulses that act once act in the first substep. Other islands are not affected: no pair connects them
//! with this one, and pairs missed at the end of the step are searched for as after every step.

pub mod policy;
mod redo;
mod sequence;
#[cfg(test)]
mod tests;

pub use redo::redo_in_substeps;
