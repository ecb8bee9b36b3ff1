//! Points of the central path ([`crate::solver::interior_point::point`]) in logarithms, and Newton directions
//! to it and along it.
//!
//! With R = μ x_n and q = x_t / R the path leads to a solution as τ goes from ∞ to 0:
//! ```text
//!   x_n s = ω τ,   s = y_n        σ R (1 − |q|²) = ω τ,   y_t = −σ q        A v − b = Jᵀ x
//! ```
//! The weights ω of the contacts are 1; others make another path, that leads to another solution where there
//! are several. A path that *leads from* a point has y_n = s + z_n τ and y_t = −σ q + z_t τ, with the lead z
//! that makes the point one of its own.
//!
//! A contact's unknowns are ln x_n and w with q = w / √(1 + |w|²), so that the products are τ at every point,
//! s, σ, x_n > 0 and |q| < 1 need no guarding, and a long way is a few steps: along the path logarithms
//! change by about as much as ln τ. With a = d ln x_n, g = dw / √(1 + |w|²) and l = d ln τ, Newton's method
//! reads
//! ```text
//!   a = l − (e_n + dy_n)/s,     g = −(I − q qᵀ/(1 + |q|²)) ((e_t + dy_t)/σ + q (l − a))
//!   e_n = y_n − s,   e_t = y_t + σ q
//!   (A − K + Jᵀ G Y) dv = −(A v − b − Jᵀ (x + l (x + G z τ) − G e))
//!   G_n = x_n / s,   G_t = (R/σ)(I − 2 q qᵀ/(1 + |q|²)),   friction follows x_n with 2 μ q/(1 + |q|²)
//! ```
//! Contacts of several contact points have R = μ Σ x_n and a product and an a for each, and a in the second
//! equation is that of Σ x_n. They, and contacts that are stiff beside others, are *explicit*: their impulses
//! stay unknowns of the linear system ([`crate::solver::path::saddle`]). Joint equations keep their impulses
//! at the scale ρ.

use crate::problem::{Cone, ContactProblem};
use crate::solver::central_path::{dot, friction_of, length_of, refill};
use crate::solver::iterate::Iterate;
use crate::solver::law::{ContactStatus, Law, ProjectionDerivative};
use crate::solver::parameters::central_path::{PATH_EQUATION_RHO, SMALL_LOG_CHANGE, TAU_WEIGHT};
use crate::solver::path::contact::PathContact;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use signorini_kernels::math::larger;

/// A direction in all unknowns.
#[derive(Debug, Default)]
pub struct Direction {
    /// Of v.
    pub velocity: Vec<f64>,
    y: Vec<f64>,
    /// Of the impulses of explicit contacts, per row.
    pub impulse: Vec<f64>,
    /// a per row.
    normal: Vec<f64>,
    /// g per contact.
    friction: Vec<[f64; 3]>,
}

impl Direction {
    fn copy_from(&mut self, other: &Self) {
        self.velocity.clone_from(&other.velocity);
        self.y.clone_from(&other.y);
        self.impulse.clone_from(&other.impulse);
        self.normal.clone_from(&other.normal);
        self.friction.clone_from(&other.friction);
    }

    /// The product of both as changes of logarithms.
    pub fn dot(&self, other: &Self) -> f64 {
        let normal = self.normal.iter().zip(&other.normal).map(|(a, b)| a * b).sum::<f64>();
        normal + self.friction.iter().zip(&other.friction).map(|(a, b)| dot(a, b)).sum::<f64>()
    }
}

/// A point near the path with its two directions: to the path at the same τ, and along it per ln τ.
#[derive(Debug, Default)]
pub struct PathPoint {
    /// v and x.
    pub iterate: Iterate,
    /// τ.
    pub tau: f64,
    pub contacts: Vec<PathContact>,
    /// Which rows have a product.
    pub open: Vec<bool>,
    /// Which contacts are explicit; empty: none.
    pub explicit: Vec<bool>,
    /// e per row.
    pub mismatch: Vec<f64>,
    /// z per row.
    lead: Vec<f64>,
    /// z τ.
    led: Vec<f64>,
    /// Impulses that act as a load: x − G e, or x + G z τ.
    pub load: Vec<f64>,
    /// To the path.
    pub fix: Direction,
    /// Along the path.
    pub tangent: Direction,
}

