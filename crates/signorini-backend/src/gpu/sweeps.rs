//! Sweeps on a device: one dispatch per colour, then those for the change and for the start of the next
//! sweep. Rows, impulses, motions and directions are kept on the device; a test of convergence reads eight
//! scalars.

use super::device::{Bound, Buffer, Device, Kernel};
use super::numbers::{BufferPool, Number, ObjectPool, read};
use super::program::source;
use crate::sweeps::{KernelArrays, narrow_unit};
use crate::{Fault, Precision};
use signorini_kernels::device_sweeps::{DeviceSweeps, Lost, SweepsOnDevice, SweptRows, SweptState};
use signorini_kernels::dot_product::PORTION;
use signorini_kernels::real::Real;
use signorini_kernels::sweep_batch::{BATCH, BATCH_MOVES, LOAD_FRACTIONS, WIDTH};
use signorini_kernels::sweep_change::{SWEEP_MAP, SWEEP_SCALARS, SWEEP_SQUARE};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Number of contacts from which a device sweeps. A sweep takes some twenty dispatches in a row, of
/// microseconds each; meanwhile a core sweeps some thousand contacts.
pub const FEWEST: usize = 10_000;
/// Number of sweeps of one submission: systems end submissions that take seconds.
const SWEEPS_AT_ONCE: usize = 64;
/// Number of threads of a group.
const GROUP: usize = super::device::GROUP as usize;

/// Compiled kernels.
#[derive(Debug)]
struct SweepKernels {
    contacts: Kernel,
    follow: Kernel,
    extrapolation: Kernel,
    change: Kernel,
    scalars: Kernel,
    map: Kernel,
    map_total: Kernel,
}

/// A device that sweeps, and buffers that are kept.
#[derive(Debug)]
pub struct GpuSweeper {
    device: Arc<Device>,
    precision: Precision,
    fewest: usize,
    kernels: Arc<SweepKernels>,
    pools: Arc<ObjectPool<BufferPool>>,
    fault: Arc<Mutex<Option<Fault>>>,
}

impl GpuSweeper {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// When a kernel does not compile.
    pub fn new(device: Arc<Device>, precision: Precision) -> Result<Self, Fault> {
        let kernel = |name: &str| device.compile(&source(name, precision));
        let entry = |name: &str, entry: &str| device.compile_entry(&source(name, precision), entry);
        let kernels = SweepKernels {
            contacts: kernel("sweep_contacts")?,
            follow: kernel("sweep_follow")?,
            extrapolation: kernel("sweep_extrapolation")?,
            change: kernel("sweep_change")?,
            scalars: entry("sweep_change", "sweep_scalars")?,
            map: kernel("sweep_map")?,
            map_total: entry("sweep_map", "sweep_map_total")?,
        };
        Ok(Self {
            kernels: Arc::new(kernels),
            fewest: FEWEST,
            pools: Arc::default(),
            fault: Arc::default(),
            device,
            precision,
        })
    }

    /// Returns a sweeper from so many contacts on, with the same memory.
    pub fn from(&self, fewest: usize) -> Self {
        Self {
            fewest,
            device: Arc::clone(&self.device),
            precision: self.precision,
            kernels: Arc::clone(&self.kernels),
            pools: Arc::clone(&self.pools),
            fault: Arc::clone(&self.fault),
        }
    }

    /// Returns the fault since the last call, if any.
    pub fn take_fault(&self) -> Option<Fault> {
        self.fault.lock().unwrap_or_else(|e| e.into_inner()).take()
    }

    fn note(&self, fault: Fault) -> Lost {
        self.fault.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(fault);
        Lost
    }
}

impl SweepsOnDevice for GpuSweeper {
    fn fewest(&self) -> usize {
        self.fewest
    }

    fn rounding(&self) -> f64 {
        self.precision.rounding()
    }

    fn start(self: Arc<Self>, rows: &SweptRows<'_>) -> Result<Box<dyn DeviceSweeps>, Lost> {
        fn boxed<T: Number + Real>(
            sweeper: &Arc<GpuSweeper>,
            rows: &SweptRows<'_>,
            root: f64,
        ) -> Result<Box<dyn DeviceSweeps>, Fault> {
            Ok(Box::new(GpuSweeps::<T>::new(Arc::clone(sweeper), rows, root)?))
        }
        let started = match self.precision {
            Precision::F64 => boxed::<f64>(&self, rows, 1.0),
            Precision::F32 => boxed::<f32>(&self, rows, narrow_unit(rows)),
        };
        started.map_err(|fault| self.note(fault))
    }
}

