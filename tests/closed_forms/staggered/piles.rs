//! Piles come to rest and stay there, every step solved to 1e-8 and green, and none of them gains energy.

use super::impacts::Books;
use super::{V, torsional};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Integrator;
use support::runs::{Run, exact, shipped};

/// Largest distance of the centres (m), and largest angle between the directions (rad), of two states.
fn apart(before: &State, after: &State) -> [f64; 2] {
    let mut apart = [0.0_f64; 2];
    for (before, after) in before.poses.iter().zip(&after.poses) {
        apart[0] = apart[0].max((after.position - before.position).norm());
        apart[1] = apart[1].max(before.orientation.angle_to(&after.orientation));
    }
    apart
}

/// Runs a scene to its end, and prints how it came to rest: it falls, and from the time `settled` on nothing
/// moves.
#[allow(clippy::print_stderr)]
fn assert_rests(what: &str, mut scene: Scene, settled: f64) {
    scene.solver.integrator = Integrator::Staggered;
    assert!(scene.solver.tolerance <= 1e-8);
    let settled = (settled / scene.time_step).round() as usize;
    let (mut run, mut books) = (Run::new(scene), Books::new(V::zeros()));
    let mut most = 0.0_f64;
    for _ in 0..settled {
        books.advance(&mut run);
        most = most.max(run.kinetic_energy());
    }
    assert!(most > 1.0, "{what} fell: {most} J");
    let there = run.state().clone();
    let (mut energy, mut gone) = (0.0_f64, [0.0_f64; 2]);
    while run.simulation.step_index() < run.scene().n_steps() {
        books.advance(&mut run);
        energy = energy.max(run.kinetic_energy());
        let apart = apart(&there, run.state());
        gone = [0, 1].map(|k| gone[k].max(apart[k]));
    }
    let (gain, n) = books.struck;
    eprintln!(
        "{what}: up to {most:.1} J, then {energy:e} J, gone {gone:?} (m, rad); gains of {gain:e} J in {n} steps that struck, \
         {:e} J in others; {} halved, {:?}",
        books.smooth, books.halved, run.work
    );
    assert!(energy < 1e-15, "{what}: {energy} J at rest");
    assert!(gone[0] < 1e-10 && gone[1] < 1e-9, "{what} stays where it is: {gone:?} (m, rad)");
    assert!(
        gain <= 0.0 && books.smooth < 1e-9,
        "{what}: {gain:e} J where it struck, {:e} J elsewhere",
        books.smooth
    );
}

/// The piles are too long for every day; these come to rest as they do.
#[test]
fn small_piles_rest() {
    for (what, count, wall, shape) in [
        ("27 ellipsoids", 27, 0.225, "{ type = \"ellipsoid\", semi_axes = [0.10, 0.07, 0.05] }"),
        ("12 cubes", 12, 0.18, "{ type = \"box\", half_extents = [0.06, 0.06, 0.06] }"),
    ] {
        let text = format!(
            "[[container]]\nname = \"box\"\nmin = [-{wall:?}, -{wall:?}, 0]\nmax = [{wall:?}, {wall:?}, 1.2]\n\
             [[fill]]\nname = \"grain\"\ncount = {count}\nshape = {shape}\ndensity = 1000\n\
             region = {{ min = [-{wall:?}, -{wall:?}, 0], max = [{wall:?}, {wall:?}, 1.2] }}\n"
        );
        let mut scene = torsional(5e-3, 0.5, 0.02, &text);
        scene.duration = 2.0;
        assert_rests(what, scene, 1.25);
    }
}

#[test]
#[ignore = "a minute: cargo test --test closed_forms staggered::piles -- --ignored --nocapture"]
fn a_pile_of_64_ellipsoids_rests() {
    let mut scene = exact(shipped("granular/ellipsoids-64.toml"));
    scene.duration = 3.0;
    assert_rests("64 ellipsoids", scene, 1.0);
}

#[test]
#[ignore = "a minute: cargo test --test closed_forms staggered::piles -- --ignored --nocapture"]
fn a_pile_of_64_cubes_rests() {
    assert_rests("64 cubes", exact(shipped("granular/cubes-64.toml")), 1.0);
}
