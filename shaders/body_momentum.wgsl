// (A w + f − K w) − Jᵀ x of one body, gathered over its contacts in their order: twin of
// shaders/body_momentum.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

// 36 numbers of A by rows, 6 of f per body, 2 unused.
@group(0) @binding(1) var<storage, read> bodies: array<vec4r>;
// v − v_k, six numbers a body.
@group(0) @binding(2) var<storage, read> w: array<vec2<real>>;
@group(0) @binding(3) var<storage, read> start: array<u32>;
// (2 contact + side, other body)
@group(0) @binding(4) var<storage, read> terms: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> rows: array<PairRows>;
@group(0) @binding(6) var<storage, read> derivatives: array<ContactDerivative>;
@group(0) @binding(7) var<storage, read_write> momentum: array<vec2<real>>;

fn moved(body: u32) -> Six {
    let at = 3u * body;
    let p = w[at];
    let q = w[at + 1u];
    return Six(vec3r(p, q.x), vec3r(q.y, w[at + 2u]));
}

// Three rows of K times what the pair sees: c_b − c_a, ω_a, ω_b.
fn stiff(c: u32, group: u32, apart: vec3r, wa: vec3r, wb: vec3r) -> vec3r {
    let k = stiffness(c, group);
    return k.apart * apart + (k.a * wa + k.b * wb);
}

@compute @workgroup_size(64)
fn body_momentum(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let k0 = 11u * i;
    let mass = unpacked(Packed(
        bodies[k0], bodies[k0 + 1u], bodies[k0 + 2u], bodies[k0 + 3u], bodies[k0 + 4u],
        bodies[k0 + 5u], bodies[k0 + 6u], bodies[k0 + 7u], bodies[k0 + 8u],
    ));
    let f = bodies[k0 + 9u];
    let own = moved(i);
    let mw = times(mass, own);
    var linear = mw.v + f.xyz;
    var angular = mw.w + vec3r(f.w, bodies[k0 + 10u].xy);
    let end = start[i + 1u];
    for (var k = start[i]; k < end; k++) {
        let term = terms[k];
        let c = term.x >> 1u;
        let side = term.x & 1u;
        let sign = sign_of(side);
        let x = derivatives[c].impulse;
        let push = forces(c);
        let turn = torques(c, side);
        linear -= (push.n * x.x + push.t * x.y + push.o * x.z) * sign;
        angular -= turn.n * x.x + turn.t * x.y + turn.o * x.z + push.r * (x.w * sign);
        let other = moved(term.y);
        let apart = (own.v - other.v) * sign;
        let wa = select(own.w, other.w, side == 1u);
        let wb = select(other.w, own.w, side == 1u);
        linear -= stiff(c, 0u, apart, wa, wb) * sign;
        angular -= stiff(c, 1u + side, apart, wa, wb);
    }
    let out = 3u * i;
    momentum[out] = linear.xy;
    momentum[out + 1u] = vec2<real>(linear.z, angular.x);
    momentum[out + 2u] = angular.yz;
}
