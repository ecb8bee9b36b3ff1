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

/// A program that stands in for a chip runs on the same cores: however large the scene, `auto` leaves it
/// alone.
#[test]
fn auto_takes_no_software_driver() {
    let bench = Bench::new(1001, 1);
    let devices = with_drivers(bench.command(&["devices"])).output().unwrap();
    let listed = String::from_utf8(devices.stdout).unwrap();
    let adapters = listed.lines().filter(|line| !line.starts_with(' ')).count();
    if listed.matches("a program, not a chip").count() < adapters {
        return;
    }
    let output = with_drivers(bench.command(&["run", "tops.toml", "--out", "out"])).output().unwrap();
    assert!(output.status.success());
    let summary = fs::read_to_string(bench.path("out/summary.json")).unwrap();
    assert!(summary.contains("\"backend\": \"cpu\""), "{summary}");
}

#[test]
fn the_summary_says_what_evaluated_the_contacts() {
    let bench = Bench::new(1, 10);
    if !has_device(&bench) {
        return;
    }
    for precision in ["f32", "f64"] {
        let options =
            ["run", "tops.toml", "--backend", "gpu", "--precision", precision, "--check-backend", "--force"];
        let output = with_drivers(bench.command(&options)).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("largest differences from the CPU"), "{said}");
        let summary = fs::read_to_string(bench.path("out/tops/summary.json")).unwrap();
        let expected = [format!("\"precision\": \"{precision}\""), "\"backend\": \"gpu\"".to_owned()];
        assert!(expected.iter().all(|e| summary.contains(e)), "{summary}");
        // Evaluations on the device are counted.
        let seed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/seeds/two-spheres.toml");
        let options = ["run", seed, "--duration", "0.5", "--backend", "gpu", "--precision", precision];
        let options = [&options[..], &["--out", "seed", "--force"]].concat();
        assert!(with_drivers(bench.command(&options)).output().unwrap().status.success());
        let done = &super::summary(&bench.path("seed"))["device"]["done"];
        assert!(done["pairs"].as_u64() > Some(0) && done["flat_contacts"] == 0, "{done}");
    }
    let refused = ["run", "tops.toml", "--backend", "gpu", "--formulation", "cone", "--out", "cone"];
    let output = with_drivers(bench.command(&refused)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!bench.path("cone").exists());
}
