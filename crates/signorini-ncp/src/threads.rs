//! Threads that wait for work while some comes every few microseconds. A thread of the pool sleeps as soon as
//! it finds no work, and to wake it takes longer than its part of a sweep.

use rayon::Yield;
use rayon::prelude::*;
use signorini_kernels::math::larger;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Time for which threads wait for work (ns).
const PATIENCE: u64 = 100_000;
/// Spins between two checks for work, whose data lies in the memory of another core.
const PAUSE: usize = 8;

/// Fewest bodies of an island whose work threads divide.
pub const SHARED_FROM: usize = 64;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Time of the last work (ns since the start).
static LAST_WORK: AtomicU64 = AtomicU64::new(0);
/// Number of threads that wait or are about to.
static WAITING: AtomicUsize = AtomicUsize::new(0);

fn now() -> u64 {
    START.elapsed().as_nanos() as u64
}

/// Has all other threads of the pool wait for work, if the caller is one of them.
pub fn rouse() {
    let Some(caller) = rayon::current_thread_index() else { return };
    let n = rayon::current_num_threads();
    if n < 2 {
        return;
    }
    LAST_WORK.store(now(), Ordering::Relaxed);
    if WAITING.compare_exchange(0, n, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        rayon::spawn_broadcast(move |context| {
            if context.index() != caller {
                wait();
            }
            WAITING.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn wait() {
    loop {
        match rayon::yield_now() {
            Some(Yield::Executed) => LAST_WORK.store(now(), Ordering::Relaxed),
            _ if now().saturating_sub(LAST_WORK.load(Ordering::Relaxed)) > PATIENCE => return,
            _ => (0..PAUSE).for_each(|_| std::hint::spin_loop()),
        }
    }
}

/// Number of threads that divide the work of the caller: 1 outside the pool.
pub fn count() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Calls both functions, at once if the caller is one of the pool's threads: any other would pass them to the
/// pool and wait.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if count() > 1 { rayon::join(a, b) } else { (a(), b()) }
}

/// Does some work for so many bodies on a thread of the pool, if it is worth it: such a thread divides the
/// work without waiting for the pool.
pub fn inside<T: Send>(n_bodies: usize, work: impl FnOnce() -> T + Send) -> T {
    let is_outside = n_bodies >= SHARED_FROM && rayon::current_thread_index().is_none();
    if is_outside { rayon::scope(|_| work()) } else { work() }
}

/// Calls `each` with every item and its own part of `out`: item i owns `out` from `cut(i)` to `cut(i + 1)`,
/// where `cut(0)` is 0. A thread takes `portion` items at a time.
pub fn each_with_own<T: Send>(
    items: std::ops::Range<usize>,
    out: &mut [T],
    portion: usize,
    cut: &(impl Fn(usize) -> usize + Sync),
    each: &(impl Fn(usize, &mut [T]) + Sync),
) {
    let first = cut(items.start);
    if items.len() > portion {
        let middle = items.start + items.len() / 2;
        let (before, after) = out.split_at_mut(cut(middle) - first);
        join(
            || each_with_own(items.start..middle, before, portion, cut, each),
            || each_with_own(middle..items.end, after, portion, cut, each),
        );
        return;
    }
    for i in items {
        each(i, &mut out[cut(i) - first..cut(i + 1) - first]);
    }
}

/// The largest number of all items, and 0; a NaN is larger than all. A thread takes `portion` items at a
/// time.
pub fn largest(items: usize, portion: usize, of: impl Fn(usize) -> f64 + Sync) -> f64 {
    fn over(items: std::ops::Range<usize>, portion: usize, of: &(impl Fn(usize) -> f64 + Sync)) -> f64 {
        if items.len() <= portion {
            return items.map(of).fold(0.0, larger);
        }
        let middle = items.start + items.len() / 2;
        let (a, b) = join(|| over(items.start..middle, portion, of), || over(middle..items.end, portion, of));
        larger(a, b)
    }
    over(0..items, portion, &of)
}

/// Calls `visit` with every item and what was found before: in `own` if the caller does all of the work,
/// else in portions, which are returned, in the order of the items. How they are cut depends on the threads.
pub fn portions<M: Default + Send>(
    items: usize,
    portion: usize,
    own: &mut M,
    visit: impl Fn(&mut M, usize) + Sync,
) -> Vec<M> {
    if items <= portion || count() == 1 {
        (0..items).for_each(|i| visit(own, i));
        return Vec::new();
    }
    let add = |mut found: M, i: usize| {
        visit(&mut found, i);
        found
    };
    (0..items).into_par_iter().with_min_len(portion).fold(M::default, add).collect()
}

/// The least number of items that a thread takes at a time where there are so many bodies: all, if the work
/// is not divided.
pub fn portion(n_bodies: usize, shared: usize) -> usize {
    if n_bodies >= SHARED_FROM { shared } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does some work on the thread of the test, and divided among three.
    fn both(work: impl Fn() + Sync) {
        work();
        rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap().install(|| {
            rouse();
            work();
        });
    }

    #[test]
    fn each_item_gets_what_belongs_to_it() {
        // Item i owns i numbers.
        let cut = |i: usize| i * i.saturating_sub(1) / 2;
        both(|| {
            let mut out = vec![0; cut(21)];
            each_with_own(0..21, &mut out, 2, &cut, &|i, own| {
                assert_eq!(own.len(), i);
                own.fill(i);
            });
            let expected: Vec<usize> = (0..21).flat_map(|i| vec![i; i]).collect();
            assert_eq!(out, expected);
        });
    }

    #[test]
    fn portions_hold_all_items_in_their_order() {
        both(|| {
            let mut all = Vec::new();
            let others = portions(100, 7, &mut all, |found: &mut Vec<usize>, i| found.push(i));
            all.extend(others.into_iter().flatten());
            assert_eq!(all, (0..100).collect::<Vec<_>>());
        });
    }

    #[test]
    fn a_nan_is_the_largest() {
        both(|| {
            assert_eq!(largest(100, 7, |i| ((i * 37) % 100) as f64), 99.0);
            assert_eq!(largest(10, 7, |_| -1.0), 0.0);
            assert!(largest(100, 7, |i| if i == 31 { f64::NAN } else { 1.0 }).is_nan());
        });
    }
}
