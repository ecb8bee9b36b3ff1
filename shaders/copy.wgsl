// output := input, the yardstick of memory traffic.
//include shared/grid.wgsl

@group(0) @binding(1) var<storage, read> input: array<real>;
@group(0) @binding(2) var<storage, read_write> output: array<real>;

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i < grid.n {
        output[i] = input[i];
    }
}
