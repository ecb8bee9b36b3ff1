// x·y in a fixed tree: twin of shaders/dot_product.rs. First 1024 products a group, then all partial sums
// by one group.
//include shared/grid.wgsl

// grid.first: numbers to sum; grid.second: where the sum of all goes.
@group(0) @binding(1) var<storage, read> x: array<real>;
@group(0) @binding(2) var<storage, read> y: array<real>;
@group(0) @binding(3) var<storage, read_write> sums: array<real>;

var<workgroup> part: array<real, 64>;

// The tree: halves are added pairwise.
fn tree(t: u32) -> real {
    workgroupBarrier();
    for (var half = 32u; half > 0u; half = half >> 1u) {
        if t < half {
            part[t] = part[t] + part[t + half];
        }
        workgroupBarrier();
    }
    return part[0];
}

@compute @workgroup_size(64)
fn dot_product(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let g = group.y * (grid.width / 64u) + group.x;
    var sum = real(0);
    for (var k = 0u; k < 16u; k++) {
        let i = 1024u * g + 64u * k + t;
        if i < grid.first {
            sum = sum + x[i] * y[i];
        }
    }
    part[t] = sum;
    let total = tree(t);
    if t == 0u && 64u * g < grid.n {
        sums[g] = total;
    }
}

@compute @workgroup_size(64)
fn dot_total(@builtin(local_invocation_index) t: u32) {
    // x holds the partial sums, y is not used.
    var sum = real(0) * y[0];
    for (var i = t; i < grid.first; i = i + 64u) {
        sum = sum + x[i];
    }
    part[t] = sum;
    let total = tree(t);
    if t == 0u {
        sums[grid.second] = total;
    }
}
