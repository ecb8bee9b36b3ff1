//! Run of one drop.

use super::rest::RestDetector;
use super::test::DropTest;
use serde::{Deserialize, Serialize};
use signorini::simulation::Simulation;
use signorini_error::Result;
use signorini_scene::scene::resting::{height, vertical_inertia};

/// End of a drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The body came to rest.
    Rest,
    /// The body still rose or fell when the time of the scene was over.
    Moving,
}

/// Result of a drop, a row of `drops.csv`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct DropRow {
    /// Number of the drop, from 1.
    pub drop: usize,
    /// End of the drop.
    pub end: End,
    /// Number of the resting pose, from 1, if the body came to rest.
    pub pose: Option<usize>,
    /// Time of the end (s).
    pub time: f64,
    /// Direction down in body axes at the end (unit).
    pub down_x: f64,
    /// Its second component.
    pub down_y: f64,
    /// Its third component.
    pub down_z: f64,
    /// Height of the centre of mass over the lowest point (m).
    pub height: f64,
    /// Moment of inertia about the vertical through the centre of mass (kg m²).
    pub vertical_inertia: f64,
    /// Position of the body at the end (m).
    pub x: f64,
    /// Second coordinate of the place (m).
    pub y: f64,
    /// Third coordinate of the place (m).
    pub z: f64,
    /// Orientation of the body at the start.
    pub start_qw: f64,
    /// Its first vector component.
    pub start_qx: f64,
    /// Its second vector component.
    pub start_qy: f64,
    /// Its third vector component.
    pub start_qz: f64,
    /// Number of steps that are not solved.
    pub unsolved_steps: usize,
    /// Number of steps that the referee calls red.
    pub red_steps: usize,
}

impl DropRow {
    /// Names of the columns.
    pub const COLUMNS: [&'static str; 18] = [
        "drop",
        "end",
        "pose",
        "time",
        "down_x",
        "down_y",
        "down_z",
        "height",
        "vertical_inertia",
        "x",
        "y",
        "z",
        "start_qw",
        "start_qx",
        "start_qy",
        "start_qz",
        "unsolved_steps",
        "red_steps",
    ];
}

impl DropTest {
    /// Checks that a drop can begin: that its scene is allowed.
    ///
    /// # Errors
    /// When the scene is not allowed, for instance because the body would overlap another.
    pub fn check(&self, number: usize) -> Result<()> {
        self.start(number).validate()
    }

    /// Runs a drop until the body rests or the time of the scene is over; None if `stops` returned true
    /// before.
    ///
    /// # Errors
    /// When the drop cannot begin, as in [`DropTest::check`].
    pub fn run(&self, number: usize, stops: impl Fn() -> bool) -> Result<Option<DropRow>> {
        let mut simulation = Simulation::new(self.start(number))?;
        let (id, n_steps) = (self.body_id(), simulation.scene().n_steps());
        let start = simulation.state().poses[id].orientation;
        let mut rest = RestDetector::new(self);
        let (mut unsolved_steps, mut red_steps, mut end) = (0, 0, End::Moving);
        while simulation.step_index() < n_steps && end == End::Moving {
            if stops() {
                return Ok(None);
            }
            let outcome = simulation.advance();
            unsolved_steps += usize::from(!outcome.info.status.is_solved());
            red_steps += usize::from(outcome.verdict.is_some_and(|verdict| !verdict.green));
            let touches = simulation
                .contacts()
                .iter()
                .any(|c| (c.body_a == id || c.body_b == id) && c.pressing() > 0.0);
            let state = simulation.state();
            if rest.observe(self.body(), &state.poses[id], &state.velocities[id], touches) {
                end = End::Rest;
            }
        }
        if stops() && end == End::Moving {
            return Ok(None);
        }
        let pose = simulation.state().poses[id];
        let down = pose.orientation.inverse() * -self.up();
        Ok(Some(DropRow {
            drop: number,
            end,
            pose: None,
            time: simulation.time(),
            down_x: down.x,
            down_y: down.y,
            down_z: down.z,
            height: height(self.body(), &pose, &self.up()),
            vertical_inertia: vertical_inertia(self.body(), &pose, &self.up()),
            x: pose.position.x,
            y: pose.position.y,
            z: pose.position.z,
            start_qw: start.w,
            start_qx: start.i,
            start_qy: start.j,
            start_qz: start.k,
            unsolved_steps,
            red_steps,
        }))
    }
}
