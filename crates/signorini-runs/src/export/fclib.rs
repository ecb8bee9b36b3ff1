//! A step of a run as a problem of the FCLIB collection, at the end of the step:
//! ```text
//! M v = H r + f,   u = Hᵀ v + w,   0 ≤ r_N ⊥ u_N ≥ 0,   Coulomb's law for u_T and r_T
//! ```
//! M and H are those of the end poses, at the equivalent contact points. f and w make the run's own
//! velocities and impulses a solution: f = M v − H r, u_N is the gap over the step, and u_T the run's own
//! slip, including the motion of fixed and driven bodies.

use super::run_files::{Contact, RunFiles};
use nalgebra::{Matrix3, Vector3};
use signorini::step::ContactState;
use signorini_error::{Error, Result};
use signorini_fclib::{FcpProblem, GlobalPart, Impulses, reduced, write};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::{Body, Scene, State};
use signorini_scene::settings::{Formulation, Integrator};
use sprs::TriMat;
use std::path::Path;

/// Degrees of freedom of a body.
const BODY: usize = 6;
/// Rows of a contact.
const CONTACT: usize = 3;

/// A step of a run as a global problem, with the run's impulses as its solution.
#[derive(Debug)]
pub struct FclibStep {
    step: usize,
    problem: FcpProblem,
    impulses: Impulses,
}

impl FclibStep {
    /// Writes the problem.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let title = format!("step {} of a run by signorini {}", self.step, env!("CARGO_PKG_VERSION"));
        write(path, &self.problem, &self.impulses, &title)
    }
}

/// Makes the problem of a step of a run.
///
/// # Errors
/// When the step is not recorded, was solved in substeps or by another model than the default, has joints, or
/// contacts whose law FCLIB does not know (anisotropic or torsional friction).
pub fn fclib_step(run: &RunFiles, step: usize) -> Result<FclibStep> {
    let usage = |allowed: String| Error::Usage { what: format!("step {step} as FCLIB problem"), allowed };
    let mut found = None;
    run.each_frame(|at, _, state| {
        if at == step {
            found = Some(state.clone());
        }
        Ok(())
    })?;
    let state = found.filter(|_| step > 0);
    let state = state.ok_or_else(|| usage("is not recorded".to_owned()))?;
    let mut contacts = Vec::new();
    run.each_contact_step(
        |at| at == step,
        |_, there| {
            contacts.extend_from_slice(there);
            Ok(())
        },
    )?;
    if contacts.is_empty() {
        return Err(usage("has no contacts".to_owned()));
    }
    check(&run.scene, &contacts).map_err(usage)?;
    let (problem, solution) = problem(&run.scene, &state, &contacts)
        .ok_or_else(|| usage("has a singular mass matrix".to_owned()))?;
    Ok(FclibStep { step, problem, impulses: Impulses { guesses: Vec::new(), solution: Some(solution) } })
}

/// Checks that contact conditions hold at the end of the run's steps, without joints, and that all contacts
/// obey Coulomb's law without torsion.
fn check(scene: &Scene, contacts: &[Contact]) -> std::result::Result<(), String> {
    let is_implicit =
        scene.solver.formulation == Formulation::Implicit && scene.solver.integrator != Integrator::Staggered;
    if !is_implicit || !scene.joints.is_empty() {
        return Err("must be a step of the implicit formulation without joints, by implicit Euler".to_owned());
    }
    let mut pairs: Vec<_> = contacts.iter().map(|contact| (contact.bodies, contact.parts)).collect();
    pairs.sort_unstable();
    let is_once = pairs.windows(2).all(|w| w[0] != w[1]);
    let name = |id: usize| &scene.bodies[id].name;
    for contact in contacts {
        let [a, b] = contact.bodies;
        let [of_a, of_b] = scene.materials_of(contact.bodies, contact.parts);
        let friction = scene.friction.between(of_a, of_b);
        let what = match () {
            () if friction.tangential != [1.0, 1.0] => "anisotropic friction",
            () if contact.torsional_impulse != 0.0 => "torsional friction",
            () if friction.rolling > 0.0 => "rolling resistance",
            () if friction.cohesion > 0.0 => "cohesion",
            () if !is_once => "several contacts, or substeps",
            () => continue,
        };
        return Err(format!(
            "{:?} and {:?} have {what}: FCLIB has one contact with Coulomb's law",
            name(a),
            name(b)
        ));
    }
    Ok(())
}

