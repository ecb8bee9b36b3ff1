//! Whole steps with contacts evaluated on a device, in both precisions: as good as the CPU's, step by step.
//!
//! Without a device the tests say so and pass; with REQUIRE_GPU=1 they fail.

use super::harness::own_device;
use signorini::simulation::OnBackend;
use signorini_backend::gpu::{Device, DeviceKrylov, Gpu};
use signorini_backend::{Backend, Batch, Checked, Evaluated, Fault, Guarded, Precision};
use signorini_ncp::linalg::{
    BLOCK, BLOCK_LEN, BlockKrylov, BlockPattern, CompressedBlocks, UnsymmetricBlocks,
};
use signorini_scene::scene::Scene;
use signorini_scene::settings::LinearSolver;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::runs::{Run, exact_from_text, shipped};

pub const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

pub fn gpu(device: &Arc<Device>, precision: Precision) -> Option<Arc<Gpu>> {
    if !device.supports(precision) {
        eprintln!("SKIP: {} has no {}", device.name(), precision.as_str());
        return None;
    }
    Some(Arc::new(Gpu::new(Arc::clone(device), precision).unwrap_or_else(|e| panic!("{e}"))))
}

pub fn run_on(scene: Scene, backend: Arc<dyn Backend>) -> Run {
    let mut run = Run::new(scene);
    run.simulation.use_backend(Guarded::new(backend)).unwrap_or_else(|e| panic!("{e}"));
    run
}

pub fn bits(run: &Run) -> Vec<u64> {
    let state = run.state();
    let poses = state.poses.iter().flat_map(|p| p.position.iter().chain(p.orientation.coords.iter()));
    let velocities = state.velocities.iter().flat_map(|v| v.linear.iter().chain(v.angular.iter()));
    poses.chain(velocities).map(|x| x.to_bits()).collect()
}

/// Every step solved to 1e-8 and green; in f64 where the CPU ends up; twice the same bits.
#[test]
fn seed_scenes_run_on_the_device() {
    let Some(device) = own_device() else { return };
    let scenes = ["rolling-disc", "sliding-to-rolling", "slope", "spinning-sphere", "two-spheres"];
    for scene in scenes.map(|name| format!("seeds/{name}.toml")) {
        let mut on_cpu = Run::new(shipped(&scene));
        on_cpu.run_to_the_end();
        for precision in BOTH {
            let Some(gpu) = gpu(&device, precision) else { continue };
            let mut run = run_on(shipped(&scene), Arc::clone(&gpu) as Arc<dyn Backend>);
            run.run_to_the_end();
            assert_eq!(run.simulation.backend().and_then(Guarded::failed), None);
            let mut again = run_on(shipped(&scene), gpu);
            again.run_to_the_end();
            assert_eq!(bits(&run), bits(&again), "{scene}, {}: not the same bits twice", precision.as_str());
            let moved = on_cpu.state().poses.iter().zip(&run.state().poses);
            let apart = moved.map(|(c, g)| (c.position - g.position).norm()).fold(0.0, f64::max);
            let allowed = if precision == Precision::F64 { 1e-9 } else { 1e-6 };
            assert!(apart <= allowed, "{scene}, {}: {apart:e} m from the CPU", precision.as_str());
        }
    }
}

/// Islands in parallel, impacts, many pairs.
#[test]
fn a_pile_lands_on_the_device() {
    let Some(device) = own_device() else { return };
    for precision in BOTH {
        let Some(gpu) = gpu(&device, precision) else { continue };
        let checked = Arc::new(Checked::new(gpu));
        let mut run =
            run_on(shipped("granular/ellipsoids-64.toml"), Arc::clone(&checked) as Arc<dyn Backend>);
        run.steps(45);
        assert!(
            run.contacts().iter().filter(|c| c.normal_impulse > 0.0).count() > 16,
            "it has begun to land"
        );
        let allowed = if precision == Precision::F64 { 1e-9 } else { 1e-2 };
        for (part, difference) in checked.differences().expect("it compares").parts() {
            assert!(difference <= allowed, "{}, {part}: {difference:e}", precision.as_str());
        }
    }
}

/// Balls in a periodic box: pairs across faces, two images of one pair among them, where the CPU has them.
#[test]
fn images_are_seen_on_the_device() {
    let Some(device) = own_device() else { return };
    let scene = || {
        exact_from_text(
            "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.1\nseed = 2\n\
             [periodic]\nx = [0.0, 0.4]\ny = [0.0, 0.4]\n[[friction]]\ncoefficient = 0.3\n\
             [[body]]\nname = \"plane\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
             [[fill]]\nname = \"ball\"\ncount = 8\ndensity = 1000\nvelocity = [0.5, 0.2, -1.5]\n\
             shape = { type = \"ellipsoid\", semi_axes = [0.13, 0.1, 0.09] }\n\
             region = { min = [0, 0, 0], max = [0.4, 0.4, 0.6] }\n",
        )
    };
    let mut on_cpu = Run::new(scene());
    on_cpu.steps(33);
    let across = on_cpu.contacts().iter().filter(|c| c.image != [0; 3] && c.normal_impulse > 0.0).count();
    assert!(across > 0, "no load across a face");
    for precision in BOTH {
        let Some(gpu) = gpu(&device, precision) else { continue };
        let mut run = run_on(scene(), gpu as Arc<dyn Backend>);
        run.steps(33);
        assert_eq!(run.simulation.backend().and_then(Guarded::failed), None);
        let moved = on_cpu.state().poses.iter().zip(&run.state().poses);
        let apart = moved.map(|(c, g)| (c.position - g.position).norm()).fold(0.0, f64::max);
        let allowed = if precision == Precision::F64 { 1e-8 } else { 1e-5 };
        assert!(apart <= allowed, "{}: {apart:e} m from the CPU", precision.as_str());
    }
}

