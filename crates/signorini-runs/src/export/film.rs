//! Steps of a simulation kept in memory to be shown, without a folder of a run.

use super::page::{Page, PageContents, PageOptions, StepSamples};
use super::recording::{BodySample, ContactFrames, Recorder, sample_of};
use super::run_files::{Contact, RunFiles};
use crate::output::rows::StepRow;
use nalgebra::Vector3;
use signorini::simulation::{Simulation, StepOutcome};
use signorini_geometry::periodic::ITSELF;
use signorini_scene::scene::{BodyId, Scene};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// Film of a simulation: the state at its beginning, and every step recorded after that. Long films keep
/// fewer frames.
///
/// ```
/// use signorini::prelude::*;
/// use signorini_runs::export::{Film, PageOptions};
///
/// # fn main() -> signorini::Result<()> {
/// let mut scene = Scene::builder();
/// scene.time_step(0.01).duration(0.1).body(Body::sphere(0.1).density(1000.0));
/// let mut simulation = Simulation::new(scene.build()?)?;
/// let mut film = Film::new(&simulation, &PageOptions::default());
/// for _ in 0..10 {
///     let outcome = simulation.advance();
///     film.record(&simulation, &outcome);
/// }
/// assert_eq!(film.page("a fall").frames, 11);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Film {
    options: PageOptions,
    /// Scene at the start, with the bodies that came later behind the others.
    scene: Scene,
    there: Vec<RangeInclusive<usize>>,
    /// Index in `scene` of each body, by its id.
    places: HashMap<BodyId, usize>,
    /// Last step that was recorded.
    last: usize,
    recorder: Recorder,
    contacts: BTreeMap<usize, Vec<Contact>>,
    steps: StepSamples,
}

impl Film {
    /// Begins with the current state and the contacts of the last step.
    pub fn new(simulation: &Simulation, options: &PageOptions) -> Self {
        let mut scene = simulation.scene().clone();
        for (body, pose) in scene.bodies.iter_mut().zip(&simulation.state().poses) {
            body.pose = *pose;
        }
        let moving = (0..scene.bodies.len()).filter(|&i| !scene.bodies[i].fixed || scene.is_carried(i));
        let mut film = Self {
            options: options.clone(),
            there: vec![0..=usize::MAX; scene.bodies.len()],
            places: simulation.body_ids().iter().enumerate().map(|(place, id)| (*id, place)).collect(),
            last: simulation.step_index(),
            recorder: Recorder::new(moving.collect(), options.frames),
            contacts: BTreeMap::new(),
            steps: StepSamples::new(),
            scene,
        };
        film.frame(simulation);
        film
    }

    /// Records the step that the simulation just took. A step that is not after the last one, as of a
    /// simulation that was put back, is left out.
    pub fn record(&mut self, simulation: &Simulation, outcome: &StepOutcome) {
        if outcome.step <= self.last || outcome.step != simulation.step_index() {
            return;
        }
        self.last = outcome.step;
        self.update_bodies(simulation);
        self.steps.push(&StepRow::of(simulation, outcome));
        self.frame(simulation);
    }

    /// Makes the page that plays the film.
    pub fn page(&self, title: &str) -> Page {
        let recording = self.recorder.clone().finish();
        let contacts = ContactFrames::of_steps(self.contacts.clone(), &recording);
        let run = RunFiles::of_scene(self.scene.clone(), self.there.clone());
        let title = title.to_owned();
        Page::made(
            PageContents { title, run, recording, contacts, steps: self.steps.clone() },
            self.options.size,
        )
    }

    fn frame(&mut self, simulation: &Simulation) {
        let (step, time) = (simulation.step_index(), simulation.time());
        let moving = &self.recorder.recording.moving;
        let mut frame: Vec<BodySample> =
            self.recorder.latest().cloned().unwrap_or_else(|| vec![[0.0; 13]; moving.len()]);
        let (state, ids) = (simulation.state(), simulation.body_ids());
        for (index, id) in ids.iter().enumerate() {
            // A body that left keeps its last pose.
            if let Some(slot) = self.places.get(id).and_then(|place| moving.binary_search(place).ok()) {
                frame[slot] = sample_of(&state.poses[index], &state.velocities[index]);
            }
        }
        self.recorder.push(step, time, frame);
        let contacts = self.contacts_of(simulation);
        self.contacts.insert(step, contacts);
        let kept = &self.recorder.recording.steps;
        self.contacts.retain(|at, _| *at == step || kept.binary_search(at).is_ok());
    }

    fn contacts_of(&self, simulation: &Simulation) -> Vec<Contact> {
        let ids = simulation.body_ids();
        let place = |index: usize| ids.get(index).and_then(|id| self.places.get(id)).copied();
        let shift = |image| match self.scene.periodic.filter(|_| image != ITSELF) {
            Some(periodic) => periodic.shift(image),
            None => Vector3::zeros(),
        };
        let counted = simulation.contacts().iter().filter(|record| record.counts());
        let shown = counted.filter_map(|record| {
            let bodies = [place(record.body_a)?, place(record.body_b)?];
            Some(Contact::of_record(record, bodies, shift(record.image)))
        });
        shown.collect()
    }

    /// Adds the bodies that are new since the last step, and ends the presence of those that left.
    fn update_bodies(&mut self, simulation: &Simulation) {
        let (ids, state) = (simulation.body_ids(), simulation.state());
        for (index, id) in ids.iter().enumerate() {
            if self.places.contains_key(id) {
                continue;
            }
            let place = self.scene.bodies.len();
            let body = &simulation.scene().bodies[index];
            if !body.fixed {
                self.recorder.add_body(place, sample_of(&state.poses[index], &state.velocities[index]));
            }
            self.scene.bodies.push(signorini_scene::scene::Body { pose: state.poses[index], ..body.clone() });
            self.there.push(self.last..=usize::MAX);
            self.places.insert(*id, place);
        }
        for (id, place) in &self.places {
            let there = &mut self.there[*place];
            if *there.end() == usize::MAX && ids.binary_search(id).is_err() {
                *there = *there.start()..=self.last - 1;
            }
        }
    }
}
