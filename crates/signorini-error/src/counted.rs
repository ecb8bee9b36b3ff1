//! Numbers of things in messages.

/// A number with the word for so many things: "1 body", "2 bodies".
pub fn counted(n: usize, one: &str) -> String {
    let stem = one.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (n, stem) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        _ if one.ends_with("ch") => format!("{n} {one}es"),
        _ => format!("{n} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_nothing_is_plural() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "body")), ["0 bodies", "1 body", "2 bodies"]);
        assert_eq!([1, 3].map(|n| counted(n, "switch")), ["1 switch", "3 switches"]);
        assert_eq!([1, 12].map(|n| counted(n, "step")), ["1 step", "12 steps"]);
    }
}
