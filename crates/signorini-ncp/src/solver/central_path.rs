//! What both ways along the central path share: which problems have one, and vectors per contact.

use crate::problem::{Cone, ContactLaw, ContactProblem};

/// Whether all laws of the problem have a central path.
pub fn exists(problem: &ContactProblem) -> bool {
    let simple = |cone: &Cone| !cone.bounded || cone.normal().all(|row| is_equation(problem.bounds[row]));
    problem.law == ContactLaw::Coulomb
        && problem.compliance.is_empty()
        && problem.cones.iter().all(simple)
        && !problem.has_least()
}

/// Whether they have, and contacts have one normal row.
pub fn applies(problem: &ContactProblem) -> bool {
    let smooth = |cone: &Cone| cone.bounded || problem.carrier(cone).n_normal == 1;
    exists(problem) && problem.cones.iter().all(smooth)
}

/// Takes away what contacts bear that are open, x < r y: on the path all bear something.
pub fn release_open(problem: &ContactProblem, x: &mut [f64]) {
    for row in problem.cones.iter().filter(|cone| !cone.bounded).flat_map(Cone::normal) {
        if x[row] < problem.at.weight[row] * problem.at.slip[row] {
            x[row] = 0.0;
        }
    }
}

fn is_equation([low, high]: [f64; 2]) -> bool {
    low == f64::NEG_INFINITY && high == f64::INFINITY
}

pub fn refill(values: &mut Vec<f64>, n: usize) {
    values.clear();
    values.resize(n, 0.0);
}

pub fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn length_of(z: &[f64; 3]) -> f64 {
    dot(z, z).sqrt()
}

/// The friction entries of a contact; what it does not have is 0.
pub fn friction_of(cone: &Cone, values: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for (o, value) in out.iter_mut().zip(&values[cone.friction()]) {
        *o = *value;
    }
    out
}
