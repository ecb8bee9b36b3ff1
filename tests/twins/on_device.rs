//! Piles whose pairs stay on the device within a step, boxes whose features are found there, and a device
//! that goes away in the middle of a step.

use super::harness::own_device;
use super::steps::{BOTH, gpu, run_on};
use signorini::simulation::OnBackend;
use signorini_backend::gpu::{Device, Gpu};
use signorini_backend::{
    Backend, Batch, DeviceIsland, DeviceLinearization, Evaluated, Fault, Guarded, IslandData, Precision,
};
use signorini_kernels::device_pairs::{DevicePairs, Lost};
use signorini_kernels::types::{ContactDerivative, ContactLawState};
use signorini_ncp::solver::Phase;
use signorini_scene::scene::Scene;
use signorini_scene::settings::LinearSolver;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::runs::{Run, changed, exact, shipped};

/// Counts the questions to a backend, and takes its device away in the middle of one.
#[derive(Debug)]
struct Watched {
    gpu: Arc<dyn Backend>,
    device: Arc<Device>,
    counts: Arc<Counts>,
    /// The projection during which the device goes away.
    fatal: usize,
}

#[derive(Debug, Default)]
struct Counts {
    linearizations: AtomicUsize,
    fetches: AtomicUsize,
    projections: AtomicUsize,
    solves: AtomicUsize,
}

fn seen(count: &AtomicUsize) -> usize {
    count.load(Ordering::SeqCst)
}

fn count(count: &AtomicUsize) -> usize {
    count.fetch_add(1, Ordering::SeqCst) + 1
}

impl Watched {
    fn new(gpu: Arc<Gpu>, fatal: usize) -> (Arc<Self>, Arc<Counts>) {
        let (device, counts) = (Arc::clone(gpu.device()), Arc::new(Counts::default()));
        let watched = Self { gpu, device, counts: Arc::clone(&counts), fatal };
        (Arc::new(watched), counts)
    }
}

impl Backend for Watched {
    fn name(&self) -> String {
        self.gpu.name()
    }

    fn precision(&self) -> Precision {
        self.gpu.precision()
    }

    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        self.gpu.evaluate(batch, out)
    }

    fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        let inner = self.gpu.device_island()?;
        let (device, counts) = (Arc::clone(&self.device), Arc::clone(&self.counts));
        Some(Box::new(WatchedPairs { inner, device, counts, fatal: self.fatal }))
    }
}

#[derive(Debug)]
struct WatchedPairs {
    inner: Box<dyn DeviceIsland>,
    device: Arc<Device>,
    counts: Arc<Counts>,
    fatal: usize,
}

impl DeviceIsland for WatchedPairs {
    fn linearize(
        &mut self,
        batch: &Batch,
        island: &IslandData,
        out: &mut DeviceLinearization,
    ) -> Result<(), Fault> {
        count(&self.counts.linearizations);
        self.inner.linearize(batch, island, out)
    }

    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault> {
        count(&self.counts.fetches);
        self.inner.fetch(out)
    }

    fn fault(&self) -> Option<Fault> {
        self.inner.fault()
    }
}

impl DevicePairs for WatchedPairs {
    fn is_exact(&self) -> bool {
        self.inner.is_exact()
    }

    fn begin(&mut self, contacts: &[ContactLawState<f64>], rho: f64) -> Result<(), Lost> {
        self.inner.begin(contacts, rho)
    }

    fn project(
        &mut self,
        w: &[f64],
        force: &mut [f64],
        derivatives: &mut Vec<ContactDerivative<f64>>,
    ) -> Result<(), Lost> {
        if count(&self.counts.projections) == self.fatal {
            self.device.destroy();
        }
        self.inner.project(w, force, derivatives)
    }

    fn slip(&mut self, w: &[f64], out: &mut Vec<[f64; 4]>) -> Result<(), Lost> {
        self.inner.slip(w, out)
    }

    fn push(&mut self, derivatives: &[ContactDerivative<f64>], force: &mut [f64]) -> Result<(), Lost> {
        self.inner.push(derivatives, force)
    }

