//! Counts of trials: from which pose to which, and the yaws at the exits.

use super::trial::{TrackEnd, TrackRow};
use crate::drops::{PoseRow, wilson};
use serde::Serialize;

/// Words of the ends of the matrix that are no resting pose.
pub const OTHER: &str = "other";
const REJECTED: &str = "rejected";
const STUCK: &str = "stuck";
/// Degrees of a full turn.
const ROUND: f64 = 360.0;

/// Entry of the matrix of poses, a row of `matrix.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixRow {
    /// Number of the resting pose at the start.
    pub from: usize,
    /// Number of the resting pose at the exit; `other` for an exit in none of them, `rejected` or `stuck`.
    pub to: String,
    /// Number of trials that went from one to the other.
    pub count: usize,
    /// Number of trials that began in the pose.
    pub trials: usize,
    /// Fraction of these.
    pub share: f64,
    /// Lower end of Wilson's 95 % interval of the probability.
    pub low: f64,
    /// Upper end of Wilson's 95 % interval of the probability.
    pub high: f64,
}

impl MatrixRow {
    /// Names of the columns.
    pub const COLUMNS: [&'static str; 7] = ["from", "to", "count", "trials", "share", "low", "high"];
}

/// Bin of the histogram of yaws at the exits, a row of `yaws.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct YawRow {
    /// Number of the resting pose at the exit, or `other`.
    pub pose: String,
    /// Lower end of the bin (degrees).
    pub from: f64,
    /// Upper end of the bin (degrees).
    pub to: f64,
    /// Number of trials that came to an exit in the pose with a yaw in the bin.
    pub count: usize,
    /// Fraction of all trials that came to an exit in the pose.
    pub share: f64,
}

impl YawRow {
    /// Names of the columns.
    pub const COLUMNS: [&'static str; 5] = ["pose", "from", "to", "count", "share"];
}

/// End of a trial in the words of the matrix.
fn word(row: &TrackRow) -> String {
    match (row.end, row.end_pose) {
        (TrackEnd::Exit, Some(pose)) => pose.to_string(),
        (TrackEnd::Exit, None) => OTHER.to_owned(),
        (TrackEnd::Reject, _) => REJECTED.to_owned(),
        (TrackEnd::Stuck, _) => STUCK.to_owned(),
    }
}

/// The matrix of poses: a row for each pose at the start and each end.
pub fn matrix(poses: &[PoseRow], rows: &[TrackRow]) -> Vec<MatrixRow> {
    let numbers = poses.iter().map(|pose| pose.pose.to_string());
    let ends: Vec<String> = numbers.chain([OTHER, REJECTED, STUCK].map(str::to_owned)).collect();
    let mut matrix = Vec::new();
    for pose in poses {
        let of: Vec<String> = rows.iter().filter(|row| row.pose == pose.pose).map(word).collect();
        for to in &ends {
            let count = of.iter().filter(|end| *end == to).count();
            let [low, high] = wilson(count as f64, of.len() as f64);
            let share = if of.is_empty() { 0.0 } else { count as f64 / of.len() as f64 };
            matrix.push(MatrixRow {
                from: pose.pose,
                to: to.clone(),
                count,
                trials: of.len(),
                share,
                low,
                high,
            });
        }
    }
    matrix
}

/// The histogram of yaws at the exits, for each pose in which a part came there.
pub fn yaws(poses: &[PoseRow], rows: &[TrackRow], bins: usize) -> Vec<YawRow> {
    let numbers = poses.iter().map(|pose| pose.pose.to_string());
    let mut histogram = Vec::new();
    for pose in numbers.chain([OTHER.to_owned()]) {
        let of = rows.iter().filter(|row| row.end == TrackEnd::Exit && word(row) == pose);
        let mut counts = vec![0_usize; bins];
        of.for_each(|row| counts[bin(row.end_yaw, bins)] += 1);
        let total: usize = counts.iter().sum();
        if total == 0 {
            continue;
        }
        let edge = |k: usize| ROUND * k as f64 / bins as f64;
        histogram.extend(counts.into_iter().enumerate().map(|(k, count)| YawRow {
            pose: pose.clone(),
            from: edge(k),
            to: edge(k + 1),
            count,
            share: count as f64 / total as f64,
        }));
    }
    histogram
}

fn bin(yaw: f64, bins: usize) -> usize {
    // A yaw of 360° is one of 0.
    (yaw / ROUND * bins as f64) as usize % bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_half_open() {
        let found = [0.0, 9.999, 10.0, 359.9, 360.0].map(|yaw| bin(yaw, 36));
        assert_eq!(found, [0, 0, 1, 35, 0]);
    }
}
