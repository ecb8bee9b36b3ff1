// y = A x for a matrix of 6×6 blocks in compressed rows, one thread a row of blocks: twin of src/kernels/block_product.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/six.wgsl

@group(0) @binding(1) var<storage, read> start: array<u32>;
@group(0) @binding(2) var<storage, read> column: array<u32>;
// 36 numbers a block, by rows.
@group(0) @binding(3) var<storage, read> blocks: array<real>;
@group(0) @binding(4) var<storage, read> x: array<real>;
@group(0) @binding(5) var<storage, read_write> y: array<real>;

fn row(at: u32) -> vec3r {
    return vec3r(blocks[at], blocks[at + 1u], blocks[at + 2u]);
}

@compute @workgroup_size(64)
fn block_product(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    var v = vec3r(ZERO);
    var w = vec3r(ZERO);
    for (var k = start[i]; k < start[i + 1u]; k++) {
        let b = 36u * k;
        let j = 6u * column[k];
        let a = vec3r(x[j], x[j + 1u], x[j + 2u]);
        let c = vec3r(x[j + 3u], x[j + 4u], x[j + 5u]);
        v += vec3r(
            dot(row(b), a) + dot(row(b + 3u), c),
            dot(row(b + 6u), a) + dot(row(b + 9u), c),
            dot(row(b + 12u), a) + dot(row(b + 15u), c),
        );
        w += vec3r(
            dot(row(b + 18u), a) + dot(row(b + 21u), c),
            dot(row(b + 24u), a) + dot(row(b + 27u), c),
            dot(row(b + 30u), a) + dot(row(b + 33u), c),
        );
    }
    let out = 6u * i;
    y[out] = v.x;
    y[out + 1u] = v.y;
    y[out + 2u] = v.z;
    y[out + 3u] = w.x;
    y[out + 4u] = w.y;
    y[out + 5u] = w.z;
}
