//! Piles in flat arrays on a device: solved and green, the same bits twice, few bytes read back, and a device
//! that goes away in mid-run. All else is the CPU's, bit by bit.

use super::harness::own_device;
use signorini::simulation::OnBackend;
use signorini_backend::gpu::device::Traffic;
use signorini_backend::gpu::{Device, GpuFlat};
use signorini_backend::{Backend, Fault, Guarded, Precision};
use signorini_kernels::device_flat::{FlatAnswers, FlatArrays, FlatOnDevice, FlatRound, FlatSolve, Lost};
use signorini_scene::scene::Scene;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::runs::{Run, bits, changed, from_text};

fn gpu(device: &Arc<Device>) -> Option<GpuFlat> {
    if !device.supports(Precision::F64) {
        eprintln!("SKIP: {} has no f64", device.name());
        return None;
    }
    Some(GpuFlat::new(Arc::clone(device)).unwrap_or_else(|e| panic!("{e}")))
}

fn run_on(scene: Scene, backend: Arc<dyn Backend>) -> Run {
    let mut run = Run::new(scene);
    run.simulation.use_backend(Guarded::new(backend)).unwrap_or_else(|e| panic!("{e}"));
    run
}

/// Counts what solves ask of a device, and takes the device away in one of the rounds.
#[derive(Debug)]
struct Watched {
    gpu: GpuFlat,
    flat: Arc<Watch>,
}

#[derive(Debug)]
struct Watch {
    inner: Arc<dyn FlatOnDevice>,
    device: Arc<Device>,
    rounds: AtomicUsize,
    loads: AtomicUsize,
    /// Bytes that checks read.
    fetched: AtomicUsize,
    /// The round before which the device goes away.
    fatal: usize,
}

impl Watched {
    /// A device that takes islands of any size in flat arrays.
    fn new(device: &Arc<Device>, fatal: usize) -> Option<Arc<Self>> {
        let gpu = gpu(device)?.from(1);
        let flat = Watch {
            inner: gpu.flat(),
            device: Arc::clone(device),
            rounds: AtomicUsize::new(0),
            loads: AtomicUsize::new(0),
            fetched: AtomicUsize::new(0),
            fatal,
        };
        Some(Arc::new(Self { gpu, flat: Arc::new(flat) }))
    }

    fn rounds(&self) -> usize {
        self.flat.rounds.load(Ordering::SeqCst)
    }
}

impl Backend for Watched {
    fn name(&self) -> String {
        self.gpu.name()
    }

    fn flat(&self) -> Arc<dyn FlatOnDevice> {
        Arc::clone(&self.flat) as Arc<dyn FlatOnDevice>
    }

    fn take_fault(&self) -> Option<Fault> {
        self.gpu.take_fault()
    }
}

#[derive(Debug)]
struct WatchedSolve {
    inner: Box<dyn FlatSolve>,
    watch: Arc<Watch>,
}

impl FlatOnDevice for Watch {
    fn fewest(&self) -> usize {
        self.inner.fewest()
    }

    fn load(self: Arc<Self>, arrays: &FlatArrays) -> Result<Box<dyn FlatSolve>, Lost> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        let inner = Arc::clone(&self.inner).load(arrays)?;
        Ok(Box::new(WatchedSolve { inner, watch: self }))
    }
}

impl FlatSolve for WatchedSolve {
    fn round(&mut self, sweeps: usize, still: f32) -> Result<FlatRound, Lost> {
        let watch = &self.watch;
        if watch.rounds.fetch_add(1, Ordering::SeqCst) + 1 == watch.fatal {
            watch.device.destroy();
        }
        self.inner.round(sweeps, still)
    }

    fn fetch(&mut self, out: &mut FlatAnswers) -> Result<(), Lost> {
        self.inner.fetch(out)?;
        let bytes = size_of_val(&*out.velocities) + size_of_val(&*out.contacts);
        self.watch.fetched.fetch_add(bytes, Ordering::SeqCst);
        Ok(())
    }
}

/// A pile of so many ellipsoids in a box that grows with it.
fn pile(count: usize, tolerance: f64) -> Scene {
    let side = 0.3 * (count as f64 / 64.0).cbrt();
    let corner = |sign: f64, z: f64| format!("[{}, {}, {z}]", sign * side, sign * side);
    let (low, high) = (format!("min = {}", corner(-1.0, 0.0)), format!("max = {}", corner(1.0, 3.4 * side)));
    let mut scene = changed(
        "granular/ellipsoids-64.toml",
        &[
            ("count = 64", &format!("count = {count}")),
            ("min = [-0.3, -0.3, 0]", &low),
            ("max = [0.3, 0.3, 1]", &high),
        ],
    );
    scene.solver.tolerance = tolerance;
    scene
}

