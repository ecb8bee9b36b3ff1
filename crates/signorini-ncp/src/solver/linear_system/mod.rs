//! The linear system of one Newton iteration: true matrix A − K + Jᵀ G Y.
//!
//! It is solved in the unknowns (v, L ω) with the angular rows divided by L, the reference length: all
//! entries have one unit, so that pivots and the norm of GMRES do not depend on the unit of length.
//!
//! Small and medium islands: block LU of the true matrix, exact Newton directions. Large ones: GMRES
//! preconditioned with the Cholesky factor of the symmetric part H = A + Jᵀ G_s J, or where that would be too
//! large with the diagonal blocks.

mod assembly;
pub mod mass_factor;
mod memory;
mod substitution;

pub use memory::SystemMemory;

use crate::linalg::{
    Accuracy, BLOCK, BlockDiagonal, BlockLu, BlockPattern, Gmres, SparseCholesky, SymmetricBlocks,
    UnsymmetricBlocks,
};
use crate::problem::ContactProblem;
use crate::solver::info::Times;
use crate::solver::law::Law;
use crate::solver::options::LinearSolver;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::linear_system::{
    ASSEMBLED_ACCURACY, CHEAP_LU_PRODUCTS, CHEAP_STALE_ITERATIONS, MAX_JACOBI_ITERATIONS, MAX_JACOBI_NUMBERS,
    MAX_KRYLOV_ITERATIONS, STALE_ITERATIONS,
};

/// A matrix could not be factorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorizationFailed;

/// Which factor serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
enum Factor {
    /// LU of the true matrix.
    #[default]
    Lu,
    /// Cholesky of the symmetric part.
    Cholesky,
    /// Inverses of the diagonal blocks of the true matrix.
    Jacobi,
}

/// Precision of the numbers of an LU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// f32: half the time, for directions that are iterated on.
    Single,
    /// f64.
    Double,
}

/// A matrix A − K + Jᵀ G Y, assembled for the derivatives of `law` wherever that is the matrix of the factor.
#[derive(Debug)]
pub struct Matrix<'a> {
    /// A, K, J and Y.
    pub problem: &'a ContactProblem,
    /// G.
    pub law: &'a Law,
}

/// A residual relative to the right-hand side, in as many iterations with a factor as are worth while.
pub fn accuracy(relative: f64) -> Accuracy {
    Accuracy { relative, iterations: MAX_KRYLOV_ITERATIONS }
}

/// Workspace of the Newton systems of one problem.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    factor: Factor,
    pattern: BlockPattern,
    /// The contact graph the pattern was made for: bodies of each contact.
    graph: (Vec<usize>, Vec<usize>),
    /// Slots of each contact's block pairs (p ≥ q), in order.
    slots: Vec<usize>,
    lu: BlockLu,
    /// LU in f32, for directions that GMRES makes as accurate as they have to be.
    single: BlockLu<f32>,
    /// Whether the last factor is in f32.
    is_single: bool,
    unsymmetric: UnsymmetricBlocks,
    cholesky: SparseCholesky,
    symmetric: SymmetricBlocks,
    diagonal: BlockDiagonal,
    gmres: Gmres,
    applied: Vec<f64>,
    rows: Vec<f64>,
    forces: Vec<f64>,
    /// Right-hand side and unknowns in one unit.
    scaled: [Vec<f64>; 2],
}

impl NewtonSystem {
    /// Multiplications of 6×6 blocks that the factors of the matrix take. Where nothing is factorised, those
    /// of the matrix with a vector, once.
    pub fn n_block_products(&self) -> usize {
        match self.factor {
            Factor::Lu | Factor::Cholesky => self.lu.n_block_products(),
            Factor::Jacobi => self.pattern.n_slots(),
        }
    }

