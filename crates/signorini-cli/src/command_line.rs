//! The command line as a whole: its commands in groups, and guesses at words that are none of them.

use super::arguments::Arguments;
use super::console::print_error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use signorini_scene::scene::nearest;
use std::ffi::OsString;
use std::fmt::Write;

/// Commands in the order of the help.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Scenes", &["example", "check", "convert", "schema"]),
    ("Runs", &["run", "resume", "inspect", "audit", "derivative"]),
    ("Seeing a run", &["view", "plot", "picture", "movie", "export"]),
    ("Many runs", &["sweep", "compare", "limit", "drop", "track"]),
    ("Solver and machine", &["fclib", "devices", "bench"]),
    ("This program", &["completions", "man", "help"]),
];

/// Returns all commands with their options.
pub fn command() -> clap::Command {
    let command = Arguments::command();
    let template = template(&command);
    command.help_template(template)
}

/// Options of earlier versions, which are still read, and their names.
const RENAMED: [[&str; 2]; 3] =
    [["--step", "--time-step"], ["--steps", "--time-steps"], ["--reference-step", "--reference-time-step"]];

/// Parses a command line. Ends the process where help is asked for, and where the line is invalid.
pub fn parse(line: impl IntoIterator<Item = OsString>) -> Arguments {
    let line: Vec<OsString> = line.into_iter().collect();
    let mut command = command();
    let notes = old_options(&line);
    let found = command.try_get_matches_from_mut(line);
    let parsed = found.and_then(|mut found| Arguments::from_arg_matches_mut(&mut found));
    let parsed = parsed.unwrap_or_else(|error| with_guess(error, &command).exit());
    if !parsed.command.is_quiet() {
        notes.iter().for_each(|note| print_error(note));
    }
    parsed
}

/// Returns a note for each option of an earlier version.
fn old_options(line: &[OsString]) -> Vec<String> {
    let words = line.iter().filter_map(|word| word.to_str());
    let names = words.map(|word| word.split_once('=').map_or(word, |(name, _)| name));
    let renamed = names.filter_map(|name| RENAMED.iter().find(|[old, _]| *old == name));
    renamed.map(|[old, new]| format!("note: {old} is called {new} now")).collect()
}

/// Adds the command that was likely meant: the parser's own guess misses letters that changed places.
fn with_guess(mut error: clap::Error, command: &clap::Command) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let names = || command.get_subcommands().map(clap::Command::get_name);
    if let Some(meant) = nearest(word, names()) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant.to_owned()]));
    }
    error
}

/// The help of the program, with the commands in groups.
fn template(command: &clap::Command) -> StyledStr {
    let styles = command.get_styles();
    let (header, name) = (styles.get_header(), styles.get_literal());
    let about = |word: &str| match command.find_subcommand(word).and_then(clap::Command::get_about) {
        Some(about) => about.to_string(),
        // The parser adds this command itself.
        None => "Print this message, or the help of a command".to_owned(),
    };
    let mut text = StyledStr::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (heading, words) in GROUPS {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{header}{heading}:{header:#}");
        for word in words {
            let _ = writeln!(text, "  {name}{word:<12}{name:#} {}", about(word));
        }
        let _ = writeln!(text);
    }
    let _ = write!(text, "{header}Options:{header:#}\n{{options}}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn each_command_is_in_one_group() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, words)| *words).copied().collect();
        let command = command();
        let known = command.get_subcommands().map(clap::Command::get_name).chain(["help"]);
        assert_eq!(known.collect::<BTreeSet<_>>(), listed.iter().copied().collect::<BTreeSet<_>>());
        assert_eq!(listed.len(), command.get_subcommands().count() + 1, "a command is listed twice");
    }
}
