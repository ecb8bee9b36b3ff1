//! Sweeps by the kernels' Rust twins, one item after another, as the expected results of a device.

use super::arrays::KernelArrays;
use signorini_kernels::device_sweeps::{DeviceSweeps, Lost, SweptRows, SweptState};
use signorini_kernels::dot_product::{PORTION, dot_product, dot_total};
use signorini_kernels::real::Real;
use signorini_kernels::sweep_batch::{BATCH, BATCH_MOVES, LAWS, LOAD_FRACTIONS, WIDTH};
use signorini_kernels::sweep_change::{SWEEP_SCALARS, sweep_change, sweep_scalars};
use signorini_kernels::sweep_contacts::{Held, sweep_contacts};
use signorini_kernels::sweep_extrapolation::sweep_extrapolation;
use signorini_kernels::sweep_follow::{Following, sweep_follow};
use signorini_kernels::sweep_map::{sweep_map, sweep_map_group};

/// Rows in the form of the twins.
#[derive(Debug)]
pub struct TwinSweeps<T> {
    arrays: KernelArrays<T>,
    direction: Vec<T>,
    change: Vec<T>,
    scalars: [T; SWEEP_SCALARS],
}

impl<T: Real + Send + Sync> TwinSweeps<T> {
    /// Makes rows that were not swept yet, with impulses in the unit whose root is given.
    pub fn new(rows: &SweptRows<'_>, root: f64) -> Self {
        let arrays = KernelArrays::new(rows, root);
        let zeros = vec![T::zero(); arrays.state.len()];
        Self { arrays, direction: zeros.clone(), change: zeros, scalars: [T::zero(); SWEEP_SCALARS] }
    }

    fn held<'a>(arrays: &'a KernelArrays<T>, k: usize) -> Held<'a, T> {
        Held {
            batch: &arrays.batches[BATCH * k..BATCH * (k + 1)],
            laws: &arrays.laws[WIDTH * LAWS * k..WIDTH * LAWS * (k + 1)],
            rows: &arrays.rows,
            offset: &arrays.offset,
            weight: &arrays.weight,
            bounds: &arrays.bounds,
        }
    }

    fn once(&mut self) {
        let Self { arrays, direction, change, scalars } = self;
        for ((x, p), c) in arrays.state.iter_mut().zip(direction).zip(change.iter_mut()) {
            [*x, *p, *c] = sweep_extrapolation(scalars.as_slice(), [*x, *p, *c]);
        }
        let (mut state, n) = (std::mem::take(&mut arrays.state), arrays.batches.len() / BATCH);
        for (k, lane) in (0..n).flat_map(|k| (0..WIDTH).map(move |lane| (k, lane))) {
            sweep_contacts(&Self::held(arrays, k), lane, arrays.motions, &mut state);
        }
        change.iter_mut().zip(&state).for_each(|(c, x)| *c = sweep_change(*x, *c));
        arrays.state = state;
        // The groups are those of all numbers; beyond the impulses nothing is summed.
        let (x, groups) = (&change[..arrays.motions], arrays.state.len().div_ceil(PORTION));
        let parts: Vec<T> = (0..groups).map(|g| dot_product(x, x, g)).collect();
        sweep_scalars(scalars, dot_total(&parts));
    }

    fn follow(&mut self) {
        let Self { arrays, direction, change, .. } = self;
        let mut at = Following {
            shifts: &arrays.shifts,
            rows: &mut arrays.rows,
            offset: &mut arrays.offset,
            load_fractions: &mut arrays.load_fractions,
            vectors: [&mut arrays.state, direction, change],
            motions: arrays.motions,
        };
        for batch in arrays.batches.chunks_exact(BATCH).filter(|batch| batch[BATCH_MOVES] > 0) {
            (0..WIDTH).for_each(|lane| sweep_follow(batch, lane, &mut at));
        }
    }

    fn natural_map(&self) -> T {
        let Self { arrays, .. } = self;
        let items = (0..arrays.batches.len() / BATCH).flat_map(|k| (0..WIDTH).map(move |lane| (k, lane)));
        let map = |(k, lane)| sweep_map(&Self::held(arrays, k), lane, arrays.motions, &arrays.state);
        let maps: Vec<T> = items.map(map).collect();
        let groups = (0..maps.len().div_ceil(64)).map(|g| sweep_map_group(&maps, g));
        groups.fold(T::zero(), |worst, map| worst.max(map))
    }
}

impl<T: Real + Send + Sync + Into<f64>> DeviceSweeps for TwinSweeps<T> {
    fn sweep(&mut self, n: usize) -> Result<f64, Lost> {
        (0..n).for_each(|_| self.once());
        if n > 0 {
            self.follow();
        }
        let square: f64 = self.scalars[0].into();
        Ok(if square.is_finite() { self.natural_map().into() } else { f64::NAN })
    }

    fn fetch(&mut self, out: SweptState<'_>) -> Result<(), Lost> {
        self.arrays.take(self.arrays.state.iter().map(|x| (*x).into()), out.x, out.w);
        out.offset.iter_mut().zip(&self.arrays.offset).for_each(|(to, from)| *to = (*from).into());
        let load_fractions = self.arrays.load_fractions.chunks_exact(LOAD_FRACTIONS * WIDTH);
        for (to, from) in out.excess.chunks_exact_mut(WIDTH).zip(load_fractions) {
            to.iter_mut().zip(&from[WIDTH..]).for_each(|(to, from)| *to = (*from).into());
        }
        Ok(())
    }

    fn renew(&mut self, rows: &SweptRows<'_>) -> Result<(), Lost> {
        self.arrays.renew(rows);
        Ok(())
    }
}
