//! Interface to the flat step on a device: smooth contacts whose rows, impulses and velocities stay on it
//! from the load of a solve to its end. A round returns a few scalars.

use super::flat_gather::ANSWER;
use super::flat_sweep::SWEPT;
use super::types::PairKey;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

/// The device no longer holds the solve. The backend knows why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// A solve laid out for a device. Contacts lie colour by colour; bodies that impulses move come first.
#[derive(Debug, Clone, Default)]
pub struct FlatArrays {
    /// Bodies of each contact; flag [`PairKey::PLANE`].
    pub keys: Vec<PairKey>,
    /// Contacts of each colour, which move no common body.
    pub colours: Vec<Range<usize>>,
    /// For each body that moves where its contacts begin, and the end; then contact · 2 + side.
    pub incidence: Vec<u32>,
    /// Number of bodies that impulses move.
    pub n_moving: usize,
    /// [`super::types::FlatFrame`] of each contact.
    pub frames: Vec<f64>,
    /// [`super::types::FlatRow`] of each contact.
    pub rows: Vec<f32>,
    /// [`super::types::FlatState`] of each contact.
    pub states: Vec<f32>,
    /// [`super::types::FlatBody`] of each body.
    pub bodies: Vec<f64>,
    /// Velocity (m/s) and unit (N s), spin (rad/s) and h (s) of each body.
    pub bases: Vec<[f64; 8]>,
    /// Each body as sweeps see it.
    pub swept: Vec<[f32; SWEPT]>,
    /// Changes of velocity and spin at the start of the last sweep, and the search direction, of each body
    /// that moves.
    pub directions: Vec<[f32; SWEPT]>,
    /// Weight e of the proximal term.
    pub proximal: f32,
}

/// Sums over a round.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FlatRound {
    /// Sweeps that were made.
    pub sweeps: usize,
    /// Square of the changes in the turn (N² s²).
    pub square: f64,
    /// Largest change of an impulse in the turn, in units.
    pub largest: f64,
    /// Largest change of Jᵀx in the turn, in units.
    pub moved: f64,
}

/// Numbers of a solve that its check reads.
#[derive(Debug, Clone, Default)]
pub struct FlatAnswers {
    /// Velocity and 0, spin and 0 that the impulses explain, of each body that moves.
    pub velocities: Vec<[f64; 8]>,
    /// Impulse, normal and 0, tangent and 0 of each contact.
    pub contacts: Vec<[f32; ANSWER]>,
}

/// A device that takes the flat step.
pub trait FlatOnDevice: Debug + Send + Sync {
    /// Fewest contacts of an island that the device takes.
    fn fewest(&self) -> usize;

    /// Takes a solve over.
    ///
    /// # Errors
    /// When the device cannot take it; the backend knows the reason.
    fn load(self: Arc<Self>, arrays: &FlatArrays) -> Result<Box<dyn FlatSolve>, Lost>;
}

/// A solve on a device.
pub trait FlatSolve: Debug + Send + Sync {
    /// Up to so many sweeps, until none changes an impulse by more than `still` units, and a turn.
    ///
    /// # Errors
    /// When the solve is gone.
    fn round(&mut self, sweeps: usize, still: f32) -> Result<FlatRound, Lost>;

    /// Copies what a check reads from the device.
    ///
    /// # Errors
    /// When the solve is gone.
    fn fetch(&mut self, out: &mut FlatAnswers) -> Result<(), Lost>;
}
