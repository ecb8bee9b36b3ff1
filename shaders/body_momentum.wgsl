// (A w + f − K w) − Jᵀ x of one body, gathered over its contacts in their order: twin of src/kernels/body_momentum.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl

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

fn direction(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].jacobian[at], rows[c].jacobian[at + 1u], rows[c].jacobian[at + 2u]);
}

fn moved(body: u32) -> Six {
    let at = 6u * body;
    return Six(vec3r(w[at], w[at + 1u], w[at + 2u]), vec3r(w[at + 3u], w[at + 4u], w[at + 5u]));
}

fn stiffness_row(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].stiffness[at], rows[c].stiffness[at + 1u], rows[c].stiffness[at + 2u]);
}

// Three rows of K, six columns, times what moved.
fn stiff(c: u32, at: u32, x: Six) -> vec3r {
    return vec3r(
        dot(stiffness_row(c, at), x.v) + dot(stiffness_row(c, at + 3u), x.w),
        dot(stiffness_row(c, at + 12u), x.v) + dot(stiffness_row(c, at + 15u), x.w),
        dot(stiffness_row(c, at + 24u), x.v) + dot(stiffness_row(c, at + 27u), x.w),
    );
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
        let j = 24u * side;
        let x = gains[c].impulse;
        linear -= direction(c, j) * x[0] + direction(c, j + 6u) * x[1] + direction(c, j + 12u) * x[2] + direction(c, j + 18u) * x[3];
        angular -= direction(c, j + 3u) * x[0] + direction(c, j + 9u) * x[1] + direction(c, j + 15u) * x[2] + direction(c, j + 21u) * x[3];
        let other = moved(terms[k].y);
        let same = 72u * side + 6u * side;
        let across = 72u * side + 6u * (1u - side);
        linear -= stiff(c, same, own) + stiff(c, across, other);
        angular -= stiff(c, same + 36u, own) + stiff(c, across + 36u, other);
    }
    let out = 6u * i;
    momentum[out] = linear.x;
    momentum[out + 1u] = linear.y;
    momentum[out + 2u] = linear.z;
    momentum[out + 3u] = angular.x;
    momentum[out + 4u] = angular.y;
    momentum[out + 5u] = angular.z;
}
