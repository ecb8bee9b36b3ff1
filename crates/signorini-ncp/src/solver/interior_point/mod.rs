//! Interior point: Mehrotra's predictor and corrector on the central path.

pub mod method;
pub mod point;
