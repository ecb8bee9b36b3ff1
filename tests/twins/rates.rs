//! The measurement of `cargo bench --bench rates`, with little work.

// The report on a device takes seven minutes: no test makes it whole.
#[allow(dead_code)]
#[path = "../../benches/rates/measure/mod.rs"]
mod measure;

use measure::{Sizes, side_by_side};

/// Every quantity of the CPU is measured without a device too.
#[test]
fn the_cpu_is_measured_without_a_device() {
    let sizes = Sizes { pairs: 65, settled: 8, pile: 4, settled_steps: 1 };
    let found = side_by_side(&sizes, false).expect("good scenes");
    let [cpu] = found["backends"].as_array().unwrap().as_slice() else { panic!("{found}") };
    let rates = ["pairs_per_second", "jacobian_blocks_per_second", "product_gigabytes_per_second"];
    assert!(rates.iter().all(|rate| cpu["f64"][rate].as_f64() > Some(0.0)), "{found}");
    assert_eq!((&found["settled_bodies"], &cpu["steps"]["solved"]), (&8.into(), &true.into()), "{found}");
    let step = &cpu["settled"]["steps"][0];
    assert!(step["residual"].as_f64() < Some(1e-6) && step["loaded_contacts"].as_u64() >= Some(8), "{found}");
}
