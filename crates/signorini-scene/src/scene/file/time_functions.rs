//! A number over time, from the file and back.

use super::raw_joints::{CourseEntry, Interpolation};
use super::report::Check;
use crate::scene::time_function::TimeFunction;

/// Checks a time function of a file.
pub fn time_function(field: &str, e: &CourseEntry, check: &mut Check<'_>) -> Option<TimeFunction> {
    match e {
        CourseEntry::Constant { value } => {
            Some(TimeFunction::Constant { value: check.finite(field, *value) })
        }
        CourseEntry::Sine { amplitude, frequency, phase, offset } => Some(TimeFunction::Sine {
            amplitude: check.finite(&format!("{field}.amplitude"), *amplitude),
            frequency: check.not_negative(&format!("{field}.frequency"), *frequency),
            phase: check.finite(&format!("{field}.phase"), *phase),
            offset: check.finite(&format!("{field}.offset"), *offset),
        }),
        CourseEntry::Table { times, values, file: _, column, factor, interpolation } => {
            if let Some(column) = column {
                check.fault(&format!("{field}.column"), format!("{column:?}"), "only together with `file`");
            }
            let factor = check.finite(&format!("{field}.factor"), factor.unwrap_or(1.0));
            let at = format!("{field}.times");
            if times.is_empty() || times.len() != values.len() {
                let value = format!("{} times, {} values", times.len(), values.len());
                check.fault(&at, value, "must be as many times as values, at least one");
                return None;
            }
            for (list, name) in [(times, &at), (values, &format!("{field}.values"))] {
                if let Some((i, x)) = list.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                    check.fault(name, format!("{x:?} at place {i}"), "must be finite numbers");
                    return None;
                }
            }
            if let Some(i) = times.windows(2).position(|w| w[1] <= w[0]) {
                let value = format!("{:?} after {:?}", times[i + 1], times[i]);
                check.fault(&at, value, "must rise from each to the next");
                return None;
            }
            let (times, values) = (times.clone(), values.iter().map(|x| factor * x).collect());
            Some(match interpolation.unwrap_or(Interpolation::Linear) {
                Interpolation::Linear => TimeFunction::Table { times, values },
                Interpolation::Cubic => TimeFunction::Cubic { times, values },
            })
        }
    }
}

/// Writes a time function as an entry of a file.
pub fn time_function_of(time_function: &TimeFunction) -> CourseEntry {
    match time_function {
        TimeFunction::Constant { value } => CourseEntry::Constant { value: *value },
        TimeFunction::Sine { amplitude, frequency, phase, offset } => {
            CourseEntry::Sine { amplitude: *amplitude, frequency: *frequency, phase: *phase, offset: *offset }
        }
        TimeFunction::Table { times, values } => table(times, values, None),
        TimeFunction::Cubic { times, values } => table(times, values, Some(Interpolation::Cubic)),
    }
}

fn table(times: &[f64], values: &[f64], interpolation: Option<Interpolation>) -> CourseEntry {
    let (times, values) = (times.to_vec(), values.to_vec());
    CourseEntry::Table { times, values, file: None, column: None, factor: None, interpolation }
}
