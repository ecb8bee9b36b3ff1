//! Many runs of one scene: a plan lists fields and their values, and each combination is a case with a folder
//! of its own.
//!
//! A finished case has the file `case.json`, written last. A sweep can therefore be stopped, killed and
//! started again at any time, by many processes at once: each start runs the missing cases.

mod case;
mod field;
mod plan;
mod result;
mod run;
mod spread;
mod table;

pub use case::{CaseRecord, CaseState, Outcome};
pub use field::FieldPath;
pub use plan::Plan;
pub use run::{run, without_place};
pub use table::{write_cases, write_table};
