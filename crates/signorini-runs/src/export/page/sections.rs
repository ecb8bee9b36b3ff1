//! Columns of bodies, contacts and steps in a page.

use super::columns::{Float, differences, prediction_errors, push_column};
use crate::export::recording::{ContactFrames, Recording};
use crate::export::run_files::{Contact, RunFiles};
use crate::output::rows::StepRow;
use nalgebra::Vector3;
use signorini::step::ContactState;
use signorini_error::Result;
use signorini_scene::scene::Scene;
use std::collections::HashMap;

/// Number of steps of one quaternion component from 0 to 1.
const TURN: f64 = 4095.0;
/// Number of steps of one component of a normal from 0 to 1.
const NORMAL: f64 = 8191.0;
/// Size of the smallest body over the largest error of a position.
const FINENESS: f64 = 32_768.0;
/// Largest index of a part that is written.
const MAX_PARTS: usize = 0x7fff;
/// Most rows of steps in a page.
const MAX_STEPS: usize = 20_000;

/// Unit of positions in a page (m), a power of two: it fits all positions into 32 bits and shows the smallest
/// body's motion to a part in [`FINENESS`].
pub fn quantum(scene: &Scene, recording: &Recording) -> f64 {
    let sizes = scene.bodies.iter().filter_map(|b| b.size());
    let smallest = sizes.fold(f64::INFINITY, f64::min);
    let positions = recording.bodies.iter().flatten().flat_map(|sample| &sample[..3]);
    let farthest = positions.filter(|x| x.is_finite()).fold(0.0_f64, |all, x| all.max(x.abs()));
    let wanted = if smallest.is_finite() { smallest / FINENESS } else { 1e-6 };
    wanted.max(farthest / f64::from(1 << 30)).log2().ceil().exp2()
}

/// Writes poses and velocities: the thirteen numbers of a sample one after the other; of each number, body by
/// body, the frames in their order. Velocities smaller than the fraction `least` of the largest are 0. In a
/// periodic scene positions are those of the images in the box.
pub fn bodies(scene: &Scene, recording: &Recording, quantum: f64, least: f64) -> Vec<u8> {
    let wrapped = scene.periodic.map(|periodic| recording.wrapped(&periodic));
    let recording = wrapped.as_ref().unwrap_or(recording);
    let mut section = Vec::new();
    let n_moving = recording.moving.len();
    for c in 0..13 {
        let series = |body: usize| recording.bodies.iter().map(move |frame| frame[body][c]);
        let all = || recording.bodies.iter().flatten();
        match c {
            0..7 => {
                let unit = if c < 3 { 1.0 / quantum } else { TURN };
                let integers = (0..n_moving)
                    .flat_map(|body| prediction_errors(series(body).map(|x| (x * unit).round() as i32)));
                push_column(integers, &mut section);
            }
            _ => {
                let group = if c < 10 { 7..10 } else { 10..13 };
                let largest = all().flat_map(|s| &s[group.clone()]).fold(0.0_f64, |m, v| m.max(v.abs()));
                let float = Float { dropped: 15, least: least * largest };
                let integers =
                    (0..n_moving).flat_map(|body| differences(series(body).map(move |v| float.integer(v))));
                push_column(integers, &mut section);
            }
        }
    }
    section
}

/// Integers of a contact, in the order of the columns after the two bodies.
type ContactIntegers = [i32; 15];

/// Units by which numbers of contacts become integers.
struct ContactUnits {
    quantum: f64,
    gap: Float,
    impulse: Float,
    torsion: Float,
    slip: Float,
}

