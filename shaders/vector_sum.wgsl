// y += s x, and y = x + s y, with s from an array of scalars: twin of shaders/vector_sum.rs.
//include shared/grid.wgsl

// grid.first is the index of s.
@group(0) @binding(1) var<storage, read> scalars: array<real>;
@group(0) @binding(2) var<storage, read> x: array<real>;
@group(0) @binding(3) var<storage, read_write> y: array<real>;

@compute @workgroup_size(64)
fn vector_sum(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    y[i] = y[i] + scalars[grid.first] * x[i];
}

@compute @workgroup_size(64)
fn scaled_sum(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    y[i] = x[i] + scalars[grid.first] * y[i];
}
