// Changes of a pass of the flat step, and the factor β of the next one: twin of shaders/flat_change.rs. First
// the changes of 1024 contacts a group, then all parts by one group, in a fixed tree.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

// grid.first: contacts.
@group(0) @binding(1) var<storage, read> rows: array<FlatRow>;
@group(0) @binding(2) var<storage, read> states: array<FlatState>;
// Square, largest change, largest change of Jᵀx, 0.
@group(0) @binding(3) var<storage, read_write> parts: array<vec4<f32>>;

// Of the second entry point. grid.first: parts; grid.second: 1 after a sweep.
@group(0) @binding(1) var<storage, read> of_groups: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> scalars: array<f32>;

var<workgroup> part: array<vec4<f32>, 64>;

fn joined(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.x + b.x, max(a.yz, b.yz), 0f);
}

fn tree(t: u32) -> vec4<f32> {
    workgroupBarrier();
    for (var half = 32u; half > 0u; half = half >> 1u) {
        if t < half {
            part[t] = joined(part[t], part[t + half]);
        }
        workgroupBarrier();
    }
    return part[0];
}

@compute @workgroup_size(64)
fn flat_change(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let g = group.y * (grid.width / 64u) + group.x;
    var sum = vec4<f32>(0f);
    for (var k = 0u; k < 16u; k++) {
        let i = 1024u * g + 64u * k + t;
        if i < grid.first {
            let change = states[i].change;
            let size = abs(change);
            let most = max(max(size.x, size.y), max(size.z, size.w));
            let seen = vec4<f32>(dot(change, change), most * rows[i].per_unit, states[i].moved, 0f);
            sum = joined(sum, seen);
        }
    }
    part[t] = sum;
    let total = tree(t);
    if t == 0u && 64u * g < grid.n {
        parts[g] = total;
    }
}

@compute @workgroup_size(64)
fn flat_scalars(@builtin(local_invocation_index) t: u32) {
    var sum = vec4<f32>(0f);
    for (var i = t; i < grid.first; i = i + 64u) {
        sum = joined(sum, of_groups[i]);
    }
    part[t] = sum;
    let total = tree(t);
    let in_sweep = grid.second == 1u;
    if t != 0u || (in_sweep && scalars[STOPPED] > 0f) {
        return;
    }
    let last = scalars[LAST_SQUARE];
    let known = last >= 0f;
    let ratio = select(0f, total.x / last, total.x > 0f);
    let goes_on = !known || ratio <= 1f;
    scalars[FACTOR] = select(0f, min(ratio, FLAT_MOST_BETA), known && goes_on);
    scalars[LAST_SQUARE] = select(-1f, total.x, goes_on);
    scalars[AGE] = select(scalars[AGE] + 1f, 0f, scalars[AGE] + 1f >= FLAT_RECENTRE);
    scalars[PASS_SQUARE] = total.x;
    scalars[LARGEST] = total.y;
    if in_sweep {
        scalars[SWEEPS] = scalars[SWEEPS] + 1f;
        scalars[STOPPED] = select(0f, 1f, total.y < scalars[STILL]);
    } else {
        scalars[MOVED] = total.z;
    }
}
