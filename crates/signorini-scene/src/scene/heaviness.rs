//! Bodies that are nothing but what is between two joints: their joints hold what is heavier.
//!
//! A hinge that a body of 1e-10 kg hangs on, whose other joint carries an arm, resists with the arm. Weights
//! of rows are made of the masses of their own bodies; for such a body they are those of the arm.

use super::definition::Scene;

/// A body is between its joints if both hold so many times its mass.
const MUCH: f64 = 1e6;
/// So many bodies one after the other are looked through that hold several others…
const DEEPEST: usize = 6;
/// Bodies in all: links of a chain, each of which holds one.
const LONGEST: usize = 64;

/// By how much more than itself each body counts: 1 but for those between joints.
pub fn heaviness(scene: &Scene) -> Vec<f64> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); scene.bodies.len()];
    for joint in &scene.joints {
        let [a, b] = joint.bodies;
        joined[a].push(b);
        joined[b].push(a);
    }
    (0..scene.bodies.len()).map(|body| of_body(scene, &joined, body)).collect()
}

fn of_body(scene: &Scene, joined: &[Vec<usize>], body: usize) -> f64 {
    let about = &scene.bodies[body];
    if about.fixed || joined[body].len() < 2 {
        return 1.0;
    }
    // The second heaviest: through the lighter one of two sides goes what both press on.
    let (mut first, mut second) = (0.0, 0.0);
    for other in &joined[body] {
        let held = held(scene, joined, (body, *other), MUCH * about.mass, [DEEPEST, LONGEST]);
        (first, second) = (f64::max(first, held), f64::max(second, f64::min(first, held)));
    }
    if second > MUCH * about.mass && second.is_finite() { second / about.mass } else { 1.0 }
}

/// The heaviest that a joint from one body to another holds, up to the first one above `much` (kg), looked
/// for through so many bodies that branch and so many in all.
fn held(
    scene: &Scene,
    joined: &[Vec<usize>],
    (from, to): (usize, usize),
    much: f64,
    [branches, links]: [usize; 2],
) -> f64 {
    let about = &scene.bodies[to];
    if about.fixed {
        return f64::INFINITY;
    }
    if about.mass > much || branches == 0 || links == 0 {
        return about.mass;
    }
    let others = || joined[to].iter().filter(|other| **other != from);
    let left = [branches - usize::from(others().nth(1).is_some()), links - 1];
    others().map(|other| held(scene, joined, (to, *other), much, left)).fold(about.mass, f64::max)
}