impl PathPoint {
    /// Takes over everything, keeping the allocations.
    pub fn copy_from(&mut self, other: &Self) {
        self.iterate.copy_from(&other.iterate);
        self.tau = other.tau;
        self.contacts.clone_from(&other.contacts);
        self.open.clone_from(&other.open);
        self.explicit.clone_from(&other.explicit);
        self.mismatch.clone_from(&other.mismatch);
        self.lead.clone_from(&other.lead);
        self.led.clone_from(&other.led);
        self.load.clone_from(&other.load);
        self.fix.copy_from(&other.fix);
        self.tangent.copy_from(&other.tangent);
    }

    /// Sizes the workspace; all contacts weigh the same.
    pub fn resize(&mut self, problem: &ContactProblem) {
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        self.contacts.clear();
        self.contacts.resize(problem.cones.len(), PathContact { weight: 1.0, ..PathContact::default() });
        self.open.clear();
        self.open.resize(rows, false);
        self.explicit.clear();
        [&mut self.mismatch, &mut self.lead, &mut self.led, &mut self.load]
            .into_iter()
            .for_each(|v| refill(v, rows));
        for direction in [&mut self.fix, &mut self.tangent] {
            refill(&mut direction.velocity, n);
            refill(&mut direction.y, rows);
            [&mut direction.impulse, &mut direction.normal].into_iter().for_each(|v| refill(v, rows));
            direction.friction.clear();
            direction.friction.resize(problem.cones.len(), [0.0; 3]);
        }
    }

    /// Weighs each contact with the mass r that resists at it, relative to the largest: x_n = r s for all at
    /// one speed s. With equal weights light bodies between heavy ones would part a thousand times faster
    /// than those.
    pub fn weigh_by_mass(&mut self, problem: &ContactProblem) {
        let heaviest = heaviest(problem);
        for (cone, contact) in problem.cones.iter().zip(&mut self.contacts).filter(|(cone, _)| !cone.bounded)
        {
            let own = problem.carrier(cone).normal().map(|row| problem.at.weight[row]).fold(0.0, f64::max);
            if own > 0.0 {
                contact.weight *= own / heaviest;
            }
        }
    }

    /// Weighs each contact with a random number between e^−spread and e^spread.
    pub fn weigh(&mut self, seed: u64, spread: f64) {
        let mut random = Pcg64::seed_from_u64(seed);
        for contact in &mut self.contacts {
            contact.weight *= (spread * random.random_range(-1.0..=1.0)).exp();
        }
    }

    /// Makes the path lead from this point, whose derivatives and mismatches were written.
    pub fn lead_from_here(&mut self, problem: &ContactProblem) {
        let contacts = problem.cones.iter().zip(&self.contacts).filter(|(_, contact)| contact.open);
        for row in contacts.flat_map(|(cone, _)| cone.normal().chain(cone.friction())) {
            self.lead[row] = self.mismatch[row] / self.tau;
        }
    }

