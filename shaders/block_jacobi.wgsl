// Inverse of one diagonal 6×6 block by the Schur complement of its linear part: twin of
// shaders/block_jacobi.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/six.wgsl

// Place of each diagonal block.
@group(0) @binding(1) var<storage, read> place: array<u32>;
@group(0) @binding(2) var<storage, read> blocks: array<vec4r>;
@group(0) @binding(3) var<storage, read_write> inverse: array<vec4r>;

fn inverted(m: mat3r) -> mat3r {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    let scale = ONE / dot(m[0], a);
    return transpose(mat3r(a * scale, b * scale, c * scale));
}

@compute @workgroup_size(64)
fn block_jacobi(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let k = 9u * place[i];
    let m = unpacked(Packed(
        blocks[k], blocks[k + 1u], blocks[k + 2u], blocks[k + 3u], blocks[k + 4u],
        blocks[k + 5u], blocks[k + 6u], blocks[k + 7u], blocks[k + 8u],
    ));
    let p_inverse = inverted(m.vv);
    let schur = inverted(m.ww - m.wv * p_inverse * m.vw);
    let right = p_inverse * m.vw * schur;
    let left = m.wv * p_inverse;
    let p = packed(Block(p_inverse + right * left, zero3() - right, zero3() - schur * left, schur));
    let out = 9u * i;
    inverse[out] = p.a;
    inverse[out + 1u] = p.b;
    inverse[out + 2u] = p.c;
    inverse[out + 3u] = p.d;
    inverse[out + 4u] = p.e;
    inverse[out + 5u] = p.f;
    inverse[out + 6u] = p.g;
    inverse[out + 7u] = p.h;
    inverse[out + 8u] = p.i;
}
