//! The smooth pairs of one island, kept on the device: rows, stiffness, derivatives, Newton matrix and Krylov
//! vectors never leave it. Buffers are pooled and grow before anything is dispatched: every count is known on
//! the host, nothing is truncated. Commands are recorded once per set of pairs and buffers, and submitted
//! again and again.

mod answers;
mod graph;

use super::DeviceKrylov;
use super::device::{Bound, Buffer, Device, Kernel};
use super::krylov::System;
use super::numbers::{BufferPool, Number, check_finite, flat, read, read_items, write};
use super::program::source;
use crate::device_island::{DeviceIsland, DeviceLinearization, IslandData};
use crate::{Batch, Evaluated, Fault, Precision};
use graph::Graph;
use signorini_kernels::body_momentum::BODY;
use signorini_kernels::device_pairs::{DevicePairs, Lost};
use signorini_kernels::types::{
    BodyState, ContactDerivative, ContactLawState, PairGeometry, PairKey, PairRows, PairState,
};
use signorini_ncp::linalg::{BLOCK, BLOCK_LEN};
use std::sync::Arc;

/// Compiled kernels of pairs that are kept on the device.
#[derive(Debug)]
pub struct IslandKernels {
    geometry: Kernel,
    rows: Kernel,
    weights: Kernel,
    slip: Kernel,
    natural_map: Kernel,
    projection: Kernel,
    momentum: Kernel,
    blocks: Kernel,
}

impl IslandKernels {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// When a kernel does not compile.
    pub fn new(device: &Device, precision: Precision) -> Result<Self, Fault> {
        let kernel = |name: &str| device.compile(&source(name, precision));
        Ok(Self {
            geometry: kernel("pair_geometry")?,
            rows: kernel("contact_rows")?,
            weights: kernel("contact_weights")?,
            slip: kernel("contact_slip")?,
            natural_map: kernel("natural_map")?,
            projection: kernel("cone_projection")?,
            momentum: kernel("body_momentum")?,
            blocks: kernel("newton_blocks")?,
        })
    }
}

/// Places of the pool; those of the iterative solver come after them.
#[derive(Debug, Clone, Copy)]
enum IslandBuffer {
    Bodies,
    Keys,
    Pairs,
    Geometry,
    Step,
    Rows,
    Masses,
    Inverse,
    Moved,
    Law,
    Rho,
    Derivatives,
    Residual,
    Force,
    BodyStart,
    BodyTerms,
    RowStart,
    Angular,
    Blocks,
}

const PLACES: usize = IslandBuffer::Blocks as usize + 1;

/// Buffers and commands for one set of pairs.
#[derive(Debug)]
struct Recorded {
    buffers: Vec<Buffer>,
    geometry: Bound,
    rows: Bound,
    weights: Bound,
    slip: Bound,
    natural_map: Bound,
    projection: Bound,
    momentum: Bound,
    blocks: Bound,
    system: System,
    /// Value of [`BufferPool::replaced`] when the commands were recorded.
    replaced: usize,
}

impl Recorded {
    fn at(&self, place: IslandBuffer) -> &Buffer {
        &self.buffers[place as usize]
    }
}

/// The pairs of one island on a device.
#[derive(Debug)]
pub struct GpuIsland {
    device: Arc<Device>,
    precision: Precision,
    kernels: Arc<IslandKernels>,
    krylov: Arc<DeviceKrylov>,
    pool: BufferPool,
    /// Bodies of the pairs, as recorded.
    keys: Vec<(u32, u32)>,
    /// Number of moving bodies.
    n_moving: usize,
    /// Number of all bodies.
    n_bodies: usize,
    graph: Graph,
    recorded: Option<Recorded>,
    /// Whether the Newton matrix still has to be made of the derivatives.
    is_stale: bool,
    fault: Option<Fault>,
}

