// Vectors and matrices of six: linear part, angular part.
struct Six {
    v: vec3r,
    w: vec3r,
}

struct Block {
    vv: mat3r,
    vw: mat3r,
    wv: mat3r,
    ww: mat3r,
}

fn times(m: Block, x: Six) -> Six {
    return Six(m.vv * x.v + m.vw * x.w, m.wv * x.v + m.ww * x.w);
}

// m + a bᵀ
fn plus_outer(m: Block, a: Six, b: Six) -> Block {
    return Block(m.vv + outer(a.v, b.v), m.vw + outer(a.v, b.w), m.wv + outer(a.w, b.v), m.ww + outer(a.w, b.w));
}

// The 36 numbers of a block by rows, in fours: one access for four numbers.
struct Packed {
    a: vec4r, b: vec4r, c: vec4r,
    d: vec4r, e: vec4r, f: vec4r,
    g: vec4r, h: vec4r, i: vec4r,
}

fn unpacked(p: Packed) -> Block {
    return Block(
        transpose(mat3r(p.a.xyz, vec3r(p.b.zw, p.c.x), p.d.xyz)),
        transpose(mat3r(vec3r(p.a.w, p.b.xy), p.c.yzw, vec3r(p.d.w, p.e.xy))),
        transpose(mat3r(vec3r(p.e.zw, p.f.x), p.g.xyz, vec3r(p.h.zw, p.i.x))),
        transpose(mat3r(p.f.yzw, vec3r(p.g.w, p.h.xy), p.i.yzw)),
    );
}

fn packed(m: Block) -> Packed {
    let v = transpose(m.vv);
    let x = transpose(m.vw);
    let y = transpose(m.wv);
    let w = transpose(m.ww);
    return Packed(
        vec4r(v[0], x[0].x), vec4r(x[0].yz, v[1].xy), vec4r(v[1].z, x[1]),
        vec4r(v[2], x[2].x), vec4r(x[2].yz, y[0].xy), vec4r(y[0].z, w[0]),
        vec4r(y[1], w[1].x), vec4r(w[1].yz, y[2].xy), vec4r(y[2].z, w[2]),
    );
}
