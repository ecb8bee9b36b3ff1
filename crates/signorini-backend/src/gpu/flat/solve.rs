//! One solve on the device: its buffers, and the commands of a sweep, a turn and a check.

use super::shared::Shared;
use crate::Fault;
use crate::gpu::device::{Bound, Buffer, Kernel, in_place};
use crate::gpu::pools::BufferPool;
use signorini_kernels::device_flat::{FlatAnswers, FlatArrays, FlatRound, FlatSolve, Lost};
use signorini_kernels::flat_change::PORTION;
use signorini_kernels::flat_contact::{
    LARGEST, LAST_SQUARE, MOVED, OF_HOST, PASS_SQUARE, PROXIMAL, SCALARS, STILL, SWEEPS,
};
use signorini_kernels::flat_gather::ANSWER;
use std::sync::Arc;

/// Number of threads of a group.
const GROUP: usize = crate::gpu::device::GROUP as usize;
/// Last word of a grid: contacts and bodies of a sweep, or of a turn.
const IN_SWEEP: u32 = 1;
const IN_TURN: u32 = 0;

/// Places of the pool.
#[derive(Debug, Clone, Copy)]
enum Place {
    Keys,
    Incidence,
    Frames,
    Rows,
    States,
    Bodies,
    Bases,
    Swept,
    Directions,
    Scalars,
    Parts,
    Explained,
    Answers,
}

/// Names of the places in messages.
const PLACES: [&str; 13] = [
    "keys",
    "incidence",
    "frames",
    "rows",
    "impulses",
    "bodies",
    "velocities",
    "changes of velocity",
    "directions",
    "scalars",
    "parts",
    "explained velocities",
    "answers",
];

/// A solve on the device.
#[derive(Debug)]
pub struct GpuFlatSolve {
    shared: Arc<Shared>,
    pool: BufferPool,
    buffers: Vec<Buffer>,
    numbers: [usize; 2],
    host: [f32; OF_HOST],
    sweep: Vec<Bound>,
    turn: Vec<Bound>,
    check: Vec<Bound>,
}

impl Drop for GpuFlatSolve {
    fn drop(&mut self) {
        self.shared.pools.put(std::mem::take(&mut self.pool));
    }
}

impl GpuFlatSolve {
    /// Uploads the arrays and records the commands.
    ///
    /// # Errors
    /// When the device fails, or an array is too large for it.
    pub fn new(shared: Arc<Shared>, arrays: &FlatArrays) -> Result<Self, Fault> {
        let pool = shared.pools.take();
        let mut host = [0.0; OF_HOST];
        host[PROXIMAL] = arrays.proximal;
        let mut solve = Self {
            shared,
            pool,
            buffers: Vec::new(),
            numbers: [arrays.n_moving, arrays.keys.len()],
            host,
            sweep: Vec::new(),
            turn: Vec::new(),
            check: Vec::new(),
        };
        solve.upload(arrays)?;
        solve.record(arrays)?;
        Ok(solve)
    }

    fn at(&self, place: Place) -> &Buffer {
        &self.buffers[place as usize]
    }

    fn upload(&mut self, arrays: &FlatArrays) -> Result<(), Fault> {
        let keys: Vec<[u32; 4]> = arrays.keys.iter().map(|key| key.words()).collect();
        let mut scalars = [0.0_f32; SCALARS];
        scalars[..OF_HOST].copy_from_slice(&self.host);
        scalars[LAST_SQUARE] = -1.0;
        let [bodies, contacts] = self.numbers;
        let written: [&[u8]; 10] = [
            bytemuck::cast_slice(&keys),
            bytemuck::cast_slice(&arrays.incidence),
            bytemuck::cast_slice(&arrays.frames),
            bytemuck::cast_slice(&arrays.rows),
            bytemuck::cast_slice(&arrays.states),
            bytemuck::cast_slice(&arrays.bodies),
            bytemuck::cast_slice(&arrays.bases),
            bytemuck::cast_slice(&arrays.swept),
            bytemuck::cast_slice(&arrays.directions),
            bytemuck::cast_slice(&scalars),
        ];
        let parts = size_of::<[f32; 4]>() * contacts.div_ceil(PORTION);
        let others = [parts, size_of::<[f64; 8]>() * bodies, size_of::<[f32; ANSWER]>() * contacts];
        let sizes = written.iter().map(|bytes| bytes.len()).chain(others);
        for (place, size) in sizes.enumerate() {
            let buffer = self.pool.grow(&self.shared.device, place, PLACES[place], size as u64)?;
            self.buffers.push(buffer);
        }
        for (buffer, bytes) in self.buffers.iter().zip(written) {
            self.shared.device.write(buffer, bytes);
        }
        Ok(())
    }

