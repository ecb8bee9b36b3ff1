//! Tables of a run in one HDF5 file: a dataset of records for each table, with the columns of the CSV file.
//!
//! A table *is* its text: digests and lengths of the chain are those of the rows as CSV, which is made again
//! bit for bit from the records. All readers of a table read that text.

mod fault;
mod kinds;
mod layout;
mod reader;
mod writer;

pub use fault::fault;
pub use layout::Layout;
pub use reader::TableText;
pub use writer::{Hdf5File, Hdf5Table};
