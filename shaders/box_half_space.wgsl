// Heights of the eight corners of a box above a half-space: twin of shaders/box_half_space.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

@group(0) @binding(1) var<storage, read> pairs: array<BoxPair>;
@group(0) @binding(2) var<storage, read_write> heights: array<real>;

@compute @workgroup_size(64)
fn box_half_space(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    // The half-space is A: its normal is the third column of its rotation, its offset that of the box's
    // centre.
    let n = matrix(pairs[i].rotation_a)[2];
    let along = (n * matrix(pairs[i].rotation_b)) * vector(pairs[i].half_b);
    let centre = dot(n, vector(pairs[i].offset));
    let low = centre - along.x;
    let high = centre + along.x;
    let out = 8u * i;
    heights[out] = low - along.y - along.z;
    heights[out + 1u] = high - along.y - along.z;
    heights[out + 2u] = low + along.y - along.z;
    heights[out + 3u] = high + along.y - along.z;
    heights[out + 4u] = low - along.y + along.z;
    heights[out + 5u] = high - along.y + along.z;
    heights[out + 6u] = low + along.y + along.z;
    heights[out + 7u] = high + along.y + along.z;
}
