//! Limits of collapse: the value of a scene's field at which what stands begins to fall, between two values
//! that are tried.
//!
//! Every value that is tried is a [`Trial`], a run in memory that ends as soon as it is decided. Trials stand
//! in `trials.csv` and are not run again; the last value that stands and the first that does not are run
//! once more, as ordinary runs.

mod criterion;
mod figure;
mod kept;
mod search;
mod study;
mod summary;
mod trial;
mod varied;

pub use criterion::{Criterion, Sign};
pub use kept::KeptRun;
pub use search::Bracket;
pub use study::{LimitStudy, Question};
pub use summary::LimitSummary;
pub use trial::{Trial, TrialOutcome};
pub use varied::{Variation, VariedScene};
