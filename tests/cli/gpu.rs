//! `--backend gpu`, `signorini devices`: with the system's driver, and with none.

use super::Bench;
use std::fs;
use std::process::Command;

/// The system's own drivers.
fn with_drivers(mut command: Command) -> Command {
    command.env_remove("VK_DRIVER_FILES").env_remove("VK_ICD_FILENAMES");
    command
}

/// Whether the system has a device; with REQUIRE_GPU it must.
fn has_device(bench: &Bench) -> bool {
    let output = with_drivers(bench.command(&["devices"])).output().unwrap();
    assert!(output.status.success());
    let found = String::from_utf8(output.stdout).unwrap().contains("self-test passed");
    assert!(found || std::env::var_os("REQUIRE_GPU").is_none(), "REQUIRE_GPU is set and no device is found");
    found
}

#[test]
fn without_a_driver_nothing_is_found_and_nothing_is_written() {
    let bench = Bench::new(1, 10);
    let output = bench.call(&["devices"]);
    assert!(output.status.success());
    // Metal and Direct3D need no Vulkan driver.
    if cfg!(target_os = "linux") {
        assert!(String::from_utf8(output.stdout).unwrap().contains("no graphics adapter"));
        let message = bench.expect(&["run", "tops.toml", "--backend", "gpu", "--out", "out"], 2);
        assert!(message.contains("--backend gpu") && message.contains("--backend cpu"), "{message}");
        assert!(!bench.path("out").exists());
    }
    bench.expect(&["run", "tops.toml", "--backend", "auto", "--out", "auto"], 0);
    let summary = fs::read_to_string(bench.path("auto/summary.json")).unwrap();
    assert!(summary.contains("\"backend\": \"cpu\"") && summary.contains("\"device\": null"), "{summary}");
}

/// Islands that a device does not take are the CPU's; the summary counts what it took.
#[test]
fn the_summary_says_what_the_device_did() {
    let bench = Bench::new(1, 10);
    if !has_device(&bench) {
        return;
    }
    let output = with_drivers(bench.command(&["run", "tops.toml", "--backend", "gpu"])).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("large islands on "), "{said}");
    let summary = super::summary(&bench.path("out/tops"));
    let device = &summary["device"];
    assert_eq!((&summary["backend"], &device["failed"]), (&"gpu".into(), &serde_json::Value::Null));
    assert_eq!(device["done"], serde_json::json!({ "flat_contacts": 0 }));
    assert!(said.contains(device["name"].as_str().unwrap()), "{said}");
    let refused = ["run", "tops.toml", "--backend", "gpu", "--formulation", "cone", "--out", "cone"];
    let output = with_drivers(bench.command(&refused)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!bench.path("cone").exists());
}
