//! Devices, comparing, damaging.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use signorini_backend::Precision;
use signorini_backend::gpu::{Device, Source, source};
use signorini_kernels::real::Real;
use std::sync::{Arc, OnceLock};

/// A scalar that a device computes with.
pub trait Scalar: Real + bytemuck::Pod + Into<f64> {
    const PRECISION: Precision;
}

impl Scalar for f32 {
    const PRECISION: Precision = Precision::F32;
}

impl Scalar for f64 {
    const PRECISION: Precision = Precision::F64;
}

/// A device of one test's own, if there is one: it may be destroyed.
pub fn own_device() -> Option<Arc<Device>> {
    match Device::best() {
        Ok(device) => Some(Arc::new(device)),
        Err(fault) => {
            assert!(std::env::var_os("REQUIRE_GPU").is_none(), "REQUIRE_GPU is set: {fault}");
            eprintln!("SKIP: {fault}");
            None
        }
    }
}

/// The device that all tests use, if there is one.
pub fn device() -> Option<Arc<Device>> {
    static DEVICE: OnceLock<Option<Arc<Device>>> = OnceLock::new();
    DEVICE.get_or_init(own_device).clone()
}

/// Numbers between −1 and 1, the same for the same seed.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Pcg64::seed_from_u64(seed);
    move || random.random_range(-1.0..1.0)
}

/// A group of numbers of an item of one size: rounding is counted in units of the largest of them.
pub struct Field {
    pub name: &'static str,
    pub length: usize,
    /// Units of rounding (2⁻²⁴ or 2⁻⁵³ of the largest number of the field) that may differ.
    pub allowed: f64,
    /// The size of the terms that make up the numbers: where they cancel, the largest number says nothing.
    pub scale: f64,
}

/// A field whose numbers do not cancel.
pub fn field(name: &'static str, length: usize, allowed: f64) -> Field {
    Field { name, length, allowed, scale: 1e-30 }
}

/// Compares items of fields; returns the largest error of each, or the place of one that is too large.
pub fn compare<T: Scalar>(found: &[T], expected: &[T], fields: &[Field]) -> Result<Vec<f64>, String> {
    let stride: usize = fields.iter().map(|f| f.length).sum();
    assert_eq!((found.len(), expected.len() % stride), (expected.len(), 0));
    let mut worst = vec![0.0_f64; fields.len()];
    for (i, (f, e)) in found.chunks_exact(stride).zip(expected.chunks_exact(stride)).enumerate() {
        let mut at = 0;
        for (k, field) in fields.iter().enumerate() {
            let (f, e) = (&f[at..at + field.length], &e[at..at + field.length]);
            at += field.length;
            let largest = e.iter().fold(field.scale, |m, x| m.max((*x).into().abs()));
            for (j, (f, e)) in f.iter().zip(e).enumerate() {
                let (f, e): (f64, f64) = ((*f).into(), (*e).into());
                let error = (f - e).abs() / (largest * T::PRECISION.rounding());
                if error.is_nan() || error > field.allowed {
                    return Err(format!(
                        "item {i}, {}[{j}]: {f:e} instead of {e:e}, {error:.1} units",
                        field.name
                    ));
                }
                worst[k] = worst[k].max(error);
            }
        }
    }
    Ok(worst)
}

/// Damages: a name, a piece of the kernel's text, and its replacement.
pub type Mutation = (&'static str, &'static str, &'static str);

/// Every kernel writes something and counts its items.
pub const WRITES_NOTHING: Mutation = ("writes nothing", "if i >= grid.n {", "if i >= 0u {");
pub const SKIPS_THE_LAST: Mutation = ("skips the last item", "if i >= grid.n {", "if i + 1u >= grid.n {");

/// Asserts that `judge` passes the kernel and notices every damage to it.
pub fn judge_mutations(
    name: &str,
    precision: Precision,
    mutations: &[Mutation],
    judge: &dyn Fn(&Source) -> Result<(), String>,
) {
    let whole = source(name, precision);
    judge(&whole).unwrap_or_else(|e| panic!("{name}, {}: {e}", precision.as_str()));
    for (what, from, to) in mutations {
        let text = whole.text.replacen(from, to, 1);
        assert!(text != whole.text, "{name}: no place to damage for {what:?}");
        let damaged = Source { name: whole.name.clone(), text };
        assert!(judge(&damaged).is_err(), "{name}, {}: {what:?} is not noticed", precision.as_str());
    }
}
