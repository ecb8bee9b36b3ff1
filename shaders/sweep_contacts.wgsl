// One contact of a sweep, its rows in turn with all others held: twin of shaders/sweep_contacts.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/sweep_batch.wgsl

@group(0) @binding(1) var<storage, read> batches: array<u32>;
@group(0) @binding(2) var<storage, read> laws: array<real>;
@group(0) @binding(3) var<storage, read> rows: array<real>;
@group(0) @binding(4) var<storage, read> offset: array<real>;
@group(0) @binding(5) var<storage, read> weight: array<real>;
@group(0) @binding(6) var<storage, read> bounds: array<real>;
// Impulses, then motions. No two items of a dispatch move one body.
@group(0) @binding(7) var<storage, read_write> state: array<real>;

fn put_motions(batch: u32, lane: u32, m: Twelve) {
    let first = batches[batch + BATCH_FIRST + lane];
    let second = batches[batch + BATCH_SECOND + lane];
    if first != NO_BODY {
        let k = grid.second + MOTION * first;
        state[k] = m.a.x;
        state[k + 1u] = m.a.y;
        state[k + 2u] = m.a.z;
        state[k + 3u] = m.b.x;
        state[k + 4u] = m.b.y;
        state[k + 5u] = m.b.z;
    }
    if second != NO_BODY {
        let k = grid.second + MOTION * second;
        state[k] = m.c.x;
        state[k + 1u] = m.c.y;
        state[k + 2u] = m.c.z;
        state[k + 3u] = m.d.x;
        state[k + 4u] = m.d.y;
        state[k + 5u] = m.d.z;
    }
}

// Friction of `count` rows from `row` on, on the ball of this radius.
fn rubbed(row: u32, count: u32, lane: u32, step: real, radius: real, moved: Twelve) -> Twelve {
    let k = WIDTH * row + lane;
    let x = vec3r(state[k], state[k + WIDTH], select(ZERO, state[k + 2u * WIDTH], count == 3u));
    let first = row_of(row, lane);
    let second = row_of(row + 1u, lane);
    var third = zeros();
    var y = vec3r(slip_of(first, moved, offset[k]), slip_of(second, moved, offset[k + WIDTH]), ZERO);
    if count == 3u {
        third = row_of(row + 2u, lane);
        y.z = slip_of(third, moved, offset[k + 2u * WIDTH]);
    }
    let z = x - y * step;
    let next = z * shrink_of(radius, dot(z, z));
    state[k] = next.x;
    state[k + WIDTH] = next.y;
    if count == 3u {
        state[k + 2u * WIDTH] = next.z;
    }
    let dx = next - x;
    return pushed(third, dx.z, pushed(second, dx.y, pushed(first, dx.x, moved)));
}

@compute @workgroup_size(64)
fn sweep_contacts(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let batch = batch_of(i);
    let lane = i % WIDTH;
    let first = batches[batch + BATCH_ROW];
    let n = batches[batch + BATCH_NORMAL];
    let bounded = batches[batch + BATCH_BOUNDED] > 0u;
    var moved = motions_of(batch, lane);
    var sum = ZERO;
    for (var row = first; row < first + n; row++) {
        let k = WIDTH * row + lane;
        let entries = row_of(row, lane);
        let x = state[k];
        let z = x - weight[k] * slip_of(entries, moved, offset[k]);
        var next = max(z, ZERO);
        if bounded {
            let at = 2u * WIDTH * row + lane;
            next = min(max(z, bounds[at]), bounds[at + WIDTH]);
        }
        moved = pushed(entries, next - x, moved);
        state[k] = next;
        sum = sum + next;
    }
    let n_friction = batches[batch + BATCH_FRICTION];
    if !bounded && n_friction > 0u {
        let law = law_of(i);
        let step = laws[law + WIDTH * LAW_STEP];
        let radius = laws[law + WIDTH * LAW_FRICTION] * sum;
        moved = rubbed(first + n, n_friction, lane, step, radius, moved);
    }
    put_motions(batch, lane, moved);
}
