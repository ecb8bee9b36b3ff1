//! Seams between parts of one body: a body that slides or rolls over them moves as over one part.

use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini_scene::scene::Scene;
use support::runs::{Run, from_text, kinetic_energy};

/// A scene with a floor: a half-space, or 400 tiles of 10 cm that are parts of one body.
fn on_floor(is_tiled: bool, simulation: &str, bodies: &str) -> Scene {
    let tile = |k: usize| {
        let (x, y) = (0.1 * (k / 8) as f64 - 0.45, 0.1 * (k % 8) as f64 - 0.35);
        format!(
            "{{ shape = {{ type = \"box\", half_extents = [0.05, 0.05, 0.05] }}, position = [{x}, {y}, -0.05] }}"
        )
    };
    let floor = if is_tiled {
        format!("fixed = true\nparts = [\n{}]\n", (0..400).map(|k| tile(k) + ",\n").collect::<String>())
    } else {
        "shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n".to_owned()
    };
    from_text(&format!(
        "format = 1\n[simulation]\n{simulation}\n[[friction]]\ncoefficient = 0.2\n[[body]]\nname = \"floor\"\n\
         {floor}{bodies}"
    ))
}

/// A box slides 3.9 m over 40 rows of tiles as it does over a plane, and does not turn.
#[test]
fn a_box_does_not_feel_the_seams_of_a_floor() {
    let bodies = "[[body]]\nname = \"box\"\nshape = { type = \"box\", half_extents = [0.06, 0.04, 0.03] }\n\
                  density = 1000\nposition = [0.02, 0.013, 0.03]\nvelocity = [3.9, 0, 0]\n";
    let simulation = "time_step = 0.005\nduration = 2.0";
    let [mut tiles, mut plane] =
        [true, false].map(|is_tiled| Run::new(on_floor(is_tiled, simulation, bodies)));
    let most = slides_as_on_a_plane([&mut tiles, &mut plane]);
    let gone = tiles.state().poses[1].position.x - 0.02;
    assert!(gone > 3.8 && most >= 4, "{gone} m, {most} tiles at once");
}

/// 400 steps of a box on two floors: it goes the same way and does not turn. Returns how many contacts of the
/// first floor carried load at once.
pub(super) fn slides_as_on_a_plane([floor, plane]: [&mut Run; 2]) -> usize {
    let mut most = 0;
    for step in 1..=400 {
        floor.advance();
        plane.advance();
        let [on_floor, on_plane] = [&*floor, &*plane].map(|run| run.state().poses[1]);
        let off = (on_floor.position - on_plane.position).norm();
        assert!(off < 1e-9, "step {step}: {off:e} m");
        let turned = on_floor.orientation.angle();
        assert!(turned < 1e-9, "step {step}: {turned:e} rad");
        most = most.max(floor.contacts().iter().filter(|c| c.normal_impulse > 0.0).count());
    }
    most
}

/// A ball that rolls askew over a floor keeps its energy.
pub(super) fn rolls_without_loss(on_floor: impl Fn(&str, &str) -> Scene) {
    let (v, r) = ([1.7, 0.15], 0.04);
    let bodies = format!(
        "[[body]]\nname = \"ball\"\nshape = {{ type = \"sphere\", radius = {r} }}\ndensity = 1000\n\
         position = [-0.3, -0.21, {r}]\nvelocity = [{}, {}, 0]\nangular_velocity = [{}, {}, 0]\n",
        v[0],
        v[1],
        -v[1] / r,
        v[0] / r
    );
    let mut run = Run::new(on_floor("time_step = 0.005\nduration = 2.0", &bodies));
    let start = run.kinetic_energy();
    for step in 1..=400 {
        run.advance();
        let change = kinetic_energy(run.scene(), run.state()) / start - 1.0;
        assert!(change.abs() < 1e-9, "step {step}: {change:e}");
        let bearing = run.contacts().iter().filter(|c| c.normal_impulse > 0.0);
        for contact in bearing {
            assert!((contact.normal.z - 1.0).abs() < 1e-12, "step {step}: {contact:?}");
        }
    }
    assert!(run.state().poses[1].position.x > 3.0);
}

#[test]
fn a_ball_rolls_over_seams_without_loss() {
    rolls_without_loss(|simulation, bodies| on_floor(true, simulation, bodies));
}

/// A cube, and an equal cube of two halves, drawn at random and thrown.
fn cubes(seed: u64, friction: f64, is_flat: bool) -> [Scene; 2] {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut three = |most: f64| Vector3::from_fn(|_, _| random.random_range(-most..most));
    let turn = if is_flat { Vector3::z() * three(2.0).z } else { three(2.0) };
    let [_, x, y, z] = {
        let q = UnitQuaternion::from_scaled_axis(turn);
        [q.w, q.i, q.j, q.k]
    };
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let (velocity, mut spin) = (three(1.0), three(4.0));
    if is_flat {
        spin = Vector3::zeros();
    }
    let half =
        "{ shape = { type = \"box\", half_extents = [0.025, 0.05, 0.05] }, position = [SIGN0.025, 0, 0] }";
    let halves = format!("parts = [{}, {}]", half.replace("SIGN", "-"), half.replace("SIGN", ""));
    let whole = "shape = { type = \"box\", half_extents = [0.05, 0.05, 0.05] }".to_owned();
    [whole, halves].map(|shape| {
        from_text(&format!(
            "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.6\n[solver]\ntolerance = 1e-11\n[[friction]]\n\
             coefficient = {friction}\n[[body]]\nname = \"floor\"\n\
             shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[body]]\nname = \"cube\"\ndensity = 1000\nposition = [0, 0, 0.12]\n\
             orientation = [{w:?}, {x:?}, {y:?}, {z:?}]\nvelocity = {:?}\nangular_velocity = {:?}\n{shape}\n",
            <[f64; 3]>::from(velocity),
            <[f64; 3]>::from(spin)
        ))
    })
}

/// Largest distance of both (m, rad) in a run.
fn farthest(scenes: [Scene; 2]) -> f64 {
    let mut runs = scenes.map(Run::new);
    let mut most = 0.0_f64;
    for _ in 0..120 {
        runs.iter_mut().for_each(|run| run.steps(1));
        let [p, q] = [0, 1].map(|k| runs[k].state().poses[1]);
        most = most.max((p.position - q.position).norm()).max(p.orientation.angle_to(&q.orientation));
    }
    most
}

/// Without friction the points of both halves carry the loads of those of the cube: 200 drops.
#[test]
fn two_half_cubes_fall_as_a_cube_does() {
    for seed in 0..200 {
        let off = farthest(cubes(seed, 0.0, false));
        assert!(off < 1e-9, "seed {seed}: {off:e}");
    }
}

/// With friction each pair of parts has a wrench of its own, so that two halves resist a spin about the
/// normal and one cube does not. Without a spin they move alike.
#[test]
fn two_half_cubes_slide_as_a_cube_does() {
    for seed in 0..20 {
        let off = farthest(cubes(seed, 0.3, true));
        assert!(off < 1e-9, "seed {seed}: {off:e}");
    }
}
