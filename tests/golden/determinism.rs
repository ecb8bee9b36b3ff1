//! One scene gives the same bits every time, for any number of threads and in every build profile.

use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::{self, from_text, shipped};

/// FNV-1a over the bits of all poses and velocities.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn take(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn state(&mut self, state: &State) {
        for (pose, velocity) in state.poses.iter().zip(&state.velocities) {
            for vector in [&pose.position, &velocity.linear, &velocity.angular] {
                vector.iter().for_each(|x| self.take(*x));
            }
            pose.orientation.coords.iter().for_each(|x| self.take(*x));
        }
    }
}

/// Outcome of a run.
#[derive(Debug)]
pub struct Found {
    /// Hash of all states, and of the impulses of contacts and joints.
    pub hash: u64,
    /// Largest number of islands met.
    n_islands: usize,
    /// Largest number of contacts that carried load in one step.
    pub bearing: usize,
    /// Sweeps of all steps.
    pub sweeps: usize,
}

fn run(scene: Scene, steps: usize) -> Found {
    let simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    advance(simulation, steps)
}

/// Takes steps of a simulation.
pub fn advance(mut simulation: Simulation, steps: usize) -> Found {
    simulation.judge_steps(false);
    let (mut hash, mut n_islands, mut bearing, mut sweeps) = (Hash::new(), 0, 0, 0);
    for _ in 0..steps {
        let info = simulation.advance().info;
        (n_islands, sweeps) = (n_islands.max(info.n_islands), sweeps + info.sweeps);
        bearing = bearing.max(simulation.contacts().iter().filter(|c| c.normal_impulse > 0.0).count());
        hash.state(simulation.state());
        for contact in simulation.contacts() {
            hash.take(contact.normal_impulse);
            hash.take(contact.torsional_impulse);
            // Nothing where nothing resists rolling, so that older hashes stay.
            contact.rolling_impulse.iter().filter(|m| **m != 0.0).for_each(|m| hash.take(*m));
        }
        for joint in simulation.joints() {
            joint.force.iter().chain(joint.torque.iter()).for_each(|x| hash.take(*x));
            let drives = [joint.motion, joint.motor, joint.limit];
            drives.iter().flatten().for_each(|x| hash.take(*x));
        }
    }
    Found { hash: hash.0, n_islands, bearing, sweeps }
}

fn assert_same_for_all_threads(scene: &Scene, steps: usize, islands: usize) -> Found {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(scene.clone(), steps))
    };
    let one = with(1);
    assert!(one.n_islands >= islands, "{one:?}: nothing ran in parallel");
    for threads in [2, 7] {
        assert_eq!(with(threads).hash, one.hash, "{threads} threads");
    }
    assert_eq!(run(scene.clone(), steps).hash, one.hash, "the thread of the caller");
    one
}

#[test]
fn rolling_collision_has_the_same_bits_for_any_number_of_threads() {
    assert_same_for_all_threads(&shipped("granular/rolling-collision.toml"), 200, 4);
}

/// Bodies that cross faces and meet images.
#[test]
fn a_periodic_chute_has_the_same_bits_for_any_number_of_threads() {
    let found = assert_same_for_all_threads(&shipped("seeds/chute.toml"), 40, 4);
    assert!(found.bearing > 20, "{found:?}");
}

#[test]
fn the_staggered_integrator_has_the_same_bits_for_any_number_of_threads() {
    let mut scene = shipped("granular/rolling-collision.toml");
    scene.solver.integrator = signorini_scene::settings::Integrator::Staggered;
    assert_same_for_all_threads(&scene, 100, 4);
}

#[test]
fn rolling_resistance_has_the_same_bits_for_any_number_of_threads() {
    let mut scene = shipped("granular/rolling-collision.toml");
    scene.friction.entries.iter_mut().for_each(|entry| entry.rolling = 0.01);
    assert_same_for_all_threads(&scene, 120, 4);
}

