//! Newton inside one proximal step: F(v) = A v − b − Jᵀ x(v) − K (v − v_k) = 0 with x(v) = Proj(x̂ − ρ r
//! y(v)).

use crate::kernels::device_pairs::{DevicePairs, Lost, PairsOnDevice};
use crate::kernels::types::{ContactDerivative, ContactLawState};
use crate::linalg::BlockKrylov;
use crate::problem::ContactProblem;
use crate::problem::contact_problem::vector6;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::law::{ContactStatus, Law, Proximal};
use crate::solver::linear_system::{FactorizationFailed, NewtonSystem, Precision};
use crate::solver::memory::FactorMemory;
use crate::solver::proximal::on_device;
use crate::solver::settings::CoreSettings;
use std::sync::Arc;
use std::time::Instant;

/// How one proximal step went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inner {
    /// |F| fell below the goal.
    pub converged: bool,
    /// Newton iterations.
    pub iterations: usize,
    /// A factorisation failed or a number was not finite.
    pub broken: bool,
    /// The device lost the pairs: nothing is known of this step.
    pub lost: bool,
}

/// Why a Newton direction could not be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failed {
    /// There are no factors.
    Factors,
    /// The device lost the pairs.
    Lost,
}

impl From<FactorizationFailed> for Failed {
    fn from(_: FactorizationFailed) -> Self {
        Failed::Factors
    }
}

impl From<Lost> for Failed {
    fn from(_: Lost) -> Self {
        Failed::Lost
    }
}

/// ρ above which a matrix in f32 would lose the masses in the rounding of the contacts.
const LARGEST_COARSE_RHO: f64 = 1e5;

/// A point of the inner iteration: everything that belongs to a velocity.
#[derive(Debug, Default)]
pub(crate) struct InnerPoint {
    pub(crate) velocity: Vec<f64>,
    y: Vec<f64>,
    /// A v − b − K (v − v_k).
    pub(crate) linear: Vec<f64>,
    /// F(v).
    pub(crate) force: Vec<f64>,
    pub(crate) law: Law,
}

/// Workspace of the inner iteration. The factor outlives a step (reuse at rest).
#[derive(Debug, Default)]
pub struct InnerNewton {
    pub(crate) system: NewtonSystem,
    /// Statuses the factor was made with, and its ρ.
    pub(crate) factored: Option<(f64, Vec<ContactStatus>)>,
    last_krylov: usize,
    /// Whether the factor has not been used yet.
    is_fresh: bool,
    /// ρ up to which it is in f32.
    single_rho: f64,
    pub(crate) at: InnerPoint,
    trial: InnerPoint,
    pub(crate) direction: Vec<f64>,
    pub(crate) dy: Vec<f64>,
    dlinear: Vec<f64>,
    /// What goes to pairs on a device, and comes back.
    pub(crate) states: Vec<ContactLawState<f64>>,
    pub(crate) derivatives: Vec<ContactDerivative<f64>>,
    pub(crate) slips: Vec<[f64; 4]>,
    moved: Vec<f64>,
    /// Whether the derivatives on the device are those of `at`.
    derivatives_on_device: bool,
}

impl InnerNewton {
    /// Who solves iteratively from now on.
    pub fn use_krylov(&mut self, krylov: Option<Arc<dyn BlockKrylov>>) {
        self.system.use_krylov(krylov);
    }

    /// The factor, if the next solve may use it.
    pub(crate) fn memory(&self) -> Option<FactorMemory> {
        self.factored.as_ref().map(|(rho, modes)| FactorMemory {
            rho: *rho,
            modes: modes.clone(),
            last_krylov: self.last_krylov,
            is_fresh: self.is_fresh,
            system: self.system.memory(),
        })
    }

    /// Takes a factor over.
    pub(crate) fn recall(&mut self, memory: &FactorMemory) {
        if self.system.recall(&memory.system) {
            self.factored = Some((memory.rho, memory.modes.clone()));
            (self.last_krylov, self.is_fresh) = (memory.last_krylov, memory.is_fresh);
        }
    }

