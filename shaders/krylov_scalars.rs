//! The scalars of a step of BiCGStab (van der Vorst 1992): they stay on the device with the vectors.

use crate::real::Real;

/// r̂·r.
pub const SHADOW: usize = 0;
/// r̂·r of the last step.
pub const LAST: usize = 1;
/// α.
pub const ALPHA: usize = 2;
/// −α.
pub const MINUS_ALPHA: usize = 3;
/// ω.
pub const OMEGA: usize = 4;
/// −ω.
pub const MINUS_OMEGA: usize = 5;
/// β.
pub const BETA: usize = 6;
/// r̂·v.
pub const STEERED: usize = 7;
/// t·s.
pub const TS: usize = 8;
/// t·t.
pub const TT: usize = 9;
/// r·r.
pub const SQUARE: usize = 10;
/// r·r at which the system is solved.
pub const GOAL: usize = 11;
/// Steps taken: the status word.
pub const COUNT: usize = 12;
/// Scalars in all.
pub const SCALARS: usize = 16;

/// Names of the scalars in the shader.
pub const NAMES: &[(&str, u32)] = &[
    ("SHADOW", SHADOW as u32),
    ("LAST", LAST as u32),
    ("ALPHA", ALPHA as u32),
    ("MINUS_ALPHA", MINUS_ALPHA as u32),
    ("OMEGA", OMEGA as u32),
    ("MINUS_OMEGA", MINUS_OMEGA as u32),
    ("BETA", BETA as u32),
    ("STEERED", STEERED as u32),
    ("TS", TS as u32),
    ("TT", TT as u32),
    ("SQUARE", SQUARE as u32),
    ("GOAL", GOAL as u32),
    ("COUNT", COUNT as u32),
];

/// a/b, or 0 where b is 0.
fn quotient<T: Real>(a: T, b: T) -> T {
    if b == T::zero() { b } else { a / b }
}

/// Stage 0 makes β, stage 1 α, stage 2 ω; once solved all are 0 and nothing moves.
pub fn krylov_scalars<T: Real>(s: &mut [T], stage: u32) {
    let going = s[SQUARE] > s[GOAL];
    let kept = |x: T| if going { x } else { T::zero() };
    match stage {
        0 => {
            s[BETA] = kept(quotient(s[SHADOW], s[LAST]) * quotient(s[ALPHA], s[OMEGA]));
            s[LAST] = s[SHADOW];
        }
        1 => {
            s[ALPHA] = kept(quotient(s[SHADOW], s[STEERED]));
            s[MINUS_ALPHA] = -s[ALPHA];
        }
        _ => {
            s[OMEGA] = kept(quotient(s[TS], s[TT]));
            s[MINUS_OMEGA] = -s[OMEGA];
            s[COUNT] += kept(T::one());
        }
    }
}
