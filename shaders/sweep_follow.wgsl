// Friction rows of one manifold follow its load, and motions with them: twin of shaders/sweep_follow.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/sweep_batch.wgsl

@group(0) @binding(1) var<storage, read> batches: array<u32>;
@group(0) @binding(2) var<storage, read> shifts: array<real>;
@group(0) @binding(3) var<storage, read_write> rows: array<real>;
@group(0) @binding(4) var<storage, read_write> offset: array<real>;
@group(0) @binding(5) var<storage, read_write> load_fractions: array<real>;
// Impulses, then motions. No two items of a dispatch move one body.
@group(0) @binding(6) var<storage, read_write> state: array<real>;
@group(0) @binding(7) var<storage, read_write> direction: array<real>;
@group(0) @binding(8) var<storage, read_write> change: array<real>;

fn shift_of(shift: u32, lane: u32) -> Twelve {
    let k = WIDTH * SHIFT_ENTRIES * shift + lane;
    return Twelve(
        vec3r(shifts[k], shifts[k + WIDTH], shifts[k + 2u * WIDTH]),
        vec3r(shifts[k + 3u * WIDTH], shifts[k + 4u * WIDTH], shifts[k + 5u * WIDTH]),
        vec3r(shifts[k + 6u * WIDTH], shifts[k + 7u * WIDTH], shifts[k + 8u * WIDTH]),
        vec3r(shifts[k + 9u * WIDTH], shifts[k + 10u * WIDTH], shifts[k + 11u * WIDTH]),
    );
}

fn raise_of(shift: u32, lane: u32) -> real {
    return shifts[WIDTH * (SHIFT_ENTRIES * shift + ENTRIES) + lane];
}

fn add_three(k: u32, v: vec3r) {
    rows[k] = rows[k] + v.x;
    rows[k + WIDTH] = rows[k + WIDTH] + v.y;
    rows[k + 2u * WIDTH] = rows[k + 2u * WIDTH] + v.z;
}

fn move_row(row: u32, lane: u32, moved: Twelve, raised: real) {
    let k = WIDTH * ENTRIES * row + lane;
    add_three(k, moved.a);
    add_three(k + 3u * WIDTH, moved.b);
    add_three(k + 6u * WIDTH, moved.c);
    add_three(k + 9u * WIDTH, moved.d);
    offset[WIDTH * row + lane] = offset[WIDTH * row + lane] + raised;
}

fn push_state(k: u32, v: vec3r) {
    state[k] = state[k] + v.x;
    state[k + 1u] = state[k + 1u] + v.y;
    state[k + 2u] = state[k + 2u] + v.z;
}

fn push_direction(k: u32, v: vec3r) {
    direction[k] = direction[k] + v.x;
    direction[k + 1u] = direction[k + 1u] + v.y;
    direction[k + 2u] = direction[k + 2u] + v.z;
}

fn push_change(k: u32, v: vec3r) {
    change[k] = change[k] + v.x;
    change[k + 1u] = change[k + 1u] + v.y;
    change[k + 2u] = change[k + 2u] + v.z;
}

@compute @workgroup_size(64)
fn sweep_follow(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let batch = batch_of(i);
    let lane = i % WIDTH;
    if batches[batch + BATCH_MOVES] == 0u {
        return;
    }
    let first = batches[batch + BATCH_ROW];
    let n = batches[batch + BATCH_NORMAL];
    var sum = ZERO;
    for (var row = first; row < first + n; row++) {
        sum = sum + max(state[WIDTH * row + lane], ZERO);
    }
    let loaded = sum > ZERO;
    let load = select(ONE, sum, loaded);
    var moved = zeros();
    var beside = zeros();
    var raised = ZERO;
    var raised_beside = ZERO;
    for (var j = 0u; j < n; j++) {
        let index = LOAD_FRACTIONS * WIDTH * (first + j) + lane;
        let x = max(state[WIDTH * (first + j) + lane], ZERO);
        let excess = select(ZERO, x / load - load_fractions[index], loaded);
        let grown = excess - load_fractions[index + WIDTH];
        load_fractions[index + WIDTH] = excess;
        let shift = batches[batch + BATCH_SHIFT] + TANGENTIAL * j;
        moved = pushed(shift_of(shift, lane), grown, moved);
        beside = pushed(shift_of(shift + 1u, lane), grown, beside);
        raised = raised + grown * raise_of(shift, lane);
        raised_beside = raised_beside + grown * raise_of(shift + 1u, lane);
    }
    let row = first + n;
    move_row(row, lane, moved, raised);
    move_row(row + 1u, lane, beside, raised_beside);
    let k = WIDTH * row + lane;
    let u = k + WIDTH;
    let on_state = pushed(beside, state[u], pushed(moved, state[k], zeros()));
    let on_direction = pushed(beside, direction[u], pushed(moved, direction[k], zeros()));
    let on_change = pushed(beside, change[u], pushed(moved, change[k], zeros()));
    let body = batches[batch + BATCH_FIRST + lane];
    if body != NO_BODY {
        let at = grid.second + MOTION * body;
        push_state(at, on_state.a);
        push_state(at + 3u, on_state.b);
        push_direction(at, on_direction.a);
        push_direction(at + 3u, on_direction.b);
        push_change(at, on_change.a);
        push_change(at + 3u, on_change.b);
    }
    let other = batches[batch + BATCH_SECOND + lane];
    if other != NO_BODY {
        let at = grid.second + MOTION * other;
        push_state(at, on_state.c);
        push_state(at + 3u, on_state.d);
        push_direction(at, on_direction.c);
        push_direction(at + 3u, on_direction.d);
        push_change(at, on_change.c);
        push_change(at + 3u, on_change.d);
    }
}
