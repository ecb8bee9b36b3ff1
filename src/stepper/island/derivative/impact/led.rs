//! Changes by the position phase, and gradients with them.

use crate::stepper::island::derivative::driven::DrivenMove;
use signorini_ncp::linalg::Lanes;

/// Changes by the position phase, lane by lane.
#[derive(Clone, Copy)]
pub struct Led<'a> {
    /// η⁺ (17.9) and δν per body.
    pub path: &'a [Lanes],
    pub velocity: &'a [Lanes],
    /// δx per row.
    pub impulse: &'a [Lanes],
    /// Displacement of geometry against centres of mass over h, which `path` has too, where there is one.
    pub centres: Option<&'a [Lanes]>,
    /// Changes of bodies with prescribed motion as rows see them, per lane.
    pub driven: &'a [Vec<DrivenMove>],
}

/// Gradients with them, those of bodies with prescribed motion apart.
#[derive(Debug)]
pub struct LedGradient {
    pub path: Vec<f64>,
    pub velocity: Vec<f64>,
    pub impulse: Vec<f64>,
    /// Besides that by `path`.
    pub centres: Vec<f64>,
    /// As [`signorini_ncp::solver::Effect::left`].
    pub left: f64,
}
