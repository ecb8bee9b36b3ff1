//! Rates of the flat step over a lattice of spheres, on the CPU and on a device.

use serde_json::{Value, json};
use signorini_flat::{Body, Contact, FlatSolver, GivenBody, Problem, Resistance, Side};
use signorini_kernels::device_flat::{FlatArrays, FlatOnDevice, FlatSolve, Lost};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Radius of a sphere (m), and its mass (kg).
const RADIUS: f64 = 0.05;
/// Distance of two centres (m): neighbours overlap a little.
const DISTANCE: f64 = 0.0999;
/// Time step (s).
const STEP: f64 = 0.01;
/// Sweeps and turns of a solve, which solve nothing to this tolerance.
const BUDGET: usize = 100;
/// See [`BUDGET`].
const TOLERANCE: f64 = 1e-12;
/// Sweeps of a round that is timed, and rounds.
const SWEEPS: usize = 32;
/// See [`SWEEPS`].
const ROUNDS: usize = 7;

/// Spheres in a cube on a floor, each in contact with the next along three axes, that fall and push each
/// other about; with about so many contacts.
#[derive(Debug)]
pub struct Lattice {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
}

impl Lattice {
    /// Makes a lattice.
    pub fn new(contacts: usize) -> Self {
        let side = (contacts as f64 / 3.0).cbrt().round().max(2.0) as usize;
        let id = |at: [usize; 3]| ((at[2] * side + at[1]) * side + at[0]) as u32;
        let mut lattice = Self { bodies: Vec::new(), contacts: Vec::new() };
        for k in 0..side.pow(3) {
            let at = [k % side, k / side % side, k / side / side];
            lattice.bodies.push(sphere(at.map(|i| RADIUS + DISTANCE * i as f64), k));
            for axis in 0..3 {
                let mut before = at;
                let other = at[axis].checked_sub(1).map(|less| {
                    before[axis] = less;
                    Side::Moving(id(before))
                });
                if other.is_some() || axis == 2 {
                    lattice.contacts.push(contact(other, id(at), axis));
                }
            }
        }
        lattice
    }

    /// One solve that spends its budget: sweeps and turns, and seconds.
    fn solve(&self, solver: &mut FlatSolver, device: Option<&Arc<dyn FlatOnDevice>>) -> (usize, f64) {
        let floor = GivenBody {
            centre: [0.0; 3],
            rotation: IDENTITY,
            semi_axes: [0.0; 3],
            solid: None,
            velocity: [[0.0; 3]; 2],
        };
        let start = Instant::now();
        let outcome = solver.solve(&Problem {
            bodies: &self.bodies,
            given: &[floor],
            contacts: &self.contacts,
            patches: &[],
            solids: &[],
            time_step: STEP,
            tolerance: TOLERANCE,
            budget: BUDGET,
            may_halve: false,
            accepted_start: 0.0,
            surfaces: None,
            flight: None,
            deadline: None,
            ranks: None,
            device,
        });
        (outcome.sweeps + outcome.turns, start.elapsed().as_secs_f64())
    }
}

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn sphere(centre: [f64; 3], k: usize) -> Body {
    let mass = 1.0;
    let push = [0, 1, 2].map(|d: usize| 0.1 * ((3 * k + d) as f64 * 0.7).sin());
    Body {
        centre,
        rotation: IDENTITY,
        mass,
        moments: [0.4 * mass * RADIUS * RADIUS; 3],
        semi_axes: [RADIUS; 3],
        solid: None,
        velocity: [[0.0; 3]; 2],
        free: [[push[0], push[1], push[2] - 9.81 * STEP], [0.0; 3]],
        acting: mass * 9.81 * STEP,
        guide: None,
    }
}

fn contact(other: Option<Side>, body: u32, axis: usize) -> Contact {
    let unit = |k: usize| [0, 1, 2].map(|d: usize| if d == k % 3 { 1.0 } else { 0.0 });
    Contact {
        sides: [other.unwrap_or(Side::Given(0)), Side::Moving(body)],
        normal: unit(axis),
        tangent: unit(axis + 1),
        shift: [0.0; 3],
        impulse: [0.0; 4],
        friction: 0.5,
        torsion: 0.0,
        rolling: Resistance::default(),
        pull: 0.0,
        plane: other.is_none().then_some(0.0),
        size: 2.0 * RADIUS,
        feature: None,
    }
}