    fn bind(&self, kernel: &Kernel, n: usize, words: [usize; 2], places: &[Place]) -> Result<Bound, Fault> {
        let buffers: Vec<&Buffer> = places.iter().map(|place| self.at(*place)).collect();
        self.shared.device.bind(kernel, n, words.map(|word| word as u32), &buffers)
    }

    /// Records the commands.
    fn record(&mut self, arrays: &FlatArrays) -> Result<(), Fault> {
        use Place::{
            Answers, Bases, Bodies, Directions, Explained, Frames, Incidence, Keys, Parts, Rows, Scalars,
            States, Swept,
        };
        let (k, [bodies, contacts]) = (&self.shared.kernels, self.numbers);
        let groups = contacts.div_ceil(PORTION);
        let [in_sweep, in_turn] = [IN_SWEEP, IN_TURN].map(|word| word as usize);
        let extrapolation =
            |word| self.bind(&k.extrapolation, bodies, [0, word], &[Scalars, Swept, Directions]);
        let change = self.bind(&k.change, GROUP * groups, [contacts, 0], &[Rows, States, Parts])?;
        let scalars = |word| self.bind(&k.scalars, 1, [groups, word], &[Parts, Scalars]);
        let turned = [Keys, Bodies, Bases, Scalars, Frames, Rows, States, Swept];
        let mut sweep = vec![extrapolation(in_sweep)?];
        let gathered = [Incidence, Rows, States, Frames, Bodies, Bases, Swept, Directions];
        let mut turn = vec![
            self.bind(&k.impulses, contacts, [0; 2], &[Scalars, States])?,
            extrapolation(in_turn)?,
            self.bind(&k.gather, bodies, [0; 2], &gathered)?,
        ];
        for colour in &arrays.colours {
            let (n, first) = (colour.len(), colour.start);
            sweep.push(self.bind(&k.sweep, n, [first, 0], &[Keys, Rows, States, Swept, Scalars])?);
            turn.push(self.bind(&k.turn, n, [first, 0], &turned)?);
        }
        let after = [change, scalars(in_sweep)?];
        turn.extend([after[0].clone(), scalars(in_turn)?]);
        sweep.extend(after);
        let explained = [Incidence, Rows, States, Frames, Bodies, Explained];
        let check = vec![
            self.bind(&k.explained, bodies, [0; 2], &explained)?,
            self.bind(&k.answers, contacts, [0; 2], &[Rows, States, Answers])?,
        ];
        (self.sweep, self.turn, self.check) = (sweep, turn, check);
        Ok(())
    }

    fn make_round(&mut self, sweeps: usize, still: f32) -> Result<FlatRound, Fault> {
        self.host[STILL] = still;
        self.shared.device.write(self.at(Place::Scalars), &self.host);
        let commands: Vec<&Bound> = (0..sweeps).flat_map(|_| &self.sweep).chain(&self.turn).collect();
        let read = (self.at(Place::Scalars), size_of::<[f32; SCALARS]>() as u64);
        let found = self.shared.device.submit(&commands, &[read])?;
        let scalars = in_place::<f32>(&found[0]);
        let wide = |k: usize| f64::from(scalars[k]);
        Ok(FlatRound {
            sweeps: scalars[SWEEPS] as usize,
            square: wide(PASS_SQUARE),
            // A maximum may pass over a NaN; a sum does not.
            largest: if wide(PASS_SQUARE).is_finite() { wide(LARGEST) } else { f64::NAN },
            moved: wide(MOVED),
        })
    }

    fn read_back(&self, out: &mut FlatAnswers) -> Result<(), Fault> {
        let [bodies, contacts] = self.numbers;
        let reads = [
            (self.at(Place::Explained), (size_of::<[f64; 8]>() * bodies) as u64),
            (self.at(Place::Answers), (size_of::<[f32; ANSWER]>() * contacts) as u64),
        ];
        let commands: Vec<&Bound> = self.check.iter().collect();
        let FlatAnswers { velocities, contacts } = out;
        velocities.clear();
        contacts.clear();
        self.shared.device.submit_and(&commands, &reads, |k, bytes| match k {
            0 => velocities.extend_from_slice(&in_place::<[f64; 8]>(bytes)),
            _ => contacts.extend_from_slice(&in_place::<[f32; ANSWER]>(bytes)),
        })
    }
}

impl FlatSolve for GpuFlatSolve {
    fn round(&mut self, sweeps: usize, still: f32) -> Result<FlatRound, Lost> {
        self.make_round(sweeps, still).map_err(|fault| self.shared.note(fault))
    }

    fn fetch(&mut self, out: &mut FlatAnswers) -> Result<(), Lost> {
        self.read_back(out).map_err(|fault| self.shared.note(fault))
    }
}
