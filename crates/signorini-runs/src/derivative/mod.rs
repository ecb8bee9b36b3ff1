//! A judge of derivatives: it compares them with differences of steps that are solved again, and believes
//! neither.

mod differences;
mod direction;

use differences::Differences;
use direction::{Direction, NOTHING, Scales};
use rand_pcg::Pcg64;
use serde::Serialize;
use signorini::simulation::{Simulation, Tape};
use signorini::step::BodyTangent;
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;

/// Which derivatives are judged.
#[derive(Debug, Clone, Copy)]
pub struct JudgeOptions {
    /// Steps that are taken before.
    pub first: usize,
    /// Steps that the derivatives are over.
    pub steps: usize,
    /// Random directions in the state at the start.
    pub directions: usize,
    /// Seed of the directions.
    pub seed: u64,
}

/// A derivative beside differences.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// Direction of the change.
    pub direction: String,
    /// Largest change of the state at the end, in units of the scene, for one unit of the direction.
    pub size: f64,
    /// Largest deviation of the derivative from the differences, over `size`.
    pub deviation: f64,
    /// How far the differences agree among themselves, over `size`: their error bar.
    pub error_bar: f64,
    /// Deviation of λ·(D u) from (Dᵀ λ)·u for a random λ, over their sizes.
    pub adjoint: f64,
    /// Share of the direction that contacts which hold contradict: overconstrained bodies have no derivative
    /// in it.
    pub contradiction: f64,
}

/// Result of a judge.
#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    /// Time at the start of the first step of the derivatives (s).
    pub time: f64,
    /// Steps.
    pub steps: usize,
    /// Names of pairs of bodies on a border of their contact status, over all steps.
    pub borders: Vec<[String; 2]>,
    /// Why islands have no derivatives, over all steps.
    pub obstacles: Vec<String>,
    /// Each direction.
    pub judged: Vec<Judged>,
}

/// Residual to which all steps are solved.
const POLISHED: f64 = 1e-12;

impl Judged {
    /// Largest deviation that passes, beside the error bars.
    pub const TOLERANCE: f64 = 1e-6;

    /// Whether contacts that hold contradict the direction, so that there is no derivative in it. A direction
    /// in which next to nothing moves has large shares of rounding.
    pub fn is_overconstrained(&self) -> bool {
        const CONTRADICTED: f64 = 1e-6;
        self.contradiction > CONTRADICTED && !(self.is_judged() && self.matches())
    }

    /// Whether the differences agree among themselves well enough to judge. They do not where they see a kink
    /// at every size, and where what is left of the solves' residuals is as large as they are.
    pub fn is_judged(&self) -> bool {
        const UNSETTLED: f64 = 1e-2;
        self.error_bar <= UNSETTLED
    }

    /// Whether the derivative agrees with the differences, as far as these agree among themselves, and with
    /// its adjoint, or says that it is none.
    pub fn agrees(&self) -> bool {
        self.is_overconstrained() || self.matches()
    }

    fn matches(&self) -> bool {
        const ADJOINT: f64 = 1e-10;
        const BARS: f64 = 10.0;
        self.deviation <= Self::TOLERANCE.max(BARS * self.error_bar) && self.adjoint <= ADJOINT
    }
}

