//! Rates of the flat step over a lattice of spheres, on the CPU and on a device.

use serde_json::{Value, json};
use signorini_backend::Backend;
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
            time_step: STEP,
            tolerance: TOLERANCE,
            budget: BUDGET,
            device,
            ..Problem::default()
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

/// Two solves over a lattice: the rate of the second, and whether the bits of both are the same.
pub fn on_cpu(lattice: &Lattice) -> Value {
    twice(lattice, [None; 2])
}

/// Two solves by a device. Its rounds are timed alone, too, and the fault by which it lost a solve is told.
pub fn on_device(lattice: &Lattice, device: &dyn Backend) -> Value {
    let timed = Arc::new(Timed { inner: device.flat(), seconds: Mutex::default() });
    let as_device = Arc::clone(&timed) as Arc<dyn FlatOnDevice>;
    let mut found = twice(lattice, [Some(&as_device), Some(&device.flat())]);
    let rounds = timed.seconds.lock().unwrap_or_else(|e| e.into_inner());
    let mut of_rounds: Vec<f64> = rounds.iter().skip(1).map(Duration::as_secs_f64).collect();
    of_rounds.sort_by(f64::total_cmp);
    found["load_seconds"] = json!(rounds.first().map(Duration::as_secs_f64));
    found["sweeps_of_a_round_count"] = json!(SWEEPS);
    found["least_round_seconds"] = json!(of_rounds.first());
    found["median_round_seconds"] = json!(of_rounds.get(ROUNDS / 2));
    found["fell_back_to_the_cpu"] = json!(device.take_fault().map(|fault| fault.to_string()));
    found
}

fn twice(lattice: &Lattice, devices: [Option<&Arc<dyn FlatOnDevice>>; 2]) -> Value {
    let mut solver = FlatSolver::default();
    let mut solve = |device| {
        let (passes, seconds) = lattice.solve(&mut solver, device);
        let velocities: Vec<_> = (0..lattice.bodies.len()).map(|body| solver.velocity(body)).collect();
        (passes, seconds, velocities)
    };
    let (_, _, before) = solve(devices[0]);
    let (passes, seconds, velocities) = solve(devices[1]);
    let bits =
        |all: &[[[f64; 3]; 2]]| all.as_flattened().as_flattened().iter().map(|x| x.to_bits()).collect();
    let [first, second]: [Vec<u64>; 2] = [bits(&before), bits(&velocities)];
    json!({
        "contacts_count": lattice.contacts.len(),
        "bodies_count": lattice.bodies.len(),
        "passes_count": passes,
        "solve_seconds": seconds,
        "passes_per_second": passes as f64 / seconds,
        "has_same_bits_twice": first == second,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_spends_its_budget() {
        let lattice = Lattice::new(1000);
        assert!(lattice.contacts.len().abs_diff(1000) < 200);
        let found = on_cpu(&lattice);
        assert!(found["passes_count"].as_u64() >= Some(BUDGET as u64), "{found}");
        assert!(found["passes_per_second"].as_f64() > Some(0.0), "{found}");
        assert_eq!(found["has_same_bits_twice"], true, "{found}");
    }

    #[test]
    fn rounds_of_a_device_are_timed() {
        let Ok(chip) = crate::backend::chip() else { return };
        let found = on_device(&Lattice::new(3000), &*chip.backend);
        assert!(found["passes_count"].as_u64() >= Some(BUDGET as u64), "{found}");
        assert!(found["median_round_seconds"].as_f64() > Some(0.0), "{found}");
        assert_eq!(
            (&found["fell_back_to_the_cpu"], &found["has_same_bits_twice"]),
            (&Value::Null, &json!(true))
        );
    }
}