    /// No friction, and the impulses that belong to τ where contacts part with their y_n, at least with
    /// `speed`. Without τ that of impulses that stop `speed`.
    pub fn start(&mut self, problem: &ContactProblem, speed: f64, tau: Option<f64>) {
        let (mut sum, mut count) = (0.0, 0.0);
        for (cone, contact) in problem.cones.iter().zip(&mut self.contacts) {
            *contact = PathContact { weight: contact.weight, ..PathContact::default() };
            for row in cone.normal() {
                self.open[row] = !cone.bounded && problem.at.weight[row] > 0.0;
                if self.open[row] {
                    sum += speed * problem.at.weight[row] * problem.at.slip[row].max(speed);
                    count += contact.weight;
                    contact.open = true;
                }
            }
            let has_friction = contact.open && cone.n_friction > 0;
            contact.coefficient = if has_friction { cone.friction_coefficient } else { 0.0 };
        }
        self.tau = tau.unwrap_or(if count > 0.0 { sum / count } else { 1.0 });
        for (cone, contact) in problem.cones.iter().zip(&mut self.contacts).filter(|(_, c)| c.open) {
            for row in cone.normal().filter(|row| self.open[*row]) {
                self.iterate.impulse[row] = contact.weight * self.tau / problem.at.slip[row].max(speed);
                contact.normal += self.iterate.impulse[row];
            }
        }
        for (c, cone) in problem.cones.iter().enumerate().skip(problem.first_rolling()) {
            let carrier = cone.rolls_with.map_or(c, |k| k);
            let (coefficient, weight) = (cone.friction_coefficient, self.contacts[c].weight);
            self.contacts[c] = PathContact { coefficient, weight, ..self.contacts[carrier] };
        }
        self.write_friction(problem);
    }

    fn write_friction(&mut self, problem: &ContactProblem) {
        let x = &mut self.iterate.impulse;
        for (cone, contact) in problem.cones.iter().zip(&self.contacts).filter(|(_, c)| c.open) {
            for (row, friction) in cone.friction().zip(contact.friction_impulse()) {
                x[row] = friction;
            }
        }
    }

    /// The derivatives, into `law`, and the mismatches, where the problem is linearized at the point.
    pub fn write_derivatives(&mut self, problem: &ContactProblem, law: &mut Law) {
        law.impulse.copy_from_slice(&self.iterate.impulse);
        self.mismatch.fill(0.0);
        for (led, lead) in self.led.iter_mut().zip(&self.lead) {
            *led = lead * self.tau;
        }
        for (c, cone) in problem.cones.iter().enumerate() {
            let contact = &self.contacts[c];
            law.derivative[c] =
                ProjectionDerivative { status: ContactStatus::Stick, ..ProjectionDerivative::default() };
            for row in cone.normal() {
                law.normal_derivative[row] = 0.0;
                if cone.bounded {
                    self.mismatch[row] = problem.at.slip[row];
                    law.normal_derivative[row] = PATH_EQUATION_RHO * problem.at.weight[row];
                }
            }
            if !contact.open {
                continue;
            }
            for row in cone.normal().filter(|row| self.open[*row]) {
                let x = self.iterate.impulse[row];
                let slack = contact.slack(self.tau, x);
                self.mismatch[row] = problem.at.slip[row] - slack - self.led[row];
                law.normal_derivative[row] = x / slack;
            }
            law.derivative[c] = contact.derivative(self.tau);
            if contact.coefficient > 0.0 {
                let speed = contact.speed(self.tau);
                for (row, q) in cone.friction().zip(contact.ratio()) {
                    self.mismatch[row] = problem.at.slip[row] + speed * q - self.led[row];
                }
            }
        }
    }

    /// The load that leads to the path: x − G e.
    pub fn load_to_path(&mut self, problem: &ContactProblem, law: &Law) {
        applied(problem, law, &self.mismatch, &mut self.load);
        for (load, x) in self.load.iter_mut().zip(&self.iterate.impulse) {
            *load = x - *load;
        }
    }

    /// The load that leads along the path: x + G z τ of the contacts that are not explicit.
    pub fn load_along(&mut self, problem: &ContactProblem, law: &Law) {
        applied(problem, law, &self.led, &mut self.load);
        for (load, x) in self.load.iter_mut().zip(&self.iterate.impulse) {
            *load += x;
        }
        for (c, cone) in problem.cones.iter().enumerate() {
            if !self.contacts[c].open || self.is_explicit(c) {
                self.load[cone.row..cone.row + cone.n_rows()].fill(0.0);
            }
            // Rolling resistance follows the impulses of an explicit contact as they change, and else τ.
            if self.contacts[c].open && cone.rolls_with.is_some_and(|k| self.is_explicit(k)) {
                let q = self.contacts[c].ratio();
                let square = dot(&q, &q);
                for row in cone.friction() {
                    self.load[row] -= self.iterate.impulse[row] * 2.0 / (1.0 + square);
                }
            }
        }
    }

