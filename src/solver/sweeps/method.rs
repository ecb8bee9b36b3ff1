//! Sweeps over a linearized problem until its natural map is small, or they no longer pay.

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::iterate::Iterate;
use crate::solver::run::Run;
use crate::solver::sweeps::colours::Colours;
use crate::solver::sweeps::conjugate::Conjugate;
use crate::solver::sweeps::fill::Fill;
use crate::solver::sweeps::lagged::Lagged;
use crate::solver::sweeps::moved::FollowLoad;
use crate::solver::sweeps::natural_map::NaturalMap;
use crate::solver::sweeps::parts::Parts;
use crate::solver::sweeps::rows::{Rows, Start};
use crate::solver::sweeps::sweep::Sweep;
use crate::threads;

/// What lags is brought up to date every so many sweeps…
const UPDATE_EVERY: usize = 16;
/// …and where the residual is below this multiple of the goal.
const UPDATE_BELOW: f64 = 2.0;
/// Friction rows of manifolds follow the load after so many sweeps: after more, both go round in a circle.
const MOVED_AFTER: usize = 3;
/// Sweeps before it is looked for the first time whether they pay.
const FIRST_LOOK: usize = 256;

/// What sweeps are made for.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// The natural map to reach, in the units of the problem.
    pub residual: f64,
    /// Sweeps at most.
    pub most: usize,
    /// Whether stiffness and response are kept up to date: not where impulses may be far from those that the
    /// stiffness was made for.
    pub stiff: bool,
}

/// How it went.
#[derive(Debug, Clone, Copy)]
pub struct Swept {
    /// Sweeps taken.
    pub sweeps: usize,
    /// The natural map that is left, or what the last update of lagged terms changed if that is more.
    pub residual: f64,
}

/// The method with its workspace.
#[derive(Debug, Default)]
pub struct Sweeps {
    colours: Colours,
    rows: Rows,
    lagged: Lagged,
    conjugate: Conjugate,
}

/// Whether sweeps know the problem: bodies coupled by contacts only, Coulomb's law, nothing compliant,
/// nothing that resists rolling, no impulse that is above 0 at least.
pub fn applies(problem: &ContactProblem) -> bool {
    problem.coupling.is_empty()
        && problem.law == ContactLaw::Coulomb
        && problem.compliance.iter().all(|r| *r == 0.0)
        && !problem.has_rolling()
        && !problem.has_least()
        && problem.block_offsets.windows(2).all(|blocks| blocks[1] - blocks[0] <= 2)
}

impl Sweeps {
    /// Sweeps over a problem to which they apply ([`applies`]), where it is linearized; `next`
    /// becomes the result, balanced in momentum.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        start: Start<'_>,
        goal: Goal,
        run: &Run,
        next: &mut Iterate,
    ) -> Swept {
        if self.colours.arrange(problem) {
            self.rows.lay_out(&self.colours);
        }
        self.fill(problem, start);
        self.lagged.start(problem);
        self.conjugate.start();
        let swept = self.iterate(problem, goal, run);
        next.velocity.resize(problem.at.velocity.len(), 0.0);
        next.impulse.resize(problem.n_rows(), 0.0);
        self.rows.store(problem, &mut next.velocity, &mut next.impulse);
        swept
    }

    fn fill(&mut self, problem: &ContactProblem, start: Start<'_>) {
        let Self { colours, rows, .. } = self;
        rows.find_roots(problem);
        let roots = std::mem::take(&mut rows.roots);
        let Parts { place, body, .. } = &colours.parts;
        rows.visit(&Fill { problem, start, roots: &roots, place, body });
        rows.roots = roots;
        rows.motions.iter_mut().for_each(|moving| moving.start = moving.w);
    }

    /// So many sweeps; the natural map.
    fn sweep(&mut self, n: usize) -> f64 {
        let Self { rows, conjugate, .. } = self;
        if self.colours.own.len() > 1 {
            threads::rouse();
        }
        for _ in 0..n {
            let square = rows.visit(&Sweep { step: conjugate.step() });
            conjugate.swept(square.iter().sum());
        }
        if n > 0 && rows.move_with_load() {
            rows.visit(&FollowLoad);
        }
        rows.visit(&NaturalMap)
    }

    fn iterate(&mut self, problem: &ContactProblem, goal: Goal, run: &Run) -> Swept {
        let mut progress = Progress::default();
        let (mut sweeps, mut block) = (0, 2);
        loop {
            let n = block.min(goal.most - sweeps);
            let mut residual = self.sweep(n);
            sweeps += n;
            let is_near = residual <= UPDATE_BELOW * goal.residual;
            if goal.stiff && (is_near || sweeps % UPDATE_EVERY < n) {
                let change = self.lagged.update(problem, &mut self.rows);
                residual = change.max(self.sweep(0));
            }
            let ended = residual <= goal.residual || sweeps >= goal.most || residual.is_nan();
            if ended || !progress.goes_on(sweeps, residual) || run.is_late() {
                return Swept { sweeps, residual };
            }
            block = if self.rows.move_with_load() { MOVED_AFTER } else { 3 + sweeps / 8 };
        }
    }
}

/// Whether the least residual still falls, looked at whenever the number of sweeps has doubled: it jumps up
/// and down, and no rate between closer looks says anything.
#[derive(Debug)]
struct Progress {
    least: f64,
    last: f64,
    next: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { least: f64::INFINITY, last: f64::INFINITY, next: FIRST_LOOK }
    }
}

impl Progress {
    /// After so many sweeps with this residual.
    fn goes_on(&mut self, sweeps: usize, residual: f64) -> bool {
        self.least = self.least.min(residual);
        if sweeps < self.next {
            return true;
        }
        self.next = 2 * sweeps;
        std::mem::replace(&mut self.last, self.least) > self.least
    }
}
