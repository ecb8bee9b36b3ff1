//! One 6×6 block of the Newton matrix A − K + Jᵀ G Y, gathered over the contacts that reach it in their
//! order. The shader makes the blocks of a body's rows in one go, since the data of a contact is one for the
//! body's own block and for that with the other body; here each is made by itself.

use super::types::{ContactDerivative, PairRows};
use crate::real::Real;

/// `mass` is A − (body terms) of a diagonal block, by rows; `terms` are 4 contact + 2 side of the row + side
/// of the column. Angular rows and columns are multiplied by `angular`, 1/L: all entries have one unit then.
pub fn newton_blocks<T: Real>(
    mass: Option<&[T]>,
    angular: T,
    terms: &[u32],
    rows: &[PairRows<T>],
    derivatives: &[ContactDerivative<T>],
) -> [T; 36] {
    let mut out = mass.map_or([T::zero(); 36], |m| std::array::from_fn(|i| m[i]));
    for term in terms {
        let (contact, p, q) = ((term >> 2) as usize, (term >> 1 & 1) as usize, (term & 1) as usize);
        let (rows, derivative) = (&rows[contact], &derivatives[contact]);
        let [force, answer] =
            [[0, 1, 2, 3].map(|k| rows.force(p, k)), [0, 1, 2, 3].map(|k| rows.answer(q, k))];
        for j in 0..6 {
            let y = |k: usize| answer[k][j];
            let [normal_derivative, alpha, beta, coupling] = derivative.slopes;
            let pressed = normal_derivative * y(0);
            let d = derivative.direction;
            let along = d[0] * y(1) + d[1] * y(2) + d[2] * y(3);
            let push = coupling * pressed - beta * along;
            let applied =
                [pressed, alpha * y(1) + d[0] * push, alpha * y(2) + d[1] * push, alpha * y(3) + d[2] * push];
            for i in 0..6 {
                for (k, applied) in applied.iter().enumerate() {
                    out[6 * i + j] += force[k][i] * *applied;
                }
                out[6 * i + j] -= rows.stiff(6 * p + i, 6 * q + j);
            }
        }
    }
    let scale = |i: usize| if i < 3 { T::one() } else { angular };
    std::array::from_fn(|k| out[k] * (scale(k / 6) * scale(k % 6)))
}