/// Places of the pool.
#[derive(Debug, Clone, Copy)]
enum Place {
    Batches,
    Laws,
    Rows,
    Offset,
    Weight,
    Bounds,
    LoadFractions,
    Shifts,
    State,
    Direction,
    Change,
    Parts,
    Scalars,
}

/// Names of the places in messages.
const PLACES: [&str; 13] = [
    "batches",
    "laws",
    "rows",
    "offsets",
    "weights",
    "bounds",
    "load_fractions",
    "shift rows",
    "impulses",
    "directions",
    "changes",
    "parts",
    "scalars",
];

/// Rows of one run of sweeps.
#[derive(Debug)]
struct GpuSweeps<T> {
    sweeper: Arc<GpuSweeper>,
    pool: BufferPool,
    buffers: Vec<Buffer>,
    /// Part of the rows that is kept on the host; the rows themselves are not.
    arrays: KernelArrays<T>,
    sweep: Vec<Bound>,
    follow: Vec<Bound>,
    map: Vec<Bound>,
}

impl<T> Drop for GpuSweeps<T> {
    fn drop(&mut self) {
        self.sweeper.pools.put(std::mem::take(&mut self.pool));
    }
}

impl<T: Number + Real> GpuSweeps<T> {
    fn new(sweeper: Arc<GpuSweeper>, rows: &SweptRows<'_>, root: f64) -> Result<Self, Fault> {
        let pool = sweeper.pools.take();
        let arrays = KernelArrays::new(rows, root);
        let (sweep, follow, map) = Default::default();
        let mut sweeps = Self { sweeper, pool, buffers: Vec::new(), arrays, sweep, follow, map };
        sweeps.upload()?;
        sweeps.record(rows.colours)?;
        // The rows are the largest array by far; the device holds them now.
        sweeps.arrays.rows = Vec::new();
        Ok(sweeps)
    }

    fn at(&self, place: Place) -> &Buffer {
        &self.buffers[place as usize]
    }

    fn upload(&mut self) -> Result<(), Fault> {
        let Self { sweeper, pool, arrays, .. } = self;
        let device = &sweeper.device;
        let zeros = vec![T::zero(); arrays.state.len()];
        let items = WIDTH * arrays.batches.len() / BATCH;
        let parts = vec![T::zero(); arrays.state.len().div_ceil(PORTION).max(items.div_ceil(GROUP))];
        let scalars = [T::zero(); SWEEP_SCALARS];
        let uploads: [&[T]; 12] = [
            &arrays.laws,
            &arrays.rows,
            &arrays.offset,
            &arrays.weight,
            &arrays.bounds,
            &arrays.load_fractions,
            &arrays.shifts,
            &arrays.state,
            &zeros,
            &zeros,
            &parts,
            &scalars,
        ];
        let batches = pool.grow(device, 0, PLACES[0], 4 * arrays.batches.len() as u64)?;
        device.write(&batches, &arrays.batches);
        let mut buffers = vec![batches];
        for (place, array) in (1..).zip(uploads) {
            let buffer = pool.grow(device, place, PLACES[place], size_of_val(array) as u64)?;
            device.write(&buffer, array);
            buffers.push(buffer);
        }
        self.buffers = buffers;
        Ok(())
    }

    /// Records the commands of a sweep, of the work after it, and of the natural map.
    fn record(&mut self, colours: &[Range<usize>]) -> Result<(), Fault> {
        use Place::{
            Batches, Bounds, Change, Direction, Laws, LoadFractions, Offset, Parts, Rows, Scalars, Shifts,
            State, Weight,
        };
        let (device, k, n) = (&self.sweeper.device, &self.sweeper.kernels, self.arrays.state.len());
        let bind = |kernel: &Kernel, items: usize, words: [usize; 2], places: &[Place]| {
            let buffers: Vec<&Buffer> = places.iter().map(|place| self.at(*place)).collect();
            device.bind(kernel, items, words.map(|word| word as u32), &buffers)
        };
        let motions = self.arrays.motions;
        let held = [Batches, Laws, Rows, Offset, Weight, Bounds, State];
        let mut sweep = vec![bind(&k.extrapolation, n / 4, [0; 2], &[Scalars, State, Direction, Change])?];
        let mut follow = Vec::new();
        for colour in colours {
            let (items, words) = (WIDTH * colour.len(), [colour.start, motions]);
            sweep.push(bind(&k.contacts, items, words, &held)?);
            let batches = &self.arrays.batches[BATCH * colour.start..BATCH * colour.end];
            if batches.chunks_exact(BATCH).any(|batch| batch[BATCH_MOVES] > 0) {
                let moved = [Batches, Shifts, Rows, Offset, LoadFractions, State, Direction, Change];
                follow.push(bind(&k.follow, items, words, &moved)?);
            }
        }
        let groups = n.div_ceil(PORTION);
        sweep.push(bind(&k.change, GROUP * groups, [motions, n], &[State, Change, Parts])?);
        sweep.push(bind(&k.scalars, 1, [groups, 0], &[Parts, Scalars])?);
        let items = WIDTH * self.arrays.batches.len() / BATCH;
        let mapped = [Batches, Laws, Rows, Offset, Weight, Bounds, State, Parts];
        let map = vec![
            bind(&k.map, items, [0, motions], &mapped)?,
            bind(&k.map_total, 1, [items.div_ceil(GROUP), 0], &[Parts, Scalars])?,
        ];
        (self.sweep, self.follow, self.map) = (sweep, follow, map);
        Ok(())
    }