impl GpuIsland {
    /// Makes an island without any linearisation.
    pub fn new(
        device: Arc<Device>,
        precision: Precision,
        kernels: Arc<IslandKernels>,
        krylov: Arc<DeviceKrylov>,
    ) -> Self {
        Self {
            device,
            precision,
            kernels,
            krylov,
            pool: BufferPool::default(),
            keys: Vec::new(),
            n_moving: 0,
            n_bodies: 0,
            graph: Graph::default(),
            recorded: None,
            is_stale: false,
            fault: None,
        }
    }

    /// Prepares a set of pairs: buffers, gather lists, commands.
    fn prepare(&mut self, batch: &Batch, island: &IslandData) -> Result<(), Fault> {
        let same = self.n_moving == island.n_moving
            && self.n_bodies == batch.bodies.len()
            && self.keys.iter().copied().eq(batch.keys.iter().map(|k| (k.body_a, k.body_b)));
        if same && self.recorded.as_ref().is_some_and(|r| r.replaced == self.pool.replaced) {
            return Ok(());
        }
        self.recorded = None;
        self.keys.clear();
        self.keys.extend(batch.keys.iter().map(|k| (k.body_a, k.body_b)));
        (self.n_moving, self.n_bodies) = (island.n_moving, batch.bodies.len());
        self.graph = Graph::new(&batch.keys, island.n_moving);
        self.recorded = Some(self.record()?);
        Ok(())
    }

    /// Bytes of each place, in order.
    fn sizes(&self) -> [(IslandBuffer, usize); PLACES] {
        use IslandBuffer as P;
        let (n, m, all) = (self.keys.len(), self.n_moving, self.n_bodies);
        let numbers = |count: usize| count * self.precision.bytes();
        let graph = &self.graph;
        [
            (P::Bodies, numbers(all * BodyState::<f64>::LEN)),
            (P::Keys, 16 * n),
            (P::Pairs, numbers(n * PairState::<f64>::LEN)),
            (P::Geometry, numbers(n * PairGeometry::<f64>::LEN)),
            (P::Step, numbers(1)),
            (P::Rows, numbers(n * PairRows::<f64>::LEN)),
            (P::Masses, numbers(m * BODY)),
            (P::Inverse, numbers(all * BLOCK_LEN)),
            (P::Moved, numbers(all * BLOCK)),
            (P::Law, numbers(n * ContactLawState::<f64>::LEN)),
            (P::Rho, numbers(1)),
            (P::Derivatives, numbers(n * ContactDerivative::<f64>::LEN)),
            (P::Residual, numbers(2 * n)),
            (P::Force, numbers(m * BLOCK)),
            (P::BodyStart, 4 * graph.body_start.len()),
            (P::BodyTerms, 8 * graph.body_terms.len()),
            (P::RowStart, 4 * graph.pattern.start.len()),
            (P::Angular, numbers(1)),
            (P::Blocks, numbers(BLOCK_LEN * graph.pattern.column.len())),
        ]
    }

    fn record(&mut self) -> Result<Recorded, Fault> {
        use IslandBuffer as P;
        let mut buffers = Vec::with_capacity(PLACES);
        for (place, bytes) in self.sizes() {
            let what = format!("{place:?}");
            buffers.push(self.pool.grow(&self.device, place as usize, &what, bytes as u64)?);
        }
        let (device, graph, kernels) = (&self.device, &self.graph, &self.kernels);
        let at = |place: IslandBuffer| &buffers[place as usize];
        device.write(at(P::BodyStart), &graph.body_start);
        device.write(at(P::BodyTerms), &graph.body_terms);
        device.write(at(P::RowStart), &graph.pattern.start);
        let n = self.keys.len();
        let bind = |kernel: &Kernel, n: usize, places: &[IslandBuffer]| {
            let buffers: Vec<&Buffer> = places.iter().map(|p| at(*p)).collect();
            device.bind(kernel, n, [0; 2], &buffers)
        };
        let bodies = [P::Masses, P::Moved, P::BodyStart, P::BodyTerms, P::Rows, P::Derivatives, P::Force];
        let matrix = [
            P::RowStart,
            P::Masses,
            P::BodyStart,
            P::BodyTerms,
            P::Rows,
            P::Derivatives,
            P::Angular,
            P::Blocks,
        ];
        let inputs = [P::Bodies, P::Keys, P::Pairs, P::Geometry, P::Step, P::Rows];
        Ok(Recorded {
            geometry: bind(&kernels.geometry, n, &inputs[..4])?,
            rows: bind(&kernels.rows, n, &inputs)?,
            weights: bind(&kernels.weights, n, &[P::Keys, P::Rows, P::Inverse, P::Law])?,
            slip: bind(&kernels.slip, n, &[P::Keys, P::Rows, P::Moved, P::Law])?,
            natural_map: bind(&kernels.natural_map, n, &[P::Law, P::Residual])?,
            projection: bind(&kernels.projection, n, &[P::Law, P::Rho, P::Derivatives])?,
            momentum: bind(&kernels.momentum, self.n_moving, &bodies)?,
            blocks: bind(&kernels.blocks, self.n_moving, &matrix)?,
            system: self.krylov.record(&graph.pattern, at(P::Blocks), &mut self.pool, PLACES)?,
            replaced: self.pool.replaced,
            buffers,
        })
    }

