//! Interior point: Mehrotra's predictor and corrector on the central path.

pub(crate) mod method;
pub(crate) mod point;
