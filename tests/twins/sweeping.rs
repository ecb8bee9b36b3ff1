//! Runs of sweeps on a device, over random problems, beside those of the CPU; and a device that goes away.

use super::harness::{own_device, random};
use super::steps::{BOTH, gpu, run_on};
use nalgebra::Matrix6;
use signorini::simulation::OnBackend;
use signorini_backend::gpu::{Device, Gpu, GpuSweeper};
use signorini_backend::sweeps::{TwinSweeps, narrow_unit};
use signorini_backend::{Backend, Batch, Checked, Evaluated, Fault, Guarded, Precision, Twin};
use signorini_kernels::device_sweeps::{DeviceSweeps, Lost, SweepsOnDevice, SweptRows};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactProblem, Stiffness};
use signorini_ncp::solver::sweeps::{Start, SweepLimits, Sweeps};
use signorini_ncp::solver::{Iterate, SolveOptions};
use signorini_scene::scene::Scene;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::runs::shipped;

/// Sweeps by the twins.
#[derive(Debug)]
struct TwinSweeper(Precision);

impl SweepsOnDevice for TwinSweeper {
    fn fewest(&self) -> usize {
        1
    }

    fn rounding(&self) -> f64 {
        self.0.rounding()
    }

    fn start(self: Arc<Self>, rows: &SweptRows<'_>) -> Result<Box<dyn DeviceSweeps>, Lost> {
        Ok(match self.0 {
            Precision::F64 => Box::new(TwinSweeps::<f64>::new(rows, 1.0)),
            Precision::F32 => Box::new(TwinSweeps::<f32>::new(rows, narrow_unit(rows))),
        })
    }
}

/// Counts runs of sweeps.
#[derive(Debug)]
struct Counted {
    sweeps: Arc<dyn SweepsOnDevice>,
    runs: Arc<AtomicUsize>,
}

impl SweepsOnDevice for Counted {
    fn fewest(&self) -> usize {
        self.sweeps.fewest()
    }

    fn rounding(&self) -> f64 {
        self.sweeps.rounding()
    }

    fn start(self: Arc<Self>, rows: &SweptRows<'_>) -> Result<Box<dyn DeviceSweeps>, Lost> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Arc::clone(&self.sweeps).start(rows)
    }
}

/// Contacts of ellipsoids, manifolds, joints: each kind is one problem in two. Where bodies are not coupled
/// each has one contact, and the order of contacts is all the same.
fn problem(seed: u64, coupled: bool) -> ContactProblem {
    let mut next = random(seed);
    let n_contacts = 9 + 3 * (seed % 23) as usize;
    let n = if coupled { n_contacts / 3 } else { 2 * n_contacts };
    let mut problem = ContactProblem::empty();
    for _ in 0..n {
        let square = Matrix6::from_fn(|_, _| 0.3 * next());
        let mass = Matrix6::identity() * (1.5 + next()) + square * square.transpose();
        problem.mass.push(mass);
        problem.mass_inverse.push(mass.try_inverse().expect("a mass"));
        problem.at.free_momentum.extend((0..BLOCK).map(|_| next()));
        problem.at.velocity.extend((0..BLOCK).map(|_| 0.1 * next()));
    }
    for k in 0..n_contacts {
        let (i, j) = if coupled { (k % n, (k * 7 + seed as usize) % (n + 1)) } else { (2 * k, 2 * k + 1) };
        let alone = i == j || k % 5 == 3;
        let bodies = || [i, j].into_iter().filter(move |b| *b < n).take(if alone { 1 } else { 2 });
        match (k % 4, seed % 4) {
            (1, 1 | 3) => {
                let c = problem.add_contact(bodies(), (6, 2 + k % 2), 0.4);
                problem.cones[c].n_used = 4;
                let first = problem.cones[c].row;
                problem.at.load_fraction[first..first + 4].fill(0.25);
            }
            (2, 2 | 3) => {
                problem.add_bounded(bodies(), &[[f64::NEG_INFINITY, f64::INFINITY], [-0.2, 0.3]]);
            }
            _ => {
                problem.add_contact(bodies(), (1, [0, 2, 3][k % 3]), 0.5);
            }
        }
    }
    problem.at.jacobian.iter_mut().for_each(|j| *j = next());
    problem.at.response = problem.at.jacobian.iter().map(|j| j + 0.02 * next()).collect();
    problem.at.slip.iter_mut().for_each(|y| *y = 0.5 * next());
    problem.at.stiffness.start.resize(problem.cones.len(), Stiffness::NONE);
    problem.update_weights();
    problem.set_uniform_units(1.0, 1.0);
    assert!(problem.is_consistent());
    problem
}

