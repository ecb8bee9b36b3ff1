//! Kernels of smooth pairs: the twins on all cores, and the shaders where there is a device. The differences
//! from the results of the f64 twin are printed beside.
//!
//! `cargo bench --bench kernels`

#![allow(missing_docs, clippy::print_stderr)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use signorini_backend::differences::compare;
use signorini_backend::sample::sample_batch;
use signorini_backend::{Backend, Evaluated, Precision, Twin};
use std::hint::black_box;
use std::time::Duration;

fn backends() -> Vec<Box<dyn Backend>> {
    let mut all: Vec<Box<dyn Backend>> =
        vec![Box::new(Twin { precision: Precision::F32 }), Box::new(Twin { precision: Precision::F64 })];
    #[cfg(feature = "gpu")]
    {
        use signorini_backend::gpu::{Device, Gpu};
        use std::sync::Arc;
        match Device::best() {
            Ok(device) => {
                let device = Arc::new(device);
                for precision in [Precision::F32, Precision::F64] {
                    match Gpu::new(Arc::clone(&device), precision) {
                        Ok(gpu) => all.push(Box::new(gpu)),
                        Err(fault) => eprintln!("{}: {fault}", precision.as_str()),
                    }
                }
            }
            Err(fault) => eprintln!("{fault}"),
        }
    }
    all
}

fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernels");
    for n in [1000, 30_000] {
        let batch = sample_batch(n);
        let (mut expected, mut out) = (Evaluated::default(), Evaluated::default());
        Twin { precision: Precision::F64 }.evaluate(&batch, &mut expected).expect("the twin");
        group.throughput(Throughput::Elements(n as u64));
        for backend in backends() {
            backend.evaluate(&batch, &mut out).unwrap_or_else(|e| panic!("{e}"));
            let parts = compare(&batch, &out, &expected).parts().map(|(part, d)| format!("{part} {d:.1e}"));
            eprintln!("{n} pairs, {}: {}", backend.name(), parts.join(", "));
            group.bench_function(BenchmarkId::new(backend.name(), n), |t| {
                t.iter(|| backend.evaluate(black_box(&batch), &mut out));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(10);
    targets = kernels
}
criterion_main!(benches);
