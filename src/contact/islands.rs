//! Groups of bodies that touch or may touch: each is solved on its own.

/// Union–find over bodies, then islands in order of their smallest body.
#[derive(Debug, Default)]
pub struct Islands {
    parent: Vec<usize>,
    /// Island of each moving body; `usize::MAX` for fixed ones.
    pub island_of: Vec<usize>,
    /// Smallest body of each island.
    pub first: Vec<usize>,
}

impl Islands {
    /// Groups `n` bodies by the pairs given; fixed bodies join nothing.
    pub fn group(
        &mut self,
        n: usize,
        fixed: impl Fn(usize) -> bool,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) {
        self.parent.clear();
        self.parent.extend(0..n);
        for (a, b) in pairs {
            if !fixed(a) && !fixed(b) {
                let (ra, rb) = (self.root(a), self.root(b));
                // The smallest body is the root: islands come out in body order.
                self.parent[ra.max(rb)] = ra.min(rb);
            }
        }
        self.island_of.clear();
        self.island_of.resize(n, usize::MAX);
        self.first.clear();
        for body in 0..n {
            if fixed(body) {
                continue;
            }
            let root = self.root(body);
            if root == body {
                self.island_of[body] = self.first.len();
                self.first.push(body);
            } else {
                self.island_of[body] = self.island_of[root];
            }
        }
    }

    /// Number of islands.
    pub fn n_islands(&self) -> usize {
        self.first.len()
    }

    fn root(&mut self, mut body: usize) -> usize {
        while self.parent[body] != body {
            self.parent[body] = self.parent[self.parent[body]];
            body = self.parent[body];
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_body_does_not_join_what_rests_on_it() {
        let mut islands = Islands::default();
        islands.group(6, |b| b == 0, [(0, 1), (0, 2), (2, 4), (5, 4)].into_iter());
        assert_eq!(islands.island_of, [usize::MAX, 0, 1, 2, 1, 1]);
        assert_eq!(islands.n_islands(), 3);
    }
}
