//! Self-test of a device, before any result of it is used.

use super::device::{Device, numbers};
use super::program::{Source, source};
use crate::{Fault, Precision};

/// Number of items of the test: several groups and a part of one.
const ITEMS: usize = 1000;
/// Number of inputs of an item.
const INPUTS: usize = 6;
/// Number of outputs of an item.
const OUTPUTS: usize = 12;
/// Largest error of the longest chain of operations, in units of the rounding of its largest intermediate.
const ALLOWED: f64 = 64.0;

/// Returns the largest error found, in units of the rounding.
///
/// # Errors
/// When the device fails or an error is too large.
pub fn self_test(device: &Device, precision: Precision) -> Result<f64, Fault> {
    self_test_of(device, precision, &source("arithmetic", precision))
}

/// Runs the self-test with another kernel text.
///
/// # Errors
/// Same as for [`self_test`].
pub fn self_test_of(device: &Device, precision: Precision, text: &Source) -> Result<f64, Fault> {
    match precision {
        Precision::F32 => test::<f32>(device, precision, text),
        Precision::F64 => test::<f64>(device, precision, text),
    }
}

fn test<T: bytemuck::Pod + From<f32> + Into<f64>>(
    device: &Device,
    precision: Precision,
    text: &Source,
) -> Result<f64, Fault> {
    // The inputs are eighths between −32 and 32, never 0: exact in both precisions.
    let eighth = |k: usize| ((k * 7919 + k * k * 31) % 511) as f32 / 8.0 - 31.9375;
    let input: Vec<T> = (0..INPUTS * ITEMS).map(|k| T::from(eighth(k))).collect();
    let kernel = device.compile(text)?;
    let from = device.upload("input", &input)?;
    let nothing: Vec<T> = vec![T::from(f32::NAN); OUTPUTS * ITEMS];
    let to = device.upload("output", &nothing)?;
    let command = device.bind(&kernel, ITEMS, [0; 2], &[&from, &to])?;
    let bytes = (OUTPUTS * ITEMS * precision.bytes()) as u64;
    let read = device.submit(&[&command], &[(&to, bytes)])?;
    let mut worst = 0.0_f64;
    let outputs: Vec<T> = numbers(&read[0]);
    for (item, (x, y)) in input.chunks_exact(INPUTS).zip(outputs.chunks_exact(OUTPUTS)).enumerate() {
        let x: Vec<f64> = x.iter().map(|x| (*x).into()).collect();
        for (k, (found, (expected, scale))) in y.iter().zip(expected(&x)).enumerate() {
            let found: f64 = (*found).into();
            let error = (found - expected).abs() / (scale * precision.rounding());
            if error.is_nan() || error > ALLOWED {
                let message = format!(
                    "{}: item {item}, operation {k}: {found:e} instead of {expected:e}",
                    precision.as_str()
                );
                return Err(Fault::SelfTest(message));
            }
            worst = worst.max(error);
        }
    }
    Ok(worst)
}

/// Expected outputs of the kernel, each with the size of the largest intermediate number.
fn expected(x: &[f64]) -> [(f64, f64); OUTPUTS] {
    use nalgebra::{Matrix3, Vector3};
    let (a, b) = (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
    let c = a.cross(&b);
    let skew = Matrix3::new(0.0, -b.z, b.y, b.z, 0.0, -b.x, -b.y, b.x, 0.0);
    let m = a * b.transpose() + skew;
    let product = (m * m.transpose()) * a;
    let (size, large) = (a.norm() * b.norm(), m.norm_squared() * a.norm());
    let plain = |x: f64| (x, x.abs().max(1e-30));
    [
        plain(a.x + b.x),
        plain(a.x - b.x),
        plain(a.x * b.x),
        plain(a.x / b.x),
        plain(a.x.abs().sqrt()),
        (a.dot(&b), size),
        (c.norm(), size),
        plain(a.y.min(b.y) + a.z.max(b.z)),
        plain(if a.z < b.z { b.y } else { a.y }),
        (product.x, large),
        (product.y, large),
        (product.z, large),
    ]
}
