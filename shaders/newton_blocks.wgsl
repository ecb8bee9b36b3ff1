// The 6×6 blocks of A − K + Jᵀ G Y in the rows of one body, gathered over its contacts in their order, one
// thread a body. The data of a contact is read once, for the body's own block and for the block with
// the other body. Twin: shaders/newton_blocks.rs, which makes them one by one.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

// First block of each body.
@group(0) @binding(1) var<storage, read> first: array<u32>;
// 36 numbers of A by rows, 8 others per body.
@group(0) @binding(2) var<storage, read> mass: array<vec4r>;
@group(0) @binding(3) var<storage, read> start: array<u32>;
// (2 contact + side, other body), sorted by the other body; those from grid.n on have no unknowns.
@group(0) @binding(4) var<storage, read> terms: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> rows: array<PairRows>;
@group(0) @binding(6) var<storage, read> derivatives: array<ContactDerivative>;
// 1/L: the factor of angular rows and columns.
@group(0) @binding(7) var<storage, read> angular: array<real>;
// 36 numbers a block by rows.
@group(0) @binding(8) var<storage, read_write> blocks: array<vec4r>;

// A row of Y, or of G Y: by c_b − c_a, θ_a, θ_b.
struct Seen {
    apart: vec3r,
    a: vec3r,
    b: vec3r,
}

fn scaled(y: Seen, x: real) -> Seen {
    return Seen(y.apart * x, y.a * x, y.b * x);
}

fn added(x: Seen, y: Seen) -> Seen {
    return Seen(x.apart + y.apart, x.a + y.a, x.b + y.b);
}

fn negative(m: mat3r) -> mat3r {
    return mat3r(-m[0], -m[1], -m[2]);
}

// Three rows of −K, to which Jᵀ G Y is added.
fn yielding(c: u32, group: u32) -> Stiffness {
    let k = stiffness(c, group);
    return Stiffness(negative(k.apart), negative(k.a), negative(k.b));
}

// m + f gᵀ
fn pushed(m: Stiffness, f: vec3r, g: Seen) -> Stiffness {
    return Stiffness(m.apart + outer(f, g.apart), m.a + outer(f, g.a), m.b + outer(f, g.b));
}

fn mass_of(body: u32) -> Block {
    let k = 11u * body;
    return unpacked(Packed(
        mass[k], mass[k + 1u], mass[k + 2u], mass[k + 3u], mass[k + 4u], mass[k + 5u], mass[k + 6u], mass[k + 7u], mass[k + 8u],
    ));
}

fn put(place: u32, m: Block) {
    let s = angular[0];
    let p = packed(Block(m.vv, m.vw * s, m.wv * s, m.ww * (s * s)));
    let k = 9u * place;
    blocks[k] = p.a;
    blocks[k + 1u] = p.b;
    blocks[k + 2u] = p.c;
    blocks[k + 3u] = p.d;
    blocks[k + 4u] = p.e;
    blocks[k + 5u] = p.f;
    blocks[k + 6u] = p.g;
    blocks[k + 7u] = p.h;
    blocks[k + 8u] = p.i;
}

fn picked(m: mat3r, n: mat3r, second: bool) -> mat3r {
    return mat3r(select(m[0], n[0], second), select(m[1], n[1], second), select(m[2], n[2], second));
}

@compute @workgroup_size(64)
fn newton_blocks(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    var own = mass_of(i);
    let none = Block(zero3(), zero3(), zero3(), zero3());
    var other = none;
    // Blocks lie in the order of their columns; the own one comes after those of bodies before.
    var place = first[i];
    var own_place = place;
    let end = start[i + 1u];
    for (var k = start[i]; k < end; k++) {
        let term = terms[k];
        let c = term.x >> 1u;
        let side = term.x & 1u;
        let on_b = side == 1u;
        let sign = sign_of(side);
        let slopes = derivatives[c].slopes;
        let d = derivatives[c].direction;
        let apart = answers(c, 0u);
        let a = answers(c, 1u);
        let b = answers(c, 2u);
        let y_t = Seen(apart.t, a.t, b.t);
        let y_o = Seen(apart.o, a.o, b.o);
        let y_r = Seen(apart.r, a.r, b.r);
        let g_n = scaled(Seen(apart.n, a.n, b.n), slopes.x);
        let along = added(added(scaled(y_t, d.x), scaled(y_o, d.y)), scaled(y_r, d.z));
        let push = added(scaled(g_n, slopes.w), scaled(along, -slopes.z));
        let g_t = added(scaled(y_t, slopes.y), scaled(push, d.x));
        let g_o = added(scaled(y_o, slopes.y), scaled(push, d.y));
        let g_r = added(scaled(y_r, slopes.y), scaled(push, d.z));
        let f = forces(c);
        let t = torques(c, side);
        let force = pushed(pushed(pushed(yielding(c, 0u), f.n, g_n), f.t, g_t), f.o, g_o);
        let turned = pushed(pushed(pushed(yielding(c, 1u + side), t.n, g_n), t.t, g_t), t.o, g_o);
        let torque = pushed(turned, f.r * sign, g_r);
        // The body feels the force on B with its sign, and moves c_b − c_a with its sign.
        own.vv += force.apart;
        own.vw += picked(force.a, force.b, on_b) * sign;
        own.wv += torque.apart * sign;
        own.ww += picked(torque.a, torque.b, on_b);
        other.vv -= force.apart;
        other.vw += picked(force.b, force.a, on_b) * sign;
        other.wv -= torque.apart * sign;
        other.ww += picked(torque.b, torque.a, on_b);
        var is_last = true;
        if k + 1u < end {
            is_last = terms[k + 1u].y != term.y;
        }
        if is_last {
            if term.y < grid.n {
                put(place + select(0u, 1u, term.y > i), other);
                place++;
                own_place += select(0u, 1u, term.y < i);
            }
            other = none;
        }
    }
    put(own_place, own);
}
