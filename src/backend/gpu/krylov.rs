//! BiCGStab with the block-Jacobi preconditioner, all of it on the device: matrix, vectors and scalars stay there, one
//! read-back per test of convergence.

use super::device::{Bound, Buffer, Device, Kernel, numbers};
use super::program::source;
use crate::backend::{Fault, Precision};
use crate::kernels::dot_product::PORTION;
use crate::kernels::krylov_scalars as scalar;
use crate::linalg::{BLOCK, BLOCK_LEN, BlockKrylov, CompressedBlocks};
use std::sync::{Arc, Mutex};

/// Steps between two tests of convergence.
const STEPS_AT_ONCE: usize = 8;
/// Relative residual that f32 reaches.
const COARSE: f64 = 1e-5;

/// A device that solves.
#[derive(Debug)]
pub struct DeviceKrylov {
    device: Arc<Device>,
    precision: Precision,
    kernels: Kernels,
    system: Mutex<Option<System>>,
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
struct System {
    start: Vec<u32>,
    column: Vec<u32>,
    blocks: Buffer,
    vectors: [Buffer; 8],
    scalars: Buffer,
    /// Inverts the diagonal, and finds r̂·r.
    begin: Vec<Bound>,
    /// One step.
    step: Vec<Bound>,
}

impl DeviceKrylov {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// When one does not compile.
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
        Ok(Self { device, precision, kernels, system: Mutex::default() })
    }

    fn record(&self, matrix: &CompressedBlocks) -> Result<System, Fault> {
        let (device, kernels, n) = (&self.device, &self.kernels, matrix.n());
        let size = |numbers: usize| (numbers * self.precision.bytes()) as u64;
        let buffer = |what: &str, length: usize| device.buffer(what, size(length));
        let blocks = buffer("matrix", matrix.values.len())?;
        let inverse = buffer("diagonal", BLOCK_LEN * n)?;
        let parts = buffer("partial sums", (BLOCK * n).div_ceil(PORTION))?;
        let scalars = buffer("scalars", scalar::SCALARS)?;
        let vectors = (0..8).map(|_| buffer("vector", BLOCK * n)).collect::<Result<Vec<_>, _>>()?;
        let Ok(vectors) = <[Buffer; 8]>::try_from(vectors) else {
            return Err(Fault::Lost("vectors are missing".to_owned()));
        };
        let [start, column, diagonal] =
            [&matrix.start, &matrix.column, &matrix.diagonal].map(|words| device.upload("pattern", words));
        let (start, column, diagonal) = (start?, column?, diagonal?);
        let each: Vec<u32> = (0..=n as u32).collect();
        let each = device.upload("pattern", &each)?;
        let recorder = Recorder { device, kernels, n, parts: &parts, scalars: &scalars, vectors: &vectors };
        let jacobi = device.bind(&kernels.jacobi, n, [0; 2], &[&diagonal, &blocks, &inverse])?;
        let mut begin = vec![jacobi];
        begin.extend(recorder.dot(Place::Shadow, Place::R, scalar::SHADOW)?);
        let step = recorder.step([&start, &column, &blocks], [&each, &each, &inverse])?;
        let (start, column) = (matrix.start.clone(), matrix.column.clone());
        Ok(System { start, column, blocks, vectors, scalars, begin, step })
    }

    fn solve_as<T: bytemuck::Pod>(
        &self,
        matrix: &CompressedBlocks,
        b: &[f64],
        tolerance: f64,
        most: usize,
        narrow: fn(f64) -> T,
        widen: fn(T) -> f64,
    ) -> Result<(Vec<f64>, usize, bool), Fault> {
        let mut kept = self.system.lock().unwrap_or_else(|e| e.into_inner());
        let same = |s: &System| s.start == matrix.start && s.column == matrix.column;
        if !kept.as_ref().is_some_and(same) {
            *kept = Some(self.record(matrix)?);
        }
        let Some(system) = kept.as_ref() else { return Err(Fault::Lost("no system".to_owned())) };
        let device = &self.device;
        let convert = |values: &[f64]| values.iter().map(|x| narrow(*x)).collect::<Vec<T>>();
        let norm = b.iter().map(|x| x * x).sum::<f64>().sqrt();
        // In units of |b|: squares of small numbers vanish in f32.
        let unit: Vec<T> = b.iter().map(|x| narrow(x / norm)).collect();
        device.write(&system.blocks, &convert(&matrix.values));
        for place in [Place::R, Place::Shadow] {
            device.write(&system.vectors[place as usize], &unit);
        }
        let zeros = convert(&vec![0.0; b.len()]);
        for place in [Place::P, Place::V, Place::X] {
            device.write(&system.vectors[place as usize], &zeros);
        }
        let mut scalars = [0.0; scalar::SCALARS];
        for place in [scalar::LAST, scalar::ALPHA, scalar::OMEGA, scalar::SQUARE] {
            scalars[place] = 1.0;
        }
        scalars[scalar::GOAL] = tolerance * tolerance;
        device.write(&system.scalars, &convert(&scalars));
        let x = &system.vectors[Place::X as usize];
        let bytes = |n: usize| (n * self.precision.bytes()) as u64;
        let mut commands: Vec<&Bound> = system.begin.iter().collect();
        for _ in 0..most.div_ceil(STEPS_AT_ONCE) {
            (0..STEPS_AT_ONCE.min(most)).for_each(|_| commands.extend(&system.step));
            let reads = [(&system.scalars, bytes(scalar::SCALARS)), (x, bytes(b.len()))];
            let read = device.submit(&commands, &reads)?;
            commands.clear();
            let scalars: Vec<T> = numbers(&read[0]);
            let square = widen(scalars[scalar::SQUARE]);
            let steps = widen(scalars[scalar::COUNT]) as usize;
            let solved = square <= tolerance * tolerance * (1.0 + 1e-6);
            if solved || !square.is_finite() || steps >= most {
                let x = numbers::<T>(&read[1]).into_iter().map(|x| widen(x) * norm).collect();
                return Ok((x, steps, solved));
            }
        }
        Ok((Vec::new(), most, false))
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

    /// r̂·r is known at the beginning of a step.
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
        let outcome = match self.precision {
            Precision::F32 => {
                self.solve_as::<f32>(matrix, b, tolerance.max(COARSE), most, |x| x as f32, f64::from)
            }
            Precision::F64 => self.solve_as::<f64>(matrix, b, tolerance, most, |x| x, |x| x),
        };
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
