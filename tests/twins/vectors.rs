//! Sums of long vectors, and the scalars of a step of the iterative solver.

use crate::algebra::numbers;
use crate::harness::{
    Field, Mutation, SKIPS_THE_LAST, Scalar, WRITES_NOTHING, compare, device, field, judge_mutations,
};
use signorini_backend::Precision;
use signorini_backend::gpu::device::numbers as read_numbers;
use signorini_backend::gpu::{Device, Source, source};
use signorini_kernels::krylov_scalars::{SCALARS, krylov_scalars};
use signorini_kernels::vector_sum::{scaled_sum, vector_sum};

/// y is read and written: it cannot be filled with NaN.
fn sums<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    for (entry, twin) in [("vector_sum", vector_sum::<T> as fn(T, T, T) -> T), ("scaled_sum", scaled_sum)] {
        let kernel = device.compile_entry(text, entry).map_err(|e| e.to_string())?;
        let (x, y) = (numbers::<T>(31, n), numbers::<T>(32, n));
        let scalars = [T::of(0.3), T::of(-1.7)];
        let buffers = [device.upload("scalars", &scalars), device.upload("x", &x), device.upload("y", &y)]
            .map(|b| b.expect("a buffer"));
        let [s, bx, by] = &buffers;
        let command = device.bind(&kernel, n, [1, 0], &[s, bx, by]).map_err(|e| e.to_string())?;
        let read =
            device.submit(&[&command], &[(by, (n * size_of::<T>()) as u64)]).map_err(|e| e.to_string())?;
        let found: Vec<T> = read_numbers(&read[0]);
        let expected: Vec<T> = x.iter().zip(&y).map(|(x, y)| twin(scalars[1], *x, *y)).collect();
        compare(&found, &expected, &[Field { scale: 1.0, ..field("y", 1, 2.0) }])?;
    }
    Ok(())
}

/// 5,000,000 items take more groups than one dimension has.
#[test]
fn long_vectors_are_added() {
    let Some(device) = device() else { return };
    add_vectors::<f32>(&device, 5_000_000);
    if device.supports(Precision::F64) {
        add_vectors::<f64>(&device, 5_000_000);
    }
}

fn add_vectors<T: Scalar>(device: &Device, long: usize) {
    let precision = T::PRECISION;
    let whole = source("vector_sum", precision);
    for n in [0, 1, 63, 64, 65, 100_000, long] {
        sums::<T>(device, &whole, n).unwrap_or_else(|e| panic!("n = {n}: {e}"));
    }
    let mutations = [
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("swapped index", "scalars[grid.first] * x[i]", "scalars[0] * x[i]"),
        ("wrong sign", "x[i] + scalars", "x[i] - scalars"),
        ("y is forgotten", "y[i] + scalars", "scalars"),
    ];
    judge_mutations("vector_sum", precision, &mutations, &|text| sums::<T>(device, text, 130));
    let rows: Mutation = ("one row of groups", "return id.y * grid.width + id.x;", "return id.x;");
    judge_mutations("vector_sum", precision, &[rows], &|text| sums::<T>(device, text, long));
}

#[test]
fn scalars_of_a_krylov_step_agree() {
    let Some(device) = device() else { return };
    judge_scalars::<f32>(&device);
    if device.supports(Precision::F64) {
        judge_scalars::<f64>(&device);
    }
}

fn judge_scalars<T: Scalar>(device: &Device) {
    let judge = |text: &Source| -> Result<(), String> {
        for stage in 0..3 {
            for goal in [0.1, 10.0] {
                let mut expected = numbers::<T>(41 + u64::from(stage), SCALARS);
                expected[10] = T::of(2.0);
                expected[11] = T::of(goal);
                let kernel = device.compile(text).map_err(|e| e.to_string())?;
                let buffer = device.upload("scalars", &expected).map_err(|e| e.to_string())?;
                let command = device.bind(&kernel, 1, [stage, 0], &[&buffer]).map_err(|e| e.to_string())?;
                let read = device
                    .submit(&[&command], &[(&buffer, (SCALARS * size_of::<T>()) as u64)])
                    .map_err(|e| e.to_string())?;
                let found: Vec<T> = read_numbers(&read[0]);
                krylov_scalars(&mut expected, stage);
                compare(&found, &expected, &[Field { scale: 1e-6, ..field("scalar", 1, 8.0) }])?;
            }
        }
        Ok(())
    };
    judge_mutations(
        "krylov_scalars",
        T::PRECISION,
        &[
            ("never solved", "s[SQUARE] > s[GOAL]", "true"),
            ("wrong sign", "s[MINUS_ALPHA] = -s[ALPHA]", "s[MINUS_ALPHA] = s[ALPHA]"),
            ("swapped index", "quotient(s[TS], s[TT])", "quotient(s[TT], s[TS])"),
            WRITES_NOTHING,
        ],
        &judge,
    );
}
