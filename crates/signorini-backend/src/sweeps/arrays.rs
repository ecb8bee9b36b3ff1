//! Rows of sweeps as kernels read them, in their precision.
//!
//! In f32 squares of small impulses vanish. Impulses are therefore in a unit s near the largest r: x/s, w/√s,
//! √s J, r/s. √s is a power of two, so that the scaling rounds nothing.

use rayon::prelude::*;
use signorini_kernels::device_sweeps::SweptRows;
use signorini_kernels::real::Real;
use signorini_kernels::sweep_batch::{
    ENTRIES, LAW_STEP, LAW_UNIT, LAW_WEIGHT, LAWS, LOAD_FRACTIONS, SHIFT_ENTRIES, WIDTH,
};

/// Numbers that a thread lays out at a time.
const PORTION: usize = 1 << 14;
/// Number in place of infinite bounds: kernels need not know infinity.
const FAR: f64 = 1e30;

/// Arrays of the kernels.
#[derive(Debug)]
pub struct KernelArrays<T> {
    /// Words of all batches.
    pub batches: Vec<u32>,
    /// Laws of all batches.
    pub laws: Vec<T>,
    /// Entries of all rows.
    pub rows: Vec<T>,
    /// Offset y₀ of each row.
    pub offset: Vec<T>,
    /// Weight r of each row.
    pub weight: Vec<T>,
    /// Bounds of each row.
    pub bounds: Vec<T>,
    /// Load fraction and excess of each row.
    pub load_fractions: Vec<T>,
    /// Shift rows, each with its y₀.
    pub shifts: Vec<T>,
    /// Impulses, then motions.
    pub state: Vec<T>,
    /// Root √s of the unit.
    pub root: f64,
    /// Index of the first motion.
    pub motions: usize,
}

/// Root √s of the unit for f32.
pub fn narrow_unit(rows: &SweptRows<'_>) -> f64 {
    let largest = rows.weight.par_iter().copied().reduce(|| 0.0, f64::max);
    if largest > 0.0 { largest.sqrt().log2().round().exp2() } else { 1.0 }
}

impl<T: Real + Send + Sync> KernelArrays<T> {
    /// Lays rows out with this √s.
    pub fn new(rows: &SweptRows<'_>, root: f64) -> Self {
        let unit = root * root;
        let bounds: Vec<f64> = rows.bounds.par_iter().map(|b| b.clamp(-FAR * unit, FAR * unit)).collect();
        let mut arrays = Self {
            batches: rows.batches.as_flattened().to_vec(),
            laws: laws(rows.laws, unit),
            rows: scaled(rows.rows, root),
            weight: scaled(rows.weight, unit.recip()),
            bounds: scaled(&bounds, unit.recip()),
            root,
            motions: rows.x.len(),
            load_fractions: vec![T::zero(); LOAD_FRACTIONS * rows.load_fraction.len()],
            offset: Vec::new(),
            shifts: Vec::new(),
            state: Vec::new(),
        };
        arrays.renew(rows);
        for (to, from) in arrays
            .load_fractions
            .chunks_exact_mut(LOAD_FRACTIONS * WIDTH)
            .zip(rows.load_fraction.chunks_exact(WIDTH))
        {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = T::of(*from));
        }
        arrays
    }

    /// Lays out again the values that change: impulses and motions, y₀ of rows and shift rows.
    pub fn renew(&mut self, rows: &SweptRows<'_>) {
        let [impulses, motions] = [(self.root * self.root).recip(), self.root.recip()];
        self.state = scaled(rows.x, impulses);
        self.state.extend(scaled::<T>(rows.w, motions));
        self.offset = scaled(rows.offset, 1.0);
        self.shifts.resize(SHIFT_ENTRIES * rows.shift_offset.len(), T::zero());
        let shifts = rows.shift_rows.chunks_exact(ENTRIES * WIDTH).zip(rows.shift_offset.chunks_exact(WIDTH));
        for (to, (row, offset)) in self.shifts.chunks_exact_mut(SHIFT_ENTRIES * WIDTH).zip(shifts) {
            let row = row.iter().map(|entry| entry * self.root);
            to.iter_mut().zip(row.chain(offset.iter().copied())).for_each(|(to, from)| *to = T::of(from));
        }
    }

    /// Takes impulses (N s) and motions from a state that was read.
    pub fn take(&self, state: impl Iterator<Item = f64>, x: &mut [f64], w: &mut [f64]) {
        let unit = self.root * self.root;
        let scales = x.iter_mut().map(|x| (x, unit)).chain(w.iter_mut().map(|w| (w, self.root)));
        scales.zip(state).for_each(|((to, scale), from)| *to = scale * from);
    }
}

fn scaled<T: Real + Send + Sync>(numbers: &[f64], scale: f64) -> Vec<T> {
    numbers.par_iter().with_min_len(PORTION).map(|x| T::of(scale * x)).collect()
}

fn laws<T: Real>(laws: &[f64], unit: f64) -> Vec<T> {
    let scale = |k: usize| match k {
        LAW_WEIGHT | LAW_STEP => unit.recip(),
        LAW_UNIT => unit,
        _ => 1.0,
    };
    laws.iter().enumerate().map(|(i, x)| T::of(x * scale(i / WIDTH % LAWS))).collect()
}
