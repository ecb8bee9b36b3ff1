//! BiCGStab with the block-Jacobi preconditioner, all of it on the device: matrix, vectors and scalars are
//! kept on it, with one read-back per test of convergence.

use super::device::{Bound, Buffer, Device, Kernel};
use super::numbers::{BufferPool, read, write};
use super::program::source;
use crate::{Fault, Precision};
use signorini_kernels::dot_product::PORTION;
use signorini_kernels::krylov_scalars as scalar;
use signorini_ncp::linalg::{BLOCK, BLOCK_LEN, BlockKrylov, CompressedBlocks};
use std::sync::{Arc, Mutex};

/// Number of steps between two tests of convergence.
const STEPS_AT_ONCE: usize = 8;
/// Relative residual that f32 attains.
const COARSE: f64 = 1e-5;

/// A device that solves linear systems.
#[derive(Debug)]
pub struct DeviceKrylov {
    device: Arc<Device>,
    precision: Precision,
    kernels: Kernels,
    kept: Mutex<UploadedMatrix>,
}

/// Last matrix that was uploaded.
#[derive(Debug, Default)]
struct UploadedMatrix {
    start: Vec<u32>,
    column: Vec<u32>,
    pool: BufferPool,
    system: Option<(Buffer, System)>,
}

#[derive(Debug)]
struct Kernels {
    product: Kernel,
    jacobi: Kernel,
    vector_sum: Kernel,
    scaled_sum: Kernel,
    dot: Kernel,
    total: Kernel,
    scalars: Kernel,
}

/// Vectors of a system, by place.
#[derive(Clone, Copy)]
enum Place {
    R,
    Shadow,
    P,
    V,
    Y,
    Z,
    T,
    X,
}

/// Buffers and recorded commands for one pattern.
#[derive(Debug)]
pub struct System {
    vectors: [Buffer; 8],
    scalars: Buffer,
    /// Commands that invert the diagonal, and find r̂·r.
    begin: Vec<Bound>,
    /// Commands of one step.
    step: Vec<Bound>,
}

impl DeviceKrylov {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// When a kernel does not compile.
    pub fn new(device: Arc<Device>, precision: Precision) -> Result<Self, Fault> {
        let [sum, dot] = ["vector_sum", "dot_product"].map(|name| source(name, precision));
        let kernels = Kernels {
            product: device.compile(&source("block_product", precision))?,
            jacobi: device.compile(&source("block_jacobi", precision))?,
            vector_sum: device.compile(&sum)?,
            scaled_sum: device.compile_entry(&sum, "scaled_sum")?,
            dot: device.compile(&dot)?,
            total: device.compile_entry(&dot, "dot_total")?,
            scalars: device.compile(&source("krylov_scalars", precision))?,
        };
        Ok(Self { device, precision, kernels, kept: Mutex::default() })
    }

    /// Records the commands for a pattern whose blocks are in a buffer. Vectors come from a pool, from
    /// `place` on.
    ///
    /// # Errors
    /// When the device fails or the data do not fit.
    pub fn record(
        &self,
        matrix: &CompressedBlocks,
        blocks: &Buffer,
        pool: &mut BufferPool,
        place: usize,
    ) -> Result<System, Fault> {
        let (device, kernels, n) = (&self.device, &self.kernels, matrix.n());
        let size = |numbers: usize| (numbers * self.precision.bytes()) as u64;
        let mut places = place..;
        let mut buffer = |what: &str, bytes: u64| {
            let place = places.next().unwrap_or(usize::MAX);
            pool.grow(device, place, what, bytes)
        };
        let inverse = buffer("diagonal", size(BLOCK_LEN * n))?;
        let parts = buffer("partial sums", size((BLOCK * n).div_ceil(PORTION)))?;
        let scalars = buffer("scalars", size(scalar::SCALARS))?;
        let vectors = (0..8).map(|_| buffer("vector", size(BLOCK * n))).collect::<Result<Vec<_>, _>>()?;
        let Ok(vectors) = <[Buffer; 8]>::try_from(vectors) else {
            return Err(Fault::Lost("vectors are missing".to_owned()));
        };
        let each: Vec<u32> = (0..=n as u32).collect();
        let mut words = |words: &[u32]| {
            let buffer = buffer("pattern", size_of_val(words) as u64)?;
            device.write(&buffer, words);
            Ok(buffer)
        };
        let (start, column) = (words(&matrix.start)?, words(&matrix.column)?);
        let (diagonal, each) = (words(&matrix.diagonal)?, words(&each)?);
        let recorder = Recorder { device, kernels, n, parts: &parts, scalars: &scalars, vectors: &vectors };
        let jacobi = device.bind(&kernels.jacobi, n, [0; 2], &[&diagonal, blocks, &inverse])?;
        let mut begin = vec![jacobi];
        begin.extend(recorder.dot(Place::Shadow, Place::R, scalar::SHADOW)?);
        let step = recorder.step([&start, &column, blocks], [&each, &each, &inverse])?;
        Ok(System { vectors, scalars, begin, step })
    }