/// Bodies that come and leave while others lie on each other.
#[test]
fn a_silo_has_the_same_bits_for_any_number_of_threads() {
    assert_same_for_all_threads(&shipped("seeds/silo.toml"), 350, 8);
}

/// 64 bodies on their way down: many islands that merge into one.
#[test]
fn falling_pile_has_the_same_bits_for_any_number_of_threads() {
    assert_same_for_all_threads(&shipped("granular/ellipsoids-64.toml"), 30, 8);
}

/// Piles beside each other, each an island of its own: the shipped bodies of one box, copied far apart.
#[test]
fn several_piles_have_the_same_bits_for_any_number_of_threads() {
    let mut scene = shipped("granular/rolling-collision.toml");
    let ground = scene.bodies.remove(runs::body(&scene, "ground"));
    let pile = std::mem::take(&mut scene.bodies);
    scene.bodies.push(ground);
    for k in 0..5 {
        for body in &pile {
            let mut copy = body.clone();
            copy.name = format!("{} {k}", body.name);
            copy.pose.position += Vector3::new(0.0, 10.0 * f64::from(k), 0.0);
            // Another start for each, so that they don't all do the same.
            copy.velocity.linear *= 1.0 + 0.01 * f64::from(k);
            scene.bodies.push(copy);
        }
    }
    assert_same_for_all_threads(&scene, 120, 20);
}

/// 150 bodies in a block that comes down on the floor: one island, whose parts are shared out.
#[test]
fn the_inside_of_an_island_has_the_same_bits_for_any_number_of_threads() {
    let ellipsoid = "type = \"ellipsoid\", semi_axes = [0.1, 0.09, 0.08]";
    let box_ = "type = \"box\", half_extents = [0.1, 0.09, 0.08]";
    for (shape, steps) in [(ellipsoid, 12), (box_, 2)] {
        let mut text = "format = 1
[simulation]
time_step = 0.005
duration = 1.0
[solver]
tolerance = 1e-2
[[friction]]
coefficient = 0.4
[[body]]
name = \"floor\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
fixed = true
"
        .to_owned();
        for (i, j, k) in (0..150).map(|n| (n % 6, n / 6 % 5, n / 30)) {
            let [x, y, z] = [i, j, k].map(f64::from);
            let place = [0.2001 * x + 0.01 * z, 0.1801 * y + 0.007 * z, 0.0801 + 0.1601 * z];
            text += &format!(
                "[[body]]\nname = \"{i} {j} {k}\"\nshape = {{ {shape} }}\ndensity = 1000\n\
                 position = {place:?}\nvelocity = [0.1, 0.05, -0.3]\n"
            );
        }
        let found = assert_same_for_all_threads(&from_text(&text), steps, 1);
        assert!(found.bearing > 100 && found.sweeps > 0, "{shape}: {found:?}");
    }
}