impl ContactUnits {
    fn new<'a>(contacts: impl Iterator<Item = &'a Contact>, quantum: f64, least: f64) -> Self {
        let mut largest = [0.0_f64; 3];
        for contact in contacts {
            let sizes = [contact.impulse().norm(), contact.torsional_impulse.abs(), contact.slip_speed.abs()];
            (0..3).for_each(|k| largest[k] = largest[k].max(sizes[k]));
        }
        let float = |k: usize, dropped| Float { dropped, least: least * largest[k] };
        let gap = Float { dropped: 15, least: least * quantum };
        Self { quantum, gap, impulse: float(0, 13), torsion: float(1, 13), slip: float(2, 15) }
    }

    /// Integers of a contact: point from the centre of a body (m), normal, gap, impulses, slip, kind and
    /// state, and parts.
    fn integers(&self, contact: &Contact, arm: &Vector3<f64>) -> ContactIntegers {
        let arm = arm.map(|x| (x / self.quantum).round() as i32);
        let normal = contact.normal.map(|x| (x * NORMAL).round() as i32);
        let friction = contact.friction_impulse.map(|x| self.impulse.integer(x));
        let few = |n: usize, most: usize| n.min(most) as i32;
        let flags = contact.state as i32
            | (contact.kind as i32) << 2
            | few(contact.points, 255) << 4
            | few(contact.active_facets[0], 255) << 12
            | few(contact.active_facets[1], 255) << 20;
        [
            arm.x,
            arm.y,
            arm.z,
            normal.x,
            normal.y,
            normal.z,
            self.gap.integer(contact.gap),
            self.impulse.integer(contact.normal_impulse),
            friction.x,
            friction.y,
            friction.z,
            self.torsion.integer(contact.torsional_impulse),
            self.slip.integer(contact.slip_speed),
            flags,
            few(contact.parts[0], MAX_PARTS) | few(contact.parts[1], MAX_PARTS) << 15,
        ]
    }
}

/// Writes contacts: the number of contacts of each frame, and the columns. The bodies come first, as
/// differences from the row before; the other columns are differences from the same contact in the last frame
/// that had contacts. Impulses and slips smaller than the fraction `least` of the largest are 0.
pub fn contacts(
    scene: &Scene,
    recording: &Recording,
    contacts: &ContactFrames,
    quantum: f64,
    least: f64,
) -> (Vec<usize>, Vec<u8>) {
    let frames: Vec<(usize, &[Contact])> = contacts.frames(recording).collect();
    let units = ContactUnits::new(frames.iter().flat_map(|(_, list)| *list), quantum, least);
    let slots: HashMap<usize, usize> = recording.moving.iter().enumerate().map(|(k, i)| (*i, k)).collect();
    let mut pairs: [Vec<i32>; 2] = Default::default();
    let mut left: Vec<ContactIntegers> = Vec::new();
    // Contacts of the last frame, by bodies and number among the contacts of these bodies.
    let mut before: HashMap<([usize; 2], usize), ContactIntegers> = HashMap::new();
    for (k, list) in &frames {
        let mut now = HashMap::with_capacity(list.len());
        let mut number = 0;
        for (row, contact) in list.iter().enumerate() {
            let same = row > 0 && list[row - 1].bodies == contact.bodies;
            number = if same { number + 1 } else { 0 };
            let arm = arm(scene, recording, &slots, *k, contact);
            let integers = units.integers(contact, &arm);
            let last = before.get(&(contact.bodies, number)).copied().unwrap_or_default();
            left.push(std::array::from_fn(|c| integers[c].wrapping_sub(last[c])));
            now.insert((contact.bodies, number), integers);
            pairs.iter_mut().zip(contact.bodies).for_each(|(column, body)| column.push(body as i32));
        }
        before = now;
    }
    let mut section = Vec::new();
    for column in &pairs {
        push_column(differences(column.iter().copied()), &mut section);
    }
    for c in 0..15 {
        push_column(left.iter().map(|row| row[c]), &mut section);
    }
    (frames.iter().map(|(_, list)| list.len()).collect(), section)
}

