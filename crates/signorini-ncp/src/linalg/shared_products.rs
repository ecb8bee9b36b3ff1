//! Products and divisions of large fronts, divided among threads. The bits are those of one thread: the terms
//! of an entry and their order do not depend on the columns beside it.

use super::BLOCK;
use super::entry::Entry;
use super::packed::{Packed, Rows, SHARES, multiply, solve_right};
use crate::threads;
use pulp::{Simd, WithSimd};

/// Fewest products of 6×6 blocks in a piece.
const OF_A_PIECE: usize = 2000;
/// Fewest columns of a piece: each piece packs A again.
const WIDE: usize = 8 * BLOCK;
/// Columns that stay together: two tiles.
const TOGETHER: usize = 2 * BLOCK;

/// C := −A B: C and A column by column, padded; B as it was packed. C has a multiple of six columns.
#[inline(always)]
pub fn shared_negative_product<S: Simd, T: Entry>(
    simd: S,
    c: &mut [T],
    (a, rows): (&[T], Rows),
    packed: &mut Packed<T>,
) {
    let depth = a.len() / rows.stride.max(1);
    let columns = c.len() / rows.stride.max(1);
    let work = depth * columns * rows.stride / BLOCK.pow(3);
    let (b, mut rooms) = packed.parts();
    let pieces = rooms.size_hint().0.min(threads::count()).min(work / OF_A_PIECE).min(columns / WIDE);
    if pieces < 2 {
        let room = rooms.next().unwrap_or_default();
        return multiply::<S, T, false>(simd, c, (a, rows), room, b);
    }
    let mut taken: [&mut [T]; SHARES] = Default::default();
    taken.iter_mut().zip(rooms).for_each(|(taken, room)| *taken = room);
    by_pieces(c, (a, rows), (b, depth), &mut taken[..pieces]);
}

/// A piece of the columns for each room.
fn by_pieces<T: Entry>(c: &mut [T], a: (&[T], Rows), (b, depth): (&[T], usize), rooms: &mut [&mut [T]]) {
    if let [room] = rooms {
        pulp::Arch::new().dispatch(Product { c, a, room, b });
        return;
    }
    let stride = a.1.stride;
    let half = rooms.len() / 2;
    let columns = (c.len() / stride * half / rooms.len()).next_multiple_of(TOGETHER);
    let columns = columns.min(c.len() / stride);
    let (before, after) = c.split_at_mut(columns * stride);
    let (b, later_b) = b.split_at(columns * depth);
    let (rooms, later_rooms) = rooms.split_at_mut(half);
    threads::join(
        || by_pieces(before, a, (b, depth), rooms),
        || by_pieces(after, a, (later_b, depth), later_rooms),
    );
}

struct Product<'a, T> {
    c: &'a mut [T],
    a: (&'a [T], Rows),
    room: &'a mut [T],
    b: &'a [T],
}

impl<T: Entry> WithSimd for Product<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        multiply::<S, T, false>(simd, self.c, self.a, self.room, self.b);
    }
}

/// X := X T⁻¹ of two panels at once, each by a triangle of its own that was packed.
pub fn shared_solve_right<T: Entry>([x, y]: [&mut [T]; 2], rows: Rows, [of_x, of_y]: [&mut Packed<T>; 2]) {
    let (first, second) = (Division { x, rows, packed: of_x }, Division { x: y, rows, packed: of_y });
    let arch = pulp::Arch::new();
    threads::join(|| arch.dispatch(first), || arch.dispatch(second));
}

struct Division<'a, T> {
    x: &'a mut [T],
    rows: Rows,
    packed: &'a mut Packed<T>,
}

impl<T: Entry> WithSimd for Division<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        solve_right(simd, self.x, self.rows, self.packed);
    }
}
