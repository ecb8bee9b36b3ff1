//! Text for a terminal. A name from a file may hold codes that move the cursor, write the title of the
//! window, or turn the direction of what follows.

use std::borrow::Cow;

/// The text with its control characters and marks of direction as escapes; ends of lines and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_hidden(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || (c.is_control() && c != '\n' && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn codes_are_shown_and_words_stay() {
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\r"), "a\\u{1b}]0;title\\u{7}b\\r");
        assert_eq!(printable("\u{9b}31m \u{202e}x\u{2069}"), "\\u{9b}31m \\u{202e}x\\u{2069}");
        assert_eq!(printable("Größe μ = 0.5\n\tline \"two\""), "Größe μ = 0.5\n\tline \"two\"");
    }
}