    fn assemble(&mut self, derivatives: Option<&[ContactDerivative<f64>]>, length: f64) -> Result<(), Lost> {
        self.inner.assemble(derivatives, length)
    }

    fn blocks(&mut self, values: &mut Vec<f64>) -> Result<(), Lost> {
        self.inner.blocks(values)
    }

    fn solve(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Result<Option<usize>, Lost> {
        count(&self.counts.solves);
        self.inner.solve(b, x, tolerance, most)
    }
}

/// Twelve ellipsoids that land within a few steps: one island after another, solved so finely that no sweep
/// asks for rows.
fn few() -> Scene {
    exact(changed("granular/ellipsoids-64.toml", &[("count = 64", "count = 12")]))
}

/// The interior point looks at rows, and would ask for them.
fn without_interior_point() -> Scene {
    let mut scene = exact(shipped("granular/ellipsoids-64.toml"));
    scene.solver.methods.interior_iterations = 0;
    scene.solver.methods.path_iterations = 0;
    scene
}

/// Within the step only vectors of bodies cross; the same bits twice.
#[test]
fn pairs_stay_on_the_device_within_a_step() {
    let Some(device) = own_device() else { return };
    for precision in BOTH {
        let Some(gpu) = gpu(&device, precision) else { continue };
        let mut ends = Vec::new();
        for _ in 0..2 {
            let (watched, counts) = Watched::new(Arc::clone(&gpu), 0);
            let mut run = run_on(without_interior_point(), watched);
            run.steps(42);
            assert_eq!(run.simulation.backend().and_then(Guarded::failed), None);
            assert!(seen(&counts.linearizations) > 20, "{counts:?}");
            if precision == Precision::F64 {
                assert!(seen(&counts.projections) > 20, "{counts:?}");
                // Rows come back for restarts only.
                assert!(seen(&counts.fetches) * 10 <= seen(&counts.linearizations), "{counts:?}");
            }
            ends.push(super::steps::bits(&run));
        }
        assert!(ends[0] == ends[1], "{}: not the same bits twice", precision.as_str());
    }
}

/// Islands on the device start the interior point like the CPU's, with the rows that come back for it, and
/// take as many iterations; without it they would take twice as many.
#[test]
fn the_interior_point_runs_beside_the_device() {
    let Some(device) = own_device() else { return };
    let Some(gpu) = gpu(&device, Precision::F64) else { return };
    let mut work = Vec::new();
    for backend in [None, Some(gpu as Arc<dyn Backend>)] {
        let mut run = Run::new(exact(shipped("granular/ellipsoids-64.toml")));
        if let Some(backend) = backend {
            run.simulation.use_backend(Guarded::new(backend)).unwrap_or_else(|e| panic!("{e}"));
        }
        let phases: Vec<_> = (0..44).map(|_| run.advance().info.phase).collect();
        let interior = phases.iter().filter(|p| **p == Phase::InteriorPoint).count();
        work.push((interior, run.work.iterations));
    }
    let [(on_cpu, expected), (on_device, found)] = work[..] else { panic!("{work:?}") };
    assert!(on_cpu > 5 && on_device.abs_diff(on_cpu) <= 1, "{work:?}");
    assert!(found.abs_diff(expected) * 20 <= expected, "{work:?}");
}

/// Neither rows nor the matrix leave the device, whose iteration finds every direction.
#[test]
fn nothing_is_factorised_where_krylov_is_asked_for() {
    let Some(device) = own_device() else { return };
    let Some(gpu) = gpu(&device, Precision::F64) else { return };
    let mut scene = few();
    scene.solver.linear_solver = LinearSolver::Krylov;
    // Also single bodies on the floor.
    scene.solver.methods.small_island = 0;
    let mut run = Run::new(scene);
    while run.contacts().iter().all(|c| c.normal_impulse == 0.0) {
        run.advance();
    }
    let (watched, counts) = Watched::new(gpu, 0);
    run.simulation.use_backend(Guarded::new(watched)).unwrap_or_else(|e| panic!("{e}"));
    run.steps(4);
    assert!(seen(&counts.solves) > 4, "{counts:?}");
}

/// The step goes on from its last refresh, on the CPU.
#[test]
fn a_device_lost_within_a_step_does_not_stop_it() {
    let Some(_) = own_device() else { return };
    for fatal in [1, 7] {
        let Some(device) = own_device() else { return };
        let Some(gpu) = gpu(&device, Precision::F64) else { return };
        let (watched, counts) = Watched::new(gpu, fatal);
        let mut run = run_on(without_interior_point(), watched);
        run.steps(44);
        assert!(seen(&counts.projections) >= fatal, "{counts:?}");
        let failed = run.simulation.backend().and_then(Guarded::failed);
        assert!(matches!(failed, Some(Fault::Lost(_))), "{failed:?}");
    }
}

/// Figures for docs/guide/gpu.md: prints steps, iterations and time.
fn measure(name: &str, scene: &Scene, precision: Precision, n_steps: usize) {
    let Some(device) = own_device() else { return };
    let Some(gpu) = gpu(&device, precision) else { return };
    let (watched, counts) = Watched::new(gpu, 0);
    let mut run = Run::new(scene.clone());
    // To the step at which the device takes over.
    run.steps(number("FIRST", 0));
    (run.work.iterations, run.work.factorizations) = (0, 0);
    run.simulation.use_backend(Guarded::new(watched)).unwrap_or_else(|e| panic!("{e}"));
    let start = std::time::Instant::now();
    let (mut worst, mut times) = (0.0_f64, [0.0; 4]);
    for _ in 0..n_steps {
        let outcome = run.advance();
        worst = worst.max(outcome.info.residual.max());
        let t = &outcome.info.times;
        times.iter_mut().zip([t.geometry, t.assembly, t.factor, t.solve]).for_each(|(s, t)| *s += t);
    }
    let loaded = run.contacts().iter().filter(|c| c.normal_impulse > 0.0).count();
    eprintln!(
        "{name}, {}: {n_steps} steps solved and green, {} iterations, {} factorizations, worst {worst:.1e}, {loaded} loaded \
         contacts, {:.0} s (geometry, assembly, factor, solve {times:.1?}), {counts:?}",
        precision.as_str(),
        run.work.iterations,
        run.work.factorizations,
        start.elapsed().as_secs_f64(),
    );
}

#[test]
#[ignore = "minutes: cargo test --test twins a_pile_of_1000 -- --ignored --nocapture"]
fn a_pile_of_1000_ellipsoids_on_the_device() {
    let scene = changed(
        "granular/ellipsoids-64.toml",
        &[
            ("count = 64", "count = 1000"),
            ("-0.3, -0.3, 0", "-0.75, -0.75, 0"),
            ("0.3, 0.3, 1]", "0.75, 0.75, 2.5]"),
        ],
    );
    assert_eq!(scene.bodies.iter().filter(|b| !b.fixed).count(), 1000);
    for precision in [Precision::F64, Precision::F32] {
        measure("1000 ellipsoids", &scene, precision, number("STEPS", 50));
    }
}

#[test]
#[ignore = "minutes: cargo test --test twins a_pile_of_216 -- --ignored --nocapture"]
fn a_pile_of_216_cubes_on_the_device() {
    let scene = changed(
        "granular/cubes-64.toml",
        &[
            ("count = 64", "count = 216"),
            ("0.6, 0.6, 2.0", "0.9, 0.9, 3.0"),
            ("-0.3, -0.3, 0", "-0.45, -0.45, 0"),
            ("0.3, 0.3, 1.2]", "0.45, 0.45, 1.8]"),
        ],
    );
    assert_eq!(scene.bodies.iter().filter(|b| !b.fixed).count(), 216);
    for precision in [Precision::F64, Precision::F32] {
        measure("216 cubes", &scene, precision, number("STEPS", 50));
    }
}

#[test]
#[ignore = "minutes: FIRST=350 STEPS=20 cargo test --test twins piles_of_64 -- --ignored --nocapture"]
fn piles_of_64_on_the_device() {
    for name in ["ellipsoids-64", "cubes-64"] {
        for precision in [Precision::F64, Precision::F32] {
            measure(name, &shipped(&format!("granular/{name}.toml")), precision, number("STEPS", 50));
        }
    }
}

/// A number that the environment gives, or the usual one.
fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}