    /// Returns the recorded commands, unless the device failed before.
    fn recorded(&self) -> Result<&Recorded, Fault> {
        match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => self.recorded.as_ref().ok_or_else(|| Fault::Lost("nothing is linearised".to_owned())),
        }
    }

    fn put(&self, recorded: &Recorded, place: IslandBuffer, values: &[f64]) {
        write(&self.device, self.precision, recorded.at(place), values);
    }

    /// Writes w of the moving bodies; fixed ones get 0.
    fn put_moved(&self, recorded: &Recorded, w: &[f64]) {
        let mut all = w.to_vec();
        all.resize(BLOCK * self.n_bodies, 0.0);
        self.put(recorded, IslandBuffer::Moved, &all);
    }

    /// Runs commands and reads so many numbers from places.
    fn run(
        &self,
        recorded: &Recorded,
        commands: &[&Bound],
        reads: &[(IslandBuffer, usize)],
    ) -> Result<Vec<Vec<f64>>, Fault> {
        let bytes = |n: usize| (n * self.precision.bytes()) as u64;
        let reads: Vec<_> = reads.iter().map(|(p, n)| (recorded.at(*p), bytes(*n))).collect();
        let found = self.device.submit(commands, &reads)?;
        Ok(found.iter().map(|bytes| read(self.precision, bytes)).collect())
    }

    fn upload(&self, recorded: &Recorded, batch: &Batch, island: &IslandData) {
        let bodies = flat(&batch.bodies, BodyState::<f64>::LEN, BodyState::write);
        let pairs = flat(&batch.pairs, PairState::<f64>::LEN, PairState::write);
        let words: Vec<[u32; 4]> = batch.keys.iter().map(PairKey::words).collect();
        self.device.write(recorded.at(IslandBuffer::Keys), &words);
        self.put(recorded, IslandBuffer::Bodies, &bodies);
        self.put(recorded, IslandBuffer::Pairs, &pairs);
        self.put(recorded, IslandBuffer::Step, &[batch.time_step]);
        self.put(recorded, IslandBuffer::Masses, &island.bodies);
        let mut inverse = island.inverse.clone();
        inverse.resize(BLOCK_LEN * self.n_bodies, 0.0);
        self.put(recorded, IslandBuffer::Inverse, &inverse);
        self.put_moved(recorded, &vec![0.0; BLOCK * self.n_moving]);
    }

    fn linearize_here(
        &mut self,
        batch: &Batch,
        island: &IslandData,
        out: &mut DeviceLinearization,
    ) -> Result<(), Fault> {
        check_finite("bodies", &batch.bodies, BodyState::is_finite)?;
        check_finite("pairs", &batch.pairs, PairState::is_finite)?;
        self.prepare(batch, island)?;
        self.is_stale = false;
        let r = self.recorded()?;
        self.upload(r, batch, island);
        if !self.is_exact() {
            return self.device.submit(&[&r.geometry, &r.rows], &[]).map(|_| ());
        }
        let (n, length) = (self.keys.len(), ContactLawState::<f64>::LEN);
        self.put(r, IslandBuffer::Law, &flat(&island.contacts, length, ContactLawState::write));
        let derivative = |c: &ContactLawState<f64>| ContactDerivative {
            impulse: c.centre,
            ..ContactDerivative::filled(0.0)
        };
        let derivatives: Vec<_> = island.contacts.iter().map(derivative).collect();
        self.put(
            r,
            IslandBuffer::Derivatives,
            &flat(&derivatives, ContactDerivative::<f64>::LEN, ContactDerivative::write),
        );
        let commands = [&r.geometry, &r.rows, &r.weights, &r.slip, &r.natural_map, &r.momentum];
        let reads = [
            (IslandBuffer::Geometry, n * PairGeometry::<f64>::LEN),
            (IslandBuffer::Law, n * length),
            (IslandBuffer::Residual, 2 * n),
            (IslandBuffer::Force, BLOCK * self.n_moving),
        ];
        let found = self.run(r, &commands, &reads)?;
        out.geometry.clear();
        out.geometry.extend(found[0].chunks_exact(PairGeometry::<f64>::LEN).map(PairGeometry::read));
        out.contacts.clear();
        out.contacts.extend(found[1].chunks_exact(length).map(ContactLawState::read));
        out.residual.clear();
        out.residual.extend(found[2].chunks_exact(2).map(|r| [r[0], r[1]]));
        out.momentum.clone_from(&found[3]);
        check_finite("geometry", &out.geometry, PairGeometry::is_finite)?;
        check_finite("contacts", &out.contacts, ContactLawState::is_finite)?;
        check_finite("momentum", &out.momentum, |m| m.is_finite())
    }

    fn fetch_here(&self, out: &mut Evaluated) -> Result<(), Fault> {
        match self.precision {
            Precision::F32 => self.fetch_as::<f32>(out)?,
            Precision::F64 => self.fetch_as::<f64>(out)?,
        }
        check_finite("geometry", &out.geometry, PairGeometry::is_finite)?;
        check_finite("rows", &out.rows, PairRows::is_finite)
    }

    fn fetch_as<T: Number>(&self, out: &mut Evaluated) -> Result<(), Fault> {
        let r = self.recorded()?;
        let (n, of_geometry, of_rows) = (self.keys.len(), PairGeometry::<f64>::LEN, PairRows::<f64>::LEN);
        let bytes = |length: usize| (n * length * self.precision.bytes()) as u64;
        let reads =
            [(r.at(IslandBuffer::Geometry), bytes(of_geometry)), (r.at(IslandBuffer::Rows), bytes(of_rows))];
        out.geometry.clear();
        out.rows.clear();
        self.device.submit_and(&[], &reads, |k, bytes| match k {
            0 => read_items(bytes, of_geometry, &mut out.geometry, |g: &[T]| {
                PairGeometry::read(g).map(T::to_f64)
            }),
            _ => read_items(bytes, of_rows, &mut out.rows, |r: &[T]| PairRows::read(r).map(T::to_f64)),
        })
    }

    fn put_derivatives(&self, recorded: &Recorded, derivatives: &[ContactDerivative<f64>]) {
        self.put(
            recorded,
            IslandBuffer::Derivatives,
            &flat(derivatives, ContactDerivative::<f64>::LEN, ContactDerivative::write),
        );
    }

    /// Keeps the fault by which the pairs were lost.
    fn note<T>(&mut self, outcome: Result<T, Fault>) -> Result<T, Lost> {
        outcome.map_err(|fault| {
            self.fault.get_or_insert(fault);
            Lost
        })
    }
}

impl DeviceIsland for GpuIsland {
    fn linearize(
        &mut self,
        batch: &Batch,
        island: &IslandData,
        out: &mut DeviceLinearization,
    ) -> Result<(), Fault> {
        self.linearize_here(batch, island, out)
    }

    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault> {
        self.fetch_here(out)
    }

    fn fault(&self) -> Option<Fault> {
        self.fault.clone()
    }
}
