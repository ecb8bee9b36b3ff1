//! Simulation with its threads and last outcome, which a lock guards.

use crate::body::rotation;
use crate::errors::{checked, refuse};
use crate::problems::PythonMethod;
use crate::scene::quaternion;
use crate::workers::Workers;
use pyo3::prelude::*;
use signorini::BodyId;
use std::sync::Arc;

/// The simulation, its threads and its last outcome, which the lock guards.
pub struct Inner {
    pub simulation: signorini::Simulation,
    pub workers: Workers,
    pub last: Option<signorini::StepOutcome>,
    /// The method in Python that solves the steps, if there is one.
    pub method: Option<Arc<PythonMethod>>,
    /// Whether a step panicked: the state is then none that one can go on from.
    pub is_broken: bool,
}

impl Inner {
    pub fn new(simulation: signorini::Simulation, threads: Option<usize>) -> PyResult<Self> {
        Ok(Self { simulation, workers: Workers::new(threads)?, last: None, method: None, is_broken: false })
    }

    pub fn advance(&mut self) -> PyResult<signorini::StepOutcome> {
        let Self { simulation, workers, last, is_broken, .. } = self;
        // A panic leaves it so.
        *is_broken = true;
        let outcome = workers.run(|| simulation.advance());
        *is_broken = false;
        let outcome = outcome?;
        *last = Some(outcome);
        let raised = self.method.as_ref().and_then(|method| method.take_raised());
        raised.map_or(Ok(outcome), Err)
    }

    /// Takes a step and keeps its derivatives. Where the formulation has none, the state stays.
    pub fn advance_with_derivatives(
        &mut self,
    ) -> PyResult<(signorini::StepOutcome, signorini::StepDerivatives)> {
        let Self { simulation, workers, last, is_broken, .. } = self;
        *is_broken = true;
        let found = workers.run(|| simulation.advance_with_derivatives());
        *is_broken = false;
        let (outcome, derivatives) = checked(found?)?;
        *last = Some(outcome);
        Ok((outcome, derivatives))
    }

    /// The derivatives of the next step, which is not taken, and its scene.
    pub fn next_derivatives(&mut self) -> PyResult<(signorini::StepDerivatives, signorini::Scene)> {
        let saved = self.simulation.save();
        let found = self.workers.run(|| {
            let mut next = signorini::Simulation::from_saved(saved)?;
            next.judge_steps(false);
            let (_, derivatives) = next.advance_with_derivatives()?;
            Ok((derivatives, next.scene().clone()))
        });
        checked(found?)
    }

    /// Gives all bodies rows of positions, quaternions, velocities and angular velocities, where there are
    /// some.
    pub fn set_state(
        &mut self,
        (positions, quaternions): (Rows<3>, Rows<4>),
        (velocities, angular_velocities): (Rows<3>, Rows<3>),
    ) -> PyResult<()> {
        let mut state = self.simulation.state().clone();
        let (poses, speeds) = (&mut state.poses, &mut state.velocities);
        put("positions", positions, poses, |pose, row| pose.position = row.into())?;
        put("quaternions", quaternions, poses, |pose, row| {
            // A quaternion that equals the present one leaves it, to the last bit.
            if row != quaternion(pose) {
                pose.orientation = rotation(row);
            }
        })?;
        put("velocities", velocities, speeds, |velocity, row| velocity.linear = row.into())?;
        put("angular_velocities", angular_velocities, speeds, |velocity, row| velocity.angular = row.into())?;
        checked(self.simulation.set_state(&state))
    }

    /// The body of an id or a name.
    pub fn find(&self, body: &Key) -> PyResult<BodyId> {
        match body {
            Key::Id(id) => {
                let id = BodyId::new(*id);
                checked(self.simulation.index_of(id)).map(|_| id)
            }
            Key::Name(name) => self.simulation.body_named(name).ok_or_else(|| {
                let n = self.simulation.scene().bodies.len();
                refuse(format!("body {name:?}"), format!("is none of the {n} bodies of the simulation"))
            }),
        }
    }
}

/// Id or name of a body.
#[derive(FromPyObject)]
pub enum Key {
    Id(usize),
    Name(String),
}

/// Rows of an array, where it is given.
type Rows<const N: usize> = Option<Vec<[f64; N]>>;

/// Puts rows into a list, if there are some.
fn put<T, R>(name: &str, rows: Option<Vec<R>>, list: &mut [T], set: impl Fn(&mut T, R)) -> PyResult<()> {
    let Some(rows) = rows else { return Ok(()) };
    if rows.len() != list.len() {
        return Err(refuse(format!("{name} with {} rows", rows.len()), format!("must have {}", list.len())));
    }
    list.iter_mut().zip(rows).for_each(|(item, row)| set(item, row));
    Ok(())
}
