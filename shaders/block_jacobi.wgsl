// Inverse of one diagonal 6×6 block by the Schur complement of its linear part: twin of src/kernels/block_jacobi.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl

// Place of each diagonal block.
@group(0) @binding(1) var<storage, read> place: array<u32>;
@group(0) @binding(2) var<storage, read> blocks: array<real>;
@group(0) @binding(3) var<storage, read_write> inverse: array<real>;

fn row(at: u32) -> vec3r {
    return vec3r(blocks[at], blocks[at + 1u], blocks[at + 2u]);
}

fn part(at: u32) -> mat3r {
    return transpose(mat3r(row(at), row(at + 6u), row(at + 12u)));
}

fn inverted(m: mat3r) -> mat3r {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    let scale = ONE / dot(m[0], a);
    return transpose(mat3r(a * scale, b * scale, c * scale));
}

fn put(at: u32, m: mat3r) {
    inverse[at] = m[0].x;
    inverse[at + 1u] = m[1].x;
    inverse[at + 2u] = m[2].x;
    inverse[at + 6u] = m[0].y;
    inverse[at + 7u] = m[1].y;
    inverse[at + 8u] = m[2].y;
    inverse[at + 12u] = m[0].z;
    inverse[at + 13u] = m[1].z;
    inverse[at + 14u] = m[2].z;
}

@compute @workgroup_size(64)
fn block_jacobi(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let at = 36u * place[i];
    let q = part(at + 3u);
    let r = part(at + 18u);
    let p_inverse = inverted(part(at));
    let schur = inverted(part(at + 21u) - r * p_inverse * q);
    let right = p_inverse * q * schur;
    let left = r * p_inverse;
    put(36u * i, p_inverse + right * left);
    put(36u * i + 3u, zero3() - right);
    put(36u * i + 18u, zero3() - schur * left);
    put(36u * i + 21u, schur);
}