    pub fn is_explicit(&self, c: usize) -> bool {
        self.explicit.get(c) == Some(&true)
    }

    /// The other unknowns of both directions, from their velocities.
    pub fn complete(&mut self, problem: &ContactProblem) {
        let Self { fix, tangent, contacts, open, explicit, mismatch, led, tau, iterate, .. } = self;
        for (direction, e, l) in [(fix, 1.0, 0.0), (tangent, 0.0, 1.0)] {
            problem.response(&direction.velocity, &mut direction.y);
            let Direction { y, normal, friction, impulse, .. } = direction;
            for (row, y) in y.iter_mut().enumerate() {
                *y += e * mismatch[row] - l * led[row];
            }
            for (c, (cone, contact)) in problem.cones.iter().zip(&*contacts).enumerate() {
                if !contact.open {
                    continue;
                }
                let rows = || cone.normal().filter(|row| open[*row]);
                if explicit.get(c) == Some(&true) {
                    rows().for_each(|row| normal[row] = impulse[row] / iterate.impulse[row]);
                    let grown = rows().map(|row| impulse[row]).sum();
                    friction[c] = contact.change_of_impulse(grown, &friction_of(cone, impulse));
                    continue;
                }
                if cone.rolls_with.is_some() {
                    let carrier = problem.carrier(cone).normal().filter(|row| open[*row]);
                    let grown = |row: usize| iterate.impulse[row] / contact.normal * normal[row];
                    let part = l - carrier.map(grown).sum::<f64>();
                    friction[c] = contact.change(*tau, &friction_of(cone, y), part);
                    continue;
                }
                let mut part = 0.0;
                for row in rows() {
                    let x = iterate.impulse[row];
                    let change = y[row] / contact.slack(*tau, x);
                    normal[row] = l - change;
                    part += x / contact.normal * change;
                }
                friction[c] = contact.change(*tau, &friction_of(cone, y), part);
            }
        }
    }

    /// How far the tangent goes with the way to the path that is shortest: at a right angle to the tangent,
    /// ln τ weighed like a fifth of the contacts.
    pub fn shortest(&self) -> f64 {
        let open = self.contacts.iter().filter(|c| c.open).count();
        let weight = (TAU_WEIGHT * open as f64).max(1.0);
        -self.tangent.dot(&self.fix) / (self.tangent.dot(&self.tangent) + weight)
    }

    /// The largest change of a logarithm on the way fix + `along` · tangent.
    pub fn distance(&self, along: f64) -> f64 {
        let normals =
            self.fix.normal.iter().zip(&self.tangent.normal).map(|(fix, t)| (fix + along * t).abs());
        let frictions = self.fix.friction.iter().zip(&self.tangent.friction);
        let frictions = frictions.map(|(fix, t)| length_of(&[0, 1, 2].map(|i| fix[i] + along * t[i])));
        normals.chain(frictions).fold(along.abs(), larger)
    }

    /// The largest change of a logarithm along the tangent alone, per ln τ.
    pub fn steepness(&self) -> f64 {
        let normals = self.tangent.normal.iter().map(|a| a.abs());
        normals.chain(self.tangent.friction.iter().map(length_of)).fold(1.0, larger)
    }

