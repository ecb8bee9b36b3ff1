//! Numbers in code: those that decide something stand on the pages of parameters.

use crate::lexer::{Token, lex, without_tests};

/// A number of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Number<'a> {
    pub text: &'a str,
    pub line: usize,
    /// Name of the constant whose whole value the number is.
    pub constant: Option<&'a str>,
    /// Whether the number is a length, an index or an entry between square brackets.
    is_bracketed: bool,
}

impl Number<'_> {
    /// Digits and exponent without signs of grouping and the name of a type.
    fn digits(&self) -> String {
        let end = self.text.find(['f', 'i', 'u']).unwrap_or(self.text.len());
        self.text[..end].replace('_', "")
    }

    /// Whether the number belongs into a formula or a size and needs no reason: 0, 1, 2 and ½; of whole
    /// numbers those of the components of a vector and a body (3 and 6) and all between square brackets,
    /// which are lengths and indices.
    pub fn is_plain(&self) -> bool {
        let digits = self.digits();
        match digits.parse::<u64>() {
            Ok(whole) => self.is_bracketed || matches!(whole, 0..=3 | 6),
            Err(_) => matches!(digits.parse(), Ok(0.0 | 0.5 | 1.0 | 2.0)),
        }
    }
}

/// Place of a token in its text (bytes).
fn place(text: &str, token: &Token<'_>) -> usize {
    token.text.as_ptr() as usize - text.as_ptr() as usize
}

/// Numbers of a text, tests left out.
pub fn numbers(text: &str) -> Vec<Number<'_>> {
    let tokens = without_tests(lex(text).tokens);
    let is_digit = |token: &Token<'_>| token.text.starts_with(|c: char| c.is_ascii_digit());
    let (mut found, mut open, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        let token = &tokens[at];
        match token.text {
            "(" | "[" | "{" => open.push(token.text),
            ")" | "]" | "}" => drop(open.pop()),
            _ => (),
        }
        // A digit behind a single dot is the name of a field.
        let is_field = at > 1 && tokens[at - 1].text == "." && tokens[at - 2].text != ".";
        if !is_digit(token) || is_field {
            at += 1;
            continue;
        }
        let mut last = at;
        let follows = |last: usize, word: &str| {
            let next = tokens.get(last + 1).filter(|next| next.text == word)?;
            let is_next = place(text, next) == place(text, &tokens[last]) + tokens[last].text.len();
            let behind = tokens.get(last + 2).filter(|behind| is_digit(behind))?;
            (is_next && place(text, behind) == place(text, next) + 1).then_some(last + 2)
        };
        last = follows(last, ".").unwrap_or(last);
        if tokens[last].text.ends_with('e') {
            last = follows(last, "-").or_else(|| follows(last, "+")).unwrap_or(last);
        }
        let end = place(text, &tokens[last]) + tokens[last].text.len();
        let is_value =
            at > 0 && tokens[at - 1].text == "=" && tokens.get(last + 1).is_some_and(|t| t.text == ";");
        let name = tokens[..at].iter().rposition(|t| t.text == "const").filter(|_| is_value);
        let is_own = |name: &usize| tokens[*name..at].iter().all(|t| t.text != ";");
        found.push(Number {
            text: &text[place(text, token)..end],
            line: token.line,
            constant: name.filter(is_own).map(|name| tokens[name + 1].text),
            is_bracketed: open.last() == Some(&"["),
        });
        at = last + 1;
    }
    found
}

#[test]
fn numbers_are_read() {
    let text = "const A: f64 = 1e-9; // 7\nlet b = [0.5_f64; 4 * C]; x.0.1 + 250_000 + 1.0e+3;\n(0..12) \"9\"\n\
                #[cfg(test)]\nmod d { 8.5 }";
    let found = numbers(text);
    let texts: Vec<&str> = found.iter().map(|n| n.text).collect();
    assert_eq!(texts, ["1e-9", "0.5_f64", "4", "250_000", "1.0e+3", "0", "12"]);
    assert_eq!((found[0].constant, found[1].constant), (Some("A"), None));
    let plain: Vec<bool> = found.iter().map(Number::is_plain).collect();
    assert_eq!(plain, [false, true, true, false, false, true, false]);
}
