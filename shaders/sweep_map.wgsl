// The natural map of one contact of a sweep, and the largest of all: twin of shaders/sweep_map.rs. First
// the largest of a group, then that of all groups by one.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/sweep_batch.wgsl

@group(0) @binding(1) var<storage, read> batches: array<u32>;
@group(0) @binding(2) var<storage, read> laws: array<real>;
@group(0) @binding(3) var<storage, read> rows: array<real>;
@group(0) @binding(4) var<storage, read> offset: array<real>;
@group(0) @binding(5) var<storage, read> weight: array<real>;
@group(0) @binding(6) var<storage, read> bounds: array<real>;
@group(0) @binding(7) var<storage, read> state: array<real>;
@group(0) @binding(8) var<storage, read_write> parts: array<real>;

// Of the second entry point. grid.first: parts.
@group(0) @binding(1) var<storage, read> of_groups: array<real>;
@group(0) @binding(2) var<storage, read_write> scalars: array<real>;

var<workgroup> part: array<real, 64>;

fn largest(t: u32) -> real {
    workgroupBarrier();
    for (var half = 32u; half > 0u; half = half >> 1u) {
        if t < half {
            part[t] = max(part[t], part[t + half]);
        }
        workgroupBarrier();
    }
    return part[0];
}

// How far friction of `count` rows from `row` on is from the ball.
fn friction_off(row: u32, count: u32, lane: u32, r: real, radius: real, at: Twelve) -> real {
    let k = WIDTH * row + lane;
    var x = vec3r(state[k], state[k + WIDTH], ZERO);
    let y = slip_of(row_of(row, lane), at, offset[k]);
    var slip = vec3r(y, slip_of(row_of(row + 1u, lane), at, offset[k + WIDTH]), ZERO);
    if count == 3u {
        x.z = state[k + 2u * WIDTH];
        slip.z = slip_of(row_of(row + 2u, lane), at, offset[k + 2u * WIDTH]);
    }
    let z = x - slip * r;
    return norm3(z * shrink_of(radius, dot(z, z)) - x);
}

fn map_of(i: u32) -> real {
    let batch = batch_of(i);
    let lane = i % WIDTH;
    let first = batches[batch + BATCH_ROW];
    let n = batches[batch + BATCH_NORMAL];
    let bounded = batches[batch + BATCH_BOUNDED] > 0u;
    let at = motions_of(batch, lane);
    var map = ZERO;
    var overlap = ZERO;
    var sum = ZERO;
    for (var row = first; row < first + n; row++) {
        let k = WIDTH * row + lane;
        let x = state[k];
        let y = slip_of(row_of(row, lane), at, offset[k]);
        let step = weight[k] * y;
        var off = min(x, step);
        if bounded {
            let b = 2u * WIDTH * row + lane;
            off = x - min(max(x - step, bounds[b]), bounds[b + WIDTH]);
        }
        map = max(map, abs(off));
        overlap = max(overlap, -y);
        sum = sum + max(x, ZERO);
    }
    let law = law_of(i);
    let n_friction = batches[batch + BATCH_FRICTION];
    if !bounded && n_friction > 0u {
        let radius = laws[law + WIDTH * LAW_FRICTION] * sum;
        map = max(map, friction_off(first + n, n_friction, lane, laws[law + WIDTH * LAW_WEIGHT], radius, at));
    }
    return max(map * laws[law + WIDTH * LAW_UNIT], overlap * laws[law + WIDTH * LAW_OVERLAP]);
}

@compute @workgroup_size(64)
fn sweep_map(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let i = item_of(id);
    var map = ZERO;
    if i < grid.n {
        map = map_of(i);
    }
    part[t] = map;
    let worst = largest(t);
    let g = group.y * (grid.width / 64u) + group.x;
    if t == 0u && 64u * g < grid.n {
        parts[g] = worst;
    }
}

@compute @workgroup_size(64)
fn sweep_map_total(@builtin(local_invocation_index) t: u32) {
    var worst = ZERO;
    for (var i = t; i < grid.first; i = i + 64u) {
        worst = max(worst, of_groups[i]);
    }
    part[t] = worst;
    let total = largest(t);
    if t == 0u {
        scalars[SWEEP_MAP] = total;
    }
}