    /// x_n²/(ω τ) of the stiffest contact, relative to the mass r that resists at it.
    pub fn stiffness(&self, problem: &ContactProblem) -> f64 {
        let relative = |row: usize, contact: &PathContact| {
            self.iterate.impulse[row].powi(2) / (contact.weight * problem.at.weight[row])
        };
        let contacts = problem.cones.iter().zip(&self.contacts).filter(|(_, c)| c.open);
        let rows = contacts.flat_map(|(cone, c)| cone.normal().map(move |row| (row, c)));
        let open = rows.filter(|(row, _)| self.open[*row]);
        open.map(|(row, c)| relative(row, c)).fold(0.0, f64::max) / self.tau
    }

    /// Goes by part · fix + along · tangent.
    pub fn advance(&mut self, problem: &ContactProblem, part: f64, along: f64) {
        let Self { fix, tangent, contacts, open, iterate, tau, .. } = self;
        let steps = fix.friction.iter().zip(&tangent.friction);
        for ((cone, contact), (fix_t, tangent_t)) in problem.cones.iter().zip(contacts).zip(steps) {
            if !contact.open || cone.rolls_with.is_some() {
                continue;
            }
            let rows = || cone.normal().filter(|row| open[*row]);
            let change = |row: usize| part * fix.normal[row] + along * tangent.normal[row];
            let turn = [0, 1, 2].map(|i| part * fix_t[i] + along * tangent_t[i]);
            let x = &mut iterate.impulse;
            let size = rows().map(|row| change(row).abs()).fold(length_of(&turn), f64::max);
            let growth = 1.0 + rows().map(|row| x[row] / contact.normal * change(row)).sum::<f64>();
            let linear = if size < SMALL_LOG_CHANGE { contact.changed_linearly(growth, &turn) } else { None };
            rows().for_each(|row| {
                x[row] *= if linear.is_some() { 1.0 + change(row) } else { change(row).exp() }
            });
            contact.normal = rows().map(|row| x[row]).sum();
            match linear {
                Some(friction) => contact.friction = friction,
                None => contact.turn(&turn),
            }
        }
        for (v, (fix, tangent)) in iterate.velocity.iter_mut().zip(fix.velocity.iter().zip(&tangent.velocity))
        {
            *v += part * fix + along * tangent;
        }
        for row in problem.cones.iter().filter(|cone| cone.bounded).flat_map(Cone::normal) {
            let y = part * fix.y[row] + along * tangent.y[row];
            iterate.impulse[row] -= PATH_EQUATION_RHO * problem.at.weight[row] * y;
        }
        *tau *= along.exp();
        self.advance_rolling(problem, part, along);
        self.write_friction(problem);
    }

    /// Clears the rolling resistance of contacts that have gone.
    fn advance_rolling(&mut self, problem: &ContactProblem, part: f64, along: f64) {
        for (c, cone) in problem.cones.iter().enumerate().skip(problem.first_rolling()) {
            let Some(carrier) = cone.rolls_with.filter(|k| self.contacts[*k].open) else { continue };
            let normal = self.contacts[carrier].normal;
            let [fix, tangent] = [&self.fix, &self.tangent].map(|direction| direction.friction[c]);
            let turn = [0, 1, 2].map(|i| part * fix[i] + along * tangent[i]);
            let contact = &mut self.contacts[c];
            let growth = normal / contact.normal;
            let is_small = length_of(&turn).max((growth - 1.0).abs()) < SMALL_LOG_CHANGE;
            match contact.changed_linearly(growth, &turn).filter(|_| is_small) {
                Some(friction) => contact.friction = friction,
                None => contact.turn(&turn),
            }
            contact.normal = normal;
        }
    }
}

/// G y.
fn applied(problem: &ContactProblem, law: &Law, y: &[f64], out: &mut [f64]) {
    for c in 0..problem.cones.len() {
        law.apply_derivative(problem, c, true, y, out);
    }
}

/// Largest r of a contact's normal row.
pub fn heaviest(problem: &ContactProblem) -> f64 {
    let contacts = problem.cones.iter().filter(|cone| !cone.bounded);
    contacts.flat_map(Cone::normal).map(|row| problem.at.weight[row]).fold(0.0, f64::max)
}
