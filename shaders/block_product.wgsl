// y = A x for a matrix of 6×6 blocks in compressed rows, one thread a row of blocks: twin of
// shaders/block_product.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl

@group(0) @binding(1) var<storage, read> start: array<u32>;
@group(0) @binding(2) var<storage, read> column: array<u32>;
// 36 numbers a block by rows, in fours: two rows are three of them.
@group(0) @binding(3) var<storage, read> blocks: array<vec4r>;
// Six numbers each.
@group(0) @binding(4) var<storage, read> x: array<vec2<real>>;
@group(0) @binding(5) var<storage, read_write> y: array<vec2<real>>;

// Two rows of a block times (a, c).
fn two_rows(at: u32, a: vec3r, c: vec3r) -> vec2<real> {
    let p = blocks[at];
    let q = blocks[at + 1u];
    let r = blocks[at + 2u];
    return vec2<real>(dot(p.xyz, a) + dot(vec3r(p.w, q.xy), c), dot(vec3r(q.zw, r.x), a) + dot(r.yzw, c));
}

@compute @workgroup_size(64)
fn block_product(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    var s = vec2<real>(ZERO);
    var t = s;
    var u = s;
    let end = start[i + 1u];
    for (var k = start[i]; k < end; k++) {
        let b = 9u * k;
        let j = 3u * column[k];
        let p = x[j];
        let q = x[j + 1u];
        let a = vec3r(p, q.x);
        let c = vec3r(q.y, x[j + 2u]);
        s += two_rows(b, a, c);
        t += two_rows(b + 3u, a, c);
        u += two_rows(b + 6u, a, c);
    }
    let out = 3u * i;
    y[out] = s;
    y[out + 1u] = t;
    y[out + 2u] = u;
}
