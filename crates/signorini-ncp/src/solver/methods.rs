//! Which methods a solve may use: for studies and tests, set in Rust only.

/// Switches of methods and the sizes at which they change over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Methods {
    /// Whether islands of more than [`Self::small_island`] bodies are swept before Newton's method, where the
    /// tolerance is rough.
    pub solve_by_sweeps: bool,
    /// Smooth islands of so many bodies are halved where sweeps ended in vain and Newton's method takes more
    /// than a few iterations after them: under the forces of an impact sweeps converge in shorter steps.
    pub brief_from: usize,
    /// Those few iterations times bodies.
    pub brief_iterations: usize,
    /// Islands of at most this many bodies count as small: they start with a ρ of their own, do not predict
    /// contact statuses, and are polished after they are solved.
    pub small_island: usize,
    /// Islands whose LU takes at most this many products of 6×6 blocks are solved directly, larger ones by
    /// GMRES with a Cholesky factor.
    pub direct_block_products: usize,
    /// GMRES makes do with the diagonal blocks where that factor would have more entries: minutes and
    /// gigabytes.
    pub cholesky_entries: usize,
    /// Iterations of Newton's method on the natural map per attempt; 0: it never serves.
    pub active_set_iterations: usize,
    /// Iterations of the interior point per attempt; 0: it never serves.
    pub interior_iterations: usize,
    /// Iterations along the central path per attempt; 0: it is never followed.
    pub path_iterations: usize,
    /// Islands of more bodies than this follow the central path by its length instead of by the interior
    /// point: the former gets past the turns where the latter gives up, in more iterations.
    pub path_above_bodies: usize,
    /// Restarts along central paths of a stuck solve before it is restarted in other ways: each path of a
    /// creeping pile gets through, or does not, by chance.
    pub path_restarts: usize,
    /// Restarts follow a path of the problem linearized at the best iterate where the residual is below this
    /// times the largest impulse: contact points that come and go make paths of the step's own problem
    /// useless.
    pub path_linearized_below: f64,
}

impl Default for Methods {
    fn default() -> Self {
        Self {
            solve_by_sweeps: true,
            brief_from: 128,
            brief_iterations: 20_000,
            small_island: 6,
            direct_block_products: 1_000_000_000,
            cholesky_entries: 100_000_000,
            active_set_iterations: 6,
            interior_iterations: 40,
            path_iterations: 2000,
            path_above_bodies: 400,
            path_restarts: 4,
            path_linearized_below: 1e-4,
        }
    }
}
