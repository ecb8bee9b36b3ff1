//! A scene on several ranks gives the bits that it gives on one. Ranks are threads here; `tests/cli/ranks.rs`
//! starts processes.

use crate::determinism::{Found, advance};
use signorini::simulation::{OnRanks, Simulation};
use signorini_scene::scene::Scene;
use std::fmt::Write;
use support::ranks::on_ranks;
use support::runs::{from_text, shipped};

/// Head of a scene of many bodies on a floor, at a tolerance at which large islands are swept.
const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.005\nduration = 1\n[solver]\ntolerance = 1e-2\n\
     [[friction]]\ncoefficient = 0.4\nellipsoid = { t = 1, o = 1, r = 0.02 }\n[[body]]\nname = \"floor\"\nshape = { \
     type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";

/// Bodies in a block of so many along each axis, that comes down on the floor. `shape` tells that of a body.
fn block([nx, ny, nz]: [usize; 3], spacing: [f64; 3], shape: impl Fn(usize) -> &'static str) -> String {
    let mut text = HEAD.to_owned();
    for n in 0..nx * ny * nz {
        let (i, j, k) = (n % nx, n / nx % ny, n / (nx * ny));
        let [x, y, z] = [i, j, k].map(|x| x as f64);
        let place = [
            spacing[0] * x + 0.01 * (z % 2.0),
            spacing[1] * y + 0.007 * (z % 2.0),
            spacing[2] * (0.5 + z) + 1e-4,
        ];
        let turn = 0.05 * (7.0 * n as f64).sin();
        let _ = write!(
            text,
            "[[body]]\nname = \"{n}\"\nshape = {{ {} }}\ndensity = 1000\nposition = {place:?}\nvelocity = [{turn}, \
             0.05, -0.3]\n",
            shape(n)
        );
    }
    text
}

const ELLIPSOID: &str = "type = \"ellipsoid\", semi_axes = [0.1, 0.09, 0.08]";
const BALL: &str = "type = \"sphere\", radius = 0.08";
const BOX: &str = "type = \"box\", half_extents = [0.1, 0.09, 0.08]";

/// Runs a scene on one process and on several numbers of ranks, each with some threads.
fn assert_same_for_all_ranks(scene: &Scene, steps: usize, ranks: &[(usize, usize)]) -> Found {
    let simulation = || Simulation::new(scene.clone()).unwrap_or_else(|e| panic!("{e}"));
    let one = advance(simulation(), steps);
    for (size, threads) in ranks {
        let all = on_ranks(*size, *threads, |rank| {
            let mut simulation = simulation();
            simulation.use_ranks(rank.clone());
            (advance(simulation, steps).hash, rank.traffic())
        });
        for (rank, (hash, traffic)) in all.into_iter().enumerate() {
            assert_eq!(hash, one.hash, "rank {rank} of {size}, {threads} threads");
            // Each sweep hands velocities out, and each body has some.
            let least = one.sweeps as u64;
            assert!(traffic.messages > least && traffic.bytes > 8 * least, "{traffic:?} of {one:?}");
        }
    }
    assert!(one.bearing > 40 && one.sweeps > 0, "{one:?}");
    one
}

#[test]
fn ellipsoids_have_the_same_bits_for_any_number_of_ranks() {
    let scene = from_text(&block([12, 12, 6], [0.2001, 0.1801, 0.1601], |_| ELLIPSOID));
    assert_same_for_all_ranks(&scene, 8, &[(2, 1), (2, 2), (3, 1), (4, 1)]);
}

/// Boxes have points with names, and stacks of them layers whose impulses are scaled.
#[test]
fn boxes_have_the_same_bits_for_any_number_of_ranks() {
    let text = block([5, 5, 22], [0.2001, 0.1801, 0.1601], |_| BOX).replace("r = 0.02", "r = \"patch\"");
    assert_same_for_all_ranks(&from_text(&text), 3, &[(2, 1), (3, 1)]);
}

/// Balls, ellipsoids and boxes in one pile: closest points that the caller finds.
#[test]
fn a_mixed_pile_has_the_same_bits_for_any_number_of_ranks() {
    let shape = |n: usize| [BOX, ELLIPSOID, BOX, BALL, ELLIPSOID][n % 5];
    let text = block([11, 11, 5], [0.2001, 0.1801, 0.1601], shape).replace("r = 0.02", "r = \"patch\"");
    assert_same_for_all_ranks(&from_text(&text), 3, &[(2, 1), (3, 1)]);
}

/// A periodic box of balls that bounce, on a floor that shakes.
#[test]
fn balls_that_bounce_in_a_periodic_box_have_the_same_bits_for_any_number_of_ranks() {
    let text = block([16, 16, 3], [0.1601, 0.1601, 0.1605], |_| BALL)
        .replace("coefficient = 0.4", "coefficient = 0.4\nrestitution = 0.6")
        .replace("[[friction]]", "[periodic]\nx = [-0.0805, 2.4811]\ny = [-0.0805, 2.4811]\n[[friction]]");
    assert_same_for_all_ranks(&from_text(&text), 4, &[(2, 1), (3, 1)]);
}

/// Balls that resist rolling and hold each other: couples and pulls beside the rows of contacts.
#[test]
fn sticky_balls_have_the_same_bits_for_any_number_of_ranks() {
    let text = block([12, 12, 4], [0.1601, 0.1601, 0.1605], |_| BALL)
        .replace("coefficient = 0.4", "coefficient = 0.4\nrolling = 0.004\ncohesion = 2");
    assert_same_for_all_ranks(&from_text(&text), 6, &[(2, 1), (3, 1)]);
}

/// Balls in a drum that turns. Its spin once stayed in lanes without a contact, where ranks of other sections
/// did not see it, and decided which rows of a section of all ranks a turn found anew.
#[test]
fn balls_in_a_drum_have_the_same_bits_for_any_number_of_ranks() {
    let mut scene = shipped("granular/drum-300.toml");
    scene.solver.tolerance = 1e-2;
    assert_same_for_all_ranks(&scene, 32, &[(2, 1)]);
}
