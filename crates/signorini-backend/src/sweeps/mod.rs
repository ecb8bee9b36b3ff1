//! Sweeps on a device and beside it: layout of the rows, the twins, and the comparison of both.

mod checked;
mod laid;
mod twin;

pub use checked::CheckedSweeps;
pub use laid::Laid;
pub use laid::narrow_unit;
pub use twin::TwinSweeps;
