//! Sweeps over a linearized problem until its natural map is small, or they no longer pay.

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::iterate::Iterate;
use crate::solver::options::SolveOptions;
use crate::solver::sweeps::colours::Colours;
use crate::solver::sweeps::conjugate::Conjugate;
use crate::solver::sweeps::damping;
use crate::solver::sweeps::device::OnDevice;
use crate::solver::sweeps::fill::Fill;
use crate::solver::sweeps::lagged::Lagged;
use crate::solver::sweeps::moved::FollowLoad;
use crate::solver::sweeps::natural_map::NaturalMap;
use crate::solver::sweeps::parts::Parts;
use crate::solver::sweeps::rounds::{SweepLimits, Sweeping, Swept, iterate};
use crate::solver::sweeps::rows::{Rows, Start};
use crate::solver::sweeps::sweep::Sweep;
use crate::threads;
use signorini_kernels::device_sweeps::{Lost, SweepsOnDevice};
use std::sync::Arc;

/// The method with its workspace.
#[derive(Debug, Default)]
pub struct Sweeps {
    colours: Colours,
    rows: Rows,
    /// See [`damping`].
    damping: Vec<f64>,
    lagged: Lagged,
    conjugate: Conjugate,
    on_device: OnDevice,
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
    /// Sets the device that sweeps over large problems; None: this method itself.
    pub fn use_device(&mut self, device: Option<Arc<dyn SweepsOnDevice>>) {
        self.on_device.device = device;
    }

    /// Colours of the last problem that was swept on a device.
    pub fn n_colours(&self) -> usize {
        self.on_device.n_colours()
    }

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
        if let Some(swept) = self.on_device.run(problem, start, limits, options, next) {
            return swept;
        }
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
        // Nothing is lost here.
        let swept = iterate(&mut Here(self, problem), limits, options)
            .unwrap_or(Swept { sweeps: 0, residual: f64::NAN });
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
}

/// Rows that are swept by this method itself.
struct Here<'a>(&'a mut Sweeps, &'a ContactProblem);

impl Sweeping for Here<'_> {
    fn block(&mut self, n: usize) -> Result<f64, Lost> {
        Ok(self.0.sweep(n))
    }

    fn update(&mut self) -> Result<f64, Lost> {
        let change = self.0.lagged.update(self.1, &self.0.damping, &mut self.0.rows);
        Ok(change.max(self.0.sweep(0)))
    }

    fn move_with_load(&self) -> bool {
        self.0.rows.move_with_load()
    }
}
