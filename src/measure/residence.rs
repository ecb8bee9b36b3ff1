//! Residence times of the bodies that left.

use super::observed::Observed;
use super::value::Value;
use crate::step::FlowEvent;
use serde::{Deserialize, Serialize};

/// Residence times of the bodies that left in an interval (s).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Residence {
    times: Vec<f64>,
}

impl Residence {
    pub const COLUMNS: [&'static str; 4] = ["left", "mean", "least", "most"];

    /// Takes in the bodies that left with a step that ended at a time (s).
    pub fn observe(&mut self, step: &Observed<'_>, time: f64) {
        let left = step.flow.iter().filter(|record| record.event == FlowEvent::Out);
        self.times.extend(left.map(|record| time - record.since));
    }

    /// The row of an interval.
    pub fn row(&mut self) -> Vec<Value> {
        let times = std::mem::take(&mut self.times);
        let n = times.len();
        if n == 0 {
            return vec![Value::Count(0), Value::Nothing, Value::Nothing, Value::Nothing];
        }
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = times.iter().sum::<f64>() / n as f64;
        vec![Value::Count(n), Value::Number(mean), Value::Number(least), Value::Number(most)]
    }
}