fn problem(scene: &Scene, state: &State, contacts: &[Contact]) -> Option<(FcpProblem, Vec<f64>)> {
    let moves = |id: usize| !scene.bodies[id].fixed;
    let mut place = vec![None; scene.bodies.len()];
    let moving: Vec<usize> = (0..scene.bodies.len()).filter(|id| moves(*id)).collect();
    moving.iter().enumerate().for_each(|(k, id)| place[*id] = Some(k));
    let (n, rows) = (BODY * moving.len(), CONTACT * contacts.len());
    let (mut mass, mut h) = (TriMat::new((n, n)), TriMat::new((n, rows)));
    let mut force = vec![0.0; n];
    for (k, &id) in moving.iter().enumerate() {
        let momentum =
            put_mass(&mut mass, BODY * k, &scene.bodies[id], &state.poses[id], &state.velocities[id]);
        force[BODY * k..BODY * (k + 1)].copy_from_slice(&momentum);
    }
    let (mut offset, mut solution) = (vec![0.0; rows], vec![0.0; rows]);
    let mut friction_coefficient = Vec::with_capacity(contacts.len());
    for (c, contact) in contacts.iter().enumerate() {
        let [a, b] = contact.bodies;
        let [of_a, of_b] = scene.materials_of(contact.bodies, contact.parts);
        let friction = scene.friction.between(of_a, of_b);
        friction_coefficient.push(friction.coefficient);
        let point = |id: usize| if id == b { contact.point_of_b } else { contact.point };
        let arm = |id: usize| point(id) - state.poses[id].position;
        let velocity = |id: usize| {
            let Velocity { linear, angular } = state.velocities[id];
            linear + angular.cross(&arm(id))
        };
        let slip = slip_of(contact).unwrap_or_else(|| velocity(b) - velocity(a));
        for (r, axis) in axes(&contact.normal).into_iter().enumerate() {
            let row = CONTACT * c + r;
            solution[row] = axis.dot(&contact.impulse());
            // w is the rate at the end less that of the bodies in M; along the normal the rate is the gap
            // over the step.
            let mut own = 0.0;
            for (id, sign) in [(a, -1.0), (b, 1.0)] {
                let Some(k) = place[id] else { continue };
                let turn = arm(id).cross(&axis);
                for (i, value) in axis.iter().chain(turn.iter()).enumerate().filter(|(_, v)| **v != 0.0) {
                    h.add_triplet(BODY * k + i, row, sign * value);
                    force[BODY * k + i] -= sign * value * solution[row];
                }
                own += sign * axis.dot(&velocity(id));
            }
            let end = if r == 0 { contact.gap / scene.time_step } else { axis.dot(&slip) };
            offset[row] = end - own;
        }
    }
    let global = GlobalPart { mass: mass.to_csr(), force_directions: h.to_csr(), force, offset };
    let (delassus, free_slip) = reduced(&global)?;
    Some((FcpProblem { friction_coefficient, free_slip, delassus, global: Some(global) }, solution))
}

/// Slip that the run found: that of ν (theory §1.3), which the tables do not contain. They contain its
/// length, and friction opposes it. None for a contact without friction.
fn slip_of(contact: &Contact) -> Option<Vector3<f64>> {
    match contact.state {
        ContactState::Open => None,
        ContactState::Stick => Some(Vector3::zeros()),
        ContactState::Slip => {
            contact.friction_impulse.try_normalize(0.0).map(|against| -contact.slip_speed * against)
        }
    }
}

/// Adds M of a body and returns M v.
fn put_mass(mass: &mut TriMat<f64>, at: usize, body: &Body, pose: &Pose, velocity: &Velocity) -> [f64; BODY] {
    let rotation = pose.rotation();
    let inertia: Matrix3<f64> = rotation * body.inertia * rotation.transpose();
    for i in 0..3 {
        mass.add_triplet(at + i, at + i, body.mass);
        for j in 0..3 {
            // The matrix is symmetric to the last bit.
            let value = 0.5 * (inertia[(i, j)] + inertia[(j, i)]);
            mass.add_triplet(at + 3 + i, at + 3 + j, value);
        }
    }
    let (p, l) = (velocity.linear * body.mass, inertia * velocity.angular);
    [p.x, p.y, p.z, l.x, l.y, l.z]
}

/// Normal and two tangents of a contact, a right-handed frame.
fn axes(normal: &Vector3<f64>) -> [Vector3<f64>; CONTACT] {
    let least = normal.iamin();
    let mut other = Vector3::zeros();
    other[least] = 1.0;
    let tangent = other.cross(normal).normalize();
    [*normal, tangent, normal.cross(&tangent)]
}
