//! Steps by a method of the caller's, and the problems that it gets.

use super::run::Simulation;
use signorini_error::{Error, Result};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::OwnMethod;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex};

/// Keeps the problems that it gets, and solves none.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<(ContactProblem, Vec<f64>)>>);

impl OwnMethod for Kept {
    fn solve(&self, problem: &ContactProblem, impulse: &mut [f64]) -> bool {
        if let Ok(mut kept) = self.0.lock() {
            kept.push((problem.clone(), impulse.to_vec()));
        }
        false
    }
}

impl Simulation {
    /// Has the linearized problems of each step solved by a method of the caller's from now on, or by the
    /// solver again (None). The step is linearized at its end again and again until its residual is at most
    /// the tolerance; the referee judges it as any other. A step that is not solved is halved, and each part
    /// is solved by the method. Impacts of restitution are solved by the solver.
    ///
    /// # Errors
    /// When the formulation has no such problems: only `implicit` (and `auto`, in its steps by that) has.
    pub fn solve_with(&mut self, method: Option<Arc<dyn OwnMethod>>) -> Result<()> {
        if !self.stepper.use_own(method.clone()) {
            return Err(Error::Usage {
                what: format!("a method for formulation {:?}", self.scene.solver.formulation.as_str()),
                allowed: "only formulation \"implicit\" hands its problems out".to_owned(),
            });
        }
        self.own = method;
        Ok(())
    }

    /// The problems of the next step as they are linearized first, at its start with the impulses of the last
    /// step, and these impulses: one for each group of bodies that touch, or that joints connect. Bodies that
    /// nothing is near have none. Nothing changes.
    ///
    /// # Errors
    /// When the formulation has no such problems ([`Self::solve_with`]).
    pub fn problems(&self) -> Result<Vec<(ContactProblem, Vec<f64>)>> {
        let kept = Arc::new(Kept::default());
        let mut next = Self::from_saved(self.save())?;
        next.judge_steps(false);
        next.scene.solver.halvings = 0;
        next.solve_with(Some(kept.clone()))?;
        next.advance();
        let found = kept.0.lock().map(|mut kept| std::mem::take(&mut *kept)).unwrap_or_default();
        let mut problems: Vec<(ContactProblem, Vec<f64>)> = Vec::new();
        for (problem, impulse) in found {
            // An island whose contact points turn up late is linearized again, with more rows.
            let momentum = &problem.at.free_momentum;
            match problems.iter_mut().find(|(other, _)| other.at.free_momentum == *momentum) {
                Some(known) => *known = (problem, impulse),
                None => problems.push((problem, impulse)),
            }
        }
        // Islands end in any order.
        let order = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne());
        problems.sort_by(|(a, _), (b, _)| {
            let sizes = (a.n_bodies(), a.n_rows()).cmp(&(b.n_bodies(), b.n_rows()));
            let momenta = order(&a.at.free_momentum, &b.at.free_momentum);
            sizes.then(momenta.unwrap_or(Ordering::Equal))
        });
        Ok(problems)
    }
}