/// A device that goes away in mid-run costs a warning.
#[test]
fn a_lost_device_does_not_stop_the_run() {
    let Some(device) = own_device() else { return };
    let Some(gpu) = gpu(&device, Precision::F32) else { return };
    let mut run = run_on(shipped("seeds/two-spheres.toml"), gpu);
    run.steps(20);
    assert_eq!(run.simulation.backend().and_then(Guarded::failed), None);
    device.destroy();
    run.steps(20);
    let failed = run.simulation.backend().and_then(Guarded::failed);
    assert!(matches!(failed, Some(Fault::Lost(_))), "{failed:?}");
}

/// A backend without a device behind it.
#[derive(Debug, Default)]
struct Broken {
    calls: AtomicUsize,
}

impl Backend for Broken {
    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn evaluate(&self, _: &Batch, _: &mut Evaluated) -> Result<(), Fault> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Err(Fault::Lost("never there".to_owned()))
    }
}

/// It is asked once, and the run is the CPU's, bit by bit.
#[test]
fn a_broken_backend_gives_the_run_of_the_cpu() {
    let broken = Arc::new(Broken::default());
    let mut run = run_on(shipped("seeds/two-spheres.toml"), Arc::clone(&broken) as Arc<dyn Backend>);
    let mut on_cpu = Run::new(shipped("seeds/two-spheres.toml"));
    run.steps(30);
    on_cpu.steps(30);
    assert_eq!(bits(&run), bits(&on_cpu));
    assert_eq!(broken.calls.load(Ordering::SeqCst), 1);
}

/// A lattice of blocks, unsymmetric, diagonally dominant; some far smaller than others.
fn lattice(side: usize) -> CompressedBlocks {
    let id = |i: usize, j: usize| i * side + j;
    let mut pairs = Vec::new();
    for i in 0..side {
        for j in 0..side {
            pairs.extend((i + 1 < side).then(|| (id(i, j), id(i + 1, j))));
            pairs.extend((j + 1 < side).then(|| (id(i, j), id(i, j + 1))));
        }
    }
    let n = side * side;
    let pattern = BlockPattern::new(n, pairs.iter().copied());
    let mut blocks = UnsymmetricBlocks::default();
    blocks.reset(&pattern);
    let all = (0..n).map(|i| (i, i)).chain(pairs.iter().flat_map(|(i, j)| [(*i, *j), (*j, *i)]));
    for (i, j) in all {
        let block = blocks.block(n, pattern.slot(i, j), i, j);
        for (k, x) in block.iter_mut().enumerate() {
            let heavy = if i == j && k % 7 == 0 { 30.0 } else { 0.0 };
            *x = ((i * 37 + j * 91 + k) as f64).sin() + heavy;
        }
    }
    let mut rows = CompressedBlocks::default();
    rows.analyse(&pattern);
    assert!(rows.fill(&blocks));
    rows
}

fn residual(matrix: &CompressedBlocks, x: &[f64], b: &[f64]) -> f64 {
    let mut rest = b.to_vec();
    for i in 0..matrix.n() {
        for k in matrix.start[i] as usize..matrix.start[i + 1] as usize {
            let block = &matrix.values[BLOCK_LEN * k..BLOCK_LEN * (k + 1)];
            let column = BLOCK * matrix.column[k] as usize;
            for (r, row) in block.chunks_exact(BLOCK).enumerate() {
                let x = &x[column..column + BLOCK];
                rest[BLOCK * i + r] -= row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            }
        }
    }
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    norm(&rest) / norm(b)
}

#[test]
fn the_device_solves_block_systems() {
    let Some(device) = own_device() else { return };
    for precision in BOTH.into_iter().filter(|p| device.supports(*p)) {
        let krylov = DeviceKrylov::new(Arc::clone(&device), precision).unwrap_or_else(|e| panic!("{e}"));
        for side in [1, 8, 20] {
            let matrix = lattice(side);
            // Far below 1: squares of such numbers vanish in f32.
            let b: Vec<f64> = (0..BLOCK * matrix.n()).map(|i| 1e-25 * (i as f64 + 1.0).cos()).collect();
            let (mut x, mut again) = (vec![f64::NAN; b.len()], vec![f64::NAN; b.len()]);
            let tolerance = if precision == Precision::F64 { 1e-11 } else { 1e-4 };
            let steps = krylov.solve(&matrix, &b, &mut x, tolerance, 100).expect("it converges");
            krylov.solve(&matrix, &b, &mut again, tolerance, 100).expect("it converges");
            assert_eq!(x, again, "not the same bits twice");
            let reached = residual(&matrix, &x, &b);
            assert!(reached <= 2.0 * tolerance, "{} blocks: {reached:e} after {steps} steps", matrix.n());
        }
        let matrix = lattice(8);
        let b = vec![1.0; BLOCK * matrix.n()];
        let mut x = b.clone();
        assert_eq!(krylov.solve(&matrix, &b, &mut x, 1e-11, 1), None, "one step does not do");
    }
}

/// No factorisation: block-Jacobi iterations, on the device and here.
#[test]
fn steps_are_solved_without_factors() {
    let solve = |backend: Option<Arc<dyn Backend>>| {
        let mut scene = shipped("granular/rolling-collision.toml");
        scene.solver.linear_solver = LinearSolver::Krylov;
        let mut run = Run::new(scene);
        if let Some(backend) = backend {
            run.simulation.use_backend(Guarded::new(backend)).unwrap_or_else(|e| panic!("{e}"));
        }
        run.steps(30);
    };
    solve(None);
    let Some(device) = own_device() else { return };
    if let Some(gpu) = gpu(&device, Precision::F32) {
        solve(Some(gpu));
    }
}
