//! `signorini bench`: how quick the machine is.

use super::Bench;
use serde_json::Value;

/// Its table has a line for each measurement, and the file all numbers of it.
#[test]
fn the_cores_are_measured() {
    let bench = Bench::new(1, 10);
    let output = bench.call(&["bench", "--seconds", "4", "--json", "rates.json"]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && table.lines().next().unwrap().ends_with(" cpu"), "{table}");
    let text = std::fs::read_to_string(bench.path("rates.json")).unwrap();
    let found: Value = serde_json::from_str(&text).unwrap();
    assert!(found["adapter"].is_null(), "{found}");
    let line =
        |start: &str| table.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    let quick = &found["flat"][0];
    assert_eq!((quick["lattice"].as_u64(), &quick["has_same_bits_twice"]), (Some(3000), &Value::Bool(true)));
    let rate = quick["passes_per_second"].as_f64().unwrap();
    assert!(line("passes over 3000 contacts (1/s)").ends_with(&format!(" {rate:.1}")), "{table}");
    // A size that does not fit the time is a dash, and the file says why.
    let skipped = found["steps"].as_array().unwrap().last().unwrap();
    assert!(skipped["skipped"].as_str().unwrap().contains("are left for it"), "{skipped}");
    assert!(line("step of 1000000 boxes (ms)").ends_with(" –"), "{table}");
}

#[test]
fn what_cannot_be_measured_is_told_before() {
    let bench = Bench::new(1, 10);
    for (line, said) in [
        (&["bench", "--seconds", "1"][..], "2..=65535"),
        (&["bench", "--json", "no/rates.json"], "no/rates.json"),
        #[cfg(target_os = "linux")]
        (&["bench", "--device", "--json", "rates.json"], "without it the cores are measured"),
    ] {
        let message = bench.expect(line, 2);
        assert!(message.contains(said), "{message}");
    }
    assert!(!bench.path("rates.json").exists());
}
