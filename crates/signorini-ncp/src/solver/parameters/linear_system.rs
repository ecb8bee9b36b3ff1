//! Linear systems of Newton's method: choice of the factor, age of a factor, GMRES, precision.

/// Products of 6×6 blocks up to which an LU serves; larger islands take GMRES with a Cholesky factor.
pub const MAX_LU_PRODUCTS: usize = 1_000_000_000;
/// Entries of the Cholesky factor above which GMRES uses the diagonal blocks: a larger factor takes minutes
/// and gigabytes.
pub const MAX_CHOLESKY_ENTRIES: usize = 100_000_000;

// ---- Age of a factor ----

/// Changed contact statuses above which a factor is made again.
pub const STALE_STATUSES: usize = 5;
/// GMRES iterations up to which an old factor is kept.
pub const STALE_ITERATIONS: usize = 12;
/// Products of 6×6 blocks up to which an LU costs no more than [`CHEAP_STALE_ITERATIONS`].
pub const CHEAP_LU_PRODUCTS: usize = 100_000;
/// GMRES iterations up to which an old cheap LU is kept.
pub const CHEAP_STALE_ITERATIONS: usize = 5;

// ---- GMRES ----

/// Relative accuracy of a Newton direction, unless the iteration converges faster.
pub const KRYLOV_ACCURACY: f64 = 0.03;
/// GMRES iterations with a factor.
pub const MAX_KRYLOV_ITERATIONS: usize = 60;
/// GMRES iterations with the diagonal blocks as preconditioner.
pub const MAX_JACOBI_ITERATIONS: usize = 500;
/// Numbers in the vectors of such a GMRES, two vectors per iteration.
pub const MAX_JACOBI_NUMBERS: usize = 60_000_000;
/// Relative accuracy from which products use the assembled matrix, which rounds the contacts' rows.
pub const ASSEMBLED_ACCURACY: f64 = 1e-4;

// ---- Precision ----

/// ρ up to which factors are in f32: less time, for directions that GMRES makes accurate enough.
pub const SINGLE_MAX_RHO: f64 = 1e7;
