//! Eight numbers at once, one of each contact of a batch. Plain loops over them become vector instructions
//! where a dispatch of `pulp` encloses them.

/// Contacts of a batch.
pub(super) const WIDTH: usize = 8;

/// One number of each contact of a batch.
pub(super) type Lanes = [f64; WIDTH];

/// A row of each contact: six entries of its first body, six of its second.
pub(super) type Row = [Lanes; 12];

/// Velocities of a body, six of them and two zeros, which align them.
pub(super) type Motion = [f64; 8];

/// Motions of the two bodies of each contact.
#[inline(always)]
pub(super) fn gather(motions: &[Motion], bodies: &[[u32; WIDTH]; 2]) -> Row {
    let mut gathered = [[0.0; WIDTH]; 12];
    for (side, bodies) in bodies.iter().enumerate() {
        for (lane, body) in bodies.iter().enumerate() {
            let motion = &motions[*body as usize];
            for d in 0..6 {
                gathered[6 * side + d][lane] = motion[d];
            }
        }
    }
    gathered
}

/// Writes them back. Contacts of a batch have no body in common, but for the last one, which never moves.
#[inline(always)]
pub(super) fn scatter(gathered: &Row, bodies: &[[u32; WIDTH]; 2], motions: &mut [Motion]) {
    for (side, bodies) in bodies.iter().enumerate() {
        for (lane, body) in bodies.iter().enumerate() {
            let motion = &mut motions[*body as usize];
            for d in 0..6 {
                motion[d] = gathered[6 * side + d][lane];
            }
        }
    }
}

/// y = y₀ + J w.
#[inline(always)]
pub(super) fn slip(row: &Row, gathered: &Row, offset: &Lanes) -> Lanes {
    let (mut first, mut second) = (*offset, [0.0; WIDTH]);
    for d in 0..6 {
        for lane in 0..WIDTH {
            first[lane] = row[d][lane].mul_add(gathered[d][lane], first[lane]);
            second[lane] = row[d + 6][lane].mul_add(gathered[d + 6][lane], second[lane]);
        }
    }
    for lane in 0..WIDTH {
        first[lane] += second[lane];
    }
    first
}

/// w += Jᵀ dx.
#[inline(always)]
pub(super) fn push(row: &Row, dx: &Lanes, gathered: &mut Row) {
    for (row, gathered) in row.iter().zip(gathered) {
        for lane in 0..WIDTH {
            gathered[lane] = row[lane].mul_add(dx[lane], gathered[lane]);
        }
    }
}
