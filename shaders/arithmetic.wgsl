// Every operation that the kernels use, on numbers whose results are known: the self-test of a device.
//include shared/grid.wgsl
//include shared/linear.wgsl

@group(0) @binding(1) var<storage, read> input: array<real>;
@group(0) @binding(2) var<storage, read_write> output: array<real>;

@compute @workgroup_size(64)
fn arithmetic(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let a = vec3r(input[6u * i], input[6u * i + 1u], input[6u * i + 2u]);
    let b = vec3r(input[6u * i + 3u], input[6u * i + 4u], input[6u * i + 5u]);
    let c = cross(a, b);
    let m = outer(a, b) + skew(b);
    let product = (m * transpose(m)) * a;
    let o = 12u * i;
    output[o] = a.x + b.x;
    output[o + 1u] = a.x - b.x;
    output[o + 2u] = a.x * b.x;
    output[o + 3u] = a.x / b.x;
    output[o + 4u] = sqrt(abs(a.x));
    output[o + 5u] = dot(a, b);
    output[o + 6u] = norm3(c);
    output[o + 7u] = min(a.y, b.y) + max(a.z, b.z);
    output[o + 8u] = select(a.y, b.y, a.z < b.z);
    output[o + 9u] = product.x;
    output[o + 10u] = product.y;
    output[o + 11u] = product.z;
}
