//! `signorini derivative`: derivatives beside differences.

use super::*;

#[test]
fn derivatives_of_free_flight_agree() {
    let bench = Bench::new(1, 10);
    let output = bench.call(&["derivative", "tops.toml", "--over", "2", "--directions", "1", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((found["steps"].as_u64(), found["obstacles"].as_array().map(Vec::len)), (Some(2), Some(0)));
    // Inertias, centres, friction, gravity, masses, forces, step, sizes and one direction of the start.
    let judged = found["judged"].as_array().unwrap();
    assert_eq!(judged.len(), 9);
    assert!(judged.iter().all(|one| one["deviation"].as_f64().unwrap() < 1e-6), "{found}");
    assert!(judged[8]["size"].as_f64().unwrap() > 0.1, "{found}");
}

#[test]
fn scenes_without_derivatives_are_refused() {
    let bench = Bench::new(1, 10);
    let message = bench.expect(&["derivative", "tops.toml", "--formulation", "cone"], 2);
    assert!(message.contains("only \"implicit\" has derivatives"), "{message}");
    bench.expect(&["derivative", "none.toml"], 2);
}