    /// Solves with the current blocks on the device after the commands `first`. Returns x, the steps taken,
    /// and whether |b − A x| ≤ `tolerance` |b|.
    ///
    /// # Errors
    /// When the device fails.
    pub fn iterate(
        &self,
        system: &System,
        first: &[&Bound],
        b: &[f64],
        tolerance: f64,
        most: usize,
    ) -> Result<(Vec<f64>, usize, bool), Fault> {
        let (device, precision) = (&self.device, self.precision);
        let tolerance = if precision == Precision::F32 { tolerance.max(COARSE) } else { tolerance };
        let put = |buffer: &Buffer, values: &[f64]| write(device, precision, buffer, values);
        let norm = b.iter().map(|x| x * x).sum::<f64>().sqrt();
        // The solve is in units of |b|: squares of small numbers vanish in f32.
        let unit: Vec<f64> = b.iter().map(|x| x / norm).collect();
        for place in [Place::R, Place::Shadow] {
            put(&system.vectors[place as usize], &unit);
        }
        let zeros = vec![0.0; b.len()];
        for place in [Place::P, Place::V, Place::X] {
            put(&system.vectors[place as usize], &zeros);
        }
        let mut scalars = [0.0; scalar::SCALARS];
        for place in [scalar::LAST, scalar::ALPHA, scalar::OMEGA, scalar::SQUARE] {
            scalars[place] = 1.0;
        }
        scalars[scalar::GOAL] = tolerance * tolerance;
        put(&system.scalars, &scalars);
        let x = &system.vectors[Place::X as usize];
        let bytes = |n: usize| (n * precision.bytes()) as u64;
        let mut commands: Vec<&Bound> = first.iter().copied().chain(&system.begin).collect();
        for _ in 0..most.div_ceil(STEPS_AT_ONCE) {
            (0..STEPS_AT_ONCE.min(most)).for_each(|_| commands.extend(&system.step));
            let reads = [(&system.scalars, bytes(scalar::SCALARS)), (x, bytes(b.len()))];
            let found = device.submit(&commands, &reads)?;
            commands.clear();
            let scalars = read(precision, &found[0]);
            let square = scalars[scalar::SQUARE];
            let steps = scalars[scalar::COUNT] as usize;
            let solved = square <= tolerance * tolerance * (1.0 + 1e-6);
            if solved || !square.is_finite() || steps >= most {
                let x = read(precision, &found[1]).into_iter().map(|x| x * norm).collect();
                return Ok((x, steps, solved));
            }
        }
        Ok((Vec::new(), most, false))
    }

    fn solve_uploaded(
        &self,
        matrix: &CompressedBlocks,
        b: &[f64],
        tolerance: f64,
        most: usize,
    ) -> Result<(Vec<f64>, usize, bool), Fault> {
        let kept = &mut *self.kept.lock().unwrap_or_else(|e| e.into_inner());
        let same = kept.start == matrix.start && kept.column == matrix.column;
        if !same || kept.system.is_none() {
            kept.system = None;
            let bytes = (matrix.values.len() * self.precision.bytes()) as u64;
            let blocks = kept.pool.grow(&self.device, 0, "matrix", bytes)?;
            let system = self.record(matrix, &blocks, &mut kept.pool, 1)?;
            (kept.start, kept.column) = (matrix.start.clone(), matrix.column.clone());
            kept.system = Some((blocks, system));
        }
        let Some((blocks, system)) = &kept.system else { return Err(Fault::Lost("no system".to_owned())) };
        write(&self.device, self.precision, blocks, &matrix.values);
        self.iterate(system, &[], b, tolerance, most)
    }
}

