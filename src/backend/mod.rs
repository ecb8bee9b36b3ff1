//! Who evaluates the contacts: the CPU in place, or a graphics processor in batches.
//!
//! A backend is given flat arrays described by [`crate::kernels::types`] and knows nothing of steps or
//! formulations. It is asked for the rows of many smooth pairs at once; where it fails, the caller evaluates
//! the same kernels itself.

pub mod checked;
pub mod choice;
pub mod device_island;
pub mod differences;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod guarded;
pub mod sample;
pub mod twin;
pub mod twin_rates;

pub use checked::Checked;
pub use device_island::{DeviceIsland, DeviceLinearization, IslandData};
pub use differences::Differences;
pub use guarded::{Done, Guarded};
pub use twin::Twin;

use crate::kernels::types::{BodyState, BoxAxis, BoxPair, PairGeometry, PairKey, PairRows, PairState};
use crate::linalg::BlockKrylov;
use std::fmt::Debug;
use std::sync::Arc;

/// Arithmetic of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bit: every device has it. Good for matrix blocks, not for residuals.
    F32,
    /// 64 bit: same acceptance as the CPU.
    F64,
}

impl Precision {
    /// The word used on the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }

    /// Half the distance of 1 to the next number.
    pub fn rounding(self) -> f64 {
        match self {
            Precision::F32 => 0.5 * f64::from(f32::EPSILON),
            Precision::F64 => 0.5 * f64::EPSILON,
        }
    }
}

/// Why a backend did not deliver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no device, or none that was asked for.
    #[error("no device: {0}")]
    Missing(String),
    /// The device does not compute what it should.
    #[error("the device fails its self-test: {0}")]
    SelfTest(String),
    /// The device went away or reported an error.
    #[error("the device failed: {0}")]
    Lost(String),
    /// A kernel does not compile.
    #[error("kernel {kernel}: {message}")]
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// The compiler's words.
        message: String,
    },
    /// More than a device holds.
    #[error("{what} takes {bytes} bytes; {limit} is {allowed}")]
    TooLarge {
        /// What was to be stored.
        what: String,
        /// How much it takes.
        bytes: u64,
        /// Name of the limit.
        limit: &'static str,
        /// The limit.
        allowed: u64,
    },
    /// A number that is not finite, in or out.
    #[error("item {item} of {what} is not finite")]
    NonFinite {
        /// Which array.
        what: &'static str,
        /// Index of the first such item.
        item: usize,
    },
}

/// Smooth pairs with their bodies, at one pose.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Bodies.
    pub bodies: Vec<BodyState<f64>>,
    /// Which bodies, and what kind of pair.
    pub keys: Vec<PairKey>,
    /// Pairs.
    pub pairs: Vec<PairState<f64>>,
    /// h (s).
    pub time_step: f64,
}

impl Batch {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.keys.clear();
        self.pairs.clear();
    }
}

/// What a backend returns per pair.
#[derive(Debug, Clone, Default)]
pub struct Evaluated {
    /// Closest points.
    pub geometry: Vec<PairGeometry<f64>>,
    /// Rows and stiffness.
    pub rows: Vec<PairRows<f64>>,
}

/// What is found about boxes.
#[derive(Debug, Clone, Default)]
pub struct BoxFeatures {
    /// Of every pair of boxes.
    pub axes: Vec<BoxAxis<f64>>,
    /// Heights of the corners of every box above its half-space (m).
    pub heights: Vec<[f64; 8]>,
}

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
        twin::find_boxes(boxes, on_planes, out);
        Ok(())
    }

    /// Lower bounds of the gaps of all pairs of a batch, along their start normals.
    ///
    /// # Errors
    /// When it cannot; `out` is then of no use.
    fn bounds(&self, batch: &Batch, out: &mut Vec<f64>) -> Result<(), Fault> {
        twin::find_bounds(batch, out);
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

    /// What was found by a backend that compares two.
    fn differences(&self) -> Option<Differences> {
        None
    }
}
