//! Derivatives of reactions with the turn of the bodies, added to a block over the moving sides.

use nalgebra::Matrix3;
use signorini_geometry::linkage::{CarriedForce, Curvature};
use signorini_ncp::linalg::BLOCK;

/// Adds h times the derivative of a torque on B, and its opposite on A, to a block over the moving sides;
/// turns go through their J_l.
pub(super) fn add_couple(
    slope: &[Matrix3<f64>; 2],
    turn: &[Option<&Matrix3<f64>>; 2],
    h: f64,
    out: &mut [f64],
) {
    let width = BLOCK * turn.iter().flatten().count();
    let half = BLOCK / 2;
    let place = [half, if turn[0].is_some() { BLOCK + half } else { half }];
    for (c, turn_c) in turn.iter().enumerate() {
        let Some(turn_c) = turn_c else { continue };
        let turned = slope[c] * *turn_c;
        for (r, sign) in [(0, -1.0), (1, 1.0)] {
            if turn[r].is_some() {
                add_block(&turned, sign * h, (place[r], place[c]), width, out);
            }
        }
    }
}

/// Adds h times the derivative of a carried force to a block over the moving sides; turns go through their
/// J_l.
pub(super) fn add_carried(
    carried: &CarriedForce,
    turn: &[Option<&Matrix3<f64>>; 2],
    h: f64,
    out: &mut [f64],
) {
    let width = BLOCK * turn.iter().flatten().count();
    let b = if turn[0].is_some() { BLOCK } else { 0 };
    let half = BLOCK / 2;
    if let Some(turn_a) = turn[0] {
        let turned = carried.turned_a(turn_a);
        let moved = carried.moved_b();
        add_block(&turned[0], h, (0, half), width, out);
        add_block(&turned[1], h, (half, half), width, out);
        add_block(&moved, -h, (half, 0), width, out);
        if turn[1].is_some() {
            add_block(&turned[2], h, (b, half), width, out);
            add_block(&turned[3], h, (b + half, half), width, out);
            add_block(&moved, h, (half, b), width, out);
        }
    }
    if let Some(turn_b) = turn[1] {
        let turned = carried.turned_b(turn_b);
        add_block(&turned, h, (b + half, b + half), width, out);
        if turn[0].is_some() {
            add_block(&turned, -h, (half, b + half), width, out);
        }
    }
}

/// Adds a scaled 3×3 block at a place (row, column) of a row-major matrix.
fn add_block(block: &Matrix3<f64>, scale: f64, (row, column): (usize, usize), width: usize, out: &mut [f64]) {
    for i in 0..3 {
        let line = &mut out[(row + i) * width + column..][..3];
        for (j, x) in line.iter_mut().enumerate() {
            *x += block[(i, j)] * scale;
        }
    }
}

/// Adds a scaled curvature to a block over the moving sides; turns go through their J_l.
pub(super) fn add_curvature(
    curvature: &Curvature,
    turn: &[Option<&Matrix3<f64>>; 2],
    scale: f64,
    out: &mut [f64],
) {
    let width = BLOCK * turn.iter().flatten().count();
    let mut first_row = 0;
    for (r, _) in turn.iter().enumerate().filter(|(_, t)| t.is_some()) {
        let mut first_column = 0;
        for (c, turn) in turn.iter().enumerate() {
            let Some(turn) = turn else { continue };
            for half in 0..2 {
                let moved = curvature[2 * r + half][2 * c] * scale;
                let turned = curvature[2 * r + half][2 * c + 1] * *turn * scale;
                for i in 0..3 {
                    let line = &mut out[(first_row + 3 * half + i) * width + first_column..][..BLOCK];
                    for j in 0..3 {
                        line[j] += moved[(i, j)];
                        line[3 + j] += turned[(i, j)];
                    }
                }
            }
            first_column += BLOCK;
        }
        first_row += BLOCK;
    }
}