/// Judges derivatives of a scene.
///
/// # Errors
/// When the scene cannot be run, has no derivatives, or bodies come and go.
pub fn judge(mut scene: Scene, options: &JudgeOptions) -> Result<Judgement> {
    if !scene.inlets.is_empty() || !scene.outlets.is_empty() {
        return Err(Error::Usage {
            what: "derivatives of a scene with inlets or outlets".to_owned(),
            allowed: "bodies must neither come nor leave".to_owned(),
        });
    }
    scene.solver.tolerance = scene.solver.tolerance.min(POLISHED);
    let scales = Scales::of(&scene);
    let mut simulation = Simulation::new(scene)?;
    simulation.judge_steps(false);
    for _ in 0..options.first {
        simulation.advance();
    }
    let (saved, time) = (simulation.save(), simulation.time());
    let mut tape = Tape::default();
    for _ in 0..options.steps {
        tape.push(simulation.advance_with_derivatives()?.1);
    }
    let scene = simulation.scene();
    let names = |pair: [usize; 2]| pair.map(|id| scene.bodies[id].name.clone());
    let mut borders: Vec<_> = tape.steps().iter().flat_map(|step| step.borders()).map(names).collect();
    let mut obstacles: Vec<_> =
        tape.steps().iter().flat_map(|step| step.obstacles()).map(|obstacle| obstacle.to_string()).collect();
    obstacles.sort_unstable();
    obstacles.dedup();
    borders.sort_unstable();
    borders.dedup();
    let mut random = Pcg64::new(u128::from(options.seed), 0);
    let mut directions = Direction::parameters(scene, &scales, options.first);
    directions.extend((0..options.directions).map(|k| Direction::random(k, scene, &scales, &mut random)));
    let differences = Differences { saved: &saved, steps: options.steps, end: simulation.state() };
    let mut judged = Vec::new();
    for direction in &directions {
        let derivative = tape.apply(|k| direction.change(k));
        let contradiction = tape.contradiction();
        let size = scales.largest(&derivative);
        let (difference, bar) = differences.along(direction, &scales, size)?;
        let size = size.max(scales.largest(&difference));
        let relative = |x: f64| x / size.max(NOTHING);
        judged.push(Judged {
            direction: direction.name.clone(),
            size,
            deviation: relative(scales.apart(&derivative, &difference)),
            error_bar: relative(bar),
            contradiction,
            adjoint: adjoint_error(&mut tape, direction, &derivative, &scales.random(scene, &mut random)),
        });
    }
    Ok(Judgement { time, steps: options.steps, borders, obstacles, judged })
}

/// |λ·D u − Dᵀλ·u| over the larger of the sums of their terms' magnitudes.
fn adjoint_error(
    tape: &mut Tape,
    direction: &Direction,
    derivative: &[BodyTangent],
    gradient: &[BodyTangent],
) -> f64 {
    let terms = |a: &[BodyTangent], b: &[BodyTangent]| -> Vec<f64> {
        let of = |(a, b): (&BodyTangent, &BodyTangent)| a.to_vector().component_mul(&b.to_vector());
        a.iter().zip(b).flat_map(|pair| <[f64; BodyTangent::LEN]>::from(of(pair))).collect()
    };
    let forward = terms(gradient, derivative);
    let mut backward = Vec::new();
    for (k, change) in tape.adjoint(gradient).iter().enumerate() {
        let cause = direction.change(k);
        if k == 0 {
            backward.extend(terms(&change.start, &cause.start));
        }
        backward.push(change.friction * cause.friction);
        backward.push(change.restitution * cause.restitution);
        backward.extend(<[f64; 3]>::from(change.gravity.component_mul(&cause.gravity)));
        backward.extend(change.motor.iter().zip(&cause.motor).map(|(a, b)| a * b));
        backward.extend(change.course.iter().zip(&cause.course).map(|(a, b)| a * b));
        backward.extend(change.motion.iter().zip(&cause.motion).map(|(a, b)| a * b));
        backward.push(change.time_step * cause.time_step);
        backward.push(change.time * cause.time);
        for (own, other) in change.joint.iter().flatten().zip(cause.joint.iter().flatten()) {
            backward.extend(<[f64; 3]>::from(own.anchor.component_mul(&other.anchor)));
            backward.extend(<[f64; 3]>::from(own.turn.component_mul(&other.turn)));
        }
        let inertias = change.inertia.iter().zip(&cause.inertia);
        backward.extend(inertias.flat_map(|(a, b)| <[f64; 6]>::from(a.component_mul(b))));
        let centres = change.centre.iter().zip(&cause.centre);
        backward.extend(centres.flat_map(|(a, b)| <[f64; 3]>::from(a.component_mul(b))));
        let sizes = change.size.iter().zip(&cause.size);
        backward.extend(sizes.flat_map(|(a, b)| <[f64; 3]>::from(a.component_mul(b))));
        backward.extend(change.mass.iter().zip(&cause.mass).map(|(a, b)| a * b));
        for (own, other) in [(&change.impulse, &cause.impulse), (&change.force, &cause.force)] {
            let parts = own.iter().flatten().zip(other.iter().flatten());
            backward.extend(parts.flat_map(|(a, b)| <[f64; 3]>::from(a.component_mul(b))));
        }
    }
    // A function that hardly answers to the direction is measured by what it answers to.
    let sums = [&forward, &backward].map(|terms| terms.iter().sum::<f64>());
    let size = [&forward, &backward].map(|terms| terms.iter().map(|x| x.abs()).sum::<f64>());
    (sums[0] - sums[1]).abs() / size[0].max(size[1]).max(NOTHING)
}
