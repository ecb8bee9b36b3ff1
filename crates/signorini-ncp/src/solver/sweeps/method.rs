//! Sweeps over a linearized problem until its natural map is small, or they no longer pay.

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::iterate::Iterate;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::sweeps::{
    BLOCK_DIVISOR, FOLLOW_LOAD_AFTER, FOLLOW_LOAD_WITHIN, MIN_BLOCK, UPDATE_LAGGED_BELOW, UPDATE_LAGGED_EVERY,
};
use crate::solver::sweeps::colours::Colours;
use crate::solver::sweeps::conjugate::Conjugate;
use crate::solver::sweeps::damping;
use crate::solver::sweeps::fill::Fill;
use crate::solver::sweeps::lagged::Lagged;
use crate::solver::sweeps::moved::FollowLoad;
use crate::solver::sweeps::natural_map::NaturalMap;
use crate::solver::sweeps::parts::Parts;
use crate::solver::sweeps::rounds::{Progress, SweepLimits, Swept};
use crate::solver::sweeps::rows::{Rows, Start};
use crate::solver::sweeps::sweep::Sweep;
use crate::threads;

/// The method with its workspace.
#[derive(Debug, Default)]
pub struct Sweeps {
    colours: Colours,
    rows: Rows,
    /// See [`damping`].
    damping: Vec<f64>,
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
        limits: SweepLimits,
        options: &SolveOptions,
        next: &mut Iterate,
    ) -> Swept {
        if self.colours.arrange(problem) {
            self.rows.lay_out(&self.colours);
        }
        if limits.damps {
            damping::find(problem, &mut self.damping);
        } else {
            self.damping.clear();
            self.damping.resize(problem.n_bodies(), 0.0);
        }
        self.fill(problem, start);
        self.lagged.start(problem);
        self.conjugate.start();
        let swept = self.iterate(problem, limits, options);
        next.velocity.resize(problem.at.velocity.len(), 0.0);
        next.impulse.resize(problem.n_rows(), 0.0);
        self.rows.store(problem, &mut next.velocity, &mut next.impulse);
        swept
    }

    fn fill(&mut self, problem: &ContactProblem, start: Start<'_>) {
        let Self { colours, rows, damping, .. } = self;
        rows.find_roots(problem, damping);
        let roots = std::mem::take(&mut rows.roots);
        let Parts { place, body, .. } = &colours.parts;
        rows.visit(&Fill { problem, start, roots: &roots, damping, place, body });
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

    /// Brings what lags up to date; the largest change of momentum, or the natural map if that is more.
    fn update(&mut self, problem: &ContactProblem) -> f64 {
        let change = self.lagged.update(problem, &self.damping, &mut self.rows);
        change.max(self.sweep(0))
    }

    /// Sweeps until the target is reached, or they no longer pay.
    fn iterate(&mut self, problem: &ContactProblem, limits: SweepLimits, options: &SolveOptions) -> Swept {
        let mut progress = Progress::default();
        let (mut sweeps, mut block) = (0, 2);
        let (mut between, mut last) = (FOLLOW_LOAD_AFTER, f64::INFINITY);
        loop {
            let n = block.min(limits.most - sweeps);
            let mut residual = self.sweep(n);
            sweeps += n;
            let is_near = residual <= UPDATE_LAGGED_BELOW * limits.residual;
            if limits.stiff && (is_near || sweeps % UPDATE_LAGGED_EVERY < n) {
                residual = self.update(problem);
            }
            let ended = residual <= limits.residual || sweeps >= limits.most || residual.is_nan();
            if ended || !progress.goes_on(sweeps, residual) || options.is_stopped() {
                return Swept { sweeps, residual };
            }
            let falls = residual < std::mem::replace(&mut last, residual);
            between = if falls { (2 * between).min(FOLLOW_LOAD_WITHIN) } else { FOLLOW_LOAD_AFTER };
            block = if self.rows.move_with_load() { between } else { MIN_BLOCK + sweeps / BLOCK_DIVISOR };
        }
    }
}
