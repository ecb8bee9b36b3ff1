//! Contact problems of several groups of bodies, with their solutions, as one problem over cones.

use super::cones::{CONTACT_ROWS, ConeProblem, Layout};
use super::global::GlobalPart;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::problem::{Cone, ContactProblem};
use sprs::TriMat;
use std::collections::HashMap;

/// A group of bodies: its problem, linearized at a solution, and the impulses of that.
pub type Group<'a> = (&'a ContactProblem, &'a [f64]);

/// A cone of a group, with its rows that may carry load.
struct Found {
    group: usize,
    place: usize,
    normal: Vec<usize>,
    friction: Vec<usize>,
}

/// Joins groups into one problem, with y = y_k + J (v − v_k) at their velocities v_k, and their impulses.
/// Rows without load by the law are left out. Where FCLIB knows all contacts they get its rows.
pub fn joined(groups: &[Group<'_>]) -> (ConeProblem, Vec<f64>) {
    let found: Vec<Found> = (0..groups.len()).flat_map(|group| cones_of(group, groups[group].0)).collect();
    let (rolling, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|found| groups[found.group].0.cones[found.place].rolls_with.is_some());
    let places: HashMap<_, _> =
        others.iter().enumerate().map(|(i, found)| ((found.group, found.place), i)).collect();
    let layout = layout_of(groups, &others, &rolling);
    let mut cones: Vec<Cone> = Vec::with_capacity(others.len() + rolling.len());
    let mut next = 0;
    for (i, found) in others.iter().chain(&rolling).enumerate() {
        let own = &groups[found.group].0.cones[found.place];
        let is_contact = |c: usize| places[&(found.group, c)];
        let (n_normal, mut n_friction) = (found.normal.len(), found.friction.len());
        let rolls_with = own.rolls_with.map(is_contact);
        let row = match (layout, rolls_with) {
            (Layout::Own, _) => next,
            (_, Some(contact)) => layout.rows() * contact + CONTACT_ROWS,
            (_, None) => {
                // A contact without friction has two tangents in FCLIB, and μ = 0.
                n_friction = CONTACT_ROWS - 1;
                layout.rows() * i
            }
        };
        let friction_coefficient = if found.friction.is_empty() { 0.0 } else { own.friction_coefficient };
        let cone =
            Cone { row, n_normal, n_used: n_normal, n_friction, friction_coefficient, rolls_with, ..*own };
        next += cone.n_law_rows();
        cones.push(cone);
    }
    let n_rows = if layout == Layout::Own { next } else { layout.rows() * others.len() };
    let found: Vec<_> = others.into_iter().chain(rolling).collect();
    let (mut problem, impulse) = fill(groups, &found, cones, (layout, n_rows));
    if layout == Layout::Rolling {
        problem.cones = with_all_couples(problem.cones);
    }
    (problem, impulse)
}

/// Gives contacts without rolling resistance the couple that FCLIB's layout has for all, with μ_r = 0.
fn with_all_couples(cones: Vec<Cone>) -> Vec<Cone> {
    let (couples, mut all): (Vec<_>, Vec<_>) = cones.into_iter().partition(|cone| cone.rolls_with.is_some());
    let known: HashMap<_, _> = couples.iter().map(|cone| (cone.rolls_with, *cone)).collect();
    let couple = |(c, contact): (usize, &Cone)| {
        let row = contact.row + CONTACT_ROWS;
        let none = Cone { row, n_normal: 0, n_used: 0, friction_coefficient: 0.0, ..*contact };
        *known.get(&Some(c)).unwrap_or(&Cone { rolls_with: Some(c), ..none })
    };
    let couples: Vec<_> = all.iter().enumerate().map(couple).collect();
    all.extend(couples);
    all
}

/// FCLIB's layouts where all contacts have its form, with rolling resistance or without, else ours.
fn layout_of(groups: &[Group<'_>], others: &[Found], rolling: &[Found]) -> Layout {
    let is_known = |found: &Found| {
        let problem = groups[found.group].0;
        let rows = || found.normal.iter().chain(&found.friction);
        let is_rigid = problem.compliance.is_empty() || rows().all(|row| problem.compliance[*row] == 0.0);
        !problem.cones[found.place].bounded
            && found.normal.len() == 1
            && found.normal.iter().all(|row| problem.bounds[*row][0] == 0.0)
            && found.friction.len() < CONTACT_ROWS
            && is_rigid
    };
    match others.iter().all(is_known) {
        true if rolling.is_empty() => Layout::Plain,
        true => Layout::Rolling,
        false => Layout::Own,
    }
}

/// The cones of a group that have rows.
fn cones_of(group: usize, problem: &ContactProblem) -> impl Iterator<Item = Found> + '_ {
    let may_carry = |cone: &Cone, row: usize| cone.bounded || problem.bounds[row] != [0.0; 2];
    let cones = problem.cones.iter().enumerate().map(move |(place, cone)| Found {
        group,
        place,
        normal: cone.normal().filter(|row| may_carry(cone, *row)).collect(),
        friction: cone.friction().collect(),
    });
    let has_load = |found: &Found| {
        let cone = &problem.cones[found.place];
        let of = cone.rolls_with.map_or(cone, |contact| &problem.cones[contact]);
        of.normal().any(|row| may_carry(of, row))
    };
    cones.filter(has_load).collect::<Vec<_>>().into_iter()
}

/// Matrices and vectors of the problem, and its impulses.
fn fill(
    groups: &[Group<'_>],
    found: &[Found],
    cones: Vec<Cone>,
    (layout, n_rows): (Layout, usize),
) -> (ConeProblem, Vec<f64>) {
    let starts: Vec<usize> = groups
        .iter()
        .scan(0, |next, (problem, _)| {
            let start = *next;
            *next += BLOCK * problem.n_bodies();
            Some(start)
        })
        .collect();
    let n: usize = groups.iter().map(|(problem, _)| BLOCK * problem.n_bodies()).sum();
    let (mut mass, mut directions) = (TriMat::new((n, n)), TriMat::new((n, n_rows)));
    let mut force = Vec::with_capacity(n);
    for ((problem, _), start) in groups.iter().zip(&starts) {
        force.extend_from_slice(&problem.at.free_momentum);
        for (body, block) in problem.mass.iter().enumerate() {
            let place = start + BLOCK * body;
            for (i, j) in (0..BLOCK).flat_map(|i| (0..BLOCK).map(move |j| (i, j))) {
                // The matrix is symmetric to the last bit.
                let value = 0.5 * (block[(i, j)] + block[(j, i)]);
                if value != 0.0 {
                    mass.add_triplet(place + i, place + j, value);
                }
            }
        }
    }
    let (mut offset, mut impulse) = (vec![0.0; n_rows], vec![0.0; n_rows]);
    let (mut bounds, mut compliance) = (vec![[0.0, f64::INFINITY]; n_rows], vec![0.0; n_rows]);
    for (found, cone) in found.iter().zip(&cones) {
        let (problem, x) = groups[found.group];
        for (k, source) in found.normal.iter().chain(&found.friction).enumerate() {
            let row = cone.row + k;
            let mut rate = 0.0;
            for place in problem.block_offsets[found.place]..problem.block_offsets[found.place + 1] {
                let body = problem.block_body[place];
                let first = problem.value_offsets[place] + BLOCK * (source - problem.cones[found.place].row);
                let values = &problem.at.jacobian[first..first + BLOCK];
                let v = vector6(&problem.at.velocity, body);
                for (i, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    directions.add_triplet(starts[found.group] + BLOCK * body + i, row, *value);
                    rate += value * v[i];
                }
            }
            (offset[row], impulse[row]) = (problem.at.slip[*source] - rate, x[*source]);
            if k < found.normal.len() {
                bounds[row] = problem.bounds[*source];
            }
            compliance[row] = problem.compliance.get(*source).copied().unwrap_or(0.0);
        }
    }
    let (mass, force_directions) = (mass.to_csr(), directions.to_csr());
    let global = GlobalPart { mass, force_directions, force, offset };
    (ConeProblem { global, cones, bounds, compliance, layout, bodies: Vec::new() }, impulse)
}
