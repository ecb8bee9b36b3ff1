//! Smooth pairs on a device: two kernels in a row, in portions that fit a binding.

use super::DeviceKrylov;
use super::device::{Bound, Buffer, Device, Kernel, numbers};
use super::program::source;
use super::self_test::self_test;
use crate::backend::{Backend, Batch, Evaluated, Fault, Precision};
use crate::kernels::types::{BodyState, PairGeometry, PairRows, PairState};
use crate::linalg::BlockKrylov;
use std::sync::{Arc, Mutex};

/// Bytes of the largest array of a portion: small enough for every device, large enough to keep it busy.
const PORTION: u64 = 64 << 20;

/// A device as backend. Its buffers stay from batch to batch and grow when they must.
#[derive(Debug)]
pub struct Gpu {
    device: Arc<Device>,
    precision: Precision,
    geometry: Kernel,
    rows: Kernel,
    krylov: Arc<DeviceKrylov>,
    pool: Mutex<Pool>,
    /// Bytes of the largest array of a portion.
    portion: u64,
}

/// Memory that is kept.
#[derive(Debug, Default)]
struct Pool {
    buffers: [Option<Buffer>; 6],
    words: Vec<u32>,
    narrow: Vec<f32>,
    wide: Vec<f64>,
}

/// Places of the pool.
#[derive(Debug, Clone, Copy)]
enum Place {
    Bodies,
    Keys,
    Pairs,
    Geometry,
    Step,
    Rows,
}

/// A scalar of a device.
trait Number: bytemuck::Pod + Send + Sync {
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn scratch(pool: &mut Pool) -> &mut Vec<Self>;
}

impl Number for f32 {
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        self.into()
    }
    fn scratch(pool: &mut Pool) -> &mut Vec<Self> {
        &mut pool.narrow
    }
}

impl Number for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn scratch(pool: &mut Pool) -> &mut Vec<Self> {
        &mut pool.wide
    }
}

