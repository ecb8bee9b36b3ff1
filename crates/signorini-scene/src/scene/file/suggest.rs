//! "Did you mean …?"

/// Longer words are no slip of the pen.
const MAX_WORD: usize = 60;

/// The word that was likely meant: at most a third of it differs.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    if word.len() > MAX_WORD {
        return None;
    }
    let simple = |w: &str| w.to_lowercase().replace(['-', ' '], "_");
    let meant = simple(word);
    let distance = |k: &str| strsim::damerau_levenshtein(&meant, &simple(k));
    let near = known.into_iter().filter(|k| k.len() <= MAX_WORD).map(|k| (distance(k), k));
    let (distance, found) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 || 3 * distance <= meant.chars().count()).then_some(found)
}

/// ` (did you mean "ball"?)`, or nothing.
pub fn suggestion<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> String {
    nearest(word, known).map_or_else(String::new, |found| format!(" (did you mean {found:?}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_guessed_and_other_words_are_not() {
        let known = ["sphere", "half_space", "gravity", "cylinder", "r"];
        let cases = [
            ("gravitiy", Some("gravity")),
            ("Sphere", Some("sphere")),
            ("half-space", Some("half_space")),
            ("cilinder", Some("cylinder")),
            ("capsule", None),
            ("colour", None),
        ];
        for (word, meant) in cases {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
