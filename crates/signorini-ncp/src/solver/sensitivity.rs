//! How a solution answers to changes of its problem: the implicit function theorem with the statuses of the
//! contacts held (theory §17.2).
//!
//! At a solution the equations of the statuses are, cone by cone, dx = C dx − G dy + m dμ + B dβ with the
//! matrices of [`local_map`], and
//! ```text
//!   (A − K) dv − Jᵀ dx = f,     dy = Y dv + s                                                     (17.1)
//! ```
//! C is nearly 1 where an equation holds dy. It is iterated on: (A − K + Jᵀ G Y) dv = f + Jᵀ (C dx̂ − G s + m
//! dμ + B dβ), dx̂ := dx. From the third round on only increments are solved for, (A − K + Jᵀ G Y) Δv = Jᵀ C
//! Δx, Δx := C Δx − G Y Δv. Of impulses that the momentum does not tell apart the change is the least one in
//! the metric of the weights. The adjoint equations are iterated alike:
//! ```text
//!   (A − K)ᵀ a + Yᵀ Gᵀ b = λ,     b = Cᵀ b + J a + λ_x                                             (17.8)
//! ```
//! Several causes are solved for at once, one in each lane; a lane has the bits that it has alone.

pub mod local_map;
mod products;
mod rounds;

pub use self::products::Product;

use self::local_map::{LocalMap, Scratch};
use self::rounds::{Rounds, largest_linear, shares};
use crate::linalg::{FEW_LANES, LANES, Room};
use crate::problem::{Cone, ContactProblem};
use crate::solver::law::{Law, Proximal};
use crate::solver::linear_system::{FactorizationFailed, NewtonSystem, Precision};
use crate::solver::options::{LinearSolver, SolveOptions};
use crate::solver::parameters::sensitivity::{
    AT_BORDER, HALVES, MAX_ROUNDS, ROUND_ACCURACY, ROUNDING_BELOW, SENSITIVITY_RHO, STILL_FALLS,
};
use crate::solver::{Solver, Times};

/// Changes of a problem, one in each lane.
#[derive(Debug, Clone)]
pub struct Cause<const W: usize = LANES> {
    /// f per body: change of momentum at the solution (N s, N m s).
    pub momentum: Room<W>,
    /// s per row: change of y at the solution (m/s); shift rows count for nothing.
    pub slip: Room<W>,
    /// dμ per contact.
    pub friction: Room<W>,
    /// dβ per row: change of a least impulse, or of one that is given (N s). It counts where the impulse is
    /// on that bound.
    pub bound: Room<W>,
}

impl Cause {
    /// Changes of a momentum alone.
    pub fn of_momentum(problem: &ContactProblem, momentum: Room<LANES>) -> Self {
        Self {
            momentum,
            slip: Room::zeros(problem.n_rows()),
            friction: Room::zeros(problem.cones.len()),
            bound: Room::zeros(problem.n_rows()),
        }
    }

    /// The first few.
    fn few(&self) -> Cause<FEW_LANES> {
        Cause {
            momentum: Room::resized(&self.momentum),
            slip: Room::resized(&self.slip),
            friction: Room::resized(&self.friction),
            bound: Room::resized(&self.bound),
        }
    }
}

/// The changes of a solution, one in each lane.
#[derive(Debug, Clone)]
pub struct Effect<const W: usize = LANES> {
    /// dv per body.
    pub velocity: Room<W>,
    /// dx per row.
    pub impulse: Room<W>,
    /// Largest change of an impulse in the last round over the largest one, or over f where that is larger.
    /// Where it is not small, contacts that hold contradict the cause: the impulses of overconstrained
    /// bodies grow from round to round.
    pub left: [f64; W],
}

/// The gradient of a function with a cause.
#[derive(Debug, Clone, PartialEq)]
pub struct CauseGradient {
    /// With f.
    pub momentum: Vec<f64>,
    /// With s.
    pub slip: Vec<f64>,
    /// With dμ.
    pub friction: Vec<f64>,
    /// With dβ.
    pub bound: Vec<f64>,
    /// As [`Effect::left`].
    pub left: f64,
}

/// A solution with the factors of its equations.
#[derive(Debug)]
pub struct Sensitivity {
    problem: ContactProblem,
    maps: Vec<LocalMap>,
    system: NewtonSystem,
    borders: Vec<usize>,
    /// Cones whose impulses may change.
    active: Vec<usize>,
}

