//! Mechanisms in joint coordinates: coordinates q and rates q̇ of the poses and velocities of bodies that
//! joints connect, and back; velocity Jacobians and mass matrix.
//!
//! Bodies have maximal coordinates here: each has a pose and a velocity of its own. Joint coordinates belong
//! to a forest: the fixed and driven bodies together are its ground, and a joint is one of its branches
//! unless joints before it in the scene, or a distance joint's one equation, connect its bodies already.
//! Joints that are left out close loops, and [`Mechanism::loop_jacobian`] has their equations.

mod coordinates;
mod forest;
mod jacobian;
mod place;
#[cfg(test)]
mod tests;
mod ways;

pub use coordinates::of_joints;

use forest::Forest;
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;

/// The mechanism of a scene: all bodies that joints connect.
///
/// The entries of q̇, in their order: of each tree that is not on the ground, velocity of the centre of mass
/// (m/s) and angular velocity (rad/s) of its first body, world axes; then the rates of each joint of the
/// forest, in the order of the scene. Those of q: position (m) and quaternion (w, x, y, z) of the first body;
/// then the coordinates of each joint. These are
///
/// | joint | coordinates q | rates q̇ |
/// |---|---|---|
/// | fixed | none | none |
/// | revolute | angle (rad, −π to π) | rad/s |
/// | prismatic | slide (m) | m/s |
/// | cylindrical | slide, angle | m/s, rad/s |
/// | universal | angle about z of A, angle about x of B | rad/s |
/// | planar | slides along x and y of A, angle | m/s, rad/s |
/// | ball | quaternion of B's frame in A's | angular velocity in the axes of A's frame (rad/s) |
///
/// with the frames of the joint in its bodies A and B.
///
/// ```
/// # use signorini::{Body, Joint, Scene, Simulation};
/// # use signorini::mechanism::Mechanism;
/// # let mut scene = Scene::builder();
/// let post = scene.body(Body::sphere(0.1).fixed());
/// let bob = scene.body(Body::sphere(0.1).mass(2.0).at([0.0, 0.0, -1.0]));
/// scene.joint(Joint::revolute(post, bob, [0.0; 3], [0.0, 1.0, 0.0]));
/// let simulation = Simulation::new(scene.build()?)?;
/// let mechanism = Mechanism::of(simulation.scene());
/// let inertia = mechanism.mass_matrix(simulation.state());
/// assert!((inertia[(0, 0)] - 2.0 * (1.0 + 0.4 * 0.01)).abs() < 1e-12); // m (l² + 2/5 r²)
/// # Ok::<(), signorini::Error>(())
/// ```
#[derive(Debug)]
pub struct Mechanism<'a> {
    scene: &'a Scene,
    forest: Forest,
}

impl<'a> Mechanism<'a> {
    /// The mechanism of a scene.
    pub fn of(scene: &'a Scene) -> Self {
        Self { scene, forest: Forest::of(scene) }
    }

    /// Number of entries of q.
    pub fn n_coordinates(&self) -> usize {
        self.forest.n_coordinates
    }

    /// Number of entries of q̇.
    pub fn n_rates(&self) -> usize {
        self.forest.n_rates
    }

    /// Joints that are no branch of the forest: they close loops. Places in the scene.
    pub fn loops(&self) -> &[usize] {
        &self.forest.loops
    }

    /// Refuses lists that are not as long as q and q̇, and numbers that are not finite.
    fn check(&self, q: &[f64], rates: Option<&[f64]>) -> Result<()> {
        let lists = [("q", Some(q), self.n_coordinates()), ("qdot", rates, self.n_rates())];
        for (name, list, length) in lists {
            let Some(list) = list else { continue };
            if list.len() != length {
                let what = format!("{name} with {} entries", list.len());
                return Err(Error::Usage { what, allowed: format!("must have {length}") });
            }
            if let Some(place) = list.iter().position(|x| !x.is_finite()) {
                let what = format!("{name}[{place}] = {}", list[place]);
                return Err(Error::Usage { what, allowed: "must be a finite number".to_owned() });
            }
        }
        Ok(())
    }
}