/// Contact point from the centre of the body to which the page attaches it: B if B moves, else A. The page
/// may show that body as another image.
fn arm(
    scene: &Scene,
    recording: &Recording,
    slots: &HashMap<usize, usize>,
    frame: usize,
    contact: &Contact,
) -> Vector3<f64> {
    let center = |slot: &usize| Vector3::from_column_slice(&recording.bodies[frame][*slot][..3]);
    match contact.bodies.map(|id| slots.get(&id)) {
        [_, Some(of_b)] => contact.point_of_b - center(of_b),
        [Some(of_a), None] => contact.point - center(of_a),
        [None, None] => contact.point_of_b - scene.bodies[contact.bodies[1]].pose.position,
    }
}

/// Numbers of one step, or the worst of several consecutive steps.
#[derive(Debug, Clone, Copy)]
struct StepSample {
    /// Time (s), kinetic and potential energy (J), residual, smallest gap (m).
    numbers: [f64; 5],
    iterations: u32,
    contacts: u32,
    /// Verdict: 0 not judged, 1 green, 2 red; plus 4 when the step was not solved.
    verdict: u8,
}

/// Rows of steps, few enough for a page.
#[derive(Debug, Clone)]
pub struct StepSamples {
    samples: Vec<StepSample>,
    stride: usize,
    count: usize,
}

impl StepSamples {
    /// Makes an empty list.
    pub fn new() -> Self {
        Self { samples: Vec::new(), stride: 1, count: 0 }
    }

    /// Reads the steps of a run.
    ///
    /// # Errors
    /// When `steps.csv` cannot be read.
    pub fn read(run: &RunFiles) -> Result<Self> {
        let mut all = Self::new();
        run.each_step(|row| all.push(&row))?;
        Ok(all)
    }

    /// Adds the next step.
    pub fn push(&mut self, row: &StepRow<'_>) {
        let judged = match &*row.referee {
            "green" => 1,
            "red" => 2,
            _ => 0,
        };
        let gap = row.min_gap.unwrap_or(f64::NAN);
        let sample = StepSample {
            numbers: [row.time, row.kinetic_energy, row.potential_energy, row.residual, gap],
            iterations: row.iterations as u32,
            contacts: row.contacts as u32,
            verdict: judged + if row.is_solved() { 0 } else { 4 },
        };
        match self.samples.last_mut().filter(|_| !self.count.is_multiple_of(self.stride)) {
            Some(last) => *last = merged(last, &sample),
            None => self.samples.push(sample),
        }
        self.count += 1;
        if self.samples.len() > MAX_STEPS {
            let pairs = self.samples.chunks(2);
            self.samples = pairs.map(|c| merged(&c[0], c.last().unwrap_or(&c[0]))).collect();
            self.stride *= 2;
        }
    }

    /// Number of rows, and their columns: f64 of time, energies, residual and smallest gap (NaN: no pair is
    /// near), then u32 of iterations and contacts, then a byte of the verdict.
    pub fn section(&self) -> (usize, Vec<u8>) {
        let samples = &self.samples;
        let mut section = Vec::new();
        for c in 0..5 {
            section.extend(samples.iter().flat_map(|s| s.numbers[c].to_le_bytes()));
        }
        section.extend(samples.iter().flat_map(|s| s.iterations.to_le_bytes()));
        section.extend(samples.iter().flat_map(|s| s.contacts.to_le_bytes()));
        section.extend(samples.iter().map(|s| s.verdict));
        (samples.len(), section)
    }
}

/// Merges two samples: the later state with the worse residual, gap, iterations and verdict.
fn merged(earlier: &StepSample, later: &StepSample) -> StepSample {
    let mut both = *later;
    // A NaN is worse than any number.
    if earlier.numbers[3].is_nan() || earlier.numbers[3] > later.numbers[3] {
        both.numbers[3] = earlier.numbers[3];
    }
    both.numbers[4] = earlier.numbers[4].min(later.numbers[4]);
    both.iterations = earlier.iterations.max(later.iterations);
    both.verdict = (earlier.verdict & 3).max(later.verdict & 3) | (earlier.verdict | later.verdict) & 4;
    both
}

// The page shows states by these numbers.
const _: () = assert!(ContactState::Open as i32 == 0 && ContactState::Slip as i32 == 2);
