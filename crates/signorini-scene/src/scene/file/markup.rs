//! A quick check of XML before it is parsed. Readers follow nested elements by recursion, and the parser
//! compares each attribute with those before it in the element, and with all names of namespaces.

/// Most elements of a file, or of files that include each other.
pub const MAX_ELEMENTS: usize = 500_000;
/// Most attributes of all elements: they take the memory.
const MAX_ATTRIBUTES: usize = 2_000_000;
/// Most attributes of one element.
const MAX_OWN_ATTRIBUTES: usize = 1000;
/// Most declarations of namespaces.
const MAX_NAMESPACES: usize = 100;
/// Texts that are no elements, by their starts and ends.
const OTHERS: [(&[u8], &[u8]); 4] =
    [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"), (b"<!", b">")];

/// Number of elements of a text that nests at most `deepest` and has at most `most` of them; otherwise the
/// line at fault and its fault. Anything else is left to the parser.
pub fn check(text: &str, deepest: usize, most: usize) -> Result<usize, String> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut elements, mut attributes, mut namespaces) = (0, 0usize, 0, 0, 0);
    while let Some(start) = bytes[at..].iter().position(|b| *b == b'<').map(|found| at + found) {
        let fault = |what: String| {
            let line = 1 + bytes[..start].iter().filter(|b| **b == b'\n').count();
            Err(format!("line {line}: {what}"))
        };
        let rest = &bytes[start..];
        if let Some((_, end)) = OTHERS.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let length = rest.windows(end.len()).position(|w| w == *end);
            at = length.map_or(bytes.len(), |length| start + length + end.len());
            continue;
        }
        let tag = Tag::of(rest);
        at = start + tag.length;
        match (tag.closes, tag.is_empty) {
            (true, _) => depth = depth.saturating_sub(1),
            (false, is_empty) => {
                elements += 1;
                depth += usize::from(!is_empty);
            }
        }
        attributes += tag.attributes;
        namespaces += tag.namespaces;
        if depth > deepest {
            return fault(format!("elements nest deeper than {deepest}"));
        }
        if elements > most {
            return fault(format!("more than {most} elements"));
        }
        if tag.attributes > MAX_OWN_ATTRIBUTES || attributes > MAX_ATTRIBUTES {
            let most = if attributes > MAX_ATTRIBUTES { MAX_ATTRIBUTES } else { MAX_OWN_ATTRIBUTES };
            return fault(format!("more than {most} attributes"));
        }
        if namespaces > MAX_NAMESPACES {
            return fault(format!("more than {MAX_NAMESPACES} namespaces"));
        }
    }
    Ok(elements)
}

/// A tag from its `<` on.
struct Tag {
    /// Bytes up to and with its `>`.
    length: usize,
    /// Whether it is the end of an element.
    closes: bool,
    /// Whether the element has no content.
    is_empty: bool,
    attributes: usize,
    namespaces: usize,
}

impl Tag {
    fn of(bytes: &[u8]) -> Self {
        let (mut at, mut attributes, mut namespaces) = (1, 0, 0);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'>' => break,
                b'"' | b'\'' => {
                    at += bytes[at + 1..].iter().position(|b| *b == byte).map_or(bytes.len(), |n| n + 1);
                }
                b'=' => attributes += 1,
                b'x' if bytes[at..].starts_with(b"xmlns") => namespaces += 1,
                _ => {}
            }
            at += 1;
        }
        let length = (at + 1).min(bytes.len());
        let is_empty = bytes.get(at.wrapping_sub(1)) == Some(&b'/');
        Self { length, closes: bytes.get(1) == Some(&b'/'), is_empty, attributes, namespaces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_and_texts_are_not() {
        let text = "<?xml version='1'?><!-- <a><a> = -->\n<a b='>' c=\"</a>\"><b/><![CDATA[<c><c>]]></a>";
        assert_eq!(check(text, 1, 2), Ok(2));
        assert_eq!(check(text, 1, 1), Err("line 2: more than 1 elements".to_owned()));
        let nested = |n: usize| "<a>\n".repeat(n) + &"</a>".repeat(n);
        assert_eq!(check(&nested(5), 5, 9), Ok(5));
        assert_eq!(check(&nested(6), 5, 9), Err("line 6: elements nest deeper than 5".to_owned()));
        let wide = |n: usize| format!("<a {}/>", "b='' ".repeat(n));
        assert_eq!(check(&wide(1000), 1, 1), Ok(1));
        assert!(check(&wide(1001), 1, 1).is_err_and(|e| e.contains("more than 1000 attributes")));
        let spaces = format!("<a {}/>", "xmlns:b='c' ".repeat(101));
        assert!(check(&spaces, 1, 1).is_err_and(|e| e.contains("namespaces")));
        // Texts that never end are left to the parser.
        for open in ["<", "<a b='", "<!--", "<![CDATA[", "a<b", ""] {
            assert!(check(open, 9, 9).is_ok(), "{open}");
        }
    }
}
