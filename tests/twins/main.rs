//! Every kernel against its Rust twin on a device, in both precisions: seeded input, odd sizes, hard cases.
//! Outputs are filled with NaN beforehand. Each kernel is also damaged on purpose, and every damage must be
//! noticed.
//!
//! Without a device the tests say so and pass; with REQUIRE_GPU=1 they fail.

#![cfg(feature = "gpu")]
#![allow(clippy::print_stderr)]

mod algebra;
mod flat;
mod flat_laid;
mod flat_steps;
mod harness;
mod layout;
mod on_device;
mod pairs;
mod rates;
mod steps;
mod vectors;
