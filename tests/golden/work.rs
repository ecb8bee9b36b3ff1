//! Work counts of five scenes: a slower method shows here without a clock. After a change that is meant:
//! `UPDATE_GOLDEN=1 cargo test --test golden`, and read the difference before it is committed.

use support::runs::{Run, assert_golden, shipped};

/// Scene and how many of its steps are run.
const SCENES: [(&str, usize); 5] = [
    ("seeds/two-spheres.toml", 400),
    ("seeds/spinning-sphere.toml", 20),
    ("seeds/sliding-to-rolling.toml", 500),
    ("granular/rolling-collision.toml", 400),
    ("granular/ellipsoids-64.toml", 40),
];

// Rounding decides a few stops, and sin and cos may differ between platforms.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
fn work_is_what_it_was() {
    let mut found = String::from("scene steps iterations most_in_a_step factorizations\n");
    for (path, steps) in SCENES {
        let mut run = Run::new(shipped(path));
        run.steps(steps);
        let work = run.work;
        found +=
            &format!("{path} {steps} {} {} {}\n", work.iterations, work.most_iterations, work.factorizations);
    }
    assert_golden("work-counts.txt", &found);
}
