//! Run of one trial.

use super::posture::pose_of;
use super::region::RegionKind;
use super::test::{Start, TrackTest};
use serde::{Deserialize, Serialize};
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
use std::f64::consts::TAU;

/// End of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackEnd {
    /// The part came to an exit.
    Exit,
    /// The part was rejected.
    Reject,
    /// The part was in no region when the time of the scene was over.
    Stuck,
}

/// Result of a trial, a row of `trials.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackRow {
    /// Number of the trial, from 1.
    pub trial: usize,
    /// Number of the resting pose in which it began.
    pub pose: usize,
    /// Sector of the yaw, from 0.
    pub sector: usize,
    /// Number of the trial among those of its pose and sector, from 1.
    pub seed: usize,
    /// Yaw at the start (degrees, 0 to 360).
    pub yaw: f64,
    /// End of the trial.
    pub end: TrackEnd,
    /// Name of the region in which it ended, `stuck` where it is in none.
    pub region: String,
    /// Number of the resting pose at the end, if the part has one.
    pub end_pose: Option<usize>,
    /// Yaw at the end (degrees, 0 to 360).
    pub end_yaw: f64,
    /// Time of the end (s).
    pub time: f64,
    /// Position of the part at the end (m).
    pub x: f64,
    /// Second coordinate of the place (m).
    pub y: f64,
    /// Third coordinate of the place (m).
    pub z: f64,
    /// Orientation of the part at the end.
    pub qw: f64,
    /// Its first vector component.
    pub qx: f64,
    /// Its second vector component.
    pub qy: f64,
    /// Its third vector component.
    pub qz: f64,
    /// Number of steps.
    pub steps: usize,
    /// Number of steps that the referee judged.
    pub judged_steps: usize,
    /// Number of steps that are not solved.
    pub unsolved_steps: usize,
    /// Number of steps that the referee calls red.
    pub red_steps: usize,
}

impl TrackRow {
    /// Names of the columns.
    pub const COLUMNS: [&'static str; 21] = [
        "trial",
        "pose",
        "sector",
        "seed",
        "yaw",
        "end",
        "region",
        "end_pose",
        "end_yaw",
        "time",
        "x",
        "y",
        "z",
        "qw",
        "qx",
        "qy",
        "qz",
        "steps",
        "judged_steps",
        "unsolved_steps",
        "red_steps",
    ];
}

impl TrackTest {
    /// Checks that a trial can begin: that its scene is allowed.
    ///
    /// # Errors
    /// When the scene is not allowed, for instance because the part would overlap the track.
    pub fn check(&self, number: usize) -> Result<()> {
        let start = self.start(number);
        start.scene.validate().map_err(|e| in_trial(number, &start, &e))
    }

    /// Runs a trial until the part is in a region or the time of the scene is over; None if `stops` returned
    /// true before.
    ///
    /// # Errors
    /// When the trial cannot begin, as in [`TrackTest::check`].
    pub fn run(&self, number: usize, stops: impl Fn() -> bool) -> Result<Option<TrackRow>> {
        let start = self.start(number);
        let mut simulation =
            Simulation::new(start.scene.clone()).map_err(|e| in_trial(number, &start, &e))?;
        let (id, n_steps) = (self.body_id(), simulation.scene().n_steps());
        let is_exact = simulation.scene().solver.formulation.is_exact();
        let find = |simulation: &Simulation| {
            let at = simulation.state().poses[id].position;
            self.regions().iter().find(|region| region.contains(&at))
        };
        let (mut judged_steps, mut unsolved_steps, mut red_steps) = (0, 0, 0);
        let mut region = find(&simulation);
        while simulation.step_index() < n_steps && region.is_none() {
            if stops() {
                return Ok(None);
            }
            let outcome = simulation.advance();
            if stops() && !outcome.info.status.is_solved() {
                return Ok(None);
            }
            judged_steps += usize::from(outcome.verdict.is_some());
            unsolved_steps += usize::from(!outcome.info.status.is_solved());
            let is_red = outcome.verdict.is_some_and(|verdict| !verdict.green);
            red_steps += usize::from(is_red && is_exact);
            region = find(&simulation);
        }
        let (ground, pose) = (self.ground(region), simulation.state().poses[id]);
        let q = pose.orientation;
        Ok(Some(TrackRow {
            trial: number,
            pose: start.pose,
            sector: start.sector,
            seed: start.seed,
            yaw: degrees(start.yaw),
            end: match region.map(|region| region.kind) {
                Some(RegionKind::Exit) => TrackEnd::Exit,
                Some(RegionKind::Reject) => TrackEnd::Reject,
                None => TrackEnd::Stuck,
            },
            region: region.map_or_else(|| "stuck".to_owned(), |region| region.name.clone()),
            end_pose: pose_of(self.part(), &pose, &ground, self.poses()),
            end_yaw: degrees(ground.yaw(&q)),
            time: simulation.time(),
            x: pose.position.x,
            y: pose.position.y,
            z: pose.position.z,
            qw: q.w,
            qx: q.i,
            qy: q.j,
            qz: q.k,
            steps: simulation.step_index(),
            judged_steps,
            unsolved_steps,
            red_steps,
        }))
    }
}

fn degrees(radians: f64) -> f64 {
    const ROUND: f64 = 360.0;
    ROUND * (radians / TAU)
}

/// An error at the start of a trial.
fn in_trial(number: usize, start: &Start, error: &Error) -> Error {
    let what = format!("track: trial {number} (pose {}, yaw {:.1}°)", start.pose, degrees(start.yaw));
    Error::Usage { what, allowed: error.to_string() }
}
