// output := input, the yardstick of memory traffic. A thread copies four vectors of four numbers: with less
// for each, threads would start more slowly than memory moves.
//include shared/grid.wgsl

@group(0) @binding(1) var<storage, read> input: array<vec4<real>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<real>>;

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i < grid.n {
        output[i] = input[i];
        output[i + grid.n] = input[i + grid.n];
        output[i + 2u * grid.n] = input[i + 2u * grid.n];
        output[i + 3u * grid.n] = input[i + 3u * grid.n];
    }
}
