//! Public names of the crate: those that `lib.rs` re-exports.

use crate::lexer::{Token, closing, lex};
use crate::modules::leaves;
use std::collections::BTreeSet;

/// Public names, and rooms that are public as a whole. Items behind an attribute that names `internals`,
/// `hidden` or `doctest` promise nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Public {
    pub names: BTreeSet<String>,
    pub rooms: BTreeSet<String>,
}

impl Public {
    /// Reads the text of `lib.rs`.
    pub fn of(text: &str) -> Self {
        let mut found = Self::default();
        found.read(&lex(text).tokens);
        found
    }

    fn read(&mut self, tokens: &[Token<'_>]) {
        let mut at = 0;
        let mut is_hidden = false;
        while at < tokens.len() {
            let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
            if text(at) == "#" && text(at + 1) == "[" {
                let end = closing(tokens, at + 1);
                let inside = &tokens[at..end];
                is_hidden |= inside.iter().any(|t| matches!(t.text, "internals" | "hidden" | "doctest"))
                    && !inside.iter().any(|t| t.text == "not");
                at = end + 1;
                continue;
            }
            let end =
                (at..tokens.len()).find(|i| matches!(tokens[*i].text, ";" | "{")).unwrap_or(tokens.len());
            let is_public = text(at) == "pub" && text(at + 1) != "(" && !is_hidden;
            let kind = text(at + 1);
            let mut next = if text(end) == "{" { closing(tokens, end) + 1 } else { end + 1 };
            if kind == "use" {
                next = (at..tokens.len()).find(|i| tokens[*i].text == ";").unwrap_or(tokens.len()) + 1;
            }
            match (is_public, kind) {
                (true, "use") => leaves(&tokens[at + 2..next - 1], &mut Vec::new(), &mut |_, name| {
                    self.names.insert(name);
                }),
                (true, "mod") if text(end) == "{" => self.read(&tokens[end + 1..next - 1]),
                (true, "mod") => drop(self.rooms.insert(text(at + 2).to_owned())),
                (true, _) => drop(self.names.insert(text(at + 2).to_owned())),
                (false, _) => (),
            }
            (at, is_hidden) = (next, false);
        }
    }
}

#[test]
fn public_names_are_counted() {
    let text = "
        pub mod a; mod b; #[cfg(feature = \"internals\")] #[doc(hidden)] pub mod c;
        pub use a::{D, e::F as G, self}; use b::H; #[cfg(not(feature = \"internals\"))] mod i;
        pub mod prelude { pub use crate::{D, J}; } #[cfg(doctest)] pub struct K; pub struct L { m: N }
        pub(crate) use b::O; pub fn p() {}";
    let found = Public::of(text);
    assert_eq!(found.rooms, BTreeSet::from(["a".to_owned()]));
    assert_eq!(found.names, ["D", "G", "J", "L", "a", "p"].map(str::to_owned).into());
}