struct Recorder<'a> {
    device: &'a Device,
    kernels: &'a Kernels,
    n: usize,
    parts: &'a Buffer,
    scalars: &'a Buffer,
    vectors: &'a [Buffer; 8],
}

impl Recorder<'_> {
    fn vector(&self, place: Place) -> &Buffer {
        &self.vectors[place as usize]
    }

    fn dot(&self, x: Place, y: Place, to: usize) -> Result<[Bound; 2], Fault> {
        let length = BLOCK * self.n;
        let groups = length.div_ceil(PORTION);
        let words = [length as u32, 0];
        let buffers = [self.vector(x), self.vector(y), self.parts];
        let parts = self.device.bind(&self.kernels.dot, 64 * groups, words, &buffers)?;
        let words = [groups as u32, to as u32];
        let total =
            self.device.bind(&self.kernels.total, 64, words, &[self.parts, self.parts, self.scalars])?;
        Ok([parts, total])
    }

    fn sum(&self, kernel: &Kernel, scalar: usize, x: Place, y: Place) -> Result<Bound, Fault> {
        let buffers = [self.scalars, self.vector(x), self.vector(y)];
        self.device.bind(kernel, BLOCK * self.n, [scalar as u32, 0], &buffers)
    }

    fn product(&self, matrix: [&Buffer; 3], x: Place, y: Place) -> Result<Bound, Fault> {
        let buffers = [matrix[0], matrix[1], matrix[2], self.vector(x), self.vector(y)];
        self.device.bind(&self.kernels.product, self.n, [0; 2], &buffers)
    }

    fn stage(&self, stage: u32) -> Result<Bound, Fault> {
        self.device.bind(&self.kernels.scalars, 1, [stage, 0], &[self.scalars])
    }

    /// Records the commands of one step; r̂·r is known at its beginning.
    fn step(&self, matrix: [&Buffer; 3], inverse: [&Buffer; 3]) -> Result<Vec<Bound>, Fault> {
        use Place::{P, R, Shadow, T, V, X, Y, Z};
        let k = self.kernels;
        let mut step = vec![
            self.stage(0)?,
            self.sum(&k.vector_sum, scalar::MINUS_OMEGA, V, P)?,
            self.sum(&k.scaled_sum, scalar::BETA, R, P)?,
            self.product(inverse, P, Y)?,
            self.product(matrix, Y, V)?,
        ];
        step.extend(self.dot(Shadow, V, scalar::STEERED)?);
        step.push(self.stage(1)?);
        step.push(self.sum(&k.vector_sum, scalar::MINUS_ALPHA, V, R)?);
        step.push(self.product(inverse, R, Z)?);
        step.push(self.product(matrix, Z, T)?);
        step.extend(self.dot(T, R, scalar::TS)?);
        step.extend(self.dot(T, T, scalar::TT)?);
        step.push(self.stage(2)?);
        step.push(self.sum(&k.vector_sum, scalar::ALPHA, Y, X)?);
        step.push(self.sum(&k.vector_sum, scalar::OMEGA, Z, X)?);
        step.push(self.sum(&k.vector_sum, scalar::MINUS_OMEGA, T, R)?);
        step.extend(self.dot(R, R, scalar::SQUARE)?);
        step.extend(self.dot(Shadow, R, scalar::SHADOW)?);
        Ok(step)
    }
}

impl BlockKrylov for DeviceKrylov {
    fn solve(
        &self,
        matrix: &CompressedBlocks,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Option<usize> {
        if b.iter().all(|b| *b == 0.0) {
            x.fill(0.0);
            return Some(0);
        }
        let outcome = self.solve_uploaded(matrix, b, tolerance, most);
        match outcome {
            Ok((found, steps, true)) if found.iter().all(|x| x.is_finite()) => {
                x.copy_from_slice(&found);
                Some(steps)
            }
            Ok(_) => None,
            Err(fault) => {
                tracing::warn!("{}: {fault}", self.device.name());
                None
            }
        }
    }
}
