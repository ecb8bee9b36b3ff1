//! Parameters of the core method, each with its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the Newton systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum LinearSolver {
    /// What was measured to be quickest: LU of small and medium islands, Cholesky with GMRES of large ones.
    #[default]
    Auto,
    /// LU of the true matrix, however large.
    Direct,
    /// No factorisation: an iteration preconditioned with the diagonal blocks, on the device where there is
    /// one.
    Krylov,
}

/// Parameters of the proximal Newton method. The defaults are measured; change them to study the method.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CoreSettings {
    /// Proximal parameter ρ of a cold start. 1 is damped by half per step: robust, and it grows fivefold per
    /// step.
    pub initial_rho: f64,
    /// ρ a warm start may begin with at most.
    pub warm_rho: f64,
    /// A start with at most this residual is nearly at rest: its statuses are right…
    pub rest_below: f64,
    /// …and it begins with at least this ρ, always the same, so that the factor serves from step to step.
    pub rest_rho: f64,
    /// Its first inner iteration goes on to this fraction of the tolerance: what is left accelerates the
    /// bodies, and brings forward the next step that the last impulses do not solve.
    pub rest_accuracy: f64,
    /// A start is taken as it is at this fraction of the tolerance: the impulses of the last step still hold
    /// what stopped the bodies then, and push them off again when they are kept (seen at rest: every third
    /// step, for ever).
    pub accepted_start: f64,
    /// Floor of ρ: below it a proximal step hardly moves.
    pub smallest_rho: f64,
    /// Cap of ρ: above it the rounding of x̂ shows in y.
    pub largest_rho: f64,
    /// ρ is multiplied by this after a failed step…
    pub rho_cut: f64,
    /// …by this after one that took at most 2 Newton iterations…
    pub rho_growth_fast: f64,
    /// …and by this after one that took at most 5.
    pub rho_growth: f64,
    /// Inner Newton stops at this fraction of the outer residual.
    pub inner_accuracy: f64,
    /// Inner Newton iterations per proximal step before it counts as failed.
    pub inner_iterations: usize,
    /// How the Newton systems are solved.
    pub linear_solver: LinearSolver,
    /// Islands whose LU takes at most this many products of 6×6 blocks are solved directly, larger ones by
    /// GMRES with a Cholesky factor.
    pub direct_block_products: usize,
    /// Factors are in f32 up to this ρ: less time, for directions that GMRES makes as accurate as they have
    /// to be. Where that takes it many iterations the rest of the solve is in f64, as are small islands,
    /// which are polished, always. Those along the central path are in f32 too as far as it holds masses
    /// beside contacts, unless this is 0.
    pub single_rho: f64,
    /// Relative accuracy of GMRES.
    pub krylov_accuracy: f64,
    /// Iterations with the diagonal blocks as preconditioner, at most.
    pub jacobi_iterations: usize,
    /// GMRES iterations at most.
    pub krylov_iterations: usize,
    /// A stale factor is kept while GMRES with it takes at most this many iterations…
    pub stale_krylov_iterations: usize,
    /// …and at most this many contacts changed their status.
    pub stale_mode_changes: usize,
    /// A converged proximal step may raise the true residual by this factor (the path is not monotone).
    pub accepted_growth: f64,
    /// A step whose inner iteration failed is kept only if it raised the true residual by at most this
    /// factor.
    pub accepted_growth_unconverged: f64,
    /// A step whose refreshed geometry raised the residual is halved this often before ρ is cut instead.
    pub geometry_halvings: i32,
    /// Over-relax the impulses when a step left more than this fraction of the residual.
    pub slow_progress: f64,
    /// Over-relaxation factor minus one.
    pub over_relaxation: f64,
    /// Line search gives up below this step length.
    pub smallest_step_length: f64,
    /// First Newton iteration of a proximal step takes contact statuses from x̂.
    pub predict_modes: bool,
    /// Islands of at most this many bodies count as small: they start with `small_rho`, do not predict
    /// statuses, and are polished after they are solved.
    pub small_island: usize,
    /// Starting ρ of small islands (measured on two-spheres: 3 needs at most 9 iterations, 1 needs 11, 10
    /// needs 14).
    pub small_rho: f64,
    /// Small islands are polished to this fraction of the tolerance, so that energy does not drift over long
    /// runs…
    pub polish: f64,
    /// …as long as the step has taken fewer iterations than this.
    pub polish_iterations: usize,
    /// ρ of the polish.
    pub polish_rho: f64,
    /// Newton on the statuses of the natural map is tried where the residual is below this.
    pub active_set_below: f64,
    /// Its iterations per try.
    pub active_set_iterations: usize,
    /// Its ρ: what keeps hyperstatic contacts regular.
    pub active_set_rho: f64,
    /// It is given up where the residual has grown by this factor.
    pub active_set_growth: f64,
    /// Relative accuracy of its linear solves.
    pub active_set_accuracy: f64,
    /// The interior point is tried where the residual of the start exceeds this; nearer a solution the warm
    /// start is worth more.
    pub interior_above: f64,
    /// And where the solve goes below this: the central path ends at 1e-4 and less; the warm start meets
    /// rougher goals in fewer iterations.
    pub interior_goal: f64,
    /// Its iterations per try; 0: it is never tried.
    pub interior_iterations: usize,
    /// The impulses it starts from stop this part of the fastest approach.
    pub interior_start: f64,
    /// Fraction of the way to the boundary that a step takes…
    pub interior_fraction: f64,
    /// …and one that reaches it on the first half.
    pub interior_short_fraction: f64,
    /// It is given up after so many iterations without halving the mean product.
    pub interior_patience: usize,
    /// What it reached is kept below this residual; from more the proximal method does worse than from the
    /// warm start.
    pub interior_keep: f64,
    /// Solves that are left out after a failure, at most; each failure doubles them.
    pub interior_pause: usize,
    /// Relative accuracy of its linear solves where there is no LU (what that gives is taken as it is), and
    /// of those along the path.
    pub interior_accuracy: f64,
    /// Islands of more bodies than this follow the central path by its length instead: it gets past the turns
    /// where the interior point gives up, in more iterations. From a few hundred bodies on the path of a
    /// creeping pile nearly always turns; below, restarts find it.
    pub path_above_bodies: usize,
    /// Its iterations per try; 0: large islands have neither. When and how it starts `interior_above`,
    /// `_goal`, `_start` and `_pause` say.
    pub path_iterations: usize,
    /// A point of the path counts as exact when no logarithm would change more on the way to it; points
    /// before short steps and where the path may turn are more exact.
    pub path_near: f64,
    /// It is given up after so many iterations without halving τ: a path that turns may take hundreds to get
    /// past.
    pub path_patience: usize,
    /// The same where the sign of the determinant is not known: such a path does not find back.
    pub path_patience_unguided: usize,
    /// Problems with patches are frozen for a restart along a path, which they are only below this residual,
    /// relative to the largest impulse: atoms that come and go make further paths useless.
    pub path_frozen_below: f64,
    /// What it reached is kept below this residual, where it did not get to the solution…
    pub path_keep: f64,
    /// …and the proximal method goes on from there with this ρ.
    pub path_rho: f64,
    /// A stuck solve starts again along so many paths before it is restarted in other ways: each path of a
    /// creeping pile gets through, or does not, by chance.
    pub path_restarts: usize,
    /// Outer iterations without halving the best residual before the next restart follows: the end of a path
    /// is near a solution, or the next path is the better start.
    pub path_restart_patience: usize,
    /// Each has weights of the contacts between e^−spread and e^spread of its own.
    pub path_spread: f64,
    /// Outer iterations without halving the best residual before the ladder goes on.
    pub patience: usize,
    /// Phases A and B run when the residual of the start exceeds this: below it proximal Newton is quicker.
    pub cheap_phases_above: f64,
    /// Gauss–Seidel sweeps that are always made in phase A: they spread impacts through the contacts.
    pub first_sweeps: usize,
    /// Sweeps per block after which the rate is looked at again.
    pub block_sweeps: usize,
    /// Sweeps at most: what the rate has to predict the tolerance within. 200 instead of 1500 halved the time
    /// of the public set: what converges so slowly is quicker in proximal Newton.
    pub most_sweeps: usize,
    /// Iterations of phase B.
    pub admm_iterations: usize,
    /// Over-relaxation of phase B; the theory allows below 2, and 1.6 is the field's usual value.
    pub admm_relaxation: f64,
    /// Changes of the penalty of phase B, each a factorisation.
    pub admm_refactorizations: usize,
    /// Restarts of the ladder before a solve counts as stalled.
    pub ladder_restarts: usize,
    /// Iterations of phase B as a rung of the ladder.
    pub ladder_admm_iterations: usize,
    /// Seed of the ladder's scattered impulses and weights of paths: the same problem gives the same bits.
    pub ladder_seed: u64,
    /// Newton iterations of a whole solve of a linear problem.
    pub most_iterations: usize,
}

