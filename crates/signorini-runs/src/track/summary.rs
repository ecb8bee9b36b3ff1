//! Result of a track test, as `track.json` has it.

use super::test::TrackTest;
use super::trial::{TrackEnd, TrackRow};
use crate::drops::wilson;
use serde::Serialize;
use std::collections::BTreeMap;

/// Probability with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Probability {
    /// Estimate.
    pub share: f64,
    /// Lower end of Wilson's interval.
    pub low: f64,
    /// Upper end of Wilson's interval.
    pub high: f64,
}

/// Whether every step was solved, judged and found right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// Number of steps of all trials.
    pub steps: usize,
    /// Number of these that the referee judged.
    pub judged: usize,
    /// Number of these that it calls red.
    pub red: usize,
    /// Number of steps that are not solved.
    pub unsolved: usize,
    /// Whether each step was judged.
    pub every_step_judged: bool,
}

/// Result of a track test.
#[derive(Debug, Clone, Serialize)]
pub struct TrackSummary {
    /// Version of this form.
    pub format: u32,
    /// Digest of all that decides the trials.
    pub digest: String,
    /// Name of the part.
    pub body: String,
    /// Number of trials, and of those planned.
    pub trials: usize,
    /// Number of trials planned.
    pub planned_trials: usize,
    /// Number of trials that came to an exit.
    pub exits: usize,
    /// Number of trials that were rejected.
    pub rejected: usize,
    /// Number of trials that did neither in the time of the scene.
    pub stuck: usize,
    /// Number of trials that ended in each region.
    pub regions: BTreeMap<String, usize>,
    /// Probability that a part is rejected, where poses come as often as in the drop test.
    pub rejected_share: Probability,
    /// Probability that a part comes to an exit, likewise.
    pub exit_share: Probability,
    /// Mean time from start to exit (s), of those that came there.
    pub exit_time: Option<f64>,
    /// Parts that come to an exit in a second if each begins when the one before has ended, where poses come
    /// as often as in the drop test (1/s).
    pub throughput: f64,
    /// Whether every step was solved, judged and found right.
    pub certificate: Certificate,
}

impl TrackSummary {
    /// Sums up trials of a test.
    pub fn new(test: &TrackTest, rows: &[TrackRow]) -> Self {
        let count = |end: TrackEnd| rows.iter().filter(|row| row.end == end).count();
        let sum = |of: fn(&TrackRow) -> usize| rows.iter().map(of).sum::<usize>();
        let (steps, judged) = (sum(|row| row.steps), sum(|row| row.judged_steps));
        let mut regions: BTreeMap<String, usize> =
            test.regions().iter().map(|region| (region.name.clone(), 0)).collect();
        for row in rows.iter().filter(|row| row.end != TrackEnd::Stuck) {
            *regions.entry(row.region.clone()).or_default() += 1;
        }
        let weighted = Weighted::new(test, rows);
        let exits = count(TrackEnd::Exit);
        let exit_times = rows.iter().filter(|row| row.end == TrackEnd::Exit).map(|row| row.time);
        let time = weighted.mean(|row| row.time);
        Self {
            format: 1,
            digest: test.digest(),
            body: test.part().name.clone(),
            trials: rows.len(),
            planned_trials: test.n_trials(),
            exits,
            rejected: count(TrackEnd::Reject),
            stuck: count(TrackEnd::Stuck),
            regions,
            rejected_share: weighted.probability(TrackEnd::Reject),
            exit_share: weighted.probability(TrackEnd::Exit),
            exit_time: (exits > 0).then(|| exit_times.sum::<f64>() / exits as f64),
            throughput: if time > 0.0 { weighted.share(TrackEnd::Exit) / time } else { 0.0 },
            certificate: Certificate {
                steps,
                judged,
                red: sum(|row| row.red_steps),
                unsolved: sum(|row| row.unsolved_steps),
                every_step_judged: judged == steps,
            },
        }
    }

    /// The summary as `track.json` has it.
    pub fn to_json(&self) -> String {
        // Plain words and numbers: serialising cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Whether all trials are taken.
    pub fn is_done(&self) -> bool {
        self.trials == self.planned_trials
    }

    /// Whether each step was solved, judged and found right.
    pub fn is_certain(&self) -> bool {
        let Certificate { red, unsolved, every_step_judged, .. } = self.certificate;
        every_step_judged && red + unsolved == 0
    }
}

/// Trials weighted by how often their poses come.
struct Weighted<'a> {
    /// Trials of each pose that has some, and its weight; the weights sum to 1.
    poses: Vec<(Vec<&'a TrackRow>, f64)>,
}

impl<'a> Weighted<'a> {
    fn new(test: &TrackTest, rows: &'a [TrackRow]) -> Self {
        let of = |pose: usize| rows.iter().filter(|row| row.pose == pose).collect::<Vec<_>>();
        let mut poses: Vec<(Vec<&TrackRow>, f64)> =
            test.poses().iter().map(|pose| (of(pose.pose), pose.share.max(0.0))).collect();
        poses.retain(|(of, weight)| !of.is_empty() && *weight > 0.0);
        let total: f64 = poses.iter().map(|(_, weight)| weight).sum();
        poses.iter_mut().for_each(|(_, weight)| *weight /= total);
        Self { poses }
    }

    /// Weighted mean of a number of the trials.
    fn mean(&self, number: impl Fn(&TrackRow) -> f64) -> f64 {
        let mean = |of: &[&TrackRow]| of.iter().map(|row| number(row)).sum::<f64>() / of.len() as f64;
        self.poses.iter().map(|(of, weight)| weight * mean(of)).sum()
    }

    fn share(&self, end: TrackEnd) -> f64 {
        self.mean(|row| f64::from(row.end == end))
    }

    /// Wilson's interval for the effective number of trials, 1 / Σ w²/n with the weights w of poses of n
    /// trials each.
    fn probability(&self, end: TrackEnd) -> Probability {
        let share = self.share(end);
        let spread: f64 = self.poses.iter().map(|(of, weight)| weight * weight / of.len() as f64).sum();
        let n = if spread > 0.0 { 1.0 / spread } else { 0.0 };
        let [low, high] = wilson(share * n, n);
        Probability { share, low, high }
    }
}