impl Sensitivity {
    /// Of a problem that is linearized at its solution, whose impulses are given. A solver that has met its
    /// contacts need not analyse them again.
    ///
    /// # Errors
    /// When the equations have no factors: the solution is not a function of the problem there.
    pub fn new(
        problem: ContactProblem,
        impulse: &[f64],
        solver: Option<&Solver>,
    ) -> Result<Self, FactorizationFailed> {
        let mut law = Law::default();
        law.resize(&problem);
        let proximal = Proximal {
            centre: impulse,
            weight: &problem.at.weight,
            rho: SENSITIVITY_RHO,
            equation_rho: SENSITIVITY_RHO,
        };
        law.read_statuses(&problem, &proximal, &mut vec![0.0; problem.n_rows()]);
        let mut scratch = Scratch::new(problem.n_rows());
        let map = |c: usize| LocalMap::new((&problem, &law, impulse), c, &mut scratch);
        let maps: Vec<LocalMap> = (0..problem.cones.len()).map(map).collect();
        let active = (0..maps.len()).filter(|c| !maps[*c].is_idle()).collect();
        let options = SolveOptions { linear_solver: LinearSolver::Direct, ..SolveOptions::new(1.0) };
        let mut system = NewtonSystem::default();
        if let Some(solver) = solver {
            system.analyse_as(solver.system());
        }
        system.prepare(&problem, &options);
        system.factorize(&problem, &law, Precision::Double, &mut Times::default())?;
        let borders = borders(&problem, impulse);
        Ok(Self { problem, maps, system, borders, active })
    }

    /// The problem at its solution.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// Cones whose impulses may change; slips of others count for nothing.
    pub fn active(&self) -> &[usize] {
        &self.active
    }

    /// Contacts and cones of joints whose status an arbitrarily small change may change: an open gap that is
    /// closed, friction that sticks on the edge of its ball, an impulse on its bound. Derivatives are those
    /// of the status that the solution has, on one side only.
    pub fn borders(&self) -> &[usize] {
        &self.borders
    }

    /// The changes of the solution by so many causes.
    pub fn effect(&mut self, cause: &Cause, count: usize) -> Effect {
        if count > FEW_LANES {
            return self.in_rounds(cause);
        }
        let Effect { velocity, impulse, left } = self.in_rounds(&cause.few());
        let left = std::array::from_fn(|lane| left.get(lane).copied().unwrap_or_default());
        Effect { velocity: Room::resized(&velocity), impulse: Room::resized(&impulse), left }
    }

    fn in_rounds<const W: usize>(&mut self, cause: &Cause<W>) -> Effect<W> {
        let Self { problem, maps, system, active, .. } = self;
        let (jacobian, responses) = (&problem.at.jacobian, problem.response_values());
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        let [velocity, mut direction] = [(); 2].map(|()| Room::<W>::zeros(n));
        let [impulse, mut change, mut y, mut kept] = [(); 4].map(|()| Room::<W>::zeros(rows));
        let mut out = Effect { velocity, impulse, left: [f64::INFINITY; W] };
        let mut force = cause.momentum.clone();
        Product::Slip(maps).of(problem, &cause.slip, &mut change);
        add_push(maps, cause, &mut change);
        Product::TransposedRows(jacobian, active).of(problem, &change, &mut force);
        // Impulses that are small beside the momentum that changes are rounding.
        let least = largest_linear(&cause.momentum);
        let mut rounds = Rounds::<W>::until(ROUNDING_BELOW, HALVES);
        for round in 0..MAX_ROUNDS {
            system.substitute_lanes(problem.at.units.length, &force, &mut direction);
            add(&direction, &mut out.velocity);
            Product::Rows(responses, active).of(problem, &direction, &mut y);
            change.copy_from_slice(&kept);
            if round == 0 {
                add(&cause.slip, &mut y);
                add_push(maps, cause, &mut change);
            }
            Product::Slip(maps).of(problem, &y, &mut change);
            add(&change, &mut out.impulse);
            let step = shares(&direction, &out.velocity, &[0.0; W]);
            let left = shares(&change, &out.impulse, &least);
            rounds.take([step, left], &mut out.left);
            if rounds.have_ended() {
                break;
            }
            Product::Kept(maps).of(problem, &change, &mut kept);
            force.fill([0.0; W]);
            if round == 0 {
                // With what the rounding of the factor has left.
                force.copy_from_slice(&cause.momentum);
                Product::Mass.of(problem, &out.velocity, &mut force);
                Product::TransposedRows(jacobian, active).of(problem, &out.impulse, &mut force);
            }
            Product::TransposedRows(jacobian, active).of(problem, &kept, &mut force);
            rounds.silence([&mut force, &mut kept]);
        }
        out
    }

