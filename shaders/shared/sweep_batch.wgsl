// Eight contacts of a batch, a lane each, and their operations on a row: twin of shaders/sweep_batch.rs. A
// kernel that includes this binds `batches`, `rows` and `state`. grid.first: first batch; grid.second: index
// at which motions begin in the state.

// Six entries of each of two bodies: a row, or their motions.
struct Twelve {
    a: vec3r,
    b: vec3r,
    c: vec3r,
    d: vec3r,
}

fn zeros() -> Twelve {
    return Twelve(vec3r(ZERO), vec3r(ZERO), vec3r(ZERO), vec3r(ZERO));
}

// Place at which the words of an item's batch begin.
fn batch_of(i: u32) -> u32 {
    return BATCH * (grid.first + i / WIDTH);
}

// Place at which the laws of an item's lane begin.
fn law_of(i: u32) -> u32 {
    return WIDTH * LAWS * (grid.first + i / WIDTH) + i % WIDTH;
}

fn row_of(row: u32, lane: u32) -> Twelve {
    let k = WIDTH * ENTRIES * row + lane;
    return Twelve(
        vec3r(rows[k], rows[k + WIDTH], rows[k + 2u * WIDTH]),
        vec3r(rows[k + 3u * WIDTH], rows[k + 4u * WIDTH], rows[k + 5u * WIDTH]),
        vec3r(rows[k + 6u * WIDTH], rows[k + 7u * WIDTH], rows[k + 8u * WIDTH]),
        vec3r(rows[k + 9u * WIDTH], rows[k + 10u * WIDTH], rows[k + 11u * WIDTH]),
    );
}

fn motions_of(batch: u32, lane: u32) -> Twelve {
    let first = batches[batch + BATCH_FIRST + lane];
    let second = batches[batch + BATCH_SECOND + lane];
    var m = zeros();
    if first != NO_BODY {
        let k = grid.second + MOTION * first;
        m.a = vec3r(state[k], state[k + 1u], state[k + 2u]);
        m.b = vec3r(state[k + 3u], state[k + 4u], state[k + 5u]);
    }
    if second != NO_BODY {
        let k = grid.second + MOTION * second;
        m.c = vec3r(state[k], state[k + 1u], state[k + 2u]);
        m.d = vec3r(state[k + 3u], state[k + 4u], state[k + 5u]);
    }
    return m;
}

// y = y0 + J w
fn slip_of(row: Twelve, m: Twelve, offset: real) -> real {
    return ((offset + dot(row.a, m.a)) + dot(row.b, m.b)) + (dot(row.c, m.c) + dot(row.d, m.d));
}

// w + Jt dx
fn pushed(row: Twelve, dx: real, m: Twelve) -> Twelve {
    return Twelve(m.a + row.a * dx, m.b + row.b * dx, m.c + row.c * dx, m.d + row.d * dx);
}

// Factor that brings friction of this squared length back onto a ball.
fn shrink_of(radius: real, square: real) -> real {
    let out = square > radius * radius;
    return select(ONE, radius / sqrt(select(ONE, square, out)), out);
}
