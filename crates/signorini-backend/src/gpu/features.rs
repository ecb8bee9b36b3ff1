//! Culling of candidates and features of boxes on a device: one kernel and one read-back each.

use super::device::{Device, Kernel};
use super::numbers::{BufferPool, ObjectPool, check_finite, flat, read, write};
use super::program::source;
use crate::{Batch, BoxFeatures, Fault, Precision};
use signorini_kernels::types::{BodyState, BoxAxis, BoxPair, PairKey, PairState};

/// Compiled kernels, and memory that is kept.
#[derive(Debug)]
pub struct FeatureKernels {
    axis: Kernel,
    heights: Kernel,
    bound: Kernel,
    precision: Precision,
    pools: ObjectPool<BufferPool>,
}

impl FeatureKernels {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// When a kernel does not compile.
    pub fn new(device: &Device, precision: Precision) -> Result<Self, Fault> {
        let kernel = |name: &str| device.compile(&source(name, precision));
        Ok(Self {
            axis: kernel("box_axis")?,
            heights: kernel("box_half_space")?,
            bound: kernel("candidate_gap")?,
            precision,
            pools: ObjectPool::default(),
        })
    }

    /// Finds features of boxes, see [`crate::Backend::boxes`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn boxes(
        &self,
        device: &Device,
        boxes: &[BoxPair<f64>],
        on_planes: &[BoxPair<f64>],
        out: &mut BoxFeatures,
    ) -> Result<(), Fault> {
        check_finite("boxes", boxes, BoxPair::is_finite)?;
        check_finite("boxes on half-spaces", on_planes, BoxPair::is_finite)?;
        let mut pool = self.pools.take();
        let outcome = self.boxes_in(&mut pool, device, boxes, on_planes, out);
        self.pools.put(pool);
        outcome?;
        check_finite("axes", &out.axes, BoxAxis::is_finite)?;
        check_finite("heights", &out.heights, |h| h.iter().all(|x| x.is_finite()))
    }

    fn boxes_in(
        &self,
        pool: &mut BufferPool,
        device: &Device,
        boxes: &[BoxPair<f64>],
        on_planes: &[BoxPair<f64>],
        out: &mut BoxFeatures,
    ) -> Result<(), Fault> {
        let length = BoxAxis::<f64>::LEN;
        let size = |n: usize| (n * self.precision.bytes()) as u64;
        let sizes = [boxes.len() * BoxPair::<f64>::LEN, boxes.len() * length];
        let heights = [on_planes.len() * BoxPair::<f64>::LEN, 8 * on_planes.len()];
        let a = pool.grow(device, 0, "boxes", size(sizes[0]))?;
        let b = pool.grow(device, 1, "axes", size(sizes[1]))?;
        let c = pool.grow(device, 2, "boxes on half-spaces", size(heights[0]))?;
        let d = pool.grow(device, 3, "heights", size(heights[1]))?;
        write(device, self.precision, &a, &flat(boxes, BoxPair::<f64>::LEN, BoxPair::write));
        write(device, self.precision, &c, &flat(on_planes, BoxPair::<f64>::LEN, BoxPair::write));
        let first = device.bind(&self.axis, boxes.len(), [0; 2], &[&a, &b])?;
        let second = device.bind(&self.heights, on_planes.len(), [0; 2], &[&c, &d])?;
        let found = device.submit(&[&first, &second], &[(&b, size(sizes[1])), (&d, size(heights[1]))])?;
        let [axes, heights] = [0, 1].map(|k| read(self.precision, &found[k]));
        out.axes.clear();
        out.axes.extend(axes.chunks_exact(length).map(BoxAxis::read));
        out.heights.clear();
        out.heights.extend(heights.chunks_exact(8).map(|h| std::array::from_fn(|k| h[k])));
        Ok(())
    }

    /// Finds bounds of gaps, see [`crate::Backend::bounds`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn bounds(&self, device: &Device, batch: &Batch, out: &mut Vec<f64>) -> Result<(), Fault> {
        check_finite("bodies", &batch.bodies, BodyState::is_finite)?;
        check_finite("pairs", &batch.pairs, PairState::is_finite)?;
        let mut pool = self.pools.take();
        let outcome = self.bounds_in(&mut pool, device, batch, out);
        self.pools.put(pool);
        outcome?;
        check_finite("bounds", out, |b| b.is_finite())
    }

    fn bounds_in(
        &self,
        pool: &mut BufferPool,
        device: &Device,
        batch: &Batch,
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        let n = batch.pairs.len();
        let bodies = flat(&batch.bodies, BodyState::<f64>::LEN, BodyState::write);
        let pairs = flat(&batch.pairs, PairState::<f64>::LEN, PairState::write);
        let words: Vec<[u32; 4]> = batch.keys.iter().map(PairKey::words).collect();
        let size = |n: usize| (n * self.precision.bytes()) as u64;
        let a = pool.grow(device, 4, "Bodies", size(bodies.len()))?;
        let b = pool.grow(device, 5, "Keys", size_of_val(words.as_slice()) as u64)?;
        let c = pool.grow(device, 6, "Pairs", size(pairs.len()))?;
        let d = pool.grow(device, 7, "bounds", size(n))?;
        write(device, self.precision, &a, &bodies);
        device.write(&b, &words);
        write(device, self.precision, &c, &pairs);
        let command = device.bind(&self.bound, n, [0; 2], &[&a, &b, &c, &d])?;
        let found = device.submit(&[&command], &[(&d, size(n))])?;
        *out = read(self.precision, &found[0]);
        Ok(())
    }
}
