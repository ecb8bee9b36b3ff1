//! Scenes of flat bodies, each against a result that does not come from the solver: statics, the discrete law
//! of friction, pendulums. Every step is solved and green, or the run stops the test.

mod chain;
mod dominoes;
mod falling;
mod pendulum;
mod standing;
mod touching;

use nalgebra::Vector3;
use signorini::step::ContactRecord;
use signorini_scene::scene::{Scene, State};
use support::runs;

const G: f64 = 9.81;

/// The contact of two bodies, by name, in either order.
fn contact<'a>(scene: &Scene, contacts: &'a [ContactRecord], names: [&str; 2]) -> &'a ContactRecord {
    let [a, b] = names.map(|name| runs::body(scene, name));
    let of = |c: &&ContactRecord| (c.body_a, c.body_b) == (a, b) || (c.body_a, c.body_b) == (b, a);
    contacts.iter().find(of).unwrap_or_else(|| panic!("{names:?} are not near each other"))
}

/// The largest distance that a body has gone between two states (m).
fn farthest(from: &State, to: &State) -> f64 {
    let gone = from.poses.iter().zip(&to.poses).map(|(p, q)| (q.position - p.position).norm());
    gone.fold(0.0, f64::max)
}

/// The part of a vector in the plane of x and y.
fn flat(v: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(v.x, v.y, 0.0)
}
