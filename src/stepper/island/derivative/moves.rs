//! Effects of changes on the bodies of an island, each by itself, lane by lane.

use super::blocks::{put, stacked};
use super::own::CentreEffect;
use super::solved::Solved;
use crate::step::{BodyTangent, Change};
use nalgebra::{SVector, Vector3, Vector6};
use signorini_ncp::linalg::{BLOCK, LANES, Room};

/// Entries of the tangent of a state.
const STATE: usize = BodyTangent::LEN;

/// Effects on all bodies.
#[derive(Debug)]
pub struct Moves {
    /// η, the displacement of geometry over h with it.
    pub path: Room<LANES>,
    /// The pose at the start, where something looks at it.
    pub pose: Room<LANES>,
    pub momentum: Room<LANES>,
    /// Where a centre of mass moves.
    pub centres: Option<Centres>,
    /// State at the end, body by body in each lane.
    ends: Vec<SVector<f64, STATE>>,
    n_bodies: usize,
}

/// Moves of centres of mass.
#[derive(Debug)]
pub struct Centres {
    /// Displacement of the geometry at the end over h, in `Moves::path` too.
    pub path: Room<LANES>,
    /// Velocities that contact points gain.
    pub swept: Room<LANES>,
}

impl Moves {
    /// By changes in a piece of so much of the step, whose rows look at the start or do not.
    pub fn of(bodies: &[Solved], changes: &[Change], length: f64, looks_at_start: bool) -> Self {
        let n_bodies = bodies.len();
        let zeros = || Room::zeros(BLOCK * n_bodies);
        let ends = Vec::with_capacity(changes.len() * n_bodies);
        let pose = if looks_at_start { zeros() } else { Room::default() };
        let mut moves = Self { path: zeros(), pose, momentum: zeros(), centres: None, ends, n_bodies };
        for (lane, change) in changes.iter().enumerate() {
            for (local, body) in bodies.iter().enumerate() {
                let (effect, centre) = body.effects(change, change.time_step * length);
                let mut pose = change.start[body.id].to_vector().fixed_rows::<BLOCK>(0).into_owned();
                let mut path = effect.path;
                if let Some(centre) = centre {
                    path += linear(&centre.path);
                    pose += linear(&centre.start);
                    moves.add_centre(lane, local, &centre);
                }
                let at = BLOCK * local;
                put(lane, &path, &mut moves.path[at..]);
                if looks_at_start {
                    put(lane, &pose, &mut moves.pose[at..]);
                }
                put(lane, &effect.momentum, &mut moves.momentum[at..]);
                moves.ends.push(effect.end);
            }
        }
        moves
    }

    /// The state of a body at the end, without what its velocity does.
    pub fn end(&self, lane: usize, local: usize) -> &SVector<f64, STATE> {
        &self.ends[lane * self.n_bodies + local]
    }

    fn add_centre(&mut self, lane: usize, local: usize, centre: &CentreEffect) {
        let zeros = || Room::zeros(BLOCK * self.n_bodies);
        let to = self.centres.get_or_insert_with(|| Centres { path: zeros(), swept: zeros() });
        put(lane, &linear(&centre.path), &mut to.path[BLOCK * local..]);
        put(lane, &linear(&centre.swept), &mut to.swept[BLOCK * local..]);
    }
}

fn linear(vector: &Vector3<f64>) -> Vector6<f64> {
    stacked(vector, &Vector3::zeros())
}
