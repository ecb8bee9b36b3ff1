//! What every method of a solve is handed: the run, the account of its cost, and the Newton system they
//! share.

use crate::solver::info::Info;
use crate::solver::options::SolveOptions;
use crate::solver::proximal::inner::InnerNewton;

/// The surroundings of a method.
#[derive(Debug)]
pub struct Context<'a> {
    /// What the solve is told.
    pub options: SolveOptions,
    /// What it cost so far.
    pub info: &'a mut Info,
    /// Newton directions; the factor is remembered from one solve to the next.
    pub newton: &'a mut InnerNewton,
}