    fn swept(&self, n: usize) -> Result<f64, Fault> {
        let mut left = n;
        while left > SWEEPS_AT_ONCE {
            let commands: Vec<&Bound> = (0..SWEEPS_AT_ONCE).flat_map(|_| &self.sweep).collect();
            self.sweeper.device.submit(&commands, &[])?;
            left -= SWEEPS_AT_ONCE;
        }
        let mut commands: Vec<&Bound> = (0..left).flat_map(|_| &self.sweep).collect();
        if n > 0 {
            commands.extend(&self.follow);
        }
        commands.extend(&self.map);
        let bytes = (SWEEP_SCALARS * size_of::<T>()) as u64;
        let found = self.sweeper.device.submit(&commands, &[(self.at(Place::Scalars), bytes)])?;
        let scalars = read(self.sweeper.precision, &found[0]);
        // A maximum may pass over a NaN; a sum does not.
        let is_finite = scalars[SWEEP_MAP].is_finite() && scalars[SWEEP_SQUARE].is_finite();
        if is_finite { Ok(scalars[SWEEP_MAP]) } else { Err(Fault::NonFinite { what: "sweeps", item: 0 }) }
    }

    fn read_back(&self, out: SweptState<'_>) -> Result<(), Fault> {
        let size = |numbers: usize| (numbers * size_of::<T>()) as u64;
        let state = (self.at(Place::State), size(self.arrays.state.len()));
        let offset = (self.at(Place::Offset), size(self.arrays.offset.len()));
        let load_fractions = (self.at(Place::LoadFractions), size(self.arrays.load_fractions.len()));
        let SweptState { x, w, offset: y, excess } = out;
        let reads = [state, offset, load_fractions];
        let numbers = |bytes: &[u8]| super::device::in_place::<T>(bytes).into_owned().into_iter();
        let reads = if self.arrays.load_fractions.is_empty() { &reads[..1] } else { &reads };
        self.sweeper.device.submit_and(&[], reads, |k, bytes| match k {
            0 => self.arrays.take(numbers(bytes).map(Number::to_f64), x, w),
            1 => y.iter_mut().zip(numbers(bytes)).for_each(|(to, from)| *to = from.to_f64()),
            _ => {
                let numbers = super::device::in_place::<T>(bytes);
                let load_fractions = numbers.chunks_exact(LOAD_FRACTIONS * WIDTH);
                for (to, from) in excess.chunks_exact_mut(WIDTH).zip(load_fractions) {
                    to.iter_mut().zip(&from[WIDTH..]).for_each(|(to, from)| *to = from.to_f64());
                }
            }
        })?;
        let finite = |numbers: &[f64]| numbers.iter().position(|x| !x.is_finite());
        let lost = |item| Err(Fault::NonFinite { what: "impulses and motions of sweeps", item });
        finite(x).or_else(|| finite(w)).map_or(Ok(()), lost)
    }
}

impl<T: Number + Real> DeviceSweeps for GpuSweeps<T> {
    fn sweep(&mut self, n: usize) -> Result<f64, Lost> {
        self.swept(n).map_err(|fault| self.sweeper.note(fault))
    }

    fn fetch(&mut self, out: SweptState<'_>) -> Result<(), Lost> {
        self.read_back(out).map_err(|fault| self.sweeper.note(fault))
    }

    fn renew(&mut self, rows: &SweptRows<'_>) -> Result<(), Lost> {
        self.arrays.renew(rows);
        let device = &self.sweeper.device;
        device.write(self.at(Place::State), &self.arrays.state);
        device.write(self.at(Place::Offset), &self.arrays.offset);
        device.write(self.at(Place::Shifts), &self.arrays.shifts);
        Ok(())
    }
}
