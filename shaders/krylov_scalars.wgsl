// The scalars of a step of BiCGStab, by one thread: twin of shaders/krylov_scalars.rs.
//include shared/grid.wgsl

// grid.first: stage. Scalars: see the twin.
@group(0) @binding(1) var<storage, read_write> s: array<real>;

fn quotient(a: real, b: real) -> real {
    return select(a / select(b, real(1), b == real(0)), real(0), b == real(0));
}

@compute @workgroup_size(64)
fn krylov_scalars(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    // Solved: nothing moves any more.
    let going = s[SQUARE] > s[GOAL];
    if grid.first == 0u {
        let beta = quotient(s[SHADOW], s[LAST]) * quotient(s[ALPHA], s[OMEGA]);
        s[BETA] = select(real(0), beta, going);
        s[LAST] = s[SHADOW];
    } else if grid.first == 1u {
        s[ALPHA] = select(real(0), quotient(s[SHADOW], s[STEERED]), going);
        s[MINUS_ALPHA] = -s[ALPHA];
    } else {
        s[OMEGA] = select(real(0), quotient(s[TS], s[TT]), going);
        s[MINUS_OMEGA] = -s[OMEGA];
        s[COUNT] = s[COUNT] + select(real(0), real(1), going);
    }
}
