//! Sizes that panels and legends share.

/// Width and height of a panel (pixels).
pub const SIZE: (u32, u32) = (900, 330);
/// From the left edge of a panel to its axes.
pub const LEFT: f64 = 96.0;
/// From its right edge.
pub const RIGHT: f64 = 24.0;
/// Size of labels of ticks and in the legend.
pub const LABEL_SIZE: f64 = 13.0;
/// Size of the text at axes and of captions.
pub const CAPTION_SIZE: f64 = 14.0;
