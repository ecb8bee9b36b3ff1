//! Points of the central path ([`super::central_path`]) in logarithms, and Newton directions to it and along it.
//!
//! With R = μ x_n and q = x_t / R the path leads to a solution as τ goes from ∞ to 0:
//! ```text
//!   x_n s = ω τ,   s = y_n        σ R (1 − |q|²) = ω τ,   y_t = −σ q        A v − b = Jᵀ x
//! ```
//! The weights ω of the contacts are 1; others make another path, that leads to another solution where there are several.
//!
//! A contact's unknowns are ln x_n and w with q = w / √(1 + |w|²), so that the products are τ at every point, s, σ, x_n > 0
//! and |q| < 1 need no guarding, and a long way is a few steps: along the path logarithms change by about as much as ln τ. With
//! a = d ln x_n, g = dw / √(1 + |w|²) and l = d ln τ, Newton's method reads
//! ```text
//!   a = l − (e_n + dy_n)/s,     g = −(I − q qᵀ/(1 + |q|²)) ((e_t + dy_t)/σ + q (l − a)),     e_n = y_n − s,  e_t = y_t + σ q
//!   (A − K + Jᵀ G Y) dv = −(A v − b − Jᵀ (x + l x − G e))
//!   G_n = x_n / s,   G_t = (R/σ)(I − 2 q qᵀ/(1 + |q|²)),   friction follows x_n with 2 μ q/(1 + |q|²)
//! ```
//! Contacts have one normal row here. Joint equations keep their impulses at the scale ρ.

