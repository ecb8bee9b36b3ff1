//! Interface to the smooth pairs of a problem that stay on the device that evaluated them.
//!
//! Rows, stiffness, derivatives, the Newton matrix and the vectors of its iterative solution stay on the
//! device; vectors of bodies (six numbers each) and the derivative of each contact ([`ContactDerivative`])
//! come and go, with one read-back per question.

use super::types::{ContactDerivative, ContactLawState};
use std::fmt::Debug;

/// The device no longer holds the pairs. The backend knows why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// The contacts of a problem, if a device holds them.
pub type PairsOnDevice<'a> = Option<&'a mut (dyn DevicePairs + 'static)>;

/// Linearised pairs: y = y_k + Y w, F = A w + f − K w − Jᵀ x with w = v − v_k and f = A v_k − b.
pub trait DevicePairs: Debug + Send {
    /// Whether constraint velocities and forces are as exact as the residual must be. If not, only the matrix
    /// is asked for.
    fn is_exact(&self) -> bool;

    /// Takes over x̂, r and μ of every contact (their constraint velocities are not read), and ρ.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn begin(&mut self, contacts: &[ContactLawState<f64>], rho: f64) -> Result<(), Lost>;

    /// Impulses x = Proj(x̂ − ρ r y) and their derivatives at w, and F there.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn project(
        &mut self,
        w: &[f64],
        force: &mut [f64],
        derivatives: &mut Vec<ContactDerivative<f64>>,
    ) -> Result<(), Lost>;

    /// y at w, four rows a contact.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn slip(&mut self, w: &[f64], out: &mut Vec<[f64; 4]>) -> Result<(), Lost>;

    /// F at w = 0 for the impulses of the given derivatives, which stay.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn push(&mut self, derivatives: &[ContactDerivative<f64>], force: &mut [f64]) -> Result<(), Lost>;

    /// Makes A − K + Jᵀ G Y of the last derivatives, or of these; angular rows and columns divided by
    /// `length`.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn assemble(&mut self, derivatives: Option<&[ContactDerivative<f64>]>, length: f64) -> Result<(), Lost>;

    /// The blocks of that matrix, in compressed rows.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn blocks(&mut self, values: &mut Vec<f64>) -> Result<(), Lost>;

    /// Solves with that matrix: |b − A x| ≤ `tolerance` |b|, in at most `most` steps. Returns the steps, or
    /// None when the tolerance is not met.
    ///
    /// # Errors
    /// When the pairs are gone.
    fn solve(&mut self, b: &[f64], x: &mut [f64], tolerance: f64, most: usize)
    -> Result<Option<usize>, Lost>;
}
