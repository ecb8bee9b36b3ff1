//! Halving, the last measure against failure: the step of an island that was not solved is redone in two
//! substeps of h/2, and each substep that is not solved either in two of its own half, down to
//! `most_halvings` levels.
//!
//! A substep is a step of its own, with geometry at its end, forces over its length and units of its own;
//! impulses that act once act in the first substep. Other islands are not affected: no pair connects them
//! with this one, and pairs missed at the end of the step are searched for as after every step.

mod halve;
mod path;
#[cfg(test)]
mod tests;

pub use halve::halve;
