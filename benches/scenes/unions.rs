//! What bodies of many parts cost: a compound of k boxes beside k boxes, and boxes on surfaces of a thousand
//! and a hundred thousand triangles of the same size, which should cost the same.

use super::{describe, steps};
use criterion::Criterion;
use signorini::scene::{Body, Friction, Scene};
use signorini::simulation::Simulation;
use std::hint::black_box;

/// Cubes of 10 cm in a row on a floor, alone or as parts of one body.
fn cubes(count: usize, are_parts: bool) -> Scene {
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(2.0).friction(Friction::coulomb(0.4));
    scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
    let gap = if are_parts { 0.1 } else { 0.11 };
    let cube = |k: usize| Body::cuboid([0.05; 3]).density(1000.0).at([gap * k as f64, 0.0, 0.05]);
    if are_parts {
        scene.body(Body::compound((0..count).map(cube)).velocity([0.0, 3.0, 0.0]));
    } else {
        for k in 0..count {
            scene.body(cube(k).velocity([0.0, 3.0, 0.0]));
        }
    }
    scene.build().expect("a scene")
}

/// Sixteen boxes that have come to rest on waves of 2 n² triangles, each 10 cm wide.
fn boxes_on_surface(n: usize) -> Scene {
    let at = |k: usize| 0.1 * (k as f64 - 0.5 * n as f64);
    let places = (0..=n).flat_map(|j| (0..=n).map(move |i| (at(i), at(j))));
    let corners = places.map(|(x, y)| [x, y, 0.05 * (1.1 * x).sin() * (0.9 * y).cos()]);
    let corner = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let squares = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(1e6).friction(Friction::coulomb(0.4));
    scene.body(Body::surface(corners, triangles, 0.1));
    for k in 0..16 {
        let [x, y] = [k % 4, k / 4].map(|i| 0.5 * f64::from(i) - 0.75);
        scene.body(Body::cuboid([0.1, 0.08, 0.06]).density(1000.0).at([x, y, 0.3]));
    }
    scene.build().expect("a scene")
}

pub fn unions(criterion: &mut Criterion) {
    for count in [8, 40] {
        steps(criterion, &format!("{count}_cubes_alone"), &cubes(count, false), 2, 90);
        steps(criterion, &format!("compound_of_{count}_cubes"), &cubes(count, true), 2, 90);
    }
    for (name, n) in [("surface_of_1e3_triangles", 22), ("surface_of_1e5_triangles", 224)] {
        // Prepared once: that takes seconds.
        let mut simulation = Simulation::new(boxes_on_surface(n)).expect("a scene that runs");
        simulation.judge_steps(false);
        super::advance(&mut simulation, 200);
        describe(name, &mut simulation, 50);
        for audit in [false, true] {
            simulation.judge_steps(audit);
            let suffix = if audit { "with_referee" } else { "solver_only" };
            criterion.bench_function(&format!("{name}/{suffix}"), |bencher| {
                bencher.iter(|| black_box(simulation.advance()));
            });
        }
    }
}
