//! Every kernel against its Rust twin on a device: seeded input, odd sizes, hard cases. Each kernel is also
//! damaged on purpose, and every damage must be noticed.
//!
//! Without a device the tests say so and pass; with REQUIRE_GPU=1 they fail.

#![cfg(feature = "gpu")]
#![allow(clippy::print_stderr)]

mod flat;
mod flat_laid;
mod flat_steps;
mod grid;
mod harness;
mod layout;
