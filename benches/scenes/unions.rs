//! Cost of bodies of many parts: a compound of k boxes beside k boxes, and boxes on surfaces of a thousand
//! and a hundred thousand triangles of one size, whose costs should be equal. Both are bars, in processor
//! time as those of joints are.

use super::bars::{median, processor_time, tell, timed};
use super::{advance, describe, steps};
use criterion::Criterion;
use signorini::simulation::Simulation;
use signorini_scene::scene::{Body, Friction, Scene};
use std::hint::black_box;

/// Cubes of 10 cm in a row on a floor, alone or as parts of one body.
fn cubes(count: usize, are_parts: bool) -> Scene {
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(2.0).friction(Friction::coulomb(0.4));
    scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
    let gap = if are_parts { 0.1 } else { 0.11 };
    let cube = |k: usize| Body::box_([0.05; 3]).density(1000.0).at([gap * k as f64, 0.0, 0.05]);
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
        scene.body(Body::box_([0.1, 0.08, 0.06]).density(1000.0).at([x, y, 0.3]));
    }
    scene.build().expect("a scene")
}

/// Processor time of each step (s) of two scenes that take turns: medians, and their ratio.
fn beside(what: &str, bar: f64, mut times: impl FnMut() -> [Vec<f64>; 2]) {
    let mut found = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        found.iter_mut().zip(times()).for_each(|(all, some)| all.extend(some));
    }
    let [one, other] = found.map(median);
    eprintln!("{what}: {:.0} µs a step beside {:.0} µs", 1e6 * other, 1e6 * one);
    tell(what, other / one, bar);
}

/// Bars of bodies of many parts.
pub fn union_bars(_: &mut Criterion) {
    for count in [8, 40] {
        let scenes = [false, true].map(|are_parts| cubes(count, are_parts));
        let times = |scene: &Scene| timed(scene, 2, 90).into_iter().map(|(_, time)| time).collect();
        beside(&format!("compound_of_{count}_cubes beside {count} cubes"), 1.3, || {
            [times(&scenes[0]), times(&scenes[1])]
        });
    }
    let mut runs = [22, 224].map(|n| {
        let mut simulation = Simulation::new(boxes_on_surface(n)).expect("a scene that runs");
        simulation.judge_steps(false);
        advance(&mut simulation, 200);
        simulation
    });
    beside("a surface of 1e5 triangles beside one of 1e3", 1.1, || {
        runs.each_mut().map(|run| {
            let step = |_| {
                let before = processor_time();
                black_box(run.advance());
                (processor_time() - before).as_secs_f64()
            };
            (0..50).map(step).collect()
        })
    });
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
        advance(&mut simulation, 200);
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
