//! Extrapolation of bodies and impulses along the conjugate direction.

use crate::batch::{Batch, Lane};
use crate::bodies::{Direction, SweptBody};
use crate::parameters::LEAST_DIRECTION;
use crate::simd::WIDTH;

/// Moves bodies on along the search direction, and takes their last change into it.
pub fn extrapolate_bodies(bodies: &mut [SweptBody], directions: &mut [Direction], by: f32) {
    for (body, direction) in bodies.iter_mut().zip(directions) {
        extrapolate_body(body, direction, by);
    }
}

fn extrapolate_body(body: &mut SweptBody, Direction([start, along]): &mut Direction, by: f32) {
    for d in [0, 1, 2, 4, 5, 6] {
        let velocity = &mut body.0[0][d];
        let step = flushed(by * along[d]);
        along[d] = step + (*velocity - start[d]);
        *velocity += step;
        start[d] = *velocity;
    }
}

fn flushed(x: f32) -> f32 {
    if x.abs() < LEAST_DIRECTION { 0.0 } else { x }
}

/// Moves the impulses of a batch on along the search direction, and takes their last change into it.
pub fn extrapolate_impulses(batch: &mut Batch, by: f32) {
    for row in 0..4 {
        go_on((&mut batch.impulse[row], &mut batch.direction[row], &mut batch.change[row]), by);
    }
}

/// Moves one impulse of eight contacts on along its direction, and takes its last change into it.
pub fn go_on((impulse, direction, change): (&mut Lane, &mut Lane, &mut Lane), by: f32) {
    for lane in 0..WIDTH {
        let step = flushed(by * direction[lane]);
        direction[lane] = step + change[lane];
        impulse[lane] += step;
        change[lane] = 0.0;
    }
}
