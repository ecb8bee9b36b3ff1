//! Newton directions at a point of the central path ([`crate::solver::path::point`]), with factors in f32
//! where they serve.
//!
//! A loaded contact is as stiff as x_n²/τ, so that from some τ on masses are lost beside it in the rounding
//! of f32: within a decade of τ GMRES then takes not three iterations but all it may. Where it converges, it
//! also tells whether the factors have the sign of the determinant that the matrix has.

use crate::linalg::Accuracy;
use crate::problem::ContactProblem;
use crate::solver::info::Info;
use crate::solver::law::ProjectionDerivative;
use crate::solver::linear_system::{FactorizationFailed, Matrix, Precision, accuracy};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::central_path::{
    MAX_DOUBLE_POINTS, PATH_ACCURACY, PATH_ACCURACY_SINGLE, SINGLE_MAX_ITERATIONS, SINGLE_MAX_STIFFNESS,
    SMALL_BARRIER_ACCURACY,
};
use crate::solver::path::point::PathPoint;
use crate::solver::path::saddle;
use crate::solver::proximal::inner::InnerNewton;

/// In place of the sign of a determinant that is not known.
pub const UNKNOWN_SIGN: f64 = 0.0;

/// Which factors to make.
#[derive(Debug, Clone, Copy, Default)]
pub struct FactorChoice {
    /// Points whose factors in f32 served.
    pub served: usize,
    /// Points whose factors were made again in f64.
    pub failed: usize,
    /// How many points are to come with factors in f64, and how many there were last.
    pause: (usize, usize),
    /// Whether directions have to be exact at this point.
    small_barrier: bool,
    /// Whether factors may be in f32 at all.
    may_be_single: bool,
}

impl FactorChoice {
    /// The next point of the path begins.
    pub fn begin(&mut self, small_barrier: bool, options: &SolveOptions) {
        (self.small_barrier, self.may_be_single) = (small_barrier, options.single_precision);
    }

    fn next(&mut self, is_exact: bool) -> Precision {
        if is_exact || !self.may_be_single {
            return Precision::Double;
        }
        if self.pause.0 > 0 {
            self.pause.0 -= 1;
            return Precision::Double;
        }
        Precision::Single
    }

    /// Whether factors in f32 served.
    fn record_outcome(&mut self, served: bool) {
        if served {
            self.served += 1;
            self.pause = (0, 0);
        } else {
            self.failed += 1;
            let pause = (2 * self.pause.1 + 1).min(MAX_DOUBLE_POINTS);
            self.pause = (pause, pause);
        }
    }
}

/// Account of the solves for two directions.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Sign of the determinant of the factors.
    sign: f64,
    /// Whether that is the sign of the matrix, as far as the solves tell.
    is_certain: bool,
    /// GMRES iterations of the longer solve.
    taken: usize,
}

impl InnerNewton {
    /// Both directions at the point, where the problem is linearized; returns the sign of the determinant.
    pub fn path_directions(
        &mut self,
        problem: &ContactProblem,
        point: &mut PathPoint,
        choice: &mut FactorChoice,
        info: &mut Info,
    ) -> Result<f64, FactorizationFailed> {
        self.start_linear(problem);
        point.write_derivatives(problem, &mut self.at.law);
        info.count_iteration(problem);
        if saddle::is_needed(problem) {
            return self.saddle_directions(problem, point, info);
        }
        self.factored = None;
        self.system.assemble(problem, &self.at.law, &mut info.times);
        let mut sign = None;
        let is_exact = choice.small_barrier || point.stiffness(problem) > SINGLE_MAX_STIFFNESS;
        if choice.next(is_exact) == Precision::Single {
            let coarse = Accuracy { relative: PATH_ACCURACY_SINGLE, iterations: SINGLE_MAX_ITERATIONS };
            let known = self.directions_as(problem, point, Precision::Single, coarse, info);
            sign = known.ok().filter(|k| k.is_certain && k.taken < SINGLE_MAX_ITERATIONS).map(|k| k.sign);
            choice.record_outcome(sign.is_some());
        }
        let sign = match sign {
            Some(sign) => sign,
            None => {
                let exact =
                    accuracy(if choice.small_barrier { SMALL_BARRIER_ACCURACY } else { PATH_ACCURACY });
                self.directions_as(problem, point, Precision::Double, exact, info)?.sign
            }
        };
        point.complete(problem);
        Ok(sign)
    }

    /// Both directions where impulses of some contacts stay unknowns. The sign is not known.
    fn saddle_directions(
        &mut self,
        problem: &ContactProblem,
        point: &mut PathPoint,
        info: &mut Info,
    ) -> Result<f64, FactorizationFailed> {
        let Self { system, at, direction, factored, .. } = self;
        saddle::mark(problem, point, &at.law.normal_derivative);
        for (c, cone) in problem.cones.iter().enumerate().filter(|(c, _)| point.is_explicit(*c)) {
            at.law.normal_derivative[cone.reserved()].fill(0.0);
            at.law.derivative[c] = ProjectionDerivative::default();
        }
        *factored = None;
        info.count_factorization(system.n_block_products());
        system.assemble(problem, &at.law, &mut info.times);
        point.load_to_path(problem, &at.law);
        for (d, l) in direction.iter_mut().zip(&at.linear) {
            *d = -l;
        }
        problem.add_forces(&point.load, 1.0, direction);
        point.load_along(problem, &at.law);
        let mut along = vec![0.0; direction.len()];
        problem.add_forces(&point.load, 1.0, &mut along);
        saddle::directions(problem, point, |put| system.entries(put), [direction, &along])
            .ok_or(FactorizationFailed)?;
        point.complete(problem);
        Ok(UNKNOWN_SIGN)
    }

    /// The velocities of both, for the derivatives that were assembled.
    fn directions_as(
        &mut self,
        problem: &ContactProblem,
        point: &mut PathPoint,
        precision: Precision,
        accuracy: Accuracy,
        info: &mut Info,
    ) -> Result<Known, FactorizationFailed> {
        info.count_factorization(self.system.n_block_products());
        self.system.factorize_assembled(problem, &self.at.law, precision, &mut info.times)?;
        point.load_to_path(problem, &self.at.law);
        for (d, l) in self.direction.iter_mut().zip(&self.at.linear) {
            *d = -l;
        }
        let to = &mut point.fix.velocity;
        let (first, certain) = self.path_solve(problem, &point.load, to, accuracy);
        point.load_along(problem, &self.at.law);
        self.direction.fill(0.0);
        let to = &mut point.tangent.velocity;
        let (second, also) = self.path_solve(problem, &point.load, to, accuracy);
        let sign = self.system.determinant_sign();
        Ok(Known { sign, is_certain: certain && also, taken: first.max(second) })
    }

    /// Solves with `direction` + Jᵀ `load` on the right; returns GMRES iterations, and whether matrix and
    /// factors seem to have determinants of one sign.
    fn path_solve(
        &mut self,
        problem: &ContactProblem,
        load: &[f64],
        to: &mut [f64],
        accuracy: Accuracy,
    ) -> (usize, bool) {
        let Self { system, at, direction, .. } = self;
        problem.add_forces(load, 1.0, direction);
        let taken = system.solve(Matrix { problem, law: &at.law }, direction, to, accuracy);
        (taken, system.agrees_in_sign())
    }
}