    /// Takes over the contact graph; the symbolic factorisation is kept while it stands. Returns whether it
    /// changed.
    pub fn prepare(&mut self, problem: &ContactProblem, options: &SolveOptions) -> bool {
        let widest = (0..problem.cones.len())
            .map(|c| problem.cones[c].n_rows() * (problem.block_offsets[c + 1] - problem.block_offsets[c]))
            .max()
            .unwrap_or(0);
        self.applied.resize(BLOCK * widest, 0.0);
        self.rows.resize(problem.n_rows(), 0.0);
        self.forces.resize(problem.n_rows(), 0.0);
        let n = problem.n_bodies();
        self.scaled.iter_mut().for_each(|v| v.resize(BLOCK * n, 0.0));
        if self.pattern.n() == n
            && self.graph.0 == problem.block_offsets
            && self.graph.1 == problem.block_body
        {
            return false;
        }
        self.graph.0.clone_from(&problem.block_offsets);
        self.graph.1.clone_from(&problem.block_body);
        let contacts = problem.block_offsets.windows(2).map(|w| &problem.block_body[w[0]..w[1]]);
        let pairs = contacts
            .clone()
            .flat_map(|bodies| bodies.iter().flat_map(|i| bodies.iter().map(|j| (*i, *j))))
            .chain(problem.coupling.iter().map(|(i, j, _)| (*i, *j)));
        self.pattern = BlockPattern::new(n, pairs);
        self.list_slots();
        if options.linear_solver == LinearSolver::Krylov {
            self.factor = Factor::Jacobi;
            return true;
        }
        self.lu.analyse(&self.pattern);
        self.single.analyse_as(&self.lu);
        let direct = options.linear_solver == LinearSolver::Direct;
        self.factor = if direct || self.lu.n_block_products() <= options.methods.direct_block_products {
            Factor::Lu
        } else {
            self.cholesky.analyse(&self.pattern);
            Factor::Cholesky
        };
        if self.factor == Factor::Cholesky
            && self.cholesky.n_factor_entries() > options.methods.cholesky_entries
        {
            self.factor = Factor::Jacobi;
        }
        true
    }

    /// Takes over the contact graph of another system and its analysis, for factors of the true matrix.
    pub fn analyse_as(&mut self, other: &Self) {
        if other.factor == Factor::Jacobi {
            return;
        }
        self.pattern.clone_from(&other.pattern);
        self.graph.clone_from(&other.graph);
        self.slots.clone_from(&other.slots);
        self.lu.analyse_as(&other.lu);
    }

    /// Where the blocks of each contact are in the pattern.
    fn list_slots(&mut self) {
        self.slots.clear();
        for w in self.graph.0.windows(2) {
            let bodies = &self.graph.1[w[0]..w[1]];
            for (p, i) in bodies.iter().enumerate() {
                self.slots.extend(bodies[..=p].iter().map(|j| self.pattern.slot(*i, *j)));
            }
        }
    }

    /// Assembles and factorises for the derivatives of `law`, and adds how long both took.
    ///
    /// # Errors
    /// When the matrix has no factors in floating point.
    pub fn factorize(
        &mut self,
        problem: &ContactProblem,
        law: &Law,
        precision: Precision,
        times: &mut Times,
    ) -> Result<(), FactorizationFailed> {
        self.assemble(problem, law, times);
        self.factorize_assembled(problem, law, precision, times)
    }

    /// Assembles the true matrix for the derivatives of `law`, where that is what is factorised.
    pub fn assemble(&mut self, problem: &ContactProblem, law: &Law, times: &mut Times) {
        if self.factor != Factor::Cholesky {
            let start = Times::stamp(problem.n_bodies());
            self.assemble_true(problem, law);
            times.assembly += Times::between(start, Times::stamp(problem.n_bodies()));
        }
    }

    /// Factorises for the derivatives that were assembled last, those of `law`.
    ///
    /// # Errors
    /// When the matrix has no factors in floating point.
    pub fn factorize_assembled(
        &mut self,
        problem: &ContactProblem,
        law: &Law,
        precision: Precision,
        times: &mut Times,
    ) -> Result<(), FactorizationFailed> {
        let n = problem.n_bodies();
        let mut start = Times::stamp(n);
        let outcome = match self.factor {
            Factor::Lu => self.factorize_lu(precision),
            Factor::Jacobi if self.diagonal.fill(&self.unsymmetric.lower[..n]) => Ok(()),
            Factor::Jacobi => Err(FactorizationFailed),
            Factor::Cholesky => {
                self.assemble_symmetric(problem, law);
                let assembled = Times::stamp(n);
                times.assembly += Times::between(start, assembled);
                start = assembled;
                self.cholesky.factorize(&self.pattern, &self.symmetric).map_err(|_| FactorizationFailed)
            }
        };
        times.factor += Times::between(start, Times::stamp(n));
        outcome
    }

    /// Hands out (row, column, value) of all blocks that were assembled, angular rows and columns divided by
    /// L.
    pub fn entries(&self, put: &mut dyn FnMut(usize, usize, f64)) {
        let n = self.pattern.n();
        let mut block = |i: usize, j: usize, values: &[f64]| {
            for (k, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                put(BLOCK * i + k / BLOCK, BLOCK * j + k % BLOCK, *value);
            }
        };
        let (diagonal, lower) = self.unsymmetric.lower.split_at(n);
        diagonal.iter().enumerate().for_each(|(i, values)| block(i, i, values));
        let places = (0..n).flat_map(|j| self.pattern.column(j).map(move |i| (i, j)));
        for ((low, up), (i, j)) in lower.iter().zip(&self.unsymmetric.upper).zip(places) {
            block(i, j, low);
            block(j, i, up);
        }
    }

