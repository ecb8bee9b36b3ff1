//! Smooth pairs on a device: two kernels in a row, in portions that fit a binding.

use super::device::{Bound, Buffer, Device, Kernel};
use super::numbers::{BufferPool, Number, ObjectPool, check_finite, lay_out, read_items};
use super::program::source;
use super::self_test::self_test;
use super::{DeviceKrylov, GpuFlat, GpuIsland, IslandKernels};
use crate::{Backend, Batch, DeviceIsland, Evaluated, Fault, Precision};
use signorini_kernels::device_flat::FlatOnDevice;
use signorini_kernels::types::{BodyState, PairGeometry, PairKey, PairRows, PairState};
use signorini_ncp::linalg::BlockKrylov;
use std::sync::Arc;

/// Bytes of the largest array of a portion: small enough for every device, large enough to keep it busy.
const PORTION: u64 = 256 << 20;
/// Bytes of the largest array of a portion for a program that stands in for a device, which is busy with
/// less.
const SOFTWARE_PORTION: u64 = 64 << 20;

/// A device as backend. Its buffers stay from batch to batch and grow when they must.
#[derive(Debug)]
pub struct Gpu {
    device: Arc<Device>,
    precision: Precision,
    geometry: Kernel,
    rows: Kernel,
    krylov: Arc<DeviceKrylov>,
    island: Arc<IslandKernels>,
    /// The flat step, whose geometry asks for f64.
    flat: Option<Arc<GpuFlat>>,
    memory: ObjectPool<PersistentBuffers>,
    /// Bytes of the largest array of a portion.
    portion: u64,
    /// Bytes of the bodies that are sent at once; more are gathered portion by portion.
    bodies: u64,
}

/// Memory that is kept between calls.
#[derive(Debug, Default)]
struct PersistentBuffers {
    buffers: BufferPool,
    words: Vec<u32>,
    narrow: Vec<f32>,
    wide: Vec<f64>,
}

/// Buffers of the pairs.
#[derive(Debug, Clone, Copy)]
enum PairBuffer {
    Bodies,
    Keys,
    Pairs,
    Geometry,
    Step,
    Rows,
}

/// Names of the buffers in messages.
const PLACES: [&str; 6] = ["Bodies", "Keys", "Pairs", "Geometry", "Step", "Rows"];

/// Access to the scratch memory of a scalar.
trait Scratch: Number {
    fn scratch(kept: &mut PersistentBuffers) -> &mut Vec<Self>;
}

impl Scratch for f32 {
    fn scratch(kept: &mut PersistentBuffers) -> &mut Vec<Self> {
        &mut kept.narrow
    }
}

