//! A run: scene, state, stepper and referee, advanced one step at a time, changed and read between steps.

pub mod advice;
mod applied_impulse;
pub mod auto;
mod checkpoint;
mod control;
mod derivatives;
mod driven;
pub mod exchange;
mod flow;
mod free_place;
mod iterate;
mod model;
mod motors;
mod observer;
mod on_backend;
mod on_ranks;
mod outcome;
mod own_method;
mod population;
pub mod ports;
mod read;
mod run;
mod saved;
mod solved_problems;
mod tape;

pub use derivatives::StepDerivatives;
pub use iterate::Steps;
pub use observer::StepObserver;
pub use on_backend::OnBackend;
pub use on_ranks::OnRanks;
pub use outcome::StepOutcome;
pub use run::Simulation;
pub use saved::SavedState;
pub use tape::Tape;