    /// An old factor is worth keeping while GMRES takes at most this many iterations with it.
    pub fn old_factor_iterations(&self) -> usize {
        let is_cheap = self.factor == Factor::Lu && self.lu.n_block_products() <= CHEAP_LU_PRODUCTS;
        STALE_ITERATIONS.min(if is_cheap { CHEAP_STALE_ITERATIONS } else { usize::MAX })
    }

    fn factorize_lu(&mut self, precision: Precision) -> Result<(), FactorizationFailed> {
        self.is_single = precision == Precision::Single;
        let outcome = match precision {
            Precision::Single => self.single.factorize(&self.unsymmetric),
            Precision::Double => self.lu.factorize(&self.unsymmetric),
        };
        outcome.map_err(|_| FactorizationFailed)
    }

    /// Whether the factor is an LU of the matrix itself.
    pub fn is_lu(&self) -> bool {
        self.factor == Factor::Lu
    }

    /// Sign of the determinant of the last LU.
    pub fn determinant_sign(&self) -> f64 {
        if self.is_single { self.single.determinant_sign() } else { self.lu.determinant_sign() }
    }

    /// Whether that is the sign of the matrix, as far as the last solve tells.
    pub fn agrees_in_sign(&self) -> bool {
        self.gmres.has_positive_determinant()
    }

    /// Solves (A − K + Jᵀ G Y) x = b; returns Krylov iterations.
    pub fn solve(&mut self, matrix: Matrix<'_>, b: &[f64], x: &mut [f64], accuracy: Accuracy) -> usize {
        let Matrix { problem, law } = matrix;
        let length = problem.at.units.length;
        self.scaled[0].copy_from_slice(b);
        divide_angular(&mut self.scaled[0], 1, length);
        // The assembled blocks round the contacts' rows.
        let is_assembled = self.factor == Factor::Lu && accuracy.relative >= ASSEMBLED_ACCURACY;
        let Self { rows, forces, unsymmetric, pattern, .. } = self;
        let product = |v: &[f64], out: &mut [f64]| {
            if is_assembled {
                return unsymmetric.product(pattern, v, out);
            }
            x.copy_from_slice(v);
            divide_angular(x, 1, length);
            multiply_by_rows(problem, law, x, [rows, forces], out);
            divide_angular(out, 1, length);
        };
        // One iteration with a factor of this very matrix; more with an old one, one that lost accuracy
        // without pivoting between blocks, or one of the symmetric part.
        let Self { cholesky, lu, single, diagonal, gmres, scaled: [b, to], .. } = self;
        let taken = match self.factor {
            Factor::Cholesky => gmres.solve(b, to, accuracy, product, |x| cholesky.solve(x)),
            Factor::Lu if self.is_single => gmres.solve(b, to, accuracy, product, |x| single.solve(x)),
            Factor::Lu => gmres.solve(b, to, accuracy, product, |x| lu.solve(x)),
            Factor::Jacobi => {
                let most = MAX_JACOBI_ITERATIONS.min(b.len()).min(MAX_JACOBI_NUMBERS / (2 * b.len()).max(1));
                let most = Accuracy { iterations: most.max(1), ..accuracy };
                // The matrix itself is what was assembled: it must stay so.
                gmres.solve(b, to, most, product, |x| diagonal.divide(x)).max(STALE_ITERATIONS + 1)
            }
        };
        x.copy_from_slice(&self.scaled[1]);
        divide_angular(x, 1, length);
        taken
    }
}

/// out := (A − K + Jᵀ G Y) x, row by row; `rows` and `forces` hold Y x and G Y x on the way.
fn multiply_by_rows(
    problem: &ContactProblem,
    law: &Law,
    x: &[f64],
    [rows, forces]: [&mut [f64]; 2],
    out: &mut [f64],
) {
    problem.tangent_mass(x, out);
    problem.response(x, rows);
    for (c, cone) in problem.cones.iter().enumerate() {
        if law.is_closed(problem, c) {
            law.apply_derivative(problem, c, true, rows, forces);
        } else {
            forces[cone.row..cone.row + cone.n_rows()].fill(0.0);
        }
    }
    problem.add_forces(forces, 1.0, out);
}

/// Divides the angular part of every body by L, in so many lanes.
fn divide_angular(v: &mut [f64], lanes: usize, length: f64) {
    for six in v.chunks_exact_mut(BLOCK * lanes) {
        six[3 * lanes..].iter_mut().for_each(|x| *x /= length);
    }
}
