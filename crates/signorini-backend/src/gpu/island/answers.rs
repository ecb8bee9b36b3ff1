//! Requests of a solver to pairs on a device: one submission and one read-back per request.

use super::super::device::Bound;
use super::super::numbers::flat;
use super::{GpuIsland, IslandBuffer};
use crate::{Fault, Precision};
use signorini_kernels::device_pairs::{DevicePairs, Lost};
use signorini_kernels::types::{ContactDerivative, ContactLawState};
use signorini_ncp::linalg::{BLOCK, BLOCK_LEN};

impl GpuIsland {
    fn project_here(&self, w: &[f64]) -> Result<Vec<Vec<f64>>, Fault> {
        let r = self.recorded()?;
        self.put_moved(r, w);
        let derivatives = (IslandBuffer::Derivatives, self.keys.len() * ContactDerivative::<f64>::LEN);
        self.run(r, &[&r.slip, &r.projection, &r.momentum], &[(IslandBuffer::Force, w.len()), derivatives])
    }

    fn slip_here(&self, w: &[f64]) -> Result<Vec<[f64; 4]>, Fault> {
        let r = self.recorded()?;
        self.put_moved(r, w);
        let length = ContactLawState::<f64>::LEN;
        let found = self.run(r, &[&r.slip], &[(IslandBuffer::Law, self.keys.len() * length)])?;
        Ok(found[0].chunks_exact(length).map(|c| ContactLawState::read(c).slip).collect())
    }

    fn push_here(&self, derivatives: &[ContactDerivative<f64>]) -> Result<Vec<f64>, Fault> {
        let r = self.recorded()?;
        self.put_derivatives(r, derivatives);
        let n = BLOCK * self.n_moving;
        self.put_moved(r, &vec![0.0; n]);
        Ok(self.run(r, &[&r.momentum], &[(IslandBuffer::Force, n)])?.remove(0))
    }

    fn blocks_here(&self) -> Result<Vec<f64>, Fault> {
        let r = self.recorded()?;
        let first: &[&Bound] = if self.is_stale { &[&r.blocks] } else { &[] };
        let read = (IslandBuffer::Blocks, BLOCK_LEN * self.graph.pattern.column.len());
        Ok(self.run(r, first, &[read])?.remove(0))
    }

    fn solve_here(&self, b: &[f64], tolerance: f64, most: usize) -> Result<(Vec<f64>, usize, bool), Fault> {
        let r = self.recorded()?;
        let first: &[&Bound] = if self.is_stale { &[&r.blocks] } else { &[] };
        self.krylov.iterate(&r.system, first, b, tolerance, most)
    }
}

impl DevicePairs for GpuIsland {
    fn is_exact(&self) -> bool {
        self.precision == Precision::F64
    }

    fn begin(&mut self, contacts: &[ContactLawState<f64>], rho: f64) -> Result<(), Lost> {
        let outcome = self.recorded().map(|r| {
            self.put(
                r,
                IslandBuffer::Law,
                &flat(contacts, ContactLawState::<f64>::LEN, ContactLawState::write),
            );
            self.put(r, IslandBuffer::Rho, &[rho]);
        });
        self.note(outcome)
    }

    fn project(
        &mut self,
        w: &[f64],
        force: &mut [f64],
        derivatives: &mut Vec<ContactDerivative<f64>>,
    ) -> Result<(), Lost> {
        let found = self.project_here(w);
        let found = self.note(found)?;
        self.is_stale = true;
        force.copy_from_slice(&found[0]);
        derivatives.clear();
        derivatives.extend(found[1].chunks_exact(ContactDerivative::<f64>::LEN).map(ContactDerivative::read));
        Ok(())
    }

    fn slip(&mut self, w: &[f64], out: &mut Vec<[f64; 4]>) -> Result<(), Lost> {
        let found = self.slip_here(w);
        *out = self.note(found)?;
        Ok(())
    }

    fn push(&mut self, derivatives: &[ContactDerivative<f64>], force: &mut [f64]) -> Result<(), Lost> {
        let found = self.push_here(derivatives);
        force.copy_from_slice(&self.note(found)?);
        self.is_stale = true;
        Ok(())
    }

    fn assemble(&mut self, derivatives: Option<&[ContactDerivative<f64>]>, length: f64) -> Result<(), Lost> {
        let outcome = self.recorded().map(|r| {
            self.put(r, IslandBuffer::Angular, &[1.0 / length]);
            if let Some(derivatives) = derivatives {
                self.put_derivatives(r, derivatives);
            }
        });
        // The matrix is made with the next request.
        self.is_stale = true;
        self.note(outcome)
    }

    fn blocks(&mut self, values: &mut Vec<f64>) -> Result<(), Lost> {
        let found = self.blocks_here();
        *values = self.note(found)?;
        self.is_stale = false;
        Ok(())
    }

    fn solve(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Result<Option<usize>, Lost> {
        if b.iter().all(|b| *b == 0.0) {
            x.fill(0.0);
            return Ok(Some(0));
        }
        let found = self.solve_here(b, tolerance, most);
        let (found, steps, solved) = self.note(found)?;
        self.is_stale = false;
        if !solved || found.iter().any(|x| !x.is_finite()) {
            return Ok(None);
        }
        x.copy_from_slice(&found);
        Ok(Some(steps))
    }
}