/// A device that times its rounds when it is given a solve.
#[derive(Debug)]
struct Timed {
    inner: Arc<dyn FlatOnDevice>,
    /// Seconds of the load, and of each round.
    seconds: Mutex<Vec<Duration>>,
}

impl FlatOnDevice for Timed {
    fn fewest(&self) -> usize {
        0
    }

    fn load(self: Arc<Self>, arrays: &FlatArrays) -> Result<Box<dyn FlatSolve>, Lost> {
        let mut start = Instant::now();
        let mut solve = Arc::clone(&self.inner).load(arrays)?;
        let mut seconds = vec![start.elapsed()];
        for _ in 0..ROUNDS {
            start = Instant::now();
            solve.round(SWEEPS, 0.0)?;
            seconds.push(start.elapsed());
        }
        *self.seconds.lock().unwrap_or_else(|e| e.into_inner()) = seconds;
        Arc::clone(&self.inner).load(arrays)
    }
}

/// Rates of solves over a lattice by the CPU.
pub fn on_cpu(lattice: &Lattice) -> Value {
    let mut solver = FlatSolver::default();
    lattice.solve(&mut solver, None);
    let (passes, seconds) = lattice.solve(&mut solver, None);
    json!({
        "contacts_count": lattice.contacts.len(),
        "bodies_count": lattice.bodies.len(),
        "passes_count": passes,
        "solve_seconds": seconds,
        "passes_per_second": passes as f64 / seconds,
    })
}

/// Rates of solves over a lattice by a device; its rounds are timed alone, too.
pub fn on_device(lattice: &Lattice, device: &Arc<dyn FlatOnDevice>) -> Value {
    let mut solver = FlatSolver::default();
    let timed = Arc::new(Timed { inner: Arc::clone(device), seconds: Mutex::default() });
    let as_device = Arc::clone(&timed) as Arc<dyn FlatOnDevice>;
    lattice.solve(&mut solver, Some(&as_device));
    let (passes, seconds) = lattice.solve(&mut solver, Some(device));
    let rounds = timed.seconds.lock().unwrap_or_else(|e| e.into_inner());
    let mut of_rounds: Vec<f64> = rounds.iter().skip(1).map(Duration::as_secs_f64).collect();
    of_rounds.sort_by(f64::total_cmp);
    json!({
        "contacts_count": lattice.contacts.len(),
        "bodies_count": lattice.bodies.len(),
        "passes_count": passes,
        "solve_seconds": seconds,
        "passes_per_second": passes as f64 / seconds,
        "load_seconds": rounds.first().map(Duration::as_secs_f64),
        "sweeps_of_a_round_count": SWEEPS,
        "least_round_seconds": of_rounds.first(),
        "median_round_seconds": of_rounds.get(ROUNDS / 2),
    })
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_lattice_spends_its_budget() {
        use super::*;
        let lattice = Lattice::new(1000);
        assert!(lattice.contacts.len().abs_diff(1000) < 200);
        let found = on_cpu(&lattice);
        assert!(found["passes_count"].as_u64() >= Some(BUDGET as u64), "{found}");
        assert!(found["passes_per_second"].as_f64() > Some(0.0), "{found}");
    }

    #[test]
    fn rounds_of_a_device_are_timed() {
        use super::*;
        use signorini_backend::gpu::{Device, GpuFlat};
        use signorini_backend::{Backend, Precision};
        let device = Device::best().map(Arc::new).ok().filter(|device| device.supports(Precision::F64));
        let Some(device) = device else { return };
        let gpu = GpuFlat::new(device).unwrap_or_else(|e| panic!("{e}"));
        let found = on_device(&Lattice::new(3000), &gpu.flat());
        assert!(found["passes_count"].as_u64() >= Some(BUDGET as u64), "{found}");
        assert!(found["median_round_seconds"].as_f64() > Some(0.0), "{found}");
        assert_eq!(gpu.take_fault(), None);
    }
}
