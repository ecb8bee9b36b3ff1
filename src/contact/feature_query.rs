//! Query for the features of two bodies.

use crate::contact::axis::separating_axis::AxisKind;
use crate::contact::placed::Placed;
use crate::contact::tolerances::FEATURE_MARGIN;
use nalgebra::Vector3;

/// Query for the features of a flat pair at a pose.
#[derive(Debug, Clone, Copy)]
pub struct FeatureQuery<'a> {
    /// Body A.
    pub a: &'a Placed<'a>,
    /// Body B.
    pub b: &'a Placed<'a>,
    /// Height above the lowest feature up to which features are taken (m).
    pub margin: f64,
    /// A guess of the normal.
    pub start: Vector3<f64>,
    /// Side on which normals count, if given.
    pub side: Option<Vector3<f64>>,
    /// Normal at the start of the step, of a pair that moves far.
    pub from: Option<Vector3<f64>>,
    /// The face along whose normal most of the load acts, of A or of B.
    pub loaded: Option<AxisKind>,
}

impl<'a> FeatureQuery<'a> {
    /// Makes a query for normals of any side, up to the usual margin above the lowest feature.
    pub fn new(a: &'a Placed<'a>, b: &'a Placed<'a>, start: Vector3<f64>) -> Self {
        let margin = FEATURE_MARGIN * a.model.smaller_size(b.model);
        Self { a, b, margin, start, side: None, from: None, loaded: None }
    }
}
