//! Reference run, with which all others are compared.

use super::closed_form::ClosedForm;
use nalgebra::Vector3;
use signorini::simulation::{Simulation, StepOutcome};
use signorini_error::{Error, Result};
use signorini_scene::scene::{Scene, State, energy};

/// Most positions of the reference that are kept.
const MAX_POSITIONS: usize = 20_000_000;

/// Positions and energy of the reference, on a grid of times.
pub struct Reference<'a> {
    closed_forms: &'a [ClosedForm],
    /// Largest and final error of the reference run itself (m), if a closed form is given.
    pub own_error: Option<[f64; 2]>,
    spacing: f64,
    positions: Vec<Vec<Vector3<f64>>>,
    energies: Vec<f64>,
    /// Number of steps above the tolerance.
    pub unsolved: usize,
}

impl<'a> Reference<'a> {
    /// Runs the reference and keeps its states at multiples of `spacing`, itself a multiple of the step up to
    /// rounding. None if `stops` returned true after a step.
    pub fn run(
        scene: Scene,
        spacing: f64,
        closed_forms: &'a [ClosedForm],
        stops: &mut impl FnMut() -> bool,
    ) -> Result<Option<Self>> {
        let stride = (spacing / scene.time_step).round().max(1.0) as usize;
        let (n_steps, n_bodies) = (scene.n_steps(), scene.bodies.len());
        let kept = n_steps / stride * n_bodies;
        if kept > MAX_POSITIONS {
            return Err(Error::Usage {
                what: format!("a reference of {kept} positions"),
                allowed: format!("at most {MAX_POSITIONS}; take larger steps or a shorter run"),
            });
        }
        let spacing = stride as f64 * scene.time_step;
        let mut simulation = Simulation::new(scene)?;
        let mut found = Self {
            closed_forms,
            own_error: (!closed_forms.is_empty()).then_some([0.0; 2]),
            spacing,
            positions: vec![positions(simulation.state())],
            energies: vec![energy_of(simulation.scene(), simulation.state())],
            unsolved: 0,
        };
        for _ in 0..n_steps {
            let outcome = simulation.advance();
            found.unsolved += usize::from(!outcome.info.status.is_solved());
            if let Some([largest, last]) = &mut found.own_error {
                *last = ClosedForm::error(closed_forms, simulation.state(), outcome.time);
                *largest = largest.max(*last);
            }
            if outcome.step.is_multiple_of(stride) {
                found.positions.push(positions(simulation.state()));
                found.energies.push(energy(&outcome));
            }
            if stops() {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Grid cell of a time and the fraction of the cell before it; a time on the grid has the fraction 0 or 1
    /// exactly.
    fn place(&self, time: f64) -> (usize, f64) {
        let place = time / self.spacing;
        let nearest = place.round();
        let place = if (place - nearest).abs() < 1e-6 { nearest } else { place };
        let cell = (place.floor() as usize).min(self.positions.len().saturating_sub(2));
        (cell, place - cell as f64)
    }

    /// Largest distance of a body from its position in the reference, or in its closed form (m).
    pub fn position_error(&self, scene: &Scene, state: &State, time: f64) -> f64 {
        if !self.closed_forms.is_empty() {
            return ClosedForm::error(self.closed_forms, state, time);
        }
        let (cell, part) = self.place(time);
        let Some(next) = self.positions.get(cell + 1) else { return f64::NAN };
        let moving = scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed);
        moving.fold(0.0, |largest, (i, _)| {
            let there = self.positions[cell][i] * (1.0 - part) + next[i] * part;
            f64::max(largest, (state.poses[i].position - there).norm())
        })
    }

    /// Energy drift over time: pairs of t (s) and the energy minus that at the start (J).
    pub fn drift(&self) -> Vec<(f64, f64)> {
        let at = |(i, e): (usize, &f64)| (i as f64 * self.spacing, e - self.energies[0]);
        self.energies.iter().enumerate().map(at).collect()
    }

    /// Energy of the reference at a time (J).
    pub fn energy(&self, time: f64) -> f64 {
        let (cell, part) = self.place(time);
        let next = self.energies.get(cell + 1).copied().unwrap_or(f64::NAN);
        self.energies[cell] * (1.0 - part) + next * part
    }
}

/// Kinetic and potential energy at the end of a step (J).
pub fn energy(outcome: &StepOutcome) -> f64 {
    outcome.verdict.map_or(f64::NAN, |v| v.kinetic_energy + v.potential_energy)
}

/// Kinetic and potential energy of a state (J).
pub fn energy_of(scene: &Scene, state: &State) -> f64 {
    energy::kinetic(scene, state) + energy::potential(scene, state)
}

fn positions(state: &State) -> Vec<Vector3<f64>> {
    state.poses.iter().map(|p| p.position).collect()
}
