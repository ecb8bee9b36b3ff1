// M v − b − Jᵀ x of one body, gathered over its contacts in their order: twin of src/kernels/body_momentum.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl

// 36 numbers of M, 6 of v, 6 of b per body.
@group(0) @binding(1) var<storage, read> bodies: array<real>;
@group(0) @binding(2) var<storage, read> start: array<u32>;
// 2 contact + side
@group(0) @binding(3) var<storage, read> terms: array<u32>;
@group(0) @binding(4) var<storage, read> rows: array<PairRows>;
@group(0) @binding(5) var<storage, read> gains: array<ContactGain>;
@group(0) @binding(6) var<storage, read_write> momentum: array<real>;

fn body_vector(at: u32) -> vec3r {
    return vec3r(bodies[at], bodies[at + 1u], bodies[at + 2u]);
}

// Rows are stored one after another.
fn body_matrix(at: u32) -> mat3r {
    return transpose(mat3r(body_vector(at), body_vector(at + 6u), body_vector(at + 12u)));
}

fn direction(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].jacobian[at], rows[c].jacobian[at + 1u], rows[c].jacobian[at + 2u]);
}

@compute @workgroup_size(64)
fn body_momentum(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let at = 48u * i;
    let mass = Block(body_matrix(at), body_matrix(at + 3u), body_matrix(at + 18u), body_matrix(at + 21u));
    let mv = times(mass, Six(body_vector(at + 36u), body_vector(at + 39u)));
    var linear = mv.v - body_vector(at + 42u);
    var angular = mv.w - body_vector(at + 45u);
    for (var k = start[i]; k < start[i + 1u]; k++) {
        let c = terms[k] >> 1u;
        let side = 24u * (terms[k] & 1u);
        let x = gains[c].impulse;
        linear -= direction(c, side) * x[0] + direction(c, side + 6u) * x[1] + direction(c, side + 12u) * x[2] + direction(c, side + 18u) * x[3];
        angular -= direction(c, side + 3u) * x[0] + direction(c, side + 9u) * x[1] + direction(c, side + 15u) * x[2] + direction(c, side + 21u) * x[3];
    }
    let out = 6u * i;
    momentum[out] = linear.x;
    momentum[out + 1u] = linear.y;
    momentum[out + 2u] = linear.z;
    momentum[out + 3u] = angular.x;
    momentum[out + 4u] = angular.y;
    momentum[out + 5u] = angular.z;
}