fn contacts_on_device(run: &Run) -> u64 {
    run.simulation.backend().expect("a backend").done().flat_contacts
}

fn failed(run: &Run) -> Option<Fault> {
    run.simulation.backend().and_then(Guarded::failed)
}

/// Sweeps and turns of so many steps, each of them solved and green.
fn work(run: &mut Run, steps: usize) -> usize {
    (0..steps).map(|_| run.advance().info.sweeps).sum()
}

/// The order of the contacts is another, the work about that of the CPU, the bits those of a second run.
#[test]
fn piles_land_in_flat_arrays_on_the_device() {
    let Some(device) = own_device() else { return };
    for (count, tolerance) in [(64, 1e-2), (64, 1e-3), (216, 1e-2)] {
        let Some(backend) = Watched::new(&device, usize::MAX) else { return };
        let here = work(&mut Run::new(pile(count, tolerance)), 60);
        let runs = [0, 1].map(|_| {
            let mut run = run_on(pile(count, tolerance), Arc::clone(&backend) as Arc<dyn Backend>);
            let there = work(&mut run, 60);
            assert_eq!(failed(&run), None);
            assert!(2 * there < 3 * here, "{count} at {tolerance}: {there}, on the CPU {here}");
            let seen = contacts_on_device(&run);
            assert!(seen > 20 * count as u64, "{seen} contacts on the device");
            bits(run.state())
        });
        assert_eq!(runs[0], runs[1], "not the same bits twice");
    }
}

/// A round reads a few scalars back, whatever is on the device.
#[test]
fn rounds_read_few_bytes_back() {
    let Some(device) = own_device() else { return };
    let Some(backend) = Watched::new(&device, usize::MAX) else { return };
    let before = device.traffic().read;
    let mut run = run_on(pile(216, 1e-2), Arc::clone(&backend) as Arc<dyn Backend>);
    work(&mut run, 60);
    let (rounds, Traffic { dispatches, written, read, .. }) = (backend.rounds() as u64, device.traffic());
    let fetched = backend.flat.fetched.load(Ordering::SeqCst) as u64;
    eprintln!("{rounds} rounds, {dispatches} dispatches, {written} bytes there and {read} back");
    assert!(rounds > 100 && fetched > 0);
    assert!(read - before <= 256 * rounds + fetched, "{read} bytes, {fetched} by checks, {rounds} rounds");
}

/// The pile lands all the same, green, and the device is asked no more.
#[test]
fn a_device_lost_in_a_solve_does_not_stop_the_run() {
    let Some(device) = own_device() else { return };
    let Some(backend) = Watched::new(&device, 60) else { return };
    let mut run = run_on(pile(64, 1e-3), Arc::clone(&backend) as Arc<dyn Backend>);
    work(&mut run, 60);
    assert!((60..70).contains(&backend.rounds()), "{} rounds", backend.rounds());
    assert!(matches!(failed(&run), Some(Fault::Lost(_))), "{:?}", failed(&run));
}

/// A backend without a device behind it.
#[derive(Debug, Default)]
struct Broken {
    loads: AtomicUsize,
}

impl FlatOnDevice for Broken {
    fn fewest(&self) -> usize {
        1
    }

    fn load(self: Arc<Self>, _: &FlatArrays) -> Result<Box<dyn FlatSolve>, Lost> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        Err(Lost)
    }
}

/// Its backend.
#[derive(Debug, Default)]
struct NeverThere(Arc<Broken>);

impl Backend for NeverThere {
    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn flat(&self) -> Arc<dyn FlatOnDevice> {
        Arc::clone(&self.0) as Arc<dyn FlatOnDevice>
    }

    fn take_fault(&self) -> Option<Fault> {
        (self.0.loads.load(Ordering::SeqCst) > 0).then(|| Fault::Lost("never there".to_owned()))
    }
}

/// It is asked once, and the run is the CPU's, bit by bit.
#[test]
fn a_broken_backend_gives_the_run_of_the_cpu() {
    let broken = NeverThere::default();
    let asked = Arc::clone(&broken.0);
    let mut run = run_on(pile(64, 1e-3), Arc::new(broken));
    let mut on_cpu = Run::new(pile(64, 1e-3));
    assert_eq!(work(&mut run, 60), work(&mut on_cpu, 60));
    assert_eq!(bits(run.state()), bits(on_cpu.state()));
    assert_eq!(asked.loads.load(Ordering::SeqCst), 1);
    assert!(matches!(failed(&run), Some(Fault::Lost(_))), "{:?}", failed(&run));
}

