//! The impact phase at the end of a step (theory §13): poses stay, and the velocities obey the momentum of
//! the whole step with a law of impact.
//!
//! ```text
//! M⁺ (ν⁺ − ν) = h f + P + Jᵀ Λ,     the law of Λ and ν⁺ (`impact_law.rs`)      all at q⁺
//! ```
//! By Poisson's law the impact has two parts, a compression of that kind without rebound, and an expansion
//! without h f and P from its end.

use super::flight::momentum;
use super::recorded_step::RecordedStep;
use crate::step::{ContactKey, ContactRecord, JointRecord, Loads};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Velocity;
use signorini_scene::scene::State;

/// Returns the state at the end with the velocities that no contact changed; bodies of no island keep theirs.
pub fn without_impact(step: &RecordedStep<'_>, before: &State, phase: &PositionPhase<'_>) -> State {
    if let Some(compression) = phase.compression {
        return compression.state.clone();
    }
    let islands = phase.islands;
    let (scene, loads, h) = (step.scene, step.loads, step.scene.time_step);
    let mut free = step.after.clone();
    for (i, body) in scene.bodies.iter().enumerate().filter(|(i, _)| islands[*i].is_some()) {
        let (start, end) = (&before.poses[i].orientation, &free.poses[i].orientation);
        let Velocity { linear, angular } = &before.velocities[i];
        let spin = momentum(&body.inertia, start, angular) + loads.torque[i] * h + loads.angular_impulse[i];
        let inverse = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
        free.velocities[i] = Velocity {
            linear: linear + (loads.force[i] * h + loads.linear_impulse[i]) / body.mass,
            angular: end * (inverse * (end.inverse() * spin)),
        };
    }
    free
}

/// Velocities with which bodies approach: those of the start, after the impulses that act once at it.
pub fn approaching(step: &RecordedStep<'_>, before: &State) -> Vec<Velocity> {
    let one = |(i, start): (usize, &Velocity)| {
        let (body, loads) = (&step.scene.bodies[i], step.loads);
        if body.fixed {
            return step.after.velocities[i];
        }
        let at = &before.poses[i].orientation;
        let inverse = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
        let turned = at * (inverse * (at.inverse() * loads.angular_impulse[i]));
        Velocity {
            linear: start.linear + loads.linear_impulse[i] / body.mass,
            angular: start.angular + turned,
        }
    };
    before.velocities.iter().enumerate().map(one).collect()
}

/// Returns loads of zero.
pub fn no_loads(step: &RecordedStep<'_>) -> Loads {
    let none = vec![Vector3::zeros(); step.scene.bodies.len()];
    Loads {
        force: none.clone(),
        torque: none.clone(),
        linear_impulse: none.clone(),
        angular_impulse: none,
        driven: Vec::new(),
        driven_before: Vec::new(),
        end_time: step.loads.end_time,
    }
}

/// Energy balance of the impact of one island.
#[derive(Debug, Clone, Copy)]
pub struct EnergyLedger {
    /// Rise of the energy in the step (J).
    pub energy_gain: f64,
    /// Work of the impulses on the free velocities (J).
    pub impulse_work: f64,
}

/// Results of the position phase before an impact.
#[derive(Debug, Clone, Copy)]
pub struct PositionPhase<'a> {
    /// State at the end of the phase.
    pub end_state: &'a State,
    /// The island of each body that an impact meets.
    pub islands: &'a [Option<usize>],
    /// Keys of the loaded contacts, ascending.
    pub loaded: &'a [ContactKey],
    /// Joints as they were judged in the phase.
    pub joints: &'a [JointRecord],
    /// The work (J) of bodies with prescribed motion that the impact replaces.
    pub superseded_work: f64,
    /// Whether the part of an impact is its compression, of each island.
    pub is_compression: &'a [bool],
    /// Compression that the part follows if it is an expansion.
    pub compression: Option<&'a CompressionEnd>,
}

/// The end of the compressions of a step.
#[derive(Debug)]
pub struct CompressionEnd {
    /// State with the velocities after the compressions.
    pub state: State,
    /// Contacts of the compressions, by key.
    pub contacts: Vec<ContactRecord>,
    /// Energy balance of the compressions, of each island.
    pub ledgers: Vec<EnergyLedger>,
}

impl CompressionEnd {
    /// Normal impulse of a contact (N s).
    pub fn load(&self, key: ContactKey) -> f64 {
        let found = self.contacts.binary_search_by_key(&key, ContactRecord::key);
        found.map_or(0.0, |at| self.contacts[at].normal_impulse)
    }
}

impl EnergyLedger {
    /// Sum of the gains of all islands that energy_gain energy (J).
    pub fn energy_gain(all: &[Self]) -> f64 {
        all.iter().map(|ledger| ledger.energy_gain.max(0.0)).sum()
    }
}

impl<'a> PositionPhase<'a> {
    /// Phase of the expansions of some islands, after compressions.
    pub fn expansion<'b>(
        &self,
        compression: &'b CompressionEnd,
        islands: &'b [Option<usize>],
    ) -> PositionPhase<'b>
    where
        'a: 'b,
    {
        PositionPhase {
            end_state: &compression.state,
            islands,
            compression: Some(compression),
            superseded_work: 0.0,
            is_compression: &[],
            ..*self
        }
    }

    /// Keys of the loaded contacts.
    pub fn loaded<'c>(contacts: impl Iterator<Item = &'c ContactRecord>) -> Vec<ContactKey> {
        let mut keys: Vec<_> = contacts.filter(|c| c.normal_impulse > 0.0).map(ContactRecord::key).collect();
        keys.sort_unstable();
        keys
    }
}
