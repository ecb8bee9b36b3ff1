//! Friction of manifolds acts at the equivalent contact point, which moves with the load: the tangential rows
//! J_t + Σ (λ_j − λ̂_j) S_j follow the impulses between sweeps.

use crate::solver::sweeps::batch::Batch;
use crate::solver::sweeps::lanes::{Lanes, Row, WIDTH, push};
use crate::solver::sweeps::moving::Moving;
use crate::solver::sweeps::section::{Node, Section, Visit};

/// Brings tangential rows up to date with the impulses, and with them the velocities, and the search
/// direction.
pub(super) struct FollowLoad;

impl Visit for FollowLoad {
    type Found = ();

    fn visit(&self, _: &Node, own: Section<'_>) {
        if !own.shifts.is_empty() {
            pulp::Arch::new().dispatch(FollowOwn(own));
        }
    }

    fn add(&self, (): (), (): ()) {}
}

struct FollowOwn<'a>(Section<'a>);

impl pulp::WithSimd for FollowOwn<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        let Self(mut own) = self;
        for k in 0..own.batches.len() {
            let batch = own.batches[k];
            if batch.kind.moves {
                move_batch(&batch, &mut own);
            }
        }
    }
}

#[inline(always)]
fn move_batch(batch: &Batch, own: &mut Section<'_>) {
    let (n, tangential) = (batch.kind.n_normal, batch.kind.n_tangential());
    let mut sum = [0.0; WIDTH];
    for of in &own.impulses[batch.row..batch.row + n] {
        sum.iter_mut().zip(&of.x).for_each(|(sum, x)| *sum += x.max(0.0));
    }
    let mut moved = [[[0.0; WIDTH]; 12]; 2];
    let mut raised = [[0.0; WIDTH]; 2];
    for j in 0..n {
        let row = batch.row + j;
        let (x, terms) = (&own.impulses[row].x, &mut own.terms[row]);
        let mut change = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let fraction = x[lane].max(0.0) / sum[lane];
            let excess = if sum[lane] > 0.0 { fraction - terms.load_fraction[lane] } else { 0.0 };
            change[lane] = excess - terms.excess[lane];
            terms.excess[lane] = excess;
        }
        for i in 0..tangential {
            let shift = &own.shifts[batch.shift + j * tangential + i];
            push(&shift.along, &change, &mut moved[i]);
            for ((raised, change), offset) in raised[i].iter_mut().zip(&change).zip(&shift.offset) {
                *raised += change * offset;
            }
        }
    }
    for i in 0..tangential {
        let row = &mut own.rows[batch.row + n + i];
        add(&moved[i], &mut row.along);
        row.offset.iter_mut().zip(&raised[i]).for_each(|(offset, raised)| *offset += raised);
        let of = own.impulses[batch.row + n + i];
        for (side, bodies) in batch.bodies.iter().enumerate() {
            for (lane, body) in bodies.iter().enumerate() {
                let moved: [f64; 6] = std::array::from_fn(|d| moved[i][6 * side + d][lane]);
                follow(
                    &mut own.motions[*body as usize],
                    &moved,
                    [of.x, of.direction, of.change].map(|x| x[lane]),
                );
            }
        }
    }
}

/// A row of a body moved: it pushes in another direction, and has always done so.
#[inline(always)]
fn follow(body: &mut Moving, moved: &[f64; 6], [x, direction, change]: [f64; 3]) {
    for (d, moved) in moved.iter().enumerate() {
        body.w[d] += moved * x;
        body.direction[d] += moved * direction;
        body.start[d] += moved * (x - change);
    }
}

#[inline(always)]
fn add(moved: &Row, to: &mut Row) {
    let add = |moved: &Lanes, to: &mut Lanes| {
        for lane in 0..WIDTH {
            to[lane] += moved[lane];
        }
    };
    moved.iter().zip(to).for_each(|(moved, to)| add(moved, to));
}
