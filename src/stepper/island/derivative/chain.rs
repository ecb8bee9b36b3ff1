//! The derivative of an island's step that may have been made in substeps.

use super::Piece;
use super::obstacle::Obstacle;
use crate::step::{BodyTangent, Change};
use nalgebra::Vector3;
use signorini_kernels::math::larger;
use signorini_scene::scene::Control;

/// The derivative of an island's step: of one piece, or of substeps in order of time.
#[derive(Debug)]
pub struct IslandDerivative {
    pieces: Vec<Piece>,
}

impl IslandDerivative {
    /// Of the pieces of a step, in order of time.
    pub(in crate::stepper) fn of(pieces: Vec<Piece>) -> Self {
        Self { pieces }
    }

    /// Finds the island's motors among the scene's controls.
    pub fn find_controls(&mut self, controls: &[Control]) {
        self.pieces.iter_mut().for_each(|piece| piece.find_controls(controls));
    }

    /// Why there is no derivative.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.pieces.iter().find_map(Piece::obstacle)
    }

    /// Bodies of contacts and joints whose status an arbitrarily small change may change.
    pub fn borders(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.pieces.iter().flat_map(Piece::borders)
    }

    /// Writes the changes at the end of the step of the island's bodies, by at most
    /// [`AT_ONCE`](super::AT_ONCE) changes at once, into `outs`, which have a place for each body of the
    /// scene. Without a derivative it writes nothing. Returns the largest share of a change that contacts
    /// which hold contradict, about 0 where there are none.
    pub fn apply(&mut self, changes: &[Change], outs: &mut [Vec<BodyTangent>]) -> f64 {
        if self.obstacle().is_some() {
            return 0.0;
        }
        if let [piece] = &mut *self.pieces {
            return piece.apply(changes, outs);
        }
        let (mut changes, mut left) = (changes.to_vec(), 0.0);
        for piece in &mut self.pieces {
            left = larger(left, piece.apply(&changes, outs));
            for (change, out) in changes.iter_mut().zip(&*outs) {
                change.start.copy_from_slice(out);
                // Impulses act once, in the first piece.
                change.impulse.fill([Vector3::zeros(); 2]);
                change.time += change.time_step * piece.length();
            }
        }
        left
    }

    /// Adds to `out` the gradient, with respect to what the step depends on, of a function whose gradient
    /// with respect to the state at the end is given, with a place for each body of the scene. Returns what
    /// [`Self::apply`] does.
    pub fn add_adjoint(&mut self, gradient: &[BodyTangent], out: &mut Change) -> f64 {
        if self.obstacle().is_some() {
            return 0.0;
        }
        let (mut at_end, mut left) = (gradient.to_vec(), 0.0);
        let mut begins: f64 = self.pieces.iter().map(Piece::length).sum();
        for (k, piece) in self.pieces.iter_mut().enumerate().rev() {
            let mut own = Change::sized(gradient.len(), [out.motor.len(), out.joint.len(), out.course.len()]);
            begins -= piece.length();
            left = larger(left, piece.add_adjoint(&at_end, &mut own));
            if k > 0 {
                own.impulse.fill([Vector3::zeros(); 2]);
                at_end = std::mem::replace(&mut own.start, vec![BodyTangent::default(); gradient.len()]);
                own.time_step += begins * own.time;
            }
            out.add(&own);
        }
        left
    }
}
