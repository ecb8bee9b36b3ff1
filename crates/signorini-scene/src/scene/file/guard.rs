//! A quick check of a text before it is parsed. A scene nests a few levels; a text that nests without end
//! would cost the parser minutes. Values cost the parser two hundred bytes each.

/// Deepest nesting of brackets and braces; a scene needs four.
const MAX_DEPTH: usize = 32;
/// Most dots in one key; a scene needs two.
const MAX_DOTS: usize = 16;
/// Most commas; a file of the greatest length holds a third of that in numbers of full precision.
const MAX_COMMAS: usize = 10_000_000;
/// Longest line of a message.
const LONGEST_LINE: usize = 160;

/// Whether the text nests like a scene; otherwise the line at fault and its fault.
pub fn check_nesting(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut depth, mut dots, mut commas) = (0, 1usize, 0usize, 0usize, 0usize);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'#' => at = find(bytes, at, b"\n"),
            b'"' | b'\'' => at = end_of_string(bytes, start),
            b'[' | b'{' => {
                depth += 1;
                dots = 0;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'.' => dots += 1,
            b',' => {
                commas += 1;
                dots = 0;
            }
            b'=' | b'\n' => dots = 0,
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("line {line}: brackets nest deeper than {MAX_DEPTH}, or are not closed"));
        }
        if dots > MAX_DOTS {
            return Err(format!("line {line}: a key has more than {MAX_DOTS} dots"));
        }
        if commas > MAX_COMMAS {
            return Err(format!("line {line}: more than {MAX_COMMAS} values: give large meshes as files"));
        }
        line += bytes[start..at.min(bytes.len())].iter().filter(|b| **b == b'\n').count();
    }
    Ok(())
}

/// Index of the first `what` at or after `from`, or the end.
fn find(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    bytes[from..].windows(what.len()).position(|w| w == what).map_or(bytes.len(), |i| from + i)
}

/// Index after the string that starts at `start`; a one-line string ends at the end of its line at the
/// latest (the parser will say what is wrong with it).
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let triple = [quote; 3];
    let is_long = bytes[start..].starts_with(&triple);
    let mut at = start + if is_long { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && quote == b'"' {
            at += 2;
        } else if is_long && bytes[at..].starts_with(&triple) {
            return at + 3;
        } else if !is_long && byte == quote {
            return at + 1;
        } else if !is_long && byte == b'\n' {
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// A parser's message with long lines cut, for it quotes the line at fault.
pub fn shortened(message: &str) -> String {
    let cut = |line: &str| -> String {
        match line.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_string(),
        }
    };
    message.trim_end().lines().map(cut).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_and_comments_do_not_nest() {
        let open = "[".repeat(100);
        let fine = [
            format!("a = \"{open}\" # {open}\nb = '{open}'"),
            format!("a = '''{open}\n{open}''' # x"),
            format!("a = \"\\\"{open}\"\nb = \"\"\"{open}\" {open}\"\"\""),
            "a = [[1.5, 2.5], [3.5]]\n".repeat(100),
            format!("a = [{}]", "0.1, ".repeat(100)),
        ];
        for text in &fine {
            assert_eq!(check_nesting(text), Ok(()), "{text}");
        }
        let deep = format!("# x\na = \"\n{open}");
        assert!(check_nesting(&deep).is_err_and(|m| m.starts_with("line 3:")));
        assert!(check_nesting(&format!("a{} = 1", ".a".repeat(40))).is_err());
        assert!(check_nesting(&"{a=".repeat(40)).is_err());
        let many = |n: usize| check_nesting(&format!("a = [\n{}]", "1,".repeat(n)));
        assert_eq!(many(MAX_COMMAS), Ok(()));
        assert!(many(MAX_COMMAS + 1).is_err_and(|m| m.starts_with("line 2: more than 10000000 values")));
    }
}
