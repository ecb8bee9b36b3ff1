//! Frames of a run that are shown: evenly thinned, all in memory.

use super::run_files::{Contact, RunFiles};
use nalgebra::Vector3;
use signorini_error::Result;
use signorini_geometry::{PeriodicBox, Pose, Velocity};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Most contacts that are kept; beyond, contacts are shown for fewer frames.
const MAX_CONTACTS: usize = 1_000_000;

/// Position, quaternion (w, x, y, z), velocity and angular velocity of a body.
pub type BodySample = [f64; 13];

/// Poses and velocities at some steps of a run.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Ids of the bodies that can move or are carried.
    pub moving: Vec<usize>,
    /// Steps of the frames, rising; the last one is the last recorded step.
    pub steps: Vec<usize>,
    /// Times of the frames (s).
    pub times: Vec<f64>,
    /// Samples of the moving bodies, frame by frame. Signs of quaternions are such that they turn without
    /// jumps.
    pub bodies: Vec<Vec<BodySample>>,
}

impl Recording {
    /// Makes a recording of these bodies without frames.
    pub fn new(moving: Vec<usize>) -> Self {
        Self { moving, steps: Vec::new(), times: Vec::new(), bodies: Vec::new() }
    }

    /// Reads at most about `most` frames, evenly spread over the recorded steps.
    pub fn read(run: &RunFiles, most: usize) -> Result<Self> {
        let mut all = Recorder::new(run.moving(), most);
        run.each_frame(|step, time, state| {
            let sample = |&i: &usize| sample_of(&state.poses[i], &state.velocities[i]);
            let frame = all.recording.moving.iter().map(sample).collect();
            all.push(step, time, frame);
            Ok(())
        })?;
        Ok(all.finish())
    }

    /// Returns the recording with all bodies in a periodic box.
    pub fn wrapped(&self, periodic: &PeriodicBox) -> Self {
        let mut bodies = self.bodies.clone();
        for sample in bodies.iter_mut().flatten() {
            let place = periodic.wrapped(&Vector3::from_column_slice(&sample[..3]));
            sample[..3].copy_from_slice(place.as_slice());
        }
        Self { moving: self.moving.clone(), steps: self.steps.clone(), times: self.times.clone(), bodies }
    }

    /// Leaves out every second frame but the last.
    pub fn thin(&mut self) {
        let last = (self.steps.len() - 1) % 2 == 1;
        let end = last.then(|| (self.steps.pop(), self.times.pop(), self.bodies.pop()));
        self.keep_every_second();
        if let Some((Some(step), Some(time), Some(frame))) = end {
            self.push(step, time, frame);
        }
        self.turn_without_jumps();
    }

    fn push(&mut self, step: usize, time: f64, frame: Vec<BodySample>) {
        self.steps.push(step);
        self.times.push(time);
        self.bodies.push(frame);
    }

    fn keep_every_second(&mut self) {
        fn halved<T>(list: &mut Vec<T>) {
            let mut k = 0;
            list.retain(|_| {
                k += 1;
                k % 2 == 1
            });
        }
        halved(&mut self.steps);
        halved(&mut self.times);
        halved(&mut self.bodies);
    }

    /// Chooses the sign of each quaternion nearer to that of the frame before: q and −q are one orientation.
    fn turn_without_jumps(&mut self) {
        for k in 1..self.bodies.len() {
            let (before, after) = self.bodies.split_at_mut(k);
            for (last, next) in before[k - 1].iter().zip(&mut after[0]) {
                let cosine: f64 = (3..7).map(|c| last[c] * next[c]).sum();
                if cosine < 0.0 {
                    next[3..7].iter_mut().for_each(|q| *q = -*q);
                }
            }
        }
    }
}

/// Makes the sample of a body.
pub fn sample_of(pose: &Pose, velocity: &Velocity) -> BodySample {
    let (p, q) = (&pose.position, pose.orientation.quaternion());
    let (v, w) = (&velocity.linear, &velocity.angular);
    [p.x, p.y, p.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, w.x, w.y, w.z]
}

/// Maker of a [`Recording`] from successive frames.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// Recording of the frames kept.
    pub recording: Recording,
    most: usize,
    stride: usize,
    count: usize,
    /// Latest frame, if it is not kept.
    latest: Option<(usize, f64, Vec<BodySample>)>,
}