/// A rod and a bob on a joint of each kind, with motors, limits and prescribed motions, on a fixed or a
/// driven body: each an island that comes down on the floor.
fn mechanisms() -> Scene {
    let course = "{ type = \"sine\", amplitude = 0.3, frequency = 3 }";
    let drive = |table: &str, of: &str, more: &str| {
        format!("[[{table}]]\njoint = \"joint {{k}}\"\n{of}\nvelocity = {course}\n{more}\n")
    };
    let (hinge, rail) = ("axis = [0.2, 1, 0.3]\n", "axis = [0.2, 0.3, 1]\n");
    let (slide, angle) = ("coordinate = \"slide\"", "coordinate = \"angle\"");
    let motor = |of: &str| drive("motor", of, "largest_force = 3");
    let motion = |of: &str| drive("motion", of, "");
    let kinds = [
        ("fixed", String::new(), String::new()),
        ("ball", String::new(), String::new()),
        ("revolute", format!("{hinge}angle_limits = [-0.1, 0.2]"), motor("")),
        ("revolute", hinge.to_owned(), motion("")),
        ("prismatic", format!("{rail}slide_limits = [-0.05, 0.1]"), motor("")),
        ("prismatic", rail.to_owned(), motion("")),
        ("cylindrical", format!("{rail}slide_limits = [-0.05, 0.1]"), motion(angle) + &motor(slide)),
        ("cylindrical", format!("{rail}angle_limits = [-0.1, 0.1]"), motor(angle)),
        ("distance", String::new(), String::new()),
        ("distance", "length_limits = [0.1, 0.401]".to_owned(), motor("")),
    ];
    let mut text =
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 1\n[[friction]]\ncoefficient = 0.3\n\
        [[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n"
            .to_owned();
    for (k, (kind, more, drives)) in kinds.iter().enumerate() {
        let y = 2 * k;
        let anchor =
            if *kind == "distance" { String::new() } else { format!("anchor = [0.1, {y}.05, 0.08]") };
        text += &format!(
            "[[body]]\nname = \"base {k}\"\nshape = {{ type = \"sphere\", radius = 0.02 }}\nposition = [0, {y}, 0.08]\n{}\n\
             [[body]]\nname = \"rod {k}\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.3, 0.05, 0.04] }}\nmass = 1\n\
             position = [0.4, {y}, 0.08]\n\
             [[body]]\nname = \"bob {k}\"\nshape = {{ type = \"box\", half_extents = [0.06, 0.05, 0.04] }}\nmass = 0.5\n\
             position = [0.8, {y}, 0.08]\n\
             [[joint]]\nname = \"joint {k}\"\ntype = {kind:?}\nbetween = [\"base {k}\", \"rod {k}\"]\n{anchor}\n{more}\n\
             [[joint]]\nname = \"pin {k}\"\ntype = \"ball\"\nbetween = [\"rod {k}\", \"bob {k}\"]\nanchor = [0.72, {y}, 0.08]\n{}",
            if k % 2 == 0 { "fixed = true" } else { "" },
            drives.replace("{k}", &k.to_string()),
        );
        if k % 2 == 1 {
            text +=
                &format!("[[motion]]\nbody = \"base {k}\"\ndirection = [1, 0, 0.1]\nvelocity = {course}\n");
        }
    }
    from_text(&text)
}

#[test]
fn joints_of_all_kinds_and_contacts_have_the_same_bits_for_any_number_of_threads() {
    for (formulation, integrator, steps) in [
        (Formulation::Implicit, Integrator::ImplicitEuler, 150),
        (Formulation::Implicit, Integrator::Staggered, 150),
        (Formulation::StewartTrinkle, Integrator::ImplicitEuler, 60),
        (Formulation::Cone, Integrator::ImplicitEuler, 60),
        (Formulation::Compliant, Integrator::ImplicitEuler, 60),
        (Formulation::Auto, Integrator::ImplicitEuler, 60),
    ] {
        let mut scene = mechanisms();
        (scene.solver.formulation, scene.solver.integrator) = (formulation, integrator);
        let found = assert_same_for_all_threads(&scene, steps, 10);
        assert!(found.bearing > 10, "{formulation:?}: {found:?} contacts bear at the end");
    }
}

/// Hashes of runs, held by debug and release builds alike. Other machines may compute sin and cos
/// differently. `UPDATE_GOLDEN=1 cargo test --test golden` writes new ones after a change of the method.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
fn builds_of_all_profiles_give_the_same_bits() {
    let mut staggered = mechanisms();
    staggered.solver.integrator = Integrator::Staggered;
    let found = [
        ("seeds/two-spheres.toml", shipped("seeds/two-spheres.toml"), 400),
        ("seeds/free-ellipsoid.toml", shipped("seeds/free-ellipsoid.toml"), 500),
        ("granular/rolling-collision.toml", shipped("granular/rolling-collision.toml"), 150),
        ("mechanisms", mechanisms(), 150),
        ("mechanisms, staggered", staggered, 150),
    ]
    .map(|(name, scene, steps)| format!("{name} {steps} {:016x}\n", run(scene, steps).hash))
    .concat();
    runs::assert_golden("state-hashes.txt", &found);
}
