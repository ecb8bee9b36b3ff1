//! Sweeps on a device and beside it: layout of the rows, the twins, and the comparison of both.

mod arrays;
mod checked;
mod twin;

pub use arrays::KernelArrays;
pub use arrays::narrow_unit;
pub use checked::CheckedSweeps;
pub use twin::TwinSweeps;
