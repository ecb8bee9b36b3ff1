// Change by a sweep, and the step of the next extrapolation: twin of shaders/sweep_change.rs. First the
// squares of 1024 numbers a group, then all partial sums by one group, in the tree of dot_product.
//include shared/grid.wgsl

// grid.n: threads; grid.first: numbers whose squares count; grid.second: numbers.
@group(0) @binding(1) var<storage, read> state: array<real>;
@group(0) @binding(2) var<storage, read_write> change: array<real>;
@group(0) @binding(3) var<storage, read_write> parts: array<real>;

// Of the second entry point. grid.first: parts.
@group(0) @binding(1) var<storage, read> of_groups: array<real>;
@group(0) @binding(2) var<storage, read_write> scalars: array<real>;

var<workgroup> part: array<real, 64>;

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
fn sweep_change(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let g = group.y * (grid.width / 64u) + group.x;
    var sum = real(0);
    for (var k = 0u; k < 16u; k++) {
        let i = 1024u * g + 64u * k + t;
        if i < grid.second {
            let changed = state[i] - change[i];
            change[i] = changed;
            if i < grid.first {
                sum = sum + changed * changed;
            }
        }
    }
    part[t] = sum;
    let total = tree(t);
    if t == 0u && 64u * g < grid.n {
        parts[g] = total;
    }
}

@compute @workgroup_size(64)
fn sweep_scalars(@builtin(local_invocation_index) t: u32) {
    var sum = real(0);
    for (var i = t; i < grid.first; i = i + 64u) {
        sum = sum + of_groups[i];
    }
    part[t] = sum;
    let square = tree(t);
    if t != 0u {
        return;
    }
    if scalars[SWEEP_DIRECTED] > real(0) {
        let shrinks = square > real(0);
        let beta = select(real(0), square / scalars[SWEEP_SQUARE], shrinks);
        let goes_on = beta <= real(1);
        scalars[SWEEP_DIRECTED] = select(real(0), real(1), goes_on);
        scalars[SWEEP_MODE] = select(PLAIN, EXTRAPOLATED, goes_on);
        scalars[SWEEP_STEP] = beta;
    } else {
        scalars[SWEEP_DIRECTED] = real(1);
        scalars[SWEEP_MODE] = FIRST_DIRECTION;
    }
    scalars[SWEEP_SQUARE] = square;
}
