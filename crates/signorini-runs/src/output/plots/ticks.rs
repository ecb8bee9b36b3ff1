//! How values lie on an axis.

pub use signorini_figures::Scale;
