//! Ranks that are threads of one process: what a scene computes on several ranks, without an MPI library.

use signorini_ranks::{Ranks, Traffic};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longest time that a rank waits for another one: a rank that makes other calls fails its test.
const PATIENCE: Duration = Duration::from_secs(100);

/// One exchange of a group: what each rank hands out, and how many have read all.
#[derive(Debug, Default)]
struct Board {
    from: HashMap<usize, Vec<u8>>,
    readers: usize,
}

/// Where the ranks meet.
#[derive(Debug, Default)]
struct Room {
    boards: Mutex<HashMap<(Range<usize>, u64), Board>>,
    changed: Condvar,
}

/// A rank that is a thread.
#[derive(Debug)]
struct ThreadRank {
    rank: usize,
    size: usize,
    room: Arc<Room>,
    /// Number of exchanges with each group, and all of them.
    so_far: Mutex<(HashMap<Range<usize>, u64>, Traffic)>,
}

impl Ranks for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(&self, group: Range<usize>, mine: &[u8], lengths: &[usize]) -> Vec<u8> {
        assert!(group.contains(&self.rank) && mine.len() == lengths[self.rank - group.start]);
        let key = {
            let mut so_far = self.so_far.lock().unwrap();
            so_far.1 = Traffic { messages: so_far.1.messages + 1, bytes: so_far.1.bytes + mine.len() as u64 };
            let n = so_far.0.entry(group.clone()).or_default();
            *n += 1;
            (group.clone(), *n)
        };
        let mut boards = self.room.boards.lock().unwrap();
        boards.entry(key.clone()).or_default().from.insert(self.rank, mine.to_vec());
        self.room.changed.notify_all();
        while boards[&key].from.len() < group.len() {
            let (next, waited) = self.room.changed.wait_timeout(boards, PATIENCE).unwrap();
            assert!(!waited.timed_out(), "rank {} waits in {group:?}", self.rank);
            boards = next;
        }
        let board = boards.get_mut(&key).unwrap();
        board.readers += 1;
        let all = group.clone().flat_map(|rank| board.from[&rank].clone()).collect();
        let told: Vec<usize> = group.clone().map(|rank| board.from[&rank].len()).collect();
        assert_eq!(told, lengths, "rank {} of {group:?}", self.rank);
        if board.readers == group.len() {
            boards.remove(&key);
        }
        all
    }

    fn traffic(&self) -> Traffic {
        self.so_far.lock().unwrap().1
    }
}

/// Does some work on so many ranks at once, each with so many threads; returns what each found.
pub fn on_ranks<T: Send>(size: usize, threads: usize, work: impl Fn(Arc<dyn Ranks>) -> T + Sync) -> Vec<T> {
    let room = Arc::new(Room::default());
    let one = |rank: usize| {
        let rank: Arc<dyn Ranks> =
            Arc::new(ThreadRank { rank, size, room: Arc::clone(&room), so_far: Mutex::default() });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| work(rank))
    };
    std::thread::scope(|scope| {
        let one = &one;
        let all: Vec<_> = (0..size).map(|rank| scope.spawn(move || one(rank))).collect();
        all.into_iter().map(|rank| rank.join().expect("a rank")).collect()
    })
}
