//! Piles of polytopes at random orientations: solved steps are green, and an audit finds each contact where
//! the bodies are.

use super::Bench;
use std::fs;

/// A hundred polytopes that fall into a box.
fn pile(seed: usize, shape: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.25\nseed = {seed}\n[solver]\ntolerance = 1e-2\n\
         [[friction]]\ncoefficient = 0.5\n[[container]]\nname = \"box\"\nmin = [-0.04, -0.04, 0]\n\
         max = [0.04, 0.04, 1]\n[[fill]]\nname = \"part\"\ncount = 100\ndensity = 2500\nshape = {shape}\n\
         region = {{ min = [-0.039, -0.039, 0.001], max = [0.039, 0.039, 0.4] }}\n"
    )
}

fn is_green(scenes: &[(usize, &str)]) {
    let bench = Bench::new(scenes.len(), 1);
    for (seed, shape) in scenes {
        fs::write(bench.path("pile.toml"), pile(*seed, shape)).unwrap();
        bench.expect(&["run", "pile.toml", "--out", "a", "--force"], 0);
        let output = bench.call(&["audit", "a"]);
        let report = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "seed {seed}, {shape}: {report}");
    }
}

/// Corners on rims, edges that hardly lean from a face, bodies that are near each other only.
#[test]
fn tumbled_cubes_touch_where_they_are() {
    let cube = "{ type = \"box\", half_extents = [0.008, 0.008, 0.008] }";
    is_green(&[(1, cube), (4, cube), (5, cube)]);
}

#[test]
fn tumbled_prisms_touch_where_they_are() {
    let prism = "{ type = \"polytope\", vertices = [[0.009, 0, 0.006], [-0.0045, 0.0078, 0.006], \
                 [-0.0045, -0.0078, 0.006], [0.009, 0, -0.006], [-0.0045, 0.0078, -0.006], [-0.0045, -0.0078, -0.006]] }";
    is_green(&[(1, prism), (2, prism)]);
}