impl Recorder {
    /// Makes a recorder that keeps at most about `most` frames.
    pub fn new(moving: Vec<usize>, most: usize) -> Self {
        Self { recording: Recording::new(moving), most, stride: 1, count: 0, latest: None }
    }

    /// Adds the next frame.
    pub fn push(&mut self, step: usize, time: f64, frame: Vec<BodySample>) {
        self.latest = None;
        if self.count.is_multiple_of(self.stride) {
            self.recording.push(step, time, frame);
            if self.recording.steps.len() > self.most.max(2) {
                self.recording.keep_every_second();
                self.stride *= 2;
            }
        } else {
            self.latest = Some((step, time, frame));
        }
        self.count += 1;
    }

    /// Latest frame, kept or not.
    pub fn latest(&self) -> Option<&Vec<BodySample>> {
        self.latest.as_ref().map_or_else(|| self.recording.bodies.last(), |(_, _, frame)| Some(frame))
    }

    /// Adds a body behind those that move, with `sample` in all frames so far.
    pub fn add_body(&mut self, body: usize, sample: BodySample) {
        self.recording.moving.push(body);
        let latest = self.latest.iter_mut().map(|(_, _, frame)| frame);
        self.recording.bodies.iter_mut().chain(latest).for_each(|frame| frame.push(sample));
    }

    /// Returns the recording, with the latest frame as its last.
    pub fn finish(mut self) -> Recording {
        if let Some((step, time, frame)) = self.latest {
            self.recording.push(step, time, frame);
        }
        self.recording.turn_without_jumps();
        self.recording
    }
}

/// Contacts at some frames of a [`Recording`], sorted by their bodies.
#[derive(Debug)]
pub struct ContactFrames {
    /// Contacts by step; a step without contacts is missing.
    by_step: BTreeMap<usize, Vec<Contact>>,
    /// Interval in frames at which a frame has its contacts.
    stride: usize,
}

impl ContactFrames {
    /// Makes the contacts of steps, of which some may be frames.
    pub fn of_steps(steps: BTreeMap<usize, Vec<Contact>>, recording: &Recording) -> Self {
        let (mut by_step, mut stride) = (steps, 1);
        by_step.values_mut().for_each(|contacts| contacts.sort_by_key(|c| c.bodies));
        while by_step.values().map(Vec::len).sum::<usize>() > MAX_CONTACTS && stride < recording.steps.len() {
            stride *= 2;
            by_step.retain(|step, _| has_contacts(recording, stride, *step));
        }
        Self { by_step, stride }
    }

    /// Reads the contacts of the frames.
    pub fn read(run: &RunFiles, recording: &Recording) -> Result<Self> {
        let stride = Cell::new(1);
        let mut by_step = BTreeMap::new();
        let mut count = 0;
        run.each_contact_step(
            |step| has_contacts(recording, stride.get(), step),
            |step, contacts| {
                let mut contacts = contacts.to_vec();
                contacts.sort_by_key(|c| c.bodies);
                count += contacts.len();
                by_step.insert(step, contacts);
                if count > MAX_CONTACTS && stride.get() < recording.steps.len() {
                    stride.set(2 * stride.get());
                    by_step.retain(|step, _| has_contacts(recording, stride.get(), *step));
                    count = by_step.values().map(Vec::len).sum();
                }
                Ok(())
            },
        )?;
        Ok(Self { by_step, stride: stride.get() })
    }

    /// Indices of the frames that have their contacts, and these contacts.
    pub fn frames<'a>(
        &'a self,
        recording: &'a Recording,
    ) -> impl Iterator<Item = (usize, &'a [Contact])> + 'a {
        let kept = move |(_, step): &(usize, &usize)| has_contacts(recording, self.stride, **step);
        let contacts = |step| self.by_step.get(step).map_or(&[][..], Vec::as_slice);
        recording.steps.iter().enumerate().filter(kept).map(move |(k, step)| (k, contacts(step)))
    }

    /// Leaves out the contacts of every second frame that has them.
    pub fn thin(&mut self) {
        self.stride *= 2;
    }

    /// Adjusts the interval after every second frame was removed from the recording.
    pub fn frames_were_thinned(&mut self) {
        self.stride = (self.stride / 2).max(1);
    }
}

/// Whether a step is a frame that shows its contacts: every `stride`-th does, and the last.
fn has_contacts(recording: &Recording, stride: usize, step: usize) -> bool {
    let place = recording.steps.binary_search(&step);
    place.is_ok_and(|k| k.is_multiple_of(stride) || k + 1 == recording.steps.len())
}
