//! Definition of a drop test: the scene, the body, and the random start.

use crate::output::digest::Value as Digest;
use nalgebra::Vector3;
use signorini_error::{Error, Result};
use signorini_scene::scene::packing::RandomStream;
use signorini_scene::scene::{self, Body, Scene};

/// First number of the drops' generators of random numbers; the scene's generators have small numbers.
const FIRST_GENERATOR: u64 = 1 << 32;

/// Random start of the body.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomStart {
    /// Seed of all drops.
    pub seed: u64,
    /// Largest speed (m/s, ≥ 0), added to the velocity in the scene: uniform in a ball.
    pub speed: f64,
    /// Largest angular velocity (rad/s, ≥ 0), added to that in the scene: uniform in a ball.
    pub spin: f64,
}

/// Drop test: a body that is dropped many times.
#[derive(Debug, Clone)]
pub struct DropTest {
    scene: Scene,
    /// Id of the body.
    body: usize,
    start: RandomStart,
}

impl DropTest {
    /// Makes the drop test of a body of a scene, named or the only one that moves.
    ///
    /// # Errors
    /// When the scene lacks the body, the body does not move, or no gravity pulls it down.
    pub fn new(scene: Scene, body: Option<&str>, start: RandomStart) -> Result<Self> {
        let fault = |value: String, allowed: String| {
            Err(Error::Usage { what: format!("drop: body {value}"), allowed })
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
        Ok(Self { scene, body, start })
    }

    /// Id of the body.
    pub fn body_id(&self) -> usize {
        self.body
    }

    /// Dropped body.
    pub fn body(&self) -> &Body {
        &self.scene.bodies[self.body]
    }

    /// Scene with which the drops begin.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Direction up (unit).
    pub fn up(&self) -> Vector3<f64> {
        -self.scene.gravity.normalize()
    }

    /// Size of the body (m); 1 for a body without a size.
    pub fn size(&self) -> f64 {
        self.body().size().unwrap_or(1.0)
    }

    /// Time in which the body falls by its size (s).
    pub fn fall_time(&self) -> f64 {
        (2.0 * self.size() / self.scene.gravity.norm()).sqrt()
    }

    /// Returns the scene of a drop, by its number: the body has the position of the scene and a random
    /// orientation, uniform on the rotations.
    pub fn start(&self, number: usize) -> Scene {
        let mut draw = RandomStream::new(self.start.seed, FIRST_GENERATOR + number as u64);
        let mut scene = self.scene.clone();
        let body = &mut scene.bodies[self.body];
        body.pose.orientation = draw.rotation();
        body.velocity.linear += draw.in_ball() * self.start.speed;
        body.velocity.angular += draw.in_ball() * self.start.spin;
        scene
    }

    /// Digest of all that decides the drops, but for their number.
    pub fn digest(&self) -> String {
        let RandomStart { seed, speed, spin } = self.start;
        let how = format!(
            "signorini {}\n{} {seed} {speed:?} {spin:?}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.body().name,
            scene::to_toml(&self.scene)
        );
        Digest::of(how.as_bytes()).to_string()
    }
}
