//! What a drop test is: the scene, the body, and how it is thrown.

use signorini_error::{Error, Result};
use signorini_scene::scene::packing::Draw;
use signorini_scene::scene::{Body, Scene};
use nalgebra::Vector3;

/// Generators of the scene have small numbers; drops have theirs above.
const FIRST_GENERATOR: u64 = 1 << 32;

/// How the body is thrown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Throw {
    /// Seed of all drops.
    pub seed: u64,
    /// Largest speed (m/s, ≥ 0), added to the velocity in the scene: uniform in a ball.
    pub speed: f64,
    /// Largest angular velocity (rad/s, ≥ 0), added likewise.
    pub spin: f64,
}

/// A body that is dropped many times.
#[derive(Debug, Clone)]
pub struct DropTest {
    scene: Scene,
    /// Which body.
    body: usize,
    throw: Throw,
}

impl DropTest {
    /// Drops of a body of a scene, by its name, or of the only one that moves.
    ///
    /// # Errors
    /// When there is no such body, it does not move, or nothing pulls it down.
    pub fn new(scene: Scene, body: Option<&str>, throw: Throw) -> Result<Self> {
        let fault = |value: String, allowed: String| {
            Err(Error::Usage { what: format!("drop --body {value}"), allowed })
        };
        let moving = || scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed);
        let body = match body {
            Some(name) => match scene.bodies.iter().position(|body| body.name == name) {
                None => {
                    let names: Vec<&str> = moving().take(10).map(|(_, body)| body.name.as_str()).collect();
                    return fault(
                        format!("{name:?}"),
                        format!("no such body; that move: {}", names.join(", ")),
                    );
                }
                Some(id) if scene.bodies[id].fixed => {
                    return fault(
                        format!("{name:?}"),
                        "the body is fixed or driven; one that moves".to_owned(),
                    );
                }
                Some(id) => id,
            },
            None => {
                let mut moving = moving();
                match (moving.next(), moving.next()) {
                    (Some((id, _)), None) => id,
                    _ => return fault("(none)".to_owned(), "name the body that is dropped".to_owned()),
                }
            }
        };
        if scene.gravity == Vector3::zeros() {
            let allowed = "the scene has no gravity; nothing falls".to_owned();
            return Err(Error::Usage { what: "drop".to_owned(), allowed });
        }
        Ok(Self { scene, body, throw })
    }

    /// Id of the body.
    pub fn body_id(&self) -> usize {
        self.body
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.scene.bodies[self.body]
    }

    /// The scene that the drops begin with.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Up (unit).
    pub fn up(&self) -> Vector3<f64> {
        -self.scene.gravity.normalize()
    }

    /// Size of the body (m); of one without any, 1.
    pub fn size(&self) -> f64 {
        self.body().size().unwrap_or(1.0)
    }

    /// Time in which it falls by its size (s).
    pub fn fall_time(&self) -> f64 {
        (2.0 * self.size() / self.scene.gravity.norm()).sqrt()
    }

    /// The scene of a drop, by its number: the body is where the scene has it, in a random orientation,
    /// uniform on the rotations.
    pub fn start(&self, number: usize) -> Scene {
        let mut draw = Draw::new(self.throw.seed, FIRST_GENERATOR + number as u64);
        let mut scene = self.scene.clone();
        let body = &mut scene.bodies[self.body];
        body.pose.orientation = draw.rotation();
        body.velocity.linear += draw.in_ball() * self.throw.speed;
        body.velocity.angular += draw.in_ball() * self.throw.spin;
        scene
    }
}
