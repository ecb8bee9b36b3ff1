//! Documents keep step with the code and with each other: cited sections and equations exist, links lead
//! somewhere, every page is in the book, and lines fit beside each other on a screen.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest line of a document outside tables, in characters; lines with a link may be longer.
const WIDEST: usize = 110;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, kinds: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            files(&path, kinds, found);
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| kinds.contains(&e)) {
            found.push(path);
        }
    }
    found.sort();
}

/// Folders whose comments are read.
const SOURCES: [&str; 8] = ["src", "crates", "shaders", "tests", "benches", "examples", "fuzz", "python/src"];

/// Files of these kinds below the folders of the sources. Every folder must have some.
fn sources(kinds: &[&str]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in SOURCES {
        let mut found = Vec::new();
        files(&root().join(folder), kinds, &mut found);
        found.retain(|path| path.components().all(|part| part.as_os_str() != "target"));
        assert!(!found.is_empty(), "{folder} has no sources: are they in another folder now?");
        all.extend(found);
    }
    all
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn pages() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    files(&root().join("docs"), &["md"], &mut found);
    assert!(found.len() > 20, "the documents are not where they were");
    found
}

/// Lines outside ``` blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((i + 1, line))
    })
}

/// The number, one digit group or two with a dot between, that a text begins with.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    let parts: Vec<&str> = number.split('.').collect();
    (parts.len() <= 2 && parts.iter().all(|p| !p.is_empty())).then_some(number)
}

/// Numbers of the sections and equations of the theory.
struct Theory {
    sections: BTreeSet<String>,
    equations: BTreeSet<String>,
}

/// An equation's number at the end of a line: `… (3.4)`.
fn equation_at_end(line: &str) -> Option<&str> {
    let open = line.strip_suffix(')')?.rfind('(')?;
    let inner = &line[open + 1..line.len() - 1];
    (number(inner) == Some(inner) && inner.contains('.')).then_some(inner)
}

fn theory() -> Theory {
    let mut found = Vec::new();
    files(&root().join("docs/theory"), &["md"], &mut found);
    let mut theory = Theory { sections: BTreeSet::new(), equations: BTreeSet::new() };
    for page in found {
        let text = text(&page);
        for (_, line) in prose(&text).filter(|(_, line)| line.starts_with('#')) {
            if let Some(number) = number(line.trim_start_matches('#').trim_start()) {
                assert!(theory.sections.insert(number.to_string()), "section {number} is there twice");
            }
        }
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.starts_with("```");
            if let Some(number) = equation_at_end(line).filter(|_| fenced) {
                assert!(theory.equations.insert(number.to_string()), "equation {number} is there twice");
            }
        }
    }
    theory
}

/// Citations in a text that has the word before them: `§n.m` and `(n.m)`, several joined by commas or words.
fn citations<'a>(text: &'a str, found: &mut Vec<(bool, &'a str)>) {
    for (at, _) in text.match_indices("theory ") {
        let mut rest = &text[at + "theory ".len()..];
        loop {
            let is_section = rest.starts_with('§');
            let Some(cited) = rest.strip_prefix('§').or_else(|| rest.strip_prefix('(')).and_then(number)
            else {
                break;
            };
            found.push((is_section, cited));
            rest = &rest[rest.find(cited).expect("cited") + cited.len()..];
            rest = rest.strip_prefix(')').unwrap_or(rest);
            for joint in [", ", " and ", " to "] {
                rest = rest.strip_prefix(joint).unwrap_or(rest);
            }
        }
    }
}

