// The item that a thread works on. Groups are laid out in two dimensions: one holds 65,535 at most.
struct Grid {
    // Items.
    n: u32,
    // Threads in a row of groups.
    width: u32,
    // Three numbers that a kernel may use as it likes.
    first: u32,
    second: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;

fn item_of(id: vec3<u32>) -> u32 {
    return id.y * grid.width + id.x;
}
