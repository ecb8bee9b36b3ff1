//! Sweeps on a device and beside it: how rows are laid out, the twins, and both side by side.

mod checked;
mod laid;
mod twin;

pub use checked::CheckedSweeps;
pub use laid::Laid;
pub use laid::narrow_unit;
pub use twin::TwinSweeps;