use super::central_path::{EQUATION_RHO, friction_of, refill};
use super::law::{Gain, Law, Mode, worse};
use super::path_contact::{Change, PathContact};
use super::proximal_newton::Iterate;
use crate::problem::{Cone, ContactProblem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A direction in all unknowns.
#[derive(Debug, Default)]
pub(super) struct Direction {
    /// Of v.
    pub(super) velocity: Vec<f64>,
    y: Vec<f64>,
    change: Vec<Change>,
}

impl Direction {
    fn copy_from(&mut self, other: &Self) {
        self.velocity.clone_from(&other.velocity);
        self.y.clone_from(&other.y);
        self.change.clone_from(&other.change);
    }
}

/// A point near the path with its two directions: to the path at the same τ, and along it per ln τ.
#[derive(Debug, Default)]
pub(super) struct PathPoint {
    /// v and x.
    pub(super) iterate: Iterate,
    /// τ.
    pub(super) tau: f64,
    contacts: Vec<PathContact>,
    /// e per row.
    mismatch: Vec<f64>,
    /// What the impulses of a load are: x − G e, or x.
    pub(super) load: Vec<f64>,
    /// To the path.
    pub(super) fix: Direction,
    /// Along the path.
    pub(super) tangent: Direction,
}

impl PathPoint {
    /// Takes over everything, keeping the allocations.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.iterate.copy_from(&other.iterate);
        self.tau = other.tau;
        self.contacts.clone_from(&other.contacts);
        self.mismatch.clone_from(&other.mismatch);
        self.load.clone_from(&other.load);
        self.fix.copy_from(&other.fix);
        self.tangent.copy_from(&other.tangent);
    }

    /// Sizes the workspace; all contacts weigh the same.
    pub(super) fn resize(&mut self, problem: &ContactProblem) {
        let (n, rows) = (problem.velocity.len(), problem.n_rows());
        self.contacts.clear();
        self.contacts.resize(problem.cones.len(), PathContact { weight: 1.0, ..PathContact::default() });
        [&mut self.mismatch, &mut self.load].into_iter().for_each(|v| refill(v, rows));
        for direction in [&mut self.fix, &mut self.tangent] {
            refill(&mut direction.velocity, n);
            refill(&mut direction.y, rows);
            direction.change.clear();
            direction.change.resize(problem.cones.len(), Change::default());
        }
    }

    /// Weighs each contact with a random number between e^−spread and e^spread.
    pub(super) fn weigh(&mut self, seed: u64, spread: f64) {
        let mut random = Pcg64::seed_from_u64(seed);
        for contact in &mut self.contacts {
            contact.weight = (spread * random.random_range(-1.0..=1.0)).exp();
        }
    }

    /// No friction, and the impulses that belong to τ where contacts part with their y_n, at least with `speed`. Without τ that of impulses that
    /// stop `speed`.
    pub(super) fn start(&mut self, problem: &ContactProblem, speed: f64, tau: Option<f64>) {
        let (mut sum, mut count) = (0.0, 0.0);
        for (cone, contact) in problem.cones.iter().zip(&mut self.contacts) {
            let weight = problem.weight[cone.row];
            let open = !cone.bounded && weight > 0.0;
            let coefficient = if open && cone.n_friction > 0 { cone.friction_coefficient } else { 0.0 };
            *contact = PathContact { open, coefficient, weight: contact.weight, ..PathContact::default() };
            if open {
                sum += speed * weight * problem.slip[cone.row].max(speed);
                count += 1.0;
            }
        }
        self.tau = tau.unwrap_or(if count > 0.0 { sum / count } else { 1.0 });
        for (cone, contact) in problem.cones.iter().zip(&mut self.contacts).filter(|(_, c)| c.open) {
            contact.normal = contact.weight * self.tau / problem.slip[cone.row].max(speed);
        }
        self.write_impulse(problem);
    }

    fn write_impulse(&mut self, problem: &ContactProblem) {
        let x = &mut self.iterate.impulse;
        for (cone, contact) in problem.cones.iter().zip(&self.contacts).filter(|(_, c)| c.open) {
            x[cone.row] = contact.normal;
            for (row, friction) in cone.friction().zip(contact.friction_impulse()) {
                x[row] = friction;
            }
        }
    }

    /// The gains, into `law`, and the mismatches, where the problem is frozen at the point.
    pub(super) fn write_gains(&mut self, problem: &ContactProblem, law: &mut Law) {
        law.impulse.copy_from_slice(&self.iterate.impulse);
        self.mismatch.fill(0.0);
        for (c, cone) in problem.cones.iter().enumerate() {
            let contact = &self.contacts[c];
            law.gain[c] = Gain { mode: Mode::Stick, ..Gain::default() };
            for row in cone.normal() {
                law.normal_gain[row] = 0.0;
                if cone.bounded {
                    self.mismatch[row] = problem.slip[row];
                    law.normal_gain[row] = EQUATION_RHO * problem.weight[row];
                }
            }
            if !contact.open {
                continue;
            }
            let slack = contact.slack(self.tau);
            self.mismatch[cone.row] = problem.slip[cone.row] - slack;
            law.normal_gain[cone.row] = contact.normal / slack;
            law.gain[c] = contact.gain(self.tau);
            if contact.coefficient > 0.0 {
                let speed = contact.speed(self.tau);
                for (row, q) in cone.friction().zip(contact.ratio()) {
                    self.mismatch[row] = problem.slip[row] + speed * q;
                }
            }
        }
    }

    /// The load that leads to the path: x − G e.
    pub(super) fn load_to_path(&mut self, problem: &ContactProblem, law: &Law) {
        for (c, cone) in problem.cones.iter().enumerate() {
            let range = cone.row..cone.row + cone.n_rows();
            law.apply_gain(problem, c, true, &self.mismatch[range.clone()], &mut self.load[range]);
        }
        for (load, x) in self.load.iter_mut().zip(&self.iterate.impulse) {
            *load = x - *load;
        }
    }

    /// The load that leads along the path: x of the contacts.
    pub(super) fn load_along(&mut self, problem: &ContactProblem) {
        self.load.copy_from_slice(&self.iterate.impulse);
        for (cone, _) in problem.cones.iter().zip(&self.contacts).filter(|(_, c)| !c.open) {
            self.load[cone.row..cone.row + cone.n_rows()].fill(0.0);
        }
    }

    /// The other unknowns of both directions, from their velocities.
    pub(super) fn complete(&mut self, problem: &ContactProblem) {
        let Self { fix, tangent, contacts, mismatch, tau, .. } = self;
        for (direction, e, l) in [(fix, 1.0, 0.0), (tangent, 0.0, 1.0)] {
            problem.response(&direction.velocity, &mut direction.y);
            for (row, y) in direction.y.iter_mut().enumerate() {
                *y += e * mismatch[row];
            }
            let places = problem.cones.iter().zip(&*contacts).zip(&mut direction.change);
            for ((cone, contact), change) in places.filter(|((_, c), _)| c.open) {
                let slip = friction_of(cone, &direction.y);
                *change = contact.change(*tau, direction.y[cone.row], &slip, l);
            }
        }
    }

    /// How far the tangent goes with the way to the path that is shortest: at a right angle to the tangent, ln τ weighed like a
    /// fifth of the contacts.
    pub(super) fn shortest(&self) -> f64 {
        let product =
            |other: &[Change]| -> f64 { self.tangent.change.iter().zip(other).map(|(t, o)| t.dot(o)).sum() };
        let open = self.contacts.iter().filter(|c| c.open).count();
        let weight = (0.2 * open as f64).max(1.0);
        -product(&self.fix.change) / (product(&self.tangent.change) + weight)
    }

    /// The largest change of a logarithm on the way fix + `along` · tangent.
    pub(super) fn distance(&self, along: f64) -> f64 {
        let both = self.fix.change.iter().zip(&self.tangent.change);
        both.map(|(fix, tangent)| fix.plus(along, tangent).size()).fold(along.abs(), worse)
    }

    /// The same along the tangent alone, per ln τ.
    pub(super) fn steepness(&self) -> f64 {
        self.tangent.change.iter().map(Change::size).fold(1.0, worse)
    }

    /// x_n²/(ω τ) of the stiffest contact, relative to the mass r that resists at it.
    pub(super) fn stiffness(&self, problem: &ContactProblem) -> f64 {
        let contacts = problem.cones.iter().zip(&self.contacts).filter(|(_, c)| c.open);
        let relative = contacts.map(|(cone, c)| c.normal * c.normal / (c.weight * problem.weight[cone.row]));
        relative.fold(0.0, f64::max) / self.tau
    }

    /// Goes by part · fix + along · tangent.
    pub(super) fn advance(&mut self, problem: &ContactProblem, part: f64, along: f64) {
        let Self { fix, tangent, contacts, iterate, tau, .. } = self;
        let steps = fix.change.iter().zip(&tangent.change);
        for (contact, (fix, tangent)) in contacts.iter_mut().zip(steps).filter(|(c, _)| c.open) {
            contact.advance(&Change::default().plus(part, fix).plus(along, tangent));
        }
        for (v, (fix, tangent)) in iterate.velocity.iter_mut().zip(fix.velocity.iter().zip(&tangent.velocity))
        {
            *v += part * fix + along * tangent;
        }
        for row in problem.cones.iter().filter(|cone| cone.bounded).flat_map(Cone::normal) {
            let y = part * fix.y[row] + along * tangent.y[row];
            iterate.impulse[row] -= EQUATION_RHO * problem.weight[row] * y;
        }
        *tau *= along.exp();
        self.write_impulse(problem);
    }
}