/// So many sweeps from random impulses.
fn swept(problem: &ContactProblem, device: Option<Arc<dyn SweepsOnDevice>>, sweeps: usize) -> Iterate {
    let mut next = random(97);
    let mut iterate = Iterate { velocity: Vec::new(), impulse: Vec::new() };
    let x: Vec<f64> = problem.bounds.iter().map(|_| 0.1 * next().abs()).collect();
    let overlap: Vec<f64> = problem.cones.iter().map(|_| 0.3).collect();
    let limits = SweepLimits { residual: 1e-4, most: sweeps, stiff: true, damps: false };
    let mut method = Sweeps::default();
    method.use_device(device);
    method.run(problem, Start { x: &x, overlap: &overlap }, limits, &SolveOptions::new(1e-4), &mut iterate);
    iterate
}

fn apart(a: &Iterate, b: &Iterate) -> f64 {
    let part = |a: &[f64], b: &[f64]| {
        let size = b.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
    };
    assert!(a.velocity.iter().chain(&a.impulse).all(|x| x.is_finite()));
    part(&a.velocity, &b.velocity).max(part(&a.impulse, &b.impulse))
}

fn on_device(device: &Arc<Device>, precision: Precision) -> Option<Arc<GpuSweeper>> {
    let sweeper = GpuSweeper::new(Arc::clone(device), precision).unwrap_or_else(|e| panic!("{e}"));
    device.supports(precision).then(|| Arc::new(sweeper.from(1)))
}

/// Largest difference of a device that computes in this precision after few sweeps.
fn allowed(precision: Precision) -> f64 {
    if precision == Precision::F64 { 1e-11 } else { 1e-3 }
}

fn twin(precision: Precision) -> Option<Arc<dyn SweepsOnDevice>> {
    Some(Arc::new(TwinSweeper(precision)))
}

/// The twins find the impulses of the CPU's sweeps, where the order of contacts is all the same.
#[test]
fn twins_sweep_like_the_cpu() {
    for precision in BOTH {
        for seed in 0..200 {
            let problem = problem(seed, false);
            for sweeps in [1, 2, 9] {
                let expected = swept(&problem, None, sweeps);
                let apart = apart(&swept(&problem, twin(precision), sweeps), &expected);
                assert!(apart <= allowed(precision), "{}, problem {seed}: {apart:e}", precision.as_str());
            }
        }
    }
}

/// Where the order is another, the result of the twins is a solution for the CPU, as often as its own.
#[test]
fn solutions_of_the_twins_are_solutions() {
    let mut solved = [0; 2];
    for seed in (0..100).map(|k| 2 * k) {
        let mut problem = problem(seed, true);
        problem.at.response.clear();
        let run = |x: &[f64], device, most| {
            let mut iterate = Iterate { velocity: Vec::new(), impulse: Vec::new() };
            let mut method = Sweeps::default();
            method.use_device(device);
            let limits = SweepLimits { residual: 1e-7, most, stiff: false, damps: false };
            let start = Start { x, overlap: &[] };
            let swept = method.run(&problem, start, limits, &SolveOptions::new(1e-7), &mut iterate);
            (swept.residual, iterate)
        };
        let zeros = vec![0.0; problem.n_rows()];
        let ((here, _), (there, found)) = (run(&zeros, None, 1000), run(&zeros, twin(Precision::F64), 1000));
        solved[0] += usize::from(here <= 1e-7);
        if there <= 1e-7 {
            solved[1] += 1;
            let (left, _) = run(&found.impulse, None, 0);
            assert!((left - there).abs() <= 1e-12, "problem {seed}: {left:e}, not {there:e}");
        }
    }
    assert!(solved[0] > 90 && solved[1] + 5 > solved[0], "{solved:?}");
}

/// A device finds the impulses of the twins, and twice the same bits.
#[test]
fn a_device_sweeps_like_the_twins() {
    let Some(device) = own_device() else { return };
    for precision in BOTH.into_iter().filter(|p| device.supports(*p)) {
        let Some(sweeper) = on_device(&device, precision) else { continue };
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::new(Counted { sweeps: Arc::clone(&sweeper) as _, runs: Arc::clone(&runs) });
        let run = |problem: &ContactProblem, sweeps| swept(problem, Some(Arc::clone(&counted) as _), sweeps);
        for seed in 0..200 {
            let problem = problem(seed, true);
            let sweeps = [2, 5, 9][seed as usize % 3];
            let (expected, found) = (swept(&problem, twin(precision), sweeps), run(&problem, sweeps));
            let apart = apart(&found, &expected);
            assert!(apart <= allowed(precision), "{}, problem {seed}: {apart:e}", precision.as_str());
            let again = run(&problem, sweeps);
            assert_eq!((again.velocity, again.impulse), (found.velocity, found.impulse), "problem {seed}");
        }
        assert_eq!((sweeper.take_fault(), runs.load(Ordering::SeqCst)), (None, 400));
    }
}

/// The CPU sweeps where the device is gone, and says so once.
#[test]
fn sweeps_of_a_lost_device_are_those_of_the_cpu() {
    let Some(device) = own_device() else { return };
    let Some(sweeper) = on_device(&device, Precision::F32) else { return };
    device.destroy();
    let problem = problem(3, true);
    let found = swept(&problem, Some(Arc::clone(&sweeper) as Arc<dyn SweepsOnDevice>), 9);
    assert_eq!(apart(&found, &swept(&problem, None, 9)), 0.0);
    assert!(matches!(sweeper.take_fault(), Some(Fault::Lost(_))));
    assert_eq!(sweeper.take_fault(), None);
}

