//! Effective-mass ratios of light bodies whose joints hold heavier ones on both sides.
//!
//! A body of 1e-10 kg between two hinges, one of which carries an arm, resists with the mass of the arm. The
//! weights of rows are made of the masses of their own bodies; for such a body they are those of the arm.

use super::definition::Scene;

/// Least ratio of the mass on both sides of a body to its own from which the body counts as between its
/// joints.
const LEAST_RATIO: f64 = 1e6;
/// Most bodies with several further joints that a search passes through one after the other.
const MAX_BRANCHES: usize = 6;
/// Most bodies that a search passes through in all; the links of a chain have one further joint each.
const MAX_LINKS: usize = 64;

/// Effective-mass ratio of each body: 1 but for bodies between joints.
pub fn effective_mass_ratios(scene: &Scene) -> Vec<f64> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); scene.bodies.len()];
    for joint in &scene.joints {
        let [a, b] = joint.bodies;
        joined[a].push(b);
        joined[b].push(a);
    }
    (0..scene.bodies.len()).map(|body| effective_mass_ratio(scene, &joined, body)).collect()
}

fn effective_mass_ratio(scene: &Scene, joined: &[Vec<usize>], body: usize) -> f64 {
    let about = &scene.bodies[body];
    if about.fixed || joined[body].len() < 2 {
        return 1.0;
    }
    // The second largest counts: the lighter of two sides carries all that both press on.
    let (mut first, mut second) = (0.0, 0.0);
    for other in &joined[body] {
        let held =
            held_mass(scene, joined, (body, *other), LEAST_RATIO * about.mass, [MAX_BRANCHES, MAX_LINKS]);
        (first, second) = (f64::max(first, held), f64::max(second, f64::min(first, held)));
    }
    if second > LEAST_RATIO * about.mass && second.is_finite() { second / about.mass } else { 1.0 }
}

/// The largest mass (kg) that a joint from one body to another holds, up to the first one above `enough`. The
/// search passes through at most `branches` bodies that branch and `links` bodies in all.
fn held_mass(
    scene: &Scene,
    joined: &[Vec<usize>],
    (from, to): (usize, usize),
    enough: f64,
    [branches, links]: [usize; 2],
) -> f64 {
    let about = &scene.bodies[to];
    if about.fixed {
        return f64::INFINITY;
    }
    if about.mass > enough || branches == 0 || links == 0 {
        return about.mass;
    }
    let others = || joined[to].iter().filter(|other| **other != from);
    let left = [branches - usize::from(others().nth(1).is_some()), links - 1];
    others().map(|other| held_mass(scene, joined, (to, *other), enough, left)).fold(about.mass, f64::max)
}
