//! Rough tolerances, which sweeps meet: every step solved and green as at any other, mostly without a matrix.

use crate::piles::pile_of_216;
use signorini_ncp::solver::SolveStatus;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Integrator;
use support::runs::{Run, from_text, shipped};

/// Takes steps at a tolerance; sweeps and Newton iterations.
fn swept(mut scene: Scene, tolerance: f64, n_steps: usize) -> (usize, usize) {
    scene.solver.tolerance = tolerance;
    let mut run = Run::new(scene);
    let sweeps = (0..n_steps).map(|_| run.advance().info.sweeps).sum();
    (sweeps, run.work.iterations)
}

/// A scene that Newton's method solves alone.
fn unswept(path: &str) -> Scene {
    let mut scene = shipped(path);
    let methods = &mut scene.solver.methods;
    (methods.solve_by_sweeps, methods.flat_from_bodies) = (false, usize::MAX);
    scene
}

#[test]
fn piles_are_swept() {
    for tolerance in [1e-2, 1e-3, 1e-5] {
        let (sweeps, iterations) = swept(shipped("granular/ellipsoids-64.toml"), tolerance, 80);
        let (none, without) = swept(unswept("granular/ellipsoids-64.toml"), tolerance, 80);
        assert!(sweeps > 100 && none == 0, "{tolerance:e}: {sweeps} and {none} sweeps");
        // Small islands are Newton's.
        let part = if tolerance >= 1e-3 { 2 } else { 1 };
        assert!(part * iterations < without, "{tolerance:e}: {iterations} iterations of {without}");
    }
}

/// Islands whose factor would be too large are Newton's with the diagonal blocks alone.
#[test]
fn piles_without_a_factor_are_solved() {
    let mut scene = unswept("granular/ellipsoids-64.toml");
    let methods = &mut scene.solver.methods;
    (methods.direct_block_products, methods.cholesky_entries) = (0, 0);
    let (_, iterations) = swept(scene, 1e-3, 80);
    assert!(iterations > 100, "{iterations} iterations");
}

/// Where stiffness keeps sweeps from converging, large smooth islands are halved before Newton's method takes
/// many iterations.
#[test]
fn what_is_not_swept_over_is_halved() {
    let mut scene = pile_of_216();
    (scene.solver.tolerance, scene.solver.methods.flat_from_bodies) = (1e-4, usize::MAX);
    let mut run = Run::new(scene);
    let halved = (0..72).filter(|_| run.advance().info.status == SolveStatus::SolvedByHalving).count();
    assert!(halved > 0, "none of 72 steps");
}

/// Faces too, while the pile moves.
#[test]
fn falling_cubes_are_swept() {
    for tolerance in [1e-2, 1e-4] {
        let (sweeps, iterations) = swept(shipped("granular/cubes-64.toml"), tolerance, 80);
        let (none, without) = swept(unswept("granular/cubes-64.toml"), tolerance, 80);
        assert!(sweeps > 100 && none == 0, "{tolerance:e}: {sweeps} and {none} sweeps");
        assert!(3 * iterations < without, "{tolerance:e}: {iterations} iterations of {without}");
    }
}

#[test]
fn the_staggered_integrator_is_swept() {
    let mut scene = shipped("granular/ellipsoids-64.toml");
    scene.solver.integrator = Integrator::Staggered;
    assert!(swept(scene, 1e-3, 60).0 > 50);
}

#[test]
fn joints_are_swept() {
    let mut chain = String::from(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 1\n[[friction]]\ncoefficient = 0.3\n[[body]]\nname = \"link 0\"\n\
         shape = { type = \"sphere\", radius = 0.02 }\nfixed = true\n",
    );
    for i in 1..=12 {
        let (middle, end, above) = (0.2 * f64::from(i) - 0.1, 0.2 * (f64::from(i) - 1.0), i - 1);
        chain += &format!(
            "[[body]]\nname = \"link {i}\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.09, 0.02, 0.02] }}\nmass = 1\n\
             position = [{middle:?}, 0, 0]\n[[joint]]\nname = \"pin {i}\"\ntype = \"ball\"\n\
             between = [\"link {above}\", \"link {i}\"]\nanchor = [{end:?}, 0, 0]\n"
        );
    }
    let (sweeps, _) = swept(from_text(&chain), 1e-3, 100);
    assert!(sweeps > 100, "{sweeps} sweeps");
}
