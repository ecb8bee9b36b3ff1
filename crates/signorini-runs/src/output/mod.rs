//! Files of a run on disk: tables (CSV), the scene as resolved, a summary (JSON), plots.
//!
//! [`RunFolder`] writes a run step by step, in a thread of its own, and [`chain`] binds its rows together;
//! [`rows`] holds the columns, one struct per table, used both to write and to read; `plots` (feature `cli`)
//! draws the figures from the files alone.
//! `docs/guide/output.md` describes every column.

mod background_writer;
mod cells;
pub mod chain;
mod checkpoint_slot;
mod checkpoints;
pub mod digest;
mod field;
mod flow_summary;
pub mod folder;
pub mod hdf5;
mod job_queue;
mod measures;
pub mod names;
mod new_folders;
pub mod plots;
pub mod prefix_digest;
mod replay;
pub mod rows;
mod shared_rows;
mod shares;
pub mod source;
mod step_rows;
pub mod summary;
pub mod table;
mod tables;

pub use checkpoints::ResumedRun;
pub use flow_summary::{FlowSummary, PortSummary};
pub use folder::RunFolder;
pub use new_folders::NewFolders;
pub use shared_rows::{following, rows_of, text_of};
pub use shares::{Numbered, Share, read_shares, run_share};
pub use summary::{ExitReason, Summary};
pub use tables::TableFormat;
