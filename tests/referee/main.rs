//! The referee and the audit pass true records and catch every kind of lie.

mod audit;
mod exact_steps;
mod falsified;
mod halving;
mod impacts;
mod own_method;
mod round_pairs;
mod shapes;
mod slips;