    /// Takes over a problem's contact graph; everything symbolic is kept while it stands.
    pub fn prepare(&mut self, problem: &ContactProblem, settings: &CoreSettings) {
        if self.system.prepare(problem, settings) {
            self.factored = None;
        }
        self.single_rho = settings.single_rho;
        let (n, rows) = (6 * problem.n_bodies(), problem.n_rows());
        for point in [&mut self.at, &mut self.trial] {
            point.law.resize(problem);
            point.velocity.resize(n, 0.0);
            point.linear.resize(n, 0.0);
            point.force.resize(n, 0.0);
            point.y.resize(rows, 0.0);
        }
        self.direction.resize(n, 0.0);
        self.dlinear.resize(n, 0.0);
        self.dy.resize(rows, 0.0);
    }

    /// Newton on F from the iterate for one ρ, until |F| ≤ `goal` in the units of the problem; leaves the
    /// result in `next`. `pairs` are the contacts on a device, if one holds them: it assembles the matrix,
    /// and evaluates F if it is exact.
    pub fn proximal_step(
        &mut self,
        problem: &ContactProblem,
        pairs: PairsOnDevice<'_>,
        proximal: &Proximal<'_>,
        goal: f64,
        next: &mut Iterate,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Inner {
        // Where f32 would not do, rows are here too.
        let mut pairs = pairs.filter(|p| p.is_exact() || proximal.rho <= LARGEST_COARSE_RHO);
        let mut inner = Inner::default();
        if let Err(failed) =
            self.iterate(problem, &mut pairs, proximal, goal, deadline, settings, info, &mut inner)
        {
            inner.broken = failed == Failed::Factors;
            inner.lost = failed == Failed::Lost;
        }
        next.velocity.clone_from(&self.at.velocity);
        next.impulse.clone_from(&self.at.law.impulse);
        inner
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        pairs: &mut PairsOnDevice<'_>,
        proximal: &Proximal<'_>,
        goal: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
        inner: &mut Inner,
    ) -> Result<(), Failed> {
        self.start(problem, pairs, proximal)?;
        let mut before = 0.0;
        loop {
            let scaled = problem.scaled_momentum(&self.at.force);
            if scaled <= goal {
                inner.converged = true;
                return Ok(());
            }
            if inner.iterations >= settings.inner_iterations || scaled.is_nan() {
                inner.broken = scaled.is_nan();
                return Ok(());
            }
            if deadline.is_some_and(|d| Instant::now() >= d) {
                return Ok(());
            }
            inner.iterations += 1;
            info.iterations += 1;
            let predicted = inner.iterations == 1 && settings.predict_modes;
            if predicted {
                self.at.law.predict(problem, proximal);
                self.derivatives_on_device = false;
            }
            self.refresh_factor(problem, pairs, proximal.rho, settings, info)?;
            // A factorisation is the longest single piece of work.
            if deadline.is_some_and(|d| Instant::now() >= d) {
                return Ok(());
            }
            self.at.force.iter_mut().for_each(|f| *f = -*f);
            let accuracy = settings.krylov_accuracy.min((0.5 * goal / scaled).max((scaled / before).powi(2)));
            before = scaled;
            let Self { system, at, direction, .. } = self;
            let on_device = pairs.as_deref_mut();
            self.last_krylov =
                system.solve(problem, &at.law, on_device, &at.force, direction, accuracy, settings)?;
            self.at.force.iter_mut().for_each(|f| *f = -*f);
            if std::mem::take(&mut self.is_fresh) && self.last_krylov > settings.stale_krylov_iterations {
                self.single_rho = 0.0;
            }
            // A predicted direction need not descend; the true one of the next iteration does.
            if !self.line_search(problem, pairs, proximal, settings)? && !predicted {
                return Ok(());
            }
        }
    }

    /// v = v_k: y is known there, and the linear part is A v − b.
    pub(crate) fn start_linear(&mut self, problem: &ContactProblem) {
        let at = &mut self.at;
        at.velocity.copy_from_slice(&problem.at.velocity);
        at.y.copy_from_slice(&problem.at.slip);
        problem.mass_product(&at.velocity, &mut at.linear);
        for (l, b) in at.linear.iter_mut().zip(&problem.at.free_momentum) {
            *l -= b;
        }
    }

    fn start(
        &mut self,
        problem: &ContactProblem,
        pairs: &mut PairsOnDevice<'_>,
        proximal: &Proximal<'_>,
    ) -> Result<(), Lost> {
        self.start_linear(problem);
        self.derivatives_on_device = false;
        if let Some(pairs) = exact(pairs) {
            on_device::law_states(problem, proximal, &mut self.states);
            pairs.begin(&self.states, proximal.rho)?;
            return self.project_at(problem, pairs);
        }
        let at = &mut self.at;
        at.law.evaluate(problem, proximal, &at.y);
        at.force.copy_from_slice(&at.linear);
        problem.add_forces(&at.law.impulse, -1.0, &mut at.force);
        Ok(())
    }

    /// Law and F at the velocity of `at`, found where the pairs are.
    fn project_at(&mut self, problem: &ContactProblem, pairs: &mut dyn DevicePairs) -> Result<(), Lost> {
        let Self { at, moved, derivatives, .. } = self;
        at.project(problem, pairs, moved, derivatives)?;
        self.derivatives_on_device = true;
        Ok(())
    }

    /// Refactors when ρ changed, more than a few statuses changed, or the stale factor made GMRES slow
    /// (measure 3).
    fn refresh_factor(
        &mut self,
        problem: &ContactProblem,
        pairs: &mut PairsOnDevice<'_>,
        rho: f64,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Result<(), Failed> {
        self.assemble_on_device(problem, pairs, info)?;
        if pairs.is_none() {
            self.system.assemble(problem, &self.at.law, &mut info.times);
        }
        let derivatives = &self.at.law.derivative;
        if let Some((factor_rho, statuses)) = &self.factored
            && *factor_rho == rho
            && self.last_krylov <= self.system.stale_iterations(settings)
            && statuses.iter().zip(derivatives).filter(|(m, g)| **m != g.status).count()
                <= settings.stale_mode_changes
        {
            return Ok(());
        }
        info.factorizations += 1;
        let mut statuses = self.factored.take().map(|f| f.1).unwrap_or_default();
        let Self { system, at, single_rho, .. } = self;
        let mut factorize = |precision| match pairs {
            Some(_) => system.factorize_from_device(problem, precision, &mut info.times),
            None => system.factorize_assembled(problem, &at.law, precision, &mut info.times),
        };
        let found = (rho <= *single_rho).then(|| factorize(Precision::Single));
        if !matches!(found, Some(Ok(()))) {
            if found.is_some() {
                *single_rho = 0.0;
            }
            factorize(Precision::Double)?;
        }
        self.is_fresh = true;
        statuses.clear();
        statuses.extend(self.at.law.derivative.iter().map(|g| g.status));
        self.factored = Some((rho, statuses));
        Ok(())
    }

    /// Has the device, if one holds the pairs, assemble the matrix of the derivatives at hand.
    pub(crate) fn assemble_on_device(
        &mut self,
        problem: &ContactProblem,
        pairs: &mut PairsOnDevice<'_>,
        info: &mut Info,
    ) -> Result<(), Lost> {
        let Some(pairs) = pairs.as_deref_mut() else { return Ok(()) };
        let Self { at, derivatives, derivatives_on_device, system, .. } = self;
        if !*derivatives_on_device {
            on_device::derivatives_of(problem, &at.law, &at.law.impulse, derivatives);
        }
        let derivatives = (!*derivatives_on_device).then_some(&**derivatives);
        system.assemble_on_device(problem, pairs, derivatives, &mut info.times)
    }

    /// Halving on the energy norm of F. y is affine in v, so that a trial costs only the contacts.
    fn line_search(
        &mut self,
        problem: &ContactProblem,
        pairs: &mut PairsOnDevice<'_>,
        proximal: &Proximal<'_>,
        settings: &CoreSettings,
    ) -> Result<bool, Lost> {
        let mut on_device = exact(pairs);
        if on_device.is_none() {
            problem.response(&self.direction, &mut self.dy);
            problem.tangent_mass(&self.direction, &mut self.dlinear);
        }
        let merit = energy_norm(problem, &self.at.force);
        let mut step_length = 1.0;
        while step_length >= settings.smallest_step_length {
            self.move_trial(problem, on_device.as_deref_mut(), proximal, step_length)?;
            let reached = energy_norm(problem, &self.trial.force);
            let enough = (1.0 - 2e-4 * step_length) * merit;
            if reached <= enough {
                std::mem::swap(&mut self.at, &mut self.trial);
                self.derivatives_on_device = on_device.is_some();
                return Ok(true);
            }
            step_length *= 0.5;
        }
        // Prediction may have replaced the derivatives.
        if let Some(pairs) = on_device {
            self.project_at(problem, pairs)?;
            return Ok(false);
        }
        let at = &mut self.at;
        at.law.evaluate(problem, proximal, &at.y);
        Ok(false)
    }

    fn move_trial(
        &mut self,
        problem: &ContactProblem,
        pairs: PairsOnDevice<'_>,
        proximal: &Proximal<'_>,
        step_length: f64,
    ) -> Result<(), Lost> {
        let Self { at, trial, moved: w, derivatives, .. } = self;
        let moved = |out: &mut [f64], from: &[f64], by: &[f64]| {
            for ((o, f), d) in out.iter_mut().zip(from).zip(by) {
                *o = f + step_length * d;
            }
        };
        moved(&mut trial.velocity, &at.velocity, &self.direction);
        if let Some(pairs) = pairs {
            return trial.project(problem, pairs, w, derivatives);
        }
        moved(&mut trial.y, &at.y, &self.dy);
        moved(&mut trial.linear, &at.linear, &self.dlinear);
        trial.law.evaluate(problem, proximal, &trial.y);
        trial.force.copy_from_slice(&trial.linear);
        problem.add_forces(&trial.law.impulse, -1.0, &mut trial.force);
        Ok(())
    }
}

impl InnerPoint {
    /// Law and F at its velocity, found where the pairs are.
    fn project(
        &mut self,
        problem: &ContactProblem,
        pairs: &mut dyn DevicePairs,
        moved: &mut Vec<f64>,
        derivatives: &mut Vec<ContactDerivative<f64>>,
    ) -> Result<(), Lost> {
        moved.clear();
        moved.extend(self.velocity.iter().zip(&problem.at.velocity).map(|(v, at)| v - at));
        pairs.project(moved, &mut self.force, derivatives)?;
        on_device::take_derivatives(problem, derivatives, &mut self.law);
        Ok(())
    }
}

/// Pairs that are as good as the residual must be.
pub(crate) fn exact<'a>(pairs: &'a mut PairsOnDevice<'_>) -> PairsOnDevice<'a> {
    pairs.as_deref_mut().filter(|p| p.is_exact())
}

/// Σ Fᵀ A⁻¹ F with the diagonal blocks of A: the same unit (J) for linear and angular rows.
fn energy_norm(problem: &ContactProblem, force: &[f64]) -> f64 {
    let inverses = problem.mass_inverse.iter().enumerate();
    inverses
        .map(|(i, inverse)| {
            let f = vector6(force, i);
            f.dot(&(inverse * f))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::active_set::tests::{at_rest, stack};
    use crate::solver::proximal::outer::{Budget, ProximalNewton};
    use crate::solver::{LinearProblem, SolveStatus};

    /// (velocities, whether factors were in f32 to the end) where a factor may take GMRES so many iterations.
    fn solve(stale_krylov_iterations: usize, single_rho: f64) -> (Vec<f64>, bool) {
        let settings = CoreSettings {
            active_set_iterations: 0,
            stale_krylov_iterations,
            single_rho,
            ..CoreSettings::default()
        };
        let mut problem = LinearProblem::new(stack(3.0), None);
        let (mut iterate, start) = at_rest(&mut problem);
        let (mut info, mut newton) = (Info::default(), ProximalNewton::default());
        let budget = Budget { iterations: 200, deadline: None, patience: 50 };
        let (rho, tolerance) = (&mut 10.0, 1e-10);
        let status =
            newton.solve(&mut problem, &mut iterate, start, rho, tolerance, &budget, &settings, &mut info);
        assert_eq!(status, SolveStatus::Solved, "{info:?}");
        (iterate.velocity, newton.inner.single_rho > 0.0)
    }

    #[test]
    fn factors_are_in_f32_until_one_is_not_good_enough() {
        let (exact, none) = solve(12, 0.0);
        assert!(!none);
        for (allowed, single) in [(12, true), (0, false)] {
            let (velocity, stayed) = solve(allowed, 1e300);
            assert_eq!(stayed, single, "{allowed} iterations allowed");
            for (v, expected) in velocity.iter().zip(&exact) {
                assert!((v - expected).abs() < 1e-9, "{v}, expected {expected}");
            }
        }
    }
}