impl Gpu {
    /// Compiles the kernels after the device has passed its self-test.
    ///
    /// # Errors
    /// When the device lacks the precision, or fails.
    pub fn new(device: Arc<Device>, precision: Precision) -> Result<Self, Fault> {
        if !device.supports(precision) {
            return Err(Fault::Missing(format!("{} does not compute in f64", device.name())));
        }
        self_test(&device, precision)?;
        Ok(Self {
            geometry: device.compile(&source("pair_geometry", precision))?,
            rows: device.compile(&source("contact_rows", precision))?,
            krylov: Arc::new(DeviceKrylov::new(Arc::clone(&device), precision)?),
            pool: Mutex::default(),
            portion: PORTION.min(device.largest_binding()),
            device,
            precision,
        })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Pairs that are evaluated at once.
    pub fn pairs_at_once(&self) -> usize {
        self.portion as usize / (PairRows::<f64>::LEN * self.precision.bytes())
    }

    /// Pairs per second without transfers: of the first portion of a batch.
    ///
    /// # Errors
    /// When the device fails.
    pub fn kernel_rate(&self, batch: &Batch) -> Result<f64, Fault> {
        let mut first = batch.clone();
        first.pairs.truncate(self.pairs_at_once());
        first.keys.truncate(self.pairs_at_once());
        self.evaluate(&first, &mut Evaluated::default())?;
        let n = first.pairs.len();
        // Everything the kernels read is still there.
        let pool = self.pool.lock().unwrap_or_else(|e| e.into_inner());
        let kept: Vec<&Buffer> = pool.buffers.iter().flatten().collect();
        let [bodies, keys, pairs, geometry, step, rows] = kept[..] else {
            return Err(Fault::Lost("a buffer is missing".to_owned()));
        };
        let commands = self.commands(n, [bodies, keys, pairs, geometry, step, rows])?;
        let seconds = super::measure::seconds(&self.device, &[&commands[0], &commands[1]], rows, 10)?;
        Ok(n as f64 / seconds)
    }

    fn commands(&self, n: usize, buffers: [&Buffer; 6]) -> Result<[Bound; 2], Fault> {
        let [bodies, keys, pairs, geometry, step, rows] = buffers;
        let first = self.device.bind(&self.geometry, n, [0; 2], &[bodies, keys, pairs, geometry])?;
        let all = [bodies, keys, pairs, geometry, step, rows];
        Ok([first, self.device.bind(&self.rows, n, [0; 2], &all)?])
    }

    fn evaluate_as<T: Number>(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        let pool = &mut *self.pool.lock().unwrap_or_else(|e| e.into_inner());
        let n = batch.pairs.len();
        out.geometry.clear();
        out.rows.clear();
        self.fill(pool, Place::Bodies, &batch.bodies, BodyState::<f64>::LEN, |b, out: &mut [T]| {
            b.map(T::from_f64).write(out);
        })?;
        let step = self.grow(pool, Place::Step, self.precision.bytes() as u64)?;
        self.device.write(&step, &[T::from_f64(batch.time_step)]);
        for first in (0..n).step_by(self.pairs_at_once()) {
            let range = first..n.min(first + self.pairs_at_once());
            self.portion::<T>(pool, batch, range, out)?;
        }
        Ok(())
    }

    fn portion<T: Number>(
        &self,
        pool: &mut Pool,
        batch: &Batch,
        range: std::ops::Range<usize>,
        out: &mut Evaluated,
    ) -> Result<(), Fault> {
        let n = range.len();
        pool.words.clear();
        pool.words.extend(batch.keys[range.clone()].iter().flat_map(|k| k.words()));
        let keys = self.grow(pool, Place::Keys, 4 * pool.words.len() as u64)?;
        self.device.write(&keys, &pool.words);
        let pairs = &batch.pairs[range];
        self.fill(pool, Place::Pairs, pairs, PairState::<f64>::LEN, |p, out: &mut [T]| {
            p.map(T::from_f64).write(out);
        })?;
        let size = |len: usize| (n * len * self.precision.bytes()) as u64;
        let [geometry_size, rows_size] = [size(PairGeometry::<f64>::LEN), size(PairRows::<f64>::LEN)];
        let geometry = self.grow(pool, Place::Geometry, geometry_size)?;
        let rows = self.grow(pool, Place::Rows, rows_size)?;
        let bound = |place: Place| pool.buffers[place as usize].as_ref();
        let (Some(bodies), Some(pairs), Some(step)) =
            (bound(Place::Bodies), bound(Place::Pairs), bound(Place::Step))
        else {
            return Err(Fault::Lost("a buffer is missing".to_owned()));
        };
        let commands = self.commands(n, [bodies, &keys, pairs, &geometry, step, &rows])?;
        let reads = [(&geometry, geometry_size), (&rows, rows_size)];
        let read = self.device.submit(&[&commands[0], &commands[1]], &reads)?;
        let [first, second] = [&read[0], &read[1]].map(|bytes| numbers::<T>(bytes));
        let items = first.chunks_exact(PairGeometry::<f64>::LEN);
        out.geometry.extend(items.map(|g| PairGeometry::read(g).map(T::to_f64)));
        let items = second.chunks_exact(PairRows::<f64>::LEN);
        out.rows.extend(items.map(|r| PairRows::read(r).map(T::to_f64)));
        Ok(())
    }

    /// A buffer of the pool that holds at least so many bytes.
    fn grow(&self, pool: &mut Pool, place: Place, bytes: u64) -> Result<Buffer, Fault> {
        let kept = &mut pool.buffers[place as usize];
        if let Some(buffer) = kept.as_ref().filter(|b| b.size >= bytes) {
            return Ok(buffer.clone());
        }
        // Half as much again, unless that is more than can be bound.
        let roomy = (bytes + bytes / 2).min(self.device.largest_binding()).max(bytes);
        let buffer = self.device.buffer(&format!("{place:?}"), roomy)?;
        *kept = Some(buffer.clone());
        Ok(buffer)
    }

    /// Writes items of `len` numbers each into a place of the pool.
    fn fill<T: Number, I>(
        &self,
        pool: &mut Pool,
        place: Place,
        items: &[I],
        len: usize,
        write: impl Fn(&I, &mut [T]),
    ) -> Result<(), Fault> {
        let mut scratch = std::mem::take(T::scratch(pool));
        scratch.clear();
        scratch.resize(items.len() * len, T::from_f64(0.0));
        items.iter().zip(scratch.chunks_exact_mut(len)).for_each(|(item, out)| write(item, out));
        let buffer = self.grow(pool, place, std::mem::size_of_val(scratch.as_slice()) as u64);
        if let Ok(buffer) = &buffer {
            self.device.write(buffer, &scratch);
        }
        *T::scratch(pool) = scratch;
        buffer.map(|_| ())
    }
}

impl Backend for Gpu {
    fn name(&self) -> String {
        format!("{}, {}", self.device.name(), self.precision.as_str())
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn krylov(&self) -> Option<Arc<dyn BlockKrylov>> {
        Some(Arc::clone(&self.krylov) as Arc<dyn BlockKrylov>)
    }

    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        check_finite("bodies", batch.bodies.iter().map(|b| b.is_finite()))?;
        check_finite("pairs", batch.pairs.iter().map(|p| p.is_finite()))?;
        match self.precision {
            Precision::F32 => self.evaluate_as::<f32>(batch, out)?,
            Precision::F64 => self.evaluate_as::<f64>(batch, out)?,
        }
        check_finite("geometry", out.geometry.iter().map(|g| g.is_finite()))?;
        check_finite("rows", out.rows.iter().map(|r| r.is_finite()))
    }
}

fn check_finite(what: &'static str, items: impl Iterator<Item = bool>) -> Result<(), Fault> {
    match items.enumerate().find(|(_, finite)| !finite) {
        Some((item, _)) => Err(Fault::NonFinite { what, item }),
        None => Ok(()),
    }
}
