//! The same scene gives the same bits, for any number of threads and in every build profile.

mod runs;

use nalgebra::Vector3;
use runs::shipped;
use signorini::scene::{Scene, State};
use signorini::simulation::Simulation;

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

/// Hash of all states of a run, of the impulses, and the largest number of islands met.
fn run(scene: Scene, steps: usize) -> (u64, usize) {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    simulation.audit = false;
    let (mut hash, mut n_islands) = (Hash::new(), 0);
    for _ in 0..steps {
        n_islands = n_islands.max(simulation.advance().info.n_islands);
        hash.state(simulation.state());
        for contact in simulation.contacts() {
            hash.take(contact.normal_impulse);
            hash.take(contact.torsional_impulse);
        }
    }
    (hash.0, n_islands)
}

fn assert_same_for_all_threads(scene: &Scene, steps: usize, islands: usize) {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(scene.clone(), steps))
    };
    let (one, n_islands) = with(1);
    assert!(n_islands >= islands, "only {n_islands} islands: nothing ran in parallel");
    for threads in [2, 7] {
        assert_eq!(with(threads).0, one, "{threads} threads");
    }
    assert_eq!(run(scene.clone(), steps).0, one, "the thread of the caller");
}

#[test]
fn rolling_collision_has_the_same_bits_for_any_number_of_threads() {
    assert_same_for_all_threads(&shipped("granular/rolling-collision.toml"), 200, 4);
}

#[test]
fn the_staggered_integrator_has_the_same_bits_for_any_number_of_threads() {
    let mut scene = shipped("granular/rolling-collision.toml");
    scene.solver.integrator = signorini::settings::Integrator::Staggered;
    assert_same_for_all_threads(&scene, 100, 4);
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

/// Hashes of three runs, held by debug and release builds alike. Other machines may compute sin and cos
/// differently. `UPDATE_GOLDEN=1 cargo test --test determinism` writes new ones after a change of the method.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
fn builds_of_all_profiles_give_the_same_bits() {
    let found = [
        ("seeds/two-spheres.toml", 400),
        ("seeds/free-ellipsoid.toml", 500),
        ("granular/rolling-collision.toml", 150),
    ]
    .map(|(path, steps)| format!("{path} {steps} {:016x}\n", run(shipped(path), steps).0))
    .concat();
    runs::assert_golden("state-hashes.txt", &found);
}