/// Comments without their markers, so that a citation may be broken across lines.
fn joined_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches(['/', '!']).trim());
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn cited_sections_and_equations_exist() {
    let theory = theory();
    let (mut faults, mut n_cited) = (Vec::new(), 0);
    for path in sources(&["rs", "wgsl", "md"]).iter().filter(|path| !path.ends_with("tests/documents.rs")) {
        let comments = joined_comments(&text(path));
        let mut found = Vec::new();
        citations(&comments, &mut found);
        n_cited += found.len();
        if comments.contains("MODEL section") {
            faults.push(format!("{}: MODEL is not in the repository: cite the theory", path.display()));
        }
        for (is_section, cited) in found {
            let known = if is_section { &theory.sections } else { &theory.equations };
            if !known.contains(cited) {
                let kind = if is_section { "section" } else { "equation" };
                faults.push(format!("{}: the theory has no {kind} {cited}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(n_cited > 60, "{n_cited} citations: are they written otherwise now?");
}

#[test]
fn the_theory_refers_to_itself_rightly() {
    let theory = theory();
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| page.starts_with(root().join("docs"))) {
        let inside = page.starts_with(root().join("docs/theory"));
        let text = text(page);
        for (line_number, line) in text.lines().enumerate() {
            let cited = line.match_indices('§').filter_map(|(at, sign)| number(&line[at + sign.len()..]));
            let missing = cited.filter(|cited| !theory.sections.contains(*cited));
            faults.extend(missing.map(|cited| format!("{}:{}: §{cited}", page.display(), line_number + 1)));
            let cited = line.match_indices('(').filter_map(|(at, _)| {
                let inner = line[at + 1..].split(')').next()?;
                (number(inner) == Some(inner) && inner.contains('.')).then_some(inner)
            });
            let missing = cited.filter(|cited| inside && !theory.equations.contains(*cited));
            faults.extend(missing.map(|cited| format!("{}:{}: ({cited})", page.display(), line_number + 1)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A heading's anchor, as Markdown renderers make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#'))).collect()
}

/// Targets of the links of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, sign)| line[at + sign.len()..].split(')').next())
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = text(&page);
        for (line_number, line) in prose(&text) {
            for link in links(line).filter(|link| !link.starts_with("http")) {
                let (path, heading) = link.split_once('#').unwrap_or((link, ""));
                let target = if path.is_empty() { page.clone() } else { page.with_file_name(path) };
                let found = target.exists()
                    && (heading.is_empty() || anchors(&self::text(&target)).contains(heading));
                if !found {
                    faults.push(format!("{}:{line_number}: {link}", page.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "links that lead nowhere:\n{}", faults.join("\n"));
}

/// Folders whose files documents name between backticks.
const FOLDERS: [&str; 11] = [
    "src/",
    "crates/",
    "tests/",
    "docs/",
    "shaders/",
    "scenes/",
    "examples/",
    "benches/",
    "fuzz/",
    "python/",
    "scripts/",
];

#[test]
fn paths_in_documents_exist() {
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| !page.starts_with(root().join("docs/notebook"))) {
        let text = text(page);
        for (line_number, line) in prose(&text) {
            let quoted = line.split('`').skip(1).step_by(2);
            let paths =
                quoted.filter(|q| FOLDERS.iter().any(|f| q.starts_with(f)) && !q.contains([' ', '*']));
            let missing = paths.filter(|path| !root().join(path).exists());
            faults.extend(missing.map(|path| format!("{}:{line_number}: {path}", page.display())));
        }
    }
    assert!(faults.is_empty(), "named, but not there:\n{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_book() {
    let book = root().join("docs");
    let summary = text(&book.join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = summary.lines().flat_map(links).map(|link| book.join(link)).collect();
    let mut written = Vec::new();
    files(&book, &["md"], &mut written);
    let written: BTreeSet<PathBuf> = written.into_iter().filter(|p| !p.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, written, "docs/SUMMARY.md lists every page, and no other");
}

#[test]
fn the_readme_is_short() {
    let n_lines = text(&root().join("README.md")).lines().count();
    assert!(n_lines <= 100, "README.md has {n_lines} lines");
}

#[test]
fn lines_of_documents_are_no_wider_than_a_screen() {
    let mut faults = Vec::new();
    for page in pages() {
        for (i, line) in text(&page).lines().enumerate() {
            let width = line.chars().count();
            if width > WIDEST && !line.starts_with('|') && !line.contains("](") {
                faults.push(format!("{}:{}: {width} characters", page.display(), i + 1));
            }
        }
    }
    assert!(faults.is_empty(), "over {WIDEST} characters:\n{}", faults.join("\n"));
}

/// First words of a comment that leave its thing to be guessed.
const RIDDLES: [&str; 5] = ["What", "Who", "The same", "…", "..."];

/// Words for which the glossary has another one. Words that also have an ordinary sense are not among them.
const PRIVATE_WORDS: [&str; 40] = [
    "atom",
    "atoms",
    "banned",
    "bear",
    "bears",
    "blunt",
    "bluntness",
    "borne",
    "doubted",
    "doubts",
    "frozen problem",
    "frozen problems",
    "goal",
    "goals",
    "hand over",
    "handed over",
    "handing over",
    "hands over",
    "heaviness",
    "heir",
    "heirs",
    "in vain",
    "ladder",
    "ladders",
    "patch",
    "patches",
    "proximal weight",
    "proximal weights",
    "rouse",
    "rouses",
    "rousing",
    "rung",
    "rungs",
    "sharpness",
    "slab",
    "slabs",
    "stale",
    "tame",
    "tamed",
    "tames",
];

/// Marker and text of a line that is a comment. An `include` of a shader is none.
fn comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let marker = ["//!", "///", "//"].into_iter().find(|marker| line.starts_with(marker))?;
    let text = &line[marker.len()..];
    (!text.starts_with("include ")).then_some((marker, text.trim()))
}

/// Text of a comment behind code.
fn comment_behind_code(line: &str) -> Option<&str> {
    let mut starts = line.match_indices(" // ");
    let (at, sign) = starts.find(|(at, _)| line[..*at].matches('"').count().is_multiple_of(2))?;
    Some(line[at + sign.len()..].trim())
}

/// Comments of a source with the numbers of their first lines. Lines with one marker that follow each other
/// are one comment.
fn comments(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut before) = (Vec::<(usize, String)>::new(), None);
    for (i, line) in text.lines().enumerate() {
        let Some((marker, text)) = comment(line) else {
            found.extend(comment_behind_code(line).map(|text| (i + 1, text.to_string())));
            before = None;
            continue;
        };
        match found.last_mut() {
            Some((_, comment)) if before == Some(marker) => *comment += &format!(" {text}"),
            _ => found.push((i + 1, text.to_string())),
        }
        before = Some(marker);
    }
    found
}

/// Whether a text has a word or phrase, in any case, that no letters or digits continue.
fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let ends = [text[..at].chars().next_back(), text[at + phrase.len()..].chars().next()];
        !ends.into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Riddles and private words of a comment. Code between backticks and quoted texts are left out.
fn faults_of(comment: &str) -> Vec<&'static str> {
    let opens = |riddle: &&&str| {
        let rest = comment.strip_prefix(**riddle);
        rest.is_some_and(|rest| {
            !riddle.ends_with(char::is_alphabetic) || !rest.starts_with(char::is_alphanumeric)
        })
    };
    let prose = comment.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let prose = prose.split('"').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let words = PRIVATE_WORDS.iter().filter(|word| has(&prose, word));
    RIDDLES.iter().find(opens).into_iter().chain(words).copied().collect()
}

#[test]
fn comments_name_their_thing() {
    let (mut faults, mut n_comments) = (Vec::new(), 0);
    for path in sources(&["rs", "wgsl"]) {
        let comments = comments(&text(&path));
        n_comments += comments.len();
        for (line, comment) in comments {
            let found = faults_of(&comment).into_iter();
            faults.extend(found.map(|fault| format!("{}:{line}: {fault:?}", path.display())));
        }
    }
    assert!(faults.is_empty(), "words that docs/guide/glossary.md rules out:\n{}", faults.join("\n"));
    assert!(n_comments > 5000, "{n_comments} comments: are they written otherwise now?");
}

#[test]
fn what_is_read_is_understood() {
    assert_eq!(
        (number("3.4)"), number("12 x"), number("(3.4"), number("1.2.3")),
        (Some("3.4"), Some("12"), None, None)
    );
    assert_eq!(equation_at_end("a = b   (3.4)"), Some("3.4"));
    assert_eq!((equation_at_end("a = f(3)"), equation_at_end("a (3.4) b")), (None, None));
    let mut found = Vec::new();
    citations("as theory §3.4, (3.7) and §12 say; theory of (1.2)", &mut found);
    assert_eq!(found, [(true, "3.4"), (false, "3.7"), (true, "12")]);
    assert_eq!(joined_comments("/// theory\n//! §3.4\ncode"), "theory §3.4 code");
    assert_eq!(anchor(" 3.4 What `x` is: a_b"), "34-what-x-is-a_b");
    let lines: Vec<usize> = prose("a\n```\nb\n```\nc").map(|(i, _)| i).collect();
    assert_eq!(lines, [1, 5]);
    let source = "/// What\n/// is read.\n// Here.\nlet a = \"b // c\"; // There.\n//include d\n//! e";
    let expected = [(1, "What is read."), (3, "Here."), (4, "There."), (6, "e")];
    assert_eq!(comments(source), expected.map(|(line, text)| (line, text.to_string())));
    assert_eq!(faults_of("What is in vain, an `atom` or \"stale\"."), ["What", "in vain"]);
    assert_eq!(faults_of("…and Rungs."), ["…", "rungs"]);
    assert_eq!(faults_of("Whatever trungs, patched."), [""; 0]);
}
