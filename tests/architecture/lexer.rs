//! Words of Rust text, without comments and literals: enough to follow `use` and paths.

/// A word or a sign of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    /// Counted from 1.
    pub line: usize,
}

impl Token<'_> {
    pub fn is_word(&self) -> bool {
        self.text.starts_with(is_word)
    }
}

/// Tokens of a text, and its lines with comments.
#[derive(Debug, Default)]
pub struct Lexed<'a> {
    pub tokens: Vec<Token<'a>>,
    /// Lines that hold a comment or a part of one.
    pub comments: Vec<usize>,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the literal or comment at the start of a text, if one is there.
fn skipped(text: &str) -> Option<usize> {
    let up_to =
        |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(up_to(2, "*/"));
    }
    let raw = text.strip_prefix('b').unwrap_or(text);
    if let Some(hashes) = raw.strip_prefix('r') {
        let n = hashes.len() - hashes.trim_start_matches('#').len();
        if hashes[n..].starts_with('"') {
            let from = text.len() - hashes.len() + n + 1;
            return Some(up_to(from, &format!("\"{}", "#".repeat(n))));
        }
    }
    if raw.starts_with('"') {
        let from = text.len() - raw.len() + 1;
        return Some(from + after_quote(&text[from..], '"'));
    }
    if let Some(rest) = raw.strip_prefix('\'') {
        let mut chars = rest.chars();
        let (first, second) = (chars.next()?, chars.next());
        // A lifetime has no second quote.
        if first == '\\' || second == Some('\'') {
            let from = text.len() - rest.len();
            return Some(from + after_quote(rest, '\''));
        }
    }
    None
}

/// End of a literal whose first quote is behind: after the next quote that no backslash covers.
fn after_quote(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Takes a text apart.
pub fn lex(text: &str) -> Lexed<'_> {
    let mut lexed = Lexed::default();
    let (mut at, mut line) = (0, 1);
    while at < text.len() {
        let rest = &text[at..];
        if let Some(n) = skipped(rest) {
            let n_lines = rest[..n].matches('\n').count();
            if rest.starts_with('/') {
                lexed.comments.extend(line..=line + n_lines);
            }
            (at, line) = (at + n, line + n_lines);
            continue;
        }
        let first = rest.chars().next().expect("a character is left");
        let n = match first {
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        if !first.is_whitespace() {
            lexed.tokens.push(Token { text: &rest[..n], line });
        }
        line += usize::from(first == '\n');
        at += n;
    }
    lexed
}

/// The tokens without items that are only there for tests.
pub fn without_tests(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut kept: Vec<Token<'_>> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let is_attribute = tokens[at].text == "#" && tokens.get(at + 1).is_some_and(|t| t.text == "[");
        if !is_attribute {
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        let end = closing(&tokens, at + 1);
        let attribute = &tokens[at..=end];
        let has = |word| attribute.iter().any(|t| t.text == word);
        if has("cfg") && has("test") && !has("not") {
            at = item_end(&tokens, end + 1);
        } else {
            kept.extend_from_slice(attribute);
            at = end + 1;
        }
    }
    kept
}

/// Index of the bracket that closes the one at `open`.
pub fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            return i;
        }
    }
    tokens.len() - 1
}

/// Index behind the item that starts at `at`, its attributes included.
fn item_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut i = at;
    while i < tokens.len() {
        match tokens[i].text {
            ";" => return i + 1,
            "{" => return closing(tokens, i) + 1,
            "(" | "[" => i = closing(tokens, i) + 1,
            _ => i += 1,
        }
    }
    tokens.len()
}

#[test]
fn literals_and_comments_are_no_words() {
    let text = "use a::b; // c\nlet d = \"e \\\" f\"; 'g: h(r#\"i\"j\"#, 'k', b'l', '\\'')\n/* m\n n */ o";
    let lexed = lex(text);
    let words: Vec<&str> = lexed.tokens.iter().filter(|t| t.is_word()).map(|t| t.text).collect();
    assert_eq!(words, ["use", "a", "b", "let", "d", "g", "h", "o"]);
    assert_eq!(lexed.comments, [1, 3, 4]);
    assert_eq!(lexed.tokens.last().map(|t| t.line), Some(4));
}

#[test]
fn what_is_for_tests_is_left_out() {
    let text =
        "fn a() { b }\n#[cfg(test)]\nmod c { use d; }\n#[cfg(test)]\nuse e;\n#[cfg(feature)]\nfn f() {}";
    let kept = without_tests(lex(text).tokens);
    let words: Vec<&str> = kept.iter().filter(|t| t.is_word()).map(|t| t.text).collect();
    assert_eq!(words, ["fn", "a", "b", "cfg", "feature", "fn", "f"]);
}
