//! Parts of the measurement of `cargo bench --bench rates`: the whole of it takes seven minutes.

#[allow(dead_code)]
#[path = "../../benches/rates/measure/mod.rs"]
mod measure;
