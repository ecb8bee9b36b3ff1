//! Many runs of one scene: a plan says which fields take which values, and each combination is a case with a
//! folder of its own.
//!
//! A case that is finished says so in `case.json`, written last. So a sweep can be stopped, killed and
//! started again at any time, by many processes at once, and does what is missing.

mod case;
mod field;
mod measure;
mod plan;
mod run;
mod spread;
mod table;

pub use case::{CaseRecord, CaseState, Outcome};
pub use plan::Plan;
pub use run::run;
pub use table::{write_cases, write_table};