impl Default for CoreSettings {
    fn default() -> Self {
        Self {
            initial_rho: 1.0,
            warm_rho: 10.0,
            rest_below: 1e-5,
            rest_rho: 1e4,
            rest_accuracy: 1e-3,
            accepted_start: 0.1,
            smallest_rho: 1e-2,
            largest_rho: 1e8,
            rho_cut: 0.1,
            rho_growth_fast: 5.0,
            rho_growth: 2.0,
            inner_accuracy: 0.5,
            inner_iterations: 10,
            linear_solver: LinearSolver::Auto,
            direct_block_products: 1_000_000_000,
            single_rho: 1e7,
            krylov_accuracy: 0.03,
            jacobi_iterations: 500,
            krylov_iterations: 60,
            stale_krylov_iterations: 12,
            stale_mode_changes: 5,
            accepted_growth: 3.0,
            accepted_growth_unconverged: 2.0,
            geometry_halvings: 5,
            slow_progress: 0.3,
            over_relaxation: 0.5,
            smallest_step_length: 1e-4,
            predict_modes: true,
            small_island: 6,
            small_rho: 3.0,
            polish: 1e-4,
            polish_iterations: 9,
            polish_rho: 1e4,
            active_set_below: 1e-3,
            active_set_iterations: 6,
            active_set_rho: 1e6,
            active_set_growth: 1000.0,
            active_set_accuracy: 1e-6,
            interior_above: 1e-2,
            interior_goal: 1e-3,
            interior_iterations: 40,
            interior_start: 0.3,
            interior_fraction: 0.99,
            interior_short_fraction: 0.7,
            interior_patience: 8,
            interior_keep: 1e-4,
            interior_pause: 15,
            interior_accuracy: 1e-6,
            path_above_bodies: 400,
            path_iterations: 2000,
            path_near: 0.25,
            path_rho: 100.0,
            path_patience: 400,
            path_patience_unguided: 60,
            path_frozen_below: 1e-4,
            path_keep: 1e-3,
            path_restarts: 4,
            path_restart_patience: 25,
            path_spread: 1.4,
            patience: 80,
            cheap_phases_above: 1e30,
            first_sweeps: 20,
            block_sweeps: 40,
            most_sweeps: 200,
            admm_iterations: 100,
            admm_relaxation: 1.6,
            admm_refactorizations: 4,
            ladder_restarts: 3,
            ladder_admm_iterations: 300,
            ladder_seed: 1,
            most_iterations: 100_000,
        }
    }
}

impl CoreSettings {
    /// The settings for problems solved from nothing, as FCLIB's are: cheap phases first, a longer ladder. In
    /// piles, which are warm-started, the phases saved a third of the Newton iterations and took three times
    /// as long (64 bodies). The phases leave the interior point little to do. On the public set 20 to 60
    /// sweeps and 50 ADMM iterations beat 200 and 100 by a third of the time in the median.
    pub fn for_cold_problems() -> Self {
        Self {
            cheap_phases_above: 1e-2,
            most_sweeps: 60,
            admm_iterations: 50,
            ladder_restarts: 60,
            interior_iterations: 0,
            path_iterations: 0,
            ..Self::default()
        }
    }

    /// The settings that islands of at most `small_island` bodies are solved with.
    pub fn of_small_islands(&self) -> Self {
        Self {
            initial_rho: self.small_rho,
            warm_rho: self.small_rho,
            single_rho: 0.0,
            predict_modes: false,
            active_set_iterations: 0,
            interior_iterations: 0,
            ..*self
        }
    }
}