/// Impulses of dust, whose squares vanish in f32, and targets below the rounding of f32.
#[test]
fn f32_sweeps_over_small_impulses_and_not_below_its_rounding() {
    let mut dust = problem(8, true);
    dust.mass.iter_mut().for_each(|m| *m *= 1e-24);
    dust.mass_inverse.iter_mut().for_each(|m| *m *= 1e24);
    dust.at.free_momentum.iter_mut().for_each(|b| *b *= 1e-24);
    dust.update_weights();
    dust.set_uniform_units(1e-24, 1.0);
    let run = |device, residual, most| {
        let mut iterate = Iterate { velocity: Vec::new(), impulse: Vec::new() };
        let x = vec![0.0; dust.n_rows()];
        let mut method = Sweeps::default();
        method.use_device(device);
        let limits = SweepLimits { residual, most, stiff: false, damps: false };
        let start = Start { x: &x, overlap: &[] };
        let swept = method.run(&dust, start, limits, &SolveOptions::new(residual), &mut iterate);
        (swept, iterate)
    };
    let [expected, found] = [Precision::F64, Precision::F32].map(|p| run(twin(p), 1e-4, 9).1);
    let apart = |a: &Iterate, b: &Iterate| {
        let both = a.velocity.iter().zip(&b.velocity);
        both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(apart(&found, &expected) > 0.0, "not f32");
    assert!(apart(&found, &expected) < 1e-3, "{found:?} {expected:?}");
    // The CPU takes over, to the last bit.
    let ((_, expected), (_, found)) = (run(None, 1e-9, 9), run(twin(Precision::F32), 1e-9, 9));
    assert_eq!(apart(&found, &expected), 0.0);
}

/// A backend that asks its device for sweeps alone, and counts runs of them.
#[derive(Debug)]
struct OnlySweeps(Gpu, Arc<AtomicUsize>);

impl Backend for OnlySweeps {
    fn name(&self) -> String {
        self.0.name()
    }

    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        Twin { precision: self.precision() }.evaluate(batch, out)
    }

    fn sweeps(&self) -> Option<Arc<dyn SweepsOnDevice>> {
        Some(Arc::new(Counted { sweeps: self.0.sweeps()?, runs: Arc::clone(&self.1) }))
    }

    fn sweeps_fault(&self) -> Option<Fault> {
        self.0.sweeps_fault()
    }
}

fn pile(name: &str) -> Scene {
    let mut scene = shipped(&format!("granular/{name}.toml"));
    scene.solver.tolerance = 1e-3;
    scene
}

/// A device that sweeps from the first contact on.
fn sweeper(device: &Arc<Device>, precision: Precision) -> Option<(OnlySweeps, Arc<AtomicUsize>)> {
    let gpu = Arc::into_inner(gpu(device, precision)?).expect("one owner");
    let runs = Arc::new(AtomicUsize::new(0));
    Some((OnlySweeps(gpu.with_sweeps_from(1), Arc::clone(&runs)), runs))
}

/// A pile lands with sweeps on the device, every step solved and green; the first ones are the twins'.
#[test]
fn a_pile_lands_with_sweeps_on_the_device() {
    let Some(device) = own_device() else { return };
    for precision in BOTH {
        let Some((backend, runs)) = sweeper(&device, precision) else { continue };
        let checked = Arc::new(Checked::new(Arc::new(backend)));
        let mut run = run_on(pile("ellipsoids-64"), Arc::clone(&checked) as Arc<dyn Backend>);
        let swept: usize = (0..45).map(|_| run.advance().info.sweeps).sum();
        let sweep = checked.differences().expect("it compares").sweep;
        let runs = runs.load(Ordering::SeqCst);
        assert!(swept > 100 && runs > 20, "{swept} sweeps in {runs} runs");
        assert!(sweep <= 0.1 * allowed(precision), "{}: {sweep:e}", precision.as_str());
        assert_eq!(run.simulation.backend().and_then(Guarded::failed), None);
    }
}

/// A device that goes away before its next sweeps costs a warning.
#[test]
fn a_device_lost_between_sweeps_does_not_stop_the_run() {
    let Some(device) = own_device() else { return };
    let Some((backend, runs)) = sweeper(&device, Precision::F32) else { return };
    let mut scene = pile("ellipsoids-64");
    scene.solver.methods.flat_from_bodies = usize::MAX;
    let mut run = run_on(scene, Arc::new(backend));
    run.steps(40);
    assert!(runs.load(Ordering::SeqCst) > 10);
    assert_eq!(run.simulation.backend().and_then(Guarded::failed), None);
    device.destroy();
    run.steps(3);
    let failed = run.simulation.backend().and_then(Guarded::failed);
    assert!(matches!(failed, Some(Fault::Lost(_))), "{failed:?}");
}
