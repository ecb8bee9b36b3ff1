//! Magnitudes of the contact forces of a step.

use super::observed::Observed;
use super::value::{Value, numbers};

pub const COLUMNS: [&str; 6] = ["contacts", "largest", "mean", "half", "nine_tenths", "mean_normal"];

/// The row of a step of length h (s): impulses over h (N).
pub fn row(step: &Observed<'_>, h: f64) -> Vec<Value> {
    let mut forces: Vec<f64> = step.loaded_contacts().map(|contact| contact.impulse().norm() / h).collect();
    let n = forces.len();
    if n == 0 {
        return [Value::Count(0)].into_iter().chain([const { Value::Nothing }; 5]).collect();
    }
    let mean = forces.iter().sum::<f64>() / n as f64;
    let normal = step.loaded_contacts().map(|contact| contact.normal_impulse / h).sum::<f64>() / n as f64;
    forces.sort_by(f64::total_cmp);
    // The smallest force that this fraction of the forces does not exceed.
    let quantile =
        |chord_fraction: f64| forces[((chord_fraction * n as f64).ceil() as usize).clamp(1, n) - 1];
    let mut row = vec![Value::Count(n)];
    row.extend(numbers([forces[n - 1], mean, quantile(0.5), quantile(0.9), normal]));
    row
}
