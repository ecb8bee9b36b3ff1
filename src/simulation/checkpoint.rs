//! Simulations in files.

use super::run::Simulation;
use super::saved::SavedState;
use crate::step::Triggers;
use signorini_error::{Error, Result};
use signorini_scene::checkpoint::{self, Checkpoint, Head, PlacedBody};
use signorini_scene::scene::Scene;
use std::path::Path;

/// Version of the memory, to be raised when the meaning of the memory changes but not its fields.
const MEMORY: u32 = 1;

impl SavedState {
    /// Writes the state to a file, which has a version and a digest. An existing file is replaced as a whole
    /// or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        self.to_checkpoint(Vec::new())?.write(path.as_ref())
    }

    /// Reads a state from a file that [`SavedState::write`], or `signorini run`, has written.
    ///
    /// # Errors
    /// When the file cannot be read, is no checkpoint, is damaged, or was written by another version.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let checkpoint = Checkpoint::read(path)?;
        Self::of_checkpoint(&checkpoint).map_err(|message| Error::Parse { file: path.to_owned(), message })
    }

    /// Makes a checkpoint, with the data that the folder of a run needs.
    pub fn to_checkpoint(&self, folder: Vec<u8>) -> Result<Checkpoint> {
        let bodies = self.scene().bodies.iter().zip(&self.state().poses).zip(&self.state().velocities);
        let head = Head {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            memory: MEMORY,
            step: self.step(),
            time_step: self.scene().time_step,
            bodies: bodies
                .map(|((body, pose), velocity)| PlacedBody {
                    name: body.name.clone(),
                    pose: *pose,
                    velocity: *velocity,
                })
                .collect(),
        };
        Ok(Checkpoint { head, folder, memory: self.to_bytes()? })
    }

    /// The state as bytes, for a process of the same version.
    ///
    /// # Errors
    /// When it is not plain data.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        checkpoint::encode(self)
    }

    /// Reads bytes of [`SavedState::to_bytes`].
    ///
    /// # Errors
    /// A message that names the value that does not fit.
    pub fn of_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        checkpoint::decode(bytes)
    }

    /// Reads a checkpoint of this version; else returns who wrote it.
    pub fn of_checkpoint(checkpoint: &Checkpoint) -> std::result::Result<Self, String> {
        let Head { version, memory, .. } = &checkpoint.head;
        let other = |what: String| {
            format!("was written by another version ({what}): only poses and velocities can be taken from it")
        };
        if version != env!("CARGO_PKG_VERSION") || *memory != MEMORY {
            return Err(other(format!("{version}, memory {memory}")));
        }
        Self::of_bytes(&checkpoint.memory).map_err(other)
    }
}

impl Simulation {
    /// Makes a simulation of a scene with the bodies at the poses of a checkpoint, after as many steps,
    /// without any other memory.
    ///
    /// # Errors
    /// When the checkpoint has other bodies than the scene, or the formulation cannot run the scene.
    pub fn at(scene: Scene, head: &Head) -> Result<Self> {
        let mut simulation = Self::new(scene)?;
        let names = simulation.scene.bodies.iter().map(|body| &body.name);
        if !names.eq(head.bodies.iter().map(|body| &body.name)) {
            let allowed = "has other bodies than the scene".to_owned();
            return Err(Error::Usage { what: "checkpoint".to_owned(), allowed });
        }
        let Self { scene, state, triggers, step, .. } = &mut simulation;
        for (i, body) in head.bodies.iter().enumerate() {
            (state.poses[i], state.velocities[i]) = (body.pose, body.velocity);
        }
        *step = head.step;
        *triggers = Triggers::default();
        triggers.observe(scene, state, &[], head.step);
        Ok(simulation)
    }
}
