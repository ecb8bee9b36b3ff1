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
