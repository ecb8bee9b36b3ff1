//! What a backend does.

use super::batch::{Batch, BoxFeatures, Evaluated};
use super::cpu::{find_bounds, find_boxes};
use super::device_island::DeviceIsland;
use super::differences::Differences;
use super::fault::Fault;
use super::precision::Precision;
use signorini_kernels::device_sweeps::SweepsOnDevice;
use signorini_kernels::types::BoxPair;
use signorini_ncp::linalg::BlockKrylov;
use std::fmt::Debug;
use std::sync::Arc;

/// Evaluates contacts.
pub trait Backend: Debug + Send + Sync {
    /// What it is, for people.
    fn name(&self) -> String;

    /// Its arithmetic. With [`Precision::F32`] the caller takes matrix blocks only and evaluates what the
    /// residual needs itself.
    fn precision(&self) -> Precision;

    /// Closest points, slip, force directions, response and stiffness of all pairs of a batch.
    ///
    /// # Errors
    /// When it cannot; `out` is then of no use.
    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault>;

    /// Separating axes of pairs of boxes, and corners of boxes above half-spaces.
    ///
    /// # Errors
    /// When it cannot; `out` is then of no use.
    fn boxes(
        &self,
        boxes: &[BoxPair<f64>],
        on_planes: &[BoxPair<f64>],
        out: &mut BoxFeatures,
    ) -> Result<(), Fault> {
        find_boxes(boxes, on_planes, out);
        Ok(())
    }

    /// Lower bounds of the gaps of all pairs of a batch, along their start normals.
    ///
    /// # Errors
    /// When it cannot; `out` is then of no use.
    fn bounds(&self, batch: &Batch, out: &mut Vec<f64>) -> Result<(), Fault> {
        find_bounds(batch, out);
        Ok(())
    }

    /// Its iterative solver, if it has one.
    fn krylov(&self) -> Option<Arc<dyn BlockKrylov>> {
        None
    }

    /// The pairs of one island kept on the device, if it can keep them.
    fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        None
    }

    /// Its sweeps, if it has some.
    fn sweeps(&self) -> Option<Arc<dyn SweepsOnDevice>> {
        None
    }

    /// Why sweeps were lost since this was asked last.
    fn sweeps_fault(&self) -> Option<Fault> {
        None
    }

    /// What was found by a backend that compares two.
    fn differences(&self) -> Option<Differences> {
        None
    }
}
