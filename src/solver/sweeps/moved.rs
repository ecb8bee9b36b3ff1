//! Friction of manifolds acts at the equivalent contact point, which moves with the load: the tangential rows
//! J_t + Σ (λ_j − λ̂_j) S_j follow the impulses between sweeps.

use crate::solver::sweeps::conjugate::Conjugate;
use crate::solver::sweeps::lanes::{Lanes, Row, WIDTH, gather, push, scatter};
use crate::solver::sweeps::rows::{Batch, Rows};

impl Rows {
    /// Whether some rows move.
    pub fn move_with_load(&self) -> bool {
        !self.shift_rows.is_empty()
    }

    /// Brings tangential rows up to date with the impulses, and with them the velocities, and the search
    /// direction.
    #[inline(always)]
    pub fn follow_load(&mut self, conjugate: &mut Conjugate) {
        for k in 0..self.batches.len() {
            let batch = self.batches[k];
            if batch.kind.moves {
                self.move_batch(&batch, conjugate);
            }
        }
    }

    #[inline(always)]
    fn move_batch(&mut self, batch: &Batch, conjugate: &mut Conjugate) {
        let (n, tangential) = (batch.kind.n_normal, batch.kind.n_tangential());
        let mut sum = [0.0; WIDTH];
        for x in &self.x[batch.row..batch.row + n] {
            for lane in 0..WIDTH {
                sum[lane] += x[lane].max(0.0);
            }
        }
        let mut moved = [[[0.0; WIDTH]; 12]; 2];
        let mut raised = [[0.0; WIDTH]; 2];
        for j in 0..n {
            let row = batch.row + j;
            let mut change = [0.0; WIDTH];
            for lane in 0..WIDTH {
                let share = self.x[row][lane].max(0.0) / sum[lane];
                let excess = if sum[lane] > 0.0 { share - self.share[row][lane] } else { 0.0 };
                change[lane] = excess - self.excess[row][lane];
                self.excess[row][lane] = excess;
            }
            for i in 0..tangential {
                let shift = batch.shift + j * tangential + i;
                push(&self.shift_rows[shift], &change, &mut moved[i]);
                let offset = &self.shift_offset[shift];
                for ((raised, change), offset) in raised[i].iter_mut().zip(&change).zip(offset) {
                    *raised += change * offset;
                }
            }
        }
        for i in 0..tangential {
            let row = batch.row + n + i;
            add(&moved[i], &mut self.rows[row]);
            self.offset[row].iter_mut().zip(&raised[i]).for_each(|(offset, raised)| *offset += raised);
        }
        let first = batch.row + n;
        for (along, motions) in [
            (&self.x, &mut self.w),
            (&conjugate.direction, &mut conjugate.direction_w),
            (&conjugate.change, &mut conjugate.change_w),
        ] {
            let mut gathered = gather(motions, &batch.bodies);
            for i in 0..tangential {
                push(&moved[i], &along[first + i], &mut gathered);
            }
            scatter(&gathered, &batch.bodies, motions);
        }
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
