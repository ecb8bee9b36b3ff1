//! Numbers that a change of code must not move: work counts and bits of states, for any number of threads.
//!
//! After a change of method that is meant, `UPDATE_GOLDEN=1 cargo test --release --test golden` writes the
//! files of this folder again. Read the difference before it is committed.

mod determinism;
mod flow;
mod ranks;
mod saved;
mod work;