/// Islands of fewer contacts, and islands whose tolerance asks for Newton's method, are left to the CPU.
#[test]
fn what_the_device_does_not_take_is_the_run_of_the_cpu() {
    let Some(device) = own_device() else { return };
    let Some(gpu) = gpu(&device) else { return };
    let small = || pile(64, 1e-2);
    let fine = || pile(64, 1e-8);
    for (scene, backend) in [(small as fn() -> Scene, gpu.clone()), (fine, gpu.from(1))] {
        let mut run = run_on(scene(), Arc::new(backend));
        let mut on_cpu = Run::new(scene());
        assert_eq!(work(&mut run, 50), work(&mut on_cpu, 50));
        assert_eq!(bits(run.state()), bits(on_cpu.state()));
        assert_eq!((contacts_on_device(&run), failed(&run)), (0, None));
    }
}

/// Spheres that stick to each other between a driven wall and a plane, in a periodic box, with torsion.
#[test]
fn cohesion_images_and_driven_bodies_are_known_on_the_device() {
    let Some(device) = own_device() else { return };
    let Some(backend) = Watched::new(&device, usize::MAX) else { return };
    let scene = || {
        let mut scene = from_text(
            "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.4\nseed = 3\n\
             [periodic]\nx = [0.0, 0.5]\ny = [0.0, 0.5]\n\
             [[friction]]\ncoefficient = 0.4\ncohesion = 0.5\nellipsoid = { t = 1, o = 1, r = 0.01 }\n\
             [[body]]\nname = \"plane\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
             [[motion]]\nbody = \"stirrer\"\naxis = [0, 0, 1]\nvelocity = { type = \"constant\", value = 4 }\n\
             [[body]]\nname = \"stirrer\"\nposition = [0.25, 0.25, 0.1]\n\
             shape = { type = \"ellipsoid\", semi_axes = [0.12, 0.06, 0.08] }\n\
             [[fill]]\nname = \"ball\"\ncount = 80\ndensity = 1000\nvelocity = [0.2, 0.1, -3.0]\n\
             shape = { type = \"sphere\", radius = 0.04 }\n\
             region = { min = [0, 0, 0.22], max = [0.5, 0.5, 0.8] }\n",
        );
        scene.solver.tolerance = 1e-3;
        scene
    };
    let here = work(&mut Run::new(scene()), 120);
    let mut run = run_on(scene(), Arc::clone(&backend) as Arc<dyn Backend>);
    let there = work(&mut run, 120);
    assert!(
        run.contacts().iter().any(|c| c.image != [0; 3] && c.normal_impulse > 0.0),
        "no load across a face"
    );
    assert!(contacts_on_device(&run) > 1000 && 2 * there < 3 * here, "{there}, on the CPU {here}");
    assert_eq!(failed(&run), None);
}

/// Layers of a high column carry their weight: checks find their factors, and the solve is loaded again.
#[test]
fn a_column_stands_on_the_device() {
    let Some(device) = own_device() else { return };
    let Some(backend) = Watched::new(&device, usize::MAX) else { return };
    let scene = || {
        let mut scene = changed(
            "granular/ellipsoids-64.toml",
            &[
                ("count = 64", "count = 120"),
                ("min = [-0.3, -0.3, 0]", "min = [-0.2, -0.2, 0]"),
                ("max = [0.3, 0.3, 1]", "max = [0.2, 0.2, 6]"),
            ],
        );
        scene.solver.tolerance = 1e-1;
        scene
    };
    let here = work(&mut Run::new(scene()), 240);
    let mut run = run_on(scene(), Arc::clone(&backend) as Arc<dyn Backend>);
    let there = work(&mut run, 240);
    let loads = backend.flat.loads.load(Ordering::SeqCst);
    eprintln!("{there}, on the CPU {here}; {loads} loads in {} rounds", backend.rounds());
    assert!(loads > 300 && there < 2 * here, "{loads} loads, {there}, on the CPU {here}");
    assert_eq!(failed(&run), None);
}

/// More contacts than a group has.
#[test]
#[ignore = "minutes: cargo test --release --test twins large_piles -- --ignored"]
fn large_piles_land_on_the_device() {
    let Some(device) = own_device() else { return };
    let Some(backend) = Watched::new(&device, usize::MAX) else { return };
    for count in [1000, 2000] {
        let here = work(&mut Run::new(pile(count, 1e-2)), 50);
        let mut run = run_on(pile(count, 1e-2), Arc::clone(&backend) as Arc<dyn Backend>);
        let there = work(&mut run, 50);
        eprintln!("{count}: {there}, on the CPU {here}; {} contacts", contacts_on_device(&run));
        assert!(2 * there < 3 * here, "{count}: {there}, on the CPU {here}");
    }
}
