// (A w + f − K w) − Jᵀ x of one body, gathered over its contacts in their order: twin of src/kernels/body_momentum.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

// 36 numbers of A by rows, 6 of f per body.
@group(0) @binding(1) var<storage, read> bodies: array<real>;
// v − v_k, six numbers a body.
@group(0) @binding(2) var<storage, read> w: array<real>;
@group(0) @binding(3) var<storage, read> start: array<u32>;
// (2 contact + side, other body)
@group(0) @binding(4) var<storage, read> terms: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> rows: array<PairRows>;
@group(0) @binding(6) var<storage, read> gains: array<ContactGain>;
@group(0) @binding(7) var<storage, read_write> momentum: array<real>;

fn body_vector(at: u32) -> vec3r {
    return vec3r(bodies[at], bodies[at + 1u], bodies[at + 2u]);
}

// Rows are stored one after another.
fn body_matrix(at: u32) -> mat3r {
    return transpose(mat3r(body_vector(at), body_vector(at + 6u), body_vector(at + 12u)));
}

fn moved(body: u32) -> Six {
    let at = 6u * body;
    return Six(vec3r(w[at], w[at + 1u], w[at + 2u]), vec3r(w[at + 3u], w[at + 4u], w[at + 5u]));
}

// Three rows of K times what the pair sees: c_b − c_a, ω_a, ω_b.
fn stiff(c: u32, row: u32, apart: vec3r, wa: vec3r, wb: vec3r) -> vec3r {
    return stiffness(c, row, 0u) * apart + (stiffness(c, row, 1u) * wa + stiffness(c, row, 2u) * wb);
}

@compute @workgroup_size(64)
fn body_momentum(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let at = 42u * i;
    let mass = Block(body_matrix(at), body_matrix(at + 3u), body_matrix(at + 18u), body_matrix(at + 21u));
    let own = moved(i);
    let mw = times(mass, own);
    var linear = mw.v + body_vector(at + 36u);
    var angular = mw.w + body_vector(at + 39u);
    for (var k = start[i]; k < start[i + 1u]; k++) {
        let c = terms[k].x >> 1u;
        let side = terms[k].x & 1u;
        let sign = sign_of(side);
        let x = gains[c].impulse;
        linear -= (jacobian(c, 0u) * x[0] + jacobian(c, 3u) * x[1] + jacobian(c, 6u) * x[2]) * sign;
        let torques = 12u + 9u * side;
        angular -= jacobian(c, torques) * x[0] + jacobian(c, torques + 3u) * x[1] + jacobian(c, torques + 6u) * x[2] + jacobian(c, 9u) * (x[3] * sign);
        let other = moved(terms[k].y);
        let apart = (own.v - other.v) * sign;
        let wa = select(own.w, other.w, side == 1u);
        let wb = select(other.w, own.w, side == 1u);
        linear -= stiff(c, 0u, apart, wa, wb) * sign;
        angular -= stiff(c, 1u + side, apart, wa, wb);
    }
    let out = 6u * i;
    momentum[out] = linear.x;
    momentum[out + 1u] = linear.y;
    momentum[out + 2u] = linear.z;
    momentum[out + 3u] = angular.x;
    momentum[out + 4u] = angular.y;
    momentum[out + 5u] = angular.z;
}
