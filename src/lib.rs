//! `signorini`: many rigid bodies in intermittent frictional contact, solved as a nonlinear
//! complementarity problem to 1e-8, with a proof for every step.
//!
//! Named after the Signorini condition 0 ≤ gap ⊥ force ≥ 0.

pub mod audit;
pub mod backend;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compare;
pub mod contact;
pub mod error;
pub mod geometry;
pub mod kernels;
pub mod linalg;
pub mod math;
pub mod output;
pub mod problem;
pub mod real;
pub mod referee;
pub mod reference;
pub mod scene;
pub mod settings;
pub mod simulation;
pub mod solver;
pub mod step;
pub mod stepper;

pub use error::{Error, Result};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