impl Scratch for f64 {
    fn scratch(kept: &mut PersistentBuffers) -> &mut Vec<Self> {
        &mut kept.wide
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
            island: Arc::new(IslandKernels::new(&device, precision)?),
            flat: match precision {
                Precision::F64 => Some(Arc::new(GpuFlat::new(Arc::clone(&device))?)),
                Precision::F32 => None,
            },
            memory: ObjectPool::default(),
            portion: device.largest_binding().min(if device.is_software() {
                SOFTWARE_PORTION
            } else {
                PORTION
            }),
            bodies: device.largest_binding(),
            device,
            precision,
        })
    }

    /// Returns the device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Limits arrays to so many bytes. Results do not depend on it.
    pub fn with_portion(self, bytes: u64) -> Self {
        Self { portion: self.portion.min(bytes), bodies: self.bodies.min(bytes), ..self }
    }

    /// Takes the flat step of islands of so many contacts or more.
    pub fn with_flat_from(self, fewest: usize) -> Self {
        Self { flat: self.flat.map(|flat| Arc::new(flat.from(fewest))), ..self }
    }

    /// Number of pairs that are evaluated at once.
    pub fn pairs_at_once(&self) -> usize {
        (self.portion as usize / (PairRows::<f64>::LEN * self.precision.bytes())).max(1)
    }

    fn commands(&self, n: usize, buffers: [&Buffer; 6]) -> Result<[Bound; 2], Fault> {
        let [bodies, keys, pairs, geometry, step, rows] = buffers;
        let first = self.device.bind(&self.geometry, n, [0; 2], &[bodies, keys, pairs, geometry])?;
        let all = [bodies, keys, pairs, geometry, step, rows];
        Ok([first, self.device.bind(&self.rows, n, [0; 2], &all)?])
    }

    fn evaluate_as<T: Scratch>(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        let mut kept = self.memory.take();
        let outcome = self.evaluate_in::<T>(&mut kept, batch, out);
        self.memory.put(kept);
        outcome
    }

    fn evaluate_in<T: Scratch>(
        &self,
        kept: &mut PersistentBuffers,
        batch: &Batch,
        out: &mut Evaluated,
    ) -> Result<(), Fault> {
        let n = batch.pairs.len();
        out.geometry.clear();
        out.rows.clear();
        let bytes = (batch.bodies.len() * BodyState::<f64>::LEN * self.precision.bytes()) as u64;
        let at_once = bytes <= self.bodies;
        let all = at_once.then(|| self.fill_bodies::<T>(kept, &batch.bodies)).transpose()?;
        let step = self.grow(kept, PairBuffer::Step, self.precision.bytes() as u64)?;
        self.device.write(&step, &[T::from_f64(batch.time_step)]);
        for first in (0..n).step_by(self.pairs_at_once()) {
            let range = first..n.min(first + self.pairs_at_once());
            let keys = &batch.keys[range.clone()];
            if let Some(bodies) = &all {
                self.portion::<T>(kept, [bodies, &step], keys, &batch.pairs[range], out)?;
            } else {
                let (bodies, keys) = gathered(&batch.bodies, keys);
                let bodies = self.fill_bodies::<T>(kept, &bodies)?;
                self.portion::<T>(kept, [&bodies, &step], &keys, &batch.pairs[range], out)?;
            }
        }
        Ok(())
    }

    fn portion<T: Scratch>(
        &self,
        kept: &mut PersistentBuffers,
        [bodies, step]: [&Buffer; 2],
        keys: &[PairKey],
        pairs: &[PairState<f64>],
        out: &mut Evaluated,
    ) -> Result<(), Fault> {
        let n = pairs.len();
        kept.words.clear();
        kept.words.extend(keys.iter().flat_map(|k| k.words()));
        let keys = self.grow(kept, PairBuffer::Keys, 4 * kept.words.len() as u64)?;
        self.device.write(&keys, &kept.words);
        let write = |p: &PairState<f64>, out: &mut [T]| p.map(T::from_f64).write(out);
        let pairs = self.fill(kept, PairBuffer::Pairs, pairs, PairState::<f64>::LEN, write)?;
        let size = |len: usize| (n * len * self.precision.bytes()) as u64;
        let [geometry_size, rows_size] = [size(PairGeometry::<f64>::LEN), size(PairRows::<f64>::LEN)];
        let geometry = self.grow(kept, PairBuffer::Geometry, geometry_size)?;
        let rows = self.grow(kept, PairBuffer::Rows, rows_size)?;
        let commands = self.commands(n, [bodies, &keys, &pairs, &geometry, step, &rows])?;
        let reads = [(&geometry, geometry_size), (&rows, rows_size)];
        self.device.submit_and(&[&commands[0], &commands[1]], &reads, |k, bytes| match k {
            0 => read_items(bytes, PairGeometry::<f64>::LEN, &mut out.geometry, |g: &[T]| {
                PairGeometry::read(g).map(T::to_f64)
            }),
            _ => read_items(bytes, PairRows::<f64>::LEN, &mut out.rows, |r: &[T]| {
                PairRows::read(r).map(T::to_f64)
            }),
        })
    }

    fn fill_bodies<T: Scratch>(
        &self,
        kept: &mut PersistentBuffers,
        bodies: &[BodyState<f64>],
    ) -> Result<Buffer, Fault> {
        let write = |b: &BodyState<f64>, out: &mut [T]| b.map(T::from_f64).write(out);
        self.fill(kept, PairBuffer::Bodies, bodies, BodyState::<f64>::LEN, write)
    }

    fn grow(&self, kept: &mut PersistentBuffers, place: PairBuffer, bytes: u64) -> Result<Buffer, Fault> {
        kept.buffers.grow(&self.device, place as usize, PLACES[place as usize], bytes)
    }

    /// Writes items of `len` numbers each into one of the buffers.
    fn fill<T: Scratch, I: Sync>(
        &self,
        kept: &mut PersistentBuffers,
        place: PairBuffer,
        items: &[I],
        len: usize,
        write: impl Fn(&I, &mut [T]) + Sync,
    ) -> Result<Buffer, Fault> {
        let mut scratch = std::mem::take(T::scratch(kept));
        scratch.clear();
        scratch.resize(items.len() * len, T::from_f64(0.0));
        lay_out(items, len, &mut scratch, write);
        let buffer = self.grow(kept, place, std::mem::size_of_val(scratch.as_slice()) as u64);
        if let Ok(buffer) = &buffer {
            self.device.write(buffer, &scratch);
        }
        *T::scratch(kept) = scratch;
        buffer
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

    fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        let (device, krylov) = (Arc::clone(&self.device), Arc::clone(&self.krylov));
        Some(Box::new(GpuIsland::new(device, self.precision, Arc::clone(&self.island), krylov)))
    }

    fn flat(&self) -> Option<Arc<dyn FlatOnDevice>> {
        self.flat.as_ref().map(|flat| Arc::clone(flat) as Arc<dyn FlatOnDevice>)
    }

    fn flat_fault(&self) -> Option<Fault> {
        self.flat.as_ref().and_then(|flat| flat.take_fault())
    }

    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        check_finite("bodies", &batch.bodies, BodyState::is_finite)?;
        check_finite("pairs", &batch.pairs, PairState::is_finite)?;
        match self.precision {
            Precision::F32 => self.evaluate_as::<f32>(batch, out)?,
            Precision::F64 => self.evaluate_as::<f64>(batch, out)?,
        }
        check_finite("geometry", &out.geometry, PairGeometry::is_finite)?;
        check_finite("rows", &out.rows, PairRows::is_finite)
    }
}

/// Returns the bodies that some pairs name, in order, and the pairs' keys among them.
pub fn gathered(bodies: &[BodyState<f64>], keys: &[PairKey]) -> (Vec<BodyState<f64>>, Vec<PairKey>) {
    let mut named: Vec<u32> = keys.iter().flat_map(|k| [k.body_a, k.body_b]).collect();
    named.sort_unstable();
    named.dedup();
    let place = |body: u32| named.partition_point(|n| *n < body) as u32;
    let renamed = |k: &PairKey| PairKey { body_a: place(k.body_a), body_b: place(k.body_b), ..*k };
    (named.iter().map(|n| bodies[*n as usize]).collect(), keys.iter().map(renamed).collect())
}
