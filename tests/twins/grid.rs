//! Items of a grid, and items of one that has more groups than one dimension holds.

use crate::harness::device;
use signorini_backend::Precision;
use signorini_backend::gpu::device::numbers;
use signorini_backend::gpu::{Device, Source, source};

/// A kernel that numbers its items.
const NUMBERED: &str = "
@group(0) @binding(1) var<storage, read_write> items: array<u32>;

@compute @workgroup_size(64)
fn numbered(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i < grid.n {
        items[i] = i + grid.first;
    }
}
";

fn judge(device: &Device, item_of: &str, n: usize) -> bool {
    let whole = source("copy", Precision::F32).text;
    let (grid, _) = whole.split_once("@group(0) @binding(1)").expect("a grid before the arrays");
    let text = grid.replacen("return id.y * grid.width + id.x;", item_of, 1) + NUMBERED;
    let kernel = device.compile(&Source { name: "numbered".to_owned(), text }).expect("a kernel");
    let buffer = device.upload("items", &vec![u32::MAX; n]).expect("a buffer");
    let command = device.bind(&kernel, n, [7, 0], &[&buffer]).expect("a command");
    let read = device.submit(&[&command], &[(&buffer, (n * size_of::<u32>()) as u64)]).expect("a device");
    numbers::<u32>(&read[0]).into_iter().eq(7..n as u32 + 7)
}

/// 5,000,000 items take more groups than one dimension has.
#[test]
fn every_item_has_its_thread() {
    let Some(device) = device() else { return };
    for n in [0, 1, 63, 64, 65, 100_000, 5_000_000] {
        assert!(judge(&device, "return id.y * grid.width + id.x;", n), "n = {n}");
    }
    assert!(!judge(&device, "return id.x;", 5_000_000), "one row of groups is not noticed");
}
