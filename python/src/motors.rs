//! Motors that are set between steps.

use crate::errors::{checked, refuse};
use pyo3::prelude::*;
use signorini::{Drive, Simulation};
use std::collections::HashMap;

/// Most names in a message.
const KNOWN: usize = 12;

/// Targets of all motors in their order, or of some by name.
#[derive(FromPyObject)]
pub enum Targets {
    Named(HashMap<String, f64>),
    All(Vec<f64>),
}

impl Targets {
    /// Tells the motors of a simulation; nothing has changed after an error.
    pub fn tell(self, simulation: &mut Simulation) -> PyResult<()> {
        let named = match self {
            Self::All(values) => return checked(simulation.set_motors(&values)),
            Self::Named(named) => named,
        };
        for (name, value) in &named {
            if !simulation.motors().any(|motor| motor == name) {
                let known: Vec<&str> = simulation.motors().take(KNOWN).collect();
                let allowed = format!("there is none of that name; there are {known:?}");
                return Err(refuse(format!("motor {name:?}"), allowed));
            }
            if !value.is_finite() {
                return Err(refuse(format!("value {value:?} of motor {name:?}"), "must be a finite number"));
            }
        }
        named.iter().try_for_each(|(name, value)| checked(simulation.set_motor(name, *value)))
    }
}

/// Targets of the motors at the time of a simulation.
pub fn values(simulation: &Simulation) -> Vec<f64> {
    let (scene, time) = (simulation.scene(), simulation.time());
    scene.controls.iter().map(|control| scene.controlled(control).drive.target().at(time)).collect()
}

/// The word of a drive.
pub fn word(drive: &Drive) -> &'static str {
    match drive {
        Drive::Velocity { .. } => "velocity",
        Drive::Position { .. } => "position",
        Drive::Force { .. } => "force",
    }
}