    /// The gradient, with respect to the cause, of a function whose gradients with respect to dv and dx are λ
    /// and λ_x.
    pub fn adjoint(&mut self, [gradient, of_impulse]: [&[f64]; 2]) -> CauseGradient {
        let Self { problem, maps, system, active, .. } = self;
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        let [mut momentum, mut direction] = [(); 2].map(|()| vec![0.0; n]);
        let [mut change, mut b, mut slip, mut turned_change] = [(); 4].map(|()| vec![0.0; rows]);
        // In the first round what J a adds to; later Cᵀ Δb.
        let mut kept = of_impulse.to_vec();
        let turned = |b: &[f64], slip: &mut [f64]| {
            slip.fill(0.0);
            maps.iter().for_each(|map| map.add_slip_transposed(b, slip));
        };
        let mut force = vec![0.0; n];
        turned(of_impulse, &mut turned_change);
        problem.add_responses(&turned_change, &mut force);
        force.iter_mut().zip(gradient).for_each(|(force, f)| *force = f - *force);
        let least = largest_linear(force.as_chunks::<1>().0);
        let (mut rounds, mut left) = (Rounds::<1>::until(ROUND_ACCURACY, STILL_FALLS), [f64::INFINITY]);
        for round in 0..MAX_ROUNDS {
            system.substitute_transposed(problem.at.units.length, &force, &mut direction);
            add_flat(&direction, &mut momentum);
            problem.jacobian_product(active, &direction, &mut change);
            add_flat(&kept, &mut change);
            add_flat(&change, &mut b);
            // Gᵀ b is what Yᵀ acts on: b of rows that hold is small beside that of slips.
            turned(&change, &mut turned_change);
            add_flat(&turned_change, &mut slip);
            let of = |change: &[f64], after: &[f64], least: &[f64; 1]| {
                shares(change.as_chunks::<1>().0, after.as_chunks::<1>().0, least)
            };
            let steps = [of(&direction, &momentum, &[0.0]), of(&turned_change, &slip, &[0.0])];
            rounds.take(steps, &mut [0.0]);
            left = of(&turned_change, &slip, &least);
            if rounds.have_ended() {
                break;
            }
            kept.fill(0.0);
            maps.iter().for_each(|map| map.add_centre_transposed(&change, &mut kept));
            if round == 0 {
                problem.tangent_mass_transposed(&momentum, &mut force);
                force.iter_mut().zip(gradient).for_each(|(force, f)| *force -= f);
                problem.add_responses(&slip, &mut force);
            } else {
                force.fill(0.0);
            }
            turned(&kept, &mut turned_change);
            problem.add_responses(&turned_change, &mut force);
            force.iter_mut().for_each(|force| *force = -*force);
        }
        slip.iter_mut().for_each(|s| *s = -*s);
        let friction = maps.iter().map(|map| map.push(&b)).collect();
        let mut bound = vec![0.0; rows];
        maps.iter().for_each(|map| map.add_bound_transposed(&b, &mut bound));
        CauseGradient { momentum, slip, friction, bound, left: left[0] }
    }
}

/// to += from.
fn add<const W: usize>(from: &[[f64; W]], to: &mut [[f64; W]]) {
    add_flat(from.as_flattened(), to.as_flattened_mut());
}

fn add_flat(from: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// out += m dμ + B dβ.
fn add_push<const W: usize>(maps: &[LocalMap], cause: &Cause<W>, out: &mut [[f64; W]]) {
    for (map, friction) in maps.iter().zip(cause.friction.iter()) {
        map.add_friction(friction, out);
        map.add_bound(&cause.bound, out);
    }
}

/// Cones whose status a small change may change.
fn borders(problem: &ContactProblem, x: &[f64]) -> Vec<usize> {
    let is_at_border = |(c, cone): &(usize, &Cone)| {
        let small = AT_BORDER * problem.at.units.cones[*c];
        let natural = |row: usize| x[row] - problem.at.weight[row] * problem.at.slip[row];
        let on_bound = |row: usize| {
            let [low, high] = problem.bounds[row];
            let z = natural(row);
            low < high && ((z - low).abs() <= small || (z - high).abs() <= small)
        };
        let sum: f64 = x[problem.carrier(cone).normal()].iter().sum();
        let reach = cone.friction().map(|row| natural(row).powi(2)).sum::<f64>().sqrt();
        let on_ball = cone.n_friction > 0
            && cone.friction_coefficient * sum > 0.0
            && (reach - cone.friction_coefficient * sum).abs() <= small;
        cone.normal().any(on_bound) || on_ball
    };
    problem.cones.iter().enumerate().filter(is_at_border).map(|(c, _)| c).collect()
}
