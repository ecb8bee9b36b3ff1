//! Choice of a device, by a measurement on pairs like those of the scene.

use super::{Backend, Batch, Evaluated, Fault, Precision, Twin};
use crate::sample::sample_batch;
use std::time::Instant;

/// Number of smooth bodies below which a device is not even opened: their pairs take the CPU about as long as
/// a submission.
pub const FEWEST_BODIES: usize = 1000;
/// Least factor by which a device must evaluate pairs quicker than all cores, transfers included: the rest of
/// a step is as slow as before.
pub const LEAST_GAIN: f64 = 1.5;
/// Pairs per body in a pile at rest.
const PAIRS_PER_BODY: usize = 3;
/// Number of evaluations of each, the quickest of which counts.
const TRIES: usize = 3;

/// Factor by which a device evaluates the pairs of so many bodies quicker than the f64 twins on all cores.
///
/// # Errors
/// When the device fails.
pub fn gain(device: &dyn Backend, n_bodies: usize) -> Result<f64, Fault> {
    let batch = sample_batch(PAIRS_PER_BODY * n_bodies);
    let twin = Twin { precision: Precision::F64 };
    Ok(seconds(&twin, &batch)? / seconds(device, &batch)?)
}

/// Whether `auto` takes a device. Programs that stand in for one never gain: they run on the same cores.
pub fn is_worth_it(is_software: bool, n_bodies: usize, gain: f64) -> bool {
    !is_software && n_bodies >= FEWEST_BODIES && gain >= LEAST_GAIN
}

fn seconds(backend: &dyn Backend, batch: &Batch) -> Result<f64, Fault> {
    let mut out = Evaluated::default();
    // The first evaluation compiles.
    backend.evaluate(batch, &mut out)?;
    let mut quickest = f64::INFINITY;
    for _ in 0..TRIES {
        let start = Instant::now();
        backend.evaluate(batch, &mut out)?;
        quickest = quickest.min(start.elapsed().as_secs_f64());
    }
    Ok(quickest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_chip_that_gains_on_many_bodies_is_taken() {
        assert!(is_worth_it(false, FEWEST_BODIES, 2.0));
        assert!(!is_worth_it(true, FEWEST_BODIES, 2.0), "a program");
        assert!(!is_worth_it(false, FEWEST_BODIES - 1, 2.0), "too few");
        assert!(!is_worth_it(false, FEWEST_BODIES, 1.0), "no quicker");
        assert!(!is_worth_it(false, FEWEST_BODIES, f64::NAN), "not known");
    }

    /// The f32 twin on the same cores is neither ten times quicker nor slower.
    #[test]
    fn gains_are_ratios_of_times() {
        let found = gain(&Twin { precision: Precision::F32 }, 2000).expect("the twin");
        assert!((0.1..10.0).contains(&found), "{found}");
    }
}
