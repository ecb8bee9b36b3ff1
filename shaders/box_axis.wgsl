// The separating axis of two boxes among their faces and pairs of edges: twin of shaders/box_axis.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

@group(0) @binding(1) var<storage, read> pairs: array<BoxPair>;
@group(0) @binding(2) var<storage, read_write> found: array<BoxAxis>;

struct Boxes {
    offset: vec3r,
    half_a: vec3r,
    half_b: vec3r,
    a: mat3r,
    b: mat3r,
    // A face of B, or an edge axis, must win by this.
    margin: real,
}

struct Best {
    axis: real,
    gap: real,
    normal: vec3r,
}

fn along(boxes: Boxes, best: Best, axis: real, direction: vec3r, margin: real) -> Best {
    let length = norm3(direction);
    // Parallel edges span no axis.
    if length < PARALLEL {
        return best;
    }
    let unit = direction / length;
    let n = select(unit, -unit, dot(unit, boxes.offset) < ZERO);
    let gap = dot(n, boxes.offset) - dot(abs(n * boxes.a), boxes.half_a) - dot(abs(n * boxes.b), boxes.half_b);
    if gap > best.gap + margin {
        return Best(axis, gap, n);
    }
    return best;
}

@compute @workgroup_size(64)
fn box_axis(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let half_a = vector(pairs[i].half_a);
    let half_b = vector(pairs[i].half_b);
    let size = norm3(half_a) + norm3(half_b);
    let s = Boxes(
        vector(pairs[i].offset), half_a, half_b, matrix(pairs[i].rotation_a), matrix(pairs[i].rotation_b), PREFERENCE * size,
    );
    var best = Best(real(-1), size * FAR, vec3r(ZERO));
    best = along(s, best, real(0), s.a[0], ZERO);
    best = along(s, best, real(1), s.a[1], ZERO);
    best = along(s, best, real(2), s.a[2], ZERO);
    best = along(s, best, real(3), s.b[0], s.margin);
    best = along(s, best, real(4), s.b[1], s.margin);
    best = along(s, best, real(5), s.b[2], s.margin);
    best = along(s, best, real(6), cross(s.a[0], s.b[0]), s.margin);
    best = along(s, best, real(7), cross(s.a[0], s.b[1]), s.margin);
    best = along(s, best, real(8), cross(s.a[0], s.b[2]), s.margin);
    best = along(s, best, real(9), cross(s.a[1], s.b[0]), s.margin);
    best = along(s, best, real(10), cross(s.a[1], s.b[1]), s.margin);
    best = along(s, best, real(11), cross(s.a[1], s.b[2]), s.margin);
    best = along(s, best, real(12), cross(s.a[2], s.b[0]), s.margin);
    best = along(s, best, real(13), cross(s.a[2], s.b[1]), s.margin);
    best = along(s, best, real(14), cross(s.a[2], s.b[2]), s.margin);
    found[i].axis[0] = best.axis;
    found[i].gap[0] = best.gap;
    found[i].normal = plain(best.normal);
}
