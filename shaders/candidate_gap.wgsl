// Lower bound of the gap of a candidate pair along its normal of the last step: twin of
// shaders/candidate_gap.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

@group(0) @binding(1) var<storage, read> bodies: array<BodyState>;
@group(0) @binding(2) var<storage, read> keys: array<PairKey>;
@group(0) @binding(3) var<storage, read> pairs: array<PairState>;
@group(0) @binding(4) var<storage, read_write> bounds: array<real>;

fn reach(i: u32, n: vec3r) -> real {
    let q = symmetric(bodies[i].q);
    return sqrt(dot(n, q * n));
}

@compute @workgroup_size(64)
fn candidate_gap(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let key = keys[i];
    let n = vector(pairs[i].start);
    let b = dot(n, vector(bodies[key.y].center)) - reach(key.y, n);
    if (key.z & PLANE) != 0u {
        bounds[i] = pairs[i].height[0] + b;
    } else {
        bounds[i] = dot(n, vector(pairs[i].offset)) + b - dot(n, vector(bodies[key.x].center)) - reach(key.x, n);
    }
}
