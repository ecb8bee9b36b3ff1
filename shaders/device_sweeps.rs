//! Interface to sweeps on a device (theory §6.9). Rows, impulses, motions and search directions stay on the
//! device from test to test.

pub use super::device_pairs::Lost;
use super::sweep_batch::BATCH;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

/// Rows of batches of eight contacts, lane by lane, laid out as [`super::sweep_batch`] says.
#[derive(Debug, Clone, Copy)]
pub struct SweptRows<'a> {
    /// Words of each batch, colour by colour.
    pub batches: &'a [[u32; BATCH]],
    /// Laws of each batch, in the same order.
    pub laws: &'a [f64],
    /// Batches of each colour, which move no common body.
    pub colours: &'a [Range<usize>],
    /// J in mass-normalised coordinates, twelve entries a row.
    pub rows: &'a [f64],
    /// y₀ of each row (m/s).
    pub offset: &'a [f64],
    /// r of each row (kg).
    pub weight: &'a [f64],
    /// Lowest and highest impulse of each row (N s); empty where no batch is bounded.
    pub bounds: &'a [f64],
    /// Load fraction that friction rows were made for, of each row; empty where none moves.
    pub load_fraction: &'a [f64],
    /// S, twelve entries a shift row.
    pub shift_rows: &'a [f64],
    /// y₀ of each shift row.
    pub shift_offset: &'a [f64],
    /// Impulse of each row (N s).
    pub x: &'a [f64],
    /// Mass-normalised motions, eight numbers a body (√kg m/s).
    pub w: &'a [f64],
}

impl SweptRows<'_> {
    /// Whether some friction rows move.
    pub fn move_with_load(&self) -> bool {
        !self.shift_rows.is_empty()
    }
}

/// Numbers that sweeps change.
#[derive(Debug)]
pub struct SweptState<'a> {
    /// Impulse of each row (N s).
    pub x: &'a mut [f64],
    /// Motions.
    pub w: &'a mut [f64],
    /// y₀ of each row.
    pub offset: &'a mut [f64],
    /// Load fractions of now less those that friction rows were made for; left alone where no row moves.
    pub excess: &'a mut [f64],
}

/// A device that sweeps.
pub trait SweepsOnDevice: Debug + Send + Sync {
    /// Fewest contacts for which the device is quicker.
    fn fewest(&self) -> usize;

    /// The largest relative error of an operation.
    fn rounding(&self) -> f64;

    /// Takes over rows that were not swept yet.
    ///
    /// # Errors
    /// When the device cannot take them; the backend knows the reason.
    fn start(self: Arc<Self>, rows: &SweptRows<'_>) -> Result<Box<dyn DeviceSweeps>, Lost>;
}

/// Rows on a device.
pub trait DeviceSweeps: Debug + Send {
    /// So many sweeps, each with its extrapolation; friction rows of manifolds follow the load after them.
    /// Returns the natural map, the largest of all contacts in their units.
    ///
    /// # Errors
    /// When the rows are gone.
    fn sweep(&mut self, n: usize) -> Result<f64, Lost>;

    /// Copies the numbers that sweeps change from the device.
    ///
    /// # Errors
    /// When the rows are gone.
    fn fetch(&mut self, out: SweptState<'_>) -> Result<(), Lost>;

    /// Puts other motions and y₀ in their place, of rows and of shift rows; search directions stay.
    ///
    /// # Errors
    /// When the rows are gone.
    fn renew(&mut self, rows: &SweptRows<'_>) -> Result<(), Lost>;
}
